"""``weatherglass catalog`` as a user meets it."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from weatherglass._cli.main import main
from weatherglass.catalog import Test, test

NAMES = [f"weat{n}" for n in range(1, 11)]


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = 0
    try:
        main(["catalog", *arguments])
    except SystemExit as stop:
        code = int(stop.code or 0)
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_catalog_list_has_every_test_with_its_published_number(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, out, _ = run(capsys, "list")
    assert code == 0
    assert all(f" {name} " in out for name in (*NAMES, "wefat1", "wefat2"))
    assert "d = 1.50" in out
    assert "r = 0.84" in out


def test_catalog_list_as_json_and_tsv_has_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    rows = json.loads(run(capsys, "list", "weat[1-9]", "weat10", "--format", "json")[1])
    assert [row["id"] for row in rows] == NAMES
    assert rows[2]["published"] == 1.41
    out = run(capsys, "list", "weat*@word2vec", "--format", "tsv")[1]
    rows = list(csv.DictReader(out.splitlines(), delimiter="\t"))
    assert rows[8]["id"] == "weat9@word2vec"
    assert rows[9]["published"] == "-0.08"


def test_catalog_list_can_be_limited_to_sentence_tests(capsys: pytest.CaptureFixture[str]) -> None:
    rows = json.loads(run(capsys, "list", "--level", "sentence", "--format", "json")[1])
    assert {row["level"] for row in rows} == {"sentence"}
    assert len(rows) == 27


def test_catalog_list_without_a_match_suggests_an_id(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "list", "waet6")
    assert (code, out) == (2, "")
    assert "Did you mean weat6" in err


def test_catalog_show_fits_the_terminal_and_has_words_and_sources(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "72")
    code, out, _ = run(capsys, "show", "weat4")
    assert code == 0
    assert max(map(len, out.splitlines())) <= 72
    assert "X  European American names (16 words, Bertrand & Mullainathan 2004)" in out
    assert "left out: Jay, Kristen" in out
    assert "glove-840b: d = 1.50, p <= 1e-4" in out
    assert "doi:10.1126/science.aal4230" in out
    assert "weat4@word2vec, weat4@full" in out


def test_catalog_show_prints_the_facts_of_a_factual_test(
    capsys: pytest.CaptureFixture[str],
) -> None:
    _, out, _ = run(capsys, "show", "wefat1")
    assert "receptionist 90.6" in " ".join(out.split())
    assert "Bureau of Labor Statistics" in out
    assert "r = 0.90, p < 1e-18" in out


def test_catalog_show_as_json_is_a_test_that_can_be_loaded(
    capsys: pytest.CaptureFixture[str],
) -> None:
    record = json.loads(run(capsys, "show", "weat9@word2vec", "--format", "json")[1])
    assert Test.model_validate(record) == test("weat9@word2vec")
    assert record["published"][0]["p_bound"] == 0.01
    out = run(capsys, "show", "weat4", "--format", "csv")[1]
    rows = list(csv.DictReader(out.splitlines()))
    assert {"set": "X", "label": "European American names", "word": "Jay", "used": "False"} in rows
    rows = list(csv.DictReader(run(capsys, "show", "wefat2", "--format", "csv")[1].splitlines()))
    assert float(rows[0]["fact"]) == pytest.approx(81.79, abs=0.005)


def test_catalog_show_prints_sentences_with_their_words(capsys: pytest.CaptureFixture[str]) -> None:
    out = " ".join(run(capsys, "show", "sent-weat2")[1].split())
    assert "X Instruments (330 sentences, Greenwald et al. 1998)" in out
    assert "This is a bagpipe. That is a bagpipe." in out
    assert "left out: The bagpipe is there. These are bagpipes." in out
    assert "Y: The published list has knifes as the plural of knife. Here: These are knives." in out
    out = run(capsys, "show", "sent-weat9", "--format", "tsv")[1]
    rows = list(csv.DictReader(out.splitlines(), delimiter="\t"))
    assert rows[0]["word"] == "This is sad."
    assert rows[0]["origin"] == "sad"
    record = json.loads(run(capsys, "show", "sent-weat9", "--format", "json")[1])
    assert Test.model_validate(record) == test("sent-weat9")


def test_catalog_sentences_prints_the_sentences_of_words(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    code, out, err = run(capsys, "sentences", "gentle", "she", "--format", "csv")
    assert (code, err) == (0, "")
    rows = list(csv.DictReader(out.splitlines()))
    assert len(rows) == 8
    assert rows[0] == {"word": "gentle", "sentence": "This is gentle."}
    assert "An hourglass is a thing." in run(capsys, "sentences", "hourglass", "--kind", "noun")[1]
    file = tmp_path / "mine.csv"
    file.write_text("word,kind,plural\nox,noun,oxen\n")
    assert "These are oxen." in run(capsys, "sentences", "ox", "--annotations", str(file))[1]


def test_sentences_of_an_unknown_word_need_a_kind(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "sentences", "gizmo")
    assert (code, out) == (2, "")
    assert err.startswith(
        "weatherglass: The kind of 'gizmo' is not known. Give it with kind='noun'"
    )
    assert "--kind noun" in err
    code, _, err = run(capsys, "sentences", "gizmo", "--kind", "nuon")
    assert code == 2
    assert "The kind is 'nuon'; one of these was expected: name, person" in err
    assert run(capsys, "sentences")[0] == 2


def test_catalog_kinds_lists_kinds_with_their_number_of_sentences(
    capsys: pytest.CaptureFixture[str],
) -> None:
    rows = json.loads(run(capsys, "kinds", "--format", "json")[1])
    assert {"kind": "noun", "sentences": 14}.items() <= rows[3].items()


def test_catalog_show_writes_to_a_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for form in ("table", "json"):
        path = tmp_path / form
        code, out, _ = run(capsys, "show", "weat1", "--format", form, "-o", str(path))
        assert (code, out) == (0, "")
        assert "zinnia" in path.read_text(encoding="utf-8")


def test_catalog_show_of_an_unknown_id_suggests_another(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "show", "waet6")
    assert (code, out) == (2, "")
    assert err.startswith("weatherglass: There is no test 'waet6' in the catalogue. Did you mean")


def test_validate_prints_each_problem_and_exits_with_1(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    good, bad = tmp_path / "good.yaml", tmp_path / "bad.yaml"
    good.write_text("{x: [no], y: [yes], a: [on], b: [off]}")
    bad.write_text("tests: {p: {x: [no, no], y: [yes], a: [on]}, q: {x: [a], y: [a]}}")
    code, out, err = run(capsys, "validate", str(good))
    assert (code, err) == (0, "")
    assert "good is a well-formed association test (X 1, Y 1, A 1, B 1)." in out
    code, out, err = run(capsys, "validate", str(good), str(bad), str(tmp_path / "none.yaml"))
    assert code == 1
    assert "good is a well-formed" in out
    lines = err.splitlines()
    assert f"{bad}: test 'p': x has the duplicate 'no'." in lines
    assert f"{bad}: test 'p': b is missing." in lines
    assert f"{tmp_path / 'none.yaml'}: no such file or folder." in lines
    assert lines[-1] == f"weatherglass: {len(lines) - 1} problems found."


def test_validate_makes_control_characters_visible(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    bad = tmp_path / "bad.json"
    bad.write_text(json.dumps({"x": ["\x1b[31m"] * 2, "y": ["\x9b"], "a": ["c"], "b": ["d"]}))
    _, out, err = run(capsys, "validate", str(bad))
    assert "\\x1b[31m" in err
    assert "\x1b" not in out + err


def test_validate_needs_a_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "validate")[0] == 2
