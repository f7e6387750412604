"""How sure: permutation and rotation p-values, intervals, power, multiple-testing correction.

Importing this package loads numpy only; scipy and the compiled kernels load on first use.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
