"""The HTTP server itself: slow senders, and how it ends."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import pytest

from weatherglass._cli.signals import SENTENCE
from weatherglass._web.session import Session
from weatherglass._web.settings import Settings

from .conftest import run_server

TESTS = Path(__file__).parents[1]


@contextmanager
def connected(address: str) -> Iterator[socket.socket]:
    url = urlsplit(address)
    with socket.create_connection((url.hostname, url.port), timeout=60) as connection:
        yield connection


def request_bytes(address: str, path: str = "/api/sources") -> bytes:
    return f"GET {path} HTTP/1.1\r\nHost: {urlsplit(address).netloc}\r\n\r\n".encode()


def read_answer(connection: socket.socket) -> bytes:
    """Read one answer, whose body is as long as its header says."""
    received = b""
    while b"\r\n\r\n" not in received:
        received += connection.recv(1 << 16)
    head, _, body = received.partition(b"\r\n\r\n")
    length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
    while len(body) < length:
        body += connection.recv(1 << 16)
    return head


def is_closed(connection: socket.socket) -> bool:
    """Wait for something, and return whether it is the end of the connection."""
    try:
        return connection.recv(1) == b""
    except ConnectionResetError:
        return True


@pytest.fixture(scope="module")
def strict() -> Iterator[str]:
    """A server that waits for a header for half a second."""
    with run_server(Settings(sources=(), header_seconds=0.5)) as address:
        yield address


@pytest.mark.parametrize("sent", [b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A: "])
def test_a_connection_whose_header_is_not_finished_is_closed(strict, sent):
    with connected(strict) as connection:
        connection.sendall(sent)
        assert is_closed(connection)


@pytest.mark.slow
def test_a_header_that_comes_in_drips_is_dropped(strict):
    with connected(strict) as connection:
        for byte in request_bytes(strict)[:-1]:
            with suppress(OSError):  # closed already
                connection.sendall(bytes([byte]))
            time.sleep(0.05)
        assert is_closed(connection)


def test_half_a_second_request_on_a_connection_is_dropped(strict):
    with connected(strict) as connection:
        connection.sendall(request_bytes(strict))
        assert read_answer(connection).startswith(b"HTTP/1.1 200")
        connection.sendall(b"GET / HTTP/1.1\r\nHost: ")
        assert is_closed(connection)


def test_many_half_sent_headers_do_not_keep_others_waiting(strict):
    url = urlsplit(strict)
    half = [socket.create_connection((url.hostname, url.port), timeout=60) for _ in range(200)]
    try:
        for connection in half:
            connection.sendall(b"GET / HTTP/1.1\r\nHost: ")
        with urlopen(f"{strict}/api/sources", timeout=60) as answer:
            assert answer.status == 200
        for connection in half:
            assert is_closed(connection)
    finally:
        for connection in half:
            connection.close()


def test_a_request_that_takes_longer_than_the_header_deadline_is_answered(strict):
    """The deadline is for the header: bodies have their own, and answers none."""
    with connected(strict) as connection:
        head = f"PUT /upload/vectors/a.txt HTTP/1.1\r\nHost: {urlsplit(strict).netloc}\r\n"
        connection.sendall(f"{head}Content-Length: 16\r\n\r\n".encode())
        for part in (b"rose 1 2", b"\nlily 3 "):
            time.sleep(0.6)
            connection.sendall(part)
        assert read_answer(connection).startswith(b"HTTP/1.1 201")


# How it starts

MIXED = (
    "/api/neighbours?word=nurse&n={k}",
    "/api/ask?x=king,man&y=queen,woman&a=he&b=she&missing=0.{k}",
    "/ask/picture.svg?test=weat{k}",
    "/ask/picture.json?test=weat{k}",
    "/explore/picture.json?source=default&word=nurse&n={k}",
    "/explore?source=default&word=doctor&n={k}",
    "/api/seeds/lint?set=@career-Caliskan_et_al_2017",
    "/ask/influence?test=weat{k}",
    "/api/discover?rotations=10&words=500&source=default&seed={k}",
    "/openapi.json",
)


@pytest.mark.slow
def test_many_mixed_requests_to_a_new_server_cause_no_internal_error():
    """Libraries are imported meanwhile, in several threads."""
    paths = [path.format(k=1 + k) for k in range(9) for path in MIXED * 3]

    async def fetch(port: int, path: str) -> int:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        host = f"Host: 127.0.0.1:{port}\r\nConnection: close"
        writer.write(f"GET {path} HTTP/1.1\r\n{host}\r\n\r\n".encode())
        answer = await reader.read()
        writer.close()
        return int(answer[9:12])

    async def fetch_all(port: int) -> list[int]:
        return await asyncio.gather(*(fetch(port, path) for path in paths))

    command = [sys.executable, "-m", "weatherglass", "serve", "--no-browser", "--port", "0"]
    server = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    try:
        assert server.stdout is not None
        port = int(server.stdout.readline().split(":")[2].split("/")[0])
        statuses = Counter(asyncio.run(fetch_all(port)))
    finally:
        server.terminate()
        _, stderr = server.communicate(timeout=60)
    assert set(statuses) <= {200, 202, 422, 429}
    assert statuses[200] > 0
    assert "Traceback" not in stderr


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="sets a limit of the address space")
def test_a_chart_that_would_abort_the_process_is_refused():
    """The JavaScript engine that draws ends the process where it cannot reserve its addresses."""
    import resource

    limit = 9 << 30
    command = [sys.executable, "-m", "weatherglass", "serve", "--no-browser", "--port", "0"]
    server = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
    )
    try:
        assert server.stdout is not None
        address = server.stdout.readline().split(" at ")[1].split()[0].rstrip("/")
        with pytest.raises(HTTPError) as raised:
            wait_until(lambda: ask(address, "/ask/picture.svg?test=weat6") == 200)
        assert raised.value.code == 422
        assert "cannot be drawn" in raised.value.read().decode()
        assert ask(address, "/api/sources") == 200
    finally:
        server.terminate()
        _, stderr = server.communicate(timeout=60)
    assert stderr.strip() == SENTENCE


# How it ends

HANG = """
import sys
sys.path.append({tests!r})
import isolated_functions
from weatherglass._web.ask import answer
from weatherglass._web.upload import routes
routes.read_vectors = isolated_functions.hang
def sleep(*arguments, **options):
    import time
    time.sleep(600)
