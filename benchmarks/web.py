"""The web page under load: many simultaneous questions, their errors and response times.

    python benchmarks/web.py

The server runs in a separate process on a free port, started as a user would start it. The
questions come from this process over loopback, each on a connection of its own.

* cold, mixed: 300 requests of ten kinds at once, as soon as a new server listens; three servers.

For the other rounds the source is open, and a question of each kind has been answered, before
timing starts.

* same question: one question, 200 times at once, as when a teacher shares a link with a class.
* 200 different: other word sets each time, so that no answer is cached, each with a bootstrap
  interval; five rounds. Answers that take longer than a second are replaced by a page that waits
  for them (status 202), and count as pending. The last 200 are then asked twice again.
* landing: all bytes of Home, as a browser loads it: page, style sheet, scripts and images.
* edits: 64 changes of the words on the workbench, one after another, as a reader makes them. Each
  is a new question, measured with the influence of every word, and rendered with its strip.
* map: JavaScript time in each frame of the Map with 30,000 words, in headless Chromium, while the
  words move from one layout to another and while the map is dragged. A frame has the functions
  called for the animation and for the movements of the mouse; drawing by the graphics processor,
  or by its emulation, is not part of it. Without Playwright and Chromium, it is left out.
"""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import itertools
import json
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

CONNECTIONS = 200
MAX_MEDIAN = 300  # milliseconds, for a question that was asked before
MAX_NEW_MEDIAN = 1000  # milliseconds, for a question that nobody has asked
ROUNDS = 5
MAX_LANDING_BYTES = 150_000
MAX_EDIT_MEDIAN = 100  # milliseconds
EDITS = 64
MAX_FRAME_MS = 2.0  # median time of JavaScript
MAP_WORDS = 30_000
MIXED_REQUESTS = 300
COLD_SERVERS = 3
WORDS = {
    "x": "executive management professional corporation salary office business career",
    "y": "home parents children family cousins marriage wedding relatives",
    "a": "male man boy brother he him his son",
    "b": "female woman girl sister she her hers daughter",
}


def questions() -> list[list[str]]:
    """The rounds of two hundred different questions, each without other words of the four sets."""
    sets = {side: words.split() for side, words in WORDS.items()}
    left_out = list(itertools.product(*(range(len(words) + 1) for words in sets.values())))
    chosen = random.Random(0).sample(left_out, ROUNDS * CONNECTIONS)
    paths = []
    for positions in chosen:
        fields = [("source", "default")]
        for (side, words), position in zip(sets.items(), positions, strict=True):
            fields.append((side, ", ".join(words[:position] + words[position + 1 :])))
        paths.append("/?" + urlencode(fields))
    return [paths[k : k + CONNECTIONS] for k in range(0, len(paths), CONNECTIONS)]


def mixed_path(k: int) -> str:
    """The k-th of a series of requests of ten kinds, in turn."""
    rng = random.Random(k)
    every = " ".join(WORDS.values()).split()

    def words(count: int = 3) -> str:
        return ",".join(rng.sample(every, count))

    test = f"test=weat{rng.randint(1, 10)}"
    sets = urlencode({side: words() for side in "xyab"} | {"overlap": "true"})
    return [
        f"/api/neighbours?word={words(1)}&n={rng.randint(1, 200)}",
        f"/api/ask?{sets}",
        f"/api/discover?source=default&rotations=100&words=2000&seed={k}",
        f"/explore?source=default&word={words(1)}",
        f"/ask/multiverse?{test}",
        "/api/seeds",
        f"/?source=default&{sets}",
        f"/ask/influence?{test}",
        f"/ask/picture.svg?{test}",
        "/api/seeds/lint?set=@career-Caliskan_et_al_2017",
    ][k % 10]


async def fetch(port: int, path: str, method: str = "GET", body: bytes = b"") -> tuple[int, bytes]:
    """Send a request on a connection of its own; return status and body, or 0 if it breaks off."""
    head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n"
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        try:
            writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
            answer = await asyncio.wait_for(reader.read(), 120)
        finally:
            writer.close()
        return int(answer[9:12]), answer.partition(b"\r\n\r\n")[2]
    except (OSError, ValueError, TimeoutError):
        return 0, b""


