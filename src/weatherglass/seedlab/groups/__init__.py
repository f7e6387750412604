"""Groups of a corpus in one shared space: formula, comparison and its result."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
