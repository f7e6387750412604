"""A disk that is full: one sentence, nothing half-written, and no measurement is stopped by the
cache."""

from __future__ import annotations

import errno
import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from weatherglass._files.atomic import ArrayFile

from .breaking import Fault
from .conftest import OLD, Place, mounted
from .writers import CACHING, WRITERS, Line

TRIED = ("check", "vectors convert", "weat")
QUICK = [line for name in TRIED for line in WRITERS[name] if line.quick]
SLOW = [line for lines in WRITERS.values() for line in lines if line.files and line not in QUICK]


@pytest.fixture
def small_disk(place: Place) -> Iterator[Place]:
    """A place on a disk of its own with room for 400 kB."""
    with mounted(place.root, "-t", "tmpfs", "-o", "size=400k", "tmpfs"):
        place.out.mkdir()
        place.cache.mkdir()
        yield place


def check_refused(place: Place, line: Line, *, file: str, why: str) -> None:
    done = place.run(line, Fault(bytes=200))
    assert done.code == 3
    assert done.err.startswith(f"weatherglass: {file} cannot be written: {why}.")
    assert done.err.count("\n") == 1
    for name in line.files:
        assert (place.out / name).read_bytes() == OLD or (place.out / name).stat().st_size <= 200
    assert not place.leftovers()


@pytest.mark.parametrize("line", QUICK, ids=lambda line: line.words)
def test_a_file_that_does_not_fit_on_the_disk_is_named_and_the_old_file_stays(
    place: Place, line: Line
) -> None:
    place.renew(line)
    first = "r.txt" if "r.txt" in line.files else line.files[0]
    check_refused(place, line, file=first, why="File too large")


@pytest.mark.slow
@pytest.mark.parametrize("line", SLOW, ids=lambda line: line.words)
def test_every_command_names_a_file_that_does_not_fit_and_keeps_the_old_file(
    place: Place, line: Line
) -> None:
    place.renew(line)
    done = place.run(line, Fault(bytes=60))
    if done.code == 0:  # what it writes is smaller than that
        return
    assert done.code == 3
    assert "Traceback" not in done.err
    assert "cannot be written: File too large." in done.err.splitlines()[-1]
    for name in line.files:
        assert (place.out / name).read_bytes() == OLD or (place.out / name).stat().st_size <= 60
    assert not place.leftovers()


def test_a_result_that_cannot_be_written_is_printed(place: Place) -> None:
    line = "weat {vectors} --test weat6 --format json"
    printed = place.run(line)
    refused = place.run(f"{line} -o r.json", Fault(under=str(place.out), refuse=errno.ENOSPC))
    assert refused.code == 3
    assert refused.out == printed.out != ""
    assert refused.err == (
        "weatherglass: r.json cannot be written: No space left on device. It was printed instead.\n"
    )


@pytest.mark.parametrize("fault", [Fault(bytes=1000), Fault(refuse=errno.ENOSPC)])
def test_a_full_cache_does_not_stop_a_measurement(place: Place, fault: Fault) -> None:
    """Not even where the system's place for temporary files is full, too."""
    line = CACHING["vectors info"]
    without = place.run(line, fault)
    assert not list((place.cache / "vectors").glob("*"))
    assert (without.code, without.err) == (0, "")
    assert without.out == place.run(line).out
    assert list((place.cache / "vectors").glob("*"))


@pytest.mark.slow
def test_a_full_cache_does_not_stop_encoding_or_discovery(place: Place) -> None:
    for words in (WRITERS["seat"][0].words, WRITERS["discover"][0].words):
        line = words.replace("-o r.txt --plot p.json", "")
        full = place.run(line, Fault(under=str(place.cache), refuse=errno.ENOSPC))
        assert (full.code, full.err) == (0, "")
        assert full.out == place.run(line).out
        assert not place.leftovers()


def test_a_command_works_again_when_a_full_disk_has_room(small_disk: Place) -> None:
    """The file of 620 kB finds no room; when there is some again, the same command works."""
    place = small_disk
    (place.out / "v.npy").write_bytes(OLD)
    line = "vectors convert {vectors} v.npy"
    done = place.run(line)
    assert (done.code, done.out) == (3, "")
    assert done.err == "weatherglass: v.npy cannot be written: No space left on device.\n"
    assert (place.out / "v.npy").read_bytes() == OLD
    assert not place.leftovers()
    assert sum(path.stat().st_size for path in place.root.rglob("*")) < 10_000
    more = ["mount", "-o", "remount,size=8m", str(place.root)]
    subprocess.run(more, check=True)
    assert place.run(line).code == 0
    assert place.run("vectors info v.npy").code == 0


@pytest.mark.slow
def test_training_on_a_full_disk_resumes_when_there_is_room(small_disk: Place) -> None:
    place = small_disk
    filler = place.root / "filler"
    filler.write_bytes(bytes(370_000))
    line = WRITERS["train"][0]
    done = place.run(line)
    assert done.code == 3
    assert done.err.endswith("cannot be written: No space left on device.\n")
    assert done.err.count("\n") == 1
    filler.unlink()
    again = place.run(line)
    assert again.code == 0, again.err
    assert not place.leftovers()


def test_training_names_the_folder_without_room(place: Place) -> None:
    done = place.run(WRITERS["train"][0], Fault(bytes=400))
    assert (done.code, done.err) == (3, "weatherglass: m cannot be written: File too large.\n")
    assert not place.leftovers()


@pytest.mark.slow
def test_an_audit_stops_when_its_results_cannot_be_saved(place: Place) -> None:
    line = WRITERS["audit"][0]
    done = place.run(line, Fault(bytes=10_000))  # its steps are smaller, all results are not
    assert done.code == 3
    assert done.err.count("\n") == 1
    assert "cannot be written: File too large." in done.err
    before = {step: step.stat().st_ino for step in (place.out / "run" / "steps").iterdir()}
    assert len(before) == 2
    again = place.run(line)
    assert again.code == 0, again.err
    assert "(2 done)" in again.out
    # The finished steps were not done again.
    assert {step: step.stat().st_ino for step in before} == before


def test_an_array_is_written_completely_or_not_at_all(tmp_path: Path) -> None:
    """NumPy's own way loses the last bytes and says nothing."""
    numbers = np.arange(50)
    for write in ("add", "save"):
        with pytest.raises(OSError, match="No space left"), open("/dev/full", "wb") as file:
            getattr(ArrayFile(file), write)(numbers)
        with open(tmp_path / write, "wb") as file:
            getattr(ArrayFile(file), write)(numbers)
    assert np.array_equal(np.fromfile(tmp_path / "add", dtype=numbers.dtype), numbers)
    assert np.array_equal(np.load(tmp_path / "save"), numbers)
