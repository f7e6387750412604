"""The Library: seed sets, tests, norms and uploads as cards, with one search."""

from __future__ import annotations

import re
from html import unescape

import pytest

from weatherglass._web.settings import Settings
from weatherglass.catalog import is_slur, load_norms, seed_sets, tests

from .conftest import open_client

DOI = 'href="https://doi.org/{}" rel="noreferrer"'


def cards(page: str) -> dict[str, str]:
    """The cards of tests and norms by id."""
    parts = re.split(r'(?=<li class="library-card">)', page)[1:]
    found = [(re.search(r'class="test-id"><bdi>(.*?)</bdi>', part), part) for part in parts]
    return {unescape(id[1]): part for id, part in found if id}


def tab_counts(page: str) -> dict[str, int]:
    """The number of entries that each tab announces."""
    tabs = page.partition('class="switch tabs"')[2].partition("</nav>")[0]
    return {name: int(n) for name, n in re.findall(r">([A-Z][\w ]*) <small>(\d+)</small>", tabs)}


def links(part: str) -> list[str]:
    return [unescape(address) for address in re.findall(r'href="(/[^"]*)"', part)]


def test_every_test_of_the_catalogue_has_a_card_with_its_sets_and_paper(client, as_browser):
    found = cards(client.get("/library?kind=tests", headers=as_browser()).text)
    assert set(found) == {entry.id for entry in tests()}
    for entry in tests():
        card = unescape(found[entry.id])
        assert entry.title in card
        assert DOI.format(entry.study.doi) in card
        assert entry.study.short in card
        for letter, word_set in entry.sets.items():
            assert f'<span class="letter">{letter}</span> {word_set.label}' in card
        for figure in entry.published:
            value = getattr(figure, "effect", None) or figure.correlation
            assert f"{value:.2f}".replace("-", "−") in card


def test_a_card_of_a_test_shows_first_words_published_effect_and_uses(client, as_browser):
    card = cards(client.get("/library?kind=tests", headers=as_browser()).text)["weat6"]
    text = unescape(re.sub(r"<[^>]*>", "", card))
    assert "John, Paul, Mike, Kevin, Steve, Greg, Jeff, …" in text
    assert "d = 1.81, p ≤ 10⁻³, GloVe 840B (Table 1)" in text
    assert "/?test=weat6" in links(card)
    assert [link for link in links(card) if link.startswith("/?") and "test" not in link] == [
        f"/?{side}=%40weat6.{letter}" for letter in "XYAB" for side in "xyab"
    ]
    assert "8 of its 8 words are the same" in text


def test_every_link_of_the_cards_of_tests_opens_a_page(client, as_browser):
    page = client.get("/library?kind=tests", headers=as_browser()).text
    used = {
        link for card in cards(page).values() for link in links(card) if not link.startswith("/see")
    }
    # Each test, each set on its own side, and the axes of the two tests with facts.
    questions = [link for link in used if "test=" in link or "/explore" in link]
    assert len(questions) == 21
    explored = [link for link in questions if link.startswith("/explore")]
    some = ["/?test=weat6", "/?test=weat3b", "/?x=%40weat9.X", "/?b=%40weat1.A", *explored]
    assert set(some) <= used
    for link in some:
        assert client.get(link, headers=as_browser()).status_code == 200, link


def test_a_test_of_sentences_leads_to_its_words(client, as_browser):
    found = cards(client.get("/library?kind=tests", headers=as_browser()).text)
    assert links(found["sent-weat3b"])[0] == "/?test=weat3b"
    assert links(found["heilman_double_bind_likable_1+3-"])[0] == (
        "/?test=heilman_double_bind_likable_one_word"
    )
    assert "Use its sets" not in found["sent-weat3b"]
    assert "This is John. That is John. …" in re.sub(r"<[^>]*>", "", found["sent-weat6"])


@pytest.mark.parametrize(
    ("find", "expected"),
    [
        ("insects caliskan", ["weat1"]),
        ("SCIENCE wefat", []),
        ("wefat", ["wefat1", "wefat2"]),
        ("zinnia", ["weat1"]),
        ("age words", ["weat10"]),
        ("10.1126/science.aal4230 disability", ["weat9"]),
        ("zzzz", []),
    ],
)
def test_tests_are_found_by_title_paper_topic_and_word(client, as_browser, find, expected):
    params = {"kind": "tests", "find": find}
    part = client.get("/library/list", params=params, headers=as_browser(True))
    assert part.status_code == 200
    assert "<html" not in part.text
    assert list(cards(part.text)) == expected
    assert tab_counts(part.text)["Tests"] == len(expected)
    api = client.get("/api/library", params=params).json()
    assert [entry["id"] for entry in api] == expected


def test_norms_have_cards_with_licence_paper_and_a_link_to_the_quality(client, as_browser):
    found = cards(client.get("/library?kind=norms", headers=as_browser()).text)
    assert list(found) == ["glasgow-valence", "glasgow-gender"]
    for id, card in found.items():
        norms = load_norms(id)
        assert norms.title in card
        assert norms.unit in card
        assert f"{len(norms):,} words" in card
        assert "CC BY 4.0" in card
        assert DOI.format(norms.study.doi) in card
        assert 'action="/ask/quality"' in card
        assert '<option value="default">' in card
    assert list(cards(client.get("/library?find=masculinity", headers=as_browser()).text)) == [
        "glasgow-gender"
    ]


