"""Sentences and their vectors, from any encoder."""

from .ceat import corpus_lines
from .encoding import encode_all
from .opening import open_encoder, schemes
from .protocol import Encoder, Encodings, WordEncoder

__all__ = [
    "Encoder",
    "Encodings",
    "WordEncoder",
    "corpus_lines",
    "encode_all",
    "open_encoder",
    "schemes",
]
