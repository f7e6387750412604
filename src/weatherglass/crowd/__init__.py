"""Evaluation of a discovery by people: tasks for crowd workers, and what their answers say."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
