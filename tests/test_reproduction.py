"""The reproduction page names every table and figure of the papers, and only tests that exist."""

from __future__ import annotations

import glob
import inspect
import re
import sys
from pathlib import Path

import numpy as np
import pytest

import weatherglass as wg
from weatherglass.catalog import load_names
from weatherglass.crowd import StudyOptions
from weatherglass.crowd.import_answers import MAX_RATING
from weatherglass.discovery import Options
from weatherglass.significance import format_p

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "docs"))
try:
    from making import reproduction  # it is no part of the package
finally:
    sys.path.pop(0)

PAPERS = {paper.id: paper for paper in reproduction.load_papers()}
SEEDS = ROOT.parent / "shared" / "seeds"
FILES = {"science": "000", "seat": "001", "draft": "002", "bad-seeds": "003", "ube": "004"}
COMPUTED_AGAIN = (  # computes the numbers of its rows
    "tests/test_reproduction.py::test_our_effects_and_p_values_of_table_1_are_computed_again"
)
_CAPTION = re.compile(r"^(Table|Figure) (S?\d+)[:.]", re.MULTILINE)


@pytest.mark.parametrize("paper", PAPERS.values(), ids=PAPERS)
def test_every_table_and_figure_of_a_paper_has_a_row(paper) -> None:
    covered = " ; ".join(row.of for row in paper.rows)
    for name in paper.numbered:
        assert re.search(rf"\b{name}\b", covered), f"{paper.id}: {name} has no row"


@pytest.mark.parametrize("paper", PAPERS.values(), ids=PAPERS)
def test_the_numbered_items_are_those_with_a_caption_in_the_paper(paper) -> None:
    files = glob.glob(str(SEEDS / f"{FILES[paper.id]}_*"))
    if not files:
        pytest.skip("needs the texts of the papers in ../shared/seeds")
    text = Path(files[0]).read_text(encoding="utf-8")
    captions = {f"{kind} {number}" for kind, number in _CAPTION.findall(text)}
    if paper.id == "seat":  # its figure is a page of its own, without a caption in the text
        captions.add("Figure 1")
    assert captions == set(paper.numbered)


# Parts of the papers that state no results.
_REFERENCES = re.compile(r"^(?:#+ )?References(?: and Notes)?$", re.MULTILINE)
_APPENDIX = re.compile(
    r"^(?:# Supplementary Material|## A Appendix|A Offensive Stereotypes .*)$", re.MULTILINE
)
_NO_RESULTS = [
    r"^D Biases in different[\s\S]*",  # groups of names with their facts: Tables 6 to 8
    r"https?://\S+|10\.1126/\S+|<\|.*?\|>",
    r"<su[bp]>.*?</su[bp]>",  # notes and affiliations
    r"^\W*\d+(?:\.\d+)* +[A-Z].*$",  # headings
    r"\b(?:[Tt]ables?|[Ff]igures?|[Ff]ig\.?|[Ss]ections?|[Ss]tep|Lemmas?|§|vol\.|no\.)"
    r"\s*\(?[A-Z]?\d+(?:\.\d+)*",
    r"\bpp?\.\*? ?\d+(?:[-–]\d+)?|: 183-186",  # pages
    r"\(\d+(?:, \d+)*(?:, \*?pp?\.\*?)?",  # numbers of references
    r"(?<![\d,.])(?:18|19|20)\d\d[a-z]?(?![\d,.]\d)",  # years
    r"(?<=[A-Za-z])\d+",  # word2vec, C1
]
_NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?|(?<![\w.\d])\.\d+")
NOT_RESULTS = {
    "science": "356 6334 14",  # where and when it was published
    "draft": "356.6334 12",  # the same; authors 1 and 2
    "seat": ".1 2 10",  # notes 1 and 2; the 10 of 10−5
    "bad-seeds": "1652536 15 30",  # a grant; April 15th and June 30th
    "ube": "0 1 27",  # the vector 0; when it was written
}


def _numbers(text: str) -> set[str]:
    found = (match.group().rstrip(",").replace(",", "") for match in _NUMBER.finditer(text))
    return {number.lstrip("0") or "0" for number in found}


def _stated_numbers(text: str) -> set[str]:
    """The numbers in the prose and tables of a paper, except for wide tables of names."""
    if references := _REFERENCES.search(text):
        appendix = _APPENDIX.search(text, references.end())
        rest = text[appendix.start() :] if appendix else ""
        text = text[: references.start()] + rest
    lines = (line for line in text.split("\n") if line.count("\t") < 8)
    text = re.sub(r"(?<=\d)[  ](?=\d{3}\b)", "", "\n".join(lines))  # 100 000
    for pattern in _NO_RESULTS:
        text = re.sub(pattern, " ", text, flags=re.MULTILINE)
    return _numbers(text.replace("^{-", "e-").replace("−", "e-"))


