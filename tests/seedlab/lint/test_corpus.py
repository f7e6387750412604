"""Checks that need counts or tags: frequencies and parts of speech."""

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
def counts():
    return count_words(Corpus.of(TEXTS, source="weather"))


def test_words_are_counted_as_the_tokenizer_splits_them(counts):
    assert (counts.tokens, counts.documents) == (1000, 3)
    assert [counts.of(word) for word in ("sun", "SUN", "fog", "snow")] == [90, 90, 1, 0]
    cased = count_words(Corpus.of(TEXTS), tokenizer=Tokenizer(lower=False))
    assert (cased.of("sun"), cased.of("Sun")) == (0, 90)


def test_frequencies_and_unseen_words_come_from_the_corpus(counts):
    seed_set = SeedSet(id="mine", words=["Sun", "rain", "fog", "snow"])
    frequencies = find_frequencies(seed_set.words, counts, None)
    assert frequencies.per_million == {"Sun": 90_000, "rain": 2000, "fog": 1000}
    (frequency,) = check_frequency(seed_set, frequencies)
    assert frequency.value == 2000
    assert frequency.sentence == (
        "The median frequency of its words is 2,000 per million, from 1,000 ('fog') to 90,000 "
        "('Sun'), in weather; 1 not found."
    )
    (unseen,) = check_unseen(seed_set, counts, 10)
    assert (unseen.words, unseen.value) == (("rain", "fog", "snow"), 0.75)
    assert "'rain' 2, 'fog' 1, 'snow' 0" in unseen.sentence
    (unseen,) = check_unseen(seed_set, counts, 2)
    assert unseen.value == 0.5


def test_the_frequency_gap_of_two_sets_does_not_depend_on_their_order(counts):
    first, second = SeedSet(id="one", words=["sun"]), SeedSet(id="other", words=["rain", "fog"])
    frequencies = find_frequencies(["sun", "rain", "fog"], counts, None)
    (gap,) = check_frequency_gap(first, second, frequencies)
    assert (gap.value, gap.severity) == (60, "warning")
    assert gap.sentence.startswith("The words of one are 60 times as frequent")
    (turned,) = check_frequency_gap(second, first, frequencies)
    assert turned.value == 60
    assert turned.sentence.startswith("The words of one are 60 times as frequent")


def test_the_frequency_gap_within_pairs_names_the_worst_pair():
    """In this corpus the words of one pair differ much in frequency."""
    times = {"rich": 8, "poor": 8, "richer": 4, "poorer": 2, "luxury": 1, "cheap": 90}
    corpus = Corpus.of([" ".join([word] * n) for word, n in times.items()])
    first, second = (seeds(f"{name}class-Kozlowski_et_al_2019") for name in ("upper", "lower"))
    frequencies = find_frequencies(list(times), count_words(corpus), None)
    *_, pairs = check_frequency_gap(first, second, frequencies)
    assert (pairs.check, pairs.value) == ("paired-frequency", 2)
    assert pairs.words == ("luxury", "cheap")
    assert "90 times" in pairs.sentence


def test_frequencies_come_from_the_corpus_then_from_counts_then_from_ranks(counts):
    rows = [[1, k] for k in range(8)]
    words = ["sun", *"abcdefg"]
    with_counts = Vectors.of(words, rows, counts=[50, 20, 10, 9, 5, 3, 2, 1])
    frequencies = find_frequencies(["sun", "a", "no"], None, with_counts)
    assert frequencies.per_million == {"sun": 500_000, "a": 200_000}
    assert frequencies.by == "by the counts of memory"
    ranks = find_frequencies(["sun", "a"], None, Vectors.of(words, rows)).per_million
    assert ranks["sun"] == 2 * ranks["a"]
    same = find_frequencies(["sun", "a"], None, Vectors.of(words, rows, counts=[1] * 8))
    assert same.per_million == ranks
    assert find_frequencies(["sun"], counts, with_counts).by == "in weather"


