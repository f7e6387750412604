"""A source of an audit: word vectors, or an encoder."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from weatherglass.encoders import Encoder, open_encoder
from weatherglass.encoders.opening import schemes
from weatherglass.vectors import (
    Control,
    ControlMethod,
    Vectors,
    control,
    open_vectors,
    parse_spec,
)


@dataclass(frozen=True, eq=False)
class Source:
    """What is audited, as it was named; opened when it is first needed."""

    name: str
    _controls: dict[str, tuple[Vectors, Control]] = field(default_factory=dict, repr=False)

    @property
    def is_encoder(self) -> bool:
        """Whether the name has the scheme of an encoder."""
        return parse_spec(self.name).scheme in schemes()

    @cached_property
    def vectors(self) -> Vectors:
        """The whole of it, for a source of word vectors."""
        return open_vectors(self.name)

    @cached_property
    def encoder(self) -> Encoder:
        """The encoder."""
        return open_encoder(self.name)

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
