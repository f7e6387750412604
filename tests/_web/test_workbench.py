"""Home and the workbench, as the server renders them: the whole page works without scripts."""

from __future__ import annotations

import html
import re
from urllib.parse import parse_qs, urlsplit

import pytest

from weatherglass._web.settings import Settings
from weatherglass._web.word_sets import read_set

from .conftest import open_client

QUESTION = {
    "source": "tiny.txt",
    "x": "rose lily tulip daisy",
    "y": "wasp gnat moth flea",
    "a": "kind good fine warm",
    "b": "foul bad cruel cold",
}


def links(page: str, word: str) -> list[dict[str, list[str]]]:
    """The questions of the links of a page whose text is a word."""
    addresses = re.findall(rf'<a [^>]*href="([^"]*)"[^>]*><bdi>{word}</bdi>', page)
    return [parse_qs(urlsplit(html.unescape(address)).query) for address in addresses]


def test_home_is_a_finished_answer_with_three_stories_and_no_form(as_browser):
    with open_client(Settings(wait_seconds=600)) as client:
        page = client.get("/", headers=as_browser()).text
        assert page.count("<h1") == 1
        assert "Male names are more strongly associated with career words" in page
        assert "GloVe 6B · 50d · 400,000 words" in page
        assert page.count('class="name"') == 2 * 16  # every word, narrow and wide
        assert "<textarea" not in page
        assert '<a class="button large" href="/?source=default&amp;test=weat6">' in page
        for story, words in (("names", "European American names"), ("ageing", "Young people")):
            other = client.get("/", params={"story": story}, headers=as_browser()).text
            assert words in html.unescape(other)


def test_the_ask_page_opens_with_words_and_no_empty_form(client, as_browser):
    answer = client.get("/ask", headers=as_browser(), follow_redirects=False)
    assert answer.status_code == 303
    assert answer.headers["location"] == "/?test=weat6"


def test_every_chip_is_a_link_that_mutes_its_word(client, as_browser):
    page = client.get("/", params=QUESTION, headers=as_browser()).text
    (asked,) = links(page, "lily")
    assert asked["x"] == ["rose, ~lily, tulip, daisy"]
    muted = client.get("/", params={k: v[0] for k, v in asked.items()}, headers=as_browser()).text
    assert re.search('class="chip f5 muted"[^>]*data-word="lily"', muted)
    (again,) = links(muted, "lily")
    assert again["x"] == ["rose, lily, tulip, daisy"]
    (result,) = client.get("/api/ask", params=QUESTION | {"x": asked["x"]}).json()["results"]
    assert result["words"]["X"] == ["rose", "tulip", "daisy"]


def test_a_column_is_read_line_by_line():
    text = "1. pilot\n2) software engineer\n\n• nurse\n“sales clerk”\n'judge'\n3.14\n"
    words = ("pilot", "software engineer", "nurse", "sales clerk", "judge", "3.14")
    assert read_set(text, Settings()).words == words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("rose lily", ("rose", "lily")),
        ("“New York”, rose", ("New York", "rose")),
        ("rose\nlily, tulip", ("rose", "lily", "tulip")),
        ("rose\r\nlily\r\n", ("rose", "lily")),
        ("rose\n", ("rose",)),
        ("-lrb- 1990", ("-lrb-", "1990")),
        ("1990\n1991", ("1990", "1991")),
    ],
)
def test_typed_and_pasted_words_are_split(text, words):
    assert read_set(text, Settings()).words == words


def test_muted_words_are_kept_and_not_measured():
    word_set = read_set('rose ~lily ~"New York" "~x"', Settings())
    assert word_set.words == ("rose", "~x")
    assert word_set.muted == ("lily", "New York")
    assert word_set.entries == ("rose", "lily", "New York", "~x")


def test_added_words_join_their_set_and_a_column_becomes_one_line(client, as_browser):
    added = QUESTION | {"add_x": "1. she\n2. her"}
    answer = client.get("/", params=added, headers=as_browser(), follow_redirects=False)
    asked = parse_qs(urlsplit(answer.headers["location"]).query)
    assert asked["x"] == ["rose lily tulip daisy, she, her"]
    assert "add_x" not in asked


def test_a_mistyped_word_is_left_out_and_the_vocabulary_suggests_another(client, as_browser):
    mistyped = QUESTION | {"x": "rose lily tulip daisy dasiy docter"}
    page = client.get("/", params=mistyped | {"missing": "1"}, headers=as_browser()).text
    text = html.unescape(re.sub(r"<[^>]*>", "", page))
    assert "dasiy, docter are not in this embedding and were left out." in text
    assert [asked["x"] for asked in links(page, "doctor")] == [
        ["rose, lily, tulip, daisy, dasiy, doctor"]
    ]


