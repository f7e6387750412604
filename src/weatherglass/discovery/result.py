"""The result of a discovery: groups of names, categories of words, and the cells of both."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from weatherglass._version import __version__
from weatherglass.errors import BadContent, quote_safe
from weatherglass.measures import Result
from weatherglass.significance import PValue
from weatherglass.vectors import Control

from .cleaning import Cleaning

if TYPE_CHECKING:
    import pyarrow as pa

_METADATA = b"weatherglass"
MAX_LISTED_NAMES = 20  # of the names that were left out


@dataclass(frozen=True)
class Group:
    """A cluster of names: `shown` has a few that stand for it, `facts` the means of what is known
    of its names, each name counted once, or as often as people have it if names were weighted, and
    `people` how many people have one of its names, if the list states it."""

    id: str
    shown: tuple[str, ...]
    size: int
    names: tuple[str, ...]
    facts: dict[str, float] = field(default_factory=dict)
    people: float | None = None


@dataclass(frozen=True)
class Category:
    """A cluster of words, labelled with the most central of them."""

    id: str
    label: str
    size: int


@dataclass(frozen=True)
class Cell:
    """The words of a category that are most strongly associated with a group, and the p-value."""

    group: str
    category: str
    words: tuple[str, ...]
    score: float
    p: PValue
    significant: bool


@dataclass(frozen=True)
class Rotations:
    """The number of rotations requested and done, and the reason of an early stop."""

    asked: int
    done: int
    stopped: str = ""


@dataclass(frozen=True)
class Proxy:
    """Two words of a category whose difference is aligned with the difference of two groups.

    `cosine` is the cosine of the words' difference with the difference of the groups' centroids. In
    `carried` of the `of` other categories that are significant for both groups, the difference
    points the same way.
    """

    groups: tuple[str, str]
    category: str
    words: tuple[str, str]
    cosine: float
    carried: int
    of: int


@dataclass(frozen=True)
class Indirect:
    """Potential indirect bias (eq. 1 of the paper).

    `share` is the share of four-tuples of significant cells, in two groups and two categories,
    whose differences point the same way; None if there is no four-tuple. `by_chance` is the mean
    share after random rotations of the names, with the words of the same cells chosen anew. It is
    near 1, because the words are chosen along the same centroids.
    """

    tuples: int
    share: float | None
    strongest: tuple[Proxy, ...] = ()
    by_chance: float | None = None


@dataclass(frozen=True)
class Placebo:
    """The same search with random ordinary words in place of the names.

    Attributes
    ----------
    names
        The number of words drawn, as many as the names and as frequent.
    examples
        A word of each group.
    cells, significant
        The number of cells tested, and of those that are significant.
    threshold
        The largest p-value that is significant; 0 if none.
    rotations
        The number of rotations done.
    """

    names: int
    examples: tuple[str, ...]
    cells: int
    significant: int
    threshold: float
    rotations: int


@dataclass(frozen=True, kw_only=True, repr=False)
class Discovery(Result):
    """The result of a discovery.

    Attributes
    ----------
    groups, categories, cells
        The clusters, and a cell for each group and category with enough words.
    order
        The ids of the categories with a significant cell, by the total score of these, highest
        first: the paper's order of the tests.
    threshold
        The largest p-value that is significant at false discovery rate `alpha`; 0 if none.
    control
        The control of the vectors, and how well frequency is predicted before and after it.
    placebos
        The same search with random words in place of the names, if asked for: how many cells are
        significant where there are no names.
    columns
        What each fact of the groups is: its label, and its unit (``"share"``, ``"year"`` or "").
    names, words
        How many names and words were requested, missing, dropped and used.
    missing, dropped
        The out-of-vocabulary names, and those that cleaning dropped.
    cleaning
        How frequent each name is among people and in the vocabulary, and whether cleaning kept it;
        None if the list does not state how many people have a name.
    notes
        What the reader should know: fewer words than requested, unusable rows.
    source, options, version
        What is needed to repeat it.
    """

    measure: ClassVar[str] = "discovery"
    noun: ClassVar[str] = "discovery"
    chart: ClassVar[str] = "discovery"

    groups: tuple[Group, ...]
    categories: tuple[Category, ...]
    cells: tuple[Cell, ...]
    order: tuple[str, ...]
    alpha: float
    threshold: float
    control: Control
    rotations: Rotations
    indirect: Indirect
    placebos: tuple[Placebo, ...] = ()
    columns: dict[str, dict[str, str]] = field(default_factory=dict)
    names: dict[str, int] = field(default_factory=dict)
    words: dict[str, int] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    cleaning: Cleaning | None = None
    notes: tuple[str, ...] = ()
    source: dict[str, Any] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    version: str = __version__

    def __post_init__(self) -> None:
        known = {group.id for group in self.groups}
        known |= {category.id for category in self.categories}
        named = {name for cell in self.cells for name in (cell.group, cell.category)}
        if strange := (named | set(self.order)) - known:
            raise ValueError(f"{min(strange)!r} is no group or category of it")

    @property
    def reference(self) -> Discovery:
        """The discovery that groups and categories come from; see `Comparison.reference`."""
        return self

    @property
    def comparison(self) -> Comparison | None:
        """None: a discovery measures a single source."""
        return None

    @property
    def significant(self) -> tuple[Cell, ...]:
        """The significant cells, highest score first."""
        cells = [cell for cell in self.cells if cell.significant]
        return tuple(sorted(cells, key=lambda cell: -cell.score))

    def key_facts(self) -> dict[str, Any]:
        return {
            "source": self.source_name,
            "groups": len(self.groups),
            "categories": len(self.categories),
            "cells": len(self.cells),
            "significant": len(self.significant),
            **({"placebos": [p.significant for p in self.placebos]} if self.placebos else {}),
        }

    def sentence(self) -> str:
        pairs = "1 pair" if len(self.cells) == 1 else f"{len(self.cells):,} pairs"
        found = (
            f"{len(self.significant):,} of {pairs} of a group of names and a category of words are "
            "significant."
        )
        return f"{found} {self.placebo_sentence()}".rstrip()

    def placebo_sentence(self) -> str:
        """Return how many cells are significant without names; empty if that was not asked for."""
        if not self.placebos:
            return ""
        counts = [f"{p.significant:,} of {p.cells:,}" for p in self.placebos]
        *first, last = counts
        listed = f"{', '.join(first)} and {last}" if first else last
        return f"With random words in place of names, {listed} cells are significant."

    def unused_names(self) -> list[str]:
        """Return sentences that list the names left out, where they are few enough to be read."""
        reasons = {
            "Cleaned away, because their vectors are the least like those of names": self.dropped,
            "Not in the vocabulary": self.missing,
        }
        return [
            f"{reason}: {', '.join(map(quote_safe, names))}."
            for reason, names in reasons.items()
            if 0 < len(names) <= MAX_LISTED_NAMES
        ]

    def to_rows(self) -> list[dict[str, Any]]:
        """Return one flat row for each cell, with the label of its category."""
        labels = {category.id: category.label for category in self.categories}
        return [
            {
                "group": cell.group,
                "category": cell.category,
                "label": labels[cell.category],
                "words": list(cell.words),
                "score": cell.score,
                "p": cell.p.value,
                "p_low": cell.p.low,
                "p_high": cell.p.high,
                "significant": cell.significant,
            }
            for cell in self.cells
        ]

    def to_table(self) -> pa.Table:
        """Return the cells as a `pyarrow.Table`; its metadata holds everything else."""
        return super().to_table().replace_schema_metadata({_METADATA: self.to_json()})

    @classmethod
    def from_parquet(cls, path: str | Path) -> Discovery:
        """The discovery that `to_parquet` wrote."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            text = pq.read_schema(path).metadata[_METADATA]
        except (pa.ArrowException, OSError, ValueError, KeyError, TypeError) as error:
            raise BadContent(f"{path} is not a discovery in Parquet ({error}).") from None
        return cls.from_json(text)


