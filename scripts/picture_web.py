"""Take the pictures of the web page for the README and the docs: stills, and a short film.

    python scripts/picture_web.py [stills|film]

Starts a server of its own. Needs Playwright and Chromium, and Pillow for the film (`pip install
pillow`). `make pictures-web` runs it.

The film is made of screenshots. What moves on the page is brought to a state, and then pictured:
animations of the page are paused and set to a time, and the clock of the map is a clock of
Playwright's that the script moves on. So the film does not depend on the speed of the machine.
"""

from __future__ import annotations

import io
import math
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from playwright.sync_api import Error, sync_playwright

import weatherglass as wg

PICTURES = Path(__file__).resolve().parents[1] / "docs/pictures"
FILM = PICTURES / "web.webp"
MAX_FILM_BYTES = 1_000_000
SIZE = {"width": 1440, "height": 900}
FILM_VIEW, FILM_SIZE = {"width": 1200, "height": 750}, (960, 600)
QUALITY = 68
SET = "names_black-Garg_et_al_2018", "names_white-Garg_et_al_2018"
SPORTS = (
    "tennis, golf, boxing, baseball, basketball, softball, volleyball, football, rugby, cricket, "
    "hockey, swimming, gymnastics, skiing, sailing, polo, wrestling, bowling, soccer, badminton, "
    "cycling, archery, fencing, rowing"
)
GENDER_AND_CLASS = (
    "a=@female_1-Caliskan_et_al_2017&b=@male_1-Caliskan_et_al_2017"
    "&c=@upperclass-Kozlowski_et_al_2019&d=@lowerclass-Kozlowski_et_al_2019"
)
IS_COMPLETE = (
    "document.querySelectorAll('.working, [data-part], .is-pending, .htmx-request').length === 0"
)
IS_MAP_READY = "document.querySelector('figure.map[data-ready=yes]') !== null"
STILLS = {
    "web-home": ("/", ""),
    "web-ask": ("/?source=default&test=weat6", ""),
    "web-map": ("/map?layout=axes&word=secretary", ""),
    "web-explore": (f"/explore?view=map&words={SPORTS}&{GENDER_AND_CLASS}", ""),
    "web-seeds": (f"/seeds/compare?one=@{SET[0]}&other=@{SET[1]}&source=default", ""),
    "web-discover": ("/discover", "#table td:not(.rest) > a.in"),
    "web-audits": ("/audits/compare?before=original&after=debiased", ""),
}
"""The address of each still, and what is clicked before it is taken."""


@contextmanager
def run_server(folder: Path) -> Iterator[str]:
    """Run the command `serve` on a free port; yield its address when a search is finished."""
    command = [sys.executable, "-m", "weatherglass", "serve", "--no-browser", "--port", "0"]
    command += ["--folder", str(folder)]
    # Its output goes nowhere after the address: a full pipe would stop the server.
    log = folder / "log.txt"
    with log.open("w") as out:
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, text=True)
    try:
        while not (found := re.search(r"http://\S+", log.read_text())):
            if process.poll() is not None:
                raise SystemExit(log.read_text())
            time.sleep(0.2)
        address = found[0].rstrip("/")
        wait_for_search(f"{address}/discover")
        yield address
    finally:
        process.terminate()
        process.wait()


def wait_for_search(address: str) -> None:
    """Wait until the page Discover opens with the search that the server runs at its start."""
    request = urllib.request.Request(address, headers={"Accept": "text/html"})
    while True:
        with urllib.request.urlopen(request, timeout=120) as answer:
            if b'id="table"' in answer.read():
                return
        time.sleep(1)


def make_audits(folder: Path) -> None:
    """Audit the bundled embedding, as it is and without a gender subspace."""
    wg.audit("default", out=folder / "original", suite="quick")
    debiased = folder / "debiased.npz"
    command = [sys.executable, "-m", "weatherglass", "vectors", "debias", "default"]
    subprocess.run([*command, str(debiased)], check=True, capture_output=True)
    wg.audit(debiased, out=folder / "debiased", suite="quick")
    debiased.unlink()  # or the page would offer it


def wait_until(tab: Any, condition: str) -> None:
    """Wait for a JavaScript condition; Playwright's own function needs eval, which pages forbid."""
    end = time.monotonic() + 120
    while time.monotonic() < end:
        with suppress(Error):  # a page that waited for an answer is loaded again
            if tab.evaluate(condition):
                return
        tab.wait_for_timeout(100)
    raise SystemExit(f"{tab.url}: never {condition}")


def take_stills(browser: Any, address: str) -> None:
    """Save the stills of `STILLS`."""
    tab = browser.new_page(viewport=SIZE, color_scheme="light", reduced_motion="reduce")
    for name, (path, click) in STILLS.items():
        tab.goto(address + path)
        wait_until(tab, IS_COMPLETE)
        if path.startswith("/map"):
            wait_until(tab, IS_MAP_READY)
        if click:
            tab.locator(click).first.click()
            tab.wait_for_selector("dialog[open] .near")
        elif tab.query_selector("figure.chart[data-spec]:visible"):
            tab.wait_for_selector("figure.chart[data-live]:visible")
        tab.wait_for_timeout(300)
        tab.screenshot(path=PICTURES / f"{name}.png")
    tab.close()


