"""200 questions at once to the local page, over loopback: errors, and the median answer in ms.

Run by hand: ``python benchmarks/web.py``. The server is a process of its own, started as a user
would, on a free port; the questions come from this process over 200 connections. All is warm: the
source is open, and each kind has been asked before the clock starts.

*the same*: one question, 200 times at once, as when a link goes round a class.
*200 different*: other word sets each time, so that nothing is remembered; all are measured, with
bootstrap intervals. Those that are not there within a second get a page that waits for them, and
are counted as still working.
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

AT_ONCE = 200
BOUND = 300  # milliseconds, for the question that is known
WORDS = {
    "x": "executive management professional corporation salary office business career",
    "y": "home parents children family cousins marriage wedding relatives",
    "a": "male man boy brother he him his son",
    "b": "female woman girl sister she her hers daughter",
}


def questions() -> list[str]:
    """Two hundred different questions: two words left out, never the same two."""
    sets = {side: words.split() for side, words in WORDS.items()}
    made = []
    for k, m, swap in itertools.product(range(8), range(8), (False, True, None, 0)):
        some = {side: list(words) for side, words in sets.items()}
        del some["x"][k], some["a" if swap else "y"][m]
        if swap is None:
            del some["b"][m]
        elif swap == 0 and swap is not False:
            del some["a"][k], some["b"][m]
        made.append(
            "/?" + urlencode([("source", "default"), *((s, ", ".join(w)) for s, w in some.items())])
        )
    return list(dict.fromkeys(made))[:AT_ONCE]


async def ask(port: int, path: str, ready: asyncio.Event) -> tuple[float, int]:
    """Open a connection, wait for all others, ask, read to the end: milliseconds and status."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    headers = f"Host: 127.0.0.1:{port}\r\nAccept: text/html"
    request = f"GET {path} HTTP/1.1\r\n{headers}\r\n\r\n"
    await ready.wait()
    began = time.perf_counter()
    writer.write(request.encode())
    await writer.drain()
    head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
    length = int(head.split("content-length:")[1].split("\r\n")[0])
    body = await reader.readexactly(length)
    took = 1000 * (time.perf_counter() - began)
    writer.close()
    status = int(head.split(" ", 2)[1])
    whole = b"interval of the effect" in body and body.rstrip().endswith(b"</html>")
    return took, 0 if status == 200 and not whole else status


async def at_once(port: int, paths: list[str]) -> tuple[list[float], list[int]]:
    """All questions at once."""
    ready = asyncio.Event()
    asked = [asyncio.create_task(ask(port, path, ready)) for path in paths]
    await asyncio.sleep(0.5)
    ready.set()
    took, statuses = zip(*await asyncio.gather(*asked), strict=True)
    return list(took), list(statuses)


def processor_ms(process: int) -> float:
    """Milliseconds of processor time that a process has used; a busy machine does not change it."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:  # not Linux
        return float("nan")
    return 1000 * (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measured(name: str, process: int, port: int, paths: list[str]) -> dict[str, object]:
    """Ask at once, and print one line of the result."""
    before = processor_ms(process)
    took, statuses = asyncio.run(at_once(port, paths))
    used = processor_ms(process) - before
    errors = sum(status not in (200, 202) for status in statuses)
    ordered = sorted(took)
    row = {
        "questions": name,
        "at once": len(took),
        "errors": errors,
        "still working": statuses.count(202),
        "median ms": round(statistics.median(took)),
        "95 % ms": round(ordered[int(0.95 * len(ordered))]),
        "all after ms": round(ordered[-1]),
        "processor ms each": round(used / len(took), 2),
    }
    print(json.dumps(row))
    return row


def main() -> None:
    """Start the server, ask, and print."""
    command = [sys.executable, "-m", "weatherglass", "serve", "--no-browser", "--port", "0"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    try:
        line = server.stdout.readline()
        port = int(line.split(":")[2].split("/")[0])
        different = questions()
        known = "/?source=default&test=weat6"
        assert len(different) == AT_ONCE
        for path in (known, "/?source=default&test=weat7", known):
            for _ in range(60):
                _, status = asyncio.run(at_once(port, [path]))
                if status == [200]:
                    break
        asyncio.run(at_once(port, ["/static/pictures.js"]))  # the last of what is made at the start
        time.sleep(1)
        rows = [measured("the same", server.pid, port, [known] * AT_ONCE) for _ in range(5)]
        measured("200 different", server.pid, port, different)
        time.sleep(15)  # those still working
        measured("these 200, pages not yet written", server.pid, port, different)
        measured("these 200 once more", server.pid, port, different)
        middle = statistics.median(float(str(row["median ms"])) for row in rows)
        kept = "kept" if middle <= BOUND else "broken"
        print(f"the same question, median of {len(rows)} rounds: {middle:g} ms; {BOUND} ms {kept}")
    finally:
        server.terminate()
        server.wait(20)


if __name__ == "__main__":
    main()
