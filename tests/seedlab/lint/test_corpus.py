"""Checks that need counts or tags: frequency and parts of speech."""

import importlib.util
import re
import statistics

import pytest

import weatherglass as wg
from weatherglass.catalog import SeedSet, seeds
from weatherglass.corpus import Corpus, Tokenizer
from weatherglass.errors import BadContent, MissingExtra, install_command
from weatherglass.seedlab.lint.frequency import (
    check_frequency,
    check_frequency_gap,
    check_unseen,
    count_words,
    find_frequencies,
)
from weatherglass.seedlab.lint.words import check_tags, check_tags_gap
from weatherglass.vectors import Vectors

TEXTS = ["Sun " * 90, "rain rain fog", "the wind " * 453 + "mist"]  # 1,000 words


@pytest.fixture
def counted():
    return count_words(Corpus.of(TEXTS, source="weather"))


def test_words_are_counted_as_they_are_cut(counted):
    assert (counted.tokens, counted.documents) == (1000, 3)
    assert [counted.of(word) for word in ("sun", "SUN", "fog", "snow")] == [90, 90, 1, 0]
    cased = count_words(Corpus.of(TEXTS), tokenizer=Tokenizer(lower=False))
    assert (cased.of("sun"), cased.of("Sun")) == (0, 90)


def test_frequency_in_a_corpus(counted):
    one = SeedSet(id="mine", words=["Sun", "rain", "fog", "snow"])
    told = find_frequencies(one.words, counted, None)
    assert told.per_million == {"Sun": 90_000, "rain": 2000, "fog": 1000}
    (frequency,) = check_frequency(one, told)
    assert frequency.value == 2000
    assert frequency.sentence == (
        "The median frequency of its words is 2,000 per million, from 1,000 ('fog') to 90,000 "
        "('Sun'), in weather; 1 not found."
    )
    (unseen,) = check_unseen(one, counted, 10)
    assert (unseen.words, unseen.value) == (("rain", "fog", "snow"), 0.75)
    assert "'rain' 2, 'fog' 1, 'snow' 0" in unseen.sentence
    (unseen,) = check_unseen(one, counted, 2)
    assert unseen.value == 0.5


def test_gap_between_sets(counted):
    one, other = SeedSet(id="one", words=["sun"]), SeedSet(id="other", words=["rain", "fog"])
    told = find_frequencies(["sun", "rain", "fog"], counted, None)
    (gap,) = check_frequency_gap(one, other, told)
    assert (gap.value, gap.severity) == (60, "warning")
    assert gap.sentence.startswith("The words of one are 60 times as frequent")
    (turned,) = check_frequency_gap(other, one, told)
    assert turned.value == 60
    assert turned.sentence.startswith("The words of one are 60 times as frequent")


def test_gap_within_pairs():
    """Words that answer each other, in a corpus where one pair is far apart."""
    times = {"rich": 8, "poor": 8, "richer": 4, "poorer": 2, "luxury": 1, "cheap": 90}
    corpus = Corpus.of([" ".join([word] * n) for word, n in times.items()])
    one, other = (seeds(f"{name}class-Kozlowski_et_al_2019") for name in ("upper", "lower"))
    told = find_frequencies(list(times), count_words(corpus), None)
    *_, pairs = check_frequency_gap(one, other, told)
    assert (pairs.check, pairs.value) == ("paired-frequency", 2)
    assert pairs.words == ("luxury", "cheap")
    assert "90 times" in pairs.sentence


def test_frequency_by_counts_by_rank_and_of_the_corpus_first(counted):
    rows = [[1, k] for k in range(8)]
    words = ["sun", *"abcdefg"]
    with_counts = Vectors.of(words, rows, counts=[50, 20, 10, 9, 5, 3, 2, 1])
    told = find_frequencies(["sun", "a", "no"], None, with_counts)
    assert told.per_million == {"sun": 500_000, "a": 200_000}
    assert told.by == "by the counts of memory"
    ranks = find_frequencies(["sun", "a"], None, Vectors.of(words, rows)).per_million
    assert ranks["sun"] == 2 * ranks["a"]
    same = find_frequencies(["sun", "a"], None, Vectors.of(words, rows, counts=[1] * 8))
    assert same.per_million == ranks
    assert find_frequencies(["sun"], counted, with_counts).by == "in weather"


