"""``weatherglass seeds list``, ``concepts``, ``show`` and ``export``: the seed catalogue."""

from __future__ import annotations

import shutil
import textwrap
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..output import emit, format_option, out_option, printable, put, write_whole

if TYPE_CHECKING:
    from weatherglass.catalog import Pairing, SeedSet

_MATCH = {
    "documented": "word by word",
    "parallel": "the lists run side by side",
    "none": "as a whole",
}


@click.command("list", short_help="List seed sets, by pattern, concept, source or study.")
@click.argument("patterns", metavar="[PATTERN]...", nargs=-1)
@click.option("--concept", help="Only sets that stand for this; `seeds concepts` has them all.")
@click.option("--source", help="Only sets whose words come from there, such as curated.")
@click.option("--study", help="Only sets that this work used, such as garg2018.")
@format_option
@out_option
def list_sets(
    patterns: tuple[str, ...],
    concept: str | None,
    source: str | None,
    study: str | None,
    form: str,
    out: Path | None,
) -> None:
    """List the seed sets whose id matches PATTERN (* any text, ? one character)."""
    from weatherglass.catalog import seed_sets

    found = seed_sets(*patterns, concept=concept, source=source, study=study)
    rows = [
        {
            "id": one.id,
            "concept": one.concept,
            "words": len(one),
            "sources": " ".join(one.sources),
            "study": one.study.key if one.study else "",
            "contains": " ".join(one.flags),
        }
        for one in found
    ]
    emit(rows, form, out=out)


@click.command("concepts", short_help="List the concepts that seed sets stand for.")
@format_option
@out_option
def list_concepts(form: str, out: Path | None) -> None:
    """List the concepts: what seed sets stand for, and how many sets do."""
    from weatherglass.catalog import concepts, seed_sets

    sets = Counter(one.concept for one in seed_sets())
    rows = [
        {"concept": name, "sets": sets[name], "meaning": meaning}
        for name, meaning in concepts().items()
    ]
    emit(rows, form, out=out)


@click.command(short_help="Show a seed set: its words, and where they come from.")
@click.argument("id")
@click.option("--show-slurs", is_flag=True, help="Print slurs in full.")
@format_option
@out_option
def show(id: str, show_slurs: bool, form: str, out: Path | None) -> None:
    """Show the seed set ID: its words, who used it, where the words come from.

    Slurs are masked on the page; JSON, TSV and CSV are for programs and have every word in full.
    """
    from weatherglass.catalog import is_slur, pairings, seeds

    one = seeds(id)
    if form == "table":
        page = "\n".join(_page(one, show_slurs)) + "\n"
        if out is None:
            click.echo(page, nl=False)
        else:
            write_whole(out, page)
        return
    rows = [{"set": one.id, "word": word, "slur": is_slur(word)} for word in one.words]
    against = [pairing.model_dump(mode="json") for pairing in pairings(id)]
    document = one.model_dump(mode="json") | {"flags": one.flags, "pairings": against}
    emit(rows, form, document=document, out=out)


@click.command(short_help="Write seed sets to a file, to edit and use as your own.")
@click.argument("ids", metavar="ID...", nargs=-1, required=True)
@click.option(
    "--format",
    "form",
    type=click.Choice(["yaml", "json", "csv", "txt"]),
    help="What to write; by default what the name of the file says, or yaml.",
)
@out_option
def export(ids: tuple[str, ...], form: str | None, out: Path | None) -> None:
    """Write seed sets to edit and use as your own; every word is in full.

    ID may be a pattern. YAML and JSON hold everything, CSV the ids, concepts and words, txt the
    words of one set.
    """
    from weatherglass.catalog import SEED_FORMATS, seed_sets, seeds_text

    sets = seed_sets(*ids)
    named = out.suffix.lower().lstrip(".") if out else ""
    text = seeds_text(sets, form or (named if named in SEED_FORMATS else "yaml"))
    put(text, out)


def _page(one: SeedSet, show_slurs: bool) -> Iterator[str]:
    """A seed set as lines for people to read."""
    from weatherglass.catalog import masked

    width = min(shutil.get_terminal_size().columns, 100)
    words = one.words if show_slurs else tuple(map(masked, one.words))
    hidden = sum(word != other for word, other in zip(words, one.words, strict=True))
    yield from _wrapped(f"{one.id}: {one.concept}, {len(one)} words", width)
    yield from _wrapped(one.description, width, 3)
    times = Counter(words)
    repeated = [f"{word} ({times[word]} times)" for word in times if times[word] > 1]
    listed = [", ".join(words) or "none", f"Repeated: {', '.join(repeated)}" if repeated else ""]
    for heading, paragraphs in (("Words", listed), *_provenance(one)):
        if any(paragraphs):
            yield from ("", heading)
        for paragraph in filter(None, paragraphs):
            yield from _wrapped(paragraph, width, 3)
    if hidden:
        some = "1 slur is" if hidden == 1 else f"{hidden} slurs are"
        yield from ("", *_wrapped(f"{some} masked; --show-slurs prints the words in full.", width))


def _provenance(one: SeedSet) -> Iterator[tuple[str, list[str]]]:
    """What is known of a set besides its words: heading and paragraphs."""
    from weatherglass.catalog import pairings, seed_sets, seed_sources

    yield "Contains", [", ".join(one.flags)]
    yield "Used in", [one.study.citation if one.study else "", one.link]
    known = seed_sources()
    yield (
        "Source",
        [f"{name}: {known[name]}" for name in one.sources] or ["None of the seven is documented."],
    )
    yield "Notes", [one.notes]
    yield "Held against", [_against(pairing, one.id) for pairing in pairings(one.id)]
    others = [other.id for other in seed_sets(concept=one.concept) if other != one]
    yield "Of the same concept", [", ".join(others)]


def _against(pairing: Pairing, id: str) -> str:
    where = f"{pairing.study.short}, {pairing.place}"
    return f"{pairing.other(id)}: {_MATCH[pairing.match]}; {where}"


def _wrapped(text: str, width: int, indent: int = 0) -> list[str]:
    pad = " " * indent
    return textwrap.wrap(
        printable(text), width, initial_indent=pad, subsequent_indent=pad, break_on_hyphens=False
    )
