"""The sentiment scorer: sums of valences, and the same sentences with different names."""

from __future__ import annotations

import numpy as np
import pytest

import weatherglass as wg
from weatherglass.catalog import retrieval_names, retrieval_texts
from weatherglass.errors import CannotMeasure, UsageError
from weatherglass.scoring import Scorer

NAMES = [
    {"name": "amy", "group": "first"},
    {"name": "bea", "group": "first"},
    {"name": "cal", "group": "first"},
    {"name": "dan", "group": "second"},
    {"name": "eve", "group": "second"},
    {"name": "fay", "group": "second"},
]
WORDS = wg.Test(id="mine", x=["film"], y=["end"], a=["good", "fine"], b=["bad", "foul"])


def vectors_with(names: np.ndarray) -> wg.Vectors:
    """Vectors in which names have these rows."""
    words = ["good", "fine", "bad", "foul", "film", "end", *(row["name"] for row in NAMES)]
    rows = np.vstack([np.eye(6)[[0, 1, 2, 3]], np.eye(6)[[4, 5]], names])
    return wg.Vectors.of(words, rows)


def test_the_score_of_a_sentence_is_the_sum_of_its_words_associations() -> None:
    vectors = wg.open_vectors("default")
    test = wg.test("weat4")
    scorer = Scorer.of(vectors, test.a.words, test.b.words)
    result = wg.weat(vectors, test)
    associations = dict(zip(result.words["X"], result.associations["X"], strict=True))
    brad, emily = associations["brad"], associations["emily"]
    assert scorer.score("Brad, Emily, Brad!") == pytest.approx(2 * brad + emily)
    assert scorer.score("xqzzyx") == 0


def test_swapping_names_shifts_every_sentence_by_the_same_amount() -> None:
    vectors = wg.open_vectors("default")
    test = wg.test("weat4")
    scorer = Scorer.of(vectors, test.a.words, test.b.words)
    shifts = [
        scorer.score(text.replace("{name}", "Emily"))
        - scorer.score(text.replace("{name}", "Leroy"))
        for text in retrieval_texts()["reviews"].values()
    ]
    assert shifts == pytest.approx([shifts[0]] * len(shifts))
    assert shifts[0] != 0


def test_the_effect_over_names_is_that_of_the_association_test(glove840b: str) -> None:
    vectors = wg.open_vectors(glove840b)
    published = wg.weat(vectors, "weat4", alternative="two-sided")
    rows = [
        {"name": name, "race": race}
        for side, race in (("X", "European American"), ("Y", "African American"))
        for name in published.words[side]
    ]
    found = wg.sentiment(vectors, sentences=["{name} is in it."], names=rows)
    (contrast,) = found.contrasts
    assert contrast.effect == pytest.approx(published.effect)
    assert round(contrast.effect or 0, 2) == 1.50  # the paper's
    assert contrast.p is not None
    assert published.p is not None
    assert contrast.p.value == pytest.approx(published.p.value)


def test_the_unit_is_the_name_so_that_more_sentences_are_no_more_evidence() -> None:
    few = wg.sentiment("default", sentences=["{name} came."], groups=["race"]).contrasts[0]
    many = wg.sentiment("default", groups=["race"]).contrasts[0]
    assert few.p_value == many.p_value
    assert few.effect == pytest.approx(many.effect)
    assert many.naive_p is not None
    assert many.p_value is not None
    assert many.naive_p < 1e-20 < many.p_value


def test_swapping_the_groups_turns_the_effect_round() -> None:
    rng = np.random.default_rng(2)
    vectors = vectors_with(rng.normal(size=(6, 6)))
    (first,) = wg.sentiment(vectors, sentences=["{name} film"], names=NAMES, words=WORDS).contrasts
    swapped = NAMES[::-1]  # the group of the first row is X
    (second,) = wg.sentiment(
        vectors, sentences=["{name} film"], names=swapped, words=WORDS
    ).contrasts
    assert first.labels["X"] == second.labels["Y"]
    assert first.effect == pytest.approx(-(second.effect or 0))
    assert first.p_value == pytest.approx(second.p_value)


