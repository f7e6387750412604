"""Sentences and their vectors, from any encoder."""

from .encoding import encode_all
from .opening import open_encoder, schemes
from .protocol import Encoder, Encodings, WordEncoder
from .seat import seat

__all__ = ["Encoder", "Encodings", "WordEncoder", "encode_all", "open_encoder", "schemes", "seat"]
