"""Ask: questions in the address, answers with the published numbers, hostile words escaped."""

from __future__ import annotations

import html
import re
import shutil
import time
from urllib.parse import parse_qs, urlencode, urlsplit

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import weatherglass as wg
from weatherglass._web.ask.question import Question
from weatherglass._web.settings import Settings
from weatherglass._web.word_sets import find_sets, find_tests, format_words, read_set
from weatherglass.errors import UnknownEntry, UsageError

from .conftest import WORDS, open_client

QUESTION = {
    "x": "rose, lily tulip;daisy",
    "y": "wasp gnat moth flea",
    "a": "kind good",
    "b": "foul bad",
}
# Effect as Table 1 of the Science paper prints it, and the p-value as it is counted.
TABLE_1 = {
    "weat1": ("1.50", "183759/126410606437752"),
    "weat2": ("1.53", "5850/126410606437752"),
    "weat3": ("1.41", "100522561/1832624140942590534"),
    "weat4": ("1.50", "572/601080390"),
    "weat5": ("1.28", "13486/601080390"),
    "weat6": ("1.81", "1/12870"),
    "weat7": ("1.06", "202/12870"),
    "weat8": ("1.24", "61/12870"),
    "weat9": ("1.38", "4/924"),
    "weat10": ("1.21", "66/12870"),
}


def visible_text(page: str) -> str:
    """The text of a page, without markup."""

    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]*>", "", page)))


@pytest.mark.parametrize("test", TABLE_1)
def test_answers_have_the_effect_sizes_and_counts_of_table_1(science, as_browser, test):
    effect, fraction = TABLE_1[test]
    (result,) = science.get("/api/ask", params={"test": test}).json()["results"]
    assert f"{result['effect']:.2f}" == effect
    assert result["p"]["fraction"] == fraction
    assert result["p"]["method"] == "exact"
    page = visible_text(science.get(f"/?test={test}", headers=as_browser()).text)
    assert f"{effect} effect size" in page
    count, of = (f"{int(part):,}" for part in fraction.split("/"))
    assert f"Of all {of} ways" in page
    assert f"only {count} give" in page


def test_the_api_answer_equals_the_result_of_the_library(client, tiny):
    (result,) = client.get("/api/ask", params=QUESTION | {"source": "tiny.txt"}).json()["results"]
    test = wg.Test(
        x=["rose", "lily", "tulip", "daisy"],
        y=["wasp", "gnat", "moth", "flea"],
        a=["kind", "good"],
        b=["foul", "bad"],
    )
    expected = wg.weat(wg.open_vectors(tiny), test, intervals=True)
    assert result["effect"] == expected.effect
    assert result["p"]["fraction"] == expected.p.fraction
    assert result["interval"]["low"] == expected.intervals[0].low
    assert result["p_rotation"]["value"] == expected.p_rotation.value


def test_the_address_of_an_answer_is_the_shortest_that_asks_the_same(client, as_browser):
    noisy = QUESTION | {
        "source": "tiny.txt",
        "alternative": "",
        "missing": "0.2",
        "find_x": "",
    }
    answer = client.get("/", params=noisy, headers=as_browser(), follow_redirects=False)
    assert answer.status_code == 303
    short = parse_qs(urlsplit(answer.headers["location"]).query)
    assert short == {name: [value] for name, value in (QUESTION | {"source": "tiny.txt"}).items()}
    first = client.get(answer.headers["location"], headers=as_browser(), follow_redirects=False)
    again = client.get(answer.headers["location"], headers=as_browser(), follow_redirects=False)
    assert first.status_code == 200
    assert first.text == again.text


any_word = st.text(
    st.characters(blacklist_categories=("Cs", "Cc"), blacklist_characters='"'), min_size=1
)


@given(st.lists(any_word.map(str.strip).filter(bool), max_size=8))
def test_formatted_words_are_read_back_unchanged(words):
    words = [word for word in dict.fromkeys(words) if len(word) <= 100]
    assert read_set(format_words(words), Settings()).words == tuple(words)


