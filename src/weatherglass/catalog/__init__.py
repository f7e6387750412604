"""What to ask: tests of words and of sentences, with sources, published figures and facts."""

from weatherglass.catalog.annotations import Annotation, load_annotations
from weatherglass.catalog.debias import Axis, axis, load_axis
from weatherglass.catalog.entries import test, tests
from weatherglass.catalog.facts import load_facts
from weatherglass.catalog.names import NameList, load_names, name_lists
from weatherglass.catalog.parts import (
    Difference,
    Facts,
    HumanFinding,
    Published,
    PublishedCorrelation,
    Study,
)
from weatherglass.catalog.schema import FactualTest, Test
from weatherglass.catalog.seedfiles import load_seeds
from weatherglass.catalog.seedpairs import Pairing, pairings, pairs
from weatherglass.catalog.seedschema import SeedSet, seed_sources
from weatherglass.catalog.seedsets import concepts, seed_sets, seeds
from weatherglass.catalog.seedwriting import SEED_FORMATS, seeds_text
from weatherglass.catalog.sentences import sentences, to_sentences
from weatherglass.catalog.slurs import is_slur, masked
from weatherglass.catalog.templates import Kind, kinds
from weatherglass.catalog.userfiles import Checked, check_tests, load_tests
from weatherglass.catalog.wordsets import WordSet

__all__ = [
    "SEED_FORMATS",
    "Annotation",
    "Axis",
    "Checked",
    "Difference",
    "Facts",
    "FactualTest",
    "HumanFinding",
    "Kind",
    "NameList",
    "Pairing",
    "Published",
    "PublishedCorrelation",
    "SeedSet",
    "Study",
    "Test",
    "WordSet",
    "axis",
    "check_tests",
    "concepts",
    "is_slur",
    "kinds",
    "load_annotations",
    "load_axis",
    "load_facts",
    "load_names",
    "load_seeds",
    "load_tests",
    "masked",
    "name_lists",
    "pairings",
    "pairs",
    "seed_sets",
    "seed_sources",
    "seeds",
    "seeds_text",
    "sentences",
    "test",
    "tests",
    "to_sentences",
]
