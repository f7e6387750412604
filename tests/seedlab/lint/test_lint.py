"""Lint as a whole: the examples of the paper, what is run, and what comes back."""

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


def one(found, check, *sets):
    """The only finding of a check, about some sets if they are given."""
    some = [f for f in found.findings if f.check == check and (not sets or f.sets == sets)]
    assert len(some) == 1, [f.check for f in found.findings]
    return some[0]


# The paper's own examples.


def test_table_4_the_names_of_garg_overlap():
    found = one(wg.lint(BLACK, against=WHITE), "overlap")
    assert (found.severity, found.value, len(found.words)) == ("error", 19 / 20, 19)
    assert set(found.words) == set(seeds(BLACK).words) & set(seeds(WHITE).words)
    assert found.sets == (BLACK, WHITE)
    assert found.place == "section 8, Set Similarity"
    found = one(
        wg.lint(["names_asian-Garg_et_al_2018", "names_chinese-Garg_et_al_2018"]), "overlap"
    )
    assert (found.severity, found.value) == ("error", 15 / 17)


def test_table_4_generated_sets_that_share_onions():
    one_set = wg.SeedSet(id="a", words=["sticks", "onions", "tops", "banana", "mozzarella"])
    other = wg.SeedSet(id="b", words=["potatoes", "onions", "lemon", "herbs", "meats"])
    found = one(wg.lint([one_set, other]), "overlap")
    assert (found.severity, found.words, found.value) == ("warning", ("onions",), 0.2)


def test_table_4_manzini_repeats_words():
    found = wg.lint("*-Manzini_et_al_2019")
    repeats = {f.sets[0]: (f.severity, f.value) for f in found.findings if f.check == "duplicates"}
    assert repeats == {
        "asian-Manzini_et_al_2019": ("warning", 3),
        "black-Manzini_et_al_2019": ("warning", 3),
        "caucasian-Manzini_et_al_2019": ("warning", 2),
        "religion_test_terms-Manzini_et_al_2019": ("warning", 1),
    }
    asian = one(found, "duplicates", "asian-Manzini_et_al_2019")
    assert asian.words == ("asian", "asia")
    assert (
        asian.sentence
        == "It contains 'asian' 3 times, 'asia' 2 times; 3 of its 6 words are distinct."
    )


def test_table_1_domestic_work_has_words_for_women():
    found = one(wg.lint("domestic_work-Fast_et_al_2016"), "group-words")
    assert (found.severity, found.words) == ("warning", ("mom", "mum"))
    assert found.place == "section 8, Imprecise Definitions"
    held = wg.lint("domestic_work-Fast_et_al_2016", against=FEMALE)
    assert one(held, "circular").words == ("mom", "mum")


def test_table_1_unpleasant_has_words_of_other_concepts():
    """Of the four the paper names, the catalogue has other sets with two."""
    found = one(wg.lint("unpleasant-Caliskan_et_al_2017"), "other-concepts")
    assert {"cancer", "poverty"} <= set(found.words)
    assert found.severity == "note"


def test_table_1_names_stand_for_african_americans():
    found = one(wg.lint("african_american_names-Caliskan_et_al_2017"), "names")
    assert {"Tanisha", "Tia", "Lakisha", "Latoya"} <= set(found.words)
    assert (found.value, found.place) == (1, "section 8, Reductive Definitions")


def test_table_1_ugliness_holds_stereotypes():
    assert one(wg.lint("ugliness-Fast_et_al_2016"), "stereotypes").severity == "note"


def test_section_8_gender_as_two_ends():
    assert "gender" in one(wg.lint([MALE, FEMALE]), "binary").sentence


def test_section_8_the_order_of_gender_pairs_matters_and_that_of_class_less(default):
    """Figure 3 (a) and (b), on other vectors."""
    gender = ["definitional_female-Bolukbasi_et_al_2016", "definitional_male-Bolukbasi_et_al_2016"]
    found = one(wg.lint(gender, source=default), "order")
    assert (found.severity, found.value) == ("note", 0)
    classes = ["upperclass-Kozlowski_et_al_2019", "lowerclass-Kozlowski_et_al_2019"]
    assert one(wg.lint(classes, source=default), "order").value > 0.05


def test_section_8_sets_that_are_too_similar(default):
    near = one(wg.lint([BLACK, WHITE], source=default), "similarity")
    assert (near.severity, round(near.value, 3)) == ("warning", 0.999)
    assert "100% are less similar" in near.sentence
    apart = wg.lint(["names_asian-Garg_et_al_2018", WHITE], source=default)
    assert one(apart, "similarity").severity == "note"


