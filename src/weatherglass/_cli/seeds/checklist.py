"""``weatherglass seeds checklist`` and ``overview``: document seed sets; the gathered sets."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..latex import escape_latex
from ..masking import mask, shows_slurs, slurs_option
from ..options import case_option, language_option, out_option, output_options, seed_option
from ..output import Output, printable, progress_bar, remarks, table

if TYPE_CHECKING:
    from weatherglass.seedlab import Checklist, SeedSurvey

_SUFFIXES = {".md": "markdown", ".tex": "latex", ".html": "html", ".json": "json"}


@click.command(short_help="Write the checklist for documenting seed sets.")
@click.argument("sets", metavar="ID|FILE...", nargs=-1, required=True)
@click.option(
    "--source",
    metavar="VECTORS",
    help="Vectors, for similarity, frequency by rank and missing words.",
)
@click.option("--corpus", metavar="CORPUS", help="Count the words in this corpus.")
@case_option()
@language_option("Language of the words, such as de; by default that of the sets.")
@seed_option
@slurs_option()
@click.option(
    "--format",
    "form",
    type=click.Choice(["markdown", "latex", "html", "json"]),
    help="Format; by default that of the file's suffix (.md, .tex, .html, .json), or markdown.",
)
@out_option
def checklist(
    sets: tuple[str, ...],
    source: str | None,
    corpus: str | None,
    form: str | None,
    out: Path | None,
    seed: int,
    **options: Any,
) -> None:
    """Write the checklist for documenting seed sets, for the appendix of a paper.

    The recommendations of Antoniak and Mimno (2021): origin, rationale, definition, frequency, part
    of speech, similarity, pairing, alternatives. What the sets state, lint measures and the
    catalogue knows is filled in; the rest are questions for you. A YAML or JSON file of your own
    sets can answer them in `sources`, `rationale`, `concept` and `description`.
    """
    from weatherglass.seedlab import resolve_sets, seed_checklist

    chosen = resolve_sets(sets)  # a wrong name is reported before anything is read
    with progress_bar("checking") as draw:
        filled = seed_checklist(
            chosen, source=source, corpus=corpus, rng=seed, progress=draw, **options
        )
    form = form or _SUFFIXES.get(out.suffix.lower() if out else "", "markdown")
    Output("table", out).write(_document(filled, form))


def _document(filled: Checklist, form: str) -> str:
    if form == "json":
        return filled.to_json() + "\n"
    if form == "latex":
        return _latex(filled)
    from weatherglass.report import checklist_markdown, checklist_page

    write = checklist_page if form == "html" else checklist_markdown
    return write(filled, show_slurs=shows_slurs())


def _latex(filled: Checklist) -> str:
    """The checklist as a section of an appendix."""
    from weatherglass.report import checklist

    lines = [
        r"% Needs \usepackage{amssymb} in the preamble.",
        rf"\section*{{{checklist.HEADING}}}",
        _safe(checklist.describe_basis(filled)),
    ]
    for part in filled.parts:
        title = part.label[:1].upper() + part.label[1:] if not part.words else part.label
        lines += ["", rf"\subsection*{{{_safe(title)}}}"]
        if part.words:
            lines.append(rf"\noindent\textbf{{Words:}} {', '.join(map(_safe, part.words))}.")
        lines.append(r"\begin{itemize}")
        for item in part.items:
            box = r"$\boxtimes$" if item.is_answered else r"$\square$"
            question = rf"\emph{{{checklist.TO_FILL_IN}: {_safe(item.question)}}}"
            answer = _safe(item.answer) if item.is_answered else question
            lines.append(rf"\item[{box}] \textbf{{{item.topic.capitalize()}.}} {answer}")
        lines.append(r"\end{itemize}")
    return "\n".join([*lines, "", _safe(checklist.CITATION), ""])


def _safe(text: str) -> str:
    """Text for LaTeX, slurs masked; ids may break at their underscores."""
    return escape_latex(printable(mask(text))).replace(r"\_", r"\_\allowbreak{}")


@click.command(short_help="Show sizes and sources of the seed sets of published studies.")
@click.argument("patterns", metavar="[PATTERN]...", nargs=-1)
@output_options(plot=True)
def overview(patterns: tuple[str, ...], output: Output) -> None:
    """Show sizes and sources of the seed sets whose id matches PATTERN; by default of all.

    Figure 1 and tables 1 and 3 of Antoniak and Mimno (2021), with the published numbers. TSV and
    CSV have a line per set.
    """
    from weatherglass.catalog import seed_sets
    from weatherglass.seedlab import survey_seeds

    survey = survey_seeds(seed_sets(*patterns) if patterns else None)
    if output.format == "table":
        output.write(_survey_text(survey))
    else:
        output.write_rows(survey.to_rows(), document=survey.to_dict())
    output.draw(survey)


def _survey_text(survey: SeedSurvey) -> str:
    boxes = {"words in a set": survey.sizes}
    boxes |= {f"words, {name}": box for name, box in survey.sizes_by_source().items()}
    if survey.sets_per_study:
        boxes["sets in a study"] = survey.sets_per_study
    sizes = [
        {
            "number of": name,
            "count": box.count,
            "minimum": f"{box.minimum:g}",
            "lower quartile": f"{box.lower:g}",
            "median": f"{box.median:g}",
            "upper quartile": f"{box.upper:g}",
            "maximum": f"{box.maximum:,g}",
        }
        for name, box in boxes.items()
    ]
    total = len(survey.studies)
    sources = [
        {
            "source": entry.source,
            "studies": f"{len(entry.studies)} of {total}",
            "published": "" if entry.published is None else f"{entry.published} of 18",
            "sets": entry.sets,
            "which": ", ".join(entry.studies),
        }
        for entry in survey.sources
    ]
    text = table(sizes, "Sizes (figure 1)") + table(sources, "Sources (table 3)")
    if survey.examples:
        examples = [
            {
                "concept": example.label,
                "highlighted": ", ".join(example.words),
                "set": example.set,
                "not in the set": ", ".join(example.absent),
            }
            for example in survey.examples
        ]
        text += table(examples, "Examples (table 1)")
    return text + remarks([survey.sentence()])
