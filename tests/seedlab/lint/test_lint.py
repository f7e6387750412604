"""Lint as a whole: the examples of the paper, which checks run, and the result."""

import json
import re
from pathlib import Path

import pytest

import weatherglass as wg
from weatherglass.catalog import pairings, seed_sets, seeds
from weatherglass.errors import BadContent, CatalogError, UnknownEntry, UsageError, install_command
from weatherglass.seedlab.lint.findings import CHECKS, SEVERITIES, Lint, find_check
from weatherglass.seedlab.pairs import are_opposed, pair_sets, resolve_sets

BLACK, WHITE = "names_black-Garg_et_al_2018", "names_white-Garg_et_al_2018"
FEMALE, MALE = "female_1-Caliskan_et_al_2017", "male_1-Caliskan_et_al_2017"


@pytest.fixture(scope="module")
def default():
    return wg.open_vectors("default")


@pytest.fixture(scope="module")
def everything(default):
    return wg.lint(seed_sets(), source=default)


def only_finding(report, check, *sets):
    """Return the only finding of a check, on these sets if they are given."""
    findings = [f for f in report.findings if f.check == check and (not sets or f.sets == sets)]
    assert len(findings) == 1, [f.check for f in report.findings]
    return findings[0]


# The paper's own examples.


def test_table_4_the_black_and_white_names_of_garg_overlap():
    finding = only_finding(wg.lint(BLACK, against=WHITE), "overlap")
    assert (finding.severity, finding.value, len(finding.words)) == ("error", 19 / 20, 19)
    assert set(finding.words) == set(seeds(BLACK).words) & set(seeds(WHITE).words)
    assert finding.sets == (BLACK, WHITE)
    assert finding.place == "section 8, Set Similarity"
    finding = only_finding(
        wg.lint(["names_asian-Garg_et_al_2018", "names_chinese-Garg_et_al_2018"]), "overlap"
    )
    assert (finding.severity, finding.value) == ("error", 15 / 17)


def test_table_4_generated_sets_that_share_a_word_get_a_warning():
    first = wg.SeedSet(id="a", words=["sticks", "onions", "tops", "banana", "mozzarella"])
    second = wg.SeedSet(id="b", words=["potatoes", "onions", "lemon", "herbs", "meats"])
    finding = only_finding(wg.lint([first, second]), "overlap")
    assert (finding.severity, finding.words, finding.value) == ("warning", ("onions",), 0.2)


def test_table_4_the_sets_of_manzini_have_duplicates():
    report = wg.lint("*-Manzini_et_al_2019")
    repeats = {f.sets[0]: (f.severity, f.value) for f in report.findings if f.check == "duplicates"}
    assert repeats == {
        "asian-Manzini_et_al_2019": ("warning", 3),
        "black-Manzini_et_al_2019": ("warning", 3),
        "caucasian-Manzini_et_al_2019": ("warning", 2),
        "religion_test_terms-Manzini_et_al_2019": ("warning", 1),
    }
    asian = only_finding(report, "duplicates", "asian-Manzini_et_al_2019")
    assert asian.words == ("asian", "asia")
    assert (
        asian.sentence
        == "It contains 'asian' 3 times, 'asia' 2 times; 3 of its 6 words are distinct."
    )


def test_table_1_domestic_work_has_words_for_women():
    finding = only_finding(wg.lint("domestic_work-Fast_et_al_2016"), "group-words")
    assert (finding.severity, finding.words) == ("warning", ("mom", "mum"))
    assert finding.place == "section 8, Imprecise Definitions"
    report = wg.lint("domestic_work-Fast_et_al_2016", against=FEMALE)
    assert only_finding(report, "circular").words == ("mom", "mum")


def test_table_1_unpleasant_has_words_of_other_concepts():
    """Of the four the paper names, the catalogue has other sets with two."""
    finding = only_finding(wg.lint("unpleasant-Caliskan_et_al_2017"), "other-concepts")
    assert {"cancer", "poverty"} <= set(finding.words)
    assert finding.severity == "note"


