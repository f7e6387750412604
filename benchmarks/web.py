"""The web page under load: 200 simultaneous questions, their errors and response times.

    python benchmarks/web.py

The server runs in a separate process on a free port, started as a user would start it. The
questions come from this process over 200 connections on loopback. Before timing starts, the source
is open and a question of each kind has been answered.

* same question: one question, 200 times at once, as when a teacher shares a link with a class.
* 200 different: other word sets each time, so that no answer is cached, each with a bootstrap
  interval. Answers that take longer than a second are replaced by a page that waits for them
  (status 202), and count as pending.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import urlencode

CONNECTIONS = 200
MAX_MEDIAN = 300  # milliseconds, for a question that was asked before
WORDS = {
    "x": "executive management professional corporation salary office business career",
    "y": "home parents children family cousins marriage wedding relatives",
    "a": "male man boy brother he him his son",
    "b": "female woman girl sister she her hers daughter",
}


def questions() -> list[str]:
    """Two hundred different questions, each without other words of the four sets."""
    sets = {side: words.split() for side, words in WORDS.items()}
    paths = []
    for k, m, sides in itertools.product(range(8), range(8), ("y", "a", "yb", "yab")):
        kept = {side: list(words) for side, words in sets.items()}
        del kept["x"][k]
        for side in sides:
            del kept[side][k if sides == "yab" and side == "a" else m]
        fields = [("source", "default"), *((side, ", ".join(kept[side])) for side in kept)]
        paths.append("/?" + urlencode(fields))
    return list(dict.fromkeys(paths))[:CONNECTIONS]


async def ask(port: int, path: str, ready: asyncio.Event) -> tuple[float, int]:
    """Connect, wait for all other connections, ask; return milliseconds and status.

    The status is 0 if the answer is not a complete page.
    """
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    headers = f"Host: 127.0.0.1:{port}\r\nAccept: text/html"
    request = f"GET {path} HTTP/1.1\r\n{headers}\r\n\r\n"
    await ready.wait()
    start = time.perf_counter()
    writer.write(request.encode())
    await writer.drain()
    head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
    length = int(head.split("content-length:")[1].split("\r\n")[0])
    body = await reader.readexactly(length)
    milliseconds = 1000 * (time.perf_counter() - start)
    writer.close()
    status = int(head.split(" ", 2)[1])
    is_complete = b" bootstrap" in body and body.rstrip().endswith(b"</html>")
    return milliseconds, 0 if status == 200 and not is_complete else status


async def ask_all(port: int, paths: list[str]) -> tuple[list[float], list[int]]:
    """Ask all questions at the same time; return milliseconds and statuses."""
    ready = asyncio.Event()
    tasks = [asyncio.create_task(ask(port, path, ready)) for path in paths]
    await asyncio.sleep(0.5)
    ready.set()
    milliseconds, statuses = zip(*await asyncio.gather(*tasks), strict=True)
    return list(milliseconds), list(statuses)


def cpu_milliseconds(process: int) -> float:
    """CPU time of a process, which does not depend on the load of the machine."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:  # not Linux
        return float("nan")
    return 1000 * (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure(name: str, process: int, port: int, paths: list[str]) -> dict[str, object]:
    """Ask all questions at the same time and print a row of the result."""
    before = cpu_milliseconds(process)
    milliseconds, statuses = asyncio.run(ask_all(port, paths))
    used = cpu_milliseconds(process) - before
    errors = sum(status not in (200, 202) for status in statuses)
    ordered = sorted(milliseconds)
    row = {
        "questions": name,
        "connections": len(milliseconds),
        "errors": errors,
        "pending": statuses.count(202),
        "median ms": round(statistics.median(milliseconds)),
        "95th percentile ms": round(ordered[int(0.95 * len(ordered))]),
        "maximum ms": round(ordered[-1]),
        "CPU ms each": round(used / len(milliseconds), 2),
    }
    print(json.dumps(row))
    return row


def main() -> None:
    """Start the server, ask, and print the results."""
    command = [sys.executable, "-m", "weatherglass", "serve", "--no-browser", "--port", "0"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    try:
        line = server.stdout.readline()
        port = int(line.split(":")[2].split("/")[0])
        different = questions()
        known = "/?source=default&test=weat6"
        assert len(different) == CONNECTIONS
        for path in (known, "/?source=default&test=weat7", known):
            for _ in range(60):
                _, status = asyncio.run(ask_all(port, [path]))
                if status == [200]:
                    break
        asyncio.run(ask_all(port, ["/static/charts.js"]))  # the last file prepared at start-up
        time.sleep(1)
        rows = [measure("same question", server.pid, port, [known] * CONNECTIONS) for _ in range(5)]
        measure("200 different", server.pid, port, different)
        time.sleep(15)  # until the pending answers are ready
        measure("the same 200, answers ready, pages not rendered", server.pid, port, different)
        measure("the same 200 again", server.pid, port, different)
        median = statistics.median(float(str(row["median ms"])) for row in rows)
        verdict = "within" if median <= MAX_MEDIAN else "over"
        print(f"same question, {len(rows)} rounds: median {median:g} ms, {verdict} {MAX_MEDIAN} ms")
    finally:
        server.terminate()
        server.wait(20)


if __name__ == "__main__":
    main()
