"""``weatherglass seeds`` as a user meets it."""

import csv
import json

import pytest

from weatherglass.catalog import concepts, load_seeds, seed_sets, seeds

FEMALE = "female_1-Caliskan_et_al_2017"


def rows(text, delimiter="\t"):
    return list(csv.DictReader(text.splitlines(), delimiter=delimiter))


def test_seeds_list_has_every_set(run):
    ran = run("seeds", "list", "--format", "tsv")
    assert ran.code == 0
    listed = rows(ran.out)
    assert [row["id"] for row in listed] == [seed_set.id for seed_set in seed_sets()]
    assert next(row for row in listed if row["id"] == FEMALE) == {
        "id": FEMALE,
        "concept": "female",
        "words": "8",
        "sources": "borrowed-from-social-sciences",
        "study": "caliskan2017",
        "contains": "",
    }


def test_seeds_list_can_be_filtered(run):
    listed = json.loads(run("seeds", "list", "--concept", "female", "--format", "json").out)
    assert {row["concept"] for row in listed} == {"female"}
    assert len(listed) == 20
    out = run("seeds", "list", "--source", "population-derived", "--study", "garg2018").out
    assert "names_white-Garg_et_al_2018" in out
    assert "Caliskan" not in out
    assert "Garg" not in run("seeds", "list", "career*", "family*").out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--concept", "femal"], "Did you mean female"),
        (["--source", "population"], "Did you mean population-derived"),
        (["--study", "garg"], "Did you mean garg2018"),
        (["female_names_x"], "Did you mean female_names"),
    ],
)
def test_seeds_list_without_a_match_suggests_a_name(run, options, message):
    ran = run("seeds", "list", *options)
    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err


def test_seeds_concepts_counts_the_sets_of_each_concept(run):
    listed = rows(run("seeds", "concepts", "--format", "tsv").out)
    assert [row["concept"] for row in listed] == list(concepts())
    assert sum(int(row["sets"]) for row in listed) == 178


def test_seeds_show_fits_the_terminal_and_has_words_and_sources(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "72")
    ran = run("seeds", "show", "black-Manzini_et_al_2019")
    assert ran.code == 0
    assert max(map(len, ran.out.splitlines())) <= 72
    page = " ".join(ran.out.split())
    assert "black, african, black, africa, africa, africa" in page
    assert "Repeated: black (2 times), africa (3 times)" in page
    assert "doi:10.18653/v1/N19-1062" in page
    assert "https://github.com/TManzini" in page
    assert "borrowed-from-social-sciences: From psychology" in page
    assert "caucasian-Manzini_et_al_2019: paired word by word; Manzini et al. 2019, triples" in page
    assert "Sets of the same concept black-Kozlowski_et_al_2019, black-Rudinger_et_al_2017" in page


def test_seeds_show_masks_slurs_until_asked(run):
    id = "final_identities-Joseph_et_al_2017"
    (slur,) = [word for word in seeds(id).words if word.startswith("nig")]
    page = run("seeds", "show", id).out
    assert slur not in page
    assert "n****" in page
    assert "masked; --show-slurs prints the words in full." in " ".join(page.split())
    page = run("seeds", "show", id, "--show-slurs").out
    assert slur in page
    assert "masked" not in page
    assert slur in run("seeds", "show", id, "--format", "json").out
    assert slur in run("seeds", "export", id).out


def test_seeds_show_as_json_and_csv_has_every_word(run):
    record = json.loads(run("seeds", "show", FEMALE, "--format", "json").out)
    assert record["words"] == list(seeds(FEMALE).words)
    assert record["study"]["doi"] == "10.1126/science.aal4230"
    assert record["flags"] == []
    assert record["pairings"][0]["match"] == "parallel"
    listed = rows(run("seeds", "show", FEMALE, "--format", "csv").out, ",")
    assert listed[0] == {"set": FEMALE, "word": "sister", "slur": "False"}


def test_seeds_show_of_a_set_without_words_says_so(run):
    page = run("seeds", "show", "neutral-Park_et_al_2018").out
    assert "0 words" in page
    assert "does not list its words" in page


def test_seeds_show_writes_to_a_file(run, tmp_path):
    assert run("seeds", "show", FEMALE, "-o", tmp_path / "page").out == ""
    assert "daughter" in (tmp_path / "page").read_text()


def test_seeds_show_of_an_unknown_id_suggests_another(run):
    ran = run("seeds", "show", "female_1")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == (
        f"weatherglass: There is no seed set 'female_1' in the catalogue. Did you mean {FEMALE}?\n"
    )


@pytest.mark.parametrize("name", ["a.yaml", "a.json", "a.csv", "a.txt"])
def test_exported_seed_sets_can_be_read(run, tmp_path, name):
    ran = run("seeds", "export", FEMALE, "-o", tmp_path / name)
    assert (ran.code, ran.out) == (0, "")
    (again,) = load_seeds(tmp_path / name)
    assert again.words == seeds(FEMALE).words
    if name[2:] in ("yaml", "json"):
        assert again == seeds(FEMALE)


