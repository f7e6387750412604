"""The sources of an audit: word vectors or encoders, with facts about them."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from weatherglass._files import printable_path, read_text, read_yaml
from weatherglass.encoders import (
    Encoder,
    View,
    as_source,
    encode_words,
    open_encoder,
    schemes,
)
from weatherglass.errors import CatalogError, UsageError, WeatherglassError, quote_safe
from weatherglass.measures import (
    TABLE_SCHEME,
    AssociationTable,
    Embedding,
    SourceValence,
    need_vectors,
    open_embedding,
    source_valence,
    valence_words,
)
from weatherglass.measures import Source as AnySource
from weatherglass.measures import describe_source as describe_embedding
from weatherglass.vectors import (
    FittedControl,
    Vectors,
    fit_control,
    is_pair,
    is_row,
    parse_controls,
    parse_spec,
)

from .health import encoder_health, vector_health

Fact = str | int | float


@dataclass(frozen=True, eq=False)
class Source:
    """A source of an audit; opened when it is first needed.

    Attributes
    ----------
    name
        Its name in the results and the report.
    opens
        What is opened: a path, a registered name or a source spec; the name by default.
    facts
        Facts about it: the step of a checkpoint, the year of a corpus.
    rows
        The rows that a step needs, where the source itself cannot be opened.
    cache
        Whether an encoder's sentences are read from the cache and saved there.
    memory
        The source itself, if it is an object in memory, which nobody else can open.
    """

    name: str
    opens: str = ""
    facts: dict[str, Fact] = field(default_factory=dict)
    rows: Vectors | None = field(default=None, repr=False)
    cache: bool = True
    memory: Vectors | AssociationTable | Encoder | None = field(default=None, repr=False)
    _controls: dict[str, FittedControl] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "opens", self.opens or self.name)

    @cached_property
    def is_encoder(self) -> bool:
        """Whether it is an encoder, or the name has the scheme of one."""
        if self.memory is not None:
            return not isinstance(self.memory, Vectors | AssociationTable)
        scheme = parse_spec(self.opens).scheme
        # `schemes` looks through all installed packages: too slow for hundreds of plain paths.
        return scheme is not None and scheme in schemes()

    @cached_property
    def is_table(self) -> bool:
        """Whether it is an association table."""
        if self.memory is not None:
            return isinstance(self.memory, AssociationTable)
        return parse_spec(self.opens).scheme == TABLE_SCHEME

    @cached_property
    def embedding(self) -> Embedding:
        """The whole source, for word vectors and tables."""
        opened: Embedding
        if isinstance(self.memory, Vectors | AssociationTable):
            opened = self.memory
        elif self.rows is not None:
            opened = self.rows
        else:
            opened = open_embedding(self.opens)
        if isinstance(opened, AssociationTable):
            return opened.named(self.name)
        return replace(opened, source=self.name)

    @property
    def vectors(self) -> Vectors:
        """The whole source, for word vectors; raise `CannotMeasure` for a table."""
        return need_vectors(self.embedding, "This step")

    @cached_property
    def encoder(self) -> Encoder:
        """The encoder."""
        if self.memory is not None:
            assert not isinstance(self.memory, Vectors | AssociationTable)
            return self.memory
        encoder = open_encoder(self.opens, cache=self.cache)
        if getattr(encoder, "views", None):
            raise UsageError(
                f"{quote_safe(self.opens)} is a sweep over all layers; name one layer, or use "
                "`weatherglass seat` or `weatherglass audit`."
            )
        return encoder

    def controls(self, names: str) -> list[str] | list[FittedControl]:
        """Return fitted controls, each fitted once for all tests; for a table, only their names.

        One that cannot be fitted changes nothing and states the reason, so that the tests are run.
        """
        if self.is_table:
            return list(parse_controls(names))
        for name in parse_controls(names):
            if name not in self._controls:
                self._controls[name] = fit_control(self.vectors, name, strict=False)
        return [self._controls[name] for name in parse_controls(names)]

    def describe(self) -> dict[str, Any]:
        """Return the source's entry in ``run.json``; see `run_folder.SourceRecord`."""
        if self.is_encoder:
            encoder = self.encoder
            about = {"name": self.name, "kind": "encoder", "fingerprint": encoder.fingerprint}
            return about | self._describe_history()
        if self.is_table:
            return describe_embedding(self.embedding)
        vectors = self.vectors
        return {
            "name": self.name,
            "kind": "vectors",
            "fingerprint": vectors.fingerprint,
            "words": len(vectors),
            "dim": vectors.dim,
            **self._describe_history(),
        }

    def _describe_history(self) -> dict[str, Any]:
        return {"history": list(self.history)} if self.history else {}

    @property
    def history(self) -> tuple[dict[str, Any], ...]:
        """How the vectors were made, as in `weatherglass.Vectors`; empty if it is not known."""
        source = self.encoder if self.is_encoder else self.embedding
        return tuple(getattr(source, "history", ()))

    def describe_valence(self) -> dict[str, Any]:
        """Return how far the source agrees with the ratings of people, or why that is not known."""
        if not self.is_encoder:
            return asdict(source_valence(self.embedding))
        try:
            rated = encode_words(self.encoder, valence_words())
        except WeatherglassError as error:
            return asdict(SourceValence(reason=str(error).rstrip(".")))
        return asdict(source_valence(rated))

    def describe_with_health(self) -> dict[str, Any]:
        """Return the entry with what shows a broken source: `health.Health` and its valence."""
        about = self.describe()
        if self.is_table:
            return about | {"valence": self.describe_valence()}
        try:
            measured = (
                encoder_health(self.encoder) if self.is_encoder else vector_health(self.vectors)
            )
        except WeatherglassError as error:  # the steps will say why nothing can be measured
            reason = str(error).rstrip(".")
            return about | {"valence": asdict(SourceValence(reason=reason))}
        return about | {"valence": self.describe_valence(), "health": asdict(measured)}

    def describe_given(self) -> dict[str, Any]:
        """Return the part of the entry that is known without opening the source."""
        opens: dict[str, Any] = {"opens": self.opens} if self.opens != self.name else {}
        opens |= {"memory": True} if self.memory is not None else {}
        return opens | ({"facts": self.facts} if self.facts else {})

    def label(self, payload: Any) -> Any:
        """Return results with the name of the source and the facts about it."""
        about = {"name": self.name} | ({"facts": self.facts} if self.facts else {})
        return payload.with_source(about)


