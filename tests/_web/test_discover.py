"""Discover: the same numbers as the library, as a job that survives a restart of the server."""

from __future__ import annotations

import csv
import io
import json
import re
import time
from dataclasses import replace
from html import unescape
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from markupsafe import Markup
from starlette.testclient import TestClient

import weatherglass as wg
from weatherglass._files import seal, unseal
from weatherglass._web import jobs
from weatherglass._web.discover import question, routes
from weatherglass._web.discover.ask_link import build_question
from weatherglass._web.discover.question import NEIGHBOURS_PER_WORD, Search
from weatherglass._web.settings import Settings
from weatherglass.discovery import Discovery
from weatherglass.discovery.discover import discover
from weatherglass.report.discovery import prose

from .conftest import open_client

SMALL = Search(source="default", groups=4, categories=8, words=2000, rotations=999)
QUERY = SMALL.query


@pytest.fixture(scope="module")
def discovery() -> Discovery:
    return discover(wg.open_vectors("default"), **SMALL.options)


def assert_same_discovery(first: Discovery, second: Discovery) -> None:
    """Check that two searches found the same, except for last digits: threads add in any order."""

    def rows(discovery: Discovery) -> list[Any]:
        return [(c.group, c.category, c.words, c.p, c.significant) for c in discovery.cells]

    assert rows(first) == rows(second)
    scores = [[c.score for c in discovery.cells] for discovery in (first, second)]
    assert scores[0] == pytest.approx(scores[1])
    assert (first.groups, first.order, first.rotations) == (
        second.groups,
        second.order,
        second.rotations,
    )


def test_the_address_of_a_search_leaves_out_defaults():
    assert Search(source="a b", seed=7).query == "source=a+b&seed=7"
    assert Search(source="a").options == {
        "names": "ssa",
        "groups": 12,
        "categories": 64,
        "words": 30_000,
        "per_cell": 3,
        "rotations": 10_000,
        "alpha": 0.05,
        "control": "auto",
        "placebo": 0,
        "rng": 0,
    }


def test_a_search_on_the_page_equals_that_of_the_library(client, discovery):
    assert_same_discovery(Discovery.from_json(client.get(f"/api/discover?{QUERY}").text), discovery)


def test_the_discover_form_redirects_to_a_short_address(client, as_browser):
    page = client.get("/discover", headers=as_browser())
    assert page.status_code == 200
    assert 'name="rotations"' in page.text
    long = f"{QUERY}&names=ssa&control=auto&alpha=0.05&against="
    moved = client.get(f"/discover?{long}", headers=as_browser(), follow_redirects=False)
    assert (moved.status_code, moved.headers["location"]) == (303, f"/discover?{QUERY}")


def test_every_cell_links_to_its_score_p_value_and_neighbours(client, discovery, as_browser):
    page = client.get(f"/discover?{QUERY}", headers=as_browser()).text
    assert page.count('class="in"') == len(discovery.cells)
    best = discovery.significant[0]
    at = f"/discover/cell?{QUERY}&group={best.group}&category={best.category}"
    assert at.replace("&", "&amp;") in page
    part = client.get(at, headers=as_browser(part=True)).text
    assert "<html" not in part
    assert f"{best.score:.3f}" in part
    near = wg.open_vectors("default").neighbours(best.words[0], NEIGHBOURS_PER_WORD)
    answer = client.get(f"/api/discover/cell?{QUERY}&group={best.group}&category={best.category}")
    cell = answer.json()
    assert cell["words"] == list(best.words)
    assert cell["p"] == best.p.value
    listed = [
        (neighbour["word"], neighbour["cosine"]) for neighbour in cell["neighbours"][best.words[0]]
    ]
    assert listed == near


def test_the_page_of_a_search_names_the_embedding_as_people_know_it(client, as_browser):
    page = client.get(f"/discover?{QUERY}", headers=as_browser()).text
    assert "<h1>What <bdi>GloVe 6B · 50d</bdi> associates with names</h1>" in page
    assert "by their vectors in <b><bdi>GloVe 6B · 50d</bdi></b>" in page
    assert "<bdi>default</bdi>" not in page


def test_a_cell_opened_by_its_link_is_a_whole_page(client, discovery, as_browser):
    best = discovery.significant[0]
    at = f"/discover/cell?{QUERY}&group={best.group}&category={best.category}"
    page = client.get(at, headers=as_browser()).text
    assert "<html" in page
    assert f'href="/discover?{QUERY}"'.replace("&", "&amp;") in page


