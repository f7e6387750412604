"""Permuted dates: all documents are dealt out again, and a model is trained on each part.

A trend over ordered groups is tested with these models; see `weatherglass.trajectory`. A hundred
permutations of a dozen decades are more than a thousand models, so that of each model only the
words that are measured are kept: all models of one permutation are one small file.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from weatherglass._files import atomic_write
from weatherglass.errors import BadContent, CannotMeasure, join_first
from weatherglass.tasks import Workers, as_completed, physical_memory
from weatherglass.vectors import Vectors

from .concordance import WordCheck, WordCounter, check_tests, in_group
from .model_files import SUFFIX
from .permutation import FOLDER as PERMUTED
from .permutation import divide, open_pool
from .run_folder import Settings
from .schedule import Progress
from .worker import date_rng, estimate_permuted_memory, require_shared, train_documents

FOLDER = f"{PERMUTED}/dates"  # no folder of two groups: these have a plus sign in their names
_MAX_REASONS = 3
_KEY, _WORDS = b"weatherglass.model", b"weatherglass.words"


@dataclass(frozen=True)
class PermutedDates:
    """Which permuted models to train.

    Attributes
    ----------
    number
        How often the dates of all documents are exchanged at random.
    words
        The words to keep of each model.
    """

    number: int
    words: frozenset[str]

    @classmethod
    def of(cls, number: int, words: Iterable[str]) -> PermutedDates:
        """Return the request for so many permutations, in which these words are measured."""
        return cls(number, frozenset(words))

    def missing(self, folder: Path, key: str) -> list[int]:
        """Return the numbers of the permutations that are not trained yet."""
        return [k for k in range(self.number) if not _has_words(_path(folder, k), key, self.words)]


@dataclass(frozen=True)
class PeriodCheck(WordCheck):
    """The check before the periods of a trend are trained: some test needs enough of them."""

    min_periods: int = 3

    def run(self, counter: WordCounter, groups: Sequence[str], min_count: int) -> list[str]:
        """Return no notes, as a trajectory says itself which periods it leaves out.

        Raises
        ------
        CannotMeasure
            No test has its words in enough periods.
        """
        checks = check_tests(counter, self.tests, groups, min_count, self.max_missing)
        for test in self.tests:
            usable = [check for check in checks if check.test == test.id and not check.reason]
            if len(usable) >= self.min_periods:
                return []
        if not self.tests or len(groups) < self.min_periods:  # too few periods, whatever the words
            return []
        lacking = [f"{check.test}{in_group(check.group)}: {check.reason}" for check in checks]
        named = [reason for reason, check in zip(lacking, checks, strict=True) if check.reason]
        raise CannotMeasure(
            f"Nothing was trained. No test has its words in {self.min_periods} periods; "
            f"{join_first(named, _MAX_REASONS, '; ')}. `weatherglass corpus words` counts them all."
        )


@dataclass(frozen=True)
class DatesJob:
    """A permutation whose models are to be trained.

    Attributes
    ----------
    words, folders
        The file of all words, and the folders with the raw tokens of the groups.
    groups
        The names of the groups.
    number
        The number of the permutation.
    keep
        The words to keep.
    path, key
        The file to write, and the key that identifies the run in it.
    """

    words: Path
    folders: tuple[Path, ...]
    groups: tuple[str, ...]
    number: int
    keep: frozenset[str]
    path: Path
    key: str
    settings: Settings


def dates_key(settings: Settings, fingerprint: str, groups: Iterable[str]) -> str:
    """Return a key that identifies the permutations of these groups of a corpus."""
    return settings.key(fingerprint, FOLDER, sorted(groups))


def train_dates(
    requested: PermutedDates,
    folder: Path,
    key: str,
    folders: Mapping[str, Path],
    settings: Settings,
    team: Workers,
    max_parallel: int | None,
    progress: Progress | None,
) -> None:
    """Train the models of permuted dates that are left.

    `folder` is that of the run, and `folders` are those with the tokens of each group.
    """
    numbers = requested.missing(folder, key)
    if not numbers:
        return
    # In the order in which the groups occur in the corpus: other dates must not change the parts.
    groups = sorted(folders, key=lambda name: int(folders[name].name))
    places = tuple(folders[name].resolve() for name in groups)
    jobs = []
    for number in numbers:
        path = _path(folder, number)
        keep = requested.words | _stored_words(path, key)
        jobs.append(
            DatesJob(
                places[0].with_name("words.json"),
                places,
                tuple(groups),
                number,
                keep,
                path.resolve(),
                key,
                settings,
            )
        )
    if max_parallel is not None:
        needed = max(estimate_permuted_memory((place,), settings) for place in places)
        max_parallel = min(max_parallel, physical_memory() // 2 // max(1, needed))
    done = requested.number - len(jobs)
    for _ in as_completed(train_permutation, jobs, team, at_once=max_parallel):
        done += 1
        if progress is not None:
            progress("training on permuted dates", done, requested.number)


def train_permutation(job: DatesJob) -> None:
    """Train the models of one permutation and write their words."""
    from threadpoolctl import threadpool_limits

    for folder in job.folders:
        require_shared(folder)
    pool = open_pool(job.words, *job.folders)
    seed = job.settings.seed
    parts = divide(pool.sizes, date_rng(seed, job.number), pool.numbers)
    models: dict[str, Vectors] = {}
    for group, part in zip(job.groups, parts, strict=True):
        try:
            corpus = pool.part(part, job.settings.min_count)
        except CannotMeasure:  # no word is frequent enough in this part
            continue
        rng = date_rng(seed, job.number, len(models))
        with threadpool_limits(limits=1):
            table = train_documents(corpus, job.settings, rng, job.words.parent)
        rows = [
            row for row, word in enumerate(corpus.words) if word in job.keep and np.any(table[row])
        ]
        if rows:
            models[group] = Vectors.of([corpus.words[row] for row in rows], table[rows])
    _write(job.path, job.key, models, job.keep, job.settings.dim)


def open_dates(
    folder: str | Path, number: int, groups: Iterable[str]
) -> list[dict[str, Vectors | None]]:
    """Open the models of permuted dates: for each permutation the model of each group.

    A model is None if its part has none of the words.

    Parameters
    ----------
    folder
        A folder of `train`.
    number
        How many permutations to open, from the first one on.
    groups
        The names of the groups.
    """
    names = list(groups)
    return [_read(_path(Path(folder), k), names) for k in range(number)]


def _path(folder: Path, number: int) -> Path:
    return folder / FOLDER / f"{number:03}{SUFFIX}"


def _write(
    path: Path, key: str, models: Mapping[str, Vectors], words: Iterable[str], dim: int
) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = [vectors.matrix.astype(np.float32) for vectors in models.values()]
    flat = np.concatenate([np.empty((0, dim), np.float32), *rows]).ravel()
    columns = {
        "group": pa.array([name for name in models for _ in range(len(models[name]))], pa.string()),
        "word": pa.array([word for model in models.values() for word in model.words], pa.string()),
        "vector": pa.FixedSizeListArray.from_arrays(pa.array(flat), dim),
    }
    metadata = {_KEY: key, _WORDS: json.dumps(sorted(words))}
    table = pa.table(columns).replace_schema_metadata(metadata)
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(path) as temporary:
        pq.write_table(table, temporary, compression="zstd", write_page_checksum=True)


def _read(path: Path, groups: list[str]) -> dict[str, Vectors | None]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(path, page_checksum_verification=True)
        names: Any = np.array(table["group"].to_pylist(), dtype=object)
        words = table["word"].to_pylist()
        rows = table["vector"].combine_chunks().flatten().to_numpy(zero_copy_only=False)
    except (pa.ArrowException, OSError, ValueError, KeyError) as error:
        raise BadContent(f"{path} cannot be read ({error}).") from None
    rows = rows.reshape(len(words), -1) if words else rows
    models: dict[str, Vectors | None] = {}
    for group in groups:
        at = np.flatnonzero(names == group).tolist()
        models[group] = Vectors.of([words[k] for k in at], rows[at]) if at else None
    return models


def _stored_words(path: Path, key: str) -> frozenset[str]:
    """Return the words that a permutation of this run was trained for; none if it is another's."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        metadata = pq.read_schema(path).metadata or {}
        if metadata.get(_KEY) != key.encode():
            return frozenset()
        return frozenset(json.loads(metadata[_WORDS]))
    except (pa.ArrowException, OSError, ValueError, KeyError):
        return frozenset()


def _has_words(path: Path, key: str, words: frozenset[str]) -> bool:
    return path.exists() and words <= _stored_words(path, key) and bool(_stored_words(path, key))