@pytest.mark.slow
def test_p_values_of_groups_drawn_at_random_are_uniform() -> None:
    rng = np.random.default_rng(11)
    p_values = []
    for _ in range(400):
        vectors = vectors_with(rng.normal(size=(6, 6)))
        found = wg.sentiment(vectors, sentences=["{name} film"], names=NAMES, words=WORDS)
        p_values.append(found.contrasts[0].p_value or 1.0)
    # Three against three have ten two-sided p-values, 0.1 to 1.
    for level in (0.1, 0.2, 0.5):
        share = np.mean(np.array(p_values) <= level + 1e-9)
        assert abs(share - level) < 4 * np.sqrt(level * (1 - level) / 400), level


def test_a_sentence_near_zero_changes_its_sign_with_the_name() -> None:
    rows = np.zeros((6, 6))
    rows[:3, 0] = 1  # the names of the first group are like a positive word
    rows[3:, 2] = 1
    rows[:, 4] = np.linspace(0.1, 0.6, 6)
    found = wg.sentiment(
        vectors_with(rows), sentences=["{name} film", "{name} good good"], names=NAMES, words=WORDS
    )
    assert [entry.changes_sign for entry in found.sentences] == [True, False]
    assert found.changing == 0.5
    assert found.contrasts[0].rates == {"X": 1.0, "Y": 0.5}
    assert "Of 2 sentences, 1 has a positive score with some names" in found.sentence()


def test_names_that_the_source_lacks_are_left_out_and_listed() -> None:
    rng = np.random.default_rng(4)
    vectors = vectors_with(rng.normal(size=(6, 6)))
    rows = [*NAMES, {"name": "gus", "group": "first"}]
    found = wg.sentiment(vectors, sentences=["{name} film"], names=rows, words=WORDS)
    assert found.missing["names"] == ("gus",)
    assert "gus" not in found.names
    absent = [{"name": name, "group": group} for name, group in zip("uvwx", "ffss", strict=True)]
    with pytest.raises(CannotMeasure, match="fewer than two names of the group 'f'"):
        wg.sentiment(vectors, sentences=["{name} film"], names=absent, words=WORDS)


def test_words_without_attribute_sets_are_refused() -> None:
    with pytest.raises(UsageError, match="no attribute sets"):
        wg.sentiment("default", words="wefat1")


def test_reviews_name_a_person_once_and_tell_no_gender() -> None:
    reviews = retrieval_texts()["reviews"]
    assert len(reviews) == 20
    gendered = {"he", "she", "him", "her", "his", "hers", "man", "woman", "actor", "actress"}
    for text in reviews.values():
        assert text.count("{name}") == 1
        assert not gendered & set(text.lower().replace(",", " ").replace(".", " ").split())
    assert len(retrieval_names()["bertrand-mullainathan"]) == 36


def test_a_sentiment_audit_survives_json_and_its_results_have_rows() -> None:
    found = wg.sentiment("default", groups=["race"])
    assert wg.Sentiment.from_json(found.to_json()) == found
    (row,) = found.to_rows()
    assert row["effect"] == pytest.approx(found.contrasts[0].effect)
    assert wg.Results.from_json(found.results.to_json()) == found.results
    assert wg.Results.from_delimited(found.results.to_delimited(record=True)) == found.results


@pytest.mark.slow
def test_the_chart_marks_sentences_whose_sign_depends_on_the_name() -> None:
    spec = wg.plot(wg.sentiment("default")).to_dict()
    values = [
        value
        for part in spec["vconcat"]
        for layer in part["layer"]
        for value in layer["data"]["values"]
        if "changes" in value
    ]
    assert [value["sentence"] for value in values if value["changes"]] == ["violent"]