class Film:
    """Frames of a tab, each with the milliseconds for which it is shown."""

    def __init__(self, tab: Any) -> None:
        self.tab = tab
        self.frames: list[Any] = []
        self.lengths: list[int] = []
        self.pointer: tuple[float, float] | None = None

    def hold(self, milliseconds: int) -> None:
        """Add what the tab shows now."""
        from PIL import Image, ImageDraw

        picture = Image.open(io.BytesIO(self.tab.screenshot())).convert("RGB")
        if self.pointer is not None:
            x, y = self.pointer
            arrow = [(0, 0), (0, 25), (6, 19), (11, 29), (15, 27), (10, 17), (18, 17)]
            outline = [(x + a, y + b) for a, b in arrow]
            ImageDraw.Draw(picture).polygon(outline, fill="#111", outline="#fff", width=2)
        self.frames.append(picture.resize(FILM_SIZE, Image.Resampling.LANCZOS))
        self.lengths.append(milliseconds)

    def point(self, selector: str, steps: int = 5) -> Any:
        """Move the pointer to an element; return it."""
        element = self.tab.locator(selector).first
        element.scroll_into_view_if_needed()
        box = element.bounding_box()
        end = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        start = self.pointer or (FILM_VIEW["width"] * 0.6, FILM_VIEW["height"] * 0.8)
        for step in range(1, steps + 1):
            share = (1 - math.cos(math.pi * step / steps)) / 2
            at = tuple(a + share * (b - a) for a, b in zip(start, end, strict=True))
            self.pointer = at[0], at[1]
            self.hold(60)
        return element

    def animate(self, length: int = 260, steps: int = 5) -> None:
        """Add the states of the animations that the page has just begun, and their end."""
        for step in range(1, steps + 1):
            self.tab.evaluate(
                "(time) => document.getAnimations().forEach((each) => {"
                " each.pause(); each.currentTime = time; })",
                length * step / steps - 0.01,
            )
            self.hold(70)
        self.tab.evaluate("document.getAnimations().forEach((each) => each.finish())")

    def save(self, path: Path) -> None:
        """Write the film, and say how long and how large it is."""
        options = {"quality": QUALITY, "method": 6, "minimize_size": True, "loop": 0}
        first, *rest = self.frames
        first.save(path, save_all=True, append_images=rest, duration=self.lengths, **options)
        seconds, size = sum(self.lengths) / 1000, path.stat().st_size
        print(f"{path.name}: {len(self.frames)} frames, {seconds:.1f} s, {size:,} bytes")
        if size >= MAX_FILM_BYTES:
            raise SystemExit(f"{path} is larger than {MAX_FILM_BYTES:,} bytes")


def edit(film: Film, selector: str, act: Any) -> None:
    """Change the question on the workbench, and show how the words move."""
    tab, before = film.tab, film.tab.url
    act(film.point(selector))
    wait_until(tab, f"location.href !== {before!r} && !document.querySelector('[aria-busy=true]')")
    film.animate()


def take_film(browser: Any, address: str) -> None:
    """Home, a question with other words, the map, and what a search found."""
    tab = browser.new_page(viewport=FILM_VIEW, color_scheme="light")
    film = Film(tab)
    tab.goto(address)
    wait_until(tab, IS_COMPLETE)
    film.hold(1600)
    film.point("a.button.large").click()
    tab.wait_for_selector("#ask")
    wait_until(tab, IS_COMPLETE)
    film.hold(900)
    edit(film, ".chip[data-word='Diana']", lambda chip: chip.click())
    film.hold(400)
    edit(film, "#add-x", lambda box: (box.fill("George"), box.press("Enter")))
    wait_until(tab, IS_COMPLETE)
    film.hold(1100)
    film.point("#drop")
    tab.evaluate(
        "const drop = document.getElementById('drop'); drop.value = 4;"
        " drop.dispatchEvent(new Event('input', {bubbles: true}));"
        " drop.dispatchEvent(new Event('change', {bubbles: true}))"
    )
    wait_until(tab, "location.search.includes('drop=4')")
    film.animate()
    wait_until(tab, IS_COMPLETE)
    film.hold(1000)
    film_map(film, address)
    film.pointer = None
    tab.goto(f"{address}/discover")
    wait_until(tab, IS_COMPLETE)
    film.hold(1300)
    tab.evaluate("document.querySelector('.heat').scrollIntoView()")
    film.hold(500)
    film.point("#table td:not(.rest) > a.in").click()
    tab.wait_for_selector("dialog[open] .near")
    tab.wait_for_timeout(300)
    film.hold(1500)
    film.save(FILM)
    tab.close()


def film_map(film: Film, address: str) -> None:
    """The map moves from principal components to two axes; then a word is explained."""
    tab = film.tab
    film.pointer = None
    tab.clock.install()
    tab.goto(f"{address}/map")
    tab.clock.resume()
    wait_until(tab, IS_MAP_READY)
    film.hold(1000)
    button = film.point("[data-layout='axes']")
    tab.clock.pause_at(tab.evaluate("Date.now()") + 50)
    button.click()
    tab.wait_for_timeout(1500)  # of this clock, not the tab's: positions arrive from the server
    for _ in range(9):
        tab.clock.run_for(80)
        film.hold(80)
    tab.clock.resume()
    tab.wait_for_timeout(800)
    film.hold(500)
    film.point("figure.map svg.wide .mark[data-word='secretary'] circle").click()
    tab.wait_for_selector(".why")
    film.hold(1500)


def main(arguments: list[str]) -> None:
    """Take the stills, the film, or both."""
    wanted = set(arguments) or {"stills", "film"}
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    with tempfile.TemporaryDirectory() as temporary:
        if "stills" in wanted:
            make_audits(Path(temporary))
        with run_server(Path(temporary)) as address, sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
            if "stills" in wanted:
                take_stills(browser, address)
            if "film" in wanted:
                take_film(browser, address)
            browser.close()


if __name__ == "__main__":
    main(sys.argv[1:])
