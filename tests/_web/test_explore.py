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

from .conftest import asked

AXIS = {"view": "axis", "words": "rose, wasp, nurse", "a": "kind good", "b": "foul bad"}
MAP = AXIS | {"view": "map", "c": "she her woman", "d": "he him man"}


def cosine(vectors: wg.Vectors, word: str, high: list[str], low: list[str]) -> float:
    """The cosine of a word with the difference of two means, by hand."""
    rows = dict(zip(vectors.words, np.asarray(vectors.matrix, dtype=float), strict=True))
    means = [np.mean([rows[one] for one in some], axis=0) for some in (high, low)]
    axis, row = means[0] - means[1], rows[word]
    return float(row @ axis / np.linalg.norm(row) / np.linalg.norm(axis))


def test_the_neighbours_are_those_of_the_library(client, tiny):
    (out,) = client.get("/api/neighbours", params={"word": "rose", "n": 5}).json()
    expected = wg.open_vectors(tiny).neighbours("rose", 5)
    assert [one["word"] for one in out["neighbours"]] == [word for word, _ in expected]
    assert [one["cosine"] for one in out["neighbours"]] == pytest.approx([c for _, c in expected])


def test_a_page_shows_the_neighbours_side_by_side_and_says_who_lacks_the_word(client, as_browser):
    page = client.get("/explore?source=tiny.txt&source=default&word=rose", headers=as_browser())
    assert page.status_code == 200
    assert page.text.count('<section class="card">') == 2
    shared = page.text.partition("In all of these embeddings: ")[2].partition("</p>")[0]
    both = client.get("/api/neighbours?source=tiny.txt&source=default&word=rose").json()
    one, other = ({near["word"] for near in some["neighbours"]} for some in both)
    assert one & other == set(re.findall(r"<bdi>(.*?)</bdi>", shared))
    page = client.get("/explore?source=tiny.txt&source=default&word=queen", headers=as_browser())
    assert page.text.count("It does not have this word.") == 1


def test_a_capital_or_a_slip_of_the_pen_is_understood(client):
    (out,) = client.get("/api/neighbours?source=default&word=Nurse&n=1").json()
    assert out["word"] == "nurse"
    (out,) = client.get("/api/neighbours?source=default&word=nursse").json()
    assert out["neighbours"] == []
    assert "Did you mean nurse" in out["reason"]


def test_places_on_one_axis_and_two_are_cosines_with_the_difference_of_the_means(client, tiny):
    vectors = wg.open_vectors(tiny)
    params = {name: value for name, value in MAP.items() if name != "view"}
    (out,) = client.get("/api/places", params=params).json()
    assert (out["status"], out["missing"]) == ("done", {})
    for one in out["words"]:
        across = cosine(vectors, one["word"], ["kind", "good"], ["foul", "bad"])
        up = cosine(vectors, one["word"], ["she", "her", "woman"], ["he", "him", "man"])
        assert one["places"] == pytest.approx([across, up])
    del params["c"], params["d"]
    (alone,) = client.get("/api/places", params=params).json()
    assert [one["places"] for one in alone["words"]] == [[a] for a, _ in map(_places, out["words"])]


def _places(one: dict) -> list[float]:
    return one["places"]


def test_words_that_are_missing_are_shown_set_by_set(client, as_browser):
    asked_for = AXIS | {"words": "rose, griffin", "b": "foul, unicorn"}
    page = client.get("/explore", params=asked_for, headers=as_browser())
    assert page.status_code == 200
    assert "griffin" in page.text.partition("<h2>Change it</h2>")[0]
    api = {name: value for name, value in asked_for.items() if name != "view"}
    (out,) = client.get("/api/places", params=api).json()
    assert out["missing"] == {"words": ["griffin"], "b": ["unicorn"]}
    part = client.get(
        "/explore/words",
        params={"which": "words", "words": "rose griffin"},
        headers=as_browser(True),
    )
    assert "2 words, 1 not in" in part.text


