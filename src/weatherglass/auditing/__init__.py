"""Audits: many measures over one or more sources, kept as one result set."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
