"""The tables that ``weatherglass crowd import`` prints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .output import remarks, table

if TYPE_CHECKING:
    from weatherglass.crowd import Alpha, CellVotes, CrowdResult


def crowd_summary(result: CrowdResult) -> str:
    """Format the evaluation of a study: workers, cells, tables 4 and 1, and findings."""
    text = table(_screening_rows(result), f"Workers of study {result.study}")
    rows = [
        {
            "group": cell.group,
            "words": ", ".join(cell.words),
            "c": cell.choices,
            "agree": f"{cell.agreeing} of {cell.workers}",
            "most chosen": _most_chosen(cell),
            "p": "" if cell.p is None else str(cell.p),
            "rating": _rating(cell),
        }
        for cell in result.cells
    ]
    text += table(rows, "Cells: ✓ the most chosen group is that of the discovery")
    text += table([_table4(result)], "Table 4")
    if result.rated:
        top = [
            {"group": cell.group, "words": ", ".join(cell.words), "rating": _rating(cell)}
            for cell in result.table1()
        ]
        text += table(top, "Table 1: rated most offensive")
    return text + remarks(_findings(result))


def _screening_rows(result: CrowdResult) -> list[dict[str, Any]]:
    from weatherglass.crowd import REASONS

    rows = [("answered", len(result.workers))]
    rows += [(REASONS[reason], count) for reason, count in result.excluded().items()]
    rows.append(("counted", len(result.counted)))
    return [{"workers": what, "number": count} for what, count in rows]


def _most_chosen(cell: CellVotes) -> str:
    if not cell.workers:
        return ""
    if cell.agrees:
        return f"✓ {cell.group}"
    first = next(iter(cell.votes.values()))
    return ", ".join(group for group, count in cell.votes.items() if count == first)


def _rating(cell: CellVotes) -> str:
    if cell.rating is None:
        return ""
    interval = "" if cell.rating.low is None else f" ({cell.rating.low:.1f}–{cell.rating.high:.1f})"
    return f"{cell.rating.mean:.1f}{interval}"


def _table4(result: CrowdResult) -> dict[str, Any]:
    row = result.table4()
    accurate, offensive = row["accurate"], row["offensive"]
    return {
        "source": row["source"],
        "# significant": row["significant"],
        "% accurate": "" if accurate is None else f"{accurate:.0%}",
        "% offensive": "" if offensive is None else f"{offensive:.0%}",
    }


def _findings(result: CrowdResult) -> list[str]:
    from weatherglass.significance import equate_p

    lines = [result.sentence()]
    if result.p is not None:
        design = "each group once" if result.one_to_one else "groups as often as they like"
        lines.append(
            f"{result.hits:,} of {result.answers:,} answers agree with the discovery; "
            f"{equate_p(result.p.value)} against guessing, with workers who may use {design}."
        )
    above = sum(cell.is_above_guessing for cell in result.cells)
    lines.append(f"{above} cells are above guessing at a false discovery rate of 5%.")
    for what, alpha in (("matching", result.alpha), ("ratings", result.alpha_ratings)):
        if alpha is not None and alpha.value is not None:
            guessing = result.alpha_by_guessing if what == "matching" else None
            lines.append(f"Krippendorff's alpha of {what}: {_alpha(alpha, guessing)}.")
    if result.left_out:
        counts = ", ".join(f"{count} {reason}" for reason, count in result.left_out.items())
        lines.append(f"Not used: {counts}.")
    if result.rated:
        lines.append(
            f"Offensive: mean rating of {result.offensive:g} or more, among all matched cells; "
            f"{len(result.rated)} agreed cells were rated."
        )
    if without := len(result.rated_without_agreement):
        cells = "1 cell was" if without == 1 else f"{without} cells were"
        lines.append(
            f"{cells} rated, but these answers do not agree with the discovery there; the tables "
            "leave them out."
        )
    return lines


def _alpha(alpha: Alpha, by_guessing: float | None) -> str:
    interval = ""
    if alpha.low is not None and alpha.high is not None:
        interval = f" (95% interval over workers {alpha.low:.2f} to {alpha.high:.2f})"
    text = f"{alpha.value:.2f}{interval}, {alpha.level}, {alpha.workers} workers"
    return text if by_guessing is None else f"{text}; guessing would give {by_guessing:.2f}"


def worker_table(result: CrowdResult) -> str:
    """Format every worker with the checks and the reasons to leave the worker out."""
    from weatherglass.significance import format_p

    rows = [
        {
            "worker": worker.worker,
            "exam": "" if worker.exam is None else f"{worker.exam:.0%}",
            "checks": f"{worker.checks - worker.checks_failed} of {worker.checks}",
            "s per item": ""
            if worker.seconds_per_item is None
            else f"{worker.seconds_per_item:.1f}",
            "agree": f"{worker.hits} of {worker.matched}",
            "with majority": "" if worker.reasons else worker.with_majority,
            "p guessing": "" if worker.guessing_p is None else format_p(worker.guessing_p),
            "left out": worker.reason
            + (f" of {worker.copy_of}" if worker.reason == "copy" else ""),
            "remarks": "; ".join(worker.remarks),
        }
        for worker in result.workers
    ]
    return table(rows, "Workers")
