"""A study of German texts, from TEI to a finding: umlauts, capitals, checks that know German."""

import json

import numpy as np
import pytest

SETS = {
    "Frauen": ["Frau", "Mutter", "Tochter", "Schwester", "Mädchen", "Tante"],
    "Männer": ["Mann", "Vater", "Sohn", "Bruder", "Junge", "Onkel"],
    "Heim": ["Küche", "Haus", "Gärten", "Kinder"],
    "Beruf": ["Büro", "Geschäft", "Straße", "Fabrik"],
}
CONTEXTS = {"Heim": ["gemütlich", "früh", "schön"], "Beruf": ["öffentlich", "spät", "größer"]}
TEI = (
    '<TEI xmlns="http://www.tei-c.org/ns/1.0" {attribute}><teiHeader><fileDesc><titleStmt>'
    "<title>Band {number}</title></titleStmt></fileDesc>{usage}</teiHeader><text><body><p>{text}"
    "</p></body></text></TEI>"
)


def sentence(noun, side):
    first, second, third = CONTEXTS[side]
    return f"{first.capitalize()} war {noun}, {second} und {third}."


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """A folder of TEI files in which women are at home and men at work."""
    folder = tmp_path_factory.mktemp("romane")
    rng = np.random.default_rng(0)
    for number in range(30):
        lines = []
        for _ in range(40):
            side, other = ("Heim", "Beruf") if rng.random() < 0.5 else ("Beruf", "Heim")
            people = "Frauen" if side == "Heim" else "Männer"
            where = side if rng.random() < 0.9 else other
            lines.append(sentence(str(rng.choice(SETS[people])), where))
            lines.append(sentence(str(rng.choice(SETS[side])), side))
        # Either way to state the language of a text in TEI.
        attribute = 'xml:lang="de-DE"' if number % 2 else ""
        usage = '<profileDesc><langUsage><language ident="deu"/></langUsage></profileDesc>'
        text = TEI.format(
            attribute=attribute,
            number=number,
            usage="" if number % 2 else usage,
            text=" ".join(lines),
        )
        (folder / f"{number:02}.xml").write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("eigene")
    seeds = {"seeds": {name: {"concept": name, "words": words} for name, words in SETS.items()}}
    (folder / "seeds.json").write_text(json.dumps(seeds))
    test = {
        letter: {"label": name, "words": words}
        for letter, (name, words) in zip("xyab", SETS.items(), strict=True)
    }
    (folder / "test.json").write_text(json.dumps({"id": "heim", "language": "German"} | test))
    return folder


@pytest.fixture(scope="module")
def models(corpus, tmp_path_factory):
    from weatherglass.corpus import train

    folder = tmp_path_factory.mktemp("modelle") / "models"
    train(corpus, folder, method="ppmi-svd", dim=8, bootstrap=2, min_count=3, workers=1)
    return folder


def test_the_language_is_taken_from_tei_and_stored_with_the_models(models, corpus, run, tmp_path):
    assert json.loads((models / "train.json").read_text())["language"] == "de"
    line = ["train", corpus, "-o", tmp_path / "m", "--method", "ppmi-svd", "--dim", 4]
    ran = run(*line, "--min-count", 3, "--workers", 1, "--language", "French")
    assert ran.code == 0
    assert "the metadata state German, and you state French, which is used" in ran.err
    assert json.loads((tmp_path / "m" / "train.json").read_text())["language"] == "fr"


def test_german_nouns_are_no_names_and_group_words_are_not_english(run, files, corpus):
    assert "names of people" in run("seeds", "lint", files / "seeds.json").out  # as English
    for line in (["--language", "de"], ["--corpus", corpus]):
        ran = run("seeds", "lint", files / "seeds.json", *line)
        assert ran.code == 0
        assert "names of people" not in ran.out
        assert "for a group of people" not in ran.out
        assert "proper nouns" not in ran.out
        assert "Language: German, as" in ran.out
        assert (
            "Not run: names, slurs, group-words, other-concepts, circular: the lists of words that "
            "it needs are English, and the words are German." in " ".join(ran.out.split())
        )


