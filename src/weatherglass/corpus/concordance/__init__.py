"""Look at the words of a corpus before training: counts by group, and words in context."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
