"""Nothing depends on the clock going forward."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from weatherglass._files.atomic import (
    TEMPORARY_SUFFIX,
    remove_leftovers,
    temporary_file,
    temporary_folder,
)

from .breaking import Fault
from .conftest import Place
from .writers import CACHING, WRITERS, Line

YEARS = 10 * 365 * 24 * 3600.0
INFO = CACHING["vectors info"]


@pytest.mark.parametrize("clock", [-YEARS, YEARS])
def test_a_parsed_file_is_found_in_the_cache_whatever_the_clock_says(
    place: Place, clock: float
) -> None:
    first = place.run(INFO, Fault(clock=clock))
    again = place.run(INFO)
    assert (first.code, again.code) == (0, 0)
    assert first.out == again.out
    assert [change for change in first.changes if "matrix" in change]
    assert not [change for change in again.changes if "matrix" in change]


@pytest.mark.parametrize("moment", ["older", "the same", "in the future"])
def test_a_file_replaced_by_another_of_the_same_size_is_read_again(
    place: Place, moment: str
) -> None:
    path = place.out / "v.txt"
    content = place.given["vectors"].read_bytes()
    path.write_bytes(content)
    os.utime(path, (1e9, 1e9))
    line = "vectors neighbours v.txt doctor -n 3 --format json"
    before = place.run(line).out
    assert place.run(line).out == before
    when = {"older": 1e8, "the same": 1e9, "in the future": 4e9}[moment]
    swapped = content.replace(b"\ndoctor ", b"\n?????? ").replace(b"\nmother ", b"\ndoctor ")
    path.write_bytes(swapped.replace(b"\n?????? ", b"\nmother "))
    assert path.stat().st_size == len(content)
    os.utime(path, (when, when))
    assert place.run(line).out != before


@pytest.mark.parametrize("clock", [-YEARS, YEARS])
def test_training_resumes_whatever_the_clock_says(place: Place, clock: float) -> None:
    line = WRITERS["train"][0]
    done = place.run(line, Fault(clock=clock))
    models = sorted((place.out / "m").glob("*.parquet"))
    for path in models:
        os.utime(path, (4e9, 4e9))
    again = place.run(line)
    assert (again.code, again.out) == (0, done.out)
    assert not [change for change in again.changes if ".parquet" in change]


@pytest.mark.slow
@pytest.mark.parametrize("clock", [-YEARS, YEARS])
def test_discovery_and_audits_resume_whatever_the_clock_says(place: Place, clock: float) -> None:
    line = WRITERS["discover"][0]
    expected = place.run(line, Fault(clock=clock))
    batches = [k for k, change in enumerate(expected.changes, start=1) if ".jsonl" in change]
    place.renew()
    assert place.run(line, Fault(kill=batches[3], clock=clock)).code == -9
    (kept,) = (place.cache / "discovery").glob("*.jsonl")
    os.utime(kept, (4e9, 4e9))
    again = place.run(line)
    assert again.code == 0
    assert len([change for change in again.changes if ".jsonl" in change]) < len(batches)
    line = WRITERS["audit"][0]
    assert place.run(line, Fault(clock=clock)).code == 0
    steps = sorted((place.out / "run" / "steps").iterdir())
    before = [path.stat().st_ino for path in steps]
    assert place.run(line).code == 0
    assert [path.stat().st_ino for path in steps] == before


JUMPING = [
    INFO,
    WRITERS["train"][0],
    pytest.param(WRITERS["audit"][0], marks=pytest.mark.slow),
    pytest.param(WRITERS["discover"][0], marks=pytest.mark.slow),
]


@pytest.mark.parametrize("line", JUMPING, ids=lambda line: line.words.split()[0])
def test_a_clock_that_jumps_while_a_command_runs_changes_no_number(
    place: Place, line: Line
) -> None:
    expected, written = place.run(line), place.written()
    for jump in (3600.0, -YEARS):
        place.renew(line)
        jumped = place.run(line, Fault(jump=jump))
        assert (jumped.code, jumped.err) == (0, expected.err)
        assert numbers(place.written()) == numbers(written)
        again = place.run(line)
        assert (again.code, again.out) == (0, expected.out)
        assert not place.leftovers()


def numbers(written: dict[str, bytes]) -> dict[str, bytes]:
    """What a command wrote, without the files that say when it ran."""
    dated = ("run.json", "train.json", "report.html", ".md", "p.json")  # charts have a date
    return {name: content for name, content in written.items() if not name.endswith(dated)}


def test_temporary_files_in_use_are_kept_whatever_their_age(tmp_path: Path) -> None:
    """What is being written may be old, and what a killed run left may be of tomorrow."""
    left = tmp_path / f".left{TEMPORARY_SUFFIX}"
    left.mkdir()
    os.utime(left, (4e9, 4e9))
    with temporary_folder(tmp_path, "a") as folder, temporary_file(tmp_path, "b") as file:
        for path in (folder, file):
            os.utime(path, (1, 1))
        remove_leftovers(tmp_path)
        assert sorted(tmp_path.iterdir()) == sorted([folder, file])
    assert not list(tmp_path.iterdir())