def test_a_question_that_cannot_be_answered_keeps_the_words_and_names_no_command(
    client, as_browser
):
    both = QUESTION | {"y": "wasp rose"}
    page = client.get("/ask/edit", params=both, headers=as_browser(part=True)).text
    text = html.unescape(re.sub(r"<[^>]*>", "", page))
    assert "'rose' is in both target sets; remove it from one of them." in text
    assert page.count('class="chip') >= 14
    for params in (both, {"test": "nothing"}, {"x": "@nothing", "y": "a", "a": "b", "b": "c"}):
        page = client.get("/", params=params, headers=as_browser()).text
        assert "weatherglass " not in re.sub(r"<pre>.*?</pre>", "", page, flags=re.DOTALL)
        assert "--" not in re.sub(r"<[^>]*>", "", page)
        assert "custom" not in page


def test_an_empty_question_asks_for_words(client, as_browser):
    page = client.get("/", params=dict.fromkeys("xyab", ""), headers=as_browser()).text
    assert "Add words to all four sets." in page
    part = client.get("/ask/edit", headers=as_browser(part=True)).text
    assert "Add words to all four sets." in part


def test_the_form_of_a_published_test_asks_that_test(client, as_browser):
    sets = {side: f"@weat6.{side.upper()}" for side in "xyab"}
    answer = client.get(
        "/", params={"source": "default", **sets}, headers=as_browser(), follow_redirects=False
    )
    assert answer.headers["location"] == "/?source=default&test=weat6"


def test_dropped_words_are_the_most_influential_ones(client, as_browser):
    whole = client.get("/api/ask", params=QUESTION).json()["results"][0]
    rows = client.get("/ask/influence", params=QUESTION | {"source": "tiny.txt"}).text
    first = re.search(r"Leaving out <bdi>(\w+)</bdi> changes it most", rows)[1]
    (result,) = client.get("/api/ask", params=QUESTION | {"drop": 1}).json()["results"]
    assert sum(map(len, result["words"].values())) == 15
    assert all(first not in words for words in result["words"].values())
    assert result["effect"] != whole["effect"]
    page = client.get("/", params=QUESTION | {"drop": 1}, headers=as_browser()).text
    assert 'class="chip f5 dropped"' in page
    script = client.get("/ask/download.py", params=QUESTION | {"drop": 1}).text
    assert f"'{first}'" not in script
    (most,) = client.get("/api/ask", params=QUESTION | {"drop": 50}).json()["results"]
    assert {side: len(words) for side, words in most["words"].items()} == {
        **{"X": 2, "Y": 2, "A": 1, "B": 1}
    }


def test_colours_stay_with_their_words_when_targets_are_swapped(client, as_browser):
    page = client.get("/", params={"source": "default", "test": "weat6"}, headers=as_browser()).text
    address = re.search(r'href="([^"]*)" data-edit>Swap targets', page)[1]
    swapped = client.get(html.unescape(address), headers=as_browser()).text
    assert '<fieldset class="set g-men" id="set-x"' in page
    assert '<fieldset class="set g-men" id="set-y"' in swapped
    assert '<fieldset class="set g-women" id="set-x"' in swapped


def test_pages_have_no_inline_style_or_script(client, as_browser):
    for path in ("/", "/?source=default&test=weat6", "/?x=&y=&a=&b="):
        page = client.get(path, headers=as_browser()).text
        assert not re.search(r'\sstyle="|\son\w+="|<style|<script(?![^>]*\bsrc=)', page)


def test_responses_are_compressed(client, as_browser):
    answer = client.get("/?source=default&test=weat6", headers=as_browser())
    assert answer.headers["content-encoding"] == "gzip"
    plain = client.get(
        "/?source=default&test=weat6", headers=as_browser() | {"Accept-Encoding": "identity"}
    )
    assert "content-encoding" not in plain.headers
    assert len(plain.content) > 3 * int(answer.headers["content-length"])


def test_the_slur_setting_is_kept_without_scripts_until_the_browser_is_closed(tiny, as_browser):
    with open_client(Settings(sources=(tiny,), wait_seconds=600)) as client:
        assert 'name="slurs" autocomplete="off">' in client.get("/seeds", headers=as_browser()).text
        saved = client.post("/settings", data={"slurs": "on"}, follow_redirects=False)
        assert saved.status_code == 303
        cookie = saved.headers["set-cookie"]
        assert "max-age" not in cookie.lower()
        assert "expires" not in cookie.lower()
        page = client.get("/seeds", headers=as_browser()).text
        assert 'name="slurs" autocomplete="off" checked>' in page
        client.post("/settings", data={}, follow_redirects=False)
        assert " checked>" not in client.get("/seeds", headers=as_browser()).text.split("<main")[0]
