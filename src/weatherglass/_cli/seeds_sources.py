"""What the seed lab measures on: vectors, or folders that `weatherglass train` has written."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from weatherglass.errors import BadContent

from .asking import frequency_told
from .progress import progress_bar

if TYPE_CHECKING:
    from weatherglass.seedlab.models import Models
    from weatherglass.vectors import Vectors

sources_argument = click.argument("sources", metavar="SOURCE...", nargs=-1, required=True)
control_option = click.option(
    "--control",
    type=click.Choice(["auto", "frequency", "none"]),
    default="none",
    show_default=True,
    help="Measure on vectors from which word frequency was taken out; auto: where it is a large "
    "part of them.",
)


def open_sources(sources: Sequence[str], control: Any = "none") -> Iterator[Models]:
    """The vectors of each source, without frequency if asked for; of a folder of trained models,
    each group with its samples."""
    from weatherglass.seedlab.models import Models

    for source in sources:
        if _is_trained(source):
            opened = list(_trained(source))
        else:
            opened = [Models.of(_opened(source), source)]
        for models in opened:
            yield _controlled(models, control)


def open_whole(
    source: str, words: Iterable[str] | None = None, control: Any = "none"
) -> list[Models]:
    """The vectors of a source; of a folder of trained models, the full one of each group.

    Only some words, where frequency stays in: how frequent they are, only the others can tell.
    """
    from weatherglass.corpus.modelfiles import SUFFIX, read_record
    from weatherglass.seedlab.models import Models

    some = list(words) if words is not None and control == "none" else None
    if not _is_trained(source):
        return [_controlled(Models.of(_opened(source, some), source), control)]
    models = read_record(Path(source))["models"]
    done = [label for label, state in models.items() if state == "done" and _is_full(label)]
    full = [label for label in done if Path(source, label + SUFFIX).exists()]
    if not full:
        raise BadContent(
            f"{source} holds no finished model of a whole corpus yet: run `weatherglass train` on "
            "it again, which goes on where it stopped."
        )
    return [
        _controlled(
            Models.of(_opened(str(Path(source, label + SUFFIX)), some), _name(source, label)),
            control,
        )
        for label in full
    ]


def named_vectors(models: Models) -> Vectors:
    """The vectors of the whole corpus, which results call as the user does."""
    return dataclasses.replace(models.whole, source=models.name)


def control_told(sources: Iterable[Mapping[str, Any]]) -> list[str]:
    """What was done about frequency, a sentence for each source; none if that was not asked."""
    told = {one["name"]: one["control"] for one in sources if "control" in one}
    where = {name: f" ({name})" if len(told) > 1 else "" for name in told}
    return [f"{frequency_told(one)[:-1]}{where[name]}." for name, one in told.items()]


def _opened(source: str, words: list[str] | None = None) -> Vectors:
    from weatherglass.vectors import open_vectors

    with progress_bar(f"reading {source}") as draw:
        return open_vectors(source, words=words, progress=draw)


def _is_trained(source: str) -> bool:
    """Whether a source is a folder that `weatherglass train` has written."""
    from weatherglass.corpus.modelfiles import RECORD

    return (Path(source) / RECORD).is_file()


def _is_full(label: str) -> bool:
    return label.rpartition("/")[2] == "full"


def _trained(folder: str) -> Iterator[Models]:
    from weatherglass.corpus import open_models
    from weatherglass.seedlab.models import Models

    models = open_models(folder)
    for group in dict.fromkeys(one.group for one in models):
        some = [one for one in models if one.group == group]
        yield Models.of(some, _name(folder, some[0].label))


def _name(folder: str, label: str) -> str:
    """What results call the models of a group."""
    group = label.rpartition("/")[0]
    return f"{folder.rstrip('/')}: {group}" if group else folder.rstrip("/")


def _controlled(models: Models, method: Any) -> Models:
    if method == "none":
        return models
    with progress_bar(f"taking frequency out of {models.name}") as draw:
        return models.controlled(method, draw)