@pytest.mark.parametrize(
    ("which", "status", "message"),
    [
        ("group=G9&category=C1", 404, "no group 'G9'."),
        ("group=G1&category=<b>", 404, "no category"),
        ("", 404, "no group ''"),
    ],
)
def test_an_unknown_cell_is_refused_with_a_sentence(client, which, status, message):
    answer = client.get(f"/api/discover/cell?{QUERY}&{which}")
    assert answer.status_code == status
    assert message in answer.json()["error"]


def test_downloads_of_a_search_hold_the_same_results(client, discovery):
    record = client.get(f"/discover/download.json?{QUERY}")
    assert_same_discovery(Discovery.from_json(record.text), discovery)
    assert "attachment" in record.headers["content-disposition"]
    rows = list(csv.DictReader(io.StringIO(client.get(f"/discover/download.csv?{QUERY}").text)))
    assert [row["words"] for row in rows] == [", ".join(cell.words) for cell in discovery.cells]
    assert [float(row["score"]) for row in rows] == pytest.approx(
        [c.score for c in discovery.cells]
    )
    page = client.get(f"/discover/download.html?{QUERY}")
    assert "<title>What GloVe 6B · 50d associates with names</title>" in page.text
    svg = client.get(f"/discover/picture.svg?{QUERY}")
    assert svg.text.startswith("<svg")


@pytest.mark.slow
def test_a_search_compares_two_sources(client, as_browser, tmp_path):
    vectors = wg.open_vectors("default")
    known = vectors.words[:60_000]
    half = tmp_path / "half.txt"
    with half.open("w") as file:
        for word, row in zip(known, vectors.matrix[:60_000, :25].tolist(), strict=True):
            file.write(f"{word} {' '.join(f'{x:.4f}' for x in row)}\n")
    with open_client(Settings(sources=("default", str(half)), wait_seconds=120)) as two:
        query = f"{QUERY}&against=half.txt"
        both: dict[str, Any] = two.get(f"/api/discover?{query}").json()
        assert {change["change"] for change in both["changes"]} <= {"appears", "vanishes", "stays"}
        page = two.get(f"/discover?{query}", headers=as_browser()).text
        assert page.count("<tr>") >= len(both["changes"])
        assert two.get(f"/discover/picture.json?{query}").status_code == 200
        rows = csv.DictReader(io.StringIO(two.get(f"/discover/download.csv?{query}").text))
        assert len(list(rows)) == len(both["changes"])


@pytest.mark.parametrize(
    "wrong",
    [
        "groups=1",
        "groups=51",
        "rotations=0",
        "rotations=1000000000",
        "alpha=0",
        "alpha=1",
        "alpha=nan",
        "names=/etc/passwd",
        "names=../names.txt",
        "control=some",
        "seed=-1",
        "words=100000000",
    ],
)
def test_search_options_out_of_bounds_are_refused_with_a_sentence(client, wrong):
    answer = client.get(f"/api/discover?source=default&{wrong}")
    assert answer.status_code == 422
    assert answer.json()["error"].startswith(wrong.partition("=")[0])


def test_unknown_sources_and_sources_without_names_are_refused_with_a_sentence(client, as_browser):
    assert client.get("/api/discover?source=defualt").status_code == 404
    assert client.get("/api/discover").status_code == 422
    page = client.get("/discover?source=tiny.txt", headers=as_browser())
    assert page.status_code == 422
    assert 'role="alert"' in page.text
    assert 'name="rotations"' in page.text  # the form is still there


def _until(client: TestClient, address: str, done: Any) -> Any:
    for _ in range(600):
        answer = client.get(address)
        if done(answer):
            return answer
        time.sleep(0.05)
    raise AssertionError(f"{address} did not come so far: {answer.text[:200]}")


LONG = Search(source="default", categories=16, words=3000, rotations=100_000, seed=3)


def test_a_search_shows_its_progress_and_can_be_cancelled(as_browser):
    with open_client(Settings(wait_seconds=0.05)) as client:
        page = client.get(f"/discover?{LONG.query}", headers=as_browser())
        assert page.status_code == 202
        assert "<progress" in page.text
        assert "Cancel" in page.text
        far = _until(
            client, f"/api/discover?{LONG.query}", lambda answer: answer.json().get("done", 0) > 200
        ).json()
        assert far["total"] == 100_000
        # The page opened again waits for the same search, and lists it while it shows the form.
        again = client.get(f"/discover?{LONG.query}", headers=as_browser())
        assert f"/jobs/{far['job']}/cancel" in again.text
        assert LONG.query.replace("&", "&amp;") in client.get("/discover").text
        assert client.post(f"/jobs/{far['job']}/cancel").status_code == 200
        ended = client.get(f"/api/discover?{LONG.query}&job={far['job']}")
        assert ended.status_code == 409
        assert ended.json()["error"].startswith("This was cancelled.")