def test_table_1_the_african_american_set_consists_of_names():
    finding = only_finding(wg.lint("african_american_names-Caliskan_et_al_2017"), "names")
    assert {"Tanisha", "Tia", "Lakisha", "Latoya"} <= set(finding.words)
    assert (finding.value, finding.place) == (1, "section 8, Reductive Definitions")


def test_table_1_ugliness_contains_stereotypes():
    assert only_finding(wg.lint("ugliness-Fast_et_al_2016"), "stereotypes").severity == "note"


def test_section_8_female_against_male_treats_gender_as_binary():
    assert "gender" in only_finding(wg.lint([MALE, FEMALE]), "binary").sentence


def test_section_8_the_order_of_gender_pairs_matters_more_than_that_of_class_pairs(default):
    """Figure 3 (a) and (b), on other vectors."""
    gender = ["definitional_female-Bolukbasi_et_al_2016", "definitional_male-Bolukbasi_et_al_2016"]
    finding = only_finding(wg.lint(gender, source=default), "order")
    assert (finding.severity, finding.value) == ("note", 0)
    classes = ["upperclass-Kozlowski_et_al_2019", "lowerclass-Kozlowski_et_al_2019"]
    assert only_finding(wg.lint(classes, source=default), "order").value > 0.05


def test_section_8_sets_that_are_too_similar_get_a_warning(default):
    near = only_finding(wg.lint([BLACK, WHITE], source=default), "similarity")
    assert (near.severity, round(near.value, 3)) == ("warning", 0.999)
    assert "100% are less similar" in near.sentence
    apart = wg.lint(["names_asian-Garg_et_al_2018", WHITE], source=default)
    assert only_finding(apart, "similarity").severity == "note"


def test_section_7_names_that_the_source_lacks_are_listed(default):
    finding = only_finding(wg.lint("black_names-Knoche_et_al_2019", source=default), "missing")
    assert finding.severity == "warning"
    assert {"percell", "lashelle"} <= set(finding.words)
    assert finding.value == 12 / 59


def test_section_3_two_word_terms_are_listed():
    finding = only_finding(wg.lint("black-Rudinger_et_al_2017"), "phrases")
    assert finding.words == ("black_person", "black_man", "black_woman")


def test_a_set_without_words_is_an_error():
    report = wg.lint("neutral-Park_et_al_2018")
    (finding,) = report.findings
    assert (finding.check, finding.severity, finding.value) == ("size", "error", 0)
    assert "does not list its words" in finding.sentence


# Good sets, and all of them.


@pytest.mark.slow
def test_sets_of_the_science_paper_get_notes_only(everything):
    with_warnings = {f.sets for f in everything.at_least("warning") if "Caliskan" in f.sets[0]}
    names = [f"{who}_american_names-Caliskan_et_al_2017" for who in ("european", "african")]
    illness = ("depressed_1-Caliskan_et_al_2017", "physically_ill-Caliskan_et_al_2017")
    # Adjectives against nouns, if there is a tagger; and names of which one kind is much rarer.
    assert with_warnings - {illness} == {tuple(names)}


@pytest.mark.slow
def test_most_sets_of_the_catalogue_get_no_warning(everything):
    assert len(everything.sets) == 178
    assert set(everything.pairs) == {pairing.sets for pairing in pairings()}
    per_set = [f for f in everything.findings if len(f.sets) == 1]
    assert {f.sets[0] for f in per_set} == set(everything.sets)
    # Too many warnings help nobody, so most sets have none.
    with_warnings = {f.sets[0] for f in per_set if f.severity != "note"}
    assert len(with_warnings - {s.id for s in seed_sets() if not s.words}) < 178 / 3
    assert Lint.from_json(everything.to_json()) == everything
    for finding in everything.findings:
        assert finding.sentence.endswith(".")
        assert finding.severity == find_check(finding.check).severity(finding.value)


