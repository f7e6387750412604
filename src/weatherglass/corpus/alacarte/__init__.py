"""Vectors of words by group, from their contexts: à la carte embeddings in a shared space."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
