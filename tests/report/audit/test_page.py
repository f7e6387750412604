import base64
import dataclasses
import hashlib
import json
import math
import re
from html.parser import HTMLParser
from itertools import chain, pairwise

import pytest

import weatherglass as wg
from weatherglass.errors import MissingExtra
from weatherglass.findings import ScorecardRow, count_sentence, scorecard
from weatherglass.measures import MeasureResult
from weatherglass.report import audit_figures, audit_page
from weatherglass.report import page as page_module
from weatherglass.report.audit.data import AuditResult
from weatherglass.report.audit.findings import (
    corrected_p,
    dimension_title,
    graded_findings,
    headlines,
    relative_size,
    reversals,
)
from weatherglass.report.html import element, table

OVER = [("", 1), (element("bdi", "b<c"), 2), ("d", 1)]
VOID = {"br", "col", "input", "meta"}
SECTIONS = {
    "summary": "Summary",
    "findings": "Findings",
    "effects": "Association tests",
    "words": "Word by word",
    "facts": "Factual tests",
    "sentences": "Sentence encoders",
    "choices": "Other seed words",
    "discovery": "Discovery",
    "measures": "Other measures",
    "lint": "Seed checks",
    "missing": "Missing words",
    "steps": "Steps",
    "measured": "What was measured",
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
        return [attributes for name, attributes in self.elements if name == tag]


@pytest.fixture(scope="session")
def html(audit) -> str:
    return audit_page(audit)


@pytest.fixture(scope="session")
def page(html) -> Page:
    return Page(html)


def render_without_charts(monkeypatch, audit, **options) -> Page:
    monkeypatch.setattr(page_module, "can_draw", lambda: False)
    return Page(audit_page(audit, **options))


def test_every_section_is_in_order_and_in_the_contents(page):
    assert [tag["id"] for tag in page.of("section")] == list(SECTIONS)
    contents = page.text().partition("Audit of GloVe 6B and cbow:default")[2]
    assert " ".join(SECTIONS.values()).replace(" ", "") in contents.replace(" ", "")
    links = [tag["href"] for tag in page.of("a")]
    assert [f"#{name}" for name in SECTIONS] == [link for link in links if link[1:] in SECTIONS][
        : len(SECTIONS)
    ]


def test_the_overview_states_what_was_measured_on_which_sources(page):
    text = page.text("measured")
    for sentence in (
        "Weatherglass ran Standard suite on GloVe 6B",
        "default, 400,000 words, 50 dimensions",
        "2026-01-05 08:09 UTC, in 1 minute 34 seconds",
        "1 of 2 steps failed or were skipped",
        "81 associations were discovered without a test",
    ):
        assert sentence in text, sentence


def test_controls_have_a_row_each_below_the_test(page):
    text = page.text("effects")
    assert "without the top 2 components" in text
    assert "without frequency1.643.1e-04–Holds" in text


def test_findings_are_sentences_with_their_grade_their_numbers_and_their_evidence(page, audit):
    text = page.text("findings")
    choices = audit.results[0].seed_choices
    assert choices == audit.multiverses[0].seed_choices(audit.results[0].effect)
    assert (
        "mixed Male names are more strongly associated with career words, rather than family "
        "words, than female names are; but this holds for 69 % of published seed lists."
    ) in text
    assert (
        "weat6, on GloVe 6B: effect 1.71 (published 1.81), 95 % confidence interval over other "
        "target words 1.36 to 1.86, p = 1.6e-04, corrected "
    ) in text
    assert f"depends seed choices: holds for 69% of {choices.of} published seed lists." in text
    assert "pass frequency control: 96% of the effect remains" in text
    # With less evidence the sentence test looks clear; the test with more evidence comes first.
    assert "The same question: sent-weat6 on cbow:default 1.71, clear." in text
    assert (
        "clear The more strongly occupations are associated with female terms rather than male "
        "terms"
    ) in text
    assert (
        "wefat1, on GloVe 6B: correlation 0.66 (published 0.90), 95 % confidence interval over "
        "other" in text
    )
    # The page states the rule.
    assert "Findings are listed by social dimension, then by grade, then by the size" in text


def test_findings_are_ordered_by_dimension_then_grade_then_size(audit):
    grouped = headlines(audit.results)
    assert list(grouped) == ["gender", "race", "disability"]
    grades = {"clear": 0, "mixed": 1, "none": 2}
    for found in grouped.values():
        keys = [(grades[h.finding.grade], -relative_size(h.result)) for h in found]
        assert keys == sorted(keys)
    tests = {h.result.test: h for found in grouped.values() for h in found}
    # weat4 and weat5 ask the same question with other words; so do weat6 and its sentence test.
    assert not {"weat4", "weat5"} <= set(tests)
    assert len({"weat6", "sent-weat6"} & set(tests)) == 1
    assert tests["weat9"].finding.grade == "none"  # a declared direction, and the other one found
    assert tests["wefat1"].finding.grade == "clear"
    size = relative_size(next(r for r in audit.results if r.test == "weat5"))
    assert size == pytest.approx(0.995 / math.sqrt(4 * 31 / 32), abs=1e-3)


def test_a_test_with_a_known_answer_is_a_control_and_no_finding(page, audit):
    weat1 = next(result for result in audit.results if result.test == "weat1")
    assert weat1.dimension == "control"
    shown = [h.result.test for found in headlines(audit.results).values() for h in found]
    assert "weat1" not in shown
    findings, _, controls = page.text("findings").partition("Controls Tests about no group")
    assert "Flowers are more strongly associated" in controls
    assert "Flowers" not in findings
    assert "Flowers" not in page.text("summary")
    assert all(row.dimension != "control" for row in scorecard_rows(audit))


def test_a_change_of_sign_is_the_first_thing_on_the_page(audit, monkeypatch):
    first = audit.results[0]
    (control,) = first.controls
    turned = dataclasses.replace(control, effect=-0.5, survives=-0.3)
    results = [dataclasses.replace(first, controls=(turned,)), *audit.results[1:]]
    changed = dataclasses.replace(audit, results=wg.Results.of(results))
    assert [finding.result.test for finding in reversals(changed.results)] == ["weat6"]
    text = render_without_charts(monkeypatch, changed).text("findings")
    assert text.startswith(
        "Findings by topic A result changes its sign Reverses when word frequency is removed; as "
        "measured, male names are more strongly associated with career words"
    )
    assert reversals(audit.results) == []
    # Of the sentences on page one it is the first, and its mark in the scorecard says so.
    summary = render_without_charts(monkeypatch, changed).text("summary")
    assert "1 changes its sign." in summary.partition("About")[0]
    sentences = summary.partition("mixed")[2]
    assert sentences.startswith(" reverses Reverses when word frequency is removed; as measured,")
    (row,) = (
        r for r in scorecard_rows(changed) if r.dimension == "gender" and r.source == "default"
    )
    assert row.marks["without frequency"].kind == "reverses"


def test_the_corrected_p_is_two_sided_and_holms_over_the_tests_of_the_source(audit):
    weat6 = audit.results[0]
    assert weat6.p.alternative == "greater"
    assert corrected_p(weat6, audit.results) == weat6.p_finding > weat6.main_p_two_sided
    alone = wg.weat(wg.open_vectors("default"), "weat6")
    assert corrected_p(alone, wg.Results.of([alone])) == alone.p_two_sided.value


def test_the_sentence_of_a_negative_effect_swaps_the_attributes(audit):
    reversed_result = dataclasses.replace(
        audit.results[0],
        effect=-audit.results[0].effect,
        intervals=(),
        anisotropy=None,
        seed_choices=None,
    )
    assert reversed_result.sentence() == (
        "Male names are more strongly associated with family words, rather than career words, than "
        "female names are, the reverse of the published result."
    )


def test_sentences_change_direction_when_sets_are_swapped():
    vectors = wg.open_vectors("default")
    test = wg.test("weat6")
    sets = {"x": test.x, "y": test.y, "a": test.a, "b": test.b}
    swapped = wg.weat(vectors, wg.Test(**sets | {"x": test.y, "y": test.x}))
    assert swapped.effect == pytest.approx(-wg.weat(vectors, test).effect)
    assert swapped.sentence() == (
        "Female names are more strongly associated with family words, rather than career words, "
        "than male names are."
    )
    fact = wg.wefat(vectors, "wefat1")
    assert fact.pearson > 0
    assert fact.sentence().endswith("male terms, the higher their share of women.")
    falling = dataclasses.replace(fact, pearson=-fact.pearson, intervals=(), published=None)
    assert falling.sentence().endswith("male terms, the lower their share of women.")


def test_a_page_without_clear_differences_says_so_and_names_no_direction(audit, monkeypatch):
    weak = [dataclasses.replace(audit.results[0], p_finding=0.2)]
    page = render_without_charts(monkeypatch, AuditResult(audit.about, wg.Results.of(weak)))
    text = page.text("findings")
    assert "No test shows a clear difference." in text
    assert "No clear difference in how male names and female names are associated" in text
    assert "more strongly associated" not in text
    assert "none shows a clear difference" in page.text("summary")
    assert [tag["id"] for tag in page.of("section")] == [
        *("summary", "findings", "effects", "words", "missing", "steps", "measured"),
        *("notes", "cite", "repeat"),
    ]


def test_an_audit_of_nothing_has_a_page(monkeypatch):
    page = render_without_charts(monkeypatch, AuditResult({}, wg.Results.of([])))
    assert "Audit of nothing" in page.text()
    assert "All steps have a result." in page.text("steps")
    assert "No word is missing." in page.text("missing")


def test_tables_have_effects_intervals_p_values_and_published_figures(page):
    text = page.text("effects")
    assert "weat6 · 8 and 8 targets, 8 and 8 attributes" in text
    assert re.search(
        r"1\.81p 1e-31\.711\.36 to 1\.861\.6e-04corrected [\d.e-]+, one-sided 7\.8e-05", text
    )
    assert re.search(
        r"none with 6\+6 words this test detects effect sizes of 1\.\d\d or more", text
    )
    assert "not run" in text
    assert "0.901" not in text  # rounded to two decimals, everywhere


@pytest.mark.slow
def test_a_page_with_many_specification_curves_stays_small(audit):
    """Five sources with four multiverses each: twelve are drawn, all are described."""
    multiverse = wg.multiverse(wg.open_vectors("default"), "weat8")
    html = audit_page(dataclasses.replace(audit, multiverses=(multiverse,) * 20))
    assert len(re.findall(r'<figure id="choices-', html)) == 12
    assert html.count("have the sign of the documented choice") >= 20
    assert "Only the first 12 of 20 have a chart here" in html
    assert len(html.encode()) < 2_000_000


def test_cells_carry_their_headings_for_narrow_screens(page):
    names = {tag.get("data-name") for tag in page.of("td")}
    assert {"Published", "Rank correlation", "Above the others"} <= {
        (name or "").rpartition(" · ")[2] for name in names
    }
    small = Page(table("t", ["Test", "p", "q", "p"], [["a", "1", "2", "3"]], over=OVER))
    assert [tag["data-name"] for tag in small.of("td")[1:]] == ["b<c · p", "b<c · q", "d · p"]


def test_sets_with_notes_only_are_folded_together(audit, monkeypatch):
    (lint,) = audit.lints
    first = dataclasses.replace(lint.findings[0], severity="warning")
    mixed = dataclasses.replace(lint, findings=(*lint.findings[1:], first))
    with_notes_only = {finding.sets for finding in lint.findings} - {first.sets}
    page = render_without_charts(monkeypatch, dataclasses.replace(audit, lints=(mixed,)))
    assert len(with_notes_only) == 1
    assert "1 set or pair with notes only" in page.text("lint")
    assert page.text("lint").index("1 warning") < page.text("lint").index("with notes only")


def test_other_measures_are_explained(page, audit):
    rnd = next(result for result in audit.results if result.measure == "rnd")
    assert isinstance(rnd, MeasureResult)
    text = page.text("measures")
    assert "Relative norm distance" in text
    assert f"Occupations{rnd.value:.2f}".replace("-", "−") in text
    assert "0 is unbiased; the sign is the direction." in text


def test_the_page_reports_seed_choices_lint_missing_words_and_failed_steps(page, audit):
    summary = audit.multiverses[0].summary
    assert f"{summary.same_sign['whole'].count} (100%) have the sign" in page.text("choices")
    assert "Effect of each choice of sets" in page.text("choices")
    (lint,) = audit.lints
    assert f"{lint.counts['warning']} warning" in page.text("lint")
    assert sum(tag.get("class") == "findings" for tag in page.of("ul")) == len(
        {finding.sets for finding in lint.findings}
    )
    assert "15 of 15" in page.text("missing")
    assert "at most 20% may be" in page.text("missing")
    assert "SentencesGloVe 6Bfailedno encoder was given" in page.text("steps")


def test_the_page_ends_with_how_to_cite_and_repeat_it(page):
    for sentence in (
        "doi:10.1126/science.aal4230",
        "doi:10.1145/3306618.3314270",
        "doi:10.18653/v1/2021.acl-long.148",
        "Harvesting implicit group attitudes",
        f"Weatherglass {wg.__version__}",
    ):
        assert page.text("cite").count(sentence) == 1, sentence
    assert "weatherglass audit default --suite standard" in page.text("repeat")
    assert "default: 8fc4" in page.text("repeat")


def test_several_sources_are_side_by_side_in_tables(audit, monkeypatch):
    both = []
    for result in audit.results:
        other = {**result.source, "name": "/data/other.vec"}
        both += (
            [result, dataclasses.replace(result, source=other)]
            if result.test == "weat6"
            else [result]
        )
    page = render_without_charts(
        monkeypatch, dataclasses.replace(audit, results=wg.Results.of(both))
    )
    over = [tag for tag in page.of("th") if tag.get("scope") == "colgroup"]
    assert [tag["colspan"] for tag in over] == ["4", "4"]
    text = page.text("effects")
    assert text.partition("All numbers")[2].count("1.71") == 2
    assert "other.vec" in text
    assert (
        "The same question: sent-weat6 on cbow:default 1.71, clear; weat6 on other.vec 1.71, mixed"
        in page.text("findings")
    )


def test_the_page_fetches_nothing_and_runs_only_its_own_script(html, page):
    (policy,) = (tag["content"] for tag in page.of("meta") if tag.get("http-equiv"))
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
    rest = html.replace(runnable[0], "")
    assert "url(http" not in rest
    assert "@import" not in rest
    assert "http:" not in rest
    assert "https:" not in rest


def test_figures_have_titles_sources_text_alternatives_and_ways_to_take_them_along(page, html):
    figures = [tag for tag in page.of("figure") if tag.get("class") == "chart"]
    ids = [tag["id"] for tag in figures]
    assert ids[0] == "forest"
    assert set(ids) == {
        *("forest", "facts-0-0", "words-0", "words-1", "words-2", "words-3", "words-4"),
        *("sentences-forest", "choices-0"),
    }
    images = [tag for tag in page.of("div") if tag.get("role") == "img"]
    assert len(images) == len(page.of("figcaption")) == len(figures)
    assert all(len(tag["aria-label"]) > 40 for tag in images)
    assert page.text().count("; Weatherglass ") == len(figures)  # the line of the source
    kinds = [tag["data-export"] for tag in page.of("button")]
    assert kinds.count("png") == kinds.count("svg") == kinds.count("csv") == len(figures)
    tables = {tag["data-table"] for tag in page.of("button") if tag.get("data-table")}
    assert tables <= {tag.get("id") for tag in page.of("div")}
    links = [tag for tag in page.of("a") if tag.get("data-export") == "link"]
    assert [tag["href"] for tag in links] == [f"#{id}" for id in ids]
    # Every word of a strip is named, narrow and wide.
    strip = html.partition('id="words-0"')[2].partition("</figure>")[0]
    assert strip.count('class="name"') == 2 * 16


def test_no_chart_is_drawn_by_a_library_in_the_browser(page):
    assert [kind for kind, _ in page.scripts] == [None]
    assert len(page.scripts[0][1]) < 10_000


def scorecard_rows(audit: AuditResult) -> list[ScorecardRow]:
    return scorecard(graded_findings(audit.results))


def test_marks_of_the_scorecard_are_those_of_the_findings(page, audit):
    text = page.text("summary")
    assert text.startswith(count_sentence(graded_findings(audit.results)))
    rows = scorecard_rows(audit)
    assert [row.dimension for row in rows] == ["gender", "gender", "race", "disability"]
    cells = [tag for tag in page.of("td") if tag.get("data-name") in ("Effect", "Other words")]
    assert cells
    for row in rows:
        labels = " ".join(mark.label for mark in row.marks.values())
        if not row.has_effect:  # the columns of evidence share a cell
            labels = f"{row.marks['effect'].label} nothing to test"
        name = {"default": "GloVe 6B", "cbow:default": "cbow:default"}[row.source]
        shown = text.partition(f"{dimension_title(row.dimension)}{name}")[2]
        assert labels.replace(" ", "") in shown.replace(" ", "")[: len(labels) + 20]


def test_the_page_works_with_a_screen_reader_and_without_a_mouse(page):
    assert page.of("html")[0]["lang"] == "en"
    levels = [int(tag[1]) for tag, _ in page.headings]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
    assert all(tag.get("scope") for tag in page.of("th"))
    ids = [found["id"] for _, found in page.elements if "id" in found]
    assert len(ids) == len(set(ids))
    targets = [tag["href"][1:] for tag in page.of("a")]
    assert set(targets) <= set(ids)
    regions = [tag for tag in page.of("div") if tag.get("role") == "region"]
    assert all(tag["tabindex"] == "0" and tag["aria-label"] for tag in regions)
    assert page.of("nav")[0]["aria-label"] == "Contents"
    assert all(tag.get("aria-hidden") == "true" for tag in page.of("svg"))


def test_without_the_extra_the_report_lacks_only_charts_that_need_it(audit, monkeypatch, page):
    plain = render_without_charts(monkeypatch, audit)
    assert [tag["id"] for tag in plain.of("figure")] == [tag["id"] for tag in page.of("figure")]
    assert plain.text() == page.text()
    encoder = next(result for result in audit.results if result.section == "sentences")
    many = [
        dataclasses.replace(encoder, source={**encoder.source, "name": f"encoder-{k}"})
        for k in range(4)
    ]
    plain = render_without_charts(monkeypatch, AuditResult(audit.about, wg.Results.of(many)))
    assert plain.of("figure") == []  # a matrix of many encoders is drawn by packages
    assert plain.text().count("Install the extra 'plots' of Weatherglass") == 1
    assert "sent-weat6" in plain.text("sentences")
    ticked = render_without_charts(monkeypatch, audit, show_slurs=True)
    assert "checked" in next(tag for tag in ticked.of("input") if tag["id"] == "slurs")


@pytest.mark.slow
def test_a_hostile_vocabulary_stays_text(hostile_audit):
    html = audit_page(hostile_audit)
    page = Page(html)
    assert {name for name, _ in page.elements} <= {
        *("html", "head", "meta", "title", "style", "body", "a", "header", "h1", "h2", "h3", "div"),
        *("p", "label", "input", "nav", "ul", "ol", "li", "main", "section", "b", "bdi", "span"),
        *("small", "dl", "dt", "dd", "figure", "script", "svg", "g", "path", "text", "rect"),
        *("line", "defs", "clippath", "lineargradient", "stop", "tspan", "table", "thead"),
        *("tbody", "tr", "th", "td", "details", "summary", "pre", "code", "i", "footer", "em"),
        *("figcaption", "button", "circle", "br"),
    }
    assert all(not name.startswith("on") for _, found in page.elements for name in found)
    assert sum(kind is None for kind, _ in page.scripts) == 1
    assert "alert(1)</script>" in "".join(page.sections["effects"])
    html.encode("utf-8")  # a lone surrogate would not go to a file


def test_slurs_are_masked_on_the_page_and_in_charts(audit):
    first = audit.results[0]
    words = {**first.words, "X": ("mentally_retarded", *first.words["X"][1:])}
    slurs = wg.Results.of([dataclasses.replace(first, words=words)])
    html = audit_page(AuditResult(audit.about, slurs))
    page = Page(html)
    assert "Show slurs" in page.text()
    assert "retarded" not in page.text()  # nor in the still pictures, whose text this is, too
    assert "mentally r*******" in page.text("words")
    assert 'data-word="mentally retarded"' in html
    assert 'data-slur="mentally retarded"' in html
    holders = {
        key
        for _, found in page.elements
        for key, value in found.items()
        if "retarded" in (value or "")
    }
    assert holders == {"data-word", "data-slur"}
    chart = audit_figures(AuditResult(audit.about, slurs))["words-weat6"]
    assert "retarded" not in json.dumps(chart.to_dict())


def test_a_page_without_slurs_has_no_box_to_show_them(audit, monkeypatch):
    results = wg.Results.of(audit.results[:1])
    assert (
        "Show slurs"
        not in render_without_charts(monkeypatch, AuditResult(audit.about, results)).text()
    )


@pytest.mark.slow
def test_figures_can_be_written_to_files(audit, tmp_path):
    figures = audit_figures(audit)
    assert list(figures) == [
        *("effects", "facts-wefat1-default", "words-weat6", "words-weat4", "words-weat5"),
        *("words-weat9", "words-weat1", "sentences", "choices-weat6-default", "discovery-default"),
    ]
    wg.save_plot(figures["effects"], tmp_path / "effects.svg")
    assert "1.6e-04" in (tmp_path / "effects.svg").read_text()


def test_figures_have_valid_file_names(hostile_audit):
    assert all(re.fullmatch(r"[\w.+-]+", name) for name in audit_figures(hostile_audit))


def test_figures_need_the_extra_plots(audit, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "vl_convert", None)
    with pytest.raises(MissingExtra, match="plots"):
        audit_figures(audit)
    assert not page_module.can_draw()


@pytest.mark.slow
def test_a_whole_audit_of_the_default_is_under_two_megabytes(audit):
    vectors = wg.open_vectors("default")
    tests = [test.id for test in wg.tests(level="word")]
    results = [
        (wg.wefat if id.startswith("wefat") else wg.weat)(vectors, id, control="frequency")
        for id in tests
    ]
    html = audit_page(
        AuditResult(
            audit.about,
            wg.Results.of(results).correct(),
            (wg.discover(vectors, rotations=99),),
            tuple(wg.multiverse(vectors, id) for id in ("weat6", "weat7")),
            (wg.lint("*Caliskan*", source=vectors),),
        )
    )
    assert len(html.encode()) < 2_000_000