@dataclass(frozen=True)
class Change:
    """One cell in two embeddings: it ``appears``, ``vanishes`` or ``stays``; `None` where it has
    too few words."""

    change: str
    before: Cell | None
    after: Cell | None

    def __post_init__(self) -> None:
        if self.before is None and self.after is None:
            raise ValueError("a change of no cell")

    @property
    def score(self) -> float:
        """The larger of its scores."""
        return max(cell.score for cell in (self.before, self.after) if cell is not None)


@dataclass(frozen=True, kw_only=True, repr=False)
class Comparison(Result):
    """The same names and words on two embeddings: groups and categories are those of `before`.

    Attributes
    ----------
    before, after
        The discovery on each.
    changes
        The cells that are significant in at least one of them, and how they changed.
    """

    measure: ClassVar[str] = "comparison"
    noun: ClassVar[str] = "comparison"
    chart: ClassVar[str] = "changes"

    before: Discovery
    after: Discovery
    changes: tuple[Change, ...]

    def of(self, change: str) -> tuple[Change, ...]:
        """The cells that appear, vanish or stay, the highest score first."""
        changes = [entry for entry in self.changes if entry.change == change]
        return tuple(sorted(changes, key=lambda entry: -entry.score))

    @property
    def reference(self) -> Discovery:
        """The discovery that groups and categories come from: `before`."""
        return self.before

    @property
    def comparison(self) -> Comparison | None:
        """The comparison itself."""
        return self

    @property
    def source_name(self) -> str:
        return f"{self.before.source_name} and {self.after.source_name}"

    @property
    def version(self) -> str:
        """The version that wrote the later discovery."""
        return self.after.version

    def key_facts(self) -> dict[str, Any]:
        counts = {kind: len(self.of(kind)) for kind in ("appears", "vanishes", "stays")}
        return {"before": self.before.source_name, "after": self.after.source_name, **counts}

    def sentence(self) -> str:
        appear, vanish, stay = (len(self.of(kind)) for kind in ("appears", "vanishes", "stays"))
        return (
            f"From {self.before.source_name} to {self.after.source_name}, {appear:,} significant "
            f"associations appear, {vanish:,} vanish and {stay:,} stay."
        )

    def to_rows(self) -> list[dict[str, Any]]:
        """Return one flat row for each change."""
        rows = []
        for change in self.changes:
            cell = change.before or change.after
            assert cell is not None
            rows.append(
                {
                    "change": change.change,
                    "group": cell.group,
                    "category": cell.category,
                    "before": list(change.before.words) if change.before else None,
                    "after": list(change.after.words) if change.after else None,
                    "p_before": change.before.p.value if change.before else None,
                    "p_after": change.after.p.value if change.after else None,
                }
            )
        return rows
