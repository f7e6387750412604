import math

import numpy as np
import pytest

import weatherglass as wg
from weatherglass.catalog import to_sentences
from weatherglass.encoders.seat import seat_test
from weatherglass.errors import CannotMeasure, UsageError


class Spelling:
    """A quick, deterministic encoder without meaning: it counts letters by position."""

    name, fingerprint = "spelling", "spelling-1"

    def __init__(self):
        self.n_encoded = 0

    def encode(self, sentences):
        self.n_encoded += len(sentences)
        rows = np.zeros((len(sentences), 40))
        for row, sentence in zip(rows, sentences, strict=True):
            for position, letter in enumerate(sentence):
                row[(ord(letter) * 7 + position) % 40] += 1
        return rows


@pytest.fixture
def encoder(tmp_path, monkeypatch):
    monkeypatch.setenv("WEATHERGLASS_CACHE_DIR", str(tmp_path))
    return Spelling()


def test_seat_of_single_words_on_averaged_vectors_is_weat(own_cache):
    (result,) = wg.seat(wg.open_encoder("cbow:default"), "weat7")
    by_word = wg.weat(wg.open_vectors("default"), "weat7")
    assert result.effect == pytest.approx(by_word.effect, rel=1e-6)
    assert result.p.count == by_word.p.count
    assert result.p_by_word.count == by_word.p.count
    assert result.source["fingerprint"] == wg.open_encoder("cbow:default").fingerprint


def test_p_by_word_is_the_test_on_the_mean_association_of_each_word(encoder):
    test = wg.test("sent-weat6")
    (result,) = wg.seat(encoder, test)
    means = {}
    for name in "XY":
        values = dict(zip(result.words[name], result.associations[name], strict=True))
        origins = dict(zip(test.sets[name].words, test.sets[name].origins, strict=True))
        groups = {}
        for sentence, value in values.items():
            groups.setdefault(origins[sentence], []).append(value)
        means[name] = [np.mean(group) for group in groups.values()]
    expected = wg.permutation_p(means["X"], means["Y"])
    assert result.p_by_word.count == expected.count
    assert result.p_by_word.partitions == math.comb(16, 8)
    assert result.n_words == {"X": 8, "Y": 8}
    assert result.n["X"] > 8


def test_a_second_run_of_seat_encodes_nothing_and_gives_the_same_results(encoder):
    tests = ["weat6", "sent-weat6", "sent-weat7"]
    first = wg.seat(encoder, tests)
    sets = [words for id in tests for words in wg.test(id).sets.values()]
    items = {item for words in sets for item in words.words}
    assert encoder.n_encoded == len(items)
    assert wg.seat(encoder, tests) == first
    assert encoder.n_encoded == len(items)


def test_the_method_of_the_paper_counts_few_partitions_and_samples_many(encoder):
    few, many = wg.seat(encoder, ["weat6", "sent-weat6"], method="paper")
    assert (few.p.method, many.p.method) == ("exact", "sample")
    assert few.options["method"] == many.options["method"] == "paper"
    assert many.p.value >= 1e-5


def test_a_word_test_turned_into_sentences_gives_the_published_sentence_test(encoder):
    test = to_sentences(wg.test("weat6"))
    (own,), (published,) = wg.seat(encoder, test), wg.seat(encoder, "sent-weat6")
    assert own.effect == pytest.approx(published.effect)


def test_words_that_an_encoder_does_not_know_are_missing(own_cache):
    test = wg.Test(x=["rose", "lily", "zzzzq"], y=["wasp", "gnat"], a=["kind"], b=["foul"])
    (result,) = wg.seat(wg.open_encoder("cbow:default"), test, max_missing=0.5)
    assert result.missing["X"] == ("zzzzq",)
    unknown = wg.Test(x=["zzq", "zzp"], y=["zzr", "zzs"], a=["zzt"], b=["zzu"])
    with pytest.raises(CannotMeasure, match="knows none"):
        wg.seat(wg.open_encoder("cbow:default"), unknown)


def test_seat_results_round_trip_through_json_and_tsv(encoder, tmp_path):
    results = wg.seat(encoder, ["weat6", "sent-weat6"]).correct()
    assert wg.Results.from_json(results.to_json()) == results
    assert wg.Results.from_delimited(results.to_delimited(record=True)) == results
    row = results.to_rows()[1]
    assert row["level"] == "sentence"
    assert row["p_by_word"] == results[1].p_by_word.value


def test_a_test_without_sentences_has_the_same_p_by_word():
    names = ["one a", "one b", "two a", "two b", "here", "there"]
    vectors = wg.Vectors.of(names, [[1, 0], [1, 0.1], [0, 1], [0.1, 1], [1, 0], [0, 1]])
    sets = {"x": names[:2], "y": names[2:4], "a": ["here"], "b": ["there"]}
    result = seat_test(vectors, wg.Test(**sets))
    assert result.p_by_word.count == result.p.count


def test_seat_refuses_no_tests_and_factual_tests(encoder):
    with pytest.raises(UsageError, match="no tests"):
        wg.seat(encoder, [])
    with pytest.raises(UsageError, match="wefat"):
        wg.seat(encoder, "wefat1")


def test_a_sentence_is_missing_if_the_encoder_does_not_know_its_word(own_cache):
    (result,) = wg.seat(wg.open_encoder("cbow:default"), "sent-weat1")
    assert "This is a gladiola." in result.missing["X"]
    assert result.n_words["X"] == 24


def test_the_method_of_the_paper_counts_only_words_that_are_used(own_cache):
    known = ["sun", "moon", "star", "sky", "rain", "snow", "wind", "cloud"]
    other = ["mud", "stone", "soil", "cave", "sand", "rock", "dust", "clay"]
    unknown = [f"zzq{i}" for i in range(4)]
    test = wg.Test(x=[*known, *unknown[:2]], y=[*other, *unknown[2:]], a=["light"], b=["dark"])
    (result,) = wg.seat("cbow:default", test, method="paper", max_missing=0.5)
    assert result.p.method == "exact"


def test_seat_refuses_an_object_that_is_no_encoder():
    for wrong in (None, 3, Spelling, wg.open_vectors("default"), object()):
        with pytest.raises(UsageError, match="is not an encoder"):
            wg.seat(wrong, "weat6")
    with pytest.raises(UsageError, match="no encoders"):
        wg.seat([], "weat6")
