"""What the tests of the web page share: servers without a network, and real ones."""

from __future__ import annotations

import contextlib
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("fastapi", reason="needs the extra 'web'")

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # newer versions would rather have another HTTP client
    from starlette.testclient import TestClient

from weatherglass._web.app import create_app
from weatherglass._web.settings import Settings

from .browsing import chromium

WORDS = (  # noqa: SIM905
    "rose lily tulip daisy wasp gnat moth flea kind good fine warm foul bad cruel cold doctor "
    "nurse he she him her man woman"
).split()


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A file of 24 made vectors: flowers are near good words, insects near bad ones."""
    rng = np.random.default_rng(5)
    rows = rng.normal(size=(len(WORDS), 8))
    good = {"rose", "lily", "tulip", "daisy", "kind", "good", "fine", "warm"}
    pleasant = [word in good for word in WORDS]
    rows[:, 0] += np.where(pleasant, 2.0, -2.0)
    path = tmp_path_factory.mktemp("vectors") / "tiny.txt"
    lines = (f"{w} {' '.join(f'{x:.5f}' for x in row)}" for w, row in zip(WORDS, rows, strict=True))
    path.write_text("\n".join(lines) + "\n")
    return str(path)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A real browser; without one, the test is skipped."""
    with chromium() as found:
        yield found


@contextlib.contextmanager
def asked(settings: Settings, **options: Any) -> Iterator[TestClient]:
    """A client of a server of its own, as a program sees it."""
    where = f"http://127.0.0.1:{settings.port}"
    with TestClient(create_app(settings), base_url=where, **options) as client:
        yield client


@pytest.fixture(scope="session")
def client(tiny: str) -> Iterator[TestClient]:
    """A server with the sources ``tiny.txt`` and ``default``."""
    with asked(Settings(sources=(tiny, "default"), wait_seconds=60)) as made:
        yield made


@pytest.fixture(scope="session")
def science(glove840b: str) -> Iterator[TestClient]:
    """A server with the rows of the Science paper, under the name ``vectors.txt``."""
    with asked(Settings(sources=(glove840b,), wait_seconds=60)) as made:
        yield made


@contextlib.contextmanager
def running(settings: Settings, port: int = 0) -> Iterator[str]:
    """A real server on this machine, on a free port or the one given; gives its address."""
    import uvicorn

    config = uvicorn.Config(create_app(settings), port=port, log_level="error", lifespan="on")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.02)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(10)


@pytest.fixture
def as_browser() -> Callable[..., dict[str, str]]:
    """The headers of a browser that opens a page, and of htmx that asks for a part."""

    def made(part: bool = False) -> dict[str, str]:
        return {"Accept": "text/html"} | ({"HX-Request": "true"} if part else {})

    return made


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder that a server may open."""
    made = tmp_path / "kept"
    made.mkdir()
    return made
