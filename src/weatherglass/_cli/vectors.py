"""``weatherglass vectors``: look at a file of vectors, convert it, cut it down, debias it."""

from __future__ import annotations

from pathlib import Path

import click

from weatherglass.errors import CannotMeasure, join_first, quote_safe

from .options import format_of, opened, write
from .output import emit, format_option
from .vectors_debias import debias

_EXAMPLES = 5


@click.group()
def vectors() -> None:
    """Look at a file of vectors, convert it, cut it down, debias it.

    A SOURCE is a path or a registered name (`default`: the embedded vectors). The format is found
    from the content: GloVe text, word2vec text and binary, fastText .vec and .bin, NumPy .npy and
    .npz, safetensors, Arrow, Parquet, HDF5, a model2vec or spaCy folder; text and binary also
    inside .gz, .zst, .xz and .zip. Options follow a question mark: `model.zip?member=vectors.txt`.
    """


vectors.add_command(debias)


@vectors.command()
@click.argument("source")
@format_option
def info(source: str, form: str) -> None:
    """Show what SOURCE holds: size, fingerprint, and what is wrong with it."""
    found = opened(source)
    unusable = [found.words[int(i)] for i in found.unusable[:_EXAMPLES]]
    facts = {
        "source": found.source,
        "words": len(found),
        "dimensions": found.dim,
        "capitals": found.cased,
        "duplicates dropped": found.duplicates,
        "rows without direction": len(found.unusable),
        "first words": found.words[:_EXAMPLES],
        "fingerprint": found.fingerprint,
    }
    if unusable:
        facts["without direction"] = unusable
    rows = [{"": name, "value": _plain(fact)} for name, fact in facts.items()]
    emit(rows, form, document=facts)


def _plain(fact: object) -> str:
    if isinstance(fact, list):
        return ", ".join(map(quote_safe, fact))
    if isinstance(fact, bool):
        return "yes" if fact else "no"
    return f"{fact:,}" if isinstance(fact, int) else str(fact)


@vectors.command()
@click.argument("source")
@click.argument("out", type=click.Path(path_type=Path))
def convert(source: str, out: Path) -> None:
    """Write SOURCE to the file OUT, in the format that OUT's name ends in.

    .txt (GloVe), .vec (word2vec text), .bin (word2vec binary), .npy, .npz, .safetensors, .parquet,
    .arrow, .h5; .txt, .vec and .bin may have .gz, .zst or .xz after them.
    """
    form = format_of(out)
    write(opened(source), form, out)


@vectors.command()
@click.argument("source")
@click.argument("out", type=click.Path(path_type=Path))
@click.option(
    "--words",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    required=True,
    help="A file with one word a line.",
)
def subset(source: str, out: Path, words: Path) -> None:
    """Write the rows of some words of SOURCE to the file OUT, in the order of SOURCE."""
    from weatherglass.vectors import open_vectors, read_words

    form = format_of(out)
    asked = [word.decode("utf-8", "surrogateescape") for word in read_words(words) if word]
    found = open_vectors(source, words=asked)
    missing = [word for word in asked if word not in found]
    if not len(found):
        raise CannotMeasure(f"None of the {len(asked)} words in {words} is in {source}.")
    write(found, form, out)
    if missing:
        names = join_first(map(quote_safe, missing), _EXAMPLES)
        click.echo(f"{len(missing)} words are not in {source}: {names}.", err=True)


@vectors.command()
@click.argument("source")
@click.argument("word")
@click.option("-n", "--count", type=click.IntRange(1), default=10, show_default=True)
@format_option
def neighbours(source: str, word: str, count: int, form: str) -> None:
    """Show the words of SOURCE that are nearest to WORD, by cosine."""
    near = opened(source).neighbours(word, count)
    emit([{"word": name, "cosine": round(cosine, 6)} for name, cosine in near], form)
