"""The Map page: the frequent words of an embedding in a plane, and single words explained."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
