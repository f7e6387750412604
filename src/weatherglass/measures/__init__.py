"""Measures of bias: one module for each, with its function; results and result sets."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
