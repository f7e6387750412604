"""Folders of `weatherglass train` as sources: the vectors of all documents, and their bootstraps.

A source of vectors that was trained here is the model of all documents, ``full.parquet``. It knows
the files of the models that were trained on bootstrap samples of the documents, so that every
measure can say how much a number depends on the choice of documents.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from weatherglass._files import (
    cache,
    combine_fingerprints,
    cpu_count,
    file_fingerprint,
    unseal,
)
from weatherglass.errors import BadContent, UsageError, did_you_mean, join_first, quote_safe

from .vectors import Vectors

TRAIN_RECORD = "train.json"
OPTION = "group"
_FULL, _SUFFIX = "full", ".parquet"
_MAX_LISTED = 20


@dataclass(frozen=True)
class TrainedGroup:
    """The files of the models of one group of a corpus, or of a whole corpus."""

    full: Path
    bootstraps: tuple[Path, ...]

    def attach(self, vectors: Vectors, source: str) -> Vectors:
        """Return the vectors of all documents under the name of the folder, with the bootstraps.

        The fingerprint covers the bootstraps, as they influence what measures return.
        """
        fingerprint, sample = vectors.fingerprint, vectors.sample
        if self.bootstraps:
            fingerprint = combine_fingerprints(
                [fingerprint, *(_fingerprint(path) for path in self.bootstraps)]
            )
        return replace(
            vectors,
            source=source,
            fingerprint=fingerprint,
            sample=None if sample is None else replace(sample, fingerprint=fingerprint),
            bootstraps=tuple(str(path.resolve()) for path in self.bootstraps),
        )


def find_trained(path: Path, options: Mapping[str, str]) -> TrainedGroup | None:
    """Return the models of a folder of `weatherglass train`, or of the subfolder of a group.

    Return None if the path is something else.

    Parameters
    ----------
    path
        The folder.
    options
        The options of the source; ``group`` names a group of the corpus.

    Raises
    ------
    UsageError
        The corpus was divided into groups and none was chosen, or there is no such group.
    BadContent
        The folder has no finished model, or its record is damaged.
    """
    if (path / TRAIN_RECORD).is_file():
        groups = _read_groups(path)
        return _list_models(path / _choose_group(path, groups, options.get(OPTION)))
    if (path / f"{_FULL}{_SUFFIX}").is_file() and (path.parent / TRAIN_RECORD).is_file():
        _read_groups(path.parent)
        return _list_models(path)
    return None


def _read_groups(folder: Path) -> dict[str, str]:
    """Return the subfolder of each group that was trained; "" if the corpus was not divided."""
    try:
        record: Any = unseal((folder / TRAIN_RECORD).read_text())
        groups = {
            str(name): str(about["folder"])
            for name, about in record["groups"].items()
            if "reason" not in about
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise BadContent(f"{folder / TRAIN_RECORD} cannot be read ({error}).") from None
    if any(Path(name).name != name for name in groups.values()):
        raise BadContent(f"{folder / TRAIN_RECORD} names folders outside its own.")
    return groups


def _choose_group(folder: Path, groups: Mapping[str, str], chosen: str | None) -> str:
    names = join_first(map(quote_safe, groups), _MAX_LISTED) or "none"
    if chosen is None and len(groups) == 1:
        return next(iter(groups.values()))
    if chosen is None:
        raise UsageError(
            f"{folder} has models of {len(groups):,} groups ({names}); choose one, as in "
            f"'{folder}?{OPTION}={next(iter(groups), 'NAME')}'."
        )
    if chosen not in groups:
        raise UsageError(
            f"{folder} has no group {quote_safe(chosen)}; the groups are {names}."
            + did_you_mean(chosen, groups)
        )
    return groups[chosen]


def _list_models(folder: Path) -> TrainedGroup:
    full = folder / f"{_FULL}{_SUFFIX}"
    if not full.is_file():
        raise BadContent(
            f"{folder} holds no finished model yet. Run `weatherglass train` on it again to "
            "resume the training."
        )
    return TrainedGroup(full, tuple(sorted(folder.glob(f"boot-*{_SUFFIX}"))))


def _fingerprint(path: Path) -> str:
    """Return the fingerprint of a file, from the cache if it has not changed."""
    fingerprint = cache.find_fingerprint([path])
    if fingerprint is None:
        state = cache.file_state([path])
        fingerprint = combine_fingerprints([file_fingerprint(path, cpu_count())])
        cache.save_fingerprint([path], fingerprint, state)
    return fingerprint