@pytest.mark.parametrize("paper", PAPERS.values(), ids=PAPERS)
def test_every_number_that_a_paper_states_is_in_a_row(paper) -> None:
    files = glob.glob(str(SEEDS / f"{FILES[paper.id]}_*"))
    if not files:
        pytest.skip("needs the texts of the papers in ../shared/seeds")
    stated = _stated_numbers(Path(files[0]).read_text(encoding="utf-8"))
    assert len(stated) > 10
    fields = (
        " ".join((row.of, row.what, row.published, row.ours, row.needs, row.why))
        for row in paper.rows
    )
    listed = _numbers(" ".join(fields).replace("e-", " "))
    assert stated - listed - set(NOT_RESULTS[paper.id].split()) == set()


def test_every_row_has_one_state_and_names_tests_and_commands_that_exist() -> None:
    problems = [p for paper in PAPERS.values() for row in paper.rows for p in row.problems]
    assert not problems, "\n".join(problems)


def test_the_page_is_up_to_date() -> None:
    kept = (ROOT / "docs" / "reproduction.md").read_text(encoding="utf-8")
    assert kept == reproduction.page(), "run `python docs/generate.py`"


def test_a_row_with_a_test_that_does_not_exist_is_not_computed() -> None:
    row = reproduction.Row(
        "x", "Table 9", "a claim", "1", ours="1", tests=("tests/no.py::test_no",)
    )
    assert row.state == "pending"
    assert row.problems
    assert not reproduction.has_test("tests/test_reproduction.py::test_nothing_like_this")
    assert reproduction.has_test("tests/test_reproduction.py::test_the_page_is_up_to_date")


def test_commands_are_looked_up_with_their_options() -> None:
    assert reproduction.has_command("weatherglass weat FILE --test weat1")
    assert not reproduction.has_command("weatherglass weat FILE --no-such-option")
    assert not reproduction.has_command("weatherglass nothing FILE")
    assert not reproduction.has_command("weatherglass vectors")
    assert not reproduction.has_command("weatherglass vectors info FIRST SECOND")
    assert reproduction.has_command("weatherglass seeds generated MODELS --against effect")
    assert not reproduction.has_command("weatherglass seeds generated MODELS --against nothing")


def test_our_effects_and_p_values_of_table_1_are_computed_again(glove840b: str) -> None:
    vectors = wg.open_vectors(glove840b)
    rows = [row for row in PAPERS["science"].rows if row.of == "Table 1" and "p " in row.ours]
    assert len(rows) == 10
    for row in rows:
        result = wg.weat(vectors, row.what.partition(":")[0], baseline=False)
        assert row.ours == f"{result.effect:.2f}, p {format_p(result.p_value)}"
        assert row.ours.partition(",")[0] == row.published.partition(",")[0]


def test_the_defaults_of_discover_are_those_of_table_2() -> None:
    defaults = Options()
    assert (defaults.groups, defaults.categories, defaults.words) == (12, 64, 30_000)
    assert (defaults.per_cell, defaults.alpha, defaults.rotations) == (3, 0.05, 10_000)
    assert defaults.names == "ssa"


def test_the_defaults_of_a_crowd_study_are_those_of_section_4_1() -> None:
    study = StudyOptions()
    assert (study.tests, study.names, study.shown, study.pass_share) == (12, 3, 5, 0.5)
    assert (study.matchers, study.raters, MAX_RATING) == (18, 13, 7)


def test_every_name_has_at_least_a_thousand_people() -> None:
    for names, column in (("ssa", "births"), ("surnames", "count")):
        assert min(load_names(names).facts[column]) >= 1_000


def test_the_defaults_of_train_are_those_of_bad_seeds() -> None:
    defaults = {n: p.default for n, p in inspect.signature(wg.train).parameters.items()}
    assert (defaults["dim"], defaults["window"], defaults["min_count"]) == (100, 5, 10)
    assert defaults["bootstrap"] == 20


def test_the_largest_gathered_seed_set_has_one_word_less_than_printed() -> None:
    assert max(len(seed_set.words) for seed_set in wg.seed_sets()) == 1459  # Figure 1 has 1,460


def test_the_mean_share_of_women_over_names_is_above_that_over_births() -> None:
    facts = load_names("ssa").facts
    shares = np.array(facts["share_female"], dtype=float)
    births = np.array(facts["births"], dtype=float)
    assert round(100 * shares.mean()) == 60
    assert round(100 * float(shares @ births / births.sum())) == 48


def test_every_number_that_a_row_claims_is_in_the_tests_that_it_names() -> None:
    unsupported = {
        f"{paper.id}, {row.of}, {row.what}": numbers
        for paper in PAPERS.values()
        for row in paper.rows
        if row.state == "computed" and COMPUTED_AGAIN not in row.tests
        if (numbers := reproduction.unsupported_numbers(row))
    }
    assert not unsupported


def test_a_number_that_no_test_mentions_is_unsupported() -> None:
    test = "tests/test_reproduction.py::test_the_defaults_of_discover_are_those_of_table_2"
    fields = {"tests": (test,), "paper": "x", "of": "Table 2", "what": "", "published": ""}
    assert not reproduction.unsupported_numbers(reproduction.Row(**fields, ours="12 groups, 0.05"))
    row = reproduction.Row(**fields, ours="12 groups, weat7, 98.25")
    assert reproduction.unsupported_numbers(row) == ["98.25"]
