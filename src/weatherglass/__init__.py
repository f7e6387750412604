"""Weatherglass reads the social bias in word and sentence embeddings and says how sure it is.

The public names are loaded when they are first used, so that importing the package is quick, and
the command line listens for Ctrl-C soon.
"""

TYPE_CHECKING = False  # as in `typing`, which takes longer to import than all else here
if TYPE_CHECKING:
    from ._version import __version__ as __version__
    from .auditing.audit import audit as audit
    from .auditing.querying import query as query
    from .auditing.querying import rank as rank
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
    from .measures import MeasureResult as MeasureResult
    from .measures import Results as Results
    from .measures import SeatResult as SeatResult
    from .measures import WeatResult as WeatResult
    from .measures import WefatResult as WefatResult
    from .measures.generalised import generalised_weat as generalised_weat
    from .measures.measuring import measure as measure
    from .measures.weat import weat as weat
    from .measures.wefat import wefat as wefat
    from .report import plot as plot
    from .report import save_plot as save_plot
    from .seedlab.axis import seed_axis as seed_axis
    from .seedlab.compare import compare as compare
    from .seedlab.concept import concept_cosines as concept_cosines
    from .seedlab.findings import Lint as Lint
    from .seedlab.generated import compare_generated as compare_generated
    from .seedlab.generating import generate_seeds as generate_seeds
    from .seedlab.lint import lint as lint
    from .seedlab.measuring import measure_pairs as measure_pairs
    from .seedlab.multiverse import multiverse as multiverse
    from .seedlab.multiverse_record import Multiverse as Multiverse
    from .seedlab.pairs import gathered_pairs as gathered_pairs
    from .seedlab.pairs import seed_pair as seed_pair
    from .seedlab.variance import pair_variance as pair_variance
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
    "MeasureResult": "measures",
    "Multiverse": "seedlab.multiverse_record",
    "PValue": "significance",
    "Results": "measures",
    "SeatResult": "measures",
    "SeedSet": "catalog",
    "Test": "catalog",
    "Vectors": "vectors",
    "WeatResult": "measures",
    "WefatResult": "measures",
    "__version__": "_version",
    "audit": "auditing.audit",
    "query": "auditing.querying",
    "rank": "auditing.querying",
    "ceat": "encoders.ceat",
    "control": "vectors",
    "compare": "seedlab.compare",
    "discover": "discovery.discover",
    "discover_both": "discovery.both",
    "generalised_weat": "measures.generalised",
    "debias": "vectors.debias",
    "load_seeds": "catalog",
    "load_tests": "catalog",
    "measure": "measures.measuring",
    "multiverse": "seedlab.multiverse",
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
    "concept_cosines": "seedlab.concept",
    "seed_axis": "seedlab.axis",
    "compare_generated": "seedlab.generated",
    "generate_seeds": "seedlab.generating",
    "Lint": "seedlab.findings",
    "lint": "seedlab.lint",
    "measure_pairs": "seedlab.measuring",
    "gathered_pairs": "seedlab.pairs",
    "seed_pair": "seedlab.pairs",
    "pair_variance": "seedlab.variance",
}

__all__ = [
    "CeatResult",
    "Comparison",
    "Control",
    "Discovery",
    "FactualTest",
    "Lint",
    "MeasureResult",
    "Multiverse",
    "PValue",
    "Results",
    "SeatResult",
    "SeedSet",
    "Test",
    "Vectors",
    "WeatResult",
    "WefatResult",
    "__version__",
    "audit",
    "ceat",
    "compare",
    "compare_generated",
    "concept_cosines",
    "control",
    "debias",
    "discover",
    "discover_both",
    "gathered_pairs",
    "generalised_weat",
    "generate_seeds",
    "lint",
    "load_seeds",
    "load_tests",
    "measure",
    "measure_pairs",
    "multiverse",
    "open_corpus",
    "open_encoder",
    "open_models",
    "open_vectors",
    "pair_variance",
    "permutation_p",
    "plot",
    "query",
    "rank",
    "save_plot",
    "seat",
    "seed_axis",
    "seed_pair",
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
    from importlib import import_module

    return getattr(import_module(f".{_HOME[name]}", __name__), name)


def __dir__() -> list[str]:
    return __all__
