"""The Map: words on principal components and on axes, and why a word is where it is."""

from __future__ import annotations

import html
import re
from pathlib import Path

import numpy as np
import pytest

import weatherglass as wg
from weatherglass._web.map.drawing import NARROW, WIDE, draw_map, fit_view
from weatherglass._web.map.projection import SCALE
from weatherglass._web.map.question import Mark, SourceMap
from weatherglass._web.settings import Settings

from .conftest import WORDS, open_client

SETS = {"a": "she her woman", "b": "he him man", "c": "kind good", "d": "foul bad"}
QUESTION = {"source": "tiny.txt", "x": "rose lily", "y": "wasp gnat", "words": "nurse doctor"}
QUESTION |= SETS


def cosine(vectors: wg.Vectors, word: str, high: str, low: str) -> float:
    """The cosine of a word with the difference of two means of unit vectors, by hand."""
    means = [vectors.unit(words.split()).mean(axis=0) for words in (high, low)]
    axis = means[0] - means[1]
    return float(vectors.unit([word])[0] @ axis / np.linalg.norm(axis))


def read_positions(client, **params: str) -> np.ndarray:
    answer = client.get("/api/map/positions", params={**QUESTION, **params})
    assert answer.headers["content-type"] == "application/octet-stream"
    return np.frombuffer(answer.content, "<i2").reshape(-1, 2) * SCALE


def test_the_map_is_a_page_of_the_top_bar(client, as_browser):
    page = client.get("/map?source=tiny.txt", headers=as_browser())
    assert page.status_code == 200
    assert '<a href="/map" aria-current="page">Map</a>' in page.text
    assert client.get("/static/map.js").status_code == 200


def test_positions_on_axes_are_cosines_with_the_difference_of_mean_unit_vectors(client, tiny):
    vectors = wg.open_vectors(tiny)
    words = client.get("/api/map/words?source=tiny.txt").json()["words"]
    assert words == WORDS
    positions = read_positions(client, layout="axes")
    for word, place in zip(words, positions, strict=True):
        expected = [
            cosine(vectors, word, SETS["a"], SETS["b"]),
            cosine(vectors, word, SETS["c"], SETS["d"]),
        ]
        assert place.tolist() == pytest.approx(expected, abs=SCALE)


def test_principal_components_are_those_of_a_singular_value_decomposition(client, tiny):
    units = wg.open_vectors(tiny).unit(WORDS)
    centred = units - units.mean(axis=0)
    _, _, directions = np.linalg.svd(centred)
    expected = centred @ directions[:2].T
    positions = read_positions(client, layout="components")
    for k in (0, 1):
        sign = np.sign(positions[0, k] * expected[0, k])
        assert positions[:, k] == pytest.approx(sign * expected[:, k], abs=SCALE)


def test_contributions_of_the_seeds_add_up_to_the_coordinate(client, tiny):
    vectors = wg.open_vectors(tiny)
    params = {"source": "tiny.txt", "word": "nurse", **SETS}
    axes = client.get("/api/map/contributions", params=params).json()
    for axis, (high, low) in zip(axes, [("a", "b"), ("c", "d")], strict=True):
        values = [seed["value"] for seed in axis["contributions"]]
        coordinate = cosine(vectors, "nurse", SETS[high], SETS[low])
        assert axis["coordinate"] == pytest.approx(coordinate)
        assert sum(values) == pytest.approx(coordinate)
        assert values == sorted(values, reverse=True)


def test_a_contribution_is_worked_by_hand(tmp_path: Path):
    path = tmp_path / "hand.txt"
    path.write_text("w 3 4\na 1 0\nb 0 1\nc 0 2\nd -1 0\n")
    params = {"word": "w", "a": "a", "b": "b c", "c": "b", "d": "d"}
    with open_client(Settings(sources=(str(path),), wait_seconds=600)) as client:
        across, _ = client.get("/api/map/contributions", params=params).json()
    # w = (0.6, 0.8), and the axis is (1, 0) - (0, 1) with the length √2.
    length = np.sqrt(2)
    assert across["coordinate"] == pytest.approx(-0.2 / length)
    by_seed = {seed["seed"]: seed["value"] for seed in across["contributions"]}
    half = -0.8 / 2 / length
    assert by_seed == pytest.approx({"a": 0.6 / length, "b": half, "c": half})


