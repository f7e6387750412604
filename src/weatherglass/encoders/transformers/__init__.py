"""``hf:`` and ``st:``: models of transformers and of sentence-transformers."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
