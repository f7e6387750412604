"""What to ask: tests of words and of sentences, with sources, published figures and facts."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
