"""A source of an audit: word vectors, or an encoder."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from weatherglass.encoders import Encoder, open_encoder
from weatherglass.encoders.opening import schemes
from weatherglass.measures import Results
from weatherglass.vectors import (
    Control,
    ControlMethod,
    Vectors,
    control,
    open_vectors,
    parse_spec,
)

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
