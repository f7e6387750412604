"""Killed in the middle of writing, a command leaves nothing that misleads the next one."""

from __future__ import annotations

import gzip
import random
from typing import Any

import click
import pytest

from weatherglass._cli.main import COMMANDS, cli
from weatherglass._files.atomic import TEMPORARY_SUFFIX

from .breaking import Done, Fault
from .conftest import OLD, Place
from .writers import CACHING, ELSEWHERE, QUIET, WRITERS, Line

LINES = [line for lines in WRITERS.values() for line in lines] + list(CACHING.values())
QUICK = [line for line in LINES if line.quick]
DEEP = [WRITERS["train"][0], WRITERS["seat"][0], WRITERS["discover"][0], CACHING["vectors info"]]
DEEP += [line for line in WRITERS["vectors convert"] if line.quick]
SLOW = [line for line in LINES if not line.quick and line not in DEEP]
PASSING = ("run.json", "report.html")
"""Files that hold the time of the run."""


def commands(group: Any, path: tuple[str, ...] = ()) -> dict[str, click.Command]:
    """Every command by the words that call it."""
    found = {}
    with click.Context(group) as context:
        for name in group.list_commands(context):
            command = group.get_command(context, name)
            inner = isinstance(command, click.Group)
            found |= (
                commands(command, (*path, name)) if inner else {" ".join((*path, name)): command}
            )
    return found


EVERY = commands(cli)


def writes(parameter: click.Parameter) -> bool:
    """Whether a parameter names a file or folder that need not be there before."""
    kind = parameter.type
    if not isinstance(kind, click.Path) or kind.exists:
        return False
    names = ("out", "picture", "models", "junit", "sarif", "summary", "bibtex", "counts", "page")
    return parameter.name in (*names, "results_tsv", "matrix")


def test_every_command_has_a_test_of_being_killed() -> None:
    assert len(EVERY) > len(COMMANDS)
    assert set(EVERY) == {*WRITERS, *CACHING, *QUIET, *ELSEWHERE}


@pytest.mark.parametrize("name", EVERY)
def test_every_option_that_writes_a_file_has_a_test_of_being_killed(name: str) -> None:
    """An option with a file that need not exist is either tried, or known to be read from."""
    given = {word for line in WRITERS.get(name, ()) for word in line.words.split()}
    for option in EVERY[name].params:
        is_shared = option.name == "bibtex" and name != "weat"  # one function writes it
        if writes(option) and isinstance(option, click.Option) and not is_shared:
            assert set(option.opts) & given, f"{name} {option.opts} is not tried"
    read = {"files", "file", "facts", "annotations", "corpus", "folders", "words", "pairs"}
    paths = [option for option in EVERY[name].params if isinstance(option.type, click.Path)]
    unknown = [option.name for option in paths if not option.type.exists and not writes(option)]
    assert set(unknown) <= read, f"{name}: say whether {unknown} are written"


def whole(place: Place, line: Line) -> dict[str, bytes]:
    """What a command has written, without what tells the time."""
    found = {}
    for name, content in place.written().items():
        if name.endswith("report.html"):
            assert content.rstrip().endswith(b"</html>")
        if name.endswith(".gz") and content != OLD:
            content = gzip.decompress(content)  # its header has the time
        if not name.endswith(PASSING):
            found[name] = content
    return found


def undisturbed(place: Place, line: Line) -> tuple[Done, dict[str, bytes]]:
    """What a command changes and writes when nothing happens to it."""
    place.renew(line)
    done = place.run(line)
    assert done.code == 0, done.err
    assert not place.leftovers()
    return done, whole(place, line)


def check_files(place: Place, line: Line, expected: dict[str, bytes]) -> None:
    """A file is the old one or the new one; of a pair, the matrix may be missing for a moment."""
    found = whole(place, line)
    paired = {name.removesuffix(".vocab") for name in line.files if name.endswith(".vocab")}
    for name in line.files:
        if name in paired and name not in found:
            continue
        assert found[name] in (OLD, expected[name]), name
    for name in paired:
        if found.get(name) == expected[name]:
            assert found[f"{name}.vocab"] == expected[f"{name}.vocab"]


