"""``weatherglass vectors``: show, convert, subset and debias files of vectors."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from weatherglass.errors import CannotMeasure, UsageError, join_first, quote_safe

from .analogy import analogy, plane
from .clean import clean
from .options import case_option, output_options
from .output import Output, progress_bar
from .run_tests import open_source
from .verbosity import SuggestingGroup

if TYPE_CHECKING:
    from weatherglass.catalog import Axis
    from weatherglass.vectors import Debiasing, Format, Vectors

_MAX_EXAMPLES = 5
_WORD_LISTS = {"pairs": "the pairs", "equal": "the equality sets", "specific": "the specific words"}
_source_argument = click.argument("source")
_out_argument = click.argument("out", type=click.Path(path_type=Path))


@click.group(cls=SuggestingGroup)
def vectors() -> None:
    """Show, convert, subset and debias files of vectors, clean lists of words, answer analogies.

    A SOURCE is a path or a registered name (`default`: the bundled vectors). The format is detected
    from the content: GloVe text, word2vec text and binary, fastText .vec and .bin, NumPy .npy and
    .npz, safetensors, Arrow, Parquet, HDF5, a model2vec or spaCy folder; text and binary also
    compressed (.gz, .zst, .xz, .zip). Options follow a question mark:
    `model.zip?member=vectors.txt`.
    """


vectors.add_command(analogy)
vectors.add_command(plane)


@vectors.command()
@_source_argument
@output_options(out=False)
def info(source: str, output: Output) -> None:
    """Show the size of SOURCE, what in it was read as what, its fingerprint, and its problems."""
    from weatherglass.vectors import describe_history, describe_source

    opened = open_source(source)
    facts: dict[str, Any] = {
        "source": opened.source,
        **describe_source(source),
        "words": len(opened),
        "dimensions": opened.dim,
        "capitals": opened.cased,
        "duplicates dropped": opened.duplicates,
        "rows without direction": len(opened.unusable),
        "first words": opened.words[:_MAX_EXAMPLES],
        "fingerprint": opened.fingerprint,
    }
    if opened.history:
        facts["history"] = list(opened.history)
    unusable = [opened.words[int(row)] for row in opened.unusable[:_MAX_EXAMPLES]]
    if unusable:
        facts["without direction"] = unusable
    rows = [{"": n, "value": _plain(fact)} for n, fact in facts.items() if n != "history"]
    rows += [{"": "history", "value": text} for text in describe_history(opened.history)]
    output.write_rows(rows, document=facts)


def _plain(fact: object) -> str:
    if isinstance(fact, list):
        return ", ".join(map(quote_safe, fact))
    if isinstance(fact, bool):
        return "yes" if fact else "no"
    return f"{fact:,}" if isinstance(fact, int) else str(fact)


@vectors.command()
@_source_argument
@_out_argument
def convert(source: str, out: Path) -> None:
    """Write SOURCE to the file OUT, in the format of its suffix.

    .txt (GloVe), .vec (word2vec text), .bin (word2vec binary), .npy, .npz, .safetensors, .parquet,
    .arrow, .h5; .txt, .vec and .bin may be followed by .gz, .zst or .xz.
    """
    form = _find_format(out)
    _write(open_source(source), form, out, "convert")


@vectors.command()
@_source_argument
@_out_argument
@click.option(
    "--words",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    required=True,
    help="File with one word per line.",
)
def subset(source: str, out: Path, words: Path) -> None:
    """Write the rows of some words of SOURCE to the file OUT, in the order of SOURCE."""
    from weatherglass.vectors import open_vectors, read_words

    form = _find_format(out)
    wanted = [word.decode("utf-8", "surrogateescape") for word in read_words(words) if word]
    opened = open_vectors(source, words=wanted)
    missing = [word for word in wanted if word not in opened]
    if not len(opened):
        raise CannotMeasure(f"None of the {len(wanted)} words in {words} is in {source}.")
    _write(opened, form, out, "subset")
    if missing:
        names = join_first(map(quote_safe, missing), _MAX_EXAMPLES)
        click.echo(f"{len(missing)} words are not in {source}: {names}.", err=True)


@vectors.command()
@_source_argument
@click.argument("word")
@click.option(
    "-n",
    "--count",
    type=click.IntRange(1),
    default=10,
    show_default=True,
    help="Number of neighbours.",
)
@case_option()
@output_options(out=False)
def neighbours(source: str, word: str, count: int, case: Any, output: Output) -> None:
    """Show the nearest neighbours of WORD in SOURCE by cosine similarity."""
    from weatherglass.vectors import find_word

    opened = open_source(source)
    nearest = opened.neighbours(find_word(opened, word, case), count)
    output.write_rows([{"word": name, "cosine": round(cosine, 6)} for name, cosine in nearest])


@vectors.command()
@_source_argument
@_out_argument
@click.option(
    "--axis",
    "name",
    default="gender",
    show_default=True,
    metavar="gender|FILE",
    help="The bias to remove: the catalogue's gender lists, or a YAML file with pairs, equal and "
    "specific.",
)
@click.option(
    "--components",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Dimensions of the bias subspace.",
)
@click.option(
    "--expand",
    is_flag=True,
    help="Let a classifier add to the specific words, as in the paper; needs about 300 dimensions.",
)
@click.option("--no-equalise", is_flag=True, help="Do not change the equality sets.")
@case_option(
    "in lower case if the vocabulary has no capitals, and otherwise also capitalised and in "
    "capitals"
)
def debias(
    source: str,
    out: Path,
    name: str,
    components: int,
    expand: bool,
    no_equalise: bool,
    case: Any,
) -> None:
    """Write SOURCE without a bias subspace to the file OUT (hard debiasing, Bolukbasi et al. 2016).

    The differences within pairs such as she and he define the subspace. Every word loses its
    component in the subspace, except specific words such as beard; the words of an equality set
    such as grandmother and grandfather are made to differ only within it. OUT has unit vectors, in
    the format of its suffix (see `convert`). A summary is printed on stderr.

    Much of a bias remains after this: words that shared it are still neighbours.
    """
    from weatherglass.vectors import apply, direct_bias, prepare

    form = _find_format(out)
    lists = _load_axis(name)
    vectors = open_source(source)
    specific = lists.specific
    if expand:
        specific += _learn_specific(vectors, lists, case)
    if no_equalise:  # the words of the equality sets are specific words all the same
        specific += tuple(word for words in lists.equal for word in words)
    plan = prepare(
        vectors,
        lists.pairs,
        equal=() if no_equalise else lists.equal,
        specific=specific,
        components=components,
        case=case,
    )
    with progress_bar("debiasing") as draw:
        debiased = apply(plan, progress=draw)
    before, after = direct_bias(plan, vectors), direct_bias(plan, debiased)
    for line in _debias_summary(plan, debiased, before, after):
        click.echo(line, err=True)
    _write(debiased, form, out)


def _find_format(out: Path) -> Format:
    """Find the format to write, before a large file is read."""
    from weatherglass.vectors import format_for_writing

    if not out.parent.is_dir():
        raise UsageError(f"There is no folder {out.parent}.")
    return format_for_writing(out)


def _write(vectors: Vectors, form: Format, out: Path, action: str = "") -> None:
    """Write vectors with their history; `action` is what this command does, if that is new."""
    from weatherglass.vectors import new_entry, write_vectors

    if action:
        facts = {"words": len(vectors)} if action == "subset" else {}
        entry = new_entry(action, vectors, **facts)
        vectors = dataclasses.replace(vectors, history=(*vectors.history, entry))
    write_vectors(vectors, out, form)
    click.echo(f"{len(vectors):,} words × {vectors.dim} in {out} ({form.name}).", err=True)


def _load_axis(name: str) -> Axis:
    from weatherglass.catalog import axis, load_axis

    return load_axis(name) if Path(name).suffix or len(Path(name).parts) > 1 else axis(name)


def _learn_specific(vectors: Vectors, lists: Axis, case: Any) -> tuple[str, ...]:
    """Return the words that a classifier adds to the specific ones; print how accurate it is."""
    from weatherglass.vectors import learn_specific

    with progress_bar("learning specific words") as draw:
        learned = learn_specific(vectors, lists.specific, case=case, progress=draw)
    click.echo(
        f"Learned from {learned.listed:,} specific words among {learned.trained_on:,} frequent "
        f"ones: {_count(len(learned.words), 'word')} added (precision {learned.precision:.2f}, "
        f"recall {learned.recall:.2f}, F-score {learned.f_score:.2f} on held-out words)"
        f"{_examples(learned.words)}.",
        err=True,
    )
    return learned.words


def _debias_summary(
    plan: Debiasing, debiased: Vectors, before: float, after: float
) -> Iterator[str]:
    """The lines of the summary on stderr."""
    subspace, words = plan.subspace, plan.vectors.words
    yield (
        f"Bias subspace: {len(subspace.sets)} of {_count(subspace.requested, 'pair')}, "
        f"{_count(len(subspace.axes), 'component')} with {sum(subspace.explained):.0%} of the "
        "variance within them."
    )
    yield (
        f"{_count(len(plan.neutral), 'word')} neutralised, {len(plan.exempt):,} kept, "
        f"{_count(len(plan.equal), 'set')} of them equalised."
    )
    yield f"Direct bias of the neutralised words: {before:.3f} before, {after:.3f} after."
    for part, missing in plan.missing.items():
        if missing:
            count = _count(len(missing), "word")
            yield f"Missing of {_WORD_LISTS[part]}: {count}{_examples(missing)}."
    if plan.unequalised:
        alike = [" and ".join(words[row] for row in rows) for rows in plan.unequalised]
        unchanged = f"{_count(len(alike), 'equality set')}{_examples(alike)}"
        yield f"Unchanged, because they do not differ within the subspace: {unchanged}."
    lost = sorted(set(debiased.unusable.tolist()) - set(plan.vectors.unusable.tolist()))
    if lost:
        count, names = _count(len(lost), "word"), _examples(words[row] for row in lost)
        yield f"Zero vectors, because they lie within the subspace: {count}{names}."


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _examples(words: Iterable[str]) -> str:
    examples = join_first(map(quote_safe, words), _MAX_EXAMPLES)
    return f": {examples}" if examples else ""


vectors.add_command(clean)
