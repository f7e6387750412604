"""`--log mlflow:URI` writes numbers that MLflow gives back, and fails before measuring."""

import json
import shlex
from importlib.util import find_spec

import pytest

from weatherglass import errors
from weatherglass.integrations import parse_log

SUITE = """
id: mine
title: Two tests
steps:
  - {run: weat, title: Association tests, tests: [weat6, weat7]}
"""
POLICY = "rules: [{tests: [weat6, weat7], effect: 1.6}]\n"

needs_mlflow = pytest.mark.skipif(
    find_spec("mlflow") is None,
    reason="needs MLflow, which conflicts with constraints.txt: pip install '.[mlflow]'",
)


@pytest.fixture
def suite(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text(SUITE)
    return path


def open_runs(uri, monkeypatch, experiment="weatherglass"):
    """Return MLflow's client and the runs of an experiment, the oldest first."""
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    from mlflow.tracking import MlflowClient

    client = MlflowClient(tracking_uri=uri)
    id = client.get_experiment_by_name(experiment).experiment_id
    return client, list(reversed(client.search_runs([id])))


@pytest.mark.parametrize("target", ["mlflow", "wandb:x", "file:///runs", ""])
def test_an_unknown_target_is_refused(target):
    with pytest.raises(errors.UsageError, match="expected mlflow:URI"):
        parse_log(target)


@pytest.mark.skipif(find_spec("mlflow") is not None, reason="MLflow is installed")
def test_without_mlflow_the_message_has_a_command_that_installs_it(run, tmp_path):
    ran = run("audit", "--log", "mlflow:runs", "-o", tmp_path / "run")
    assert ran.code == 3
    assert ran.err.startswith("weatherglass: --log mlflow needs an optional package: pip install")
    assert ran.err.count("\n") == 1
    assert shlex.split(ran.err)[-1].endswith("[mlflow]")
    assert not (tmp_path / "run").exists()


@needs_mlflow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", ["folder", "database"])
def test_an_audit_is_logged_with_its_numbers_and_its_report(
    run, suite, tmp_path, monkeypatch, kind
):
    monkeypatch.chdir(tmp_path)
    uri = str(tmp_path / "runs") if kind == "folder" else f"sqlite:///{tmp_path / 'runs.db'}"
    ran = run("audit", "--suite", suite, "-o", "audit", "--log", f"mlflow:{uri}")
    assert ran.code == 0, ran.err
    client, (logged,) = open_runs(uri, monkeypatch)
    saved = json.loads((tmp_path / "audit" / "results.json").read_text())["results"]
    rows = {row["test"]: row for row in saved}
    assert logged.data.metrics["weat6_effect"] == rows["weat6"]["effect"]
    assert logged.data.metrics["weat6_p"] == 2 * rows["weat6"]["p"]["value"]  # two-sided
    assert logged.data.metrics["weat6_p_corrected"] > logged.data.metrics["weat6_p"]
    assert logged.data.params["source"] == "default"
    assert len(logged.data.params["fingerprint"]) == 32
    assert logged.info.status == "FINISHED"
    files = {file.path for file in client.list_artifacts(logged.info.run_id)}
    assert {"report.html", "run.json", "results.json"} <= files


@needs_mlflow
@pytest.mark.filterwarnings("ignore")
def test_several_sources_are_runs_below_a_parent(run, suite, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    models = tmp_path / "models.yaml"
    models.write_text("- {source: default, name: a}\n- {source: default, name: b}\n")
    monkeypatch.setenv("MLFLOW_EXPERIMENT_NAME", "mine")
    line = ["audit", models, "--suite", suite, "-o", "audit", "--log", "mlflow:runs"]
    assert run(*line, "--workers", 1).code == 0
    _, runs = open_runs(str(tmp_path / "runs"), monkeypatch, "mine")
    by_name = {logged.info.run_name: logged for logged in runs}
    parent = by_name["audit of 2 sources"].info.run_id
    for name in "ab":
        assert by_name[name].data.tags["mlflow.parentRunId"] == parent
        assert by_name[name].data.metrics["weat6_effect"] == pytest.approx(1.708, abs=0.001)


@needs_mlflow
@pytest.mark.filterwarnings("ignore")
def test_a_check_that_fails_is_logged_too(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "policy.yaml").write_text(POLICY)
    ran = run("check", "default", "--policy", "policy.yaml", "--log", "mlflow:runs")
    assert ran.code == 1
    client, (logged,) = open_runs(str(tmp_path / "runs"), monkeypatch)
    assert logged.data.metrics["passed"] == 0
    assert logged.data.metrics["weat6_effect"] == pytest.approx(1.708, abs=0.001)
    (file,) = client.list_artifacts(logged.info.run_id)
    assert file.path == "check.json"


@needs_mlflow
@pytest.mark.filterwarnings("ignore")
def test_an_unreachable_server_is_named_without_its_password_before_measuring(
    run, tmp_path, monkeypatch
):
    monkeypatch.setenv("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "0")
    target = "mlflow:http://me:secret@127.0.0.1:9"
    ran = run("audit", "-o", tmp_path / "run", "--log", target)
    assert ran.code != 0
    assert "MLflow at 'http://127.0.0.1:9' cannot be used" in ran.err
    assert "secret" not in ran.err
    assert not (tmp_path / "run").exists()
