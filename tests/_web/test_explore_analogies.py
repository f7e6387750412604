"""Explore: word analogies, and pairs of words in a plane."""

from __future__ import annotations

import csv
import io

import pytest

import weatherglass as wg

ANALOGY = "/explore/analogy?source=default&a=man&b=doctor&c=woman"
PLANE = "/explore/plane?source=default&pairs=man%3Awoman+king%3Aqueen+uncle%3Aaunt"


def test_answers_of_the_page_equal_those_of_the_library(client):
    (out,) = client.get("/api/analogy?source=default&a=man&b=king&c=woman").json()
    expected = wg.analogy("default", "man", "king", "woman")
    assert [word for word, _, _ in out["answers"]] == [a.word for a in expected.answers]
    assert [score for _, score, _ in out["answers"]] == pytest.approx(
        [a.score for a in expected.answers]
    )
    (out,) = client.get("/api/analogy?source=default&a=man&b=king&c=woman&rule=multiply").json()
    assert out["rule"] == "3CosMul"


def test_the_page_says_that_leaving_out_the_inputs_decides_the_answer(client, as_browser):
    page = client.get(ANALOGY, headers=as_browser())
    assert page.status_code == 200
    assert "left out of the answers" in page.text
    assert "If the three words are allowed, the answer is <bdi>doctor</bdi>" in page.text
    allowed = client.get(f"{ANALOGY}&inputs=true", headers=as_browser())
    assert "allowed as answers" in allowed.text
    assert "Nissim" not in allowed.text


def test_a_word_that_a_source_lacks_is_named_and_hostile_words_are_escaped(client, as_browser):
    page = client.get(
        "/explore/analogy?source=tiny.txt&a=%3Cscript%3E&b=rose&c=lily", headers=as_browser()
    )
    assert "<script>'" not in page.text.partition("<main")[2]
    assert "&lt;script&gt;" in page.text
    assert "is not in" in page.text


def test_pairs_are_drawn_with_a_line_each_and_their_numbers_can_be_downloaded(client, as_browser):
    page = client.get(PLANE, headers=as_browser())
    assert page.status_code == 200
    assert "mean cosine similarity" in page.text
    chart = client.get(PLANE.replace("/plane?", "/plane/picture.json?")).json()
    lines = next(layer for layer in chart["layer"] if "x2" in layer["encoding"])
    data = lines["data"].get("values") or chart["datasets"][lines["data"]["name"]]
    assert len(data) == 3
    text = client.get(PLANE.replace("/plane?", "/plane/numbers.csv?")).text
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row["word"] for row in rows[:2]] == ["man", "woman"]
    assert len(rows) == 6


def test_text_that_is_no_pair_is_refused_with_an_example(client, as_browser):
    page = client.get("/explore/plane?pairs=man+woman", headers=as_browser())
    assert page.status_code == 422 or page.status_code == 400
    assert "king:queen" in page.text


def test_analogies_can_be_downloaded(client):
    text = client.get(ANALOGY.replace("/analogy?", "/analogy/numbers.csv?")).text
    rows = list(csv.DictReader(io.StringIO(text)))
    assert rows[0]["word"] == "nurse"
    assert rows[0]["inputs"] == "excluded"


def test_every_view_of_explore_links_to_the_others(client, as_browser):
    for path in ("/explore", "/explore?view=axis", "/explore/analogy", "/explore/plane"):
        text = client.get(path, headers=as_browser()).text
        for link in ('href="/explore/analogy"', 'href="/explore/plane"', 'href="/explore"'):
            assert link in text, (path, link)


def test_two_words_ask_for_pairs_and_the_page_warns_that_they_differ_by_construction(
    client, as_browser
):
    address = "/explore/analogy?source=tiny.txt&a=she&b=he"
    (out,) = client.get(address.replace("/explore/", "/api/")).json()
    assert out["answers"] == []
    assert {"she", "he"}.isdisjoint(x for x, _, _, _ in out["pairs"])
    page = client.get(address, headers=as_browser())
    assert page.status_code == 200
    assert "different by construction" in page.text
    rows = list(csv.DictReader(io.StringIO(client.get(address.replace("?", "/numbers.csv?")).text)))
    assert [row["x"] for row in rows] == [x for x, _, _, _ in out["pairs"]]
