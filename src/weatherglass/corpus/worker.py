"""What a worker does, in a process of its own: count the pairs of a group, or train one model."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from weatherglass.errors import SourceNotFound

from .cooccurrence import count_pairs, open_pairs
from .model_files import write_model
from .run_folder import Settings
from .token_ids import Integers, Numbered, open_numbered


def stream(seed: int, group: str, sample: int | None) -> Generator:
    """Random numbers for one model: the same on any machine, whatever is trained beside it.

    >>> bool(stream(0, "novels", 3).integers(10**6) == stream(0, "novels", 3).integers(10**6))
    True
    """
    key = int.from_bytes(hashlib.blake2b(group.encode(), digest_size=8).digest(), "little")
    return np.random.default_rng([seed, key, 0 if sample is None else sample + 1])


def draw(documents: int, rng: Generator) -> NDArray[np.int64]:
    """The positions of the documents of a sample, in the order in which they were drawn."""
    return rng.integers(documents, size=documents)


def times_drawn(drawn: NDArray[np.int64], documents: int) -> NDArray[np.int64]:
    """How many times each document was drawn.

    >>> times_drawn(np.array([2, 0, 2]), 4).tolist()
    [1, 0, 2, 0]
    """
    return np.bincount(drawn, minlength=documents)


@dataclass(frozen=True)
class Job:
    """One model to train.

    Attributes
    ----------
    numbers
        The folder with the group's documents as numbers.
    group, sample
        The group's name and the number of the bootstrap sample, or None for all documents.
    path, key
        The file to write, and what tells it from others.
    """

    numbers: Path
    group: str
    sample: int | None
    path: Path
    key: str
    settings: Settings


def count(job: tuple[Path, int]) -> None:
    """Count the pairs of a group inside a window, for the method ppmi-svd."""
    numbers, window = job
    count_pairs(_opened(numbers), window, numbers)


def _opened(numbers: Path) -> Numbered:
    if not numbers.is_dir():
        raise SourceNotFound(
            f"A worker of the cluster does not see {numbers}. Training on a cluster needs a folder "
            "that all its machines share."
        )
    return open_numbered(numbers)


def train_model(job: Job) -> None:
    """Train one model and write it. The result does not depend on who else is at work."""
    from threadpoolctl import threadpool_limits

    corpus = _opened(job.numbers)
    rng = stream(job.settings.seed, job.group, job.sample)
    if job.sample is None:
        order, weights = np.arange(len(corpus.ends)), None
        counts = np.asarray(corpus.counts)
    else:
        order = draw(len(corpus.ends), rng)
        weights = times_drawn(order, len(corpus.ends))
        counts = corpus.sample_counts(weights)
    kept = counts >= job.settings.min_count
    with threadpool_limits(limits=1):
        table = _vectors(job, corpus, order, weights, counts, kept, rng)
    there = np.flatnonzero(np.any(table, axis=1))
    words = [corpus.words[i] for i in there.tolist()]
    job.path.parent.mkdir(exist_ok=True)
    write_model(job.path, words, counts[there], table[there], job.key)


def _vectors(
    job: Job,
    corpus: Numbered,
    order: Integers,
    weights: Integers | None,
    counts: Integers,
    kept: np.ndarray[tuple[int], np.dtype[np.bool_]],
    rng: np.random.Generator,
) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    said = job.settings
    if said.method == "sgns":
        from .sgns import sgns_vectors

        return sgns_vectors(
            corpus,
            order,
            counts,
            kept,
            dim=said.dim,
            window=said.window,
            epochs=said.epochs,
            negative=said.negative,
            sample=said.sample,
            seed=int(rng.integers(2**31)),
        )
    from .ppmi import ppmi_vectors

    pairs = open_pairs(job.numbers)
    return ppmi_vectors(
        pairs,
        pairs.counts(weights),
        kept,
        dim=said.dim,
        smoothing=said.smoothing,
        shift=said.shift,
        power=said.power,
        rng=rng,
    )


def memory(numbers: Path, settings: Settings) -> int:
    """About how many bytes a worker needs for a model of a group."""
    words = (numbers / "counts").stat().st_size // 8
    if settings.method == "sgns":
        return int(words * (8 * settings.dim + 200))
    pairs = (numbers / "columns").stat().st_size // 4
    return int(40 * pairs + 32 * words * settings.dim)