def test_frequencies_by_rank_are_close_to_wordfreq_in_real_vectors():
    """Zipf's law against counts in other texts: the median ratio is within a factor of three."""
    pytest.importorskip("wordfreq", reason="needs the extra 'frequencies'")
    words = seeds("pleasant-Knoche_et_al_2019").words + seeds("unpleasant-Knoche_et_al_2019").words
    measured = find_frequencies(words, None, None).per_million
    estimated = find_frequencies(words, None, wg.open_vectors("default")).per_million
    ratios = [estimated[word] / measured[word] for word in estimated if word in measured]
    assert len(ratios) > 50
    assert 1 / 3 < statistics.median(ratios) < 3


def test_without_any_source_of_frequencies_the_missing_extra_is_named(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=re.escape(install_command("frequencies"))):
        find_frequencies(["sun"], None, None)
    part = Vectors.of(["sun", "fog"], [[1, 0], [0, 1]], counts=[3, 1]).subset(["sun"])
    with pytest.raises(MissingExtra):  # the frequencies of a part of a source are unknown
        find_frequencies(["sun"], None, part)


def test_wordfreq_knows_words_in_any_case_and_phrases():
    pytest.importorskip("wordfreq", reason="needs the extra 'frequencies'")
    frequencies = find_frequencies(["the", "Grandmother", "old_man", "qqqzx"], None, None)
    assert frequencies.by == "by wordfreq"
    assert frequencies.per_million["the"] > 10_000 > frequencies.per_million["Grandmother"] > 1
    assert frequencies.per_million["old_man"] > 0
    assert "qqqzx" not in frequencies.per_million


def test_lint_lists_the_words_that_a_corpus_lacks(tmp_path):
    file = tmp_path / "novel.txt"
    file.write_text("she saw her sister and her daughter. " * 20 + "a girl")
    report = wg.lint("female_1-Caliskan_et_al_2017", corpus=file)
    by_check = {finding.check: finding for finding in report.findings}
    assert by_check["unseen"].words == ("female", "woman", "girl", "hers")
    assert by_check["unseen"].severity == "warning"
    assert report.corpus["tokens"] == 142
    assert report.corpus["name"] == str(file)
    assert wg.Lint.from_json(report.to_json()) == report
    lenient = wg.lint("female_1-Caliskan_et_al_2017", corpus=file, min_count=1)
    assert {f.check: f.words for f in lenient.findings}["unseen"] == ("female", "woman", "hers")


def test_lint_refuses_an_empty_corpus(tmp_path):
    file = tmp_path / "novel.txt"
    file.write_text(" \n")
    with pytest.raises(BadContent, match="empty corpus"):
        wg.lint("female_1-Caliskan_et_al_2017", corpus=file)


def test_shares_of_parts_of_speech_and_their_gap_are_those_worked_by_hand():
    tags = {"sun": "NOUN", "rain": "NOUN", "warm": "ADJ", "shine": "VERB", "cold": "ADJ"}
    first = SeedSet(id="one", words=["sun", "warm", "shine", "sun"])
    second = SeedSet(id="other", words=["rain", "cold"])
    (finding,) = check_tags(first, tags)
    assert finding.value == pytest.approx(1 / 3)
    assert finding.sentence == (
        "Tagged one by one, its words are 33% adjectives, 33% nouns, 33% verbs."
    )
    (gap,) = check_tags_gap(first, second, tags)
    assert (round(gap.value, 3), gap.severity) == (0.333, "note")
    (gap,) = check_tags_gap(SeedSet(id="x", words=["sun"]), SeedSet(id="y", words=["warm"]), tags)
    assert (gap.value, gap.severity) == (1, "warning")


def test_names_count_as_proper_nouns_whatever_the_tagger_says():
    (finding,) = check_tags(seeds("names_white-Garg_et_al_2018"), {"harris": "VERB"})
    assert finding.sentence == "Tagged one by one, its words are 100% proper nouns."


def test_adjectives_against_nouns_get_a_warning():
    if importlib.util.find_spec("HanTa") is None:
        pytest.skip("needs the extra 'pos'")
    report = wg.lint(["depressed_1-Caliskan_et_al_2017", "physically_ill-Caliskan_et_al_2017"])
    by_check = {finding.check: finding for finding in report.findings}
    assert by_check["parts-of-speech-gap"].severity == "warning"
    assert by_check["parts-of-speech-gap"].value == pytest.approx(5 / 6)
