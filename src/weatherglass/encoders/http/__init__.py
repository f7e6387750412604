"""``http:URL``: embedding endpoints, and how it is known which model answers there."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
