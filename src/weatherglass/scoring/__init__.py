"""The straw-man sentiment scorer of Caliskan et al.: the same sentence with other names."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
