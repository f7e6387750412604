import base64
import dataclasses
import hashlib
import json
import re
from html.parser import HTMLParser
from itertools import chain, pairwise

import pytest

import weatherglass as wg
from weatherglass.errors import MissingExtra
from weatherglass.measures import MeasureResult
from weatherglass.report import audit_figures, audit_page
from weatherglass.report import page as page_module
from weatherglass.report.audit.data import AuditResult, p_of
from weatherglass.report.audit.headline import ALPHA, claim, corrected_p, strongest_findings
from weatherglass.report.html import element, table

OVER = [("", 1), (element("bdi", "b<c"), 2), ("d", 1)]
VOID = {"br", "col", "input", "meta"}
SECTIONS = {
    "findings": "The four strongest findings",
    "measured": "What was measured",
    "effects": "Association tests",
    "facts": "Factual tests",
    "words": "Word by word",
    "sentences": "Sentence encoders",
    "measures": "Other measures",
    "choices": "Other seed words",
    "discovery": "What nobody asked for",
    "lint": "The seed sets",
    "missing": "Missing words",
    "steps": "What was not done",
    "notes": "How to read it",
    "cite": "How to cite",
    "repeat": "How to repeat it",
}


class Page(HTMLParser):
    """A page read back: its elements, its text by section, what its scripts hold."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[tuple[str | None, str]] = []
        self.sections: dict[str, list[str]] = {}
        self.headings: list[tuple[str, str]] = []
        self.here = ""
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        assert len({name for name, _ in attrs}) == len(attrs), (tag, attrs)
        self.elements.append((tag, dict(attrs)))
        if tag == "section":
            self.here = dict(attrs)["id"]
        if tag == "script":
            self.scripts.append((dict(attrs).get("type"), ""))
        if tag in ("h1", "h2", "h3", "h4"):
            self.headings.append((tag, ""))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open[-1:] == ["script"]:
            kind, text = self.scripts[-1]
            self.scripts[-1] = (kind, text + data)
        elif "style" not in self.open:
            self.sections.setdefault(self.here, []).append(data)
            if set(self.open) & {"h1", "h2", "h3", "h4"}:
                tag, text = self.headings[-1]
                self.headings[-1] = (tag, text + data)

    def text(self, section: str = "") -> str:
        pieces = self.sections.get(section, []) if section else chain(*self.sections.values())
        return " ".join("".join(pieces).split())

    def of(self, tag: str) -> list[dict[str, str | None]]:
        return [found for name, found in self.elements if name == tag]


@pytest.fixture(scope="session")
def written(audited) -> str:
    return audit_page(audited)


@pytest.fixture(scope="session")
def page(written) -> Page:
    return Page(written)


def without_plots(monkeypatch, audited, **options) -> Page:
    monkeypatch.setattr(page_module, "can_draw", lambda: False)
    return Page(audit_page(audited, **options))


def test_every_section_is_there_in_order_and_in_the_contents(page):
    assert [one["id"] for one in page.of("section")] == list(SECTIONS)
    assert [text for tag, text in page.headings if tag == "h2"] == list(SECTIONS.values())
    links = [one["href"] for one in page.of("a")]
    assert [f"#{name}" for name in SECTIONS] == [one for one in links if one[1:] in SECTIONS][
        : len(SECTIONS)
    ]


def test_the_top_says_what_was_measured_and_on_what(page):
    text = page.text("measured")
    for said in (
        "Weatherglass ran Standard suite on default",
        "default, 400,000 words, 50 dimensions",
        "2026-01-05 08:09 UTC, in 1 minute 34 seconds",
        "1 of 2 steps failed or were left out",
        "81 associations were found that nobody asked for",
    ):
        assert said in text, said


def test_the_strongest_findings_are_sentences_with_effect_p_and_robustness(page, audited):
    text = page.text("findings")
    same = audited.multiverses[0].summary.same_sign["whole"]
    assert "Male names are nearer to career words, and female names to family words." in text
    assert "Effect 1.71 (published 1.81), 95% interval 1.49 to 1.81, p = 7.8e-05; " in text
    assert f"{same.share:.0%} of {same.of} documented seed choices agree in sign" in text
    assert "1.67 without word frequency (98% of it)" in text
    assert "The nearer occupations are to female terms rather than male terms" in text
    assert "Correlation 0.66 (published 0.90), p = 1.5e-07; other seed words were not" in text
    assert "81 of 85 pairs of a group of names and a category of words are significant" in text
    # The rule itself is told.
    assert "Those with the largest effect come first" in text


def test_the_rule_of_strength_is_kept(audited):
    found = strongest_findings(audited.results, None)
    assert all(one.corrected <= ALPHA for one in found)
    assert [one.size for one in found] == sorted((one.size for one in found), reverse=True)
    tests = [one.result.test for one in found]
    # weat4 and weat5 ask the same with other words; of words and of sentences, so do the weat6.
    assert "weat5" in tests
    assert "weat4" not in tests
    assert len({"weat6", "sent-weat6"} & set(tests)) == 1
    assert "weat9" not in tests  # it was tested the other way round, and is not significant
    by_test = {one.result.test: one for one in found}
    assert by_test["wefat1"].size == pytest.approx(0.664, abs=1e-3)
    assert by_test["weat5"].size == pytest.approx(0.995 / 2, abs=1e-3)
    tested = [one for one in audited.results if one.source["name"] == "default"]
    p_values = sum(p_of(one) is not None for one in tested)
    fact = next(one for one in tested if one.test == "wefat1")
    assert corrected_p(fact, audited.results) == pytest.approx(fact.pearson_p * p_values)


def test_a_negative_effect_turns_the_sentence_round(audited):
    first = audited.results[0]
    turned = dataclasses.replace(first, effect=-first.effect)
    assert claim(turned) == (
        "Male names are nearer to family words, and female names to career words."
    )


def test_nothing_significant_is_said(audited, monkeypatch):
    weak = [dataclasses.replace(audited.results[0], p_holm=0.2)]
    page = without_plots(monkeypatch, AuditResult(audited.about, wg.Results.of(weak)))
    assert "No test is significant after correction." in page.text("findings")
    assert [one["id"] for one in page.of("section")] == [
        *("findings", "measured", "effects", "words", "missing", "steps"),
        *("notes", "cite", "repeat"),
    ]


def test_an_audit_of_nothing_has_a_page(monkeypatch):
    page = without_plots(monkeypatch, AuditResult({}, wg.Results.of([])))
    assert "Audit of nothing" in page.text()
    assert "Every step was done." in page.text("steps")
    assert "No word is missing." in page.text("missing")


def test_tables_have_effects_intervals_p_values_and_published_figures(page):
    text = page.text("effects")
    assert "weat6 · 8 and 8 targets, 8 and 8 attributes" in text
    assert "1.81p 1e-31.711.49 to 1.817.8e-05exact, corrected 3.1e-04" in text
    assert "not run" in text
    assert "0.901" not in text  # rounded to two decimals, everywhere


@pytest.mark.slow
def test_many_curves_do_not_fill_the_page(audited):
    """Five sources with four multiverses each: twelve are drawn, all are told of."""
    found = wg.multiverse(wg.open_vectors("default"), "weat8")
    many = dataclasses.replace(audited, multiverses=(found,) * 20)
    made = audit_page(many)
    assert len(re.findall(r'<figure id="choices-', made)) == 12
    assert made.count("have the sign of the documented choice") >= 20
    assert "Only the first 12 of 20 have a picture here" in made
    assert len(made.encode()) < 5_000_000


def test_cells_have_names_where_their_headings_are_out_of_sight(page):
    names = {one.get("data-name") for one in page.of("td")}
    assert {"Published", "Rank correlation", "Above the others"} <= {
        (name or "").rpartition(" · ")[2] for name in names
    }
    made = Page(table("t", ["Test", "p", "q", "p"], [["a", "1", "2", "3"]], over=OVER))
    assert [one["data-name"] for one in made.of("td")[1:]] == ["b<c · p", "b<c · q", "d · p"]


def test_sets_with_notes_only_are_folded_together(audited, monkeypatch):
    (lint,) = audited.lints
    first = dataclasses.replace(lint.findings[0], severity="warning")
    mixed = dataclasses.replace(lint, findings=(*lint.findings[1:], first))
    light = {one.sets for one in lint.findings} - {first.sets}
    page = without_plots(monkeypatch, dataclasses.replace(audited, lints=(mixed,)))
    assert len(light) == 1
    assert "1 set or pair with notes only" in page.text("lint")
    assert page.text("lint").index("1 warning") < page.text("lint").index("with notes only")


def test_other_measures_come_with_what_they_mean(page, audited):
    rnd = next(one for one in audited.results if one.measure == "rnd")
    assert isinstance(rnd, MeasureResult)
    text = page.text("measures")
    assert "Relative norm distance" in text
    assert f"Occupations{rnd.value:.2f}".replace("-", "−") in text
    assert "0 is without bias, the sign is the direction." in text


def test_seed_choices_lint_missing_words_and_failed_steps_are_told(page, audited):
    summary = audited.multiverses[0].summary
    assert f"{summary.same_sign['whole'].count} (100%) have the sign" in page.text("choices")
    assert "What each choice of sets does" in page.text("choices")
    (lint,) = audited.lints
    assert f"{lint.counts['warning']} warning" in page.text("lint")
    assert sum(one.get("class") == "findings" for one in page.of("ul")) == len(
        {one.sets for one in lint.findings}
    )
    assert "15 of 15" in page.text("missing")
    assert "more than the share of 0.2" in page.text("missing")
    assert "Sentencesdefaultfailedno encoder was given" in page.text("steps")


def test_the_end_says_how_to_cite_and_repeat(page):
    for said in (
        "doi:10.1126/science.aal4230",
        "doi:10.1145/3306618.3314270",
        "doi:10.18653/v1/2021.acl-long.148",
        "Harvesting implicit group attitudes",
        f"Weatherglass {wg.__version__}",
    ):
        assert page.text("cite").count(said) == 1, said
    assert "weatherglass audit default --suite standard" in page.text("repeat")
    assert "default: 8fc4" in page.text("repeat")


def test_several_sources_stand_side_by_side(audited, monkeypatch):
    both = []
    for one in audited.results:
        other = {**one.source, "name": "/data/other.vec"}
        both += [one, dataclasses.replace(one, source=other)] if one.test == "weat6" else [one]
    page = without_plots(monkeypatch, dataclasses.replace(audited, results=wg.Results.of(both)))
    over = [one for one in page.of("th") if one.get("scope") == "colgroup"]
    assert [one["colspan"] for one in over] == ["3", "3"]
    text = page.text("effects")
    assert text.count("1.71") == 2
    assert "other.vec" in text
    assert "On default; on other.vec 1.71." in page.text("findings")


def test_nothing_is_fetched_and_only_our_script_may_run(written, page):
    (policy,) = (one["content"] for one in page.of("meta") if one.get("http-equiv"))
    runnable = [text for kind, text in page.scripts if kind is None]
    assert len(runnable) == 1
    digest = base64.b64encode(hashlib.sha256(runnable[0].encode()).digest()).decode()
    assert policy.startswith("default-src 'none'; ")
    assert policy.endswith(f"script-src 'sha256-{digest}'")
    assert "unsafe-eval" not in policy
    for _, attributes in page.elements:
        assert not set(attributes) & {"src", "srcset", "action", "onclick", "onerror"}
        for name in ("href", "xlink:href"):
            assert (attributes.get(name) or "#").startswith("#")
    rest = written.replace(runnable[0], "")
    assert "url(http" not in rest
    assert "@import" not in rest
    assert "http:" not in rest
    assert "https:" not in rest


def test_charts_have_alternatives_and_inline_data(page):
    figures = [one for one in page.of("figure") if one.get("class") == "chart"]
    ids = [one["id"] for one in figures]
    assert ids == [
        *("forest", "facts-0-0", "words-0", "words-1", "words-2", "words-3"),
        *("matrix", "choices-0"),
    ]
    images = [one for one in page.of("div") if one.get("role") == "img"]
    assert len(images) == len(figures)
    assert all(len(one["aria-label"]) > 40 for one in images)
    specs = [json.loads(text) for kind, text in page.scripts if kind == "application/json"]
    assert len(specs) == len(figures)
    assert all("url" not in json.dumps(one) for one in specs)
    strokes = specs[2]["layer"][0]["data"]["values"]["$rows"]  # heads, then a row for each word
    words = {row[strokes[0].index("word")] for row in strokes[1:]}
    assert {"john", "amy"} <= words
    assert len(words) == 16


def test_the_page_can_be_heard_and_used_without_a_mouse(page):
    assert page.of("html")[0]["lang"] == "en"
    levels = [int(tag[1]) for tag, _ in page.headings]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
    assert all(one.get("scope") for one in page.of("th"))
    ids = [found["id"] for _, found in page.elements if "id" in found]
    assert len(ids) == len(set(ids))
    targets = [one["href"][1:] for one in page.of("a")]
    assert set(targets) <= set(ids)
    regions = [one for one in page.of("div") if one.get("role") == "region"]
    assert all(one["tabindex"] == "0" and one["aria-label"] for one in regions)
    assert page.of("nav")[0]["aria-label"] == "Contents"
    assert len(page.of("svg")) == len(page.of("figure"))


def test_without_the_extra_all_tables_are_there_and_one_line_says_how_to_get_pictures(
    audited, monkeypatch, page
):
    plain = without_plots(monkeypatch, audited)
    assert plain.of("figure") == []
    assert plain.scripts == []
    assert plain.text().count("Install the extra 'plots' of Weatherglass") == 1
    assert len(plain.of("table")) == len(page.of("table"))
    for section in ("findings", "measured", "measures", "discovery", "lint", "missing", "steps"):
        assert plain.text(section) == page.text(section)
    ticked = without_plots(monkeypatch, audited, show_slurs=True)
    assert "checked" in next(one for one in ticked.of("input") if one["id"] == "slurs")


@pytest.mark.slow
def test_a_hostile_vocabulary_stays_text(attacked):
    written = audit_page(attacked)
    page = Page(written)
    assert {name for name, _ in page.elements} <= {
        *("html", "head", "meta", "title", "style", "body", "a", "header", "h1", "h2", "h3", "div"),
        *("p", "label", "input", "nav", "ul", "ol", "li", "main", "section", "b", "bdi", "span"),
        *("small", "dl", "dt", "dd", "figure", "script", "svg", "g", "path", "text", "rect"),
        *("line", "defs", "clippath", "lineargradient", "stop", "tspan", "table", "thead"),
        *("tbody", "tr", "th", "td", "details", "summary", "pre", "code", "i", "footer", "em"),
    }
    assert all(not name.startswith("on") for _, found in page.elements for name in found)
    assert sum(kind is None for kind, _ in page.scripts) == 1
    data = [text for kind, text in page.scripts if kind == "application/json"]
    assert all(not set("<>&\u2028") & set(text) for text in data)
    assert "alert(1)</script>" in "".join(page.sections["effects"])
    written.encode("utf-8")  # a lone surrogate would not go to a file


def test_slurs_are_masked_on_the_page_and_in_charts(audited):
    first = audited.results[0]
    words = {**first.words, "X": ("mentally_retarded", *first.words["X"][1:])}
    slurs = wg.Results.of([dataclasses.replace(first, words=words)])
    written = audit_page(AuditResult(audited.about, slurs))
    page = Page(written)
    assert "Show slurs" in page.text()
    assert "retarded" not in page.text()  # nor in the still pictures, whose text this is, too
    assert "mentally r*******" in page.text("words")
    assert 'data-word="mentally retarded"' in written
    assert r'{"$slur":["mentally r*******","mentally retarded"]}' in written
    chart = audit_figures(AuditResult(audited.about, slurs))["words-weat6"]
    assert "retarded" not in json.dumps(chart.to_dict())


def test_a_page_without_slurs_does_not_ask(audited, monkeypatch):
    results = wg.Results.of(audited.results[:1])
    assert (
        "Show slurs" not in without_plots(monkeypatch, AuditResult(audited.about, results)).text()
    )


@pytest.mark.slow
def test_figures_can_be_written_to_files(audited, tmp_path):
    made = audit_figures(audited)
    assert list(made) == [
        *("effects", "facts-wefat1-default", "words-weat6", "words-weat4", "words-weat5"),
        *("words-weat9", "sentences", "choices-weat6-default", "discovery-default"),
    ]
    wg.save_plot(made["effects"], tmp_path / "effects.svg")
    assert "7.8e-05" in (tmp_path / "effects.svg").read_text()


def test_figures_have_names_that_files_may_have(attacked):
    assert all(re.fullmatch(r"[\w.+-]+", name) for name in audit_figures(attacked))


def test_figures_need_the_extra(audited, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "vl_convert", None)
    with pytest.raises(MissingExtra, match="plots"):
        audit_figures(audited)
    assert not page_module.can_draw()


@pytest.mark.slow
def test_a_whole_audit_of_the_default_is_under_five_megabytes(audited):
    vectors = wg.open_vectors("default")
    tests = [one.id for one in wg.tests(level="word")]
    results = [
        (wg.wefat if id.startswith("wefat") else wg.weat)(vectors, id, control="frequency")
        for id in tests
    ]
    written = audit_page(
        AuditResult(
            audited.about,
            wg.Results.of(results).correct(),
            (wg.discover(vectors, rotations=99),),
            tuple(wg.multiverse(vectors, id) for id in ("weat6", "weat7")),
            (wg.lint("*Caliskan*", source=vectors),),
        )
    )
    assert len(written.encode()) < 5_000_000
