"""What to ask: tests with their word lists, sources, published figures and facts."""

from weatherglass.catalog.entries import test, tests
from weatherglass.catalog.facts import load_facts
from weatherglass.catalog.parts import (
    Facts,
    HumanFinding,
    Published,
    PublishedCorrelation,
    Study,
    WordSet,
)
from weatherglass.catalog.schema import FactualTest, Test
from weatherglass.catalog.userfiles import Checked, check_tests, load_tests

__all__ = [
    "Checked",
    "Facts",
    "FactualTest",
    "HumanFinding",
    "Published",
    "PublishedCorrelation",
    "Study",
    "Test",
    "WordSet",
    "check_tests",
    "load_facts",
    "load_tests",
    "test",
    "tests",
]
