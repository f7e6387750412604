"""The GitHub Action and the pre-commit hooks: their scripts are run, their commands exist."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from ..blocks import check_command

ROOT = Path(__file__).parent.parent.parent
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
HOOKS = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
STEPS = {step.get("name", step.get("uses")): step for step in ACTION["runs"]["steps"]}


@pytest.fixture
def runner(tmp_path):
    """The environment of a job: a workspace, and a `weatherglass` on the path that is this one."""
    workspace, programs = tmp_path / "a workspace", tmp_path / "bin"
    for folder in (workspace, programs, tmp_path / "temp"):
        folder.mkdir()
    program = programs / "weatherglass"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m weatherglass "$@"\n')
    program.chmod(0o755)
    env = os.environ | {
        "PATH": f"{programs}:{os.environ['PATH']}",
        "RUNNER_TEMP": str(tmp_path / "temp"),
        "GITHUB_OUTPUT": str(tmp_path / "output"),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary"),
        "GITHUB_PATH": str(tmp_path / "path"),
    }

    def run(step, **inputs):
        # GitHub runs a script of the shell bash with these options.
        line = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", STEPS[step]["run"]]
        given = dict.fromkeys(STEPS[step]["env"], "") | inputs
        assert set(given) == set(STEPS[step]["env"])
        ran = subprocess.run(
            line, env=env | given, cwd=workspace, capture_output=True, text=True, check=False
        )
        path = tmp_path / "output"
        lines = path.read_text().splitlines() if path.exists() else []
        return ran, dict(line.split("=", 1) for line in lines)

    run.workspace, run.summary = workspace, tmp_path / "summary"
    return run


@pytest.mark.slow
def test_the_check_step_reports_a_violation_in_every_format(runner):
    (runner.workspace / "my policy.yaml").write_text("rules: [{tests: [weat6], effect: 1.0}]\n")
    ran, outputs = runner("Check", SOURCES="\n  default\n\n", POLICY="my policy.yaml")
    assert ran.returncode == 1, ran.stderr
    assert outputs["passed"] == "false"
    assert outputs["exit-code"] == "1"
    assert json.loads(Path(outputs["record"]).read_text())["exit_code"] == 1
    assert json.loads(Path(outputs["sarif"]).read_text())["version"] == "2.1.0"
    assert "<testsuite" in Path(outputs["junit"]).read_text()
    assert "weat6" in runner.summary.read_text()
    assert set(outputs) == set(ACTION["outputs"])


@pytest.mark.slow
def test_the_check_step_passes_options_on_and_runs_no_input_as_code(runner):
    (runner.workspace / "policy.yaml").write_text("rules: [{tests: [weat6], effect: 1.9}]\n")
    ran, outputs = runner("Check", SOURCES="default", POLICY="policy.yaml", OPTIONS="--seed 3 -q")
    assert ran.returncode == 0, ran.stderr
    assert outputs["passed"] == "true"
    assert json.loads(Path(outputs["record"]).read_text())["seed"] == 3
    ran, _ = runner("Check", SOURCES="$(touch hacked)`touch hacked`", POLICY="; touch hacked")
    assert ran.returncode == 2
    assert not (runner.workspace / "hacked").exists()


@pytest.mark.slow
def test_a_source_that_cannot_be_opened_is_exit_code_3_and_still_reported(runner):
    (runner.workspace / "policy.yaml").write_text("rules: [{tests: [weat6], effect: 1.9}]\n")
    ran, outputs = runner("Check", SOURCES="no-such-file.bin", POLICY="policy.yaml")
    assert ran.returncode == 3
    assert outputs["exit-code"] == "3"
    assert Path(outputs["sarif"]).exists()
    assert Path(outputs["junit"]).exists()


def test_no_input_is_pasted_into_a_script():
    for step in STEPS.values():
        assert "${{" not in step.get("run", "")


def test_every_input_that_the_action_uses_is_declared():
    used = set(re.findall(r"inputs\.([\w-]+)", (ROOT / "action.yml").read_text()))
    assert used == set(ACTION["inputs"])
    for step in STEPS.values():
        assert ("uses" in step) != ("run" in step)
        assert "run" not in step or step["shell"] == "bash"


def test_the_install_step_names_a_requirement_that_pip_understands(runner):
    """With a stand-in for pip: what matters is the requirement it is given."""
    script = STEPS["Install Weatherglass"]["run"]
    assert '"$CHECKOUT${EXTRAS:+[$EXTRAS]}"' in script
    code = 'CHECKOUT=/a EXTRAS=$1; echo "$CHECKOUT${EXTRAS:+[$EXTRAS]}"'
    for extras, wanted in (("", "/a"), ("transformers,onnx", "/a[transformers,onnx]")):
        ran = subprocess.run(
            ["bash", "-c", code, "bash", extras], capture_output=True, text=True, check=True
        )
        assert ran.stdout.strip() == wanted


@pytest.mark.parametrize("hook", HOOKS, ids=lambda hook: hook["id"])
def test_every_hook_calls_a_command_that_exists(hook):
    check_command(hook["entry"])
    assert hook["language"] == "python"
    assert {"id", "name", "entry", "language"} <= set(hook)


@pytest.mark.slow
def test_the_hooks_accept_and_refuse(run, tmp_path):
    check, validate = (hook["entry"].split()[1:] for hook in HOOKS)
    policy, tests = tmp_path / "policy.yaml", tmp_path / "tests.yaml"
    policy.write_text("rules: [{tests: [weat6], effect: 1.9}]\n")
    assert run(*check, "default", "--policy", policy).code == 0
    policy.write_text("rules: [{tests: [weat6], effect: 1.0}]\n")
    assert run(*check, "default", "--policy", policy).code == 1
    tests.write_text("{id: mine, x: [a, b], y: [c, d], a: [e, f], b: [g, h]}\n")
    assert run(*validate, tests).code == 0
    tests.write_text("{id: mine, x: [a, b]}\n")
    assert run(*validate, tests).code != 0