SUFFIXES = (".yaml", ".yml")
Given = AnySource | Mapping[str, Any]
"""A source, or a mapping of ``source``, ``name`` and facts."""


def list_sources(given: Given | Sequence[Given]) -> list[Any]:
    """Return what was given as a list; a pair of words and rows is a single source.

    >>> list_sources("default"), list_sources(["a.txt", "b.txt"]), list_sources((["a"], [[1.0]]))
    (['default'], ['a.txt', 'b.txt'], [(['a'], [[1.0]])])
    """
    is_list = isinstance(given, list | tuple) and not is_pair(given)
    return list(given) if is_list else [given]  # type: ignore[arg-type]


def is_entry(item: Any) -> bool:
    """Return whether a mapping names a source and facts; otherwise it maps words to rows."""
    if not isinstance(item, Mapping) or "source" not in item:
        return False
    # An embedding that happens to have the word "source" has a row for it, and only rows.
    return isinstance(item["source"], str | PathLike) or not all(map(is_row, item.values()))


def parse_sources(given: Given | Sequence[Given]) -> list[Source]:
    """Return the sources of an audit: any source, mappings of ``source``, ``name`` and facts, or
    YAML files with a list of such mappings.

    >>> [source.facts for source in parse_sources([{"source": "default", "year": 1990}])]
    [{'year': 1990}]
    """
    entries: list[Mapping[str, Any]] = []
    for item in list_sources(given):
        if is_entry(item):
            entries.append(item)
        elif not isinstance(item, str | PathLike):
            entries.append({"source": item})
        elif Path(item).suffix.lower() in SUFFIXES and Path(item).is_file():
            entries += load_models(item)
        else:
            entries.append({"source": fspath(item)})
    sources = [view for entry in entries for view in _split_layers(_parse_source(entry))]
    names = [source.name for source in sources]
    duplicate = next((name for name in names if names.count(name) > 1), None)
    if not sources:
        raise UsageError("Name at least one source.")
    if duplicate is not None:
        raise UsageError(
            f"Name each source once: {quote_safe(duplicate)} is a duplicate. To open the same "
            "source again, give a mapping with another name."
        )
    return _convert_facts(sources)