def test_several_seed_sets_are_exported_together(run, tmp_path):
    form = ("--format", "csv")
    ran = run("seeds", "export", "female_[12]-Caliskan*", "male-Manzini_et_al_2019", *form)
    listed = rows(ran.out, ",")
    assert len({row["set"] for row in listed}) == 3
    assert listed[-1] == {"set": "male-Manzini_et_al_2019", "concept": "male", "word": "uncle"}
    ran = run("seeds", "export", "female_*", "--format", "txt")
    assert (ran.code, ran.out) == (2, "")
    assert "A plain list holds one seed set" in ran.err
    assert run("seeds", "export").code == 2


def test_lint_reports_group_words_and_size(run):
    ran = run("seeds", "lint", "domestic_work-Fast_et_al_2016", "--format", "tsv")
    assert ran.code == 0
    by_check = {row["check"]: row for row in rows(ran.out)}
    assert by_check["group-words"]["words"] == "mom|mum"
    assert by_check["group-words"]["severity"] == "warning"
    assert by_check["group-words"]["place"] == "section 8, Imprecise Definitions"
    assert (by_check["size"]["value"], by_check["size"]["against"]) == ("41.0", "")


def test_lint_is_strict_when_asked(run, tmp_path):
    names = ("names_black-Garg_et_al_2018", "--against", "names_white-Garg_et_al_2018")
    assert run("seeds", "lint", *names).code == 0
    ran = run("seeds", "lint", *names, "--strict")
    assert ran.code == 1
    assert "They share 19 words" in " ".join(ran.out.split())
    assert ran.err == ""
    assert run("seeds", "lint", FEMALE, "--strict").code == 0  # it has only notes
    out = tmp_path / "lint.tsv"
    assert run("seeds", "lint", *names, "--strict", "--format", "tsv", "-o", out).code == 1
    assert "overlap" in out.read_text()


def test_lint_prints_findings_of_the_minimum_severity(run):
    ran = run("seeds", "lint", "black-Manzini_et_al_2019", "--least", "warning")
    page = " ".join(ran.out.split())
    assert "It contains 'black' 2 times, 'africa' 3 times; 3 of its 6 words are distinct." in page
    assert "note" not in page.split("2 warnings")[0]
    assert "Not run: unseen: there is no corpus." in page
    page = run("seeds", "lint", FEMALE, "--source", "default").out
    assert "fits least" in page
    assert "missing" not in page


def test_lint_json_has_all_findings_and_neighbours(run):
    ran = run(
        "seeds", "lint", FEMALE, "--source", "default", "--least", "error", "--format", "json"
    )
    record = json.loads(ran.out)
    assert record["measure"] == "lint"
    assert {finding["severity"] for finding in record["findings"]} == {"note"}
    assert record["source"]["name"] == "default"
    assert len(record["neighbours"]["sister"]) == 10
    listed = rows(run("seeds", "lint", FEMALE, "--format", "csv").out, ",")
    assert listed[0]["set"] == FEMALE


def test_lint_masks_slurs_in_the_table(run):
    id = "caucasian_roles-Manzini_et_al_2019"
    page = run("seeds", "lint", id).out
    assert "1 slur: 'r******'" in page
    assert "redneck" not in page
    assert "redneck" in run("seeds", "lint", id, "--show-slurs").out
    assert "redneck" in run("seeds", "lint", id, "--format", "tsv").out


def test_lint_checks_own_sets_with_a_corpus(run, tmp_path):
    sets, corpus = tmp_path / "weather.yaml", tmp_path / "days.txt"
    sets.write_text(
        "{fair: [sunny, mild, calm, bright, no], foul: [stormy, rainy, mild, bleak, on]}"
    )
    corpus.write_text("a calm and mild day\n" * 10 + "a stormy day\n")
    ran = run("seeds", "lint", sets, "--corpus", corpus, "--format", "tsv")
    assert ran.code == 0
    listed = rows(ran.out)
    (overlap,) = [row for row in listed if row["check"] == "overlap"]
    assert (overlap["set"], overlap["against"], overlap["words"]) == ("fair", "foul", "mild")
    unseen = {row["set"]: row["words"] for row in listed if row["check"] == "unseen"}
    assert unseen == {"fair": "sunny|bright|no", "foul": "stormy|rainy|bleak|on"}


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["female_1"], 2, "Did you mean female_1-Caliskan_et_al_2017"),
        (["no.yaml"], 2, "no.yaml"),
        ([FEMALE, "--source", "nothing-here"], 3, "nothing-here"),
        ([FEMALE, "--corpus", "nothing-here"], 3, "nothing-here"),
        ([FEMALE, "--against", "nothing-here"], 2, "nothing-here"),
        ([], 2, "ID|FILE"),
    ],
)
def test_wrong_lint_commands_get_a_sentence_and_an_exit_code(run, options, code, message):
    ran = run("seeds", "lint", *options)
    assert (ran.code, ran.out) == (code, "")
    assert message in ran.err


def test_seeds_help_has_a_complete_line_for_each_command(run):
    lines = run("seeds", "--help").out.splitlines()[1:]
    assert not [line for line in lines if line.endswith("...")]
    assert "Run a test under every documented choice of seed words." in " ".join(lines)
    assert "how much a result depends on them" in " ".join(run("--help").out.split())
