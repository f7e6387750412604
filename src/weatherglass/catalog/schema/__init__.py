"""The schema of tests: association tests, tests of several groups, and factual tests."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