def test_section_7_names_that_do_not_occur(default):
    found = one(wg.lint("black_names-Knoche_et_al_2019", source=default), "missing")
    assert found.severity == "warning"
    assert {"percell", "lashelle"} <= set(found.words)
    assert found.value == 12 / 59


def test_section_3_two_word_terms():
    found = one(wg.lint("black-Rudinger_et_al_2017"), "phrases")
    assert found.words == ("black_person", "black_man", "black_woman")


def test_a_set_of_which_only_the_name_is_known():
    found = wg.lint("neutral-Park_et_al_2018")
    (only,) = found.findings
    assert (only.check, only.severity, only.value) == ("size", "error", 0)
    assert "holds no words" in only.sentence


# Good sets, and all of them.


@pytest.mark.slow
def test_sets_of_the_science_paper_get_notes_only(everything):
    worse = {f.sets for f in everything.at_least("warning") if "Caliskan" in f.sets[0]}
    names = [f"{who}_american_names-Caliskan_et_al_2017" for who in ("european", "african")]
    illness = ("depressed_1-Caliskan_et_al_2017", "physically_ill-Caliskan_et_al_2017")
    # Adjectives against nouns, if there is a tagger; and names of which one kind is much rarer.
    assert worse - {illness} == {tuple(names)}


@pytest.mark.slow
def test_the_whole_catalogue(everything):
    assert len(everything.sets) == 178
    assert set(everything.pairs) == {one.sets for one in pairings()}
    per_set = [f for f in everything.findings if len(f.sets) == 1]
    assert {f.sets[0] for f in per_set} == set(everything.sets)
    # Too many warnings help nobody: most sets have none.
    worse = {f.sets[0] for f in per_set if f.severity != "note"}
    assert len(worse - {s.id for s in seed_sets() if not s.words}) < 178 / 3
    assert Lint.from_json(everything.to_json()) == everything
    for finding in everything.findings:
        assert finding.sentence.endswith(".")
        assert finding.severity == find_check(finding.check).severity(finding.value)


@pytest.mark.slow
def test_words_in_another_sense(everything):
    """GloVe's rose climbs, its cricket is played, its bongo rules Gabon."""
    senses = {f.sets[0]: f.words for f in everything.findings if f.check == "senses"}
    assert senses["flowers-Caliskan_et_al_2017"] == ("rose",)
    assert senses["insects-Caliskan_et_al_2017"] == ("cricket",)
    assert senses["weapons-Caliskan_et_al_2017"] == ("club",)
    assert "bongo" in senses["instruments-Caliskan_et_al_2017"]
    assert [word for word, _ in everything.neighbours["rose"]][:2] == ["fell", "climbed"]


# Which sets, which pairs.


def test_sets_by_id_pattern_and_file(tmp_path):
    file = tmp_path / "mine.txt"
    file.write_text("sun\nrain\n")
    chosen = resolve_sets([FEMALE, "family*", str(file), file, seeds(FEMALE)])
    assert chosen[0].id == FEMALE
    assert chosen[-1].id == "mine"
    assert len(chosen) == 5
    assert resolve_sets(MALE) == (seeds(MALE),)


def test_sets_that_are_not_there(tmp_path):
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


def test_pairs_of_up_to_four_sets_are_all_looked_at():
    four = seed_sets("*male_[12]-Caliskan*")
    assert len(pair_sets(four)) == 6
    five = (*four, seeds("career-Caliskan_et_al_2017"))
    ids = {frozenset((a.id, b.id)) for a, b in pair_sets(five)}
    assert len(ids) == 2
    assert all("female" in min(pair) for pair in ids)


def test_pairs_with_others():
    four = seed_sets("*male_[12]-Caliskan*")
    career = seeds("career-Caliskan_et_al_2017")
    assert [(a.id, b.id) for a, b in pair_sets(four, [career])] == [(s.id, career.id) for s in four]
    assert len(pair_sets(four, four)) == 6
    assert pair_sets([career], [seeds("neutral-Park_et_al_2018")]) == ()


def test_gaps_are_looked_for_in_opposed_sets_only(default):
    both = wg.lint([MALE, FEMALE], source=default)
    assert {"frequency-gap", "paired-frequency", "pairing"} <= {f.check for f in both.findings}
    found = wg.lint(MALE, against="career-Caliskan_et_al_2017", source=default)
    assert {f.check for f in found.findings if len(f.sets) == 2} == {"similarity"}
    reasons = {c.check: c.reason for c in found.checks}
    assert "opposite ends" in reasons["frequency-gap"]


