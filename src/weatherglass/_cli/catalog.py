"""``weatherglass catalog``: list, show and check tests; show the sentences of a word."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from weatherglass.errors import UsageError

from .exit_codes import FAILED
from .options import output_options
from .output import Output, printable
from .verbosity import SuggestingGroup

if TYPE_CHECKING:
    from weatherglass.catalog import (
        AnyTest,
        Difference,
        NameList,
        Published,
        PublishedAgreement,
        PublishedCorrelation,
    )

_MAX_NAMES = 20  # in a table; the other formats have all


@click.group(cls=SuggestingGroup)
def catalog() -> None:
    """List, show and check the tests of the catalogue and your own."""


@catalog.command("list")
@click.argument("patterns", metavar="[PATTERN]...", nargs=-1)
@click.option(
    "--level",
    type=click.Choice(["word", "sentence"]),
    help="Only tests of words, or only tests of sentences.",
)
@output_options()
def list_tests(patterns: tuple[str, ...], level: str | None, output: Output) -> None:
    """List the tests whose id matches PATTERN (* any text, ? one character).

    `weat*@word2vec` lists that variant of each test.
    """
    from weatherglass.catalog import tests

    output.write_rows([_row(test, output.format) for test in tests(*patterns, level=level)])


@catalog.command()
@click.argument("id")
@output_options()
def show(id: str, output: Output) -> None:
    """Show the test ID: its words, their source, and the published results.

    `weat3@full` shows a variant. JSON is the whole record, which you can edit and use as your own
    test; TSV and CSV have a line per word or sentence.
    """
    from weatherglass.catalog import test

    entry = test(id)
    if output.format == "table":
        width = min(shutil.get_terminal_size().columns, 100)
        output.write(_page(entry, width))
    else:
        output.write_rows(list(_word_rows(entry)), document=entry.model_dump(mode="json"))


@catalog.command()
@click.argument("paths", metavar="FILE...", nargs=-1, required=True)
def validate(paths: tuple[str, ...]) -> None:
    """Check files or folders of your own tests; each problem is a line on stderr.

    Exit code 0: all tests are well-formed; 1: a test is not.
    """
    from weatherglass.catalog import check_tests

    count = 0
    for path in paths:
        checked = check_tests(path)
        for test in checked.tests:
            sizes = ", ".join(f"{name} {len(words)}" for name, words in test.sets.items())
            click.echo(printable(f"{path}: {test.id} is a well-formed {test.kind} test ({sizes})."))
        for problem in checked.problems:
            click.echo(printable(problem), err=True)
        count += len(checked.problems)
    if count:
        problems = f"{count} problem{'s' if count > 1 else ''} found."
        click.echo(f"weatherglass: {problems}", err=True)
        click.get_current_context().exit(FAILED)


@catalog.command()
@click.argument("words", metavar="WORD...", nargs=-1, required=True)
@click.option("--kind", help="The kind of the words, such as noun; `catalog kinds` lists them.")
@click.option(
    "--annotations",
    "file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Kinds of your own words: CSV with the columns word and kind, and singular, plural and "
    "article for words that do not follow the rules.",
)
@output_options()
def sentences(words: tuple[str, ...], kind: str | None, file: Path | None, output: Output) -> None:
    """Show the sentences of each WORD in a sentence test.

    Words of the catalogue's tests need no --kind.
    """
    from weatherglass.catalog import load_annotations, sentences

    known = load_annotations(file) if file else {}
    rows = [
        {"word": word, "sentence": sentence}
        for word in words
        for sentence in sentences(known.get(word, word), kind)
    ]
    output.write_rows(rows)


@catalog.command()
@output_options()
def kinds(output: Output) -> None:
    """List the kinds of words for which there are sentence templates."""
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
    output.write_rows(rows)


@catalog.command()
@click.argument("id", metavar="[ID]", required=False)
@click.option(
    "--windows",
    type=click.IntRange(1, 1000),
    is_flag=False,
    flag_value=10,
    metavar="[N]",
    help="Show the most popular names in each of N windows of a share; 10, if no number is given.",
)
@click.option(
    "--by",
    metavar="COLUMN",
    help="Column of the shares of --windows; by default share_female.",
)
@click.option(
    "--per-window",
    type=click.IntRange(1),
    default=5,
    show_default=True,
    help="Names in each window.",
)
@output_options()
def names(
    id: str | None, windows: int | None, by: str | None, per_window: int, output: Output
) -> None:
    """List the name lists, or show the names of ID with the facts about them.

    ID may be your own file: one name per line, or CSV with a header. The table has the first names
    and their source; JSON, TSV and CSV have all names.

    With --windows, show the most popular names in each 10 % window of the share of women, as
    Caliskan et al. (2017) chose androgynous names.
    """
    from weatherglass.catalog import load_names, name_lists

    if windows is not None:
        if id is None:
            raise UsageError("--windows needs a list of names: ssa, or a file.")
        _write_windows(load_names(id), windows, by, per_window, output)
        return
    if by is not None:
        raise UsageError("--by needs --windows.")
    if id is None:
        lists = {name: (load_names(name), source) for name, source in name_lists().items()}
        rows = [
            {
                "id": name,
                "title": source.title,
                "names": len(listed),
                "facts": " ".join(listed.facts),
                "years": source.years,
                "at least": source.at_least,
                "licence": source.licence,
            }
            for name, (listed, source) in lists.items()
        ]
        document = [
            {"id": name, "names": len(listed), **source.model_dump(mode="json")}
            for name, (listed, source) in lists.items()
        ]
        output.write_rows(rows, document=document)
        return
    loaded = load_names(id)
    for note in loaded.notes:
        click.echo(printable(note), err=True)
    count = min(_MAX_NAMES, len(loaded)) if output.format == "table" else len(loaded)
    title = (
        f"{loaded.title}, the first {count:,} of {len(loaded):,} names. Source: {loaded.source}."
    )
    output.write_rows(list(_name_rows(loaded, count)), title=printable(title))


def _write_windows(
    names: NameList, windows: int, by: str | None, per_window: int, output: Output
) -> None:
    """Write a row for each name of each window."""
    from weatherglass.catalog import name_windows

    found = name_windows(names, by, windows=windows, per_window=per_window)
    rows = [
        {
            "from": f"{window.low:.3g}",
            "to": f"{window.high:.3g}",
            "name": name,
            "share": f"{share:.3f}" if output.format == "table" else share,
            "people": int(people) if float(people).is_integer() else people,
            "available": window.available,
        }
        for window in found
        for name, share, people in zip(window.names, window.shares, window.people, strict=True)
    ]
    title = f"{names.title}: the most popular names in each window. Source: {names.source}."
    output.write_rows(rows, title=printable(title))


def _name_rows(names: NameList, count: int) -> Iterator[dict[str, Any]]:
    for row, name in enumerate(names.names[:count]):
        facts = {column: values[row] for column, values in names.facts.items()}
        # All facts are read as floats; show counts and years without a decimal point.
        integers = {k: int(v) for k, v in facts.items() if v is not None and v.is_integer()}
        texts = {column: values[row] for column, values in names.texts.items()}
        spellings = {"spellings": "|".join(names.spellings.get(name, ()))}
        yield {"name": name, **facts, **integers, **texts} | (spellings if names.spellings else {})


def _row(test: AnyTest, form: str) -> dict[str, Any]:
    sizes = {name: str(len(words)) for name, words in test.sets.items()}
    attributes = [size for name, size in sizes.items() if name.startswith(("A", "B"))]
    targets = [size for name, size in sizes.items() if not name.startswith(("A", "B"))]
    symbol, number = _statistic(test.printed)
    published = number if number is None or form != "table" else f"{symbol} = {number:.2f}"
    return {
        "id": test.id,
        "kind": test.kind,
        "level": test.level,
        "title": test.title,
        "targets": "+".join(targets),
        "attributes": "+".join(attributes),
        "published": published,
        "variants": " ".join(test.variants),
    }


def _word_rows(test: AnyTest) -> Iterator[dict[str, Any]]:
    facts = _facts(test)
    for name, words in test.sets.items():
        origin = dict(zip(words.words, words.origins, strict=False))
        for word in (*words.words, *words.left_out):
            row = {"set": name, "label": words.label, "word": word, "used": word in words.words}
            if test.level == "sentence":
                row["origin"] = origin.get(word)
            yield row | ({"fact": facts.get(word) if name == "W" else None} if facts else {})


def _facts(test: AnyTest) -> dict[str, float]:
    from weatherglass.catalog import FactualTest

    if not isinstance(test, FactualTest):
        return {}
    return dict(zip(test.targets.words, test.facts.values, strict=True))


def _statistic(printed: Published | PublishedCorrelation | None) -> tuple[str, float | None]:
    from weatherglass.catalog import Published

    if printed is None:
        return "", None
    if isinstance(printed, Published):
        return "d", printed.effect
    return "r", printed.correlation


def _page(test: AnyTest, width: int) -> str:
    """The text of a test, for people to read."""
    facts = _facts(test)
    lines = _wrap(f"{test.id}: {test.title}", width)
    for name, words in test.sets.items():
        source = f", {words.source.short}" if words.source else ""
        separator = " " if test.level == "sentence" else ", "
        listed = [f"{word} {facts[word]:.4g}" if name == "W" else word for word in words.words]
        size = f"{len(words)} {test.level}s"
        lines += ["", *_wrap(f"{name}  {words.label} ({size}{source})", width)]
        lines += _wrap(separator.join(listed), width, 3)
        if words.left_out:
            lines += _wrap(f"left out: {separator.join(words.left_out)}", width, 3)
    for heading, paragraphs in _sections(test):
        lines += ["", *_wrap(heading, width)]
        for paragraph in filter(None, paragraphs):
            lines += _wrap(paragraph, width, 3)
    return "\n".join(lines) + "\n"


def _wrap(text: str, width: int, indent: int = 0) -> list[str]:
    pad = " " * indent
    return textwrap.wrap(
        printable(text), width, initial_indent=pad, subsequent_indent=pad, break_on_hyphens=False
    )


def _sections(test: AnyTest) -> Iterator[tuple[str, list[str]]]:
    """Everything about a test besides its words: headings and paragraphs."""
    from weatherglass.catalog import FactualTest, GroupsTest, Test

    if isinstance(test, FactualTest):
        facts = test.facts
        yield ", ".join(filter(None, (facts.name, facts.unit))), [facts.provenance, facts.method]
    if not isinstance(test, GroupsTest) and test.published:
        yield "Published", [_published(result) for result in test.published]
    if test.agreement:
        yield "Published agreement", [_agreement(figure) for figure in test.agreement]
    human = test.human if isinstance(test, Test) else None
    if human:
        subjects = f"{human.n} subjects"
        if human.n_printed not in ("", str(human.n)):
            subjects += f" (printed as {human.n_printed})"
        figures = "" if human.d is None else f"d = {human.d:.2f}, {_p(human.p)}, {subjects}"
        yield "With people", [figures, human.finding, human.study.citation]
    if isinstance(test, Test) and test.differences:
        yield (
            "Differences from the published list",
            [_difference(item) for item in test.differences],
        )
    if test.dimension:
        yield "Dimension", [test.dimension]
    if test.study:
        yield "Study", [test.study.citation]
    if test.notes:
        yield "Notes", [test.notes]
    if test.variants:
        base = test.id.partition("@")[0]
        others = [base, *(f"{base}@{name}" for name in test.variants)]
        yield "Other word lists", [", ".join(name for name in others if name != test.id)]


def _published(result: Published | PublishedCorrelation) -> str:
    from weatherglass.catalog import Published

    symbol, number = _statistic(result)
    if isinstance(result, Published):
        sizes = f"{result.n_targets} targets and {result.n_attributes} attributes per set"
    else:
        sizes = f"{result.n} targets"
    place = f"{result.table}; {sizes}" if result.table else sizes
    return f"{result.source}: {symbol} = {number:.2f}, {_p(result.p)} ({place})"


def _agreement(figure: PublishedAgreement) -> str:
    place = f" ({figure.table})" if figure.table else ""
    return (
        f"{figure.sources[0]} with {figure.sources[1]}: Pearson {figure.pearson:.2f}, "
        f"Spearman {figure.spearman:.2f}{place}"
    )


def _difference(difference: Difference) -> str:
    ours, theirs = (" ".join(w) or "nothing" for w in (difference.ours, difference.theirs))
    return f"{difference.set}: {difference.reason} Here: {ours} There: {theirs}"


def _p(printed: str) -> str:
    # A bare number in the paper's tables is rounded up.
    return f"p {printed}" if printed[:1] in ("<", "≤") else f"p <= {printed}"
