"""Analogies, pairs along a seed direction, and pairs of words in a plane."""

from __future__ import annotations

import numpy as np
import pytest

import weatherglass as wg
from weatherglass.errors import CannotMeasure, UsageError


@pytest.fixture(scope="module")
def random_vectors() -> wg.Vectors:
    rng = np.random.default_rng(3)
    words = [f"word{chr(97 + k // 26)}{chr(97 + k % 26)}" for k in range(300)]
    return wg.Vectors.of(words, rng.normal(size=(300, 12)))


def test_both_rules_score_as_a_loop_over_the_formulas_does(random_vectors: wg.Vectors) -> None:
    words = list(random_vectors.words)
    a, b, c = words[5], words[80], words[200]
    unit = dict(zip(words, random_vectors.unit(words), strict=True))
    added = wg.analogy(random_vectors, a, b, c, count=297)
    multiplied = wg.analogy(random_vectors, a, b, c, rule="multiply", count=297)
    for result in (added, multiplied):
        assert {answer.word for answer in result.answers} == set(words) - {a, b, c}
        scores = [answer.score for answer in result.answers]
        assert scores == sorted(scores, reverse=True)
    for answer in added.answers:
        d = unit[answer.word]
        assert answer.score == pytest.approx(d @ unit[b] - d @ unit[a] + d @ unit[c])
    for answer in multiplied.answers:
        d = unit[answer.word]
        a_, b_, c_ = ((d @ unit[word] + 1) / 2 for word in (a, b, c))
        assert answer.score == pytest.approx(b_ * c_ / (a_ + 0.001))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of gensim itself
def test_the_rules_rank_as_those_of_gensim_do(random_vectors: wg.Vectors) -> None:
    models = pytest.importorskip("gensim.models", reason="gensim is not installed")
    words = list(random_vectors.words)
    keyed = models.KeyedVectors(random_vectors.dim)
    keyed.add_vectors(words, np.asarray(random_vectors.matrix))
    asked = {"positive": [words[80], words[200]], "negative": [words[5]], "topn": 20}
    add = wg.analogy(random_vectors, words[5], words[80], words[200], count=20)
    assert [a.word for a in add.answers] == [word for word, _ in keyed.most_similar(**asked)]
    mul = wg.analogy(random_vectors, words[5], words[80], words[200], rule="multiply", count=20)
    expected = keyed.most_similar_cosmul(**asked)
    assert [a.word for a in mul.answers] == [word for word, _ in expected]
    # Its epsilon is smaller than the paper's, so that scores differ in the second decimal.
    assert [a.score for a in mul.answers] == pytest.approx([s for _, s in expected], rel=0.05)


def test_excluding_the_inputs_decides_the_answer_and_the_result_says_so() -> None:
    vectors = wg.open_vectors("default")
    excluded = wg.analogy(vectors, "man", "doctor", "woman")
    allowed = wg.analogy(vectors, "man", "doctor", "woman", exclude_inputs=False)
    assert excluded.answer == "nurse"
    assert allowed.answer == excluded.unrestricted.word == "doctor"
    assert "inputs excluded" in excluded.sentence()
    assert "Nissim et al. 2020" in excluded.sentence()
    assert "inputs allowed" in allowed.sentence()
    assert not allowed.warning


def test_an_analogy_between_words_that_do_not_differ_is_answered_by_the_input() -> None:
    vectors = wg.open_vectors("default")
    same = wg.analogy(vectors, "king", "king", "queen", exclude_inputs=False)
    assert same.answer == "queen"


def test_an_unknown_word_a_wrong_rule_and_a_wrong_count_are_refused(
    random_vectors: wg.Vectors,
) -> None:
    with pytest.raises(CannotMeasure, match="not in memory"):
        wg.analogy(random_vectors, "nowhere", "wordaa", "wordab")
    with pytest.raises(UsageError, match="add or multiply"):
        wg.analogy(random_vectors, "wordaa", "wordab", "wordac", rule="mul")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="count is 0"):
        wg.analogy(random_vectors, "wordaa", "wordab", "wordac", count=0)


def test_rows_without_direction_are_no_answer() -> None:
    vectors = wg.Vectors.of(["a", "b", "c", "zero"], [[1, 0], [0, 1], [1, 1], [0, 0]])
    result = wg.analogy(vectors, "a", "b", "c", exclude_inputs=False)
    assert "zero" not in {answer.word for answer in result.answers}
    only_inputs = wg.analogy(vectors, "a", "b", "c")
    assert only_inputs.answers == ()
    assert only_inputs.sentence() == "memory has no other words."


