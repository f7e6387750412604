"""A source of an audit: word vectors, or an encoder."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from weatherglass._files import name_of, read_text, read_yaml
from weatherglass.encoders import Encoder, open_encoder, schemes
from weatherglass.errors import CatalogError, UsageError, quote_safe
from weatherglass.measures import Results
from weatherglass.vectors import Control, ControlMethod, Vectors, control, open_vectors, parse_spec

Fact = str | int | float


@dataclass(frozen=True, eq=False)
class Source:
    """What is audited; opened when it is first needed.

    Attributes
    ----------
    name
        What results and the report call it.
    opens
        What is opened, as sources are named everywhere; the name by default.
    facts
        What is known about it: the step of a checkpoint, the year of a corpus.
    given
        Those of its rows that a step needs, where it cannot be opened.
    """

    name: str
    opens: str = ""
    facts: dict[str, Fact] = field(default_factory=dict)
    given: Vectors | None = field(default=None, repr=False)
    _controls: dict[str, tuple[Vectors, Control]] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "opens", self.opens or self.name)

    @cached_property
    def is_encoder(self) -> bool:
        """Whether the name has the scheme of an encoder."""
        scheme = parse_spec(self.opens).scheme
        # Looking through all that is installed takes long, if there are hundreds of sources.
        return scheme is not None and scheme in schemes()

    @cached_property
    def vectors(self) -> Vectors:
        """The whole of it, for a source of word vectors."""
        opened = self.given if self.given is not None else open_vectors(self.opens)
        return replace(opened, source=self.name)

    @cached_property
    def encoder(self) -> Encoder:
        """The encoder."""
        return open_encoder(self.opens)

    def controlled(self, method: ControlMethod) -> tuple[Vectors, Control]:
        """The vectors without frequency; made once for all tests."""
        if method not in self._controls:
            self._controls[method] = control(self.vectors, method)
        return self._controls[method]

    def described(self) -> dict[str, Any]:
        """What a run says of it."""
        if self.is_encoder:
            encoder = self.encoder
            return {"name": self.name, "kind": "encoder", "fingerprint": encoder.fingerprint}
        vectors = self.vectors
        return {
            "name": self.name,
            "kind": "vectors",
            "fingerprint": vectors.fingerprint,
            "words": len(vectors),
            "dim": vectors.dim,
        }

    def noted(self) -> dict[str, Any]:
        """What a run notes of it besides: what is opened under its name, and the facts."""
        opens = {"opens": self.opens} if self.opens != self.name else {}
        return opens | ({"facts": self.facts} if self.facts else {})

    def labelled(self, found: Any) -> Any:
        """Findings with the name of the source, and with the facts."""
        about = {"name": self.name} | ({"facts": self.facts} if self.facts else {})
        if isinstance(found, Results):
            return Results.of(replace(one, source=one.source | about) for one in found)
        return replace(found, source=found.source | about)


SUFFIXES = (".yaml", ".yml")
Given = str | PathLike[str] | Mapping[str, Any]


def sources_of(given: Given | Sequence[Given]) -> list[Source]:
    """The sources of an audit: names, mappings of ``source``, ``name`` and facts, or YAML files of
    such mappings.

    >>> [one.facts for one in sources_of([{"source": "default", "year": 1990}])]
    [{'year': 1990}]
    """
    several = [given] if isinstance(given, str | PathLike | Mapping) else list(given)
    listed: list[Mapping[str, Any]] = []
    for one in several:
        if isinstance(one, Mapping):
            listed.append(one)
        elif Path(one).suffix.lower() in SUFFIXES and Path(one).is_file():
            listed += load_models(one)
        else:
            listed.append({"source": fspath(one)})
    made = [_source(one) for one in listed]
    names = [one.name for one in made]
    twice = next((name for name in names if names.count(name) > 1), None)
    if not made:
        raise UsageError("Name one source or several, each once.")
    if twice is not None:
        raise UsageError(
            f"Name one source or several, each once: {quote_safe(twice)} comes twice. A mapping with a "
            "name of its own can open the same source."
        )
    return _typed(made)


def load_models(path: str | PathLike[str]) -> list[dict[str, Any]]:
    """The entries of a YAML list of sources. A path is taken as seen from the file's own folder
    where there is one, else as any source is named."""
    path = Path(path)
    documents: list[Any] = read_yaml(read_text(path), path.name)
    entries = documents[0] if len(documents) == 1 else None
    if not isinstance(entries, list) or not entries:
        raise CatalogError(
            f"{name_of(path)}: a list of sources was expected, each a name or a mapping of source "
            "and facts."
        )
    made = []
    for number, entry in enumerate(entries, 1):
        one = {"source": entry} if isinstance(entry, str) else entry
        if not isinstance(one, dict) or not isinstance(one.get("source"), str):
            raise CatalogError(f"{name_of(path)}: entry {number} names no source.")
        beside = str(path.parent / one["source"])
        told = {"name": one["source"], **one}
        # Unlike a path's own method this gives no error for a name that no file can have.
        made.append(told | {"source": beside} if os.path.exists(beside) else told)
    return made


def _source(entry: Mapping[str, Any]) -> Source:
    source = entry.get("source")
    if not isinstance(source, str | PathLike):
        raise UsageError(f"{quote_safe(str(dict(entry)))} names no source.")
    facts = {str(k): v for k, v in entry.items() if k not in ("source", "name")}
    wrong = next((k for k, v in facts.items() if not isinstance(v, str | int | float)), None)
    if wrong is not None:
        raise UsageError(
            f"The fact {quote_safe(wrong)} of {quote_safe(fspath(source))} must be a word or number."
        )
    name = str(entry.get("name") or fspath(source))
    return Source(name, opens=fspath(source), facts=facts)


def _typed(sources: Iterable[Source]) -> list[Source]:
    """Facts that are numbers in all sources become numbers, the others words."""
    listed = list(sources)
    kinds: dict[str, type[Any]] = {}
    for fact in dict.fromkeys(fact for one in listed for fact in one.facts):
        values = [one.facts[fact] for one in listed if fact in one.facts]
        kinds[fact] = next((kind for kind in (int, float) if _all(kind, values)), str)
    return [
        Source(one.name, one.opens, {k: kinds[k](v) for k, v in one.facts.items()})
        for one in listed
    ]


def _all(kind: type[Any], values: Sequence[Fact]) -> bool:
    try:
        return all(math.isfinite(kind(v)) and not isinstance(v, bool) for v in values) and not (
            kind is int and any(isinstance(v, float) for v in values)
        )
    except (ValueError, OverflowError):
        return False
