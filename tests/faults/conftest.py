"""What the tests of faults share: a bench, small files for commands to work on, and a place."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from weatherglass import export_crowd_study, open_vectors, simulate_crowd, tests
from weatherglass.catalog import load_names
from weatherglass.vectors.formats.text import write_glove

from ..crowd.conftest import make_discovery
from .breaking import Bench, Done, Fault, bench
from .writers import MINE, POLICY, SUITE, TEXTS, TRANSLATED, Line

OLD = b"what was there before"


@contextlib.contextmanager
def mounted(folder: Path, *options: str) -> Iterator[None]:
    """While the block lasts something is mounted on a folder; without root, who may, skips."""
    command = ["mount", *options, str(folder)]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("needs root, who may mount a disk")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.fixture(scope="session")
def breaking() -> Iterator[Bench]:
    """A process that forks for every command."""
    with bench() as started:
        yield started


def _turn(text: str, by: int) -> str:
    """Return a text that begins with another word, so that words have other neighbours."""
    words = text.split()
    return " ".join(words[by % len(words) :] + words[: by % len(words)])


@pytest.fixture(scope="session")
def materials(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Small files for commands: three thousand real vectors, a corpus, a suite."""
    folder = tmp_path_factory.mktemp("given")
    asked = [name.lower() for name in load_names("ssa").names[:600]]
    for test in tests("weat6") + tests("wefat1"):
        asked += [word.lower() for word_set in test.sets.values() for word in word_set.words]
    default = open_vectors("default")
    write_glove(default.subset([*default.words[:2500], *asked]), folder / "vectors.txt")
    rows = [f"{text},{1840 + k % 2}\n" for k, text in enumerate(TEXTS * 10)]
    texts = {
        "corpus.csv": "text,year\n" + "".join(rows),
        "other.txt": "\n\n".join(_turn(text, k) for k, text in enumerate(TEXTS[::-1] * 8)),
        "suite.yaml": SUITE,
        "policy.yaml": POLICY,
        "mine.yaml": MINE,
        "words.txt": "doctor\nnurse\nhome\n",
        "translated.csv": TRANSLATED,
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    _make_crowd_study(folder)
    return {path.name.partition(".")[0]: path for path in folder.iterdir()}


def _make_crowd_study(folder: Path) -> None:
    """Make a discovery, a crowd study of it, and answers of simulated workers."""
    discovery = make_discovery()
    (folder / "discovery.json").write_text(discovery.to_json())
    study = export_crowd_study(discovery, folder / "study", tests=2)
    answers = simulate_crowd(study, {"good": 8})
    (folder / "answers.jsonl").write_text("".join(f"{s.to_json()}\n" for s in answers))


@dataclass
class Place:
    """A folder to write to and a cache, always at the same path: outputs name their paths."""

    breaking: Bench
    given: dict[str, Path]
    root: Path

    @property
    def out(self) -> Path:
        return self.root / "out"

    @property
    def cache(self) -> Path:
        return self.root / "cache"

    def renew(self, line: Line | None = None) -> None:
        """Begin with an empty cache, and with an old file where `line` will write one."""
        shutil.rmtree(self.root, ignore_errors=True)
        self.out.mkdir(parents=True)
        self.cache.mkdir()
        if line is not None and "{audited}" in line.words:
            shutil.copytree(self._audited(), self.out / "audited")
        if line is not None and "{study}" in line.words:
            shutil.copytree(self.given["study"], self.out / "study")
        for name in line.files if line is not None else ():
            (self.out / name).write_bytes(OLD)

    def _audited(self) -> Path:
        """The folder of an audit; made once, when it is first needed."""
        folder = self.given["vectors"].parent / "audited"
        if not folder.exists():
            done = self.run(f"audit {{vectors}} --suite {{suite}} -o {folder}")
            assert done.code == 0, done.err
        return folder

    def run(self, line: Line | str, fault: Fault | None = None, **more: object) -> Done:
        """Run a command in the folder."""
        line = line if isinstance(line, Line) else Line(line)
        arguments = line.filled(self.given | {"audited": Path("audited"), "study": Path("study")})
        options: dict[str, object] = {"cache": self.cache, "folder": self.out} | more
        return self.breaking.run(*arguments, fault=fault, **options)  # type: ignore[arg-type]

    def written(self) -> dict[str, bytes]:
        """The content of every file in the folder, hidden ones left out."""
        found = sorted(path for path in self.out.rglob("*") if path.is_file())
        names = {path: str(path.relative_to(self.out)) for path in found}
        return {name: p.read_bytes() for p, name in names.items() if not _hidden(p, self.out)}

    def leftovers(self) -> list[Path]:
        """What is in the folder and in the cache and nobody will read: all that is hidden."""
        found = [path for path in self.root.rglob("*") if _hidden(path, self.root)]
        return [path for path in found if path.name != ".lock"]


def _hidden(path: Path, root: Path) -> bool:
    return any(part.startswith(".") for part in path.relative_to(root).parts)


@pytest.fixture
def place(
    breaking: Bench,
    materials: dict[str, Path],
    tmp_path: Path,
    request: pytest.FixtureRequest,
) -> Place:
    """A folder to write to."""
    breaking.more = request.node.get_closest_marker("slow") is not None
    place = Place(breaking, materials, tmp_path / "place")
    place.renew()
    return place
