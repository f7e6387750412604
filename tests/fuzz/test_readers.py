"""Any file is read, or a `WeatherglassError` says why not.

The files are valid ones with mutations, or arbitrary bytes. ``make fuzz`` does the same for longer,
guided by coverage.
"""

from __future__ import annotations

import tracemalloc
from pathlib import Path
from random import Random

import pytest
from fuzz.mutate import mutate
from fuzz.targets import REGRESSIONS, TARGETS, check, check_message, seeds
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

KINDS = [(target, kind) for target in TARGETS for kind in seeds(target)]
REGRESSION_FILES = sorted(file for file in REGRESSIONS.rglob("*") if file.is_file())
_fuzz = settings(suppress_health_check=list(HealthCheck))
QUICK, LONG = 2, 60
MAX_BYTES = 200 << 20  # far above what any of these files needs


def fuzz(target: str, kind: str, place: Path, examples: int) -> None:
    """Read a seed with random mutations, `examples` times."""

    @settings(_fuzz, max_examples=examples)
    @given(st.randoms(use_true_random=False))
    def damaged(random: Random) -> None:
        check(target, kind, mutate(seeds(target)[kind], kind, random), place)

    damaged()


@pytest.mark.parametrize(("target", "kind"), KINDS, ids=map("/".join, KINDS))
def test_a_damaged_file_is_read_or_refused(target, kind, place):
    check(target, kind, seeds(target)[kind], place)
    fuzz(target, kind, place, QUICK)


@pytest.mark.slow
@pytest.mark.parametrize(("target", "kind"), KINDS, ids=map("/".join, KINDS))
def test_a_file_damaged_in_many_ways_is_read_or_refused(target, kind, place):
    fuzz(target, kind, place, LONG)


@pytest.mark.parametrize("target", TARGETS)
def test_arbitrary_bytes_are_read_or_refused(target, place):
    @settings(_fuzz, max_examples=12)
    @given(st.sampled_from(sorted(seeds(target))), st.binary(max_size=200))
    def anything(kind: str, content: bytes) -> None:
        check(target, kind, content, place)

    anything()


@pytest.mark.parametrize(
    "path", REGRESSION_FILES, ids=lambda path: f"{path.parent.name}/{path.name}"
)
def test_an_input_that_once_broke_a_reader_is_read_or_refused(path, place):
    kind = path.name.partition("-")[2]
    check(path.parent.name, kind, path.read_bytes(), place)


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
def test_reading_a_damaged_file_takes_little_memory(target, place):
    random = Random(5)
    for kind, content in seeds(target).items():
        for _ in range(5):
            tracemalloc.start()
            check(target, kind, mutate(content, kind, random), place)
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            assert peak < MAX_BYTES, kind


@pytest.mark.parametrize("message", ["", "No.", "a b\x1b[31m c", "so long: " + "x y " * 2000])
def test_an_error_message_that_is_not_a_sentence_fails_the_fuzz_check(message):
    with pytest.raises(AssertionError):
        check_message(message)
