"""The seed lab: how far a result depends on the choice of seed words."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
