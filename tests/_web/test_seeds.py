"""Seeds: browse the sets, check one, compare two."""

from __future__ import annotations

import re
from html import unescape

import numpy as np
import pytest

import weatherglass as wg
from weatherglass.catalog import is_slur, load_seeds, seed_sets

FEMALE, MALE = "female_1-Caliskan_et_al_2017", "male_1-Caliskan_et_al_2017"


def listed(page: str) -> list[str]:
    """The ids of the sets that a page lists, in its order, each once."""
    ids = re.findall(r'<small class="seed-id"><bdi>(.*?)</bdi>', page)
    return list(dict.fromkeys(unescape(id) for id in ids))


def test_all_178_sets_can_be_browsed_by_concept_paper_and_origin(client, as_browser):
    every = {seed_set.id for seed_set in seed_sets()}
    for by in ("concept", "study", "origin"):
        page = client.get("/seeds", params={"by": by}, headers=as_browser())
        assert page.status_code == 200
        assert "178 sets" in page.text
        assert set(listed(page.text)) == every


@pytest.mark.parametrize(
    ("params", "expected"),
    [
        ({"concept": "upper-class"}, ["upperclass-Kozlowski_et_al_2019"]),
        ({"find": "upper class"}, ["upperclass-Kozlowski_et_al_2019"]),
        ({"find": "HARRIS garg"}, ["names_black-Garg_et_al_2018", "names_white-Garg_et_al_2018"]),
        ({"find": "zzzz"}, []),
        ({"concept": "female", "origin": "population-derived"}, []),
    ],
)
def test_the_seed_list_is_filtered_by_concept_paper_and_word(client, as_browser, params, expected):
    page = client.get("/seeds/list", params=params, headers=as_browser(True))
    assert page.status_code == 200
    assert "<html" not in page.text
    assert sorted(listed(page.text)) == sorted(expected)
    api = [seed_set["id"] for seed_set in client.get("/api/seeds", params=params).json()]
    assert sorted(api) == sorted(expected)


def test_filtering_by_paper_lists_the_sets_of_the_catalogue(client):
    found = client.get("/api/seeds", params={"study": "garg2018"}).json()
    assert [item["id"] for item in found] == [
        seed_set.id for seed_set in seed_sets(study="garg2018")
    ]
    assert len(found) == 21


@pytest.mark.slow
def test_the_page_of_every_set_opens_and_shows_no_slur(client, as_browser):
    for seed_set in seed_sets():
        page = client.get("/seeds/set", params={"id": seed_set.id}, headers=as_browser())
        assert page.status_code == 200, seed_set.id
        text = unescape(re.sub(r"<[^>]*>", " ", page.text))
        for word in filter(is_slur, seed_set.words):
            assert not re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text), seed_set.id


def test_the_page_of_a_set_shows_provenance_and_opposite(client, as_browser):
    page = client.get("/seeds/set", params={"id": FEMALE}, headers=as_browser()).text
    assert "sister" in page
    assert "Semantics derived" in page
    assert "borrowed from social sciences" in page
    assert f"/seeds/compare?one=%40{FEMALE}&amp;other=%40{MALE}" in page


def test_ask_with_this_set_fills_the_boxes_of_ask(client, as_browser):
    page = client.get("/seeds/set", params={"id": FEMALE}, headers=as_browser()).text
    link = unescape(re.search(r'href="([^"]*)">Ask with this set and its opposite', page)[1])
    form = client.get(link, headers=as_browser())
    assert form.status_code == 200
    for side, id in (("a", FEMALE), ("b", MALE)):
        box = re.search(rf'<textarea name="{side}".*?>(.*?)</textarea>', form.text, re.S)
        assert unescape(box[1]) == f"@{id}"


@pytest.mark.parametrize("id", [FEMALE, "race/ethnicity/nationality-Rudinger_et_al_2017"])
def test_lint_in_the_api_equals_that_of_the_library(client, id):
    out = client.get("/api/seeds/lint", params={"set": f"@{id}", "source": "default"}).json()
    expected = wg.lint(id, source="default")
    assert [(finding["check"], finding["value"]) for finding in out["findings"]] == [
        (finding.check, finding.value) for finding in expected.findings
    ]
    assert out["source"] == "default"


def test_lint_on_the_page_uses_the_chosen_source(client, as_browser):
    params = {"id": FEMALE, "source": "tiny.txt"}
    part = client.get("/seeds/lint", params=params, headers=as_browser(True)).text
    assert "missing" in part
    assert "<html" not in part
    whole = client.get("/seeds/lint", params=params, headers=as_browser()).text
    assert "<html" in whole
    assert (
        "missing"
        not in client.get(
            "/seeds/lint", params=params | {"source": "default"}, headers=as_browser(True)
        ).text.partition("Checks that were not run")[0]
    )


def test_two_sets_are_compared_by_words_and_by_the_cosine_of_their_means(client, as_browser):
    params = {"one": "@names_black-Garg_et_al_2018", "other": "@names_white-Garg_et_al_2018"}
    out = client.get("/api/seeds/compare", params=params | {"source": "default"}).json()
    assert len(out["shared"]) == 19
    found = wg.lint(params["one"][1:], against=params["other"][1:], source="default")
    (similarity,) = (finding.value for finding in found.findings if finding.check == "similarity")
    assert out["similarity"] == pytest.approx(similarity)
    page = client.get("/seeds/compare", params=params | {"source": "default"}, headers=as_browser())
    assert "<b>19</b>" in page.text
    assert f"<b>{similarity:.3f}</b>" in page.text
    assert "howard" in page.text
    assert "nelson" in page.text


