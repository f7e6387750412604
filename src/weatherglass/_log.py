"""The log of the library, under the logger ``weatherglass``.

A program that uses the library sees nothing of it unless it configures `logging`:
``logging.basicConfig(level="INFO")`` shows what is opened, run and reused; the command line has
``-v`` for that.
"""

import logging

logging.getLogger("weatherglass").addHandler(logging.NullHandler())


def get_logger(module: str) -> logging.Logger:
    """Return the logger of a module, given its ``__name__``."""
    return logging.getLogger(module)
