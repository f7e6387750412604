"""Figures after those of the papers: pairs of words in a plane, and the matrix of encoders."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
