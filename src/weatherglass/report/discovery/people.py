"""What people make of a discovery, on its page: tables 4 and 1, and marks in cells."""

from __future__ import annotations

from collections.abc import Callable

from markupsafe import Markup

from weatherglass.crowd import REASONS, CellVotes, CrowdResult
from weatherglass.discovery import Cell
from weatherglass.significance import equate_p

from ..html import table, word_list
from ..templating import render_template

MARKS_GUIDE = (
    "✓ marks cells for which the group that people chose most often is that of the "
    "discovery, with how many of them chose it. Bold counts are above guessing at a false "
    "discovery rate of 5%. Cells without a count were not shown to people."
)


def people_section(crowd: CrowdResult | None) -> list[Markup]:
    """The section on an evaluation by people; none without one."""
    if crowd is None or crowd.accurate_share is None:
        return []
    heads = ("Group", "Words", "Rating (95 % interval)")
    rows = [
        (cell.group, word_list(cell.words), _format_rating(cell))
        for cell in (crowd.table1() if crowd.rated else ())
    ]
    return [
        render_template(
            "discovery/people.html",
            sentence=crowd.sentence(),
            figures=_figures(crowd),
            workers=_describe_workers(crowd),
            rated=table("Rated most offensive", heads, rows, numbers=(2,)) if rows else "",
        )
    ]


def _figures(crowd: CrowdResult) -> list[tuple[str, str]]:
    row = crowd.table4()
    figures = [
        (f"{row['significant']:,}", "significant cells"),
        (f"{row['accurate']:.0%}", f"of {len(crowd.answered)} matched cells accurate"),
    ]
    if row["offensive"] is not None:
        figures.append((f"{row['offensive']:.0%}", "rated as offensive"))
    if crowd.alpha is not None and crowd.alpha.value is not None:
        what = "Krippendorff's alpha of the matching"
        if crowd.alpha_by_guessing is not None:
            what += f"; guessing would give {crowd.alpha_by_guessing:.2f}"
        figures.append((f"{crowd.alpha.value:.2f}", what))
    return figures


def _describe_workers(crowd: CrowdResult) -> str:
    excluded = [f"{count} {REASONS[reason]}" for reason, count in crowd.excluded().items()]
    text = f"{len(crowd.counted)} of {len(crowd.workers)} workers count"
    text += f"; {', '.join(excluded)}." if excluded else "."
    if crowd.p is not None:
        text += (
            f" {crowd.hits:,} of {crowd.answers:,} answers agree with the discovery "
            f"({equate_p(crowd.p.value)} against guessing)."
        )
    return text


def _format_rating(cell: CellVotes) -> str:
    rating = cell.rating
    if rating is None:
        return ""
    interval = "" if rating.low is None else f" ({rating.low:.1f} to {rating.high:.1f})"
    return f"{rating.mean:.1f}{interval}"


def mark_cells(crowd: CrowdResult) -> Callable[[Cell, Markup], Markup]:
    """Return what fills a cell: its words, a mark if people agree, and details on hover."""
    votes = {(cell.group, cell.category): cell for cell in crowd.answered}

    def fill(cell: Cell, details: Markup) -> Markup:
        people = votes.get((cell.group, cell.category))
        return render_template(
            "discovery/judged_cell.html",
            words=word_list(cell.words),
            details=details,
            people=people,
            said="" if people is None else _details(people),
        )

    return fill


def _details(people: CellVotes) -> str:
    text = f"{people.agreeing} of {people.workers} people chose it among {people.choices} groups"
    if people.p is not None:
        text += f" ({equate_p(people.p.value)} against guessing)"
    if not people.agrees:
        most = max(people.votes.values())
        first = [group for group, count in people.votes.items() if count == most]
        text += f", most chose {' or '.join(first)}"
    if people.rating is not None:
        text += f"; mean rating {_format_rating(people)}"
    return text
