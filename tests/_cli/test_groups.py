"""``weatherglass groups``: tables, JSON and mistakes."""

import json
import random

import pytest

WOMEN, MEN = ("she", "woman", "wife"), ("he", "man", "husband")
HOME, WORK = ("house", "kitchen", "garden"), ("office", "money", "trade")
FAST = ("--dim", "6", "--min-count", "2", "--permutations", "199")


@pytest.fixture
def letters(tmp_path):
    rng = random.Random(0)
    rows = []
    for k in range(40):
        party = "DR"[k % 2]
        words = []
        for _ in range(10):
            is_woman = rng.random() < 0.5
            place = HOME if is_woman != (party == "R") else WORK
            words += [rng.choice(WOMEN if is_woman else MEN), rng.choice(place)]
            words += rng.choices(["the", "a", "of", "and", "was", "old", "new", "day"], k=5)
        rows.append(f"{' '.join(words)},{party},{1900 + k // 4}\n")
    path = tmp_path / "letters.csv"
    path.write_text("text,party,year\n" + "".join(rows))
    return path


@pytest.fixture
def mine(tmp_path):
    path = tmp_path / "mine.yaml"
    lists = [
        f"{name}: [{', '.join(words)}]"
        for name, words in zip("xyab", (WOMEN, MEN, HOME, WORK), strict=True)
    ]
    path.write_text("id: mine\n" + "\n".join(lists) + "\n")
    return path


def test_groups_are_compared_and_their_counts_are_printed(run, letters, mine):
    ran = run("groups", letters, "--by", "party", "--tests", mine, *FAST)
    assert ran.code == 0, ran.err
    assert "D − R" in ran.out
    assert "detectable" in ran.out
    assert "mine, clear: The association of she, woman" in ran.out
    groups = next(line for line in ran.out.splitlines() if line.split()[2:3] == ["D"])
    assert groups.split()[3:5] == ["20", "1,400"]


def test_a_formula_tests_each_column(run, letters, mine):
    ran = run(
        "groups", letters, "--formula", "party + year", "--tests", mine, *FAST, "--format", "json"
    )
    assert ran.code == 0, ran.err
    results = json.loads(ran.out)["results"]
    assert [result["column"] for result in results] == ["party", "year"]
    assert [result["grade"] for result in results] == ["clear", "none"]
    assert results[0]["p"]["value"] == 0.005


def test_conditions_and_chosen_groups_are_those_of_other_commands(run, letters, mine):
    line = ["groups", letters, "--by", "year", "--bins", "2", "--tests", mine, *FAST]
    ran = run(*line, "--where", "party=D", "--format", "json")
    assert ran.code == 0, ran.err
    (result,) = json.loads(ran.out)["results"]
    assert result["groups"] == ["1900-1904", "1905-1909"]
    assert result["options"]["where"] == "party=D"
    assert result["total"]["documents"] == 20


def test_a_table_for_a_paper_has_chosen_columns_and_the_publications_of_the_method(
    run, letters, mine, tmp_path
):
    refs = tmp_path / "refs.bib"
    line = ("groups", letters, "--by", "party", "--tests", mine, *FAST, "--format", "latex")
    ran = run(
        *line,
        "--columns",
        "difference,value,p",
        "--caption",
        "Letters",
        "--label",
        "tab:letters",
        "--bibtex",
        refs,
    )
    assert ran.code == 0, ran.err
    first, second = ran.out.split(r"\end{table}")[:2]
    assert r"\caption{Groups}" in first
    assert r"\label" not in first
    assert r"\caption{Letters}" in second
    assert r"\label{tab:letters}" in second
    assert r"difference & value & p \\" in second
    assert "khodak2018" in ran.out
    assert [key for key in ("khodak2018", "rodriguez2023") if key in refs.read_text()] == [
        "khodak2018",
        "rodriguez2023",
    ]
    ran = run(*line, "--columns", "difference,words")
    assert ran.code == 2
    assert "in several tables" in ran.err


def test_mistakes_are_one_sentence(run, letters, mine, tmp_path):
    ran = run("groups", letters, "--tests", mine)
    assert ran.code == 2
    assert "--by COLUMN" in ran.err
    ran = run("groups", letters, "--by", "party")
    assert ran.code == 2
    assert "--test ID" in ran.err
    ran = run("groups", letters, letters, "--by", "party", "--tests", mine)
    assert ran.code == 2
    assert "single corpus" in ran.err
    other = tmp_path / "other.yaml"
    other.write_text("{id: other, x: [emu, ibis], y: [yak, gnu], a: [house], b: [office]}\n")
    ran = run("groups", letters, "--by", "party", "--tests", other, *FAST)
    assert ran.code == 3
    assert "No test could be run" in ran.err
