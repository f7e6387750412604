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


@pytest.mark.parametrize("fault", ["dead", "random", "refused"])
def test_a_check_of_an_endpoint_that_cannot_be_used_writes_all_files(run, server, tmp_path, fault):
    rng = np.random.default_rng(0)
    name = "http://127.0.0.1:9?deadline=1" if fault == "dead" else server.url
    if fault == "random":
        server.row = lambda text: rng.standard_normal(7).tolist()
    elif fault == "refused":
        server.plan_responses(*[(401, {}, b"{}")] * 20)
    policy = tmp_path / "p.yaml"
    policy.write_text(POLICY)
    files = {option: tmp_path / option for option in ("junit", "sarif", "summary")}
    line = [part for option, path in files.items() for part in (f"--{option}", path)]
    ran = run("check", name, "--policy", policy, *line)
    assert ran.code == 3
    assert "Nothing could be measured" in ran.err
    reasons = {"dead": "127.0.0.1:9", "random": "not deterministic", "refused": "401"}
    assert all(reasons[fault] in path.read_text() for path in files.values())


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


COMMANDS = {
    "seat": ["seat", "--test", "weat6", "--test", "sent-weat6"],
    "seat in batches": ["seat", "--test", "weat6", "--batch-size", "9"],
    "check": ["check", "--policy", "POLICY"],
    "check in batches": ["check", "--policy", "POLICY", "--batch-size", "9"],
    "check without cache": ["check", "--policy", "POLICY", "--no-cache"],
    "audit": ["audit", "--suite", "SUITE"],
    "audit without cache": ["audit", "--suite", "SUITE", "--no-cache"],
}


@pytest.mark.parametrize(
    "options", ["", pytest.param("?batch_size=7&concurrency=3", marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_dry_run_counts_exactly_what_is_sent_and_sends_nothing(
    run, server, tmp_path, command, options
):
    policy, suite, texts = tmp_path / "p.yaml", tmp_path / "s.yaml", tmp_path / "texts.jsonl"
    texts.write_text('{"text": "Ten years as a nurse."}\n{"text": "Drives trucks."}\n')
    policy.write_text(
        "rules: [{tests: [weat6], family: [weat7], p: 0.05}, {min_impact_ratio: 0.8, retrieval: "
        f"{{placebo: 'false', documents: {texts}, queries: {texts}}}}}]\n"
    )
    suite.write_text(
        f"{SUITE}  - {{run: seat, title: Again, tests: [weat6, weat7]}}\n"
        f"  - {{run: retrieve, title: Retrieval, options: {{placebo: 'false', documents: {texts}, "
        f"queries: {texts}}}}}\n"
    )
    name, *rest = COMMANDS[command]
    files = {"POLICY": policy, "SUITE": suite}
    line = [name, server.url + options, *(files.get(word, word) for word in rest)]
    counted = run(*line, "--dry-run")
    assert counted.code == 0
    assert server.requests == []
    run(*line, *(["-o", tmp_path / "run"] if name == "audit" else []))
    sent = [server.sentences, "".join(server.sentences), server.requests]
    assert list(map(int, counted.out.split()[-3:])) == list(map(len, sent))


def test_a_dry_run_without_encoders_says_that_nothing_would_be_sent(run, tmp_path):
    policy = tmp_path / "p.yaml"
    policy.write_text(POLICY)
    for line in (["audit"], ["check", "default", "--policy", policy]):
        ran = run(*line, "--dry-run")
        assert "None of the sources is an encoder" in ran.out


def test_a_dry_run_counts_only_the_sources_that_are_encoders(run, server, suite):
    (count,) = [
        line
        for line in run("audit", server.url, "default", "--suite", suite, "--dry-run").out.split(
            "\n"
        )
        if server.url in line
    ]
    # 32 words and 40 unrelated ones, 24 sentences that show whether the encoder is sound, rated
    # words, and the canaries, twice
    assert count.split() == [server.url, "562", "4311", "12"]
