"""The Crowd page: the tasks of a study, for people in a lab."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
