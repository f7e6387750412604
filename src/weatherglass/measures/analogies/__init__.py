"""Word analogies, pairs of words along a seed direction, and pairs of words in a plane."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
