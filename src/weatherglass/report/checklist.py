"""A checklist for documenting seed sets, as HTML and Markdown that a paper can append."""

from __future__ import annotations

from weatherglass.seedlab import Checklist, ChecklistPart

from .html import spell
from .markdown import markdown_text
from .page import render_page
from .templating import render_template

HEADING = "Checklist for seed sets"
TO_FILL_IN = "To be filled in"
CITATION = (
    "Questions after M. Antoniak and D. Mimno (2021). Bad Seeds: Evaluating Lexical Methods for "
    "Bias Measurement. ACL, 1889–1904, section 9. doi:10.18653/v1/2021.acl-long.148"
)
_WARNING = (
    "This page lists words that studies use to represent groups of people and concepts. Some sets "
    "contain stereotypes or offensive words."
)


def describe_basis(checklist: Checklist) -> str:
    """Say what the answers were measured on, and how many are missing."""
    basis = [
        str(checklist.source["name"]) if checklist.source.get("name") else "",
        str(checklist.corpus["name"]) if checklist.corpus.get("name") else "",
    ]
    measured = " and ".join(filter(None, basis))
    on = f" Numbers are from {measured}." if measured else ""
    return f"{checklist.sentence()}{on} Weatherglass {checklist.version}."


def checklist_page(checklist: Checklist, *, show_slurs: bool = False) -> str:
    """Write a checklist as one HTML file that needs no network and no script.

    Parameters
    ----------
    checklist
        The result of `weatherglass.seed_checklist`.
    show_slurs
        Slurs are masked until the reader ticks a box; with this the box is ticked from the start.

    Returns
    -------
    str
        The page, which prints well. Every word is escaped.

    Examples
    --------
    >>> import weatherglass as wg
    >>> page = checklist_page(wg.seed_checklist("domestic_work-Fast_et_al_2016"))
    >>> "Who read the words" in page, "<script" in page
    (True, False)
    """
    content = render_template(
        "checklist.html",
        basis=describe_basis(checklist),
        parts=[(_title(part), part) for part in checklist.parts],
        to_fill_in=TO_FILL_IN,
        citation=CITATION,
    )
    return render_page(
        HEADING,
        [content],
        show_slurs=show_slurs,
        warning=_WARNING,
        sheets=("audit.css",),
    )


def _title(part: ChecklistPart) -> str:
    text = spell(part.label, phrase=False)
    return text[:1].upper() + text[1:] if part.label == "the whole study" else text


def checklist_markdown(checklist: Checklist, *, show_slurs: bool = False) -> str:
    """Write a checklist as Markdown; the arguments are those of `checklist_page`.

    >>> import weatherglass as wg
    >>> text = checklist_markdown(wg.seed_checklist("domestic_work-Fast_et_al_2016"))
    >>> text.splitlines()[0]
    '# Checklist for seed sets'
    """

    def safe(text: str) -> str:
        return markdown_text(text, show_slurs=show_slurs)

    lines = [f"# {HEADING}", "", safe(describe_basis(checklist))]
    for part in checklist.parts:
        lines += ["", f"## {safe(_title(part))}", ""]
        if part.words:
            lines += [f"**Words:** {', '.join(map(safe, part.words))}", ""]
        for item in part.items:
            mark, text = ("x", safe(item.answer))
            if not item.is_answered:
                mark, text = (" ", f"*{TO_FILL_IN}: {safe(item.question)}*")
            lines.append(f"- [{mark}] **{item.topic.capitalize()}.** {text}")
    return "\n".join([*lines, "", safe(CITATION), ""])