@pytest.mark.parametrize("size", [WIDE, NARROW])
def test_both_axes_of_the_picture_have_the_same_scale(size):
    places = [(0.0, 0.0), (0.3, 0.0), (0.0, 0.3), (-2.0, 0.1)]
    marks = tuple(Mark(f"w{k}", "", "", place, None) for k, place in enumerate(places))
    bounds = {"components": (-2.0, 0.3, 0.0, 0.3)}
    drawing = draw_map(SourceMap("s", 4, (), marks, (), bounds), "components", size)
    origin, right, up, _ = drawing.marks
    assert right.x - origin.x == pytest.approx(origin.y - up.y, abs=0.2)
    assert right.x - origin.x > 10
    view = fit_view(bounds["components"], *size)
    for mark in drawing.marks:
        assert (mark.x, mark.y) == view.to_pixels(mark.mark.components)
        assert 0 <= mark.x <= size[0]
        assert 0 <= mark.y <= size[1]


def test_the_table_has_every_marked_word_without_scripts(client, as_browser, tiny):
    page = client.get("/map", params=QUESTION | {"layout": "axes"}, headers=as_browser()).text
    table = page.partition('<table class="plain positions">')[2].partition("</table>")[0]
    rows = re.findall(r"<tr><th scope=\"row\">.*?<bdi>(.*?)</bdi>.*?</tr>", table)
    assert rows == ["rose", "lily", "wasp", "gnat", "nurse", "doctor"]
    across = cosine(wg.open_vectors(tiny), "nurse", SETS["a"], SETS["b"])
    assert f"{across:.2f}".replace("-", "−") in table
    for word in rows:
        assert re.search(rf'<g class="mark [^>]*data-word="{word}"', page)
    assert "Other words" in table


def test_a_chosen_word_is_explained_without_scripts(client, as_browser):
    page = client.get("/map", params=QUESTION | {"word": "nurse"}, headers=as_browser()).text
    assert "Why is <bdi>nurse</bdi> here?" in page
    assert page.count('<table class="plain why">') == 2
    assert "Nearest neighbours" in page


def test_an_unknown_word_gets_a_message(client, as_browser):
    params = QUESTION | {"word": "unicorn"}
    part = client.get("/map/word", params=params, headers=as_browser(part=True))
    assert part.status_code == 200
    assert "This embedding does not have the word." in part.text
    page = client.get("/map", params=QUESTION | {"x": "rose griffin"}, headers=as_browser())
    assert "Not in <bdi>tiny.txt</bdi>: <bdi>griffin</bdi>." in page.text
    missing = client.get("/api/map/contributions", params={**SETS, "word": "unicorn"})
    assert missing.status_code == 422


def test_without_axes_the_principal_components_are_still_drawn(client, as_browser):
    for params, reason in (
        ({"a": "unicorn"}, "has none of these words: unicorn"),
        ({"b": ""}, "The left end of the axes is empty"),
        ({"a": "good", "b": "good"}, "the same mean"),
    ):
        query = QUESTION | {"layout": "axes"} | params
        page = client.get("/map", params=query, headers=as_browser())
        assert page.status_code == 200
        assert reason in html.unescape(page.text)
        assert 'data-layout="components">\n<div class="maps">' in page.text
        assert client.get("/api/map/positions", params=query).status_code == 422