answer.weat = sleep
from weatherglass.__main__ import main
main(["serve", "--no-browser", "--port", "0", "--source", {source!r}])
"""


@contextmanager
def serving(tiny: str, temporary: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A server on which uploads and tests never end."""
    temporary.mkdir(exist_ok=True)
    code = HANG.format(tests=str(TESTS), source=tiny)
    server = subprocess.Popen(
        [sys.executable, "-c", code],
        env=os.environ | {"TMPDIR": str(temporary)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        assert server.stdout is not None
        yield server, server.stdout.readline().split(" at ")[1].split()[0].rstrip("/")
    finally:
        server.kill()
        server.communicate()


def ask(address: str, path: str, **options: Any) -> int:
    with urlopen(Request(f"{address}{path}", **options), timeout=120) as answer:
        status: int = answer.status
        return status


def processes_in(session: int) -> list[int]:
    """Return the processes that a server has started, from their session or their parent."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if fields[0] != "Z" and session in (int(fields[1]), int(fields[3])):
                found.append(int(entry.name))
    return found


def job_processes(server: int) -> list[int]:
    return [
        child
        for parent in processes_in(server)
        for child in processes_in(parent)
        if child != server
    ]


def wait_until(condition: Any) -> None:
    for _ in range(1200):
        if condition():
            return
        time.sleep(0.05)
    raise AssertionError("it did not happen in a minute")


def test_a_second_close_waits_until_everything_is_deleted():
    """The process ends after it, while another thread may still be deleting uploads."""
    begun, may_end = threading.Event(), threading.Event()

    def delete() -> None:
        if not begun.is_set():
            begun.set()
            may_end.wait(60)

    nothing = SimpleNamespace(close=lambda: None)
    uploads: Any = SimpleNamespace(close=delete)
    session = Session(Settings(sources=()), jobs=nothing, sources=nothing, uploads=uploads)
    first, second = (threading.Thread(target=session.close) for _ in range(2))
    first.start()
    assert begun.wait(60)
    second.start()
    second.join(0.2)
    assert second.is_alive()
    may_end.set()
    for thread in (first, second):
        thread.join(60)
        assert not thread.is_alive()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_a_server_whatever_it_is_doing(tiny, tmp_path_factory, number):
    """While an upload and a test never end, and a sender has stopped in the middle of a file."""
    temporary = tmp_path_factory.mktemp("t")
    with serving(tiny, temporary) as (server, address), connected(address) as stalled:
        with urlopen(
            Request(f"{address}/upload/vectors/a.txt", b"rose 1 2\n", method="PUT"), timeout=120
        ) as answer:
            id = json.load(answer)["id"]
        assert ask(address, f"/api/uploads/file?id={id}") == 202
        assert ask(address, "/api/ask?x=rose&y=wasp&a=kind&b=foul") == 202
        head = f"PUT /upload/vectors/b.txt HTTP/1.1\r\nHost: {urlsplit(address).netloc}\r\n"
        stalled.sendall(f"{head}Content-Length: 99999\r\n\r\nrose 1 2\n".encode())
        wait_until(lambda: len(list(temporary.rglob("b.txt"))) == 1)
        started = {server.pid, *job_processes(server.pid)}
        assert len(started) > 1
        server.send_signal(number)
        _, stderr = server.communicate(timeout=60)
        assert server.returncode == 128 + number
        assert stderr.strip() == SENTENCE
        wait_until(lambda: not any(Path(f"/proc/{pid}/mem").exists() for pid in started))
    assert list(temporary.iterdir()) == []


STUCK = """
import signal
import socket
import sys
import time
from weatherglass._web import Settings, create_app, run_server
from weatherglass._web.session import Session
def hang(*_, sleep=time.sleep):
    sleep(600)
{place}
signal.signal(signal.SIGTERM, lambda *_: sys.exit())
settings = Settings(sources=())
with socket.create_server(("127.0.0.1", 0)) as listener:
    print(f"http://127.0.0.1:{{listener.getsockname()[1]}}", flush=True)
    run_server(create_app(settings), settings, listener, lambda: print("stopped", flush=True))
"""


def stop_stuck(place: str) -> tuple[int, str]:
    """Stop a server that hangs at some place; return its exit code and its output."""
    command = [sys.executable, "-c", STUCK.format(place=place)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            address = server.stdout.readline().strip()
            assert ask(address, "/api/sources") == 200
            server.send_signal(signal.SIGTERM)
            stdout, _ = server.communicate(timeout=60)
        finally:
            server.kill()
    return server.returncode, stdout


def test_a_server_that_has_stopped_ends_without_the_teardown_of_python():
    """On a busy machine it took ten seconds."""
    teardown = "sys.teardown = type('Teardown', (), {'__del__': hang})()"
    assert stop_stuck(teardown) == (128 + signal.SIGTERM, "stopped\n")


@pytest.mark.slow
def test_a_server_that_cannot_delete_its_files_ends_all_the_same():
    code, _ = stop_stuck("Session.close = hang")
    assert code != 0


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
def test_the_jobs_of_a_killed_server_end_with_it(tiny, tmp_path):
    with serving(tiny, tmp_path / "t") as (server, address):
        with urlopen(
            Request(f"{address}/upload/vectors/a.txt", b"rose 1 2\n", method="PUT"), timeout=120
        ) as answer:
            id = json.load(answer)["id"]
        ask(address, f"/api/uploads/file?id={id}")
        wait_until(lambda: len(job_processes(server.pid)) > 1)
        started = job_processes(server.pid)
        server.kill()
        server.wait()
        wait_until(lambda: not any(map(_is_running, started)))


def _is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