def test_opposed_sets_of_your_own():
    fair, foul = (wg.SeedSet(id=w, words=[w, "wind"]) for w in ("sunny", "rainy"))
    women = wg.SeedSet(id="women", words=["she", "her", "queen"])
    assert are_opposed(fair, foul)
    assert not are_opposed(fair, women)
    assert are_opposed(women, seeds(MALE))


# What was run.


def test_without_source_and_corpus_it_says_what_was_not_run(monkeypatch):
    import importlib.util

    known = importlib.util.find_spec
    absent = ("wordfreq", "HanTa", "spacy")
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name in absent else known(name)
    )
    found = wg.lint(FEMALE)
    done = {c.check: c for c in found.checks}
    assert list(done) == [check.name for check in CHECKS]
    for check in CHECKS:
        run = check.about == "set" and check.needs == "words"
        assert done[check.name].status == ("done" if run else "not run")
        assert bool(done[check.name].reason) is not run
    assert install_command("frequencies") in done["frequency"].reason
    assert install_command("pos") in done["parts-of-speech"].reason
    assert "give a source" in done["missing"].reason
    assert (done["size"].looked_at, done["size"].findings) == (1, 1)
    assert (done["duplicates"].looked_at, done["duplicates"].findings) == (1, 0)
    assert found.neighbours == found.source == found.corpus == {}


def test_a_small_source_gives_no_chance_to_compare_with(glove840b):
    found = wg.lint("flowers-Caliskan_et_al_2017", against="insects*", source=glove840b)
    done = {c.check: c for c in found.checks}
    assert done["missing"].status == done["similarity"].status == "done"
    assert "457 usable words" in done["outlier"].reason
    assert one(found, "similarity").sentence.count(".") == 2  # the number's, and the last
    part = wg.open_vectors("default", words=seeds(FEMALE).words)
    reasons = {c.check: c.reason for c in wg.lint(FEMALE, source=part).checks}
    assert reasons["senses"] == "only some words of default were opened; open all of it"


def test_json_keeps_everything(default):
    found = wg.lint([MALE, FEMALE], source=default)
    record = json.loads(found.to_json())
    assert record["measure"] == "lint"
    assert record["source"]["fingerprint"] == default.fingerprint
    assert record["options"] == {"against": [], "min_count": 10, "case": "auto", "rng": 0}
    assert record["version"] == wg.__version__
    assert Lint.from_json(found.to_json()) == found
    with pytest.raises(BadContent):
        Lint.from_json("{}")


def test_the_same_seed_gives_the_same_answer_whatever_else_is_looked_at(default):
    alone = wg.lint([MALE, FEMALE], source=default, rng=3)
    other = wg.lint([MALE, FEMALE, "career-C*"], source=default, rng=3)
    pair = (MALE, FEMALE)
    assert one(alone, "order", *pair) == one(other, "order", *pair)
    assert one(alone, "similarity", *pair) == one(other, "similarity", *pair)
    assert alone == wg.lint([MALE, FEMALE], source=default, rng=3)


def test_severities_come_from_one_table():
    assert len({check.name for check in CHECKS}) == len(CHECKS)
    for check in CHECKS:
        assert check.place.startswith("section ")
        limits = [limit for limit in (check.warning, check.error) if limit is not None]
        grades = [SEVERITIES.index(check.severity(limit)) for limit in limits]
        assert grades == sorted(grades)
        assert all(grades)
    assert [find_check("overlap").severity(v) for v in (0.05, 0.5)] == ["warning", "error"]
    assert [find_check("size").severity(v) for v in (0, 4, 5)] == ["error", "warning", "note"]


def test_the_page_has_the_table():
    page = (Path(__file__).parents[3] / "docs" / "seeds.md").read_text()
    found = re.findall(r"^\| `([a-z-]+)` \| (set|pair|opposed) \| (.*) \|$", page, re.MULTILINE)
    assert [name for name, _, _ in found] == [check.name for check in CHECKS]
    for check, (_, about, rest) in zip(CHECKS, found, strict=True):
        needs, _, *limits = [cell.strip() for cell in rest.split("|")]
        assert (about, needs) == (check.about, check.needs)
        wanted = [limit and round(limit, 6) for limit in (check.warning, check.error)]
        printed = [re.sub(r"[^\d.]", "", limit) for limit in limits]
        assert [float(limit) if limit else None for limit in printed] == wanted


def test_findings_can_be_sifted():
    found = wg.lint([BLACK, WHITE])
    assert [f.severity for f in found.at_least("error")] == ["error"]
    assert found.at_least("note") == found.findings
    assert found.counts == {"error": 1, "warning": 0, "note": len(found.findings) - 1}
    assert found.to_rows()[0]["set"] == BLACK
