"""Co-occurrences are counted once; weighting documents equals repeating them."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from weatherglass.corpus.ppmi import count_pairs, open_pairs
from weatherglass.corpus.worker import count_draws, draw_documents, model_rng

TEXTS = st.lists(
    st.lists(st.sampled_from("abcdefg"), max_size=12).map(" ".join), min_size=1, max_size=8
).filter(any)
_quick = settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])


def count_by_brute_force(texts, window):
    """Return the counts of all pairs at most `window` apart."""
    counts = Counter()
    for text in texts:
        words = text.split()
        for p, first in enumerate(words):
            for second in words[p + 1 : p + 1 + window]:
                counts[tuple(sorted((first, second)))] += 1
    return counts


def count_with_kernels(corpus, folder, window, weights=None, **options):
    """Return the counts of pairs, checking that pairs are distinct and ordered."""
    folder.mkdir(exist_ok=True)
    count_pairs(corpus, window, folder, **options)
    pairs = open_pairs(folder)
    counts = pairs.counts(weights)
    rows = np.repeat(np.arange(len(pairs.rows)), np.diff(pairs.rows, prepend=0))
    by_words = {
        tuple(sorted((corpus.words[i], corpus.words[j]))): int(count)
        for i, j, count in zip(rows.tolist(), pairs.columns.tolist(), counts, strict=True)
        if count
    }
    assert (rows <= pairs.columns).all()
    assert len(set(zip(rows.tolist(), pairs.columns.tolist(), strict=True))) == len(rows)
    return by_words


@_quick
@given(texts=TEXTS, window=st.integers(1, 4), max_sorted=st.integers(1, 40))
def test_pair_counts_equal_brute_force_however_many_pairs_are_sorted_at_once(
    token_ids, tmp_path, texts, window, max_sorted
):
    corpus = token_ids(texts)
    expected = count_by_brute_force(texts, window)
    assert count_with_kernels(corpus, tmp_path / "whole", window) == expected
    assert count_with_kernels(corpus, tmp_path / "parts", window, max_sorted=max_sorted) == expected


@_quick
@given(texts=TEXTS, window=st.integers(1, 4), data=st.data())
def test_pair_counts_of_weighted_documents_equal_those_of_repeated_ones(
    token_ids, tmp_path, texts, window, data
):
    times = data.draw(st.lists(st.integers(0, 3), min_size=len(texts), max_size=len(texts)))
    repeated = [text for text, k in zip(texts, times, strict=True) for _ in range(k)]
    counts = count_with_kernels(token_ids(texts), tmp_path / "pairs", window, np.array(times))
    assert counts == count_by_brute_force(repeated, window)


def test_a_bootstrap_sample_is_documents_drawn_with_replacement(token_ids, tmp_path, weather):
    drawn = draw_documents(len(weather), model_rng(3, "", 7))
    assert len(drawn) == len(weather)
    assert len(set(drawn.tolist())) == pytest.approx(len(weather) * (1 - np.exp(-1)), rel=0.1)
    weights = count_draws(drawn, len(weather))
    counts = count_with_kernels(token_ids(weather), tmp_path / "pairs", 5, weights)
    assert counts == count_by_brute_force([weather[d] for d in drawn], 5)


def test_every_model_has_its_own_random_numbers():
    first_numbers = {
        tuple(model_rng(seed, group, sample).integers(10**6, size=2).tolist())
        for seed in (0, 1)
        for group in ("", "F", "M")
        for sample in (None, 0, 1, 2)
    }
    assert len(first_numbers) == 24