def test_an_end_without_a_known_word_is_said_and_the_other_source_still_answers(client, as_browser):
    question = AXIS | {"a": "queen", "source": ["tiny.txt", "default"]}
    page = client.get("/explore", params=question, headers=as_browser())
    assert "Not possible on tiny.txt: queen has 0 words" in page.text
    assert "picture.json" in page.text


def test_equal_ends_have_no_axis_between_them(client):
    api = {"words": "rose", "a": "good", "b": "good"}
    (out,) = client.get("/api/places", params=api).json()
    assert out["status"] == "not run"
    assert "same mean" in out["reason"]


def test_sets_of_the_catalogue_are_ends_of_an_axis(client):
    api = {"words": "nurse, engineer", "a": "@female_1-Caliskan_et_al_2017"}
    api |= {"b": "@male_1-Caliskan_et_al_2017", "source": "default"}
    (out,) = client.get("/api/places", params=api).json()
    female, male = (f"{name}_1-Caliskan_et_al_2017" for name in ("female", "male"))
    sets = {"X": ["nurse", "engineer"], "A": female, "B": male}
    expected = wg.measure(wg.open_vectors("default"), "semaxis", sets).by_word["X"]
    assert [one["places"][0] for one in out["words"]] == pytest.approx(expected)
    assert expected[0] > 0 > expected[1]


def test_the_address_is_all_there_is_and_is_kept_short(client, as_browser):
    long = client.get(
        "/explore?word=rose&n=20&words=&a=", headers=as_browser(), follow_redirects=False
    )
    assert (long.status_code, long.headers["location"]) == (303, "/explore?word=rose")
    first, again = (client.get("/explore", params=MAP, headers=as_browser()) for _ in range(2))
    assert first.text == again.text
    assert "good" in first.text


@pytest.mark.parametrize("params", [{"word": "rose"}, AXIS, MAP])
def test_pictures_and_numbers_can_be_taken_along(client, params):
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
    assert {one["word"] for one in lines} == {"rose", "wasp", "nurse"}
    assert len(lines) == (6 if params is MAP else 3)


def test_the_map_names_its_points(client):
    spec = client.get("/explore/picture.json", params=MAP | {"size": "small"}).json()
    texts = [one for one in spec["layer"] if one["mark"]["type"] == "text"]
    assert {one["word"] for one in texts[-1]["data"]["values"]} == {"rose", "wasp", "nurse"}


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
def test_what_cannot_be_answered_is_said_in_a_sentence(client, path, status):
    answer = client.get(path)
    assert answer.status_code == status
    if answer.headers["content-type"] == "application/json":
        assert answer.json()["error"].strip().endswith((".", "?"))


def test_more_words_than_allowed_are_refused_and_not_measured(client):
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
    with asked(Settings(sources=(str(path),), wait_seconds=60)) as made:
        yield made


def test_a_hostile_vocabulary_is_only_text(hostile, as_browser):
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


def test_bytes_that_are_no_text_can_be_told_in_json_and_csv(hostile):
    (out,) = hostile.get("/api/neighbours?word=he").json()
    assert r"\udcff\udcfe" in [one["word"] for one in out["neighbours"]]
    assert r"\udcff\udcfe" in hostile.get("/explore/numbers.csv?word=he").text
    assert hostile.get("/explore/picture.svg?word=he").status_code == 200


def test_every_route_of_explore_is_documented(client):
    paths = client.get("/openapi.json").json()["paths"]
    for path in ("/explore", "/explore/found", "/explore/words", "/explore/numbers.csv"):
        assert {"200", "202", "404", "409", "422"} <= set(paths[path]["get"]["responses"])
    schema = paths["/api/places"]["get"]["responses"]["200"]["content"]["application/json"][
        "schema"
    ]
    assert schema["items"]["$ref"].endswith("/PlacedOut")
