"""The figures and tables of Antoniak and Mimno (2021), for any source."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
