"""Fixtures of the web page's tests: servers without a network, and real ones."""

from __future__ import annotations

import contextlib
import sys
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
    warnings.simplefilter("ignore")  # newer versions prefer another HTTP client
    from starlette.testclient import TestClient

from weatherglass._web.app import create_app
from weatherglass._web.server import make_config
from weatherglass._web.settings import Settings

from .browsing import chromium

sys.path.append(str(Path(__file__).parents[1]))  # processes of jobs get the same path

WORDS = (  # noqa: SIM905
    "rose lily tulip daisy wasp gnat moth flea kind good fine warm foul bad cruel cold doctor "
    "nurse he she him her man woman"
).split()


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A file of 24 vectors: flowers are close to good words, insects to bad ones."""
    rng = np.random.default_rng(5)
    rows = rng.normal(size=(len(WORDS), 8))
    good = {"rose", "lily", "tulip", "daisy", "kind", "good", "fine", "warm"}
    is_pleasant = [word in good for word in WORDS]
    rows[:, 0] += np.where(is_pleasant, 2.0, -2.0)
    path = tmp_path_factory.mktemp("vectors") / "tiny.txt"
    lines = (f"{w} {' '.join(f'{x:.5f}' for x in row)}" for w, row in zip(WORDS, rows, strict=True))
    path.write_text("\n".join(lines) + "\n")
    return str(path)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A real browser; without one, the test is skipped."""
    with chromium() as started:
        yield started


@contextlib.contextmanager
def open_client(settings: Settings, **options: Any) -> Iterator[TestClient]:
    """Start a server without a network and return its client, which behaves like a program."""
    base_url = f"http://127.0.0.1:{settings.port}"
    with TestClient(create_app(settings), base_url=base_url, **options) as client:
        yield client


@pytest.fixture(scope="session")
def client(tiny: str) -> Iterator[TestClient]:
    """A server with the sources ``tiny.txt`` and ``default``."""
    with open_client(Settings(sources=(tiny, "default"), wait_seconds=600)) as client:
        yield client


@pytest.fixture(scope="session")
def science(glove840b: str) -> Iterator[TestClient]:
    """A server with the rows of the Science paper, under the name ``vectors.txt``."""
    with open_client(Settings(sources=(glove840b,), wait_seconds=600)) as client:
        yield client


@contextlib.contextmanager
def run_server(settings: Settings, port: int = 0) -> Iterator[str]:
    """Run a real server on this machine, on the given port or a free one; yield its address."""
    import uvicorn

    config = make_config(create_app(settings), settings, port=port, log_level="error")
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
    """The headers of a browser that opens a page, or of htmx that asks for part of one."""

    def headers(part: bool = False) -> dict[str, str]:
        return {"Accept": "text/html"} | ({"HX-Request": "true"} if part else {})

    return headers


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder that a server may open."""
    path = tmp_path / "kept"
    path.mkdir()
    return path
