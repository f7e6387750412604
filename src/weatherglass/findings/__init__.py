"""Findings: a result and its evidence become a grade and a sentence, the same everywhere."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
