"""``weatherglass vectors debias``: take a bias subspace out of a file of vectors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from weatherglass.errors import join_first, quote_safe

from .options import format_of, opened, write
from .output import progress_bar

if TYPE_CHECKING:
    from weatherglass.catalog import Axis
    from weatherglass.vectors import Debiasing, Vectors

_EXAMPLES = 5
_SETS = {"pairs": "the pairs", "equal": "the equality sets", "specific": "the specific words"}


@click.command()
@click.argument("source")
@click.argument("out", type=click.Path(path_type=Path))
@click.option(
    "--axis",
    "name",
    default="gender",
    show_default=True,
    metavar="gender|FILE",
    help="What to take out: the catalogue's gender lists, or a YAML file with pairs, equal and "
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
    help="Let a classifier add to the specific words, as in the paper; needs some 300 dimensions.",
)
@click.option("--no-equalise", is_flag=True, help="Leave the equality sets as they are.")
@click.option(
    "--case",
    type=click.Choice(["auto", "keep", "lower"]),
    default="auto",
    show_default=True,
    help="Look words up as written, in lower case, or (auto) in lower case where the vocabulary "
    "has no capitals, and otherwise with a capital and in capitals too.",
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

    The differences within pairs such as she and he define the subspace. Every word loses its part
    within it, except specific words such as beard; the words of an equality set such as
    grandmother and grandfather are made to differ within it only. OUT has unit vectors, in the
    format its name ends in (see `convert`). What was done is said on stderr.

    Much of a bias stays after this: words that shared it are still neighbours.
    """
    from weatherglass.vectors import apply, direct_bias, prepare

    form = format_of(out)
    lists = _axis(name)
    vectors = opened(source)
    specific = lists.specific
    if expand:
        specific += _learned(vectors, lists, case)
    if no_equalise:  # the sets' words are still specific ones
        specific += tuple(word for one in lists.equal for word in one)
    todo = prepare(
        vectors,
        lists.pairs,
        equal=() if no_equalise else lists.equal,
        specific=specific,
        components=components,
        case=case,
    )
    with progress_bar("debiasing") as draw:
        made = apply(todo, progress=draw)
    before, after = direct_bias(todo, vectors), direct_bias(todo, made)
    for line in _said(todo, made, before, after):
        click.echo(line, err=True)
    write(made, form, out)


def _axis(name: str) -> Axis:
    from weatherglass.catalog import axis, load_axis

    return load_axis(name) if Path(name).suffix or len(Path(name).parts) > 1 else axis(name)


def _learned(vectors: Vectors, lists: Axis, case: Any) -> tuple[str, ...]:
    """The words that a classifier adds to the specific ones, and a line about how good it is."""
    from weatherglass.vectors import learn_specific

    with progress_bar("learning specific words") as draw:
        learned = learn_specific(vectors, lists.specific, case=case, progress=draw)
    click.echo(
        f"Learned from {learned.listed:,} specific words among {learned.trained_on:,} frequent "
        f"ones: {_count(len(learned.words), 'word')} added (precision {learned.precision:.2f}, "
        f"recall {learned.recall:.2f}, F-score {learned.f_score:.2f} on words held out)"
        f"{_some(learned.words)}.",
        err=True,
    )
    return learned.words


def _said(todo: Debiasing, made: Vectors, before: float, after: float) -> Iterator[str]:
    """What was done, a line each."""
    subspace, words = todo.subspace, todo.vectors.words
    yield (
        f"Bias subspace: {len(subspace.sets)} of {_count(subspace.asked, 'pair')}, "
        f"{_count(len(subspace.axes), 'component')} with {sum(subspace.explained):.0%} of the "
        "variance within them."
    )
    yield (
        f"{_count(len(todo.neutral), 'word')} neutralised, {len(todo.kept):,} kept, "
        f"{_count(len(todo.equal), 'set')} of them equalised."
    )
    yield f"Direct bias of the neutralised words: {before:.3f} before, {after:.3f} after."
    for part, missing in todo.missing.items():
        if missing:
            yield f"Missing of {_SETS[part]}: {_count(len(missing), 'word')}{_some(missing)}."
    if todo.alike:
        alike = [" and ".join(words[at] for at in one) for one in todo.alike]
        left = f"{_count(len(alike), 'equality set')}{_some(alike)}"
        yield f"Left as they are, for lack of a difference within the subspace: {left}."
    lost = sorted(set(made.unusable.tolist()) - set(todo.vectors.unusable.tolist()))
    if lost:
        names = _some(words[at] for at in lost)
        yield f"Nothing is left of {_count(len(lost), 'word')} outside the subspace{names}."


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


def _some(words: Iterable[str]) -> str:
    said = join_first(map(quote_safe, words), _EXAMPLES)
    return f": {said}" if said else ""
