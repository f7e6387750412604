"""The documentation site builds without a warning, and needs nothing from other hosts."""

import os
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from ._web.browsing import PHONE, chromium, fits_window, open_page

ROOT = Path(__file__).parent.parent

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site, built as `make docs` builds it."""
    for needed in ("zensical", "latex2mathml"):
        pytest.importorskip(needed, reason="needs the extra 'docs'")
    folder = tmp_path_factory.mktemp("site")
    for name in ("zensical.toml", "CHANGELOG.md", "CONTRIBUTING.md"):
        shutil.copy(ROOT / name, folder)
    shutil.copytree(ROOT / "docs", folder / "docs")
    built = subprocess.run(
        [sys.executable, "-m", "zensical", "build", "--strict"],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": f"docs{os.pathsep}{os.environ.get('PYTHONPATH', '')}"},
        capture_output=True,
        text=True,
    )
    assert built.returncode == 0, built.stdout + built.stderr
    return folder / "site"


class Links(HTMLParser):
    """What a page fetches, what it links to, and the places on it that can be linked to."""

    def __init__(self, text):
        super().__init__()
        self.fetched, self.linked, self.places = [], [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.places.add(given.get("id"))
        if tag == "a":
            self.linked.append(given.get("href") or "")
        elif tag == "link" and given.get("rel") in ("canonical", "prev", "next"):
            pass  # names a page, and fetches nothing
        else:
            self.fetched += [given[name] for name in ("src", "href", "srcset") if given.get(name)]


def test_nothing_comes_from_another_host(site):
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        for address in Links(text).fetched:
            assert not urlsplit(address).netloc, (page.name, address)
    for sheet in site.rglob("*.css"):
        found = re.findall(r"url\(\s*[\"']?(?:https?:)?//[^)]*|@import[^;]*", sheet.read_text())
        assert found == [], sheet.name


def test_every_link_leads_to_a_page_and_a_place_on_it(site):
    pages = {page: Links(page.read_text(encoding="utf-8")) for page in site.rglob("*.html")}
    del pages[site / "404.html"]  # its links are from the root, wherever it is shown
    for page, links in pages.items():
        for link in links.linked + links.fetched:
            address = urlsplit(link)
            if address.scheme or address.netloc or not link:
                continue
            target = (page.parent / unquote(address.path)).resolve() if address.path else page
            target = target / "index.html" if target.is_dir() else target
            assert target.exists(), (page.name, link)
            if address.fragment and target in pages:
                assert unquote(address.fragment) in pages[target].places, (page.name, link)


def test_formulas_are_drawn_by_the_browser(site):
    text = (site / "methods" / "weat.html").read_text(encoding="utf-8")
    kept = (ROOT / "docs" / "methods" / "weat.md").read_text(encoding="utf-8")
    assert text.count('<math xmlns="http://www.w3.org/1998/Math/MathML" display="block">') == len(
        re.findall(r"^\$\$.*\$\$$", kept, re.MULTILINE)
    )
    assert "$$" not in text


def test_sources_of_the_pages_are_not_published(site):
    assert [*site.rglob("*.py"), *site.rglob("*.md")] == []


def test_the_site_can_be_read_and_searched_without_a_server(site):
    start = (site / "index.html").as_uri()
    with chromium() as browser, open_page(browser, start) as (tab, wrong):
        tab.keyboard.press("Control+k")
        tab.get_by_role("textbox").or_(tab.get_by_role("combobox")).first.fill("multiverse")
        tab.get_by_text("What varies").first.wait_for()
    assert [url for url in wrong if site.as_uri() not in url] == []


@pytest.mark.parametrize("window", [PHONE, {}], ids=["phone", "desktop"])
def test_pages_fit_their_window(site, window):
    start = (site / "index.html").as_uri()
    with chromium() as browser, open_page(browser, start, **window) as (tab, _):
        for page in site.rglob("*.html"):
            tab.goto(page.as_uri())
            assert fits_window(tab), page.name
