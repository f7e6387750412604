"""`repeat_audit`: run an audit again, and compare every number."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from weatherglass.catalog import Suite
from weatherglass.encoders import as_source
from weatherglass.errors import CannotMeasure, SourceNotFound, UsageError, quote_safe
from weatherglass.measures import Source as AnySource
from weatherglass.report import AuditResult
from weatherglass.vectors import is_row

from .audit import audit
from .changes import Change, find_changes, is_rounding_only
from .run import Progress
from .run_folder import open_audit


@dataclass(frozen=True)
class Repetition:
    """What came out when an audit was repeated.

    Attributes
    ----------
    changes
        Every number that differs from the audit.
    results, sources
        How many results and sources were compared.
    not_done
        Steps that were not done in the audit, so that they cannot be compared.
    """

    changes: tuple[Change, ...]
    results: int
    sources: int
    not_done: int

    @property
    def is_same(self) -> bool:
        """Whether all numbers are the same, but for the last digits."""
        return not self.changes or is_rounding_only(self.changes)


def repeat_audit(
    folder: str | PathLike[str],
    sources: AnySource | Mapping[str, AnySource] | None = None,
    *,
    workers: int | None = None,
    cluster: str | None = None,
    progress: Progress | None = None,
) -> Repetition:
    """Run an audit again with the same options, and compare every number.

    Nothing is written to its folder, and no sentence is read from the cache.

    Parameters
    ----------
    folder
        The folder of the audit.
    sources
        The objects in memory that were audited, if there were any: the object itself, or a mapping
        from the names in the audit. Their content must be the same, by its fingerprint.
    workers, cluster, progress
        As for `audit`.

    Raises
    ------
    UsageError
        An object in memory was audited and is not given.
    CannotMeasure
        It has another content than the one that was audited.

    Examples
    --------
    >>> import tempfile
    >>> import weatherglass as wg
    >>> words = wg.test("weat6").sets
    >>> vectors = wg.open_vectors("default")
    >>> rows = {word: vectors.take([word.lower()]).rows[0]
    ...         for words in wg.test("weat6").sets.values() for word in words.words}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = wg.audit(rows, out=folder, suite="quick")
    ...     wg.repeat_audit(folder, rows).is_same
    True
    """
    before = open_audit(folder)
    about = before.about
    entries = _entries(before, Path(folder), sources)
    with tempfile.TemporaryDirectory() as scratch:
        try:
            # Measured anew: kept encodings would only show that the cache is the same.
            after = audit(
                entries,
                out=Path(scratch, "again"),
                suite=Suite.model_validate(about["suite"]),
                rng=about["options"]["rng"],
                cache=False,
                workers=workers,
                cluster=cluster,
                progress=progress,
            )
        except SourceNotFound as error:
            raise SourceNotFound(
                f"{error} Paths are relative to the folder in which the audit was run."
            ) from None
    changes = find_changes(before, after)
    not_done = sum(step["status"] != "done" for step in about["steps"])
    if not_done:  # numbers that are only in the repetition cannot be compared
        changes = tuple(change for change in changes if change.before is not None)
    return Repetition(tuple(changes), len(before.results), len(entries), not_done)


def _entries(before: AuditResult, folder: Path, given: Any) -> list[dict[str, Any]]:
    """Return the sources of an audit with their names and facts, as `audit` takes them."""
    records = before.about["sources"]
    objects = _name_objects(
        [source["name"] for source in records if source.get("memory")], folder, given
    )
    entries = []
    for source in records:
        name = source["name"]
        opens: Any = source.get("opens", name)
        if source.get("memory"):
            opens = as_source(objects[name], name=name)
            if opens.fingerprint != source["fingerprint"]:
                raise CannotMeasure(
                    f"{quote_safe(name)} is not the object that was audited: its fingerprint is "
                    f"{opens.fingerprint}, not {source['fingerprint']}."
                )
        entries.append({"source": opens, "name": name} | source.get("facts", {}))
    return entries


def _name_objects(names: list[str], folder: Path, given: Any) -> Mapping[str, Any]:
    """Return the objects in memory by the names that the audit gave them."""
    if not names:
        if given is not None:
            raise UsageError("The audit is of named sources, which are opened by their names.")
        return {}
    if given is not None and len(names) == 1 and not _is_named(given, names):
        return {names[0]: given}
    missing = [name for name in names if not _is_named(given, [name])]
    if missing:
        is_several = len(missing) > 1
        listed = ", ".join(map(quote_safe, missing))
        raise UsageError(
            f"{listed} {'were objects' if is_several else 'was an object'} in memory: repeat the "
            f"audit in Python, with weatherglass.repeat_audit({str(folder)!r}, "
            f"{'{NAME: OBJECT, …}' if is_several else 'OBJECT'})."
        )
    named: Mapping[str, Any] = given
    return named


def _is_named(given: Any, names: list[str]) -> bool:
    """Return whether a mapping has the objects of these names, and is not itself the object."""
    return isinstance(given, Mapping) and all(
        name in given and not is_row(given[name]) for name in names
    )
