"""Charts of reports, laid out for templates that write them as SVG, narrow and wide."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
