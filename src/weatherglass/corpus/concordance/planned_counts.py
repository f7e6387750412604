"""How often words occur in every model of a comparison, counted before one is trained.

Bootstrap samples and permuted parts are drawn from fixed seeds, so that their counts are known
before their vectors are. A comparison uses only words that all models have: a word that is too rare
in a single permuted part is missing from all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from weatherglass.corpus.model_files import label_of
from weatherglass.corpus.permutation import divide, open_pool
from weatherglass.corpus.run_folder import Run, Settings
from weatherglass.corpus.token_ids import Integers, open_token_ids
from weatherglass.corpus.worker import count_draws, draw_documents, model_rng, permutation_rng
from weatherglass.errors import quote_safe


class LowestCount(NamedTuple):
    """The model in which a word is rarest: its count there, and where that is, in words."""

    times: int
    place: str


def lowest_counts(
    run: Run, settings: Settings, folders: Mapping[str, Path], words: Iterable[str]
) -> dict[str, LowestCount]:
    """Return for each word, spelled as in the texts, the lowest count in the planned models."""
    wanted = list(dict.fromkeys(words))
    lowest: dict[str, LowestCount] = {}

    def add(counts: Integers, place: str) -> None:
        for word, count in zip(wanted, counts.tolist(), strict=True):
            if word not in lowest or count < lowest[word].times:
                lowest[word] = LowestCount(count, place)

    for name, folder in folders.items():
        ids = open_token_ids(folder)
        table = _count_by_document(ids.tokens, ids.ends, ids.words, wanted)
        add(table.sum(axis=0), f"in {quote_safe(name)}")  # 0 if a word is too rare in the group
        for sample in range(run.record["bootstrap"]):
            if label_of(run.record["groups"][name]["folder"], sample) in run.record["models"]:
                drawn = draw_documents(len(table), model_rng(settings.seed, name, sample))
                add(count_draws(drawn, len(table)) @ table, f"in a sample of {quote_safe(name)}")
    pairs = {(p.first, p.second): p for p in run.permuted().values()}
    for first, second in pairs:
        pool = open_pool(folders[first].with_name("words.json"), folders[first], folders[second])
        tables = (
            _count_by_document(tokens, ends, pool.words, wanted)
            for tokens, ends in zip(pool.tokens, pool.ends, strict=True)
        )
        table = np.concatenate(list(tables))
        place = f"after documents of {quote_safe(first)} and {quote_safe(second)} were exchanged"
        for permuted in run.permuted().values():
            if (permuted.first, permuted.second) == (first, second) and permuted.side == 0:
                rng = permutation_rng(settings.seed, permuted)
                for part in divide(pool.sizes, rng, pool.numbers):
                    add(table[part].sum(axis=0), place)
    return lowest


def _count_by_document(
    tokens: NDArray[np.int32], ends: Integers, words: Sequence[str], wanted: Sequence[str]
) -> Integers:
    """Return how often each wanted word occurs in each document.

    >>> _count_by_document(np.array([0, 1, 1, 0]), np.array([3, 4]), ["sea", "sky"], ["sky", "emu"])
    array([[2, 0],
           [0, 0]])
    """
    columns = np.full(len(words), -1)
    position = {word: k for k, word in enumerate(wanted)}
    for k, word in enumerate(words):
        columns[k] = position.get(word, -1)
    column = columns[tokens]
    places = np.flatnonzero(column >= 0)
    document = np.searchsorted(ends, places, side="right")
    cells = np.bincount(document * len(wanted) + column[places], minlength=len(ends) * len(wanted))
    return cells.reshape(len(ends), len(wanted))
