"""Holm compared with its definition, Benjamini and Hochberg with scipy."""

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
def test_holm_equals_the_closed_bonferroni_test(p: list[float]) -> None:
    """A hypothesis is rejected if Bonferroni rejects every intersection that contains it."""
    indices = range(len(p))
    subsets = [subset for size in indices for subset in combinations(indices, size + 1)]
    bounds = {subset: min(1.0, len(subset) * min(p[i] for i in subset)) for subset in subsets}
    closed = [max(bounds[subset] for subset in subsets if i in subset) for i in indices]
    np.testing.assert_allclose(holm(p), closed, rtol=1e-12, atol=1e-300)


@given(st.lists(NUMBERS, min_size=1, max_size=40))
def test_benjamini_hochberg_equals_that_of_scipy(p: list[float]) -> None:
    expected = false_discovery_control(p, method="bh")
    np.testing.assert_allclose(benjamini_hochberg(p), expected, rtol=1e-12, atol=1e-300)


@pytest.mark.parametrize("correct", [holm, benjamini_hochberg])
def test_correction_of_no_p_values_is_empty_and_invalid_ones_are_refused(correct) -> None:  # type: ignore[no-untyped-def]
    assert correct([]).shape == (0,)
    for numbers in ([0.5, np.nan], [-0.1], [1.1], [[0.5]]):
        with pytest.raises(UsageError):
            correct(numbers)