def kill_and_go_on(place: Place, line: Line, points: int) -> None:
    """Kill a command again and again, each time elsewhere, and then let it run."""
    done, expected = undisturbed(place, line)
    rng = random.Random(line.words)
    total = len(done.changes)
    chosen = sorted(rng.sample(range(1, total + 1), min(points, total)))
    renames = [
        k for k, change in enumerate(done.changes, start=1) if change.startswith("os.rename")
    ]
    sizes = [len(content) for content in expected.values()]
    place.renew(line)
    faults = [Fault(kill=k) for k in (*chosen, *renames[-1:])]
    faults += [Fault(bytes=max(sizes, default=4000) // 2 + 1, deadly=True)]
    killed = 0
    for fault in faults:
        ended = place.run(line, fault)
        assert ended.code in (-9, -25, 0), ended.err
        assert "Traceback" not in ended.err
        killed += ended.code < 0
        check_files(place, line, expected)
    assert killed, "no run was killed"
    again = place.run(line)
    assert again.code == 0, again.err
    assert again.out == done.out
    assert whole(place, line) == expected
    assert not place.leftovers()


@pytest.mark.parametrize("line", QUICK, ids=lambda line: line.words)
def test_a_killed_command_works_the_next_time(place: Place, line: Line) -> None:
    kill_and_go_on(place, line, 1)


@pytest.mark.slow
@pytest.mark.parametrize("line", SLOW, ids=lambda line: line.words)
def test_every_slow_killed_command_works_the_next_time(place: Place, line: Line) -> None:
    kill_and_go_on(place, line, 1)


@pytest.mark.slow
@pytest.mark.parametrize("line", DEEP, ids=lambda line: line.words)
def test_a_command_killed_at_any_write_works_the_next_time(place: Place, line: Line) -> None:
    kill_and_go_on(place, line, 10)


@pytest.mark.slow
def test_a_killed_discovery_resumes(place: Place) -> None:
    """Batches of rotations that are on disk are not counted again."""
    line = WRITERS["discover"][0]
    done, expected = undisturbed(place, line)
    batches = [k for k, change in enumerate(done.changes, start=1) if kept_batch(change)]
    place.renew(line)
    assert place.run(line, Fault(kill=batches[2])).code == -9
    (kept,) = (place.cache / "discovery").glob("*.jsonl")
    assert len(list(filter(None, kept.read_text().splitlines()))) == 2
    kept.write_bytes(kept.read_bytes() + b'\n{"task": 2, "result": [[1')  # cut off in the middle
    again = place.run(line)
    assert whole(place, line) == expected
    assert sum(map(kept_batch, again.changes)) == len(batches) - 2


def kept_batch(change: str) -> bool:
    return change.startswith("open") and change.endswith(".jsonl")


def test_training_killed_at_its_end_is_not_repeated(place: Place) -> None:
    """The last model was there, and the record did not know: it would have been passed over."""
    line = WRITERS["train"][0]
    done, expected = undisturbed(place, line)
    last = [k for k, change in enumerate(done.changes, start=1) if "boot-001.parquet" in change][-1]
    place.renew(line)
    assert place.run(line, Fault(kill=last + 1)).code == -9
    assert (place.out / "m" / "boot-001.parquet").exists()
    assert b'"waiting"' in (place.out / "m" / "train.json").read_bytes()
    again = place.run(line)
    assert (again.code, again.out) == (0, done.out)
    assert not [
        change for change in again.changes if "boot-001.parquet" in change
    ]  # not trained again
    assert whole(place, line) == expected
    assert not place.leftovers()


def test_files_that_another_process_is_writing_are_kept(place: Place) -> None:
    from weatherglass._files.atomic import remove_leftovers, temporary_file, temporary_folder

    with temporary_file(place.out, "a") as file, temporary_folder(place.out, "b") as folder:
        (folder / "part").write_text("half")
        remove_leftovers(place.out)
        assert place.run("catalog kinds -o kinds.txt").code == 0
        assert file.exists()
        assert (folder / "part").exists()
    (place.out / f".left{TEMPORARY_SUFFIX}").write_text("half")
    (place.out / ".hidden.weather").write_text("a file of the user")
    (place.out / f"plain{TEMPORARY_SUFFIX}").write_text("another")
    assert place.run("catalog kinds -o kinds.txt").code == 0
    assert sorted(path.name for path in place.out.iterdir()) == [
        ".hidden.weather",
        "kinds.txt",
        f"plain{TEMPORARY_SUFFIX}",
    ]


def test_clearing_the_cache_removes_leftovers(place: Place) -> None:
    line = CACHING["vectors info"]
    done, _ = undisturbed(place, line)
    (last,) = [k for k, change in enumerate(done.changes, start=1) if "os.rename" in change][-1:]
    place.renew()
    assert place.run(line, Fault(kill=last)).code == -9
    assert place.leftovers()
    assert "freed" in place.run("cache clear").out
    assert not place.leftovers()
