import json

import weatherglass as wg


def test_agree_prints_correlations_beside_the_published_ones(run, glove840b):
    ran = run("agree", "default", glove840b, "--test", "wefat1")
    assert ran.code == 0
    line = next(line for line in ran.out.splitlines() if "0.81" in line)
    assert "0.88" in line
    assert "0.86" in line
    assert "'planner' -1.4" in ran.out
    assert "0.66 − 0.90" in ran.out


def test_agree_draws_a_matrix_for_several_sources(run, tmp_path, glove840b):
    out = tmp_path / "matrix.svg"
    ran = run("agree", "default", glove840b, "default", "--test", "weat6", "--plot", out)
    assert ran.code == 0
    assert "Pearson correlations" in ran.out
    assert "p Holm" in ran.out
    assert "agreement of 3 sources" in out.read_text(encoding="utf-8")


def test_agree_writes_results_that_can_be_read_back(run, glove840b):
    line = ["agree", "default", glove840b, "--test", "weat6", "--test", "wefat2"]
    ran = run(*line, "--format", "tsv", "--raw-cells")
    results = wg.Results.from_delimited(ran.out)
    assert [result.test for result in results] == ["weat6", "wefat2"]
    ran = run("agree", "default", glove840b, "--test", "weat6", "--format", "json")
    assert json.loads(ran.out)["results"][0]["measure"] == "agree"


def test_agree_names_words_that_a_source_lacks(run, glove840b):
    ran = run("agree", "default", glove840b, "--test", "weat1")
    assert "default lacks 'gladiola'." in ran.out


def test_a_wrong_agree_command_says_what_to_name(run):
    assert "two sources" in run("agree", "default", "--test", "weat6").err
    assert "--test" in run("agree", "default", "default").err
    ran = run("agree", "default", "default", "--test", "sent-weat6")
    assert ran.code != 0
    assert "No test could be run" in ran.err


def test_the_catalogue_shows_the_published_agreement(run):
    ran = run("catalog", "show", "wefat1")
    assert "Pearson 0.88, Spearman 0.86" in ran.out
