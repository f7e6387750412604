"""What tests share: a cache of their own, the shared data where it is, one way to run commands."""

from __future__ import annotations

import math
import os
import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

from weatherglass._cli.main import main
from weatherglass._files import cache, fingerprint
from weatherglass.vectors import Vectors
from weatherglass.vectors.formats.detect import format_for_writing

ROOT = Path(__file__).parent.parent
SHARED = ROOT.parent / "shared" / "data"

Save = Callable[[Vectors, Path], Path]

# Words that stand in every format, and among them what a vocabulary ought not to hold.
PLAIN = [
    "the",
    "The",
    "naïve",
    "nai\u0308ve",
    "日本語",
    "🙂",
    "\u00a0nbsp",
    "line\u2028separator",
    "\ufeffmark",
    "<script>alert('x')</script>",
    "&amp;",
    "\x1b[31mred\x1b[0m",
    "bell\x07",
    "\udcff\udcfe\udc80",  # bytes that are not UTF-8
    "caf\udce9",
    "",
    "0.5",
    "-1",
    "nan",
    "1e5",
    "a" * 5000,
]

# The same examples in every run, and no test asserts a time. `--hypothesis-profile=exploring` takes
# others each time.
settings.register_profile("ours", deadline=None, derandomize=True)
settings.register_profile("exploring", deadline=None)
settings.load_profile("ours")

# Run in the background or under nohup, the tests ignore these signals, and what they start would
# too. A handler that does nothing is not passed on.
for name in ("SIGINT", "SIGHUP"):
    ignored = getattr(signal, name, None)
    if ignored is not None and signal.getsignal(ignored) is signal.SIG_IGN:
        signal.signal(ignored, lambda *_: None)


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """No test reads or writes the user's cache."""
    before = os.environ.get("WEATHERGLASS_CACHE_DIR")
    folder = tmp_path_factory.mktemp("cache")
    os.environ["WEATHERGLASS_CACHE_DIR"] = str(folder)
    yield folder
    if before is None:
        del os.environ["WEATHERGLASS_CACHE_DIR"]
    else:
        os.environ["WEATHERGLASS_CACHE_DIR"] = before


@pytest.fixture(scope="session")
def glove840b() -> str:
    """The real rows of GloVe 840B for every word of the Science paper."""
    path = SHARED / "glove840b-stimuli" / "vectors.txt"
    if not path.exists():
        pytest.skip("needs ../shared/data/glove840b-stimuli, real rows of GloVe 840B")
    return str(path)


@dataclass
class Ran:
    """What a command printed, and its exit code."""

    code: int
    out: str
    err: str


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Ran]:
    """Run a command as a user would, without a process.

    A slow machine does not add progress or the cost of training to what it prints.
    """
    monkeypatch.setattr("weatherglass._cli.output._SECONDS_BETWEEN_LINES", math.inf)
    monkeypatch.setattr("weatherglass.corpus.schedule.MIN_SECONDS", math.inf)

    def go(*arguments: object) -> Ran:
        code = 0
        capsys.readouterr()  # what was printed before is not this command's
        try:
            main([str(argument) for argument in arguments])
        except SystemExit as stop:
            code = int(stop.code or 0)
        printed = capsys.readouterr()
        return Ran(code, printed.out, printed.err)

    return go


@pytest.fixture
def cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, in which files are remembered although they were written just now."""
    folder = tmp_path / "own-cache"
    monkeypatch.setenv("WEATHERGLASS_CACHE_DIR", str(folder))
    monkeypatch.setattr(cache, "_RACY_NS", 0)
    return folder


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are read in blocks so small that every line meets a border."""
    monkeypatch.setattr(fingerprint, "BLOCK_SIZE", 64)


@pytest.fixture(scope="session")
def plain() -> Vectors:
    """Vectors with hostile words and with every kind of float32."""
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((len(PLAIN), 3)).astype(np.float32)
    rows *= 10.0 ** rng.integers(-30, 30, rows.shape)
    rows[0] = [1e-45, -1e-45, 1.1754942e-38]  # denormals
    rows[1] = [3.4028235e38, -3.4028235e38, -0.0]
    rows[2] = [16777216, 0.1, 1 / 3]
    return Vectors.of(PLAIN, rows)


@pytest.fixture(scope="session")
def save() -> Save:
    """Write vectors in the format that the name of the file asks for."""

    def write(vectors: Vectors, path: Path) -> Path:
        form = format_for_writing(path)
        assert form.write is not None
        form.write(vectors, path)
        return path

    return write