async def fetch_mixed(port: int) -> Counter[int]:
    """Send the mixed requests at the same time, and count the statuses."""
    answers = await asyncio.gather(*(fetch(port, mixed_path(k)) for k in range(MIXED_REQUESTS)))
    return Counter(status for status, _ in answers)


def measure_cold() -> None:
    """Send mixed requests to servers that have just been started, and print the statuses."""
    for _ in range(COLD_SERVERS):
        with start_server() as (_, port):
            start = time.perf_counter()
            statuses = asyncio.run(fetch_mixed(port))
        row = {
            "questions": "cold, mixed",
            "connections": MIXED_REQUESTS,
            "errors": sum(n for status, n in statuses.items() if status in (0, 500)),
            "pending": statuses[202],
            "busy": statuses[429],
            "seconds": round(time.perf_counter() - start, 1),
        }
        print(json.dumps(row), flush=True)


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
    is_complete = b"permutation p" in body and body.rstrip().endswith(b"</html>")
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


def download(port: int, path: str, part: bool = False) -> bytes:
    """Fetch a path as a browser does, compressed; return the body as it was sent."""
    headers = {"Accept": "text/html", "Accept-Encoding": "gzip"}
    headers |= {"HX-Request": "true"} if part else {}
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", headers=headers)
    with urllib.request.urlopen(request, timeout=60) as answer:
        body: bytes = answer.read()
    return body


def decompress(body: bytes) -> bytes:
    """Return a body without its compression; short ones have none."""
    return gzip.decompress(body) if body[:2] == b"\x1f\x8b" else body


def measure_landing(port: int) -> None:
    """Print the bytes of Home with everything that it loads."""
    page = download(port, "/")
    text = decompress(page).decode()
    files = {
        path.replace("&amp;", "&") for path in re.findall(r'(?:src|href)="(/static/[^"]+)', text)
    }
    total = len(page) + sum(len(download(port, path)) for path in files)
    verdict = "within" if total <= MAX_LANDING_BYTES else "over"
    row = {"landing": "/", "requests": 1 + len(files), "bytes": total}
    print(json.dumps(row))
    print(f"landing: {total:,} bytes, {verdict} {MAX_LANDING_BYTES:,} bytes")


def edit_paths() -> list[str]:
    """Changes of the words of the workbench: each mutes another word of X and of Y."""
    paths = []
    for k, m in itertools.islice(itertools.product(range(8), range(8)), EDITS):
        sets = {side: words.split() for side, words in WORDS.items()}
        sets["x"][k] = f"~{sets['x'][k]}"
        sets["y"][m] = f"~{sets['y'][m]}"
        fields = [("source", "default"), *((side, ", ".join(sets[side])) for side in sets)]
        paths.append("/ask/edit?" + urlencode(fields))
    return paths


def measure_edits(process: int, port: int) -> None:
    """Send edits one after another, and print how long an edit takes."""
    milliseconds, answered = [], 0
    before = cpu_milliseconds(process)
    for path in edit_paths():
        start = time.perf_counter()
        body = decompress(download(port, path, part=True))
        milliseconds.append(1000 * (time.perf_counter() - start))
        answered += b'class="strip"' in body
    used = cpu_milliseconds(process) - before
    median = statistics.median(milliseconds)
    row = {
        "edits": len(milliseconds),
        "answered": answered,
        "median ms": round(median),
        "95th percentile ms": round(sorted(milliseconds)[int(0.95 * len(milliseconds))]),
        "CPU ms each": round(used / len(milliseconds), 1),
    }
    print(json.dumps(row))
    verdict = "within" if median <= MAX_EDIT_MEDIAN else "over"
    print(f"edits: median {median:.0f} ms, {verdict} {MAX_EDIT_MEDIAN} ms")


# Sums up, in each frame, the time of functions called for animations and for the mouse.
TIME_FRAMES = """
window.frames_ms = [];
let current = 0, last = 0;
const time = (work) => (...given) => {
  const start = performance.now();
  try { return work(...given); } finally { current += performance.now() - start; }
};
const request = window.requestAnimationFrame.bind(window);
window.requestAnimationFrame = (work) => request((now) => {
  if (now !== last && current) { window.frames_ms.push(current); current = 0; }
  last = now;
  time(work)(now);
});
const listen = EventTarget.prototype.addEventListener;
EventTarget.prototype.addEventListener = function (kind, work, options) {
  listen.call(this, kind, kind === "pointermove" ? time(work) : work, options);
};
"""