def test_frequencies_are_those_of_the_language(run, files):
    pytest.importorskip("wordfreq", reason="needs the extra 'frequencies'")
    ran = run("seeds", "lint", files / "seeds.json", "--language", "de", "--format", "json")
    linted = json.loads(ran.out)
    assert linted["options"]["language"] == "de"
    found = {finding["check"] for finding in linted["findings"]}
    assert "rare" not in found  # as English words nearly all would be
    assert "by wordfreq in German" in ran.out
    unknown = run("seeds", "lint", files / "seeds.json", "--language", "yor")
    assert "no frequencies of words in the language yor" in " ".join(unknown.out.split())


def test_checks_that_do_not_know_a_language_are_not_run_and_say_so(run, files):
    ran = run("seeds", "lint", files / "seeds.json", "--language", "yor")
    text = " ".join(ran.out.split())
    assert "Language: the language yor, as you state." in text
    assert "no tagger of the language yor" in text
    wrong = run("seeds", "lint", files / "seeds.json", "--language", "Germn")
    assert (wrong.code, "Did you mean german" in wrong.err) == (2, True)


def test_lint_knows_the_language_of_the_corpus_that_vectors_were_trained_on(run, files, models):
    ran = run("seeds", "lint", files / "seeds.json", "--source", models)
    assert f"Language: German, as the folder of {models} states." in " ".join(ran.out.split())


def test_weat_finds_german_words_and_keeps_the_capitals_of_labels(run, files, models):
    source = models / "full.parquet"
    ran = run("weat", source, "--tests", files / "test.json", "--no-baseline")
    assert ran.code == 0
    assert "Warning" not in ran.out
    assert (
        "Frauen words are more strongly associated with Heim words, rather than Beruf words, than "
        "Männer words are." in " ".join(ran.out.split())
    )
    english = run("weat", source, "--test", "weat6", "--no-baseline", "--format", "json")
    (result,) = json.loads(english.out)["results"]
    assert result["source"]["language"] == "de"
    (warning,) = result["source"]["warnings"]
    assert warning.startswith("the words of weat6 are English, but the vectors are of German text")


def test_neighbours_are_looked_up_as_weat_looks_words_up(run, models):
    source = models / "full.parquet"
    ran = run("vectors", "neighbours", source, "Mädchen", "-n", 3)
    assert ran.code == 0
    assert run("vectors", "neighbours", source, "mädchen", "-n", 3).out == ran.out
    kept = run("vectors", "neighbours", source, "Mädchen", "--case", "keep")
    assert (kept.code, "Did you mean mädchen?" in kept.err) == (3, True)
    typo = run("vectors", "neighbours", source, "Maedchen")
    assert (typo.code, "Did you mean mädchen?" in typo.err) == (3, True)


def test_discovery_uses_words_with_umlauts_of_german_vectors(run, models, tmp_path):
    names = tmp_path / "names.csv"
    names.write_text("name,group\nFrau,w\nMutter,w\nMann,m\nVater,m\n")
    line = ["discover", models / "full.parquet", "--names", names, "--categories", 1, "--words", 30]
    line += ["--rotations", 19, "--control", "none", "--keep-names", 1, "--per-cell", 1]
    ran = run(*line, "--workers", 1, "--format", "json")
    assert "of German text, so words of any letters are used" in ran.err
    words = json.loads(ran.out)["words"]["used"]
    english = run(*line, "--workers", 1, "--format", "json", "--alphabet", "english")
    assert json.loads(english.out)["words"]["used"] < words


def test_own_sets_without_a_language_are_checked_as_english_and_lint_says_so(run, tmp_path):
    (tmp_path / "mine.txt").write_text("sun\nrain\n")
    ran = run("seeds", "lint", tmp_path / "mine.txt")
    assert "Language: not stated, so the words were checked as English" in " ".join(ran.out.split())
    assert "Language" not in run("seeds", "lint", "female_1-Caliskan_et_al_2017").out
