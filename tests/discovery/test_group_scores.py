"""Scores of single groups g(X, A) against a vocabulary: lemmas 2 and 3 on real vectors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weatherglass as wg
from weatherglass.errors import CannotMeasure, UnknownEntry, UsageError

GROUPS = {
    "women": ["mary", "anna", "emma", "alice"],
    "men": ["john", "paul", "mark"],
    "places": ["paris", "london", "rome", "vienna", "oslo"],
}
NAMES = [name for names in GROUPS.values() for name in names]


@pytest.fixture(scope="module")
def scores(default: wg.Vectors) -> Any:
    return wg.group_scores(default, GROUPS, words=1000)


def g(vectors: wg.Vectors, pairs: Any, **options: Any) -> float:
    value = wg.generalised_weat(vectors, pairs, **options).g
    assert value is not None
    return value


def test_a_score_is_that_of_the_generalised_weat_of_one_group(
    default: wg.Vectors, scores: Any
) -> None:
    everything = {"all_names": NAMES, "all_words": scores.words}
    for words in (["he"], ["she", "her"], ["war", "city", "president"]):
        for group, names in GROUPS.items():
            single = g(default, [(names, words)], **everything)
            assert scores.g(group, words) == pytest.approx(single, abs=1e-9)


def test_lemma_2_a_group_against_its_complement(default: wg.Vectors, scores: Any) -> None:
    x, a = GROUPS["women"], ["she", "her", "women"]
    rest_x = [name for name in NAMES if name not in x]
    rest_a = [word for word in scores.words if word not in a]
    factor = 2 * len(rest_x) / len(NAMES) * len(rest_a) / len(scores.words)
    with_rest = g(default, [(x, a), (rest_x, rest_a)])
    with_all = g(default, [(x, a), (NAMES, scores.words)])
    assert scores.g("women", a) == pytest.approx(2 * with_all, abs=1e-9)
    assert scores.g("women", a) == pytest.approx(factor * with_rest, abs=1e-9)


def test_lemma_3_a_test_of_groups_is_a_sum_of_single_groups(
    default: wg.Vectors, scores: Any
) -> None:
    words = {"women": ["she", "her"], "men": ["he", "his", "him"], "places": ["city", "home"]}
    together = g(default, [(GROUPS[group], words[group]) for group in GROUPS])
    own = sum(scores.g(group, words[group]) for group in GROUPS)
    every = sum(scores.g(group, words[other]) for group in GROUPS for other in GROUPS)
    assert together == pytest.approx(own - every / len(GROUPS), abs=1e-9)


def test_scores_sum_to_zero_over_the_vocabulary(scores: Any) -> None:
    for group in GROUPS:
        assert np.mean(scores.scores[group]) == pytest.approx(0, abs=1e-9)


def test_the_highest_scores_of_cities_are_words_of_places(scores: Any) -> None:
    top = [word for word, _ in scores.top("places", 10)]
    assert {"capital", "airport"} <= set(top)
    lowest = scores.top("places", -1)[0][1]
    assert lowest == min(scores.scores["places"])
    assert not set(NAMES) & set(scores.words)


def test_scores_survive_json_and_refuse_unknown_words(scores: Any) -> None:
    assert wg.GroupScores.from_json(scores.to_json()) == scores
    with pytest.raises(UnknownEntry, match="'xqzzt' is not among"):
        scores.g("women", ["xqzzt"])
    with pytest.raises(UnknownEntry, match="no group 'womens'"):
        scores.top("womens")


def test_groups_that_cannot_be_compared_are_refused(default: wg.Vectors) -> None:
    with pytest.raises(CannotMeasure, match="nothing to compare it with"):
        wg.group_scores(default, {"women": GROUPS["women"]})
    with pytest.raises(CannotMeasure, match="has no name in default"):
        wg.group_scores(default, {"women": GROUPS["women"], "none": ["xqzzt"]})
    with pytest.raises(UsageError, match="no group"):
        wg.group_scores(default, {})
    alone = wg.group_scores(default, {"women": GROUPS["women"]}, all_names=NAMES, words=["she"])
    assert len(alone.words) == 1
