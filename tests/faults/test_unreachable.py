"""Folders that cannot be written and files that cannot be read, or are no files."""

from __future__ import annotations

import errno
import os
import shlex
import shutil
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import weatherglass
from weatherglass import open_vectors
from weatherglass.errors import BadContent, WeatherglassError

from .breaking import Fault
from .conftest import Place, mounted
from .writers import CACHING, WRITERS, Line

INFO = CACHING["vectors info"]


def sentence(text: str) -> str:
    """The one sentence that a command says on stderr."""
    assert text.startswith("weatherglass: ")
    assert text.count("\n") == 1
    assert "Traceback" not in text
    return text.removeprefix("weatherglass: ").rstrip("\n")


@pytest.fixture
def read_only(place: Place) -> Iterator[Path]:
    """A folder that nobody can write to, not even root."""
    folder = place.root / "fixed"
    folder.mkdir()
    with mounted(folder, "-t", "tmpfs", "-o", "ro", "tmpfs"):
        yield folder


def test_a_read_only_cache_does_not_stop_a_measurement(place: Place, read_only: Path) -> None:
    expected = place.run(INFO)
    for cache in (read_only, read_only / "deeper", Path("/proc/nowhere"), place.given["words"]):
        found = place.run(INFO, cache=cache)
        assert (found.code, found.out, found.err) == (0, expected.out, "")


WITHOUT_LOCKS = [
    INFO,
    WRITERS["train"][0],
    WRITERS["vectors convert"][8],  # HDF5, which has locks of its own
    pytest.param(WRITERS["audit"][0], marks=pytest.mark.slow),
    pytest.param(WRITERS["discover"][0], marks=pytest.mark.slow),
]


@pytest.mark.parametrize("error", [errno.ENOLCK, errno.EOPNOTSUPP])
@pytest.mark.parametrize("line", WITHOUT_LOCKS, ids=lambda line: line.words.split()[0])
def test_commands_work_on_a_disk_without_locks(place: Place, line: Line, error: int) -> None:
    place.renew(line)
    expected = place.run(line)
    place.renew(line)
    done = place.run(line, Fault(unlockable=error))
    assert (done.code, done.out, done.err) == (0, expected.out, expected.err)
    again = place.run(line, Fault(unlockable=error))
    assert (again.code, again.out) == (0, expected.out)
    assert not place.leftovers()


@pytest.fixture
def fixed_installation(place: Place) -> Iterator[Path]:
    """A folder with the package, in which nothing was compiled and nobody can write."""
    folder = place.root / "installed"
    package = Path(weatherglass.__file__).parent
    shutil.copytree(package, folder / "weatherglass", ignore=shutil.ignore_patterns("__pycache__"))
    with mounted(folder, "--bind", str(folder)):
        subprocess.run(["mount", "-o", "remount,ro,bind", str(folder)], check=True)
        yield folder