@pytest.mark.slow
def test_words_with_another_sense_in_the_source_are_found(everything):
    """GloVe's rose climbs, its cricket is played, its bongo rules Gabon."""
    senses = {f.sets[0]: f.words for f in everything.findings if f.check == "senses"}
    assert senses["flowers-Caliskan_et_al_2017"] == ("rose",)
    assert senses["insects-Caliskan_et_al_2017"] == ("cricket",)
    assert senses["weapons-Caliskan_et_al_2017"] == ("club",)
    assert "bongo" in senses["instruments-Caliskan_et_al_2017"]
    assert [word for word, _ in everything.neighbours["rose"]][:2] == ["fell", "climbed"]


# Which sets, which pairs.


def test_sets_are_resolved_by_id_pattern_and_file_without_duplicates(tmp_path):
    file = tmp_path / "mine.txt"
    file.write_text("sun\nrain\n")
    chosen = resolve_sets([FEMALE, "family*", str(file), file, seeds(FEMALE)])
    assert chosen[0].id == FEMALE
    assert chosen[-1].id == "mine"
    assert len(chosen) == 5
    assert resolve_sets(MALE) == (seeds(MALE),)


def test_unknown_sets_and_wrong_options_are_refused(tmp_path):
    with pytest.raises(UnknownEntry, match="Did you mean female_1-Caliskan_et_al_2017"):
        wg.lint("female_1")
    with pytest.raises(CatalogError, match=r"mine\.yaml"):
        wg.lint(tmp_path / "mine.yaml")
    with pytest.raises(UsageError, match="No seed set was given"):
        wg.lint([])
    with pytest.raises(UsageError, match="Two different seed sets are called"):
        wg.lint([FEMALE, wg.SeedSet(id=FEMALE, words=["she"])])
    with pytest.raises(UsageError, match="min_count is 0"):
        wg.lint(FEMALE, min_count=0)


def test_all_pairs_of_up_to_four_sets_are_compared():
    four = seed_sets("*male_[12]-Caliskan*")
    assert len(pair_sets(four)) == 6
    five = (*four, seeds("career-Caliskan_et_al_2017"))
    ids = {frozenset((a.id, b.id)) for a, b in pair_sets(five)}
    assert len(ids) == 2
    assert all("female" in min(pair) for pair in ids)


def test_each_set_is_paired_with_each_set_of_against():
    four = seed_sets("*male_[12]-Caliskan*")
    career = seeds("career-Caliskan_et_al_2017")
    assert [(a.id, b.id) for a, b in pair_sets(four, [career])] == [(s.id, career.id) for s in four]
    assert len(pair_sets(four, four)) == 6
    assert pair_sets([career], [seeds("neutral-Park_et_al_2018")]) == ()


def test_gaps_are_checked_only_for_opposed_sets(default):
    both = wg.lint([MALE, FEMALE], source=default)
    assert {"frequency-gap", "paired-frequency", "pairing"} <= {f.check for f in both.findings}
    report = wg.lint(MALE, against="career-Caliskan_et_al_2017", source=default)
    assert {f.check for f in report.findings if len(f.sets) == 2} == {"similarity"}
    reasons = {c.check: c.reason for c in report.checks}
    assert "opposite ends" in reasons["frequency-gap"]


def test_your_own_sets_are_opposed_if_both_or_neither_are_about_people():
    fair, foul = (wg.SeedSet(id=w, words=[w, "wind"]) for w in ("sunny", "rainy"))
    women = wg.SeedSet(id="women", words=["she", "her", "queen"])
    assert are_opposed(fair, foul)
    assert not are_opposed(fair, women)
    assert are_opposed(women, seeds(MALE))


# Which checks were run.


def test_without_source_and_corpus_lint_says_which_checks_were_not_run(monkeypatch):
    import importlib.util

    find_spec = importlib.util.find_spec
    absent = ("wordfreq", "HanTa", "spacy")
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name in absent else find_spec(name)
    )
    report = wg.lint(FEMALE)
    runs = {c.check: c for c in report.checks}
    assert list(runs) == [check.name for check in CHECKS]
    for check in CHECKS:
        is_run = check.about == "set" and check.needs == "words"
        assert runs[check.name].status == ("done" if is_run else "not run")
        assert bool(runs[check.name].reason) is not is_run
    assert install_command("frequencies") in runs["frequency"].reason
    assert install_command("pos") in runs["parts-of-speech"].reason
    assert "give a source" in runs["missing"].reason
    assert (runs["size"].looked_at, runs["size"].findings) == (1, 1)
    assert (runs["duplicates"].looked_at, runs["duplicates"].findings) == (1, 0)
    assert report.neighbours == report.source == report.corpus == {}