@given(
    st.builds(
        Question,
        sources=st.just(("default",)),
        sets=st.tuples(*[st.text(max_size=20)] * 4),
        alternative=st.sampled_from(["greater", "less", "two-sided"]),
        max_missing=st.sampled_from([0.0, 0.2, 0.5, 1.0]),
    )
)
def test_a_question_is_read_back_from_its_address(question):
    parameters = parse_qs(question.query)
    assert parameters.get("source") == ["default"]
    assert [parameters.get(side, [""])[0] for side in "xyab"] == list(question.sets)
    assert parameters.get("alternative", ["greater"]) == [question.alternative]
    assert float(parameters.get("missing", ["0.2"])[0]) == question.max_missing


def test_references_to_catalogue_sets_are_read_as_their_words():
    word_set = read_set("@career-Caliskan_et_al_2017, desk", Settings())
    assert word_set.words == (*wg.seeds("career-Caliskan_et_al_2017").words, "desk")
    assert read_set("@weat6.A", Settings()).words == wg.test("weat6").a.words
    assert read_set("@weat3@full.X", Settings()).words == wg.test("weat3@full").x.words
    assert read_set('"@weat6.A"', Settings()).words == ("@weat6.A",)
    with pytest.raises(UnknownEntry):
        read_set("@nothing", Settings())


@pytest.mark.parametrize(
    ("changes", "status", "message"),
    [
        ({"x": " ".join(f"w{k}" for k in range(501))}, 422, "at most 500"),
        ({"x": "x" * 101}, 422, "at most 100"),
        ({"x": "a" * 10_001}, 422, "at most 10000 characters"),
        ({"x": "@nothing"}, 404, "no seed set"),
        ({"y": ""}, 422, "Set Y has no words"),
        ({"y": "rose wasp"}, 422, "'rose' is in both target sets"),
        ({"source": "nowhere"}, 404, "no source"),
        ({"alternative": "sideways"}, 422, "alternative"),
        ({"missing": "nan"}, 422, "missing"),
    ],
)
def test_invalid_questions_are_refused_with_a_sentence(client, changes, status, message):
    answer = client.get("/api/ask", params=QUESTION | changes)
    assert answer.status_code == status
    assert message in answer.json()["error"]


def test_more_sources_than_fit_side_by_side_are_refused(client):
    answer = client.get("/api/ask", params={"test": "weat6", "source": [f"s{k}" for k in range(7)]})
    assert answer.status_code == 422
    assert "side by side" in answer.json()["error"]


@pytest.mark.parametrize("test", ["wefat1", "sent-weat6"])
def test_factual_and_sentence_tests_are_refused_on_the_ask_page(client, test):
    answer = client.get("/api/ask", params={"test": test})
    assert answer.status_code == 422
    assert "test" in answer.json()["error"]


def test_missing_words_are_listed_while_a_set_is_typed(client, as_browser):
    params = {"side": "x", "source": "tiny.txt", "x": "rose, qwerty, lily"}
    part = client.get("/ask/words", params=params, headers=as_browser(part=True)).text
    assert "3 words, 1 not in tiny.txt: qwerty." in visible_text(part)
    known = params | {"x": "rose lily"}
    part = client.get("/ask/words", params=known, headers=as_browser(part=True)).text
    assert "2 words, all in tiny.txt." in visible_text(part)


def test_provenance_and_lint_warnings_are_shown_while_a_set_is_chosen(client, as_browser):
    params = {"side": "x", "source": "default", "x": "@female-Rudinger_et_al_2017"}
    part = visible_text(client.get("/ask/words", params=params, headers=as_browser(part=True)).text)
    assert "Rudinger et al. 2017: " in part
    assert "warning It contains 'her' 2 times; 4 of its 5 words are distinct." in part


def test_catalogue_search_finds_sets_by_concept_by_study_and_by_word(client, as_browser):
    assert all(word_set.label == "female" for word_set in find_sets("female")[:5])
    assert all("Garg" in word_set.provenance for word_set in find_sets("garg"))
    assert any("nurse" in word_set.words for word_set in find_sets("nurse"))
    assert [entry.id for entry in find_tests("young old")] == ["weat10"]
    part = client.get(
        "/ask/find", params=QUESTION | {"side": "a", "find_a": "career caliskan"}
    ).text
    picked = next(
        address for address in part.split('"') if address.startswith("/?") and "career-C" in address
    )
    got = parse_qs(urlsplit(html.unescape(picked)).query)
    assert got["a"] == ["@career-Caliskan_et_al_2017"]
    assert got["x"] == [QUESTION["x"]]


