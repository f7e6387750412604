"""Work in many independent tasks: on threads, on processes, on a Dask cluster, with one result."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