def test_checks_that_need_random_words_do_not_run_on_a_small_source(glove840b):
    report = wg.lint("flowers-Caliskan_et_al_2017", against="insects*", source=glove840b)
    runs = {c.check: c for c in report.checks}
    assert runs["missing"].status == runs["similarity"].status == "done"
    assert "457 usable words" in runs["outlier"].reason
    assert only_finding(report, "similarity").sentence.count(".") == 2  # the number's, and the last
    part = wg.open_vectors("default", words=seeds(FEMALE).words)
    reasons = {c.check: c.reason for c in wg.lint(FEMALE, source=part).checks}
    assert reasons["senses"] == "only some words of default were opened; open all of it"


def test_lint_survives_json(default):
    report = wg.lint([MALE, FEMALE], source=default)
    record = json.loads(report.to_json())
    assert record["measure"] == "lint"
    assert record["source"]["fingerprint"] == default.fingerprint
    expected = {"against": [], "min_count": 10, "case": "auto", "language": "en", "rng": 0}
    assert record["options"] == expected
    assert record["version"] == wg.__version__
    assert Lint.from_json(report.to_json()) == report
    with pytest.raises(BadContent):
        Lint.from_json("{}")


def test_the_same_random_seed_gives_the_same_findings_whatever_else_is_checked(default):
    alone = wg.lint([MALE, FEMALE], source=default, rng=3)
    with_more = wg.lint([MALE, FEMALE, "career-C*"], source=default, rng=3)
    pair = (MALE, FEMALE)
    assert only_finding(alone, "order", *pair) == only_finding(with_more, "order", *pair)
    assert only_finding(alone, "similarity", *pair) == only_finding(with_more, "similarity", *pair)
    assert alone == wg.lint([MALE, FEMALE], source=default, rng=3)


def test_severity_depends_only_on_the_limits_in_the_table_of_checks():
    assert len({check.name for check in CHECKS}) == len(CHECKS)
    for check in CHECKS:
        assert check.place.startswith("section ")
        limits = [limit for limit in (check.warning, check.error) if limit is not None]
        grades = [SEVERITIES.index(check.severity(limit)) for limit in limits]
        assert grades == sorted(grades)
        assert all(grades)
    assert [find_check("overlap").severity(v) for v in (0.05, 0.5)] == ["warning", "error"]
    assert [find_check("size").severity(v) for v in (0, 4, 5)] == ["error", "warning", "note"]


def test_the_docs_list_every_check_with_its_limits():
    page = (Path(__file__).parents[3] / "docs" / "seeds.md").read_text()
    rows = re.findall(r"^\| `([a-z-]+)` \| (set|pair|opposed) \| (.*) \|$", page, re.MULTILINE)
    assert [name for name, _, _ in rows] == [check.name for check in CHECKS]
    for check, (_, about, rest) in zip(CHECKS, rows, strict=True):
        needs, _, *limits = [cell.strip() for cell in rest.split("|")]
        assert (about, needs) == (check.about, check.needs)
        expected = [limit and round(limit, 6) for limit in (check.warning, check.error)]
        printed = [re.sub(r"[^\d.]", "", limit) for limit in limits]
        assert [float(limit) if limit else None for limit in printed] == expected


def test_findings_can_be_filtered_by_severity():
    report = wg.lint([BLACK, WHITE])
    assert [f.severity for f in report.at_least("error")] == ["error"]
    assert report.at_least("note") == report.findings
    assert report.counts == {"error": 1, "warning": 0, "note": len(report.findings) - 1}
    assert report.to_rows()[0]["set"] == BLACK
