"""Exit codes: 1 a rule is violated or a check found a problem, 2 a wrong command, 3 no result."""

import pytest

from weatherglass._cli import main as entry

POLICY = "rules: [{tests: [weat6], effect: 1.0}]\n"
SETS = ["--set", "X=nurse,doctor", "--set", "A=he,him", "--set", "B=she,her"]
ON_A_SOURCE = {
    "agree": ["agree", "SOURCE", "default", "--test", "weat6"],
    "audit": ["audit", "SOURCE", "--suite", "quick", "-o", "run"],
    "ceat": ["ceat", "cbow:SOURCE", "--corpus", "corpus.txt", "--test", "weat6"],
    "check": ["check", "SOURCE", "--policy", "policy.yaml"],
    "discover": ["discover", "SOURCE"],
    "measure": ["measure", "SOURCE", "mac", *SETS],
    "multiverse": ["seeds", "multiverse", "SOURCE", "--test", "weat6"],
    "seat": ["seat", "cbow:SOURCE", "--test", "weat6"],
    "weat": ["weat", "SOURCE", "--test", "weat6"],
    "wefat": ["wefat", "SOURCE"],
}


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "policy.yaml").write_text(POLICY)
    (tmp_path / "corpus.txt").write_text("the rain in spain\n" * 20)
    (tmp_path / "three.txt").write_text("the 1 0 2\nof 0 1 1\nand 1 1 3\n")
    return tmp_path


@pytest.mark.parametrize("source", ["nowhere.txt", "three.txt"])
@pytest.mark.parametrize("name", ON_A_SOURCE)
def test_a_source_that_cannot_be_opened_or_has_no_word_gives_3(run, here, name, source):
    ran = run(*(word.replace("SOURCE", source) for word in ON_A_SOURCE[name]))
    assert ran.code == 3, ran.err
    assert ran.err.startswith("weatherglass: ")
    assert "Traceback" not in ran.err


@pytest.mark.parametrize("name", ON_A_SOURCE)
def test_an_unknown_option_gives_2(run, here, name):
    assert run(*ON_A_SOURCE[name], "--no-such-option").code == 2


@pytest.mark.parametrize(
    "line",
    [
        ["weat", "default", "--test", "waet6"],
        ["weat", "default", "--tests", "bad.yaml"],
        ["check", "default", "--policy", "bad.yaml"],
        ["audit", "default", "--suite", "bad.yaml"],
        ["catalog", "show", "waet6"],
    ],
)
def test_a_wrong_name_or_a_wrong_file_of_tests_gives_2(run, here, line):
    (here / "bad.yaml").write_text("nonsense: [1, 2]\n")
    assert run(*line).code == 2


@pytest.mark.parametrize(
    "line",
    [
        ["check", "default", "--policy", "policy.yaml"],
        ["catalog", "validate", "bad.yaml"],
        ["seeds", "lint", "sets.yaml", "--strict"],
    ],
)
def test_a_violation_or_a_problem_that_a_check_found_gives_1(run, here, line):
    (here / "bad.yaml").write_text("{x: [a, a], y: [b], a: [c]}\n")
    (here / "sets.yaml").write_text("bad: [man, man]\n")
    ran = run(*line)
    assert ran.code == 1, ran.err


def test_a_defect_of_the_program_is_not_taken_for_a_violation(monkeypatch, capsys, here):
    def fail(*arguments, **options):
        raise ZeroDivisionError("a defect")

    monkeypatch.setattr("weatherglass.auditing.load_policy", fail)
    with pytest.raises(SystemExit) as exit:
        entry.main(["check", "default", "--policy", "policy.yaml"])
    assert exit.value.code == 3
    assert "ZeroDivisionError: a defect" in capsys.readouterr().err