def test_a_test_with_too_many_missing_words_says_why_it_was_not_run(client, as_browser):
    params = QUESTION | {"source": "tiny.txt", "x": "rose qwerty asdf"}
    page = visible_text(client.get("/", params=params, headers=as_browser()).text)
    assert "Not run: qwerty, asdf are not in tiny.txt · 8d · 24 words, and too few words" in page
    assert "measure without them" in page
    any_number = params | {"missing": "1", "x": "rose lily qwerty"}
    (result,) = client.get("/api/ask", params=any_number).json()["results"]
    assert result["status"] == "done"
    assert result["missing"]["X"] == ["qwerty"]


def test_several_sources_are_answered_side_by_side(client, as_browser):
    both = QUESTION | {"source": ["default", "tiny.txt"]}
    results = client.get("/api/ask", params=both).json()["results"]
    assert [result["source"] for result in results] == ["default", "tiny.txt"]
    page = client.get("/", params=both, headers=as_browser()).text
    assert "Side by side" in page


def test_influence_of_single_words_equals_that_of_the_library(client, as_browser, tiny):
    from weatherglass._web.ask.answer import answer_question, measure_influence

    expected = wg.weat(wg.open_vectors(tiny), _test(), influence=True).influence
    part = client.get("/ask/influence", params=QUESTION | {"source": "tiny.txt"})
    rows = visible_text(part.text)
    assert f"Leaving out {expected[0].word} changes it most" in rows
    assert f"If any one of the {len(expected)} words is left out" in rows
    session = client.app.app.state.session

    async def rows_of_the_page():
        answer = await answer_question(
            session, Question(("tiny.txt",), sets=tuple(QUESTION.values()))
        )
        return await measure_influence(session, answer, "tiny.txt")

    import asyncio

    got = {(row.set, row.word): (row.effect, row.p) for row in asyncio.run(rows_of_the_page())}
    assert got.keys() == {(row.set, row.word) for row in expected}
    for row in expected:
        assert got[row.set, row.word] == pytest.approx((row.effect, row.p))


def _test() -> wg.Test:
    return wg.Test(
        x=["rose", "lily", "tulip", "daisy"],
        y=["wasp", "gnat", "moth", "flea"],
        a=["kind", "good"],
        b=["foul", "bad"],
    )


def test_the_multiverse_of_a_test_is_run_and_drawn(client, as_browser):
    part = client.get("/ask/multiverse", params={"source": "default", "test": "weat7"})
    assert "18 choices of whole sets" in visible_text(part.text)
    curve = client.get("/ask/curve.json", params={"source": "default", "test": "weat7"})
    assert curve.headers["content-type"] == "application/json"
    assert curve.json()["vconcat"]


def test_words_without_documented_alternatives_have_no_multiverse(client):
    answer = client.get("/ask/multiverse", params=QUESTION | {"source": "tiny.txt"})
    assert answer.status_code == 422
    assert answer.json()["error"]


def test_lint_findings_of_the_sets_are_shown_with_the_answer(client):
    part = client.get("/ask/lint", params={"source": "default", "test": "weat9"})
    assert part.status_code == 200
    assert "severity" in part.text


HOSTILE = "<img src=x onerror=alert(1)>"


def test_hostile_words_are_escaped_on_every_page_of_ask(client, as_browser):
    words = "<script>alert(1)</script> " + "\"'><b>"
    for path, params in (
        ("/", QUESTION | {"source": "tiny.txt", "x": f"rose lily {words}", "missing": "1"}),
        ("/", QUESTION | {"source": "tiny.txt", "x_name": HOSTILE}),
        ("/", {"test": HOSTILE}),
        ("/", {"find_x": HOSTILE, "find_test": HOSTILE}),
        ("/ask/words", {"side": "x", "x": words, "source": "tiny.txt"}),
        ("/ask/set", {"side": "x", "x": words, "x_name": HOSTILE}),
        ("/ask/find", {"side": "x", "find_x": HOSTILE}),
        ("/ask/lint", QUESTION | {"source": "tiny.txt", "x_name": HOSTILE}),
        ("/ask/influence", QUESTION | {"source": "tiny.txt", "x_name": HOSTILE}),
        ("/nothing/" + HOSTILE, {}),
    ):
        page = client.get(path, params=params, headers=as_browser()).text
        assert "<script>" not in page, path
        assert "<img src=x" not in page, path
        assert '<b>"' not in page, path