def load_models(path: str | PathLike[str]) -> list[dict[str, Any]]:
    """Read the entries of a YAML list of sources.

    A path is relative to the folder of the YAML file if there is such a file, else to the working
    folder like any other source.
    """
    path = Path(path)
    documents: list[Any] = read_yaml(read_text(path), path.name)
    entries = documents[0] if len(documents) == 1 else None
    if not isinstance(entries, list) or not entries:
        raise CatalogError(
            f"{printable_path(path)}: expected a list of sources, each a name or a mapping of "
            "source and facts."
        )
    sources = []
    for number, item in enumerate(entries, 1):
        entry = {"source": item} if isinstance(item, str) else item
        if not isinstance(entry, dict) or not isinstance(entry.get("source"), str):
            raise CatalogError(f"{printable_path(path)}: entry {number} names no source.")
        beside = str(path.parent / entry["source"])
        entry = {"name": entry["source"], **entry}
        # os.path.exists, because Path.exists raises for a name that no file can have.
        sources.append(entry | {"source": beside} if os.path.exists(beside) else entry)
    return sources


def _parse_source(entry: Mapping[str, Any]) -> Source:
    source: Any = entry.get("source")
    facts = {str(k): v for k, v in entry.items() if k not in ("source", "name")}
    wrong = next((k for k, v in facts.items() if not isinstance(v, str | int | float)), None)
    if wrong is not None:
        raise UsageError(
            f"The fact {quote_safe(wrong)} of {quote_safe(_name(entry))} must be a word or a "
            "number."
        )
    if not isinstance(source, str | PathLike):
        opened = as_source(source, name=str(entry.get("name") or ""))
        name = str(entry.get("name") or source_name(opened))
        return Source(name, facts=facts, memory=opened)
    name = str(entry.get("name") or fspath(source))
    return Source(name, opens=fspath(source), facts=facts)


def _name(entry: Mapping[str, Any]) -> str:
    source = entry.get("source")
    return str(entry.get("name") or source if isinstance(source, str | PathLike) else "a source")


def source_name(source: Vectors | AssociationTable | Encoder) -> str:
    """Return what results call an opened source."""
    is_encoder = not isinstance(source, Vectors | AssociationTable)
    return source.name if is_encoder else source.source  # type: ignore[union-attr]


def _split_layers(source: Source) -> list[Source]:
    """Return a source for each layer of a sweep (``layer=all``); any other source as it is."""
    if source.memory is not None or "layer=all" not in source.opens or not source.is_encoder:
        return [source]
    views: Sequence[View] = getattr(open_encoder(source.opens), "views", ())
    return [
        Source(
            view.name
            if source.name == source.opens
            else f"{source.name}, layer {view.facts['layer']}",
            view.name,
            source.facts | dict(view.facts),
        )
        for view in views
    ] or [source]


def _convert_facts(sources: Iterable[Source]) -> list[Source]:
    """Convert facts that are numbers in all sources to numbers, all others to text."""
    listed = list(sources)
    kinds: dict[str, type[Any]] = {}
    for fact in dict.fromkeys(fact for source in listed for fact in source.facts):
        values = [source.facts[fact] for source in listed if fact in source.facts]
        kinds[fact] = next((kind for kind in (int, float) if _are_all(kind, values)), str)
    return [
        replace(source, facts={k: kinds[k](v) for k, v in source.facts.items()})
        for source in listed
    ]


def _are_all(kind: type[Any], values: Sequence[Fact]) -> bool:
    try:
        return all(math.isfinite(kind(v)) and not isinstance(v, bool) for v in values) and not (
            kind is int and any(isinstance(v, float) for v in values)
        )
    except (ValueError, OverflowError):
        return False
