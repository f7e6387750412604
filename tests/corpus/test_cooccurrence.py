"""Pairs: counted once, and weighed to exactly what the repeated documents would give."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from weatherglass.corpus.cooccurrence import count_pairs, open_pairs
from weatherglass.corpus.worker import draw, stream, times_drawn

TEXTS = st.lists(
    st.lists(st.sampled_from("abcdefg"), max_size=12).map(" ".join), min_size=1, max_size=8
).filter(any)
_quick = settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])


def brute(texts, window):
    """All pairs at most `window` apart, by looking."""
    found = Counter()
    for text in texts:
        words = text.split()
        for p, first in enumerate(words):
            for second in words[p + 1 : p + 1 + window]:
                found[tuple(sorted((first, second)))] += 1
    return found


def counted(corpus, folder, window, weights=None, **options):
    folder.mkdir(exist_ok=True)
    count_pairs(corpus, window, folder, **options)
    pairs = open_pairs(folder)
    counts = pairs.counts(weights)
    rows = np.repeat(np.arange(len(pairs.rows)), np.diff(pairs.rows, prepend=0))
    found = {
        tuple(sorted((corpus.words[i], corpus.words[j]))): int(count)
        for i, j, count in zip(rows.tolist(), pairs.columns.tolist(), counts, strict=True)
        if count
    }
    assert (rows <= pairs.columns).all()
    assert len(set(zip(rows.tolist(), pairs.columns.tolist(), strict=True))) == len(rows)
    return found


@_quick
@given(texts=TEXTS, window=st.integers(1, 4), part=st.integers(1, 40))
def test_pairs_are_those_that_one_sees_however_many_are_sorted_at_once(
    number, tmp_path, texts, window, part
):
    corpus = number(texts)
    expected = brute(texts, window)
    assert counted(corpus, tmp_path / "whole", window) == expected
    assert counted(corpus, tmp_path / "parts", window, part=part) == expected


@_quick
@given(texts=TEXTS, window=st.integers(1, 4), data=st.data())
def test_weighing_documents_is_the_same_as_repeating_them(number, tmp_path, texts, window, data):
    times = data.draw(st.lists(st.integers(0, 3), min_size=len(texts), max_size=len(texts)))
    repeated = [text for text, k in zip(texts, times, strict=True) for _ in range(k)]
    found = counted(number(texts), tmp_path / "pairs", window, np.array(times))
    assert found == brute(repeated, window)


def test_a_bootstrap_sample_is_documents_drawn_with_replacement(number, tmp_path, weather):
    drawn = draw(len(weather), stream(3, "", 7))
    assert len(drawn) == len(weather)
    assert len(set(drawn.tolist())) == pytest.approx(len(weather) * (1 - np.exp(-1)), rel=0.1)
    weights = times_drawn(drawn, len(weather))
    found = counted(number(weather), tmp_path / "pairs", 5, weights)
    assert found == brute([weather[d] for d in drawn], 5)


def test_every_model_has_random_numbers_of_its_own():
    first = {
        tuple(stream(seed, group, sample).integers(10**6, size=2).tolist())
        for seed in (0, 1)
        for group in ("", "F", "M")
        for sample in (None, 0, 1, 2)
    }
    assert len(first) == 24