def test_slurs_are_masked_until_they_are_params(tmp_path, as_browser):
    path = tmp_path / "words.txt"
    lines = [
        "redneck 1 0 2",
        "lily 1 1 0",
        "wasp -1 0 1",
        "gnat -1 1 1",
        "kind 2 0 0",
        "foul -2 0 0",
    ]
    path.write_text("\n".join(lines) + "\n")
    question = {"x": "redneck lily", "y": "wasp gnat", "a": "kind", "b": "foul"}
    with open_client(Settings(sources=(str(path),), wait_seconds=600)) as client:
        page = client.get("/", params=question, headers=as_browser()).text
        # The form has the words, unreadable until the reader points at them; nothing else has.
        shown = re.sub(r"<textarea.*?</textarea>|<pre>.*?</pre>", "", page, flags=re.DOTALL)
        assert '<bdi class="slur" data-word="redneck"><span>r******</span></bdi>' in shown
        assert "redneck" not in visible_text(shown)
        assert 'class="veiled"' in page
        spec = client.get("/ask/picture.json", params=question).text
        assert '{"$slur":["r******","redneck"]}' in spec
        assert "redneck" not in client.get("/ask/picture.svg", params=question).text


def test_a_long_question_becomes_a_job_that_can_be_cancelled(tiny, as_browser):
    import threading

    from weatherglass._web.ask import answer

    gate = threading.Event()
    real = answer.weat

    def slow(*arguments, **options):
        gate.wait(20)
        return real(*arguments, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(answer, "weat", slow)
        with open_client(Settings(sources=(tiny,), wait_seconds=0.2)) as client:
            query = urlencode(QUESTION)
            first = client.get(f"/?{query}", headers=as_browser())
            while first.status_code == 202 and "Reading" in first.text:
                first = client.get(f"/?{query}", headers=as_browser())
            assert first.status_code == 202
            assert 'name="x"' in first.text  # the form is still there
            assert 'hx-get="/ask/answer?' in first.text
            progress = client.get(f"/api/ask?{query}").json()
            job = progress["job"]
            assert progress["what"] == "Measuring"
            stopped = client.post(f"/jobs/{job}/cancel", headers=as_browser(part=True))
            assert "cancelled" in stopped.text
            again = client.get(f"/api/ask?{query}&job={job}")
            assert again.status_code == 409
            assert again.json() == {"error": "This was cancelled."}
            gate.set()
            for _ in range(100):
                answer = client.get(f"/api/ask?{query}")
                if answer.status_code == 200:
                    break
            assert answer.json()["results"][0]["status"] == "done"


def test_a_source_that_cannot_be_read_gives_a_sentence_without_its_path(tmp_path, as_browser):
    path = tmp_path / "broken.txt"
    path.write_bytes(b"\x80\x04\x95junk.")
    with open_client(Settings(sources=(str(path),), wait_seconds=600)) as client:
        answer = client.get("/api/ask", params={"test": "weat6"})
        assert answer.status_code == 422
        assert "Traceback" not in answer.text
        assert "broken.txt" in answer.json()["error"]
        assert str(tmp_path) not in answer.text
        page = client.get("/", params={"test": "weat6"}, headers=as_browser())
        assert page.status_code == 422
        assert 'name="x"' in page.text


def test_an_incomplete_question_names_the_empty_sets(client, as_browser):
    page = visible_text(client.get("/?x=rose", headers=as_browser()).text)
    assert "Add words to “Compared with”, “Attributes”, “Opposite attributes”." in page


def test_an_unknown_test_gives_suggestions(client, as_browser):
    page = client.get("/?test=waet6", headers=as_browser())
    assert page.status_code == 404
    assert "Did you mean weat6" in page.text


def test_a_set_with_too_many_words_raises_a_usage_error():
    with pytest.raises(UsageError, match="at most 500"):
        read_set(" ".join(f"w{k}" for k in range(501)), Settings())


def test_an_answer_shows_the_effect_on_controlled_vectors(tmp_path):
    rng = np.random.default_rng(0)
    words = [*WORDS, *(f"w{k}" for k in range(1200))]
    lines = (f"{w} {' '.join(f'{x:.5f}' for x in rng.normal(size=6) + 1)}" for w in words)
    path = tmp_path / "large.txt"
    path.write_text("\n".join(lines) + "\n")
    vectors = wg.open_vectors(str(path))
    expected = wg.weat(vectors, _test(), control=["frequency", "top:2"]).controls
    with open_client(Settings(sources=(str(path),), wait_seconds=600)) as client:
        for _ in range(2):  # the second answer uses the fitted controls again
            part = client.get("/ask/controls", params=QUESTION | {"source": "large.txt"})
            assert part.status_code == 200
            for control in expected:
                assert control.phrase in part.text
                assert f"{control.effect:.2f}".replace("-", "−") in part.text


def test_controls_of_too_few_words_say_so(client):
    part = client.get("/ask/controls", params=QUESTION | {"source": "tiny.txt"})
    assert part.status_code == 200
    assert "24 usable words" in part.text


@pytest.mark.parametrize("part", ["influence", "controls", "lint", "multiverse"])
def test_evidence_for_an_answer_is_a_whole_page_without_scripts(client, as_browser, part):
    at = f"/ask/{part}?source=default&test=weat6"
    page = client.get(at, headers=as_browser()).text
    assert page.count("<nav") == page.count("<h1") == 1
    assert 'href="/?source=default&amp;test=weat6"' in page
    assert "<nav" not in client.get(at, headers=as_browser(part=True)).text


def test_two_files_with_the_same_vectors_keep_their_own_names(tiny, tmp_path, as_browser):
    copy = tmp_path / "copy.txt"
    shutil.copy(tiny, copy)
    with open_client(Settings(sources=(tiny, str(copy)), wait_seconds=600)) as client:
        for name in ("tiny.txt", "copy.txt"):
            at = f"/ask/words?source={name}&side=x&x=rose+zzz"
            assert f"not in <bdi>{name}</bdi>" in client.get(at, headers=as_browser(part=True)).text


def test_a_word_that_is_target_and_attribute_is_named_on_the_page_and_allowed_by_a_field(
    client, as_browser
):
    mixed = QUESTION | {"source": "tiny.txt", "a": QUESTION["a"] + " rose"}
    page = visible_text(client.get("/", params=mixed).text)
    assert "is both a target (X) and an attribute (A)" in page
    assert "--allow-overlap" not in page
    refused = client.get("/api/ask", params=mixed).json()["results"][0]
    assert refused["status"] == "not run"
    assert "rose" in refused["reason"]
    allowed = client.get("/api/ask", params=mixed | {"overlap": "true"}).json()
    assert allowed["results"][0]["status"] == "done"
    assert "overlap=true" in allowed["link"]
    script = client.get("/ask/download.py", params=mixed | {"overlap": "true"}).text
    assert "allow_overlap=True" in script


# Findings


CAREERS = {"source": "default", "test": "weat6"}
SWAPPED = {"source": "default", "x": "@weat6.Y", "y": "@weat6.X", "a": "@weat6.A", "b": "@weat6.B"}


def test_a_test_can_be_named_like_its_sets(client):
    named = client.get("/api/ask?source=default&test=@weat6").json()
    assert named["test"] == "weat6"
    assert named["results"][0]["status"] == "done"


def test_swapping_the_sets_swaps_the_sentence_and_keeps_grade_and_evidence(client, as_browser):
    (published,) = client.get("/api/ask", params={"source": "default", "test": "weat6"}).json()[
        "results"
    ]
    (swapped,) = client.get("/api/ask", params=SWAPPED).json()["results"]
    assert swapped["effect"] == pytest.approx(-published["effect"])
    assert published["finding"].startswith(
        "Male names are more strongly associated with career words"
    )
    assert swapped["finding"].startswith(
        "Female names are more strongly associated with family words"
    )
    assert swapped["grade"] == published["grade"] == "clear"
    verdicts = [
        [(item["kind"], item["verdict"]) for item in result["evidence"]]
        for result in (published, swapped)
    ]
    assert verdicts[1] == [item for item in verdicts[0] if item[0] != "published"]
    other = SWAPPED | {name: f"@weat6.{name.upper()}" for name in "xy"}
    (attributes,) = client.get(
        "/api/ask", params=other | {"a": "@weat6.B", "b": "@weat6.A"}
    ).json()["results"]
    assert attributes["effect"] == pytest.approx(swapped["effect"])
    assert attributes["finding"].startswith("Male names are more strongly associated with career")
    page = visible_text(client.get("/", params=SWAPPED, headers=as_browser()).text)
    assert "Female names are more strongly associated with family words" in page
    assert "clear effect size −1.71" in page
    assert "chance" not in page.partition("Does it hold?")[0]


def test_a_finding_without_a_clear_difference_names_no_direction(client, as_browser):
    question = {
        "source": "default",
        "x": "cat dog table lamp",
        "y": "chair horse sofa cow",
        "a": "monday tuesday friday",
        "b": "red green blue",
    }
    (result,) = client.get("/api/ask", params=question).json()["results"]
    assert result["grade"] == "none"
    page = visible_text(client.get("/", params=question, headers=as_browser()).text)
    assert "No clear difference in how cat, dog… and chair, horse… are associated" in page
    assert "none effect size" in page
    assert "this test could have detected 1.6 or more" in page
    assert "more strongly associated with monday, tuesday…, rather than" not in page
    # Sets without a name are called by their first words.
    assert "cat, dog… vs chair, horse…; monday, tuesday… vs red, green…" in page
    assert "X vs Y" not in page


def test_own_words_are_two_sided_unless_a_direction_is_declared(client):
    reply = client.get("/api/ask", params=SWAPPED).json()
    assert reply["alternative"] == "two-sided"
    (result,) = reply["results"]
    assert result["p"]["fraction"] == "2/12870"
    declared = client.get("/api/ask", params=SWAPPED | {"alternative": "greater"}).json()
    assert declared["results"][0]["grade"] == "none"


def test_the_complete_finding_also_has_frequency_and_published_seed_lists(client, as_browser):
    part = client.get("/ask/finding", params=CAREERS, headers=as_browser(part=True))
    while part.status_code == 202:
        time.sleep(0.1)
        part = client.get("/ask/finding", params=CAREERS, headers=as_browser(part=True))
    text = visible_text(part.text)
    assert "Male names are more strongly associated with career words" in text
    assert "but this holds for 69 % of published seed lists. mixed" in text
    assert "depends seed choices: holds for 69% of 36 published seed lists." in text
    assert "pass frequency control: 96% of the effect remains" in text
    # From now on the page has it from the beginning.
    page = client.get("/", params=CAREERS, headers=as_browser()).text
    assert "data-part" not in page
    assert "checking" not in visible_text(page)
    checks = re.findall(r'<span class="verdict [\w-]+">(\w+)</span></p>', page)
    assert checks == ["holds", "depends", "holds", "holds"]


def test_the_words_are_shown_in_the_texts_that_vectors_were_trained_on(tmp_path, tiny, as_browser):
    import json

    from .conftest import open_client

    texts = ["a rose is kind <b>", "a wasp is foul", "the lily was fine", "the gnat was cruel"] * 6
    path = tmp_path / "texts.jsonl"
    path.write_text("\n".join(json.dumps({"text": text, "title": "T"}) for text in texts))
    wg.train(path, tmp_path / "m", dim=3, min_count=1, bootstrap=0)
    question = {"x": "rose lily", "y": "wasp gnat", "a": "kind fine", "b": "foul cruel"}
    model = str(tmp_path / "m" / "full.parquet")
    with open_client(Settings(sources=(model, tiny), wait_seconds=600)) as client:
        with_texts = client.get("/", params=question | {"source": "full.parquet"})
        assert "Show the words in context" in with_texts.text
        part = client.get("/ask/context", params=question | {"source": "full.parquet"})
        rows = visible_text(part.text)
        assert "is kind <b>" in rows
        assert "<b>" not in part.text
        assert "They are never within five words of each other" in rows
        without = client.get("/", params=question | {"source": "tiny.txt"})
        assert "Show the words in context" not in without.text
        refused = client.get("/ask/context", params=question | {"source": "tiny.txt"})
        assert refused.status_code >= 400
        assert "are not known" in refused.text
