"""What every result holds, whatever was measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from weatherglass._version import __version__
from weatherglass.vectors import Vectors

from .showing import Shown


@dataclass(frozen=True, kw_only=True)
class Record(Shown):
    """The part that all results share.

    Attributes
    ----------
    test, title
        The test's id and title.
    status
        ``"done"``, or ``"not run"`` with the `reason`; then there are no numbers.
    labels, n
        What each word set stands for, and how many of its words were used.
    words, missing
        The words used, as the source spells them, and the words that it does not have.
    merged
        Words that were left out because in lower case they are a word that was used.
    published
        What the catalogue says was printed for this test.
    source, options, version
        What is needed to repeat the measurement.
    """

    measure: ClassVar[str]

    test: str
    title: str
    status: str
    reason: str = ""
    labels: dict[str, str] = field(default_factory=dict)
    n: dict[str, int] = field(default_factory=dict)
    words: dict[str, tuple[str, ...]] = field(default_factory=dict)
    missing: dict[str, tuple[str, ...]] = field(default_factory=dict)
    merged: dict[str, tuple[str, ...]] = field(default_factory=dict)
    published: dict[str, Any] | None = None
    source: dict[str, Any] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    version: str = __version__

    def to_rows(self) -> list[dict[str, Any]]:
        """The result as one flat row."""
        from .results import Results

        return Results.of([self]).to_rows()


def described(
    test: Any,
    words: Mapping[str, Sequence[str]],
    missing: Mapping[str, Sequence[str]],
    source: dict[str, Any],
    options: dict[str, Any],
) -> dict[str, Any]:
    """The fields of a `Record` that are known before anything is measured."""
    printed = test.printed
    return {
        "test": test.id,
        "title": test.title,
        "labels": {name: one.label for name, one in test.sets.items()},
        "n": {name: len(some) for name, some in words.items()},
        "words": {name: tuple(some) for name, some in words.items()},
        "missing": {name: tuple(some) for name, some in missing.items()},
        "published": printed.model_dump(mode="json") if printed else None,
        "source": source,
        "options": options,
    }


def named(vectors: Vectors) -> dict[str, Any]:
    """What a record says about the vectors that were measured."""
    return {"name": vectors.source, "fingerprint": vectors.fingerprint, "dim": vectors.dim}