def test_the_words_on_a_card_of_norms_go_from_low_to_high(client, as_browser):
    card = cards(client.get("/library?kind=norms", headers=as_browser()).text)["glasgow-valence"]
    listed = re.search(r"From low to high</dt><dd>(.*?)</dd>", card, re.S)[1]
    words = re.sub(r"<[^>]*>", "", listed).split(", ")
    norms = load_norms("glasgow-valence")
    ratings = dict(zip(norms.words, norms.ratings, strict=True))
    assert len(words) == 9
    assert [ratings[word] for word in words] == sorted(ratings[word] for word in words)


def test_with_one_embedding_norms_lead_straight_to_its_quality(tiny, as_browser):
    with open_client(Settings(sources=(tiny,), warm_up=False)) as client:
        page = client.get("/library?kind=norms", headers=as_browser()).text
        assert "/ask/quality?on=tiny.txt" in links(page)
        assert 'action="/ask/quality"' not in page


def test_uploads_have_cards_with_their_size_and_links(tiny, as_browser):
    content = b"".join(b"w%d 1 %d 3\n" % (k, k) for k in range(12))
    with open_client(Settings(sources=(tiny,), wait_seconds=600, warm_up=False)) as client:
        empty = client.get("/library?kind=uploads", headers=as_browser()).text
        assert "There are no files in this session yet." in empty
        ids = {
            name: client.put(f"/upload/{name}", content=body).json()["id"]
            for name, body in {
                "vectors/mine.txt": content,
                "vectors/broken.txt": b"\x80\x04\x95",
                "corpus/text.txt": b"one two three\n" * 20,
            }.items()
        }
        assert client.get("/library?kind=uploads", headers=as_browser()).text.count("Read it") == 3
        for id in ids.values():
            assert client.get("/api/uploads/file", params={"id": id}).status_code == 200
        page = client.get("/library?kind=uploads", headers=as_browser()).text
        assert tab_counts(page)["Uploads"] == 3
        assert "Word vectors · 12 words · 3 dimensions · " in page
        for link in ("/?source=mine.txt&x=&y=&a=&b=", "/map?source=mine.txt"):
            assert link in links(page)
            assert client.get(link, headers=as_browser()).status_code == 200
        assert "/explore?source=mine.txt" in links(page)
        assert "Text corpus · 20 documents · 60 words" in page
        assert f"/upload/file?id={ids['corpus/text.txt']}" in links(page)
        assert "is a pickle" in page
        found = client.get("/api/library", params={"kind": "uploads", "find": "mine"}).json()
        assert [entry["title"] for entry in found] == ["mine.txt"]


def test_the_library_counts_and_lists_every_kind(client, as_browser):
    page = client.get("/library", headers=as_browser()).text
    counts = tab_counts(page)
    n_uploads = counts["Uploads"]
    assert counts == {
        "All": 178 + 48 + 2 + n_uploads,
        "Seed sets": 178,
        "Tests": 48,
        "Norms": 2,
        "Uploads": n_uploads,
    }
    assert page.count("<h1>") == 1
    assert re.search(r'<a href="/library" aria-current="page">Library</a>', page)
    largest = max({s.concept for s in seed_sets()}, key=lambda c: len(seed_sets(concept=c)))
    assert f"/seeds?concept={largest}" in links(page)


def test_tabs_keep_the_search_and_seed_sets_keep_their_address(client, as_browser):
    for path in ("/library?find=career+x%26y", "/seeds?find=career+x%26y"):
        page = client.get(path, headers=as_browser()).text
        tabs = links(page.partition('class="switch tabs"')[2].partition("</nav>")[0])
        assert tabs == [
            "/library?find=career+x%26y",
            "/seeds?find=career+x%26y",
            "/library?kind=tests&find=career+x%26y",
            "/library?kind=norms&find=career+x%26y",
            "/library?kind=uploads&find=career+x%26y",
        ]


def test_a_search_lists_all_kinds_that_match_and_no_others(client, as_browser):
    page = client.get("/library?find=career", headers=as_browser()).text
    headings = re.findall(r"<h2>(.*?)</h2>", page)
    assert headings == ["Seed sets", "Tests", "Norms"]  # both norms rate the word
    assert "Career words, Caliskan et al. 2017" in page
    assert "weat6" in cards(page)
    nothing = client.get("/library?find=zzzz", headers=as_browser()).text
    assert "Nothing in the Library matches" in nothing
    assert tab_counts(nothing)["All"] == 0


@pytest.mark.parametrize(
    ("path", "address"),
    [
        ("/library/list?find=%20career%20", "/library?find=career"),
        ("/library/list?kind=norms&find=%C3%A9%0Ax", "/library?kind=norms&find=%C3%A9%0Ax"),
        ("/seeds/list?by=study&find=garg", "/seeds?find=garg&by=study"),
        ("/seeds/list", "/seeds"),
    ],
)
def test_the_address_follows_the_search(client, as_browser, path, address):
    part = client.get(path, headers=as_browser(True))
    assert part.headers["HX-Replace-Url"] == address
    assert client.get(address, headers=as_browser()).status_code == 200


def test_searches_are_escaped_and_no_card_shows_a_slur(client, as_browser):
    page = client.get("/library", params={"find": "<script>x</script>"}, headers=as_browser()).text
    assert "<script>x" not in page
    text = unescape(
        re.sub(r"<[^>]*>", " ", client.get("/library?kind=tests", headers=as_browser()).text)
    )
    assert not [word for word in re.findall(r"[\w-]+", text) if is_slur(word)]


def test_an_unknown_kind_is_refused(client):
    assert client.get("/library?kind=colours").status_code == 422