@pytest.mark.slow
def test_a_search_resumes_after_a_restart_of_the_server(own_cache: Path):
    other = replace(LONG, rotations=12_000, seed=4)  # of which nothing has been counted yet
    address = f"/api/discover?{other.query}"
    with open_client(Settings(wait_seconds=0.05)) as client:
        first = _until(client, address, lambda answer: answer.json().get("done", 0) > 2000).json()
    assert list((own_cache / "discovery").glob("*.jsonl"))
    with open_client(Settings(wait_seconds=0.05)) as client:
        assert client.get(f"/jobs/{first['job']}").status_code == 404
        done = [0]

        def is_finished(answer: Any) -> bool:
            done.append(answer.json().get("done", 0))
            return answer.status_code == 200

        resumed = _until(client, address, is_finished).json()
    assert next(filter(None, done), 2000) >= 2000  # not from the start
    options = other.options
    assert_same_discovery(
        Discovery.from_json(json.dumps(resumed)), discover(wg.open_vectors("default"), **options)
    )


def test_the_time_left_is_estimated_from_the_speed_so_far(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(jobs, "time", SimpleNamespace(monotonic=lambda: now[0]))
    job = jobs.Job(("k",), "Rotating", 600)
    job.report(500, 1000)  # where an earlier search stopped
    assert job.left is None
    now[0] += 10
    job.report(600, 1000)
    assert job.left == pytest.approx(40)
    job.report(0, 50, "Something else")  # another kind of step is another speed
    assert job.left is None


def test_labels_and_words_of_hostile_vectors_are_escaped(discovery):
    evil = '"><script>alert(1)</script>'
    cells = tuple(replace(cell, words=(evil, "b", "c")) for cell in discovery.cells)
    categories = tuple(replace(category, label=f"{evil}, x") for category in discovery.categories)
    table = routes.linked_cells_table(replace(discovery, cells=cells, categories=categories), SMALL)
    assert "<script" not in table
    assert "&lt;script&gt;" in table
    groups = tuple(replace(group, shown=(evil,)) for group in discovery.groups)
    names = routes.names_table(replace(discovery, groups=groups))
    assert "<script" not in names
    assert "style=" not in names  # the policy of the pages allows none
    assert re.search(r'data-share="[\d.]+%"', names)


def test_slurs_are_masked_in_the_heat_map_and_its_headings(discovery):
    slur = "retard"
    cells = tuple(replace(cell, words=(slur, "b", "c")) for cell in discovery.cells)
    groups = tuple(replace(group, shown=(slur,), facts={}) for group in discovery.groups)
    hostile = replace(discovery, cells=cells, groups=groups)
    table = routes.linked_cells_table(hostile, SMALL)
    text = re.sub(r'data-word="[^"]*"', "", table)  # the style sheet shows it on request
    assert slur not in text
    assert slur not in re.sub(
        r'data-word="[^"]*"',
        "",
        prose.association_sentence(hostile, hostile.significant[0]),
    )


def test_the_page_opens_with_five_sentences_that_agree_with_the_cells(
    client, discovery, as_browser
):
    page = client.get(f"/discover?{QUERY}", headers=as_browser()).text
    items = re.findall(r"<li>(Names of group .*?)</li>", page, re.S)
    cells = prose.strongest_cells(discovery)
    assert len(items) == len(cells) == 5
    assert cells[0] == discovery.significant[0]
    groups = {group.id: group for group in discovery.groups}
    for item, cell in zip(items, cells, strict=True):
        text = Markup(item).striptags()
        group = groups[cell.group]
        women = group.facts["share_female"]
        share = f"{100 * women:.0f} % women" if women >= 0.5 else f"{100 - 100 * women:.0f} % men"
        assert f"({share}, born about {group.facts['mean_year']:.0f}" in text
        assert f"associated with {', '.join(cell.words)} than the names of other groups are" in text
        assert text.startswith(f"Names of group {group.id} (")  # no name next to a stereotype
        assert text.endswith(f"score {cell.score:.3f}")
    assert page.index("Names of group") < page.index("significant of")


def _rows(page: str) -> list[str]:
    return re.findall(r'<tr role="row"[^>]* data-category="(\w+)"', page)


def test_the_filter_hides_exactly_the_chosen_categories_and_is_in_the_address(
    client, discovery, as_browser
):
    hidden = discovery.order[:2]
    address = f"/discover?{QUERY}&hide={hidden[0]}&hide={hidden[1]}"
    for _ in range(2):  # a reload shows the same
        page = client.get(address, headers=as_browser(), follow_redirects=False)
        assert page.status_code == 200
        expected = {category.id for category in discovery.categories} - set(hidden)
        assert set(_rows(page.text)) == expected
        checked = re.findall(r'name="hide" value="(\w+)" checked', page.text)
        assert sorted(checked) == sorted(hidden)
    cells = [cell for cell in discovery.significant if cell.category in hidden]
    assert f"You hide 2 categories with {len(cells)} significant" in page.text
    sentences = re.findall(r"<li>Names of group .*?</li>", page.text, re.S)
    assert sentences
    assert not any(
        f"category={id}&" in text.replace('"', "&") for id in hidden for text in sentences
    )


def test_rows_are_sorted_by_the_scores_of_a_column(client, discovery, as_browser):
    page = client.get(f"/discover?{QUERY}&sort=G2", headers=as_browser()).text
    cells = {cell.category: cell for cell in discovery.cells if cell.group == "G2"}
    in_order = [cells[id] for id in _rows(page) if id in cells]
    assert in_order == sorted(in_order, key=lambda cell: (not cell.significant, -cell.score))
    assert len(in_order) == len(cells)
    assert page.count('aria-sort="descending"') == 1
    unsorted = client.get(f"/discover?{QUERY}", headers=as_browser()).text
    assert tuple(_rows(unsorted)[: len(discovery.order)]) == discovery.order


def test_columns_are_headed_by_what_is_known_of_their_names(client, discovery, as_browser):
    page = client.get(f"/discover?{QUERY}", headers=as_browser()).text
    heads = re.findall(r'<div class="head" tabindex="0">(.*?)</div>', page, re.S)
    assert len(heads) == len(discovery.groups)
    for head, group in zip(heads, discovery.groups, strict=True):
        assert re.search(r"<b>\d+\s% (wo)?men, born about \d{4}", head)
        assert head.startswith('<svg class="glyph"')
        assert all(name in head for name in group.shown)


def test_a_cell_leads_to_a_question_whose_answer_has_the_same_sign(client, discovery, as_browser):
    for cell in discovery.significant[:3]:
        at = f"/discover/cell?{QUERY}&group={cell.group}&category={cell.category}"
        part = client.get(at, headers=as_browser(part=True)).text
        link = re.search(r'href="/\?([^"]+)">Ask with these words', part)
        assert link
        query = unescape(link[1])
        answer = client.get(f"/api/ask?{query}").json()
        (result,) = answer["results"]
        assert result["effect"] > 0  # a cell always has a positive score
        assert client.get(f"/?{query}", headers=as_browser()).status_code == 200


def test_a_cell_without_words_to_compare_with_leads_to_no_question(discovery):
    cell = discovery.significant[0]
    alone = replace(
        discovery,
        cells=(cell,),
        categories=tuple(
            replace(category, label=cell.words[0]) for category in discovery.categories
        ),
    )
    assert build_question(alone, cell, "default") is None
    question = build_question(discovery, cell, "default")
    assert question is not None
    sets = [set(question.read(side, Settings()).words) for side in "xyab"]
    assert sum(map(len, sets)) == len(set().union(*sets))  # no word is in two sets


def test_the_page_opens_with_the_search_that_the_server_started(client, as_browser, monkeypatch):
    small = Search(source="default", groups=2, categories=3, words=300, rotations=50)
    monkeypatch.setattr(question, "OPENING_SEARCH", small)
    before = client.get("/discover", headers=as_browser()).text
    assert "discovered" not in before
    question.start_opening_search(client.app.app.state.session)
    page = _until(client, "/discover", lambda answer: 'class="discovered"' in answer.text).text
    assert "You can leave this page" not in page
    assert "four-tuples" not in page


@pytest.fixture
def start_server(tmp_path, monkeypatch):
    """Start a server with a small opening search; return the result and how often it was run."""
    monkeypatch.setenv("WEATHERGLASS_CACHE_DIR", str(tmp_path / "cache"))
    runs: list[Search] = []
    call = jobs.Jobs.call

    def count_call(self: Any, report: Any, function: Any, *arguments: Any, **options: Any) -> Any:
        if function is question.search_in_process:
            runs.append(arguments[1])
        return call(self, report, function, *arguments, **options)

    monkeypatch.setattr(jobs.Jobs, "call", count_call)

    def start(source: str = "default", **options: Any) -> tuple[Discovery, int]:
        small = Search(source=source, groups=2, categories=3, words=300, rotations=19)
        opening = replace(small, **options)
        monkeypatch.setattr(question, "OPENING_SEARCH", opening)
        runs.clear()
        spec = str(tmp_path / source) if source != "default" else source
        with open_client(Settings(sources=(spec,), wait_seconds=120)) as started:
            question.start_opening_search(started.app.app.state.session)
            _until(started, "/discover", lambda answer: 'class="discovered"' in answer.text)
            answer = started.get(f"/api/discover?{opening.query}").text
        return Discovery.from_json(answer), len(runs)

    return start


def _saved_searches(tmp_path: Path) -> list[Path]:
    return sorted((tmp_path / "cache" / "searches").iterdir())


def test_the_opening_search_is_run_at_the_first_start_of_a_server_only(start_server, tmp_path):
    first, n_first = start_server()
    (saved,) = _saved_searches(tmp_path)
    content = saved.read_bytes()
    again, n_again = start_server()
    assert (n_first, n_again) == (1, 0)
    assert again == first
    assert saved.read_bytes() == content


@pytest.mark.slow
def test_an_opening_search_with_another_option_is_run_anew(start_server, tmp_path):
    start_server()
    other, runs = start_server(rotations=29)
    assert (runs, other.rotations.asked) == (1, 29)
    assert len(_saved_searches(tmp_path)) == 2


@pytest.mark.slow
def test_an_opening_search_on_changed_vectors_is_run_anew(start_server, tmp_path):
    vectors = wg.open_vectors("default")
    path = tmp_path / "some.npz"
    for dim, expected in ((50, 1), (50, 0), (40, 1)):
        if expected:
            rows = np.asarray(vectors.matrix[:20_000, :dim])
            np.savez(path, words=np.array(vectors.words[:20_000]), vectors=rows)
        found, runs = start_server("some.npz")
        assert (runs, found.source["dim"]) == (expected, dim)


@pytest.mark.parametrize(
    "place", [0.5, *(pytest.param(place, marks=pytest.mark.slow) for place in (0.1, 0.9))]
)
def test_a_damaged_saved_search_is_run_anew_and_replaced(start_server, tmp_path, place):
    first, _ = start_server()
    (saved,) = _saved_searches(tmp_path)
    whole = saved.read_bytes()
    damaged = bytearray(whole)
    damaged[int(place * len(damaged))] ^= 1
    saved.write_bytes(damaged)
    again, runs = start_server()
    assert runs == 1
    assert_same_discovery(again, first)
    assert len(saved.read_bytes()) == pytest.approx(len(whole), rel=0.01)
    assert start_server()[1] == 0


@pytest.mark.slow
def test_a_saved_search_of_other_vectors_is_run_anew(start_server, tmp_path):
    first, _ = start_server()
    (saved,) = _saved_searches(tmp_path)
    record = unseal(saved.read_bytes())
    record["result"]["source"]["fingerprint"] = "0" * 32
    saved.write_text(seal(record) + "\n")
    again, runs = start_server()
    assert runs == 1
    assert again.source == first.source


def test_placebo_searches_are_shown_on_the_page_and_in_the_answer(client, as_browser):
    small = Search(source="default", groups=2, categories=3, words=300, rotations=49, placebo=1)
    answer = client.get(f"/api/discover?{small.query}").json()
    (placebo,) = answer["placebos"]
    page = client.get(f"/discover?{small.query}", headers=as_browser()).text
    counts = f"{placebo['significant']} of {placebo['cells']}"
    assert f"With random words in place of names, {counts} cells are significant." in page
    assert "significant with random words in place of the names" in page


def test_the_page_shows_the_names_that_cleaning_kept_and_dropped(client, as_browser):
    page = client.get(f"/discover?{QUERY}", headers=as_browser()).text
    assert "Names kept and dropped" in page
    svg = client.get(f"/discover/cleaning.svg?{QUERY}")
    assert svg.text.startswith("<svg")
    assert "power law" in svg.text
