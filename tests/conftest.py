"""What tests share: a cache of their own, the shared data where it is, one way to run commands."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import settings

from weatherglass._cli import main

ROOT = Path(__file__).parent.parent
SHARED = ROOT.parent / "shared" / "data"

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
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """Run a command as a user would, without a process."""

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
