"""`SeatTable`: the results of May et al. (2019) as they published them, in nine columns."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Self

from weatherglass._files import delimited_text, read_text
from weatherglass._version import __version__
from weatherglass.errors import BadContent, CannotMeasure, quote_safe

from .result import Result
from .weat import WeatResult

PAPER_ALPHA = 0.01
"""The significance level of the paper (supplement, section D)."""

COLUMNS = (
    "model",
    "options",
    "test",
    "p_value",
    "effect_size",
    "num_targ1",
    "num_targ2",
    "num_attr1",
    "num_attr2",
)
"""The columns of ``results.tsv``, as the authors' program writes them (supplement, Table 1)."""

MAX_ROWS = 100_000


@dataclass(frozen=True, slots=True)
class SeatRow:
    """A row of ``results.tsv``: one model, with its options, in one test.

    Attributes
    ----------
    model, options
        The name of the model, and the options it was run with.
    test
        The name of the test.
    p_value
        The p-value over sentences, before correction.
    effect_size
        The effect size over sentences.
    num_targ1, num_targ2, num_attr1, num_attr2
        The number of words or sentences in each set.
    """

    model: str
    options: str
    test: str
    p_value: float
    effect_size: float
    num_targ1: int
    num_targ2: int
    num_attr1: int
    num_attr2: int

    @property
    def encoder(self) -> str:
        """The model with its options."""
        return f"{self.model}?{self.options}" if self.options else self.model