def test_pairs_along_a_direction_are_the_best_of_all_pairs(random_vectors: wg.Vectors) -> None:
    words = list(random_vectors.words)
    rows = random_vectors.unit(words)
    seed = (words[0], words[1])
    found = wg.analogous_pairs(random_vectors, [seed], count=5, words=300, distance=1.2)
    direction = rows[0] - rows[1]
    best: dict[str, tuple[float, str]] = {}
    for x in range(2, 300):
        for y in range(300):
            difference = rows[x] - rows[y]
            length = np.linalg.norm(difference)
            if 0 < length <= 1.2:
                score = float(difference @ direction / length / np.linalg.norm(direction))
                best[words[x]] = max(best.get(words[x], (-2.0, "")), (score, words[y]))
    expected = sorted(best.items(), key=lambda entry: -entry[1][0])[:5]
    assert [(pair.x, pair.y) for pair in found.pairs] == [(x, y) for x, (_, y) in expected]
    assert [pair.score for pair in found.pairs] == pytest.approx(
        [score for _, (score, _) in expected], abs=1e-5
    )


def test_reversing_the_seed_direction_swaps_the_sides_of_the_pairs() -> None:
    vectors = wg.open_vectors("default")
    forward = wg.analogous_pairs(vectors, [("she", "he")], words=3000, count=200)
    backward = wg.analogous_pairs(vectors, [("he", "she")], words=3000, count=200)
    pairs = {(pair.x, pair.y) for pair in forward.pairs}
    assert {("her", "his"), ("mother", "father"), ("daughter", "son")} <= pairs
    assert ("his", "her") in {(pair.x, pair.y) for pair in backward.pairs}


def test_a_pair_states_the_answer_with_the_inputs_allowed() -> None:
    vectors = wg.open_vectors("default")
    found = wg.analogous_pairs(vectors, [("she", "he")], words=2000, count=10)
    by_x = {pair.x: pair for pair in found.pairs}
    assert by_x["mother"].unrestricted == "father"
    own = [pair for pair in found.pairs if pair.unrestricted == pair.x]
    assert found.own_counterpart == pytest.approx(len(own) / 10)
    assert own, "some words are their own counterpart"
    assert "Nissim et al. 2020" in found.sentence()


def test_the_differences_of_gender_pairs_are_roughly_constant_as_in_figure_3_of_the_draft() -> None:
    pairs = [("man", "woman"), ("king", "queen"), ("uncle", "aunt"), ("brother", "sister")]
    plane = wg.word_plane("default", pairs)
    assert plane.parallel > 0.5
    assert plane.parallel > plane.shuffled + 0.2
    rng = np.random.default_rng(1)
    noise = wg.Vectors.of([w for p in pairs for w in p], rng.normal(size=(8, 50)))
    random = wg.word_plane(noise, pairs)
    assert abs(random.parallel - random.shuffled) < 0.2


def test_the_plane_is_that_of_the_first_two_principal_components() -> None:
    from sklearn.decomposition import PCA

    vectors = wg.open_vectors("default")
    plane = wg.word_plane(vectors, [("man", "woman"), ("king", "queen"), ("he", "she")])
    rows = vectors.take([placed.word for placed in plane.words]).rows
    model = PCA(2, svd_solver="full").fit(rows)
    expected = np.abs(model.transform(rows))
    ours = np.abs([(placed.x, placed.y) for placed in plane.words])
    np.testing.assert_allclose(ours, expected, atol=1e-4)
    assert plane.explained == pytest.approx(tuple(model.explained_variance_ratio_), abs=1e-4)


def test_a_plane_lists_missing_words_and_needs_two_pairs() -> None:
    plane = wg.word_plane("default", [("man", "woman"), ("king", "queen"), ("xqzzy", "he")])
    assert plane.missing == ("xqzzy",)
    assert len(plane.pairs) == 2
    with pytest.raises(CannotMeasure, match="has 1 of the 2 pairs"):
        wg.word_plane("default", [("man", "woman"), ("xqzzy", "he")])
    with pytest.raises(UsageError, match="no pair"):
        wg.word_plane("default", [("man", "woman", "child"), ("he", "she")])


def test_results_of_analogies_survive_json_and_have_rows() -> None:
    vectors = wg.open_vectors("default")
    results = [
        wg.analogy(vectors, "man", "king", "woman", count=3),
        wg.analogous_pairs(vectors, words=500, count=3),
        wg.word_plane(vectors, [("man", "woman"), ("king", "queen")]),
    ]
    for result in results:
        assert type(result).from_json(result.to_json()) == result
        assert len(result.to_rows()) in (3, 4)
        assert result.to_table().num_rows == len(result.to_rows())


def test_the_chart_of_a_plane_has_a_line_for_each_pair_and_names_the_words() -> None:
    plane = wg.word_plane("default", [("man", "woman"), ("king", "queen"), ("he", "she")])
    spec = wg.plot(plane).to_dict()
    lines = next(layer for layer in spec["layer"] if "x2" in layer.get("encoding", {}))
    assert len(lines["data"]["values"]) == 3
    texts = [v["word"] for layer in spec["layer"] for v in layer["data"]["values"] if "word" in v]
    assert {"man", "woman", "king", "queen", "he", "she"} <= set(texts)
