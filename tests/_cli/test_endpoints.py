"""Endpoints on the command line: which model answers, the cache, and what would be sent."""

import json

import numpy as np
import pytest

from weatherglass.encoders.http import CANARIES

from ..endpoint import Server, named_row

POLICY = "rules: [{tests: [weat6], effect: 1.99}]\n"
SUITE = """
id: mine
title: One test
steps:
  - {run: seat, title: Association tests, tests: [weat6]}
"""


@pytest.fixture
def server(cache_folder):
    with Server.started() as server:
        server.row = named_row
        yield server


@pytest.fixture
def suite(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text(SUITE)
    return path


def measured(server):
    """Return the sentences that were sent beyond the canaries."""
    return [text for text in server.sentences if text not in CANARIES]


def effect(ran):
    return json.loads(ran.out)["results"][0]["associations"]["X"]


def test_a_check_measures_the_model_that_answers_now(run, server, tmp_path):
    policy = tmp_path / "p.yaml"
    policy.write_text(POLICY)
    line = ["check", server.url, "--policy", policy, "--format", "json"]
    first = json.loads(run(*line).out)
    server.row = lambda text: named_row(text, "Amy", "John")
    second = json.loads(run(*line).out)
    assert first["sources"][0]["fingerprint"] != second["sources"][0]["fingerprint"]
    verdicts = [
        [v for v in record["verdicts"] if v["test"] == "weat6"] for record in (first, second)
    ]
    assert verdicts[0] != verdicts[1]


def test_no_cache_encodes_every_sentence_anew_and_keeps_none(run, server, cache_folder):
    line = ["seat", server.url, "--test", "weat6", "--format", "json"]
    fresh = run(*line, "--no-cache")
    assert not list(cache_folder.rglob("*.npz"))
    kept = run(*line)
    server.requests.clear()
    again = run(*line)
    assert measured(server) == []
    assert effect(fresh) == effect(kept) == effect(again)
    run(*line, "--no-cache")
    assert len(measured(server)) == 72  # 32 words and 40 unrelated ones


def test_the_cache_of_one_source_is_cleared_by_its_name(run, server, cache_folder):
    for name in (server.url, f"{server.url}?model=b"):
        run("seat", name, "--test", "weat6")
    assert run("cache", "clear", server.url).code == 0
    assert server.url not in [row["source"] for row in listed(run)]
    assert f"{server.url}?model=b" in [row["source"] for row in listed(run)]
    ran = run("cache", "clear", f"{server.url}?model=c")
    assert ran.code == 2
    assert "The cache has nothing of" in ran.err


def listed(run):
    return json.loads(run("cache", "list", "--format", "json").out)


def test_repeating_an_audit_asks_the_endpoint_again(run, server, tmp_path, suite):
    out = tmp_path / "run"
    assert run("audit", server.url, "--suite", suite, "-o", out).code == 0
    server.requests.clear()
    ran = run("audit", "--repeat", out)
    assert "The same: 1 results" in ran.out
    assert len(measured(server)) >= 72  # also those that show whether the source is sound
    rng = np.random.default_rng(0)
    server.row = lambda text: (np.array(named_row(text)) + 0.01 * rng.standard_normal(7)).tolist()
    ran = run("audit", "--repeat", out)
    assert ran.code != 0
    assert "The numbers differ" in ran.err


def test_random_answers_fail_every_command_as_not_deterministic(run, server, tmp_path, suite):
    rng = np.random.default_rng(0)
    server.row = lambda text: rng.standard_normal(7).tolist()
    policy = tmp_path / "p.yaml"
    policy.write_text(POLICY)
    for line in (
        ["seat", server.url, "--test", "weat6"],
        ["check", server.url, "--policy", policy],
        ["audit", server.url, "--suite", suite, "-o", tmp_path / "run"],
    ):
        ran = run(*line)
        assert ran.code != 0
        assert "is not deterministic" in ran.out + ran.err


def test_a_noisy_endpoint_is_named_below_the_table_and_in_the_report(run, server, tmp_path, suite):
    rng = np.random.default_rng(0)
    server.row = lambda text: (np.array(named_row(text)) + 0.01 * rng.standard_normal(7)).tolist()
    assert "is not deterministic" in run("seat", server.url, "--test", "weat6").out
    run("audit", server.url, "--suite", suite, "-o", tmp_path / "run")
    assert "is not deterministic" in (tmp_path / "run" / "report.html").read_text()


@pytest.mark.parametrize("options", ["", "?batch_size=5", "?batch_size=7&concurrency=3"])
def test_a_dry_run_counts_exactly_what_is_sent_and_sends_nothing(run, server, options):
    name = server.url + options
    line = ["seat", name, "--test", "weat6", "--test", "sent-weat6", "--format", "json"]
    (count,) = json.loads(run(*line, "--dry-run").out)
    assert server.requests == []
    run(*line)
    assert count["requests"] == len(server.requests)
    assert count["sentences"] == len(server.sentences)
    assert count["characters"] == sum(map(len, server.sentences))


def test_dry_runs_of_audits_and_policies_count_the_same_tests(run, server, tmp_path, suite):
    policy = tmp_path / "p.yaml"
    policy.write_text(POLICY)
    lines = (
        ["seat", server.url, "--test", "weat6"],
        ["check", server.url, "--policy", policy],
        ["audit", server.url, "default", "--suite", suite],
    )
    for line in lines:
        ran = run(*line, "--dry-run")
        assert ran.code == 0
        assert ran.out.split()[-4:] == [server.url, "96", "1070", "4"]
    assert "None of the sources is an encoder" in run("audit", "--dry-run").out
    assert server.requests == []
