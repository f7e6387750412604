"""The web page for ten minutes: mixed traffic, uploads, cancelled jobs and restarts.

    python benchmarks/web_soak.py --minutes 10 [--restart-seconds 120]

Eight visitors send requests of ten kinds, one after another, to a server with a cache and a folder
for temporary files of its own. Two more upload files, good and hostile, train vectors, start long
searches, and cancel about half of the jobs at a random moment. Every two minutes the server is
restarted: by SIGTERM, by SIGINT, or by SIGKILL; with --restart-seconds 600 it runs on, so that its
memory is seen for longer. At the end it prints

* the number of answers with each status; 500 and broken connections are errors, except for
  connections that a restart breaks;
* the memory of the server with its processes: the median of each run's first and last third;
* how long the restarted servers took to stop;
* what is left: processes, temporary files, incomplete files in the cache.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import gzip
import json
import random
import signal
import statistics
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from weatherglass.tasks import memory_of_tree
from web import fetch, mixed_path, start_server

VISITORS = 8
STOPS = (signal.SIGTERM, signal.SIGINT, signal.SIGKILL)


class Soak:
    """The state of a run."""

    def __init__(self, seconds: float, restart_seconds: float) -> None:
        self.end = time.monotonic() + seconds
        self.restart_seconds = restart_seconds
        self.port = 0
        self.is_restarting = True
        self.statuses: Counter[str] = Counter()
        self.errors: list[str] = []
        self.n_cancelled = self.n_uploads = self.n_trained = 0
        self.stop_seconds: list[float] = []
        self.memory: list[list[float]] = []

    async def send(self, path: str, method: str = "GET", body: bytes = b"") -> tuple[int, Any]:
        """Send a request and count its status; return it with the JSON of the answer, if any."""
        while self.is_restarting:
            await asyncio.sleep(0.1)
        port = self.port
        status, content = await fetch(port, path, method, body)
        if status == 0 and (self.is_restarting or port != self.port):  # no answer
            self.statuses["broken by a restart"] += 1
            return 0, {}
        self.statuses[str(status)] += 1
        if status in (0, 500):
            self.errors.append(f"{status} {method} {path[:200]}")
        try:
            return status, json.loads(content)
        except ValueError:
            return status, {}

    async def visit(self, visitor: int) -> None:
        """Send mixed requests, one after another."""
        rng = random.Random(visitor)
        while time.monotonic() < self.end:
            await self.send(mixed_path(rng.randrange(10_000)))
            await asyncio.sleep(rng.random() / 4)

    async def upload(self, visitor: int) -> None:
        """Upload files, follow the jobs that read them, and cancel about half of them."""
        rng = random.Random(visitor)
        while time.monotonic() < self.end:
            kind, name, content = make_file(rng)
            status, answer = await self.send(f"/upload/{kind}/{name}", "PUT", content)
            if status == 201:
                self.n_uploads += 1
                path = f"/api/uploads/file?id={answer['id']}"
                answer = await self.follow(rng, path, 0.3)
                if answer.get("status") == "ready" and kind == "corpus":
                    train = f"/api/uploads/train?id={answer['id']}&dim=20&min_count=1"
                    self.n_trained += bool((await self.follow(rng, train, 0.5)).get("source"))
            await self.follow(rng, f"/api/discover?source=default&seed={rng.randrange(99)}", 0.9)
            await asyncio.sleep(rng.random())

    async def follow(self, rng: random.Random, path: str, cancel_share: float) -> Any:
        """Ask until there is an answer, or cancel the job at a random moment."""
        is_cancelled, patience = rng.random() < cancel_share, rng.random() * 3
        start = time.monotonic()
        while time.monotonic() < self.end:
            status, answer = await self.send(path)
            if status not in (202, 429):  # 429: too many long jobs; ask again
                return answer
            if status == 202 and is_cancelled and time.monotonic() - start > patience:
                await self.send(f"/jobs/{answer['job']}/cancel", "POST")
                self.n_cancelled += 1
                return {}
            await asyncio.sleep(0.3)
        return {}

    async def serve(self, temporary: Path, cache: Path) -> None:
        """Run servers one after another, and stop each by another signal."""
        environment = {"TMPDIR": str(temporary), "WEATHERGLASS_CACHE_DIR": str(cache)}
        for number in (STOPS[k % len(STOPS)] for k in range(1_000_000)):
            if time.monotonic() >= self.end:
                return
            with start_server(**environment) as (server, port):
                self.port, self.is_restarting = port, False
                self.memory.append([])
                stop = min(self.end, time.monotonic() + self.restart_seconds)
                while time.monotonic() < stop and server.poll() is None:
                    await asyncio.sleep(1)
                    self.memory[-1].append(memory_of_tree(server.pid) / 2**20)
                if server.poll() is not None:
                    self.errors.append(f"the server ended by itself: {server.returncode}")
                self.is_restarting = True
                start = time.monotonic()
                server.send_signal(number)
                await asyncio.to_thread(server.wait, 60)
                if number != signal.SIGKILL:
                    self.stop_seconds.append(round(time.monotonic() - start, 1))
                await asyncio.sleep(1)


def make_file(rng: random.Random) -> tuple[str, str, bytes]:
    """Return the kind, the name and the content of a file: good, broken or hostile."""
    words = ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=6)) for _ in range(2000)]
    numbers = np.random.default_rng(rng.randrange(2**32)).normal(size=(2000, 20))
    lines = [
        f"{w} {' '.join(f'{x:.4f}' for x in row)}" for w, row in zip(words, numbers, strict=True)
    ]
    text = "\n".join(lines).encode()
    sentences = " ".join(rng.choices(words, k=20_000)).encode()
    bomb = gzip.compress(b"word 1 2 3\n" * 2_000_000, 9)
    return rng.choice(
        [
            ("vectors", "good.txt", text),
            ("vectors", "good.txt.gz", gzip.compress(text)),
            ("corpus", "text.txt", sentences),
            ("corpus", "again.txt", sentences),
            ("vectors", "cut.txt.gz", gzip.compress(text)[:-100]),
            ("vectors", "noise.bin", rng.randbytes(5000)),
            ("vectors", "bomb.txt.gz", bomb),
            ("vectors", "evil.npz", b"PK\x03\x04" + rng.randbytes(400)),
            ("corpus", "deep.xml", b"<TEI>" + b"<hi>" * 20_000),
        ]
    )


def processes_with(text: str) -> list[str]:
    """Return the command lines of the processes in whose environment a text occurs."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if text.encode() in (folder / "environ").read_bytes():
                command = (folder / "cmdline").read_bytes().replace(b"\0", b" ")
                found.append(f"{folder.name} {command.decode()[:200]}")
    return found


