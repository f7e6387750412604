"""The seed lab: how far an answer depends on the seed words that were chosen."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
