"""Small groups on a real corpus: level without a difference, and power with a planted one.

    python benchmarks/small_groups.py CORPUS --words women-home|women-family [--groups 7 20 49]
        [--cut 7000] [--splits 200] [--permutations 199] [--seed 0]

Documents are divided into two groups at random, which do not differ, so that p ≤ 0.05 should occur
in 5 % of splits. For the power, words for women and for men are exchanged, *she* for *he* and so
on, in half or all documents of one group. The shared space is trained once, on the corpus as it is;
with `--cut`, the groups have only so many words of each document. *Rare* is the share of the target
words that occur less than ten times in a group, which could not be trained on by itself.

`docs/methods/small_groups.md` has the tables for ELTeC and the State of the Union.
"""

from __future__ import annotations

import argparse
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from weatherglass.corpus import (
    Grouping,
    SharedSpace,
    Tokenizer,
    open_corpus,
    read_units,
    score_contexts,
    share_space,
)
from weatherglass.corpus.token_ids import TokenIds
from weatherglass.significance import Cells, LabelEffect, detectable_difference, label_effect

SETS = {
    "women-home": {
        "X": "she her woman women girl girls lady wife mother daughter sister",
        "Y": "he his man men boy boys gentleman husband father son brother",
        "A": "home house family children kitchen dinner marriage domestic",
        "B": "business office money work profession law trade company",
    },
    "women-family": {
        "X": "she her woman women girls wife mother mothers daughters",
        "Y": "he his man men boys husband father fathers sons",
        "A": "family families home homes children child parents marriage",
        "B": "work business wages labor employment workers industry office",
    },
}
ALPHA = 0.05
MIN_COUNT = 10
PLANTED = {"no difference": 0.0, "half of one group": 0.5, "all of one group": 1.0}
Floats = NDArray[np.float64]
Texts = list[NDArray[np.int32]]


class Corpus:
    """The contexts of target words in each document, as it is and with the sets exchanged."""

    def __init__(self, space: SharedSpace, sets: dict[str, list[int]], cut: int | None) -> None:
        starts = np.concatenate([[0], np.asarray(space.corpus.ends)[:-1]])
        ends = space.corpus.ends if cut is None else np.minimum(space.corpus.ends, starts + cut)
        texts = [
            np.asarray(space.corpus.tokens[start:end])
            for start, end in zip(starts.tolist(), ends.tolist(), strict=True)
        ]
        partner = np.arange(len(space.corpus.words), dtype=np.int32)
        partner[sets["X"]], partner[sets["Y"]] = sets["Y"], sets["X"]
        self.sizes = np.array([len(text) for text in texts])
        self.count_x = len(sets["X"])
        unit = space.rows / np.maximum(np.linalg.norm(space.rows, axis=1, keepdims=True), 1e-12)
        direction = unit[sets["A"]].mean(axis=0) - unit[sets["B"]].mean(axis=0)
        targets = [*sets["X"], *sets["Y"]]
        self.tables = [
            _table(space, chosen, targets, direction.astype(np.float64))
            for chosen in (texts, [partner[text] for text in texts])
        ]

    def test(
        self, documents: NDArray[np.intp], swapped: int, permutations: int, seed: list[int]
    ) -> LabelEffect:
        """Compare the first half of documents with the second; the first ones are planted."""
        is_swapped = (np.arange(len(documents)) < swapped)[:, np.newaxis]
        plain, exchanged = self.tables
        scores, contexts, _ = (
            np.where(is_swapped, other[documents], own[documents])
            for own, other in zip(plain, exchanged, strict=True)
        )
        parts = []
        for chosen in (slice(None, self.count_x), slice(self.count_x, None)):
            at, words = np.nonzero(contexts[:, chosen])
            weights = contexts[:, chosen][at, words]
            parts.append(Cells(at, words, weights, scores[:, chosen][at, words]))
        labels = np.repeat([1.0, 0.0], len(documents) // 2)
        return label_effect(
            (parts[0], parts[1]),
            labels,
            np.empty((len(labels), 0)),
            permutations=permutations,
            rng=np.random.default_rng(seed),
        )

    def rare(self, documents: NDArray[np.intp]) -> float:
        """Return the share of target words that occur less than ten times in documents."""
        occurrences = self.tables[0][2][documents].sum(axis=0)
        return float((occurrences < MIN_COUNT).mean())


def _table(
    space: SharedSpace, texts: Texts, targets: list[int], direction: Floats
) -> tuple[Floats, Floats, Floats]:
    """Return scores, contexts and occurrences as tables of documents and target words."""
    ends = np.cumsum([len(text) for text in texts])
    tokens = np.concatenate(texts).astype(np.int32)
    corpus = TokenIds(space.corpus.words, space.corpus.counts, tokens, ends)
    cells = score_contexts(replace(space, corpus=corpus), targets, direction)
    tables = []
    for values in (cells.scores, cells.contexts, cells.occurrences):
        table = np.zeros((len(texts), len(targets)))
        table[cells.documents, cells.words] = values
        tables.append(table)
    return tables[0], tables[1], tables[2]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("corpus")
    parser.add_argument("--words", choices=SETS, default="women-home")
    parser.add_argument("--groups", type=int, nargs="+", default=[7, 20, 49])
    parser.add_argument("--cut", type=int)
    parser.add_argument("--splits", type=int, default=200)
    parser.add_argument("--permutations", type=int, default=199)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        units = read_units(
            open_corpus(arguments.corpus),
            [],
            Grouping(),
            Path(folder),
            tokenizer=Tokenizer(),
            min_count=MIN_COUNT,
        )
        space = share_space(units.corpus, units.folder)
        at = {word: position for position, word in enumerate(units.corpus.words)}
        sets = {name: words.split() for name, words in SETS[arguments.words].items()}
        missing = [word for words in sets.values() for word in words if word not in at]
        if missing:
            parser.error(f"the corpus does not have {', '.join(missing)} ten times")
        numbers = {name: [at[word] for word in words] for name, words in sets.items()}
        corpus = Corpus(space, numbers, arguments.cut)
    print(f"{len(corpus.sizes)} documents, {corpus.sizes.sum():,} words; fit {space.fit:.2f}")
    for size in arguments.groups:
        _print_size(corpus, size, arguments)


def _print_size(corpus: Corpus, size: int, arguments: argparse.Namespace) -> None:
    """Print the rates of groups of so many documents."""
    results: dict[str, list[LabelEffect]] = {name: [] for name in PLANTED}
    words, rare = [], []
    for split in range(arguments.splits):
        seed = [arguments.seed, size, split]
        order = np.random.default_rng(seed).permutation(len(corpus.sizes))[: 2 * size]
        words.append(corpus.sizes[order[:size]].sum())
        rare.append(corpus.rare(order[:size]))
        for name, share in PLANTED.items():
            planted = round(share * size)
            results[name].append(corpus.test(order, planted, arguments.permutations, seed))
    print(
        f"{size} + {size} documents, {np.mean(words):,.0f} words a group; rare {np.mean(rare):.0%}"
    )
    null = np.std([result.difference for result in results["no difference"]])
    for name, effects in results.items():
        rejected = sum(result.p.value <= ALPHA for result in effects)
        mean = np.mean([result.difference for result in effects])
        detectable = np.mean([detectable_difference(result.se, ALPHA, 0.8) for result in effects])
        print(
            f"  {name:<18} p ≤ 0.05 in {rejected} of {len(effects)}; mean difference {mean:+.4f}, "
            f"{mean / null:+.1f} sd; detectable {detectable:.4f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