@pytest.mark.slow
def test_a_read_only_installation_works(place: Place, fixed_installation: Path) -> None:
    """Also where no home and no cache can be written: a container that is read-only."""
    nowhere = dict.fromkeys(("HOME", "XDG_CACHE_HOME"), str(fixed_installation))
    done = subprocess.run(
        [sys.executable, "-m", "weatherglass", "-q", "vectors", "info", place.given["vectors"]],
        env=os.environ | nowhere | {"PYTHONPATH": str(fixed_installation)},
        cwd=fixed_installation,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == place.run(f"vectors info {place.given['vectors']}").out


def test_a_cache_that_has_become_read_only_is_still_read(place: Place) -> None:
    """Its files have another time than when they were written, as after a copy."""
    expected = place.run(INFO)
    (entry,) = (place.cache / "vectors").iterdir()
    os.utime(entry / "matrix", (1, 1))
    found = place.run(INFO, Fault(under=str(place.cache), refuse=errno.EROFS))
    assert (found.code, found.out, found.err) == (0, expected.out, "")
    assert not [change for change in found.changes if "matrix" in change]  # not parsed again


def test_a_folder_that_cannot_be_written_is_refused_before_the_work(
    place: Place, read_only: Path
) -> None:
    found = place.run(f"weat {{vectors}} -o {read_only}/r.txt")
    assert found.code == 2
    assert "is not writable" in found.err
    found = place.run(f"vectors convert {{vectors}} {read_only}/v.txt")
    assert found.code == 3
    assert sentence(found.err).endswith("cannot be written: Read-only file system.")
    for line in (
        f"train {{corpus}} -o {read_only}/m --method ppmi-svd",
        f"audit {{vectors}} -o {read_only}/run",
    ):
        found = place.run(line)
        assert found.code == 3
        assert sentence(found.err).endswith("cannot be created: Read-only file system.")


@pytest.mark.parametrize(
    ("line", "file"),
    [
        ("vectors info {vectors}", "vectors"),
        ("weat {vectors} --test weat6", "vectors"),
        ("weat {vectors} --tests {mine}", "mine"),
        ("corpus info {corpus}", "corpus"),
        ("train {corpus} -o m --method ppmi-svd", "corpus"),
        ("check {vectors} --policy {policy}", "policy"),
        ("audit {vectors} --suite {suite} -o run", "suite"),
        ("vectors subset {vectors} s.txt --words {words}", "words"),
    ],
)
def test_a_file_without_read_permission_is_named(place: Place, line: str, file: str) -> None:
    path = str(place.given[file])
    found = place.run(line, Fault(unreadable=path))
    assert found.code == (2 if file in ("mine", "policy", "suite") else 3)
    message = sentence(found.err)
    assert Path(path).name in message
    assert "ermission denied" in message
    assert not list(place.out.iterdir())


@pytest.mark.parametrize("line", ["vectors info {odd}", "weat {odd}", "corpus info {odd}"])
@pytest.mark.parametrize("kind", ["folder", "link", "pipe", "empty"])
def test_a_source_that_is_no_regular_file_is_named(place: Place, line: str, kind: str) -> None:
    odd = place.root / f"odd-{kind}"
    if kind == "folder":
        odd.mkdir()
    elif kind == "link":
        odd.symlink_to(place.root / "nowhere")
    elif kind == "pipe":
        os.mkfifo(odd)
    else:
        odd.touch()
    found = place.run(line.replace("{odd}", str(odd)))
    assert found.code == 3
    assert odd.name in sentence(found.err)


def test_writing_through_a_symbolic_link_keeps_the_link(place: Place) -> None:
    (place.out / "link").symlink_to("there.txt")
    assert place.run("catalog kinds -o link").code == 0
    assert (place.out / "link").is_symlink()
    assert "noun" in (place.out / "there.txt").read_text()


def test_a_device_is_written_to_and_stays_a_device(place: Place) -> None:
    """Root could replace /dev/null by a file, and once did."""
    for device, code in (("/dev/null", 0), ("/dev/full", 3)):
        link = place.out / Path(device).name
        link.symlink_to(device)
        found = place.run(f"catalog kinds -o {link.name}")
        assert found.code == code
        assert stat.S_ISCHR(os.stat(device).st_mode)
        assert link.is_symlink()
    assert "full cannot be written: No space left on device." in sentence(found.err)
    assert sorted(path.name for path in place.out.iterdir()) == ["full", "null"]


def test_a_pipe_gets_the_whole_result(place: Place) -> None:
    pipe = place.out / "pipe"
    os.mkfifo(pipe)
    got: list[bytes] = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    assert place.run("catalog kinds -o pipe").code == 0
    reader.join(30)
    assert got == [place.run("catalog kinds").out.encode()]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_folder_in_the_place_of_a_file_is_named(place: Place) -> None:
    (place.out / "v.txt").mkdir()
    found = place.run("vectors convert {vectors} v.txt")
    assert found.code == 3
    assert sentence(found.err) == "v.txt cannot be written: Is a directory."
    found = place.run("weat {vectors} -o v.txt")
    assert found.code == 2


def test_commands_work_without_a_home_folder(place: Place) -> None:
    expected = place.run(INFO).out
    none: dict[str, str | None] = {"WEATHERGLASS_CACHE_DIR": None, "XDG_CACHE_HOME": None}
    found = place.run(INFO, env=none | {"HOME": "/proc/nobody"})
    assert (found.code, found.out, found.err) == (0, expected, "")
    kept: dict[str, str | None] = {"HOME": None, "XDG_CACHE_HOME": str(place.root / "xdg")}
    found = place.run(INFO, env=none | kept)
    assert (found.code, found.out, found.err) == (0, expected, "")
    assert (place.root / "xdg" / "weatherglass" / "vectors").is_dir()


@pytest.mark.parametrize(
    ("line", "code", "says"),
    [
        ("catalog kinds", 0, ""),
        ("vectors info {vectors}", 0, ""),
        ("vectors info vectors.txt", 3, "vectors.txt"),
        ("catalog kinds -o kinds.txt", 3, "kinds.txt cannot be written: No such file or directory"),
        (
            "vectors convert {vectors} v.txt",
            3,
            "v.txt cannot be written: No such file or directory",
        ),
        (
            "train {corpus} -o m --method ppmi-svd",
            3,
            "m cannot be created: No such file or directory",
        ),
        ("audit {vectors} -o run", 3, "run cannot be created: No such file or directory"),
    ],
)
def test_a_deleted_working_folder_is_explained(
    place: Place, line: str, code: int, says: str
) -> None:
    found = place.run(line, deleted=True)
    assert found.code == code, found.err
    assert says in found.err
    assert "Traceback" not in found.err
    assert found.err.count("\n") == bool(code)


@pytest.mark.parametrize("ending", [".txt", ".txt.gz", ".bin", ".parquet"])
def test_a_file_that_shrinks_while_being_read_is_an_error(
    place: Place, ending: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEATHERGLASS_CACHE_DIR", str(place.root / "another"))
    path = place.out / f"v{ending}"
    assert place.run(f"vectors convert {{vectors}} {path.name}").code == 0
    size = path.stat().st_size

    def cut(done: int, total: int) -> None:
        os.truncate(path, size // 3)

    with pytest.raises(WeatherglassError):
        open_vectors(path, progress=cut)
    assert not list((place.root / "another" / "vectors").iterdir())
    with pytest.raises(BadContent):
        open_vectors(path)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_standard_output_is_reported_once(place: Place) -> None:
    command = [sys.executable, "-m", "weatherglass", "catalog", "kinds"]
    with open("/dev/full", "wb") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (3, "weatherglass: No space left on device.\n")


def test_a_closed_pipe_is_not_an_error(place: Place) -> None:
    python = f"{shlex.quote(sys.executable)} -m weatherglass seeds list --format json"
    command = ["bash", "-c", f"{python} | head -1; echo ${{PIPESTATUS[0]}}"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["[", "0"]
    assert done.stderr == ""
