"""``weatherglass catalog``: list, show and check tests; show what a word becomes in sentences."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from weatherglass.errors import CatalogError

from .output import emit, format_option, out_option, printable, write_whole

if TYPE_CHECKING:
    from weatherglass.catalog import (
        Difference,
        FactualTest,
        NameList,
        Published,
        PublishedCorrelation,
        Test,
    )

_HEAD = 20  # names in a table for people


@click.group()
def catalog() -> None:
    """List, show and check tests: what can be asked."""


@catalog.command("list")
@click.argument("patterns", metavar="[PATTERN]...", nargs=-1)
@click.option(
    "--level",
    type=click.Choice(["word", "sentence"]),
    help="Only tests of words, or only tests of sentences.",
)
@format_option
@out_option
def list_tests(patterns: tuple[str, ...], level: str | None, form: str, out: Path | None) -> None:
    """List the tests whose id matches PATTERN (* any text, ? one character).

    `weat*@word2vec` lists that variant of every match.
    """
    from weatherglass.catalog import tests

    emit([_row(one, form) for one in tests(*patterns, level=level)], form, out=out)


@catalog.command()
@click.argument("id")
@format_option
@out_option
def show(id: str, form: str, out: Path | None) -> None:
    """Show the test ID: its words, where they come from, what was published.

    `weat3@full` shows a variant. JSON is the whole record, which can be edited and used as a test
    of your own; TSV and CSV have a line per word or sentence.
    """
    from weatherglass.catalog import test

    entry = test(id)
    if form == "table":
        width = min(shutil.get_terminal_size().columns, 100)
        page = _page(entry, width)
        if out is None:
            click.echo(page, nl=False)
        else:
            write_whole(out, page)
    else:
        emit(list(_word_rows(entry)), form, document=entry.model_dump(mode="json"), out=out)


@catalog.command()
@click.argument("paths", metavar="FILE...", nargs=-1, required=True)
def validate(paths: tuple[str, ...]) -> None:
    """Check files or folders of your own tests; every problem is one line on stderr.

    Exit code 0: all is well-formed; 1: something is not.
    """
    from weatherglass.catalog import check_tests

    count = 0
    for path in paths:
        checked = check_tests(path)
        for one in checked.tests:
            sizes = ", ".join(f"{name} {len(words)}" for name, words in one.sets.items())
            click.echo(printable(f"{path}: {one.id} is a well-formed {one.kind} test ({sizes})."))
        for problem in checked.problems:
            click.echo(printable(problem), err=True)
        count += len(checked.problems)
    if count:
        raise CatalogError(f"{count} problem{'s' if count > 1 else ''} found.")


@catalog.command()
@click.argument("words", metavar="WORD...", nargs=-1, required=True)
@click.option("--kind", help="The kind of the words, such as noun; `catalog kinds` lists them.")
@click.option(
    "--annotations",
    "file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Kinds of your own words: CSV with the columns word and kind, and singular, plural and "
    "article where the rules go wrong.",
)
@format_option
@out_option
def sentences(
    words: tuple[str, ...], kind: str | None, file: Path | None, form: str, out: Path | None
) -> None:
    """Show the sentences that each WORD becomes in a sentence test.

    The kinds of the words in the catalogue's tests are known.
    """
    from weatherglass.catalog import load_annotations, sentences

    known = load_annotations(file) if file else {}
    rows = [
        {"word": word, "sentence": sentence}
        for word in words
        for sentence in sentences(known.get(word, word), kind)
    ]
    emit(rows, form, out=out)


@catalog.command()
@format_option
@out_option
def kinds(form: str, out: Path | None) -> None:
    """List the kinds of word that sentences can be made of."""
    from weatherglass.catalog import kinds

    rows = [
        {
            "kind": name,
            "meaning": kind.meaning,
            "example": kind.example,
            "sentences": len(kind.templates),
        }
        for name, kind in kinds().items()
    ]
    emit(rows, form, out=out)


@catalog.command()
@click.argument("which", metavar="[ID]", required=False)
@format_option
@out_option
def names(which: str | None, form: str, out: Path | None) -> None:
    """List the name lists, or show the names of ID with what is known of them.

    ID may be a file of your own: one name a line, or CSV with a header. The table has the first
    names and where they come from; JSON, TSV and CSV have all names.
    """
    from weatherglass.catalog import load_names, name_lists

    if which is None:
        lists = {name: (load_names(name), source) for name, source in name_lists().items()}
        rows = [
            {
                "id": name,
                "title": source.title,
                "names": len(found),
                "facts": " ".join(found.facts),
                "years": source.years,
                "at least": source.at_least,
                "licence": source.licence,
            }
            for name, (found, source) in lists.items()
        ]
        document = [
            {"id": name, "names": len(found), **source.model_dump(mode="json")}
            for name, (found, source) in lists.items()
        ]
        emit(rows, form, document=document, out=out)
        return
    found = load_names(which)
    for note in found.notes:
        click.echo(printable(note), err=True)
    count = min(_HEAD, len(found)) if form == "table" else len(found)
    title = f"{found.title}, the first {count:,} of {len(found):,} names. Source: {found.source}."
    emit(list(_name_rows(found, count)), form, title=printable(title), out=out)


def _name_rows(found: NameList, count: int) -> Iterator[dict[str, Any]]:
    for row, name in enumerate(found.names[:count]):
        facts = {column: values[row] for column, values in found.facts.items()}
        # Counts were read as every number is, and are no measurements.
        whole = {k: int(v) for k, v in facts.items() if v is not None and v.is_integer()}
        also = {"spellings": "|".join(found.spellings.get(name, ()))} if found.spellings else {}
        yield {"name": name, **facts, **whole, **also}


def _row(test: Test | FactualTest, form: str) -> dict[str, Any]:
    targets = [str(len(words)) for name, words in test.sets.items() if name not in "AB"]
    symbol, number = _figure(test.printed)
    figure = number if number is None or form != "table" else f"{symbol} = {number:.2f}"
    return {
        "id": test.id,
        "kind": test.kind,
        "level": test.level,
        "title": test.title,
        "targets": "+".join(targets),
        "attributes": f"{len(test.a)}+{len(test.b)}",
        "published": figure,
        "variants": " ".join(test.variants),
    }


def _word_rows(test: Test | FactualTest) -> Iterator[dict[str, Any]]:
    facts = _facts(test)
    for name, words in test.sets.items():
        origin = dict(zip(words.words, words.origins, strict=False))
        for word in (*words.words, *words.left_out):
            row = {"set": name, "label": words.label, "word": word, "used": word in words.words}
            if test.level == "sentence":
                row["origin"] = origin.get(word)
            yield row | ({"fact": facts.get(word) if name == "W" else None} if facts else {})


def _facts(test: Test | FactualTest) -> dict[str, float]:
    from weatherglass.catalog import FactualTest

    if not isinstance(test, FactualTest):
        return {}
    return dict(zip(test.targets.words, test.facts.values, strict=True))


def _figure(printed: Published | PublishedCorrelation | None) -> tuple[str, float | None]:
    from weatherglass.catalog import Published

    if printed is None:
        return "", None
    if isinstance(printed, Published):
        return "d", printed.effect
    return "r", printed.correlation


def _page(test: Test | FactualTest, width: int) -> str:
    """A test as a page for people to read."""
    facts = _facts(test)
    lines = _wrapped(f"{test.id}: {test.title}", width)
    for name, words in test.sets.items():
        source = f", {words.source.short}" if words.source else ""
        between = " " if test.level == "sentence" else ", "
        listed = [f"{word} {facts[word]:.4g}" if name == "W" else word for word in words.words]
        size = f"{len(words)} {test.level}s"
        lines += ["", *_wrapped(f"{name}  {words.label} ({size}{source})", width)]
        lines += _wrapped(between.join(listed), width, 3)
        if words.left_out:
            lines += _wrapped(f"left out: {between.join(words.left_out)}", width, 3)
    for heading, paragraphs in _sections(test):
        lines += ["", *_wrapped(heading, width)]
        for paragraph in filter(None, paragraphs):
            lines += _wrapped(paragraph, width, 3)
    return "\n".join(lines) + "\n"


def _wrapped(text: str, width: int, indent: int = 0) -> list[str]:
    pad = " " * indent
    return textwrap.wrap(
        printable(text), width, initial_indent=pad, subsequent_indent=pad, break_on_hyphens=False
    )


def _sections(test: Test | FactualTest) -> Iterator[tuple[str, list[str]]]:
    """What is known of a test besides its words: heading and paragraphs."""
    from weatherglass.catalog import FactualTest

    if isinstance(test, FactualTest):
        facts = test.facts
        yield ", ".join(filter(None, (facts.name, facts.unit))), [facts.provenance, facts.method]
    if test.published:
        yield "Published", [_published(one) for one in test.published]
    human = None if isinstance(test, FactualTest) else test.human
    if human:
        subjects = f"{human.n} subjects"
        if human.n_printed not in ("", str(human.n)):
            subjects += f" (printed as {human.n_printed})"
        figures = "" if human.d is None else f"d = {human.d:.2f}, {_p(human.p)}, {subjects}"
        yield "With people", [figures, human.finding, human.study.citation]
    if not isinstance(test, FactualTest) and test.differences:
        yield "Differences from the published list", [_difference(one) for one in test.differences]
    if test.study:
        yield "Study", [test.study.citation]
    if test.notes:
        yield "Notes", [test.notes]
    if test.variants:
        base = test.id.partition("@")[0]
        others = [base, *(f"{base}@{name}" for name in test.variants)]
        yield "Other word lists", [", ".join(name for name in others if name != test.id)]


def _published(one: Published | PublishedCorrelation) -> str:
    from weatherglass.catalog import Published

    symbol, number = _figure(one)
    if isinstance(one, Published):
        sizes = f"{one.n_targets} targets and {one.n_attributes} attributes a side"
    else:
        sizes = f"{one.n} targets"
    place = f"{one.table}; {sizes}" if one.table else sizes
    return f"{one.source}: {symbol} = {number:.2f}, {_p(one.p)} ({place})"


def _difference(one: Difference) -> str:
    ours, theirs = (" ".join(items) or "nothing" for items in (one.ours, one.theirs))
    return f"{one.set}: {one.reason} Here: {ours} There: {theirs}"


def _p(printed: str) -> str:
    # A bare number in the paper's tables is rounded up.
    return f"p {printed}" if printed[:1] in ("<", "≤") else f"p <= {printed}"