def test_rank_is_near_to_the_truth_in_real_vectors():
    """Zipf's law against counts of other texts: half of the words are within three times."""
    pytest.importorskip("wordfreq", reason="needs the extra 'frequencies'")
    words = seeds("pleasant-Knoche_et_al_2019").words + seeds("unpleasant-Knoche_et_al_2019").words
    counted = find_frequencies(words, None, None).per_million
    ranked = find_frequencies(words, None, wg.open_vectors("default")).per_million
    ratios = [ranked[word] / counted[word] for word in ranked if word in counted]
    assert len(ratios) > 50
    assert 1 / 3 < statistics.median(ratios) < 3


def test_no_frequencies(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=re.escape(install_command("frequencies"))):
        find_frequencies(["sun"], None, None)
    part = Vectors.of(["sun", "fog"], [[1, 0], [0, 1]], counts=[3, 1]).subset(["sun"])
    with pytest.raises(MissingExtra):  # what is left out of the source is not known
        find_frequencies(["sun"], None, part)


def test_wordfreq():
    pytest.importorskip("wordfreq", reason="needs the extra 'frequencies'")
    told = find_frequencies(["the", "Grandmother", "old_man", "qqqzx"], None, None)
    assert told.by == "by wordfreq"
    assert told.per_million["the"] > 10_000 > told.per_million["Grandmother"] > 1
    assert told.per_million["old_man"] > 0
    assert "qqqzx" not in told.per_million


def test_lint_with_a_corpus(tmp_path):
    file = tmp_path / "novel.txt"
    file.write_text("she saw her sister and her daughter. " * 20 + "a girl")
    found = wg.lint("female_1-Caliskan_et_al_2017", corpus=file)
    by_check = {one.check: one for one in found.findings}
    assert by_check["unseen"].words == ("female", "woman", "girl", "hers")
    assert by_check["unseen"].severity == "warning"
    assert found.corpus["tokens"] == 142
    assert found.corpus["name"] == str(file)
    assert wg.Lint.from_json(found.to_json()) == found
    few = wg.lint("female_1-Caliskan_et_al_2017", corpus=file, min_count=1)
    assert {f.check: f.words for f in few.findings}["unseen"] == ("female", "woman", "hers")


def test_an_empty_corpus_is_refused(tmp_path):
    file = tmp_path / "novel.txt"
    file.write_text(" \n")
    with pytest.raises(BadContent, match="empty corpus"):
        wg.lint("female_1-Caliskan_et_al_2017", corpus=file)


def test_parts_of_speech_by_hand():
    tags = {"sun": "NOUN", "rain": "NOUN", "warm": "ADJ", "shine": "VERB", "cold": "ADJ"}
    one = SeedSet(id="one", words=["sun", "warm", "shine", "sun"])
    other = SeedSet(id="other", words=["rain", "cold"])
    (told,) = check_tags(one, tags)
    assert told.value == pytest.approx(1 / 3)
    assert told.sentence == (
        "Tagged one by one, its words are 33% adjectives, 33% nouns, 33% verbs."
    )
    (gap,) = check_tags_gap(one, other, tags)
    assert (round(gap.value, 3), gap.severity) == (0.333, "note")
    (gap,) = check_tags_gap(SeedSet(id="x", words=["sun"]), SeedSet(id="y", words=["warm"]), tags)
    assert (gap.value, gap.severity) == (1, "warning")


def test_names_are_proper_nouns_whatever_a_tagger_says():
    (told,) = check_tags(seeds("names_white-Garg_et_al_2018"), {"harris": "VERB"})
    assert told.sentence == "Tagged one by one, its words are 100% proper nouns."


def test_adjectives_against_nouns():
    if importlib.util.find_spec("HanTa") is None:
        pytest.skip("needs the extra 'pos'")
    found = wg.lint(["depressed_1-Caliskan_et_al_2017", "physically_ill-Caliskan_et_al_2017"])
    by_check = {one.check: one for one in found.findings}
    assert by_check["parts-of-speech-gap"].severity == "warning"
    assert by_check["parts-of-speech-gap"].value == pytest.approx(5 / 6)