@dataclass(frozen=True, kw_only=True, repr=False)
class SeatTable(Result):
    """The rows of ``results.tsv``, over which the paper corrects.

    Attributes
    ----------
    rows
        A row for each model and test that was run.
    source, version
        The models, and what wrote the table.

    Notes
    -----
    The p-values and effects are the paper's: one-sided, each sentence counted. Findings of
    Weatherglass count each word once (`SeatResult`); this table is for comparison with the paper.

    Examples
    --------
    >>> import weatherglass as wg
    >>> table = wg.SeatTable.of(wg.seat("cbow:default", ["weat6", "sent-weat6"], method="paper"))
    >>> [row.test for row in table.rows], table.rejected(0.01)
    (['weat6', 'sent-weat6'], (True, True))
    >>> wg.SeatTable.from_tsv(table.to_tsv()).rows == table.rows
    True
    """

    measure: ClassVar[str] = "seat-table"
    noun: ClassVar[str] = "table of SEAT results"
    chart: ClassVar[str] = "seat table"

    rows: tuple[SeatRow, ...]
    source: dict[str, Any] = field(default_factory=dict)
    version: str = __version__

    @classmethod
    def of(cls, results: Iterable[WeatResult]) -> SeatTable:
        """Return the table of the tests that were run; results of `weatherglass.seat`."""
        rows = []
        for result in results:
            if not result.is_done or result.p is None or result.effect is None:
                continue
            model, _, options = result.source_name.partition("?")
            sizes = (result.n[name] for name in ("X", "Y", "A", "B"))
            rows.append(SeatRow(model, options, result.test, result.p.value, result.effect, *sizes))
        return cls._of_rows(rows)

    @classmethod
    def _of_rows(cls, rows: Sequence[SeatRow]) -> SeatTable:
        names = list(dict.fromkeys(row.encoder for row in rows))
        return cls(rows=tuple(rows), source={"name": ", ".join(names)})

    def __add__(self, other: SeatTable) -> SeatTable:
        """Return both tables as one, over which p-values are corrected."""
        return self._of_rows([*self.rows, *other.rows])

    @property
    def encoders(self) -> tuple[str, ...]:
        """The models with their options, each once."""
        return tuple(dict.fromkeys(row.encoder for row in self.rows))

    @property
    def tests(self) -> tuple[str, ...]:
        """The tests, each once."""
        return tuple(dict.fromkeys(row.test for row in self.rows))

    def rejected(self, alpha: float = PAPER_ALPHA) -> tuple[bool, ...]:
        """Return for each row whether it is significant after Holm's correction.

        Section D of the supplement: with n rows sorted by p-value, find the smallest rank k such
        that P(k) > α / (1 + n - k), and reject the hypotheses of the ranks below k.
        """
        n = len(self.rows)
        order = sorted(range(n), key=lambda position: self.rows[position].p_value)
        rejected = [False] * n
        for rank, position in enumerate(order, 1):
            if self.rows[position].p_value > alpha / (1 + n - rank):
                break
            rejected[position] = True
        return tuple(rejected)

    def key_facts(self) -> dict[str, Any]:
        return {
            "encoders": len(self.encoders),
            "tests": len(self.tests),
            "rows": len(self.rows),
            "significant": sum(self.rejected()),
        }

    def sentence(self) -> str:
        return (
            f"{sum(self.rejected())} of {len(self.rows)} results are significant at "
            f"{PAPER_ALPHA:g} after Holm's correction over all rows (one-sided, each sentence "
            "counted, as in the paper)."
        )

    def to_rows(self) -> list[dict[str, Any]]:
        """Return a row for each model and test, with the paper's columns."""
        return [{name: getattr(row, name) for name in COLUMNS} for row in self.rows]

    def to_tsv(self) -> str:
        """Return the nine columns as the authors' ``results.tsv`` has them.

        Numbers are written so that `from_tsv` reads the same ones.
        """
        cells = [
            [repr(c) if isinstance(c, float) else c for c in row.values()] for row in self.to_rows()
        ]
        return delimited_text([list(COLUMNS), *cells], "\t", raw_cells=True)

    @classmethod
    def from_tsv(cls, text: str) -> Self:
        """Return the table that `to_tsv`, or the authors' program, wrote.

        Raises
        ------
        BadContent
            A column is missing, or a row has a number that cannot be.
        """
        rows = csv.reader(io.StringIO(text, newline=""), delimiter="\t")
        try:
            heads = next(rows, [])
            missing = [name for name in COLUMNS if name not in heads]
            if missing:
                listed = ", ".join(missing)
                raise BadContent(f"This is no results.tsv: it has no column {listed}.")
            if len(set(heads)) < len(heads):
                raise BadContent("This is no results.tsv: a column occurs twice.")
            parsed: list[SeatRow] = []
            for number, cells in enumerate(rows, 2):
                if not cells:
                    continue
                if len(parsed) == MAX_ROWS:
                    raise BadContent(f"A results.tsv may have {MAX_ROWS:,} rows.")
                parsed.append(_parse_row(heads, cells, number))
        except csv.Error as error:
            raise BadContent(f"This is no results.tsv ({error}).") from None
        if not parsed:
            raise CannotMeasure("The results.tsv has no rows.")
        return cls._of_rows(parsed)  # type: ignore[return-value]

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """Return the table of a file."""
        try:
            return cls.from_tsv(read_text(Path(path)))
        except BadContent as error:
            raise BadContent(f"{path}: {error}") from None


def _parse_row(heads: Sequence[str], cells: Sequence[str], number: int) -> SeatRow:
    """Return a row; a `BadContent` names the line and what is wrong in it."""
    if len(cells) != len(heads):
        raise BadContent(
            f"Line {number} has {len(cells)} cells, but there are {len(heads)} columns."
        )
    row = dict(zip(heads, cells, strict=True))
    try:
        p, effect = float(row["p_value"]), float(row["effect_size"])
        sizes = [int(row[name]) for name in COLUMNS[5:]]
    except ValueError:
        raise BadContent(f"Line {number} has a cell that is no number.") from None
    if not 0 <= p <= 1:
        raise BadContent(
            f"Line {number}: the p-value {quote_safe(row['p_value'])} is not in [0, 1]."
        )
    if not math.isfinite(effect):
        raise BadContent(f"Line {number}: {quote_safe(row['effect_size'])} is no effect size.")
    if min(sizes) < 0:
        raise BadContent(f"Line {number}: a set has a negative number of items.")
    return SeatRow(row["model"], row["options"], row["test"], p, effect, *sizes)
