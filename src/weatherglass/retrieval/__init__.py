"""Retrieval audits: which versions of the same document does an encoder rank higher?"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
