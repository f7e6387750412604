"""Which models a corpus gets: it is read and divided, and too small groups are left out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from weatherglass.errors import CannotMeasure, few, shown

from .corpus import Corpus
from .dividing import no_column
from .numbered import Gathering
from .runs import Run
from .settings import Settings

Progress = Callable[[str, int, int], None]


def gather(
    corpus: Corpus, settings: Settings, run: Run, work: Path, progress: Progress | None
) -> dict[str, Path]:
    """Read the corpus, decide which groups to train; returns where each is kept."""
    gathering = Gathering(work, settings.tokenizer)
    columns: dict[str, None] = {}
    lost = 0

    def tell(done: int, total: int) -> None:
        if progress is not None:
            progress("reading", done, total)

    for document in corpus.documents(tell):
        group = "" if settings.by is None else document.meta.get(settings.by)
        if group is None:
            lost += 1
            columns |= dict.fromkeys(document.meta)
        else:
            gathering.add(document, group)
    if not gathering.sizes:
        raise no_column(corpus.source, settings.by or "", columns)
    groups = _groups(gathering, settings, corpus.source)
    run.record["notes"] = _notes(groups, settings, run.record["bootstrap"], lost)
    run.plan(groups)
    return {name: gathering.folder(name) for name in groups if "reason" not in groups[name]}


def _groups(gathering: Gathering, settings: Settings, source: str) -> dict[str, dict[str, Any]]:
    """Documents, tokens and words of each group, and the reason if it is left out."""
    groups: dict[str, dict[str, Any]] = {}
    for name, (documents, tokens) in sorted(gathering.sizes.items()):
        groups[name] = {"documents": documents, "tokens": tokens}
        if settings.by is not None and tokens < settings.min_size:
            groups[name]["reason"] = f"{tokens:,} tokens, fewer than {settings.min_size:,}"
            continue
        try:
            called = source if settings.by is None else shown(name)
            groups[name]["words"] = gathering.finish(name, settings.min_count, called)
        except CannotMeasure as error:
            if settings.by is None:
                raise
            groups[name]["reason"] = str(error).rstrip(".")
    if all("reason" in one for one in groups.values()):
        said = (f"{shown(name)}: {one['reason']}" for name, one in groups.items())
        reasons = few(said, between="; ")
        raise CannotMeasure(f"No value of {settings.by} has enough text to train on ({reasons}).")
    return groups


def _notes(
    groups: dict[str, dict[str, Any]], settings: Settings, bootstrap: int, lost: int
) -> list[str]:
    notes = []
    if lost:
        notes.append(f"{lost:,} documents have no value for {settings.by} and were left out")
    for name, one in groups.items():
        if "reason" in one:
            notes.append(f"{settings.by} {shown(name)} was left out: {one['reason']}")
        elif bootstrap and one["documents"] == 1:
            what = "the corpus is" if settings.by is None else f"{settings.by} {shown(name)} has"
            notes.append(
                f"{what} one document, from which no sample can be drawn: there are no bootstraps; "
                "in plain text, ?documents=lines or ?documents=paragraphs makes each of them one"
            )
    return notes
