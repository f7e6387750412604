"""``weatherglass seeds multiverse`` as a user meets it."""

import csv
import json
import re
from pathlib import Path

import pytest

import weatherglass as wg

ROOT = Path(__file__).parent.parent.parent.parent

QUICK = ("--samples", "2")


def multiverse(run, *arguments):
    return run("seeds", "multiverse", *arguments)


def test_multiverse_prints_how_much_the_result_depends_on_the_words(run):
    ran = multiverse(run, "--test", "weat6", "default", *QUICK)
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert lines[0] == "weat6 on default: Male vs female names, career vs family"
    assert lines[2] == (
        "36 choices of seed sets, and 2 sub-samples of 75% of their words: 108 specifications."
    )
    assert "Documented: effect 1.71, p 7.8e-05, corrected 0.0026 (Holm)" in ran.out
    assert "The documented sign: 36 of 36 choices, 100% of all." in lines
    assert "X: male-names or male; Y: female-names or female" in lines
    own = next(line for line in lines if line.startswith("  male_names_1 / female_names_1"))
    assert own.split()[-6:-4] == ["*", "8+8"]
    assert "Choices that change the answer; the first 8 of 27" in lines
    assert any(line.startswith("Not used: career, Rudinger et al 2017 (A): no") for line in lines)
    assert any(line.startswith("The same words as career / family") for line in lines)


def test_multiverse_json_is_lossless_with_a_record_for_each_test(run):
    ran = multiverse(
        run, "default", "--test", "weat6", "--test", "weat7", *QUICK, "--format", "json"
    )
    assert ran.code == 0
    first, second = json.loads(ran.out)["multiverses"]
    again = wg.Multiverse.from_json(json.dumps(second))
    assert (first["test"], again.test) == ("weat6", "weat7")
    assert again == wg.multiverse(
        wg.open_vectors("default").subset(words_of(again)), "weat7", samples=2
    )


def words_of(result):
    sides = [choice.words for factor in result.factors for choice in factor]
    return {word for words_by_side in sides for words in words_by_side.values() for word in words}


def test_multiverse_tsv_has_a_row_for_each_specification_of_each_source(run, tmp_path):
    copy = tmp_path / "copy.txt"
    vectors = wg.open_vectors("default")
    words = words_of(wg.multiverse(vectors, "weat7", samples=0))
    copy.write_text(
        "".join(f"{w} {' '.join(map(str, vectors.take([w]).rows[0].tolist()))}\n" for w in words)
    )
    ran = multiverse(run, "default", copy, "--test", "weat7", "--samples", "0", "--format", "tsv")
    assert ran.code == 0
    rows = list(csv.DictReader(ran.out.splitlines(), delimiter="\t"))
    assert [row["source"] for row in rows].count("default") == 18
    assert len(rows) == 36
    assert {"X", "sample", "n_A", "effect", "p", "p_method", "p_holm", "p_bh"} <= rows[0].keys()


OWN_TESTS = """
tests:
  - id: gender
    x: {label: Women at home, words: [she, her, woman, mother]}
    y: {label: Men, words: [he, him, man, father]}
    a: {label: Home, words: [home, family, house]}
    b: {label: Work, words: [work, office, job]}
  - id: threat
    x: {label: Foreign-born, words: [foreigner, stranger, alien]}
    y: {label: Native, words: [citizen, native, resident]}
    a: {label: Threat, words: [danger, crime, war]}
    b: {label: Safety, words: [safe, peace, law]}
"""


