"""How sure: p-values without guessing, intervals, and correction for many tests.

Importing this brings in numpy only; scipy and the compiled kernels are loaded when they are used.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
