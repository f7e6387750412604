"""The command that says which effects a test can find."""

import json

import pytest


def test_power_of_a_test_names_the_smallest_detectable_effect(run):
    ran = run("power", "weat10", "default", "--effect", "0.9")
    assert ran.code == 0
    assert "17+17" in ran.out
    assert "With 8+8 words this test detects effect sizes of 1.20 or more (80 % power)." in ran.out


def test_power_of_set_sizes_needs_no_source(run):
    ran = run("power", "--n", "3,3", "--alternative", "two-sided", "--format", "json")
    record = json.loads(ran.out)
    assert record["smallest_p"] == pytest.approx(0.1)
    assert record["detectable"] is None


def test_power_of_a_factual_test_is_about_correlations(run):
    ran = run("power", "--n", "50")
    assert "detectable correlation" in ran.out


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (["power"], "Name a test and a source"),
        (["power", "weat6"], "Name a source too"),
        (["power", "--n", "many"], "expected two numbers"),
        (["power", "weat6", "default", "--n", "8,8"], "Name a test and a source"),
    ],
)
def test_wrong_arguments_of_power_are_refused_with_a_sentence(run, line, says):
    ran = run(*line)
    assert ran.code == 2
    assert says in ran.err