def measure_map() -> None:
    """Print the JavaScript time in each frame of a map of 30,000 words."""
    browser_path = shutil.which("chromium") or shutil.which("chromium-browser")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        browser_path = None
    if browser_path is None:
        print("map: not measured, because Playwright or Chromium is not installed")
        return
    import weatherglass

    vectors = weatherglass.open_vectors("default")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        path = Path(folder) / "words.txt"
        words = vectors.words[:MAP_WORDS]
        with path.open("w", encoding="utf-8") as file:
            for word, row in zip(words, vectors.unit(words), strict=True):
                print(word, *row.round(4).tolist(), file=file)
        browser = playwright.chromium.launch(executable_path=browser_path, args=["--no-sandbox"])
        tab = browser.new_page()
        tab.add_init_script(TIME_FRAMES)
        with start_server("--source", str(path)) as (_, port):
            tab.goto(f"http://127.0.0.1:{port}/map")
            tab.wait_for_selector("figure.map[data-ready=yes]", timeout=120_000)
            for name in ("axes", "components"):
                tab.evaluate("window.frames_ms = []")
                tab.click(f".switch [data-layout={name}]")
                tab.wait_for_selector(f"figure.map[data-shown={name}]")
                print_frames(f"switch to {name}", tab.evaluate("window.frames_ms"))
            box = tab.locator(".stage").bounding_box()
            x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
            tab.evaluate("window.frames_ms = []")
            tab.mouse.move(x, y)
            tab.mouse.down()
            tab.mouse.move(x + 150, y + 100, steps=60)
            tab.mouse.up()
            print_frames("drag", tab.evaluate("window.frames_ms"))
        browser.close()


def print_frames(name: str, milliseconds: list[float]) -> None:
    """Print the median and the 95th percentile of the time in a frame."""
    ordered = sorted(milliseconds)
    median = statistics.median(ordered)
    row = {
        "map": name,
        "points": MAP_WORDS,
        "frames": len(ordered),
        "median ms": round(median, 2),
        "95th percentile ms": round(ordered[int(0.95 * len(ordered))], 2),
    }
    print(json.dumps(row))
    verdict = "within" if median <= MAX_FRAME_MS else "over"
    print(f"map, {name}: median {median:.2f} ms in a frame, {verdict} {MAX_FRAME_MS:g} ms")


@contextlib.contextmanager
def start_server(*options: str, **environment: str) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """Start a server; yield its process and its port, and stop it at the end."""
    command = [sys.executable, "-m", "weatherglass", "serve", "--no-browser", "--port", "0"]
    server = subprocess.Popen(
        [*command, *options], stdout=subprocess.PIPE, text=True, env=os.environ | environment
    )
    assert server.stdout is not None
    try:
        line = server.stdout.readline()
        yield server, int(line.split(":")[2].split("/")[0])
    finally:
        server.terminate()
        server.wait(20)


def main() -> None:
    """Start servers, ask, and print the results."""
    measure_cold()
    measure_map()
    with start_server() as (server, port):
        known = "/?source=default&test=weat6"
        for path in (known, "/?source=default&test=weat7", known):
            for _ in range(60):
                _, status = asyncio.run(ask_all(port, [path]))
                if status == [200]:
                    break
        asyncio.run(ask_all(port, ["/static/charts.js"]))  # the last file prepared at start-up
        time.sleep(10)  # until the processes of long jobs can be forked
        measure_landing(port)
        measure_edits(server.pid, port)
        same = [
            measure("same question", server.pid, port, [known] * CONNECTIONS) for _ in range(ROUNDS)
        ]
        different = []
        for paths in questions():
            different.append(measure("200 different", server.pid, port, paths))
            time.sleep(15)  # until the pending answers are ready
        measure("the same 200, answers ready, pages not rendered", server.pid, port, paths)
        measure("the same 200 again", server.pid, port, paths)
        for name, rows, most in (
            ("same question", same, MAX_MEDIAN),
            ("200 different", different, MAX_NEW_MEDIAN),
        ):
            median = statistics.median(float(str(row["median ms"])) for row in rows)
            verdict = "within" if median <= most else "over"
            print(f"{name}, {len(rows)} rounds: median {median:g} ms, {verdict} {most} ms")


if __name__ == "__main__":
    main()
