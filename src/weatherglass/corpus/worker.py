"""The work of one process: count the pairs of a group, or train one model."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from weatherglass.errors import SourceNotFound

from .model_files import write_model
from .ppmi import count_pairs, open_pairs, ppmi_vectors
from .run_folder import Settings
from .token_ids import Integers, TokenIds, open_token_ids


def model_rng(seed: int, group: str, sample: int | None) -> Generator:
    """Return the random generator of a model.

    It depends on nothing else, so that a model is the same on any machine and with any workers.

    >>> first, second = model_rng(0, "novels", 3), model_rng(0, "novels", 3)
    >>> bool(first.integers(10**6) == second.integers(10**6))
    True
    """
    key = int.from_bytes(hashlib.blake2b(group.encode(), digest_size=8).digest(), "little")
    return np.random.default_rng([seed, key, 0 if sample is None else sample + 1])


def draw_documents(count: int, rng: Generator) -> NDArray[np.int64]:
    """Return the positions of the documents of a bootstrap sample, in the order drawn."""
    return rng.integers(count, size=count)


def count_draws(drawn: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """Return how many times each of `count` documents was drawn.

    >>> count_draws(np.array([2, 0, 2]), 4).tolist()
    [1, 0, 2, 0]
    """
    return np.bincount(drawn, minlength=count)


@dataclass(frozen=True)
class Job:
    """A model to train.

    Attributes
    ----------
    token_ids
        The folder with the token ids of the group.
    group, sample
        The group's name, and the number of the bootstrap sample, or None for all documents.
    path, key
        The file to write, and the key that identifies the model in it.
    """

    token_ids: Path
    group: str
    sample: int | None
    path: Path
    key: str
    settings: Settings


def count_group_pairs(job: tuple[Path, int]) -> None:
    """Count the pairs of a group inside a window, for the method ppmi-svd."""
    folder, window = job
    count_pairs(_open_shared(folder), window, folder)


def _open_shared(folder: Path) -> TokenIds:
    if not folder.is_dir():
        raise SourceNotFound(
            f"A worker of the cluster cannot see {folder}. Training on a cluster needs a folder "
            "that all its machines share."
        )
    return open_token_ids(folder)


def train_model(job: Job) -> None:
    """Train a model and write it."""
    from threadpoolctl import threadpool_limits

    corpus = _open_shared(job.token_ids)
    rng = model_rng(job.settings.seed, job.group, job.sample)
    if job.sample is None:
        order, weights = np.arange(len(corpus.ends)), None
        counts = np.asarray(corpus.counts)
    else:
        order = draw_documents(len(corpus.ends), rng)
        weights = count_draws(order, len(corpus.ends))
        counts = corpus.sample_counts(weights)
    is_frequent = counts >= job.settings.min_count
    # One thread: models are trained in parallel, and the sums are the same on any machine.
    with threadpool_limits(limits=1):
        table = _train_vectors(job, corpus, order, weights, counts, is_frequent, rng)
    nonzero = np.flatnonzero(np.any(table, axis=1))
    words = [corpus.words[i] for i in nonzero.tolist()]
    job.path.parent.mkdir(exist_ok=True)
    write_model(job.path, words, counts[nonzero], table[nonzero], job.key)


def _train_vectors(
    job: Job,
    corpus: TokenIds,
    order: Integers,
    weights: Integers | None,
    counts: Integers,
    is_frequent: np.ndarray[tuple[int], np.dtype[np.bool_]],
    rng: np.random.Generator,
) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    settings = job.settings
    if settings.method == "sgns":
        from .sgns import sgns_vectors

        return sgns_vectors(
            corpus,
            order,
            counts,
            is_frequent,
            dim=settings.dim,
            window=settings.window,
            epochs=settings.epochs,
            negative=settings.negative,
            sample=settings.sample,
            seed=int(rng.integers(2**31)),
        )
    pairs = open_pairs(job.token_ids)
    return ppmi_vectors(
        pairs,
        pairs.counts(weights),
        is_frequent,
        dim=settings.dim,
        smoothing=settings.smoothing,
        shift=settings.shift,
        power=settings.power,
        rng=rng,
    )


def estimate_memory(token_ids: Path, settings: Settings) -> int:
    """Return about how many bytes a worker needs for a model of a group."""
    words = (token_ids / "counts").stat().st_size // 8
    if settings.method == "sgns":
        return int(words * (8 * settings.dim + 200))
    pairs = (token_ids / "columns").stat().st_size // 4
    return int(40 * pairs + 32 * words * settings.dim)
