"""``weatherglass seat``: tables, files, charts and mistakes."""

import json

import pytest

import weatherglass as wg


def test_sentence_tests_have_the_p_value_of_the_word_test_too(run):
    ran = run("seat", "cbow:default", "--test", "weat6", "--test", "sent-weat6", "--format", "json")
    assert ran.code == 0
    word, sentence = json.loads(ran.out)["results"]
    assert (word["level"], sentence["level"]) == ("word", "sentence")
    assert sentence["p"]["value"] < sentence["p_by_word"]["value"] == word["p"]["value"]


def test_the_seat_table_marks_p_values_that_are_significant_after_correction(run):
    ran = run("seat", "cbow:default", "--test", "*weat6", "--alpha", "0.01")
    assert "7.8e-05 *" in ran.out
    assert "p Holm" in ran.out
    assert "p sentences" in ran.out
    assert "weat6, sent-weat6, clear: Male names are more strongly associated with" in ran.out


@pytest.mark.slow
def test_seat_prints_the_interval_over_other_words_and_templates_on_request(run):
    line = ["seat", "cbow:default", "--test", "sent-weat6"]
    over = "other words in all four sets and other templates"
    assert over not in run(*line).out
    assert over in run(*line, "--intervals").out


def test_seat_runs_one_level_and_writes_a_chart_and_a_table(run, tmp_path):
    pytest.importorskip("altair", reason="needs the extra 'plots'")
    chart = tmp_path / "matrix.svg"
    line = ["seat", "cbow:default", "--test", "*weat[67]", "--level", "sentence"]
    assert run(*line, "--plot", chart, "--format", "tsv", "-o", tmp_path / "r.tsv").code == 0
    assert "sent-weat6" in chart.read_text()
    rows = (tmp_path / "r.tsv").read_text().splitlines()
    assert len(rows) == 3
    assert rows[0].startswith(
        "model\toptions\ttest\tp_value\teffect_size\tnum_targ1\tnum_targ2\tnum_attr1\tnum_attr2"
    )


@pytest.mark.parametrize(
    ("line", "code", "says"),
    [
        (["cbwo:default"], 3, "cbow"),
        (["cbow:nowhere.txt"], 3, "nowhere.txt"),
        (["cbow:default", "--test", "weat6", "--level", "sentence"], 2, "level sentence"),
        (["cbow:default", "--test", "sent-waet6"], 2, "Did you mean sent-weat6"),
        (["cbow:default", "--alpha", "nan"], 2, "not a share"),
        (["cbow:default", "--annotations", "x.csv"], 2, "--sentences"),
        (["http://[::1/v1"], 2, "is not an address"),
        ([], 2, "Missing argument"),
    ],
)
def test_wrong_seat_commands_get_a_sentence_and_an_exit_code(run, line, code, says):
    ran = run("seat", *line)
    assert ran.code == code, ran.err
    assert says in ran.err


def test_repeated_encoders_and_tests_are_run_once(run):
    line = ["seat", "cbow:default", "cbow:default", "--test", "weat6", "--test", "sent-weat6"]
    ran = run(*line, "--sentences", "--format", "json")
    assert [result["test"] for result in json.loads(ran.out)["results"]] == ["sent-weat6"]


def test_the_api_key_of_an_endpoint_is_never_printed(run, monkeypatch):
    monkeypatch.setenv("WEATHERGLASS_API_KEY", "SECRET\x01KEY")
    monkeypatch.setenv("WEATHERGLASS_API_HOST", "127.0.0.1:9")
    ran = run("seat", "http://127.0.0.1:9/v1", "--test", "weat6")
    assert ran.code == 2
    assert "SECRET" not in ran.err + ran.out


def test_results_of_other_encoders_are_printed_if_one_fails(run):
    ran = run("seat", "cbow:default", "cbow:nowhere.txt", "--test", "weat6")
    assert ran.code == 3
    assert "7.8e-05" in ran.out
    assert "nowhere.txt" in ran.err
    assert "1 of 2 encoders" in ran.err


def test_long_names_of_encoders_do_not_wrap_every_row(run, tmp_path):
    long = tmp_path / f"{'a-long-name-' * 5}of-vectors.txt"
    source = wg.open_vectors("default").subset(
        word.lower() for words in wg.test("weat6").sets.values() for word in words.words
    )
    rows = zip(source.words, source.matrix, strict=True)
    text = "".join(f"{word} {' '.join(map(str, row))}\n" for word, row in rows)
    long.write_text(text, encoding="utf-8")
    other = long.with_name(f"{'another-name-' * 5}of-vectors.txt")
    other.write_text(text, encoding="utf-8")
    alone = run("seat", f"cbow:{long}", "--test", "weat6").out
    assert alone.startswith(f"SEAT on cbow:{long}, each word counted once")
    assert [line for line in alone.splitlines() if line.startswith("  weat6   1.71")]
    both = run("seat", f"cbow:{long}", f"cbow:{other}", "--test", "weat6").out
    assert len([line for line in both.splitlines() if "   weat6   1.71" in line]) == 2
    assert f"encoder 1: cbow:{long}" in both
    assert f"encoder 2: cbow:{other}" in both


def test_the_papers_nine_columns_are_written_and_read_back_and_drawn(run, tmp_path):
    first = tmp_path / "results.tsv"
    line = ["seat", "cbow:default", "--test", "weat6", "--p", "paper"]
    assert run(*line, "--results-tsv", first, "--matrix", tmp_path / "m.json").code == 0
    assert "cbow:default" in (tmp_path / "m.json").read_text()
    table = wg.SeatTable.read(first)
    assert [row.test for row in table.rows] == ["weat6"]
    again = tmp_path / "again.tsv"
    ran = run("seat", "--add-results", first, "--results-tsv", again)
    assert ran.code == 0
    assert "1 of 1 results are significant at 0.01" in ran.out
    assert wg.SeatTable.read(again) == table


def test_seat_needs_an_encoder_or_rows_of_a_file(run, tmp_path):
    ran = run("seat")
    assert ran.code == 2
    assert "--add-results" in ran.err
    (tmp_path / "bad.tsv").write_text("model\n")
    ran = run("seat", "--add-results", tmp_path / "bad.tsv")
    assert ran.code != 0
    assert "no column options" in ran.err