def test_typed_words_can_be_compared(client, tiny):
    params = {"one": "she, her, woman", "other": "he, him, woman", "source": "tiny.txt"}
    out = client.get("/api/seeds/compare", params=params).json()
    assert out["shared"] == ["woman"]
    vectors = wg.open_vectors(tiny)
    x, y = (vectors.unit(params[name].split(", ")).mean(axis=0) for name in ("one", "other"))
    assert out["similarity"] == pytest.approx(x @ y / np.linalg.norm(x) / np.linalg.norm(y))
    assert "overlap" in [finding["check"] for finding in out["findings"]]


@pytest.mark.parametrize("kind", ["yaml", "json", "csv", "txt"])
def test_a_downloaded_set_is_read_back_with_the_same_words(client, tmp_path, kind):
    answer = client.get(f"/seeds/download.{kind}", params={"id": FEMALE})
    assert "attachment" in answer.headers["content-disposition"]
    path = tmp_path / f"set.{kind}"
    path.write_bytes(answer.content)
    (again,) = load_seeds(path)
    assert again.words == wg.seeds(FEMALE).words


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/seeds?concept=nothing", 404),
        ("/seeds?study=nobody", 404),
        ("/seeds?origin=nowhere", 404),
        ("/seeds?by=colour", 422),
        ("/seeds/set?id=female", 404),
        ("/seeds/set", 422),
        (f"/seeds/set?id={FEMALE}&source=nowhere", 404),
        ("/seeds/lint?id=*", 404),
        ("/seeds/lint?id=../../secret.yaml", 404),
        ("/api/seeds/lint?set=@../../secret.yaml", 404),
        ("/api/seeds/lint?set=@female_*", 404),
        ("/api/seeds/lint?set=%20", 422),
        (f"/seeds/compare?one=@{FEMALE}&other=@{FEMALE}", 422),
        (f"/seeds/compare?one=@{FEMALE}&other=@nobody", 404),
        ("/seeds/compared?one=,&other=sun", 422),
        ("/seeds/download.txt?id=feminine-Kaneko_and_Bollegala_2019", 422),
        ("/seeds/download.exe?id=female", 422),
        ("/api/seeds/set?id=%00", 404),
    ],
)
def test_unknown_sets_and_filters_are_refused_with_a_sentence(client, path, status):
    answer = client.get(path)
    assert answer.status_code == status
    if answer.headers["content-type"] == "application/json":
        assert "error" in answer.json()


def test_typed_words_are_escaped_and_masked(client, as_browser):
    params = {"one": '"<script>alert(1)</script>", redneck', "other": "a\u202eb, sun"}
    page = client.get("/seeds/compare", params=params, headers=as_browser())
    assert page.status_code == 200
    assert "<script>alert" not in page.text
    inside = page.text.partition('id="compared"')[2].partition('class="files"')[0]
    assert ">redneck<" not in inside
    assert "\u202e" not in inside
    assert "r******" in inside


def test_the_page_of_a_set_without_words_says_so(client, as_browser):
    params = {"id": "feminine-Kaneko_and_Bollegala_2019"}
    page = client.get("/seeds/set", params=params, headers=as_browser()).text
    assert "No words" in page
    assert "does not list its words" in page
    assert "Ask with this set" not in page
    part = client.get("/seeds/lint", params=params, headers=as_browser(True))
    assert part.status_code == 200
    assert "error" in part.text


def test_every_route_of_seeds_is_documented(client):
    paths = client.get("/openapi.json").json()["paths"]
    for path in ("/seeds/lint", "/seeds/compare", "/api/seeds/lint", "/api/seeds/compare"):
        assert {"200", "202", "404", "409", "422"} <= set(paths[path]["get"]["responses"])
    for path in ("/seeds", "/seeds/list", "/seeds/set", "/api/seeds", "/api/seeds/set"):
        assert {"200", "404", "422"} <= set(paths[path]["get"]["responses"])


def test_seed_sets_are_cards_with_titles_dois_and_links_to_ask(client, as_browser):
    page = client.get("/seeds?find=career+caliskan", headers=as_browser()).text
    assert ">Career words, Caliskan et al. 2017</a>" in page
    assert "career-Caliskan_et_al_2017</bdi></small>" in page
    assert 'href="https://doi.org/10.1126/science.aal4230" rel="noreferrer"' in page
    for side in "xyab":
        assert f'href="/?{side}=%40career-Caliskan_et_al_2017"' in page


def test_a_set_lists_its_nearest_published_alternatives(client, as_browser):
    page = client.get("/seeds/set?id=career-Caliskan_et_al_2017", headers=as_browser()).text
    assert "Nearest published alternatives" in page
    assert "words are the same" in page


def test_notes_of_lint_are_folded_and_counted_in_the_heading(client, as_browser):
    part = client.get("/seeds/lint?id=career-Caliskan_et_al_2017", headers=as_browser(True)).text
    assert "<details open><summary>" not in part
    assert "No warnings." not in part
