"""``weatherglass seeds list``, ``concepts``, ``show`` and ``export``: the seed catalogue."""

from __future__ import annotations

import shutil
import textwrap
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..masking import mask, slurs_option
from ..options import out_option, output_options
from ..output import Output, printable

if TYPE_CHECKING:
    from weatherglass.catalog import Pairing, SeedSet

_MATCH = {
    "documented": "paired word by word",
    "parallel": "lists in parallel order",
    "none": "not paired word by word",
}


@click.command("list", short_help="List seed sets, by pattern, concept, source or study.")
@click.argument("patterns", metavar="[PATTERN]...", nargs=-1)
@click.option("--concept", help="Only sets of this concept; `seeds concepts` lists them.")
@click.option(
    "--source", help="Only sets whose words come from this kind of source, such as curated."
)
@click.option("--study", help="Only sets of this study, such as garg2018.")
@output_options()
def list_sets(
    patterns: tuple[str, ...],
    concept: str | None,
    source: str | None,
    study: str | None,
    output: Output,
) -> None:
    """List the seed sets whose id matches PATTERN (* any text, ? one character)."""
    from weatherglass.catalog import seed_sets

    sets = seed_sets(*patterns, concept=concept, source=source, study=study)
    rows = [
        {
            "id": seed_set.id,
            "concept": seed_set.concept,
            "words": len(seed_set),
            "sources": " ".join(seed_set.sources),
            "study": seed_set.study.key if seed_set.study else "",
            "contains": " ".join(seed_set.flags),
        }
        for seed_set in sets
    ]
    output.write_rows(rows)


@click.command("concepts", short_help="List the concepts of the seed sets.")
@output_options()
def list_concepts(output: Output) -> None:
    """List the concepts that seed sets represent, with the number of sets."""
    from weatherglass.catalog import concepts, seed_sets

    sets = Counter(seed_set.concept for seed_set in seed_sets())
    rows = [
        {"concept": name, "sets": sets[name], "meaning": meaning}
        for name, meaning in concepts().items()
    ]
    output.write_rows(rows)


@click.command(short_help="Show a seed set: its words and their source.")
@click.argument("id")
@slurs_option()
@output_options()
def show(id: str, output: Output) -> None:
    """Show the seed set ID: its words, their source, and the study that used it.

    Slurs are masked in the table; JSON, TSV and CSV are for programs and have every word in full.
    """
    from weatherglass.catalog import is_slur, pairings, seeds

    seed_set = seeds(id)
    if output.format == "table":
        output.write("\n".join(_page(seed_set)) + "\n")
        return
    rows = [{"set": seed_set.id, "word": word, "slur": is_slur(word)} for word in seed_set.words]
    paired = [pairing.model_dump(mode="json") for pairing in pairings(id)]
    document = seed_set.model_dump(mode="json") | {"flags": seed_set.flags, "pairings": paired}
    output.write_rows(rows, document=document)


@click.command(short_help="Write seed sets to a file, to edit and use as your own.")
@click.argument("ids", metavar="ID...", nargs=-1, required=True)
@click.option(
    "--format",
    "form",
    type=click.Choice(["yaml", "json", "csv", "txt"]),
    help="Format; by default the suffix of the file, or yaml.",
)
@out_option
def export(ids: tuple[str, ...], form: str | None, out: Path | None) -> None:
    """Write seed sets, to edit and use as your own; slurs are not masked.

    ID may be a pattern. YAML and JSON have everything, CSV the ids, concepts and words, txt the
    words of a single set.
    """
    from weatherglass.catalog import SEED_FORMATS, format_seeds, seed_sets

    sets = seed_sets(*ids)
    suffix = out.suffix.lower().lstrip(".") if out else ""
    text = format_seeds(sets, form or (suffix if suffix in SEED_FORMATS else "yaml"))
    Output("table", out).write(text)


def _page(seed_set: SeedSet) -> Iterator[str]:
    """The lines of a seed set, for people to read."""
    width = min(shutil.get_terminal_size().columns, 100)
    words = tuple(map(mask, seed_set.words))
    hidden = sum(shown != word for shown, word in zip(words, seed_set.words, strict=True))
    yield from _wrap(f"{seed_set.id}: {seed_set.concept}, {len(seed_set)} words", width)
    yield from _wrap(seed_set.description, width, 3)
    counts = Counter(words)
    repeated = [f"{word} ({count} times)" for word, count in counts.items() if count > 1]
    listed = [", ".join(words) or "none", f"Repeated: {', '.join(repeated)}" if repeated else ""]
    for heading, paragraphs in (("Words", listed), *_provenance(seed_set)):
        if any(paragraphs):
            yield from ("", heading)
        for paragraph in filter(None, paragraphs):
            yield from _wrap(paragraph, width, 3)
    if hidden:
        count = "1 slur is" if hidden == 1 else f"{hidden} slurs are"
        yield from ("", *_wrap(f"{count} masked; --show-slurs prints the words in full.", width))


def _provenance(seed_set: SeedSet) -> Iterator[tuple[str, list[str]]]:
    """Everything about a set besides its words: headings and paragraphs."""
    from weatherglass.catalog import pairings, seed_sets, seed_sources

    yield "Contains", [", ".join(seed_set.flags)]
    yield "Used in", [seed_set.study.citation if seed_set.study else "", seed_set.link]
    known = seed_sources()
    yield (
        "Source",
        [f"{name}: {known[name]}" for name in seed_set.sources]
        or ["Not documented as any of the seven kinds."],
    )
    yield "Notes", [seed_set.notes]
    yield "Paired with", [_paired(pairing, seed_set.id) for pairing in pairings(seed_set.id)]
    others = [other.id for other in seed_sets(concept=seed_set.concept) if other != seed_set]
    yield "Sets of the same concept", [", ".join(others)]


def _paired(pairing: Pairing, id: str) -> str:
    where = f"{pairing.study.short}, {pairing.place}"
    return f"{pairing.other(id)}: {_MATCH[pairing.match]}; {where}"


def _wrap(text: str, width: int, indent: int = 0) -> list[str]:
    pad = " " * indent
    return textwrap.wrap(
        printable(text), width, initial_indent=pad, subsequent_indent=pad, break_on_hyphens=False
    )
