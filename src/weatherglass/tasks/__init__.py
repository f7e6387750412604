"""Independent tasks on threads, processes or a Dask cluster, with the same result on each."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
