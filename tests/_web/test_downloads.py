"""Exports of an answer: each file reproduces the same numbers."""

from __future__ import annotations

import csv
import io
import subprocess
import sys

import pytest

import weatherglass as wg

QUESTION = {
    "source": "tiny.txt",
    "x": "rose lily tulip daisy",
    "y": "wasp gnat moth flea",
    "a": "kind good",
    "b": "foul bad",
    "x_name": "Flowers",
}


def test_the_downloaded_test_is_read_by_the_library(client, tmp_path):
    answer = client.get("/ask/download.yaml", params=QUESTION)
    assert "attachment" in answer.headers["content-disposition"]
    path = tmp_path / "mine.yaml"
    path.write_bytes(answer.content)
    (test,) = wg.load_tests(path)
    assert test.x.words == ("rose", "lily", "tulip", "daisy")
    assert test.x.label == "Flowers"


def test_words_that_look_like_other_yaml_values_stay_words(client, tmp_path):
    odd = QUESTION | {"x": 'no "a: b" null #x "\\u0041"', "y": "on 1e5 ~ {", "missing": "1"}
    answer = client.get("/ask/download.yaml", params=odd)
    path = tmp_path / "mine.yaml"
    path.write_bytes(answer.content)
    (test,) = wg.load_tests(path)
    assert test.x.words == ("no", "a: b", "null", "#x", "\\u0041")
    assert test.y.words == ("on", "1e5", "~", "{")


@pytest.mark.slow
@pytest.mark.parametrize(
    "question", [QUESTION, {"source": "default", "test": "weat7", "alternative": "two-sided"}]
)
def test_the_downloaded_script_prints_the_same_numbers(client, question):
    (result,) = client.get("/api/ask", params=question).json()["results"]
    script = client.get("/ask/download.py", params=question).text
    done = subprocess.run(
        [sys.executable, "-"], input=script, capture_output=True, text=True, check=True
    )
    numbers, finding = done.stdout.splitlines()
    _, effect, p, method = numbers.rsplit(maxsplit=3)
    assert float(effect) == result["effect"]
    assert float(p) == result["p_two_sided"]["value"]
    assert method == result["p"]["method"]
    assert finding == f"{result['grade']}: {result['finding']}"


def test_the_downloaded_table_has_the_numbers_and_no_json(client):
    (result,) = client.get("/api/ask", params=QUESTION).json()["results"]
    answer = client.get("/ask/download.csv", params=QUESTION)
    (row,) = csv.DictReader(io.StringIO(answer.text))
    assert float(row["effect_size"]) == result["effect"]
    assert float(row["p_value"]) == result["p"]["value"]
    assert "record" not in row


def test_the_downloaded_chart_is_an_svg_file_with_every_set(client):
    answer = client.get("/ask/picture.svg", params=QUESTION)
    assert answer.headers["content-type"] == "image/svg+xml"
    assert "attachment" in answer.headers["content-disposition"]
    assert answer.text.startswith("<svg")
    assert "Flowers" in answer.text
    assert ": effect " in answer.text
    assert f"tiny.txt. Weatherglass {wg.__version__}" in answer.text


def test_the_chart_of_a_test_that_was_not_run_is_refused(client):
    answer = client.get("/ask/picture.json", params=QUESTION | {"x": "qwerty asdf"})
    assert answer.status_code == 422
    assert "nothing to draw" in answer.json()["error"]
