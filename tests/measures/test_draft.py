"""What the first draft of Caliskan et al. (2016) states otherwise than the Science paper."""

from __future__ import annotations

import math

import pytest

import weatherglass as wg
from weatherglass.measures import max_effect

DRAFT_EFFECTS = {  # section Results
    "weat1": 1.50,
    "weat2": 1.53,
    "weat3": 1.41,
    "weat4": 1.50,
    "weat5": 1.28,
    "weat6": 1.81,
    "weat7": 1.06,
    "weat8": 1.24,
}
DRAFT_P = {  # "p-value < 10⁻⁷" and so on
    "weat1": 1e-7,
    "weat2": 1e-7,
    "weat3": 1e-8,
    "weat4": 1e-4,
    "weat5": 1e-3,
    "weat6": 1e-3,
    "weat8": 1e-2,
}


def test_the_drafts_eight_effects_are_those_of_the_paper(glove840b: str) -> None:
    vectors = wg.open_vectors(glove840b)
    for id, effect in DRAFT_EFFECTS.items():
        assert round(wg.weat(vectors, id, baseline=False).effect or 0, 2) == effect, id


def test_the_drafts_bounds_on_p_hold_except_for_math_and_arts(glove840b: str) -> None:
    vectors = wg.open_vectors(glove840b)
    for id, bound in DRAFT_P.items():
        assert (wg.weat(vectors, id, baseline=False).p_value or 1) < bound, id
    # The draft has "a p-value of 10⁻²", the paper .018.
    exact = wg.weat(vectors, "weat7", baseline=False)
    assert exact.p is not None
    assert exact.p.fraction == "202/12870"
    assert 0.01 < exact.p.value == pytest.approx(0.0157, abs=5e-5)
    fitted = wg.weat(vectors, "weat7", method="normal", baseline=False, rng=0)
    assert fitted.p is not None
    assert fitted.p.value == pytest.approx(0.017, abs=1e-3)


def test_the_mental_illness_result_that_the_draft_mentions_is_weat9(glove840b: str) -> None:
    result = wg.weat(wg.open_vectors(glove840b), "weat9", baseline=False)
    assert round(result.effect or 0, 2) == 1.38
    assert (result.p_value or 1) < 1e-2


def test_the_drafts_maximum_of_two_is_reached_only_with_the_other_standard_deviation() -> None:
    # Footnote 2 of the draft. With N - 1 in the standard deviation, as computed, it is less.
    assert max_effect(8, 8) == pytest.approx(2 * math.sqrt(15 / 16))
    assert round(max_effect(8, 8) or 0, 2) == 1.94
    assert round(max_effect(25, 25) or 0, 2) == 1.98
    assert max_effect(8, 8, 0) == pytest.approx(2.0)


@pytest.mark.slow
def test_a_name_misspelt_in_the_draft_does_not_change_the_effect(glove840b: str) -> None:
    # The draft prints Tvree for Tyree; a program that looks it up does not find it.
    vectors = wg.open_vectors(glove840b)
    assert "Tvree" not in vectors
    result = wg.weat(vectors, "weat3", influence=True, baseline=False)
    without = next(entry for entry in result.influence if entry.word == "Tyree")
    assert round(without.effect, 2) == 1.40
    assert without.p < 1e-8
