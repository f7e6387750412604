"""`CrowdResult`: what people made of a discovery, with the paper's tables 1 and 4."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from weatherglass._version import __version__
from weatherglass.measures import Result
from weatherglass.significance import PValue

from .guessing import alpha_by_guessing
from .krippendorff import Alpha
from .screening import REASONS, Worker

LEVEL = 0.05
"""A cell is above guessing if its corrected p-value is at most this."""


@dataclass(frozen=True)
class Rating:
    """The mean rating of a cell with its 95 % interval over raters."""

    mean: float
    low: float | None
    high: float | None
    raters: int
    is_offensive: bool


@dataclass(frozen=True)
class CellVotes:
    """A cell of the discovery, and the groups that people matched its words to.

    Attributes
    ----------
    item, task
        The item and the matching task of the study.
    group, category, words
        The cell of the discovery.
    choices
        The number of groups to choose from (c).
    votes
        From group to the number of workers who chose it; most chosen first.
    workers, agreeing
        How many workers answered, and how many chose the group of the discovery.
    agrees
        Whether the group of the discovery alone was chosen most often. A tie does not agree.
    p, p_corrected
        The exact p-value against guessing, and corrected over all cells (Benjamini-Hochberg).
    by_guessing
        The chance that guessing makes the cell agree.
    rating
        The mean rating of the cell; None if it was not rated.
    """

    item: str
    task: str
    group: str
    category: str
    words: tuple[str, ...]
    choices: int
    votes: dict[str, int]
    workers: int
    agreeing: int
    agrees: bool
    p: PValue | None
    p_corrected: float | None
    by_guessing: float
    rating: Rating | None = None

    @property
    def is_above_guessing(self) -> bool:
        """Whether more workers agree than guessing explains."""
        return self.p_corrected is not None and self.p_corrected <= LEVEL


@dataclass(frozen=True, kw_only=True, repr=False)
class CrowdResult(Result):
    """The evaluation of a discovery by people.

    Attributes
    ----------
    study
        The id of the study.
    significant
        The number of significant cells of the whole discovery.
    tests
        The number of categories that were matched.
    cells
        The cells that were matched, with the votes and ratings.
    workers
        Every worker, with the checks and the reason if the answers do not count.
    hits, answers, p
        How many answers of all counted workers agree with the discovery, of how many, and the exact
        p-value against guessing in every answer.
    alpha, alpha_ratings
        Krippendorff's α of the matching tasks (nominal) and of the ratings (ordinal).
    left_out
        Submissions that were not used: duplicates, wrong codes, other studies, unknown answers.
    one_to_one, offensive
        The design, and the mean rating from which a cell is offensive.
    notes
        What the reader should know.
    source, version
        What was searched, and with which version it was evaluated.
    """

    measure: ClassVar[str] = "crowd"
    noun: ClassVar[str] = "crowd evaluation"
    chart: ClassVar[str] = "crowd"

    study: str
    significant: int
    tests: int
    cells: tuple[CellVotes, ...]
    workers: tuple[Worker, ...]
    hits: int
    answers: int
    p: PValue | None
    alpha: Alpha | None
    alpha_ratings: Alpha | None
    left_out: dict[str, int] = field(default_factory=dict)
    one_to_one: bool = False
    offensive: float = 4.0
    notes: tuple[str, ...] = ()
    source: dict[str, Any] = field(default_factory=dict)
    version: str = __version__

    @property
    def counted(self) -> tuple[Worker, ...]:
        """The workers whose answers count."""
        return tuple(worker for worker in self.workers if not worker.reason)

    @property
    def answered(self) -> tuple[CellVotes, ...]:
        """The cells that at least one counted worker answered."""
        return tuple(cell for cell in self.cells if cell.workers)

    @property
    def agreed(self) -> tuple[CellVotes, ...]:
        """The cells for which the most chosen group is that of the discovery."""
        return tuple(cell for cell in self.cells if cell.agrees)

    @property
    def rated(self) -> tuple[CellVotes, ...]:
        """The agreed cells with ratings, the most offensive first."""
        cells = [(cell.rating.mean, cell) for cell in self.agreed if cell.rating is not None]
        return tuple(cell for _, cell in sorted(cells, key=lambda pair: (-pair[0], pair[1].item)))

    @property
    def rated_without_agreement(self) -> tuple[CellVotes, ...]:
        """The cells with ratings on which these workers do not agree; the tables leave them out."""
        return tuple(cell for cell in self.cells if cell.rating is not None and not cell.agrees)

    @property
    def alpha_by_guessing(self) -> float | None:
        """About which α of the matching tasks guessing would give; None without two answers.

        It is above 0, because a task offers only some of the groups.
        """
        groups: dict[str, list[str]] = {}
        for cell in self.cells:
            groups.setdefault(cell.task, []).append(cell.group)
        return alpha_by_guessing(
            [cell.workers for cell in self.cells], [groups[cell.task] for cell in self.cells]
        )

    @property
    def accurate_share(self) -> float | None:
        """The share of the answered cells that agree: the paper's accuracy."""
        return len(self.agreed) / len(self.answered) if self.answered else None

    @property
    def accurate_by_guessing(self) -> float | None:
        """The expected share of agreed cells if all workers guessed."""
        if not self.answered:
            return None
        return sum(cell.by_guessing for cell in self.answered) / len(self.answered)

    @property
    def offensive_share(self) -> float | None:
        """The share of the answered cells that are rated offensive; None without ratings.

        It has the denominator of `accurate_share`. Cells that do not agree count as not offensive,
        also if they were rated, because earlier answers agreed.
        """
        if not self.rated:
            return None
        offensive = [cell for cell in self.rated if cell.rating and cell.rating.is_offensive]
        return len(offensive) / len(self.answered)

    def excluded(self) -> dict[str, int]:
        """Return how many workers do not count, by reason; each has the first that applies."""
        counts = {reason: sum(w.reason == reason for w in self.workers) for reason in REASONS}
        return {reason: count for reason, count in counts.items() if count}

    def table4(self) -> dict[str, Any]:
        """Return the row of the paper's Table 4: significant, % accurate, % offensive."""
        return {
            "source": self.source_name,
            "significant": self.significant,
            "accurate": self.accurate_share,
            "offensive": self.offensive_share,
        }

    def table1(self, columns: int = 3) -> list[CellVotes]:
        """Return the cells of the paper's Table 1: rated most offensive, one for each group."""
        first: dict[str, CellVotes] = {}
        for cell in self.rated:
            first.setdefault(cell.group, cell)
        return list(first.values())[:columns]

    def key_facts(self) -> dict[str, Any]:
        return {
            "source": self.source_name,
            "workers": len(self.counted),
            "cells": len(self.answered),
            "agreed": len(self.agreed),
            "rated": len(self.rated),
            "p": None if self.p is None else self.p.value,
            "alpha": None if self.alpha is None else self.alpha.value,
        }

    def sentence(self) -> str:
        if self.accurate_share is None or self.accurate_by_guessing is None:
            return "No matching answers count."
        cells = "1 cell" if len(self.answered) == 1 else f"{len(self.answered)} cells"
        text = (
            f"For {len(self.agreed)} of {cells} ({self.accurate_share:.0%}) people most often "
            "chose the group of the discovery; guessing would give "
            f"{self.accurate_by_guessing:.0%}."
        )
        if self.offensive_share is not None:
            offensive = round(self.offensive_share * len(self.answered))
            text += f" {offensive} ({self.offensive_share:.0%}) are rated as offensive."
        return text

    def to_rows(self) -> list[dict[str, Any]]:
        """Return one flat row for each cell."""
        return [
            {
                "group": cell.group,
                "category": cell.category,
                "words": list(cell.words),
                "choices": cell.choices,
                "workers": cell.workers,
                "agreeing": cell.agreeing,
                "agrees": cell.agrees,
                "most_chosen": next(iter(cell.votes), None),
                "p": None if cell.p is None else cell.p.value,
                "p_corrected": cell.p_corrected,
                "rating": None if cell.rating is None else cell.rating.mean,
                "rating_low": None if cell.rating is None else cell.rating.low,
                "rating_high": None if cell.rating is None else cell.rating.high,
                "raters": None if cell.rating is None else cell.rating.raters,
                "offensive": None if cell.rating is None else cell.rating.is_offensive,
            }
            for cell in self.cells
        ]
