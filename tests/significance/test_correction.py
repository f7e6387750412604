"""Holm and Benjamini-Hochberg against statsmodels."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from weatherglass.errors import UsageError
from weatherglass.significance import benjamini_hochberg, holm

P_VALUES = st.lists(
    st.one_of(st.floats(0, 1), st.sampled_from([0.0, 0.01, 1.0])), min_size=1, max_size=40
)


@given(P_VALUES)
def test_holm_is_statsmodels_s(p: list[float]) -> None:
    np.testing.assert_allclose(holm(p), multipletests(p, method="holm")[1], rtol=1e-12, atol=1e-300)


@given(P_VALUES)
def test_benjamini_hochberg_is_statsmodels_s(p: list[float]) -> None:
    theirs = multipletests(p, method="fdr_bh")[1]
    np.testing.assert_allclose(benjamini_hochberg(p), theirs, rtol=1e-12, atol=1e-300)


@pytest.mark.parametrize("correct", [holm, benjamini_hochberg])
def test_nothing_is_corrected_to_nothing_and_nonsense_is_refused(correct) -> None:  # type: ignore[no-untyped-def]
    assert correct([]).shape == (0,)
    for wrong in ([0.5, np.nan], [-0.1], [1.1], [[0.5]]):
        with pytest.raises(UsageError):
            correct(wrong)
