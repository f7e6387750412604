"""What to ask: tests of words and of sentences, with sources, published figures and facts."""

from weatherglass.catalog.annotations import Annotation, load_annotations
from weatherglass.catalog.entries import test, tests
from weatherglass.catalog.facts import load_facts
from weatherglass.catalog.parts import (
    Difference,
    Facts,
    HumanFinding,
    Published,
    PublishedCorrelation,
    Study,
)
from weatherglass.catalog.schema import FactualTest, Test
from weatherglass.catalog.sentences import sentences, to_sentences
from weatherglass.catalog.templates import Kind, kinds
from weatherglass.catalog.userfiles import Checked, check_tests, load_tests
from weatherglass.catalog.wordsets import WordSet

__all__ = [
    "Annotation",
    "Checked",
    "Difference",
    "Facts",
    "FactualTest",
    "HumanFinding",
    "Kind",
    "Published",
    "PublishedCorrelation",
    "Study",
    "Test",
    "WordSet",
    "check_tests",
    "kinds",
    "load_annotations",
    "load_facts",
    "load_tests",
    "sentences",
    "test",
    "tests",
    "to_sentences",
]