def test_the_address_holds_the_question_and_defaults_are_left_out(client, as_browser):
    whole = client.get("/map", headers=as_browser(), follow_redirects=False)
    assert whole.status_code == 200
    params = {"source": "tiny.txt", "layout": "components", "x": "@weat6.X", "word": " rose "}
    answer = client.get("/map", params=params, headers=as_browser(), follow_redirects=False)
    assert answer.status_code == 303
    assert answer.headers["location"] == "/map?source=tiny.txt&word=rose"


def test_hostile_words_are_escaped_and_rows_without_direction_left_out(tmp_path, as_browser):
    path = tmp_path / "hostile.txt"
    words = ["<img/src=x>", "\u202eevil", "good", "bad", "fine", "foul", "zero"]
    rows = np.random.default_rng(1).normal(size=(len(words), 4))
    rows[-1] = 0
    lines = [f"{w} {' '.join(map(str, row))}" for w, row in zip(words, rows, strict=True)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    params = {"x": '"<img/src=x>"', "y": '"\u202eevil"', "words": "zero"}
    params |= {"a": "good", "b": "bad", "c": "fine", "d": "foul", "word": "<img/src=x>"}
    with open_client(Settings(sources=(str(path),), wait_seconds=600)) as client:
        page = client.get("/map", params=params | {"words": ""}, headers=as_browser())
        assert page.status_code == 200
        assert "<img/" not in page.text
        assert "\u202e" not in page.text.replace('value="&#34;\u202eevil', "")
        assert "&lt;img/src=x&gt;" in page.text
        assert client.get("/api/map/words").json()["words"][:2] == ["<img/src=x>", "\\u202eevil"]
        assert len(client.get("/api/map/positions", params=params).content) == 6 * 4
        assert client.get("/map", params=params, headers=as_browser()).status_code == 422


def test_slurs_are_masked_in_labels_and_in_the_words_for_the_script(tmp_path, as_browser):
    from weatherglass.catalog import is_slur, mask_slurs, seed_sets

    slur = next(word for entry in seed_sets() for word in entry.words if is_slur(word))
    path = tmp_path / "slurs.txt"
    rows = np.random.default_rng(2).normal(size=(6, 4))
    lines = [slur.lower().replace(" ", "_"), "sun", "good", "bad", "fine", "foul"]
    text = [f"{w} {' '.join(map(str, row))}" for w, row in zip(lines, rows, strict=True)]
    path.write_text("\n".join(text) + "\n")
    params = {"x": lines[0], "y": "sun", "words": "", "a": "good", "b": "bad", "c": "fine"}
    with open_client(Settings(sources=(str(path),), wait_seconds=600)) as client:
        page = client.get("/map", params=params | {"d": "foul"}, headers=as_browser()).text
        assert f">{lines[0]}<" not in page
        assert client.get("/api/map/words").json()["masks"] == {"0": mask_slurs(lines[0])}
        shown = as_browser() | {"Cookie": "weatherglass-slurs=yes"}
        page = client.get("/map", params=params | {"d": "foul"}, headers=shown).text
        label = f'data-mask="{mask_slurs(lines[0])}">{lines[0]}</text>'
        assert label.replace("_", " ") in page or label in page


def test_two_embeddings_are_shown_side_by_side_and_three_are_refused(client, as_browser):
    params = QUESTION | {"source": ["tiny.txt", "default"], "word": "nurse"}
    page = client.get("/map", params=params, headers=as_browser())
    assert page.status_code == 200
    assert page.text.count('<figure class="map"') == 2
    assert page.text.count('<article class="about-word">') == 2
    params["source"] = ["tiny.txt", "default", "third"]
    refused = client.get("/map", params=params, headers=as_browser())
    assert refused.status_code == 422
    assert "at most 2 embeddings" in refused.text


def test_a_set_that_the_catalogue_lacks_gets_a_message_and_the_form(client, as_browser):
    page = client.get("/map", params=QUESTION | {"x": "@weat66.X"}, headers=as_browser())
    assert page.status_code == 404
    assert "Did you mean" in page.text
    assert '<form id="draw"' in page.text
