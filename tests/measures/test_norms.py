"""Norms: correlations of associations with ratings of people."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import weatherglass as wg
from weatherglass.catalog import Norms
from weatherglass.errors import UsageError
from weatherglass.significance import partial_correlation

SHARED = Path(__file__).parents[3] / "shared" / "data" / "human-norms"
BELLEZZA = SHARED / "bellezza_1986_399.csv"


@pytest.fixture(scope="module")
def valence():
    return wg.norms("default", "glasgow-valence")


@pytest.fixture
def planted():
    """Sixty words whose first coordinate is their rating, four attributes, and antonyms."""
    rng = np.random.default_rng(3)
    words = [f"w{i}" for i in range(60)]
    ratings = rng.normal(size=60)
    rows = np.column_stack([ratings, rng.normal(size=(60, 5))])
    attributes = {"good": 1.0, "nice": 1.0, "bad": -1.0, "vile": -1.0}
    poles = np.column_stack([list(attributes.values()), rng.normal(0, 0.2, (4, 5))])
    vectors = wg.Vectors.of([*words, *attributes], np.concatenate([rows, poles]))
    return vectors, dict(zip(words, ratings.tolist(), strict=True))


def test_glasgow_figures_on_the_default_vectors(valence):
    assert valence.pearson == pytest.approx(0.608, abs=0.002)
    assert valence.n["W"] == 4680
    gender = wg.norms("default", "glasgow-gender")
    assert gender.pearson == pytest.approx(0.416, abs=0.002)


@pytest.mark.skipif(not BELLEZZA.exists(), reason="the ratings of Bellezza may not be distributed")
def test_bellezza_figure_on_the_default_vectors():
    result = wg.norms("default", BELLEZZA, value="combined_pleasantness", test="weat1")
    assert result.pearson == pytest.approx(0.797, abs=0.002)
    assert result.n["W"] == 399
    assert result.pearson_other == pytest.approx(0.780, abs=0.002)


def test_an_association_is_the_normalised_difference_of_mean_cosines(planted):
    vectors, ratings = planted
    result = wg.norms(vectors, ratings, axis=(["good", "nice"], ["bad", "vile"]))
    unit = vectors.unit(["good", "nice", "bad", "vile"])
    axis = unit[:2].mean(axis=0) - unit[2:].mean(axis=0)
    expected = vectors.unit(["w0"])[0] @ axis / np.linalg.norm(axis)
    assert result.associations[0] == pytest.approx(expected)
    expected = np.corrcoef(result.associations, list(ratings.values()))[0, 1]
    assert result.pearson == pytest.approx(expected)
    assert result.pearson > 0.5


def test_swapped_poles_change_the_sign_and_nothing_else(planted):
    vectors, ratings = planted
    result = wg.norms(vectors, ratings, axis=(["good", "nice"], ["bad", "vile"]))
    swapped = wg.norms(vectors, ratings, axis=(["bad", "vile"], ["good", "nice"]))
    assert swapped.pearson == pytest.approx(-result.pearson)
    assert swapped.intervals[0].low == pytest.approx(-result.intervals[0].high)
    assert "the lower people rate them" in swapped.sentence()


def test_pairs_and_the_same_words_as_sets_give_the_same_axis(planted):
    vectors, ratings = planted
    sets = wg.norms(vectors, ratings, axis=(["good", "nice"], ["bad", "vile"]))
    pairs = wg.norms(vectors, ratings, pairs=[("good", "bad"), ("nice", "vile")])
    assert pairs.pearson == pytest.approx(sets.pearson)


def test_a_pair_without_one_of_its_words_is_left_out(planted):
    vectors, ratings = planted
    pairs = [("good", "bad"), ("nice", "nowhere")]
    result = wg.norms(vectors, ratings, pairs=pairs, max_missing=0.5)
    assert result.words["A"] == ("good",)
    assert result.missing["B"] == ("nowhere",)
    assert wg.norms(vectors, ratings, pairs=pairs).status == "not run"


@pytest.mark.parametrize("seed", range(3))
def test_noise_does_not_correlate_with_ratings(seed, valence):
    words = valence.words
    flat = list(dict.fromkeys(word for part in words.values() for word in part))
    rows = np.random.default_rng(seed).normal(size=(len(flat), 50))
    result = wg.norms(wg.Vectors.of(flat, rows), "glasgow-valence", shared="leave out")
    assert abs(result.pearson) < 0.05
    assert result.intervals[0].low - 0.02 < 0 < result.intervals[0].high + 0.02


def test_attributes_among_few_rated_words_inflate_the_correlation_of_noise():
    """Why the check of a source leaves them out: their cosine with themselves is 1."""
    attributes = [w for name in "AB" for w in wg.test("weat1").sets[name].words]
    rows = np.random.default_rng(0).normal(size=(50, 50))
    noise = wg.Vectors.of(attributes, rows)
    assert wg.norms(noise, "glasgow-valence").pearson > 0.5
    assert wg.norms(noise, "glasgow-valence", shared="leave out").status == "not run"


def test_ratings_that_follow_frequency_alone_have_no_partial_correlation():
    rng = np.random.default_rng(0)
    z = rng.normal(size=400)
    x, y = z + rng.normal(0, 0.5, 400), z + rng.normal(0, 0.5, 400)
    result = partial_correlation(x, y, z)
    assert np.corrcoef(x, y)[0, 1] > 0.7
    assert result.low < 0 < result.high
    r = np.corrcoef([x, y, z])
    expected = (r[0, 1] - r[0, 2] * r[1, 2]) / math.sqrt((1 - r[0, 2] ** 2) * (1 - r[1, 2] ** 2))
    assert result.value == pytest.approx(expected)


def test_the_partial_correlation_uses_counts_where_the_source_has_them(planted):
    vectors, ratings = planted
    counts = np.random.default_rng(1).integers(1, 10_000, len(vectors))
    counted = wg.Vectors.of(list(vectors.words), vectors.matrix, counts=counts)
    axis = (["good", "nice"], ["bad", "vile"])
    result = wg.norms(counted, ratings, axis=axis)
    assert result.frequency == "counts"
    logs = np.log(counted.counts[:60])
    expected = partial_correlation(result.associations, result.ratings, logs)
    assert result.partial == pytest.approx(expected.value)


def test_disattenuation_recovers_the_correlation_with_error_free_ratings(planted):
    vectors, ratings = planted
    axis = (["good", "nice"], ["bad", "vile"])
    exact = wg.norms(vectors, ratings, axis=axis).pearson
    words, truth = tuple(ratings), np.array(list(ratings.values()))
    error = 0.8 * truth.std()
    recovered, attenuated = [], []
    for seed in range(60):
        noisy = truth + np.random.default_rng(seed).normal(0, error, len(truth))
        norms = Norms("n", "n", words, tuple(noisy.tolist()), errors=(error**2,) * len(words))
        result = wg.norms(vectors, norms, axis=axis)
        recovered.append(result.disattenuated)
        attenuated.append(result.pearson)
        assert result.ceiling == pytest.approx(math.sqrt(result.reliability))
    assert np.mean(attenuated) < exact - 0.1
    assert np.mean(recovered) == pytest.approx(exact, abs=0.04)


def test_a_result_survives_json_tsv_and_parquet(valence, tmp_path):
    results = wg.Results.of([valence])
    assert wg.Results.from_json(results.to_json()) == results
    assert wg.Results.from_delimited(results.to_delimited(record=True)) == results
    results.to_parquet(tmp_path / "r.parquet")
    assert wg.Results.from_parquet(tmp_path / "r.parquet") == results


def test_norms_join_no_family_of_corrected_tests(valence):
    alone = wg.Results.of([wg.weat(wg.open_vectors("default"), "weat6")]).correct()
    both = wg.Results.of([wg.weat(wg.open_vectors("default"), "weat6"), valence]).correct()
    assert both[0].p_finding == alone[0].p_finding
    assert both[0].family == 1


def test_the_words_farthest_from_the_line_are_named(planted):
    vectors, ratings = planted
    outlier = {**ratings, "w7": 50.0}
    result = wg.norms(vectors, outlier, axis=(["good", "nice"], ["bad", "vile"]))
    assert result.largest_residuals(1)[0][0] == "w7"
    assert "w7" in result.plot().to_json()


def test_an_encoder_encodes_each_word_as_a_sentence(planted):
    vectors, ratings = planted

    class Encoder:
        name, fingerprint = "mine", "f"

        def encode(self, sentences):
            known = [vectors.take([s]).rows[0] if s != "w3" else [0] * 6 for s in sentences]
            return np.array(known)

    axis = (["good", "nice"], ["bad", "vile"])
    result = wg.norms(Encoder(), ratings, axis=axis)
    assert result.n["W"] == 59  # a row of zeros is a word that the encoder does not know
    assert result.frequency == ""
    assert result.partial is None
    without = {word: rating for word, rating in ratings.items() if word != "w3"}
    assert result.pearson == pytest.approx(wg.norms(vectors, without, axis=axis).pearson)
    assert result.source["fingerprint"] == "f"


def test_too_few_rated_words_are_a_reason(planted):
    vectors, ratings = planted
    few = dict(list(ratings.items())[:5])
    result = wg.norms(vectors, few, axis=(["good"], ["bad"]))
    assert result.status == "not run"
    assert "5 of 5 rated words" in result.reason


def test_two_scorings_at_once_are_refused(planted):
    vectors, ratings = planted
    with pytest.raises(UsageError, match="one of test, axis and pairs"):
        wg.norms(vectors, ratings, test="weat1", pairs=[("good", "bad")])


def test_norms_of_a_dict_and_of_a_table_of_cosines_equal_those_of_the_vectors(planted):
    vectors, ratings = planted
    poles = (["good", "nice"], ["bad", "vile"])
    rows = dict(zip(vectors.words, vectors.matrix, strict=True))
    columns = ["good", "nice", "bad", "vile"]
    cosines = vectors.unit(list(ratings)) @ vectors.unit(columns).T
    table = wg.AssociationTable(cosines, ratings, columns)
    expected = wg.norms(vectors, ratings, axis=poles).pearson
    assert wg.norms(rows, ratings, axis=poles).pearson == pytest.approx(expected)
    assert wg.norms(table, ratings, axis=poles).pearson == pytest.approx(expected)


def test_the_frequency_of_words_does_not_depend_on_whether_a_file_was_parsed(tmp_path, monkeypatch):
    vectors = wg.open_vectors("default")
    words = vectors.words[:5_000]
    path = tmp_path / "v.txt"
    path.write_text(
        "".join(
            f"{word} {' '.join(map(repr, row.tolist()))}\n"
            for word, row in zip(words, vectors.take(words).rows, strict=True)
        )
    )
    monkeypatch.setenv("WEATHERGLASS_CACHE_DIR", str(tmp_path / "cache"))
    rows_alone = wg.norms(str(path), max_missing=0.9)
    whole = wg.norms(wg.open_vectors(path), max_missing=0.9)
    assert rows_alone.frequency == "rank"
    assert rows_alone.partial == whole.partial
    assert rows_alone.finding == whole.finding


def test_an_alphabetical_file_states_no_frequency():
    vectors = wg.open_vectors("default")
    words = sorted(vectors.words[:5_000])
    result = wg.norms((words, vectors.take(words).rows), max_missing=0.9)
    assert result.is_done
    assert (result.frequency, result.partial) == ("", None)
