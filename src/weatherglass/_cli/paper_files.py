"""The files of ``weatherglass seat`` in the form of May et al. (2019): results.tsv and Figure 1."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .output import Output, remarks, table, write_whole

if TYPE_CHECKING:
    from weatherglass.measures import SeatTable


@dataclass(frozen=True)
class PaperFiles:
    """The values of ``--results-tsv``, ``--add-results``, ``--matrix`` and ``--alpha``."""

    results_tsv: Path | None
    added: tuple[Path, ...]
    matrix: Path | None
    alpha: float

    def write(self, results: Iterable[Any]) -> None:
        """Write the files that were asked for, from results and the rows of other files."""
        if self.results_tsv is None and self.matrix is None:
            return
        from weatherglass.measures import SeatTable

        self._write(sum(self._read(), SeatTable.of(results)))

    def write_alone(self, output: Output) -> None:
        """Write the rows of other files without measuring anything."""
        tables = self._read()
        if not tables:
            raise click.UsageError("Missing argument 'ENCODER...', or --add-results.")
        joined = sum(tables[1:], tables[0])
        if output.format == "json":
            output.write(joined.to_json() + "\n")
        elif output.format == "table":
            output.write(self._text(joined))
        else:
            output.write_rows(joined.to_rows())
        self._write(joined)

    def _read(self) -> list[SeatTable]:
        from weatherglass.measures import SeatTable

        return [SeatTable.read(path) for path in self.added]

    def _write(self, joined: SeatTable) -> None:
        if self.results_tsv is not None:
            write_whole(self.results_tsv, joined.to_tsv())
        if self.matrix is not None:
            from weatherglass.report import plot, save_plot

            save_plot(plot(joined, alpha=self.alpha), self.matrix)

    def _text(self, joined: SeatTable) -> str:
        from weatherglass.significance import format_p

        rows = [
            {
                "encoder": row.encoder,
                "test": row.test,
                "effect sentences": f"{row.effect_size:.2f}",
                "p sentences": format_p(row.p_value) + (" *" if is_rejected else ""),
                "targets": f"{row.num_targ1}+{row.num_targ2}",
            }
            for row, is_rejected in zip(joined.rows, joined.rejected(self.alpha), strict=True)
        ]
        title = f"Results as in the paper (* p ≤ {self.alpha:g} after Holm's correction)"
        return table(rows, title) + remarks([joined.sentence()])
