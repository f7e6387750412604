"""Weatherglass reads the social bias in word and sentence embeddings and says how sure it is.

The public names are loaded when they are first used, so that importing the package is quick.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from ._version import __version__

if TYPE_CHECKING:
    from .catalog import FactualTest as FactualTest
    from .catalog import Test as Test
    from .catalog import load_tests as load_tests
    from .catalog import test as test
    from .catalog import tests as tests
    from .encoders import open_encoder as open_encoder
    from .encoders.ceat import ceat as ceat
    from .encoders.seat import seat as seat
    from .measures import CeatResult as CeatResult
    from .measures import Results as Results
    from .measures import SeatResult as SeatResult
    from .measures import WeatResult as WeatResult
    from .measures import WefatResult as WefatResult
    from .measures.weat import weat as weat
    from .measures.wefat import wefat as wefat
    from .report import plot as plot
    from .report import save_plot as save_plot
    from .significance import PValue as PValue
    from .significance import permutation_p as permutation_p
    from .vectors import Vectors as Vectors
    from .vectors import open_vectors as open_vectors

_HOME = {
    "CeatResult": "measures",
    "FactualTest": "catalog",
    "PValue": "significance",
    "Results": "measures",
    "SeatResult": "measures",
    "Test": "catalog",
    "Vectors": "vectors",
    "WeatResult": "measures",
    "WefatResult": "measures",
    "ceat": "encoders.ceat",
    "load_tests": "catalog",
    "open_encoder": "encoders",
    "open_vectors": "vectors",
    "permutation_p": "significance",
    "plot": "report",
    "save_plot": "report",
    "seat": "encoders.seat",
    "test": "catalog",
    "tests": "catalog",
    "weat": "measures.weat",
    "wefat": "measures.wefat",
}

__all__ = [
    "CeatResult",
    "FactualTest",
    "PValue",
    "Results",
    "SeatResult",
    "Test",
    "Vectors",
    "WeatResult",
    "WefatResult",
    "__version__",
    "ceat",
    "load_tests",
    "open_encoder",
    "open_vectors",
    "permutation_p",
    "plot",
    "save_plot",
    "seat",
    "test",
    "tests",
    "weat",
    "wefat",
]


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'weatherglass' has no attribute {name!r}")
    return getattr(import_module(f".{_HOME[name]}", __name__), name)


def __dir__() -> list[str]:
    return __all__