def test_a_concept_applies_only_to_the_test_that_it_names(run, tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text(OWN_TESTS)
    base = ("seeds", "multiverse", "default", "--tests", str(path), "--samples", "0")
    unnamed = run(*base, "--concept", "X=female", "--concept", "Y=male")
    assert "does not say which of the 2 tests" in unnamed.err
    assert "--concept gender:X=female" in unnamed.err
    unknown = run(*base, "--concept", "gendr:X=female")
    assert "Did you mean gender" in unknown.err
    named = run(*base, "--concept", "gender:X=female", "--concept", "gender:Y=male")
    assert "gender on default" in named.out
    assert "threat on default" not in named.out  # it has no alternatives, and says so
    assert "No set of 'threat' has the words of a seed set" in named.err


def test_own_sets_have_their_labels_and_are_not_called_documented(run, tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text(OWN_TESTS)
    page = run(
        *("seeds", "multiverse", "default", "--tests", str(path), "--samples", "0"),
        *("--concept", "gender:X=female", "--concept", "gender:Y=male"),
        *("--concept", "threat:X=immigrants", "--concept", "threat:Y=none"),
    ).out
    assert "Women at home / Men *" in page
    assert "gender.X" not in page
    assert "Your sets: effect" in page
    assert "The sign of your sets:" in page
    assert "ocumented" not in page.partition("threat on")[0].partition("* marks")[0]


def test_concepts_and_own_sets_can_be_given_for_each_side(run, tmp_path):
    (tmp_path / "royal.txt").write_text("king\nprince\nlord\n")
    (tmp_path / "female.txt").write_text("queen\nprincess\nlady\n")
    ran = multiverse(
        run,
        *("default", "--test", "weat7", "--samples", "0", "--format", "json"),
        *("--concept", "A=none", "--concept", "b=none"),
        *("--with", f"A={tmp_path / 'royal.txt'}", "--with", f"B={tmp_path / 'female.txt'}"),
    )
    assert ran.code == 0, ran.err
    (found,) = json.loads(ran.out)["multiverses"]
    assert [choice["sets"]["A"] for choice in found["factors"][1]] == [
        "male_1-Caliskan_et_al_2017",
        "royal",
    ]
    assert len(found["specifications"]) == 2


def test_multiverse_runs_own_tests(run, tmp_path):
    (tmp_path / "mine.yaml").write_text(
        "tests:\n- {id: mine, x: [doctor, surgeon], y: [nurse, midwife],\n"
        "   a: [brother, male, man, boy, son, he, his, him],\n"
        "   b: [sister, female, woman, girl, daughter, she, hers, her]}\n"
    )
    ran = multiverse(run, "default", "--tests", tmp_path / "mine.yaml", *QUICK)
    assert ran.code == 0, ran.err
    assert ran.out.startswith("mine on default: doctor, surgeon vs nurse, midwife; brother, male…")
    assert "X and Y stay as they are, because no seed set has the words of X and Y" in ran.out


def test_significant_choices_with_the_opposite_sign_are_counted(run, tmp_path):
    good, bad = "[joy, love, peace, wonderful, pleasure]", "[agony, awful, horrible, nasty, evil]"
    (tmp_path / "mine.yaml").write_text(
        "{id: mine, x: [daisy, rose, tulip, lily, violet, orchid],"
        f" y: [spider, moth, wasp, gnat, flea, roach], a: {good}, b: {bad}}}\n"
    )
    (tmp_path / "a.yaml").write_text(f"turned: {bad}\n")
    (tmp_path / "b.yaml").write_text(f"back: {good}\n")
    given = ("--with", f"A={tmp_path / 'a.yaml'}", "--with", f"B={tmp_path / 'b.yaml'}")
    sides = [part for side in "XYAB" for part in ("--concept", f"{side}=none")]
    asked = ("default", "--tests", tmp_path / "mine.yaml", *given, *sides, "--samples", "0")
    ran = multiverse(run, *asked)
    assert ran.code == 0, ran.err
    counts = "2 of 2 choices; 1 of the choices with the opposite sign."
    assert f"Significant at 0.05 with Holm correction: {counts}" in ran.out
    assert f"Significant at 0.05 with no correction: {counts}" in ran.out
    one_sided = multiverse(run, *asked, "--alternative", "greater").out
    assert "with Holm correction: 1 of 2 choices.\n" in one_sided


def test_results_of_other_sources_are_printed_if_one_fails(run, tmp_path):
    (tmp_path / "tiny.txt").write_text("he 1 0\nshe 0 1\n")
    ran = multiverse(run, tmp_path / "tiny.txt", "default", "--test", "weat7", "--samples", "0")
    assert ran.code == 3
    assert ran.out.startswith("weat7 on default")
    assert "can be measured on this source; math_1 / arts_1" in ran.err
    assert "1 of 2 runs failed." in ran.err


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["default"], 2, "Name a test, such as --test weat6"),
        (["--test", "weat6"], 2, "Missing argument 'SOURCE...'"),
        (["default", "--test", "waet6"], 2, "Did you mean weat6"),
        (["default", "--test", "wefat1"], 2, "wefat1 is a factual test"),
        (["default", "--test", "sent-weat6"], 2, "is a test of sentences"),
        (["default", "--test", "weat6", "--concept", "female"], 2, "as in X=female"),
        (["default", "--test", "weat6", "--concept", "X=femal"], 2, "Did you mean female"),
        (["default", "--test", "weat6", "--with", "X=gone.yaml"], 2, "gone.yaml"),
        (["default", "--test", "weat6", "--share", "0.1"], 2, "Use a larger share"),
        (["default", "--test", "weat6", "--share", "2"], 2, "not a share from 0 to 1"),
        (["default", "--test", "weat6", "--alpha", "0"], 2, "alpha is 0"),
    ],
)
def test_wrong_multiverse_commands_get_a_sentence_and_an_exit_code(run, arguments, code, message):
    ran = multiverse(run, *arguments)
    assert (ran.code, ran.out) == (code, "")
    assert message in ran.err
    assert "Traceback" not in ran.err


@pytest.mark.slow
def test_multiverse_draws_the_specification_curve(run, tmp_path):
    pytest.importorskip("altair", reason="needs the extra 'plots'")
    picture = tmp_path / "curve.svg"
    ran = multiverse(
        run, "default", "--test", "weat6", "--test", "weat7", "--samples", "20", "--plot", picture
    )
    assert ran.code == 0
    drawn = picture.read_text()
    assert "documented: 1.71" in drawn
    assert "Each column holds 2 or 3 specifications of adjacent rank." in drawn
    assert "Math vs arts, male vs female terms: 378 specifications on default" in drawn


@pytest.mark.slow
def test_the_chart_in_the_docs_is_drawn_by_its_command(run, tmp_path):
    pytest.importorskip("altair", reason="needs the extra 'plots'")
    picture = tmp_path / "multiverse-weat3.svg"
    assert multiverse(run, "--test", "weat3", "default", "--plot", picture).code == 0
    shown = re.compile(r"<text[^>]*>([^<]+)</text>")
    kept = (ROOT / "docs" / "pictures" / picture.name).read_text()
    day = re.compile(r"\d{4}-\d{2}-\d{2}\.<")
    drawn, kept = (day.sub(".<", text) for text in (picture.read_text(), kept))
    assert shown.findall(drawn) == shown.findall(kept)
