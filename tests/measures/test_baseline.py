"""The baseline of WEAT results: published tests, other forms of the same source, limits."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import weatherglass as wg
from weatherglass.measures import format_percentile, spellings
from weatherglass.vectors import format_for_writing, sample_vocabulary

TEST = wg.test("weat6")


@pytest.fixture(scope="module")
def default():
    return wg.open_vectors("default")


@pytest.fixture(scope="module")
def frequent(default):
    """The 13,000 most frequent words."""
    return wg.Vectors.of(default.words[:13_000], default.matrix[:13_000])


def p_values(result):
    return result.baseline.p.value, result.baseline.p_frequency.value


# Matched in frequency and coherence, and in frequency, from another implementation with other
# draws, another sample and one number of neighbours for all four sets, so the bands are wide.
EXPECTED = {
    "weat1": (0.14, 0.047),
    "weat2": (0.13, 0.039),
    "weat3": (0.52, 0.31),
    "weat4": (0.57, 0.42),
    "weat5": (0.41, 0.43),
    "weat6": (0.020, 0.004),
    "weat7": (0.39, 0.37),
    "weat8": (0.38, 0.32),
    "weat9": (0.34, 0.47),
    "weat10": (0.49, 0.42),
}


@pytest.mark.parametrize("id", EXPECTED)
def test_baseline_of_the_published_tests_on_the_default_vectors(default, id):
    coherent, frequency = p_values(wg.weat(default, id))
    assert coherent == pytest.approx(EXPECTED[id][0], abs=0.01 + 0.25 * EXPECTED[id][0])
    assert frequency == pytest.approx(EXPECTED[id][1], abs=0.005 + 0.12 * EXPECTED[id][1])
    assert (coherent <= 0.05) == (id == "weat6")  # nine of the ten look ordinary


def test_swapping_targets_or_attributes_leaves_the_baseline_exactly_unchanged(default):
    result = wg.weat(default, TEST)
    for sides in ({"x": TEST.y, "y": TEST.x}, {"a": TEST.b, "b": TEST.a}):
        swapped = wg.weat(default, TEST.model_copy(update=sides))
        assert swapped.cosine == pytest.approx(-result.cosine)
        assert swapped.baseline.p == result.baseline.p
        assert swapped.baseline.p_frequency == result.baseline.p_frequency


def test_scaling_rows_by_powers_of_two_leaves_the_baseline_unchanged(frequent):
    factors = 2.0 ** np.random.default_rng(0).integers(-3, 4, size=(len(frequent), 1))
    scaled = wg.Vectors.of(list(frequent.words), frequent.matrix * factors)
    assert p_values(wg.weat(scaled, TEST)) == p_values(wg.weat(frequent, TEST))


@pytest.mark.parametrize("ending", ["txt", "vec.gz", "bin", "parquet", "npz"])
def test_the_baseline_is_the_same_from_some_words_of_a_file_and_from_all(
    frequent, tmp_path, monkeypatch, ending
):
    monkeypatch.setenv("WEATHERGLASS_CACHE_DIR", str(tmp_path / "cache"))
    path = tmp_path / f"vectors.{ending}"
    format_for_writing(path).write(frequent, path)
    words = spellings(TEST.sets.values())
    part = wg.open_vectors(path, words=words, sample=True)
    assert set(part.words) <= words
    expected = wg.weat(frequent, TEST).baseline
    assert expected.p is not None
    assert wg.weat(part, TEST).baseline == expected
    whole = wg.open_vectors(path)
    assert wg.weat(whole, TEST).baseline == expected
    from_cache = wg.open_vectors(path, words=words, sample=True)
    assert wg.weat(from_cache, TEST).baseline == expected
    assert wg.weat(wg.open_vectors(whole, words=words, sample=True), TEST).baseline == expected


def test_the_sample_is_the_same_where_a_file_repeats_words(frequent, tmp_path, monkeypatch):
    monkeypatch.setenv("WEATHERGLASS_CACHE_DIR", str(tmp_path / "cache"))
    words, rows = list(frequent.words[:9000]), np.array(frequent.matrix[:9000])
    for k in range(40, 9000, 90):
        words[k], rows[k] = words[k - 1], rows[k - 1]
    path = tmp_path / "vectors.txt"
    with path.open("w") as file:
        for word, row in zip(words, rows, strict=True):
            file.write(word + " " + " ".join(map(repr, row.tolist())) + "\n")
    whole = sample_vocabulary(wg.open_vectors(path))
    path.touch()
    monkeypatch.setenv("WEATHERGLASS_CACHE_DIR", str(tmp_path / "other"))
    part = sample_vocabulary(wg.open_vectors(path, words=["the"], sample=True))
    assert whole.total == part.total == 9000
    # A repetition whose first occurrence is not sampled cannot be recognised while searching.
    assert set(whole.keys) <= set(part.keys)
    assert len(part) - len(whole) < 100
    same = np.isin(part.keys, whole.keys)
    np.testing.assert_array_equal(part.rows[same], whole.rows)


def test_some_words_without_a_sample_have_no_baseline(default):
    part = wg.open_vectors("default", words=spellings(TEST.sets.values()))
    result = wg.weat(part, TEST)
    assert result.baseline.p is None
    assert result.baseline.reason == "only some words were opened"
    assert result.row()["p_baseline"] is None
    assert result.row()["baseline_matching"] == "only some words were opened"
    assert result.p == wg.weat(default, TEST, baseline=False).p


def test_a_sample_of_other_vectors_is_not_used(default):
    part = wg.open_vectors("default", words=spellings(TEST.sets.values()), sample=True)
    changed = dataclasses.replace(part, matrix=-part.matrix, fingerprint="other")
    assert wg.weat(changed, TEST).baseline.reason == "only some words were opened"


def test_alphabetical_and_shuffled_files_are_not_matched_in_frequency(frequent):
    for order in (np.argsort(list(frequent.words)), np.random.default_rng(0).permutation(13_000)):
        words = [frequent.words[i] for i in order]
        baseline = wg.weat(wg.Vectors.of(words, frequent.matrix[order]), TEST).baseline
        assert baseline.matching == "coherence"
        assert baseline.p is not None
    assert wg.weat(frequent, TEST).baseline.matching == "frequency and coherence"


def test_counts_give_the_frequency_where_the_order_does_not(frequent):
    order = np.argsort(list(frequent.words))
    counts = 10**9 // (np.arange(13_000) + 10)
    words = [frequent.words[i] for i in order]
    shuffled = wg.Vectors.of(words, frequent.matrix[order], counts=counts[order])
    baseline = wg.weat(shuffled, TEST).baseline
    assert sample_vocabulary(shuffled).by == "counts"
    assert baseline.matching == "frequency and coherence"
    expected = wg.weat(frequent, TEST).baseline
    assert baseline.p_frequency.value == pytest.approx(expected.p_frequency.value, abs=0.1)


def test_a_small_vocabulary_has_no_baseline_but_everything_else():
    rng = np.random.default_rng(0)
    vectors = wg.Vectors.of([*"abcdefgh"], rng.normal(size=(8, 3)))
    test = wg.Test(x=["a", "b"], y=["c", "d"], a=["e", "f"], b=["g", "h"])
    result = wg.weat(vectors, test)
    assert result.is_done
    assert "8 words to draw from" in result.baseline.reason
    assert result.baseline.sentence().startswith("Baseline not computed: ")


def test_the_cosine_and_its_square_are_those_of_the_mean_differences(default):
    result = wg.weat(default, "weat6")
    x, y, a, b = (default.unit(result.words[name]).mean(axis=0) for name in "XYAB")
    u, v = x - y, a - b
    expected = u @ v / np.sqrt((u @ u) * (v @ v))
    assert result.cosine == pytest.approx(expected)
    assert result.shared == pytest.approx(expected**2)
    along = u @ v / np.sqrt(v @ v)
    assert result.shared == pytest.approx(along**2 / (u @ u))  # share of the squared difference


def test_results_with_a_baseline_are_read_back_from_json_tsv_and_parquet(default, tmp_path):
    results = wg.Results.of([wg.weat(default, TEST), wg.weat(default, TEST, baseline=False)])
    assert wg.Results.from_json(results.to_json()) == results
    assert wg.Results.from_delimited(results.to_delimited(record=True)) == results
    results.to_parquet(tmp_path / "results.parquet")
    assert wg.Results.from_parquet(tmp_path / "results.parquet") == results
    with_baseline, without = results.to_rows()
    assert with_baseline["p_baseline"] == results[0].baseline.p.value
    assert with_baseline["p_baseline_frequency"] == results[0].baseline.p_frequency.value
    assert with_baseline["baseline_matching"] == "frequency and coherence"
    assert with_baseline["cosine"] == results[0].cosine
    assert "p_baseline" not in without


def test_encoders_have_no_baseline():
    (result,) = wg.seat(wg.open_encoder("cbow:default"), "weat6")
    assert result.baseline.p is None
    assert "drawn from word vectors, not from an encoder" in result.baseline.reason


def test_a_percentile_never_claims_more_than_the_draws_allow():
    percentiles = [100 * (1 - (count + 1) / 10_000) for count in (0, 5, 9, 50, 699, 9999)]
    assert [format_percentile(value) for value in percentiles] == [
        *["more than 99.9 %"] * 3,
        "99.4 %",
        "93 %",
        "0 %",
    ]
