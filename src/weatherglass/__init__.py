"""Weatherglass reads the social bias in word and sentence embeddings and says how sure it is.

The public names are loaded when they are first used, so that importing the package is quick.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from ._version import __version__

if TYPE_CHECKING:
    from .catalog import FactualTest as FactualTest
    from .catalog import SeedSet as SeedSet
    from .catalog import Test as Test
    from .catalog import load_seeds as load_seeds
    from .catalog import load_tests as load_tests
    from .catalog import seed_sets as seed_sets
    from .catalog import seeds as seeds
    from .catalog import test as test
    from .catalog import tests as tests
    from .corpus import open_corpus as open_corpus
    from .corpus import open_models as open_models
    from .corpus import train as train
    from .discovery import Comparison as Comparison
    from .discovery import Discovery as Discovery
    from .discovery.both import discover_both as discover_both
    from .discovery.discover import discover as discover
    from .encoders import open_encoder as open_encoder
    from .encoders.ceat import ceat as ceat
    from .encoders.seat import seat as seat
    from .measures import CeatResult as CeatResult
    from .measures import Results as Results
    from .measures import SeatResult as SeatResult
    from .measures import WeatResult as WeatResult
    from .measures import WefatResult as WefatResult
    from .measures.generalised import generalised_weat as generalised_weat
    from .measures.weat import weat as weat
    from .measures.wefat import wefat as wefat
    from .report import plot as plot
    from .report import save_plot as save_plot
    from .significance import PValue as PValue
    from .significance import permutation_p as permutation_p
    from .vectors import Control as Control
    from .vectors import Vectors as Vectors
    from .vectors import control as control
    from .vectors import open_vectors as open_vectors
    from .vectors.debias import debias as debias

_HOME = {
    "CeatResult": "measures",
    "Comparison": "discovery",
    "Control": "vectors",
    "Discovery": "discovery",
    "FactualTest": "catalog",
    "PValue": "significance",
    "Results": "measures",
    "SeatResult": "measures",
    "SeedSet": "catalog",
    "Test": "catalog",
    "Vectors": "vectors",
    "WeatResult": "measures",
    "WefatResult": "measures",
    "ceat": "encoders.ceat",
    "control": "vectors",
    "discover": "discovery.discover",
    "discover_both": "discovery.both",
    "generalised_weat": "measures.generalised",
    "debias": "vectors.debias",
    "load_seeds": "catalog",
    "load_tests": "catalog",
    "open_corpus": "corpus",
    "open_encoder": "encoders",
    "open_models": "corpus",
    "open_vectors": "vectors",
    "permutation_p": "significance",
    "plot": "report",
    "save_plot": "report",
    "seat": "encoders.seat",
    "seed_sets": "catalog",
    "seeds": "catalog",
    "test": "catalog",
    "tests": "catalog",
    "train": "corpus",
    "weat": "measures.weat",
    "wefat": "measures.wefat",
}

__all__ = [
    "CeatResult",
    "Comparison",
    "Control",
    "Discovery",
    "FactualTest",
    "PValue",
    "Results",
    "SeatResult",
    "SeedSet",
    "Test",
    "Vectors",
    "WeatResult",
    "WefatResult",
    "__version__",
    "ceat",
    "control",
    "debias",
    "discover",
    "discover_both",
    "generalised_weat",
    "load_seeds",
    "load_tests",
    "open_corpus",
    "open_encoder",
    "open_models",
    "open_vectors",
    "permutation_p",
    "plot",
    "save_plot",
    "seat",
    "seed_sets",
    "seeds",
    "test",
    "tests",
    "train",
    "weat",
    "wefat",
]


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'weatherglass' has no attribute {name!r}")
    return getattr(import_module(f".{_HOME[name]}", __name__), name)


def __dir__() -> list[str]:
    return __all__
