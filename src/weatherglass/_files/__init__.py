"""Bytes on disk: inputs, atomic writes, fingerprints, the cache and strict text readers."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
