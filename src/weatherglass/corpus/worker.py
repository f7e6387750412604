"""The work of one process: count the pairs of a group, or train one model."""

from __future__ import annotations

import hashlib
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from weatherglass.errors import SourceNotFound

from .model_files import write_model
from .permutation import Permuted, divide, open_pool
from .ppmi import MAX_SORTED, Pairs, count_pairs, open_pairs, ppmi_vectors
from .run_folder import Settings
from .token_ids import Integers, TokenIds, open_token_ids

Table = NDArray[np.float32]


def model_rng(seed: int, group: str, sample: int | None) -> Generator:
    """Return the random generator of a model.

    It depends on nothing else, so that a model is the same on any machine and with any workers.

    >>> first, second = model_rng(0, "novels", 3), model_rng(0, "novels", 3)
    >>> bool(first.integers(10**6) == second.integers(10**6))
    True
    """
    return np.random.default_rng([seed, _hash(group), 0 if sample is None else sample + 1])


def permutation_rng(seed: int, permuted: Permuted, side: int | None = None) -> Generator:
    """Return the random generator of a division of documents, or of the model of one of its parts.

    >>> first, second = (Permuted("F", "M", 3, side) for side in (0, 1))
    >>> one, other = permutation_rng(0, first), permutation_rng(0, second)
    >>> bool(one.integers(10**6) == other.integers(10**6))
    True
    """
    key = _hash(f"{permuted.first}\0{permuted.second}")
    return np.random.default_rng([seed, key, permuted.number + 1, 0 if side is None else side + 1])


def date_rng(seed: int, number: int, part: int | None = None) -> Generator:
    """Return the random generator of a permutation of dates, or of the model of one of its parts.

    >>> bool(date_rng(0, 3).integers(10**6) == date_rng(0, 3).integers(10**6))
    True
    """
    key = [_hash("dates"), number + 1, 0 if part is None else part + 1]
    return np.random.default_rng([seed, *key])


def _hash(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")


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
    require_shared(folder)
    return open_token_ids(folder)


def require_shared(folder: Path) -> None:
    """Refuse a folder that this worker cannot see."""
    if not folder.is_dir():
        raise SourceNotFound(
            f"A worker of the cluster cannot see {folder}. Training on a cluster needs a folder "
            "that all its machines share."
        )


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
        pairs = open_pairs(job.token_ids) if job.settings.method == "ppmi-svd" else None
        table = _train_vectors(
            job.settings, corpus, pairs, order, weights, counts, is_frequent, rng
        )
    _write_rows(job.path, job.key, corpus, counts, table)


@dataclass(frozen=True)
class PermutedJob:
    """A model of a part of two groups whose documents were exchanged.

    Attributes
    ----------
    words, folders
        The file of all words, and the folders with the raw tokens of both groups.
    permuted
        The groups, and which part of which division of their documents.
    path, key
        As in `Job`.
    """

    words: Path
    folders: tuple[Path, Path]
    permuted: Permuted
    path: Path
    key: str
    settings: Settings


def train_permuted(job: PermutedJob) -> None:
    """Train the model of a part and write it."""
    from threadpoolctl import threadpool_limits

    for folder in job.folders:
        require_shared(folder)
    pool = open_pool(job.words, *job.folders)
    parts = divide(pool.sizes, permutation_rng(job.settings.seed, job.permuted), pool.numbers)
    corpus = pool.part(parts[job.permuted.side], job.settings.min_count)
    rng = permutation_rng(job.settings.seed, job.permuted, job.permuted.side)
    with threadpool_limits(limits=1):
        table = train_documents(corpus, job.settings, rng, job.words.parent)
    _write_rows(job.path, job.key, corpus, corpus.counts, table)


def train_documents(corpus: TokenIds, settings: Settings, rng: Generator, folder: Path) -> Table:
    """Return a row for each word of a corpus; `folder` is for temporary files."""
    is_frequent = np.ones(len(corpus.words), dtype=np.bool_)
    common = (np.arange(len(corpus.ends)), None, corpus.counts, is_frequent, rng)
    if settings.method == "sgns":
        return _train_vectors(settings, corpus, None, *common)
    with tempfile.TemporaryDirectory(dir=folder, prefix="pairs-") as temporary:
        count_pairs(corpus, settings.window, Path(temporary))
        return _train_vectors(settings, corpus, open_pairs(Path(temporary)), *common)


def _write_rows(path: Path, key: str, corpus: TokenIds, counts: Integers, table: Table) -> None:
    nonzero = np.flatnonzero(np.any(table, axis=1))
    words = [corpus.words[i] for i in nonzero.tolist()]
    path.parent.mkdir(parents=True, exist_ok=True)
    write_model(path, words, counts[nonzero], table[nonzero], key)


def _train_vectors(
    settings: Settings,
    corpus: TokenIds,
    pairs: Pairs | None,
    order: Integers,
    weights: Integers | None,
    counts: Integers,
    is_frequent: NDArray[np.bool_],
    rng: Generator,
) -> Table:
    if pairs is None:
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


def estimate_permuted_memory(folders: tuple[Path, ...], settings: Settings) -> int:
    """Return about how many bytes a worker needs for a model of a part of pooled groups."""
    words = max((folder / "counts").stat().st_size // 8 for folder in folders)
    tokens = sum((folder / "raw").stat().st_size // 4 for folder in folders)
    memory = int(8 * tokens + words * (32 * settings.dim + 200))  # a part is held in memory
    if settings.method == "ppmi-svd":
        # Of all co-occurrences, about one in seven is a new pair in novels; see `estimate_memory`.
        memory += 40 * settings.window * tokens // 7
        memory += 24 * min(MAX_SORTED, settings.window * tokens)  # while pairs are counted
    return memory
