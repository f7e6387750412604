"""The checklist for seed sets and the survey of the gathered sets (Antoniak and Mimno 2021)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import weatherglass as wg
from weatherglass.report import checklist_markdown, checklist_page

MINE = """
seeds:
  - id: my_women
    concept: female
    words: [woman, girl, she]
    description: Words for women & girls.
    rationale: They are unambiguous in 50 contexts each.
    sources: [curated]
  - {id: odd, words: ["<b>bold</b>", "100%", "a_b", "{x}", "faggot"]}
"""


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    file = tmp_path / "mine.yaml"
    file.write_text(MINE)
    return file


def answers(checklist: Any, label: str) -> dict[str, str]:
    part = next(part for part in checklist.parts if part.label == label)
    return {item.topic: item.answer for item in part.items}


def test_the_checklist_has_every_topic_that_the_paper_recommends(mine: Path) -> None:
    checklist = wg.seed_checklist(["female_1-Caliskan_et_al_2017", "male_1-Caliskan_et_al_2017"])
    topics = {item.topic for part in checklist.parts for item in part.items}
    assert topics >= {"origin", "rationale", "definition", "frequency", "part of speech"}
    assert topics >= {"similarity", "pairing", "alternatives"}


def test_what_a_file_states_is_filled_in_and_the_rest_is_asked(mine: Path) -> None:
    checklist = wg.seed_checklist(mine)
    stated = answers(checklist, "my_women")
    assert stated["rationale"] == "They are unambiguous in 50 contexts each."
    assert stated["definition"] == "female: Words for women & girls."
    assert "Chosen by hand" in stated["origin"]
    assert not stated["manual examination"]
    odd = answers(checklist, "odd")
    assert not odd["origin"]
    assert not odd["rationale"]
    assert odd["content"] == "It contains slurs."
    assert {label for label, item in checklist.open_items if item.topic == "rationale"} == {"odd"}


def test_alternatives_are_named_but_their_results_are_asked_for() -> None:
    checklist = wg.seed_checklist("female_1-Caliskan_et_al_2017")
    item = next(item for _, item in checklist.open_items if item.topic == "alternatives")
    assert "The catalogue has 19 other sets of female" in item.question


def test_vectors_answer_more_questions_than_words_alone() -> None:
    sets = ["career-Caliskan_et_al_2017", "family-Caliskan_et_al_2017"]
    pair = " / ".join(sets)
    with_vectors = wg.seed_checklist(sets, source="default")
    assert "cosine of their means" in answers(with_vectors, pair)["similarity"]
    assert not answers(wg.seed_checklist(sets), pair)["similarity"]


def test_a_checklist_survives_json(mine: Path) -> None:
    checklist = wg.seed_checklist(mine)
    assert wg.Checklist.from_json(checklist.to_json()) == checklist


def test_words_cannot_break_out_of_html_markdown_and_latex(
    mine: Path, run: Any, tmp_path: Path
) -> None:
    checklist = wg.seed_checklist(mine)
    page, text = checklist_page(checklist), checklist_markdown(checklist)
    assert "<b>bold" not in page
    assert r"\<b\>bold" in text
    assert "faggot" not in text
    assert "faggot" in checklist_markdown(checklist, show_slurs=True)
    target = tmp_path / "check.tex"
    assert run("seeds", "checklist", mine, "-o", target).code == 0
    latex = target.read_text()
    assert r"\textless{}b\textgreater{}bold" in latex
    assert r"100\%" in latex
    assert r"\{x\}" in latex
    assert "faggot" not in latex
    assert latex.count(r"\begin{itemize}") == latex.count(r"\end{itemize}")


def test_checklist_writes_the_format_of_the_suffix(mine: Path, run: Any, tmp_path: Path) -> None:
    for suffix, start in ((".md", "# Checklist"), (".html", "<!doctype"), (".json", "{")):
        target = tmp_path / f"check{suffix}"
        assert run("seeds", "checklist", mine, "-o", target).code == 0
        assert target.read_text().startswith(start)
    assert json.loads((tmp_path / "check.json").read_text())["measure"] == "seed-checklist"
    assert run("seeds", "checklist", mine).out.startswith("# Checklist")


def test_survey_has_the_published_numbers_of_sets_and_studies() -> None:
    survey = wg.survey_seeds()
    assert len(survey.sets) == 178
    assert len(survey.studies) == 18
    assert survey.sizes.maximum == 1459  # 1,460 in the caption of figure 1


def test_table_3_differs_from_the_collection_only_for_two_kinds_of_source() -> None:
    counts = {e.source: (len(e.studies), e.published) for e in wg.survey_seeds().sources}
    differing = {source: pair for source, pair in counts.items() if pair[0] != pair[1]}
    # The authors' own file has 7 studies with curated sets; one more uses a lexical resource.
    assert differing == {"curated": (7, 5), "adapted-from-lexical-resources": (4, 3)}


def test_words_of_table_1_are_in_their_sets_except_a_misspelled_one() -> None:
    examples = wg.survey_seeds().examples
    assert [example.label for example in examples] == [
        "Unpleasant",
        "African American",
        "Domestic Work",
        "Ugliness",
    ]
    assert [word for example in examples for word in example.absent] == ["disformed"]


def test_survey_of_some_sets_has_no_published_counts(run: Any) -> None:
    survey = wg.survey_seeds(wg.seed_sets("female_*"))
    assert all(entry.published is None for entry in survey.sources)
    assert type(survey).from_json(survey.to_json()) == survey
    shown = run("seeds", "overview", "female_*").out
    assert "published" not in shown


def test_overview_prints_tables_and_draws(run: Any, tmp_path: Path) -> None:
    pytest.importorskip("altair")
    chart = tmp_path / "overview.svg"
    ran = run("seeds", "overview", "--plot", chart)
    assert ran.code == 0, ran.err
    assert "7 of 18" in ran.out
    assert "adapted from lexical resources" in chart.read_text()
