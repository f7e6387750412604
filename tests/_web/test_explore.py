"""Explore: neighbours of a word, words on one axis and on two, embeddings side by side."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import numpy as np
import pytest

import weatherglass as wg
from weatherglass._web.settings import Settings

from .conftest import open_client

AXIS = {"view": "axis", "words": "rose, wasp, nurse", "a": "kind good", "b": "foul bad"}
MAP = AXIS | {"view": "map", "c": "she her woman", "d": "he him man"}


def cosine(vectors: wg.Vectors, word: str, high: list[str], low: list[str]) -> float:
    """The cosine of a word with the difference of two means, by hand."""
    rows = dict(zip(vectors.words, np.asarray(vectors.matrix, dtype=float), strict=True))
    means = [np.mean([rows[end] for end in ends], axis=0) for ends in (high, low)]
    axis, row = means[0] - means[1], rows[word]
    return float(row @ axis / np.linalg.norm(row) / np.linalg.norm(axis))


def test_neighbours_equal_those_of_the_library(client, tiny):
    (out,) = client.get("/api/neighbours", params={"word": "rose", "n": 5}).json()
    expected = wg.open_vectors(tiny).neighbours("rose", 5)
    assert [neighbour["word"] for neighbour in out["neighbours"]] == [word for word, _ in expected]
    assert [neighbour["cosine"] for neighbour in out["neighbours"]] == pytest.approx(
        [c for _, c in expected]
    )


def test_neighbours_are_shown_side_by_side_and_a_missing_word_is_named(client, as_browser):
    page = client.get("/explore?source=tiny.txt&source=default&word=rose", headers=as_browser())
    assert page.status_code == 200
    assert page.text.count('<section class="card">') == 2
    shared = page.text.partition("Neighbours in all of these embeddings: ")[2].partition("</p>")[0]
    both = client.get("/api/neighbours?source=tiny.txt&source=default&word=rose").json()
    first, second = ({near["word"] for near in found["neighbours"]} for found in both)
    assert first & second == set(re.findall(r"<bdi>(.*?)</bdi>", shared))
    page = client.get("/explore?source=tiny.txt&source=default&word=queen", headers=as_browser())
    assert page.text.count("This embedding does not have the word.") == 1


def test_other_capitals_are_found_and_typos_get_suggestions(client):
    (out,) = client.get("/api/neighbours?source=default&word=Nurse&n=1").json()
    assert out["word"] == "nurse"
    (out,) = client.get("/api/neighbours?source=default&word=nursse").json()
    assert out["neighbours"] == []
    assert "Did you mean nurse" in out["reason"]


def test_positions_are_cosines_with_the_difference_of_the_set_means(client, tiny):
    vectors = wg.open_vectors(tiny)
    params = {name: value for name, value in MAP.items() if name != "view"}
    (out,) = client.get("/api/places", params=params).json()
    assert (out["status"], out["missing"]) == ("done", {})
    for position in out["words"]:
        across = cosine(vectors, position["word"], ["kind", "good"], ["foul", "bad"])
        up = cosine(vectors, position["word"], ["she", "her", "woman"], ["he", "him", "man"])
        assert position["places"] == pytest.approx([across, up])
    del params["c"], params["d"]
    (alone,) = client.get("/api/places", params=params).json()
    assert [position["places"] for position in alone["words"]] == [
        [a] for a, _ in map(_places, out["words"])
    ]


def _places(position: dict) -> list[float]:
    return position["places"]


def test_missing_words_are_shown_by_set(client, as_browser):
    params = AXIS | {"words": "rose, griffin", "b": "foul, unicorn"}
    page = client.get("/explore", params=params, headers=as_browser())
    assert page.status_code == 200
    assert "griffin" in page.text.partition("<h2>Change the axes or the words</h2>")[0]
    api = {name: value for name, value in params.items() if name != "view"}
    (out,) = client.get("/api/places", params=api).json()
    assert out["missing"] == {"words": ["griffin"], "b": ["unicorn"]}
    part = client.get(
        "/explore/words",
        params={"which": "words", "words": "rose griffin"},
        headers=as_browser(True),
    )
    assert "2 words, 1 not in" in part.text


def test_an_axis_end_without_known_words_is_reported_and_other_sources_still_answer(
    client, as_browser
):
    question = AXIS | {"a": "queen", "source": ["tiny.txt", "default"]}
    page = client.get("/explore", params=question, headers=as_browser())
    assert "Not possible on tiny.txt: queen has 0 words" in page.text
    assert "picture.json" in page.text


def test_equal_ends_have_no_axis_between_them(client):
    api = {"words": "rose", "a": "good", "b": "good"}
    (out,) = client.get("/api/places", params=api).json()
    assert out["status"] == "not run"
    assert "same mean" in out["reason"]


def test_catalogue_sets_can_be_the_ends_of_an_axis(client):
    api = {"words": "nurse, engineer", "a": "@female_1-Caliskan_et_al_2017"}
    api |= {"b": "@male_1-Caliskan_et_al_2017", "source": "default"}
    (out,) = client.get("/api/places", params=api).json()
    female, male = (f"{name}_1-Caliskan_et_al_2017" for name in ("female", "male"))
    sets = {"X": ["nurse", "engineer"], "A": female, "B": male}
    expected = wg.measure(wg.open_vectors("default"), "semaxis", sets).by_word["X"]
    assert [position["places"][0] for position in out["words"]] == pytest.approx(expected)
    assert expected[0] > 0 > expected[1]


def test_the_address_of_an_exploration_is_short_and_gives_the_same_page(client, as_browser):
    long = client.get(
        "/explore?word=rose&n=20&words=&a=", headers=as_browser(), follow_redirects=False
    )
    assert (long.status_code, long.headers["location"]) == (303, "/explore?word=rose")
    first, again = (client.get("/explore", params=MAP, headers=as_browser()) for _ in range(2))
    assert first.text == again.text
    assert "good" in first.text


@pytest.mark.parametrize("params", [{"word": "rose"}, AXIS, MAP])
def test_charts_and_numbers_can_be_downloaded(client, params):
    svg = client.get("/explore/picture.svg", params=params)
    assert svg.headers["content-type"] == "image/svg+xml"
    assert "attachment" in svg.headers["content-disposition"]
    assert svg.text.startswith("<svg")
    lines = list(
        csv.DictReader(io.StringIO(client.get("/explore/numbers.csv", params=params).text))
    )
    if "view" not in params:
        assert len(lines) == 20
        return
    assert {line["word"] for line in lines} == {"rose", "wasp", "nurse"}
    assert len(lines) == (6 if params is MAP else 3)


def test_the_map_labels_its_points(client):
    spec = client.get("/explore/picture.json", params=MAP | {"size": "small"}).json()
    texts = [layer for layer in spec["layer"] if layer["mark"]["type"] == "text"]
    assert {text["word"] for text in texts[-1]["data"]["values"]} == {"rose", "wasp", "nurse"}


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/explore?word=rose&source=nowhere", 404),
        ("/explore?view=axis&words=rose&a=@no_such_set&b=bad", 404),
        ("/explore?view=sphere", 422),
        ("/explore?word=rose&n=0", 422),
        ("/explore?word=rose&n=many", 422),
        ("/explore/picture.svg?word=queen", 422),
        ("/explore/picture.svg?view=map&words=rose&a=kind&b=bad&c=queen&d=king", 422),
        ("/explore/picture.svg?view=axis&words=rose&a=kind&b=bad&on=nowhere", 404),
        ("/explore/numbers.csv", 422),
        ("/api/neighbours?word=%20", 422),
        ("/api/places?words=,&a=kind&b=bad", 422),
        ("/api/places?words=rose&a=kind&b=bad&c=he", 422),
    ],
)
def test_invalid_explorations_are_refused_with_a_sentence(client, path, status):
    answer = client.get(path)
    assert answer.status_code == status
    if answer.headers["content-type"] == "application/json":
        assert answer.json()["error"].strip().endswith((".", "?"))


def test_word_lists_over_the_limit_are_refused(client):
    many = ",".join(f"w{k}" for k in range(501))
    answer = client.get("/api/places", params={"words": many, "a": "kind", "b": "bad"})
    assert answer.status_code == 422
    assert "501 words" in answer.json()["error"]
    huge = {"words": " ".join(["w"] * 10_000), "a": "kind", "b": "bad"}
    assert client.get("/api/places", params=huge).status_code == 422


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """A server whose vocabulary is made to do harm."""
    folder = tmp_path_factory.mktemp("hostile")
    words = [
        b"<script>alert(1)</script>",
        "a\u202eb".encode(),
        b"\xff\xfe",
        b"redneck",
        b"he",
        b"she",
    ]
    rows = [b"1 0 0", b"0.9 0.1 0", b"0.8 0.2 0", b"0.7 0.3 0", b"0.6 0 0.5", b"0 1 0"]
    path = Path(folder, "bad.txt")
    path.write_bytes(
        b"".join(word + b" " + row + b"\n" for word, row in zip(words, rows, strict=True))
    )
    with open_client(Settings(sources=(str(path),), wait_seconds=600)) as client:
        yield client


def test_a_hostile_vocabulary_is_escaped_and_masked(hostile, as_browser):
    near = hostile.get("/explore?word=he", headers=as_browser())
    assert near.status_code == 200
    assert "<script>alert" not in near.text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in near.text
    assert "\u202e" not in near.text
    assert ">redneck<" not in near.text
    assert "r******" in near.text
    words = '"<script>alert(1)</script>", a\u202eb, redneck'
    question = {"view": "map", "words": words, "a": "he", "b": "she", "c": "redneck", "d": "she"}
    page = hostile.get("/explore", params=question, headers=as_browser())
    assert page.status_code == 200
    assert "<script>alert" not in page.text
    picture = hostile.get("/explore/picture.svg", params=question)
    assert picture.status_code == 200
    assert "redneck" not in picture.text
    assert "\u202e" not in picture.text


def test_bytes_that_are_not_text_are_escaped_in_json_and_csv(hostile):
    (out,) = hostile.get("/api/neighbours?word=he").json()
    assert r"\udcff\udcfe" in [neighbour["word"] for neighbour in out["neighbours"]]
    assert r"\udcff\udcfe" in hostile.get("/explore/numbers.csv?word=he").text
    assert hostile.get("/explore/picture.svg?word=he").status_code == 200


def test_every_route_of_explore_is_documented(client):
    paths = client.get("/openapi.json").json()["paths"]
    for path in ("/explore", "/explore/found", "/explore/words", "/explore/numbers.csv"):
        assert {"200", "202", "404", "409", "422"} <= set(paths[path]["get"]["responses"])
    schema = paths["/api/places"]["get"]["responses"]["200"]["content"]["application/json"][
        "schema"
    ]
    assert schema["items"]["$ref"].endswith("/SourcePositions")
