"""Holm against its definition, Benjamini and Hochberg against scipy."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import false_discovery_control

from weatherglass.errors import UsageError
from weatherglass.significance import benjamini_hochberg, holm

NUMBERS = st.one_of(st.floats(0, 1), st.sampled_from([0.0, 0.01, 1.0]))


@given(st.lists(NUMBERS, min_size=1, max_size=6))
def test_holm_is_the_closed_test_of_bonferroni(p: list[float]) -> None:
    """A hypothesis falls when every intersection with others falls by Bonferroni's bound."""
    indices = range(len(p))
    subsets = [some for size in indices for some in combinations(indices, size + 1)]
    bounds = {some: min(1.0, len(some) * min(p[i] for i in some)) for some in subsets}
    closed = [max(bounds[some] for some in subsets if i in some) for i in indices]
    np.testing.assert_allclose(holm(p), closed, rtol=1e-12, atol=1e-300)


@given(st.lists(NUMBERS, min_size=1, max_size=40))
def test_benjamini_hochberg_is_scipy_s(p: list[float]) -> None:
    theirs = false_discovery_control(p, method="bh")
    np.testing.assert_allclose(benjamini_hochberg(p), theirs, rtol=1e-12, atol=1e-300)


@pytest.mark.parametrize("correct", [holm, benjamini_hochberg])
def test_nothing_is_corrected_to_nothing_and_nonsense_is_refused(correct) -> None:  # type: ignore[no-untyped-def]
    assert correct([]).shape == (0,)
    for wrong in ([0.5, np.nan], [-0.1], [1.1], [[0.5]]):
        with pytest.raises(UsageError):
            correct(wrong)
