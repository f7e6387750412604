"""What to measure: tests of words and sentences with their provenance, seed sets, names, suites."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