def thirds(memory: list[list[float]]) -> list[tuple[int, int]]:
    """The median memory in the first and the last third of each run, without its first 20 s."""
    return [
        (
            round(statistics.median(run[: len(run) // 3])),
            round(statistics.median(run[-len(run) // 3 :])),
        )
        for run in (part[20:] for part in memory)
        if len(run) > 9
    ]


async def run(minutes: float, restart_seconds: float, temporary: Path, cache: Path) -> Soak:
    """Run everything at the same time."""
    soak = Soak(60 * minutes, restart_seconds)
    await asyncio.gather(
        soak.serve(temporary, cache),
        *(soak.visit(k) for k in range(VISITORS)),
        *(soak.upload(100 + k) for k in range(2)),
    )
    return soak


def main() -> None:
    """Run, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--restart-seconds", type=float, default=120)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="soak-", dir="/tmp") as folder:
        temporary, cache = Path(folder, "t"), Path(folder, "cache")
        temporary.mkdir()
        soak = asyncio.run(run(options.minutes, options.restart_seconds, temporary, cache))
        with start_server(TMPDIR=str(temporary), WEATHERGLASS_CACHE_DIR=str(cache)):
            time.sleep(5)  # deletes what a killed server left
        for _ in range(60):  # a process that is still importing ends when it has done so
            if processes_with(str(temporary)):
                time.sleep(1)
        left = {
            "processes": processes_with(str(temporary)),
            "temporary files": len(list(temporary.rglob("*"))),
            "incomplete files in the cache": len(list(cache.rglob(".*.weatherglass"))),
        }
        report = {
            "minutes": options.minutes,
            "answers": sum(soak.statuses.values()),
            "statuses": dict(sorted(soak.statuses.items())),
            "uploads": soak.n_uploads,
            "trained": soak.n_trained,
            "cancelled": soak.n_cancelled,
            "restarts": len(soak.memory) - 1,
            "seconds to stop": soak.stop_seconds,
            "MiB in first and last third": thirds(soak.memory),
            "left": left,
            "errors": soak.errors[:20],
        }
        print(json.dumps(report, indent=1))
    sys.exit(bool(soak.errors or any(left.values())))


if __name__ == "__main__":
    main()
