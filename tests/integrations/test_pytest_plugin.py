"""The fixture `weatherglass_check` fails a test with the verdict; unused, it costs nothing."""

import os
import subprocess
import sys
from xml.etree import ElementTree

import pytest

PLUGIN = "weatherglass.integrations.pytest_plugin"
POLICY = "rules: [{{tests: [weat6], effect: {limit}}}]\n"
TESTS = """
def test_default(weatherglass_check):
    checked = weatherglass_check("default", "strict.yaml")

def test_mapping(weatherglass_check):
    checked = weatherglass_check("default", {"rules": [{"tests": ["weat6"], "effect": 1.9}]})
    assert checked.passed
    assert checked.verdicts[-1].numbers["effect"] > 1.7

def test_missing_file(weatherglass_check):
    weatherglass_check("no-such-file.txt", "strict.yaml")

def test_settings(weatherglass_check):
    weatherglass_check()

def test_wrong_policy(weatherglass_check):
    weatherglass_check("default", {"rules": [{"tests": ["weat6"], "efect": 1.9}]})
"""


def run_pytest(folder, *options, plugin=True, cwd=None):
    """Run pytest in a process of its own, with no plug-in but ours."""
    env = os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": ""}
    line = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", str(folder)]
    line += ["-p", PLUGIN] if plugin else []
    return subprocess.run(
        [*line, *options], env=env, cwd=cwd or folder, capture_output=True, text=True, check=False
    )


@pytest.fixture
def project(tmp_path):
    (tmp_path / "strict.yaml").write_text(POLICY.format(limit=1.0))
    (tmp_path / "loose.yaml").write_text(POLICY.format(limit=1.9))
    settings = "[pytest]\nweatherglass_source = default\nweatherglass_policy = loose.yaml\n"
    (tmp_path / "pytest.ini").write_text(settings)
    (tmp_path / "test_bias.py").write_text(TESTS)
    return tmp_path


def test_a_violated_policy_fails_the_test_with_its_verdict(project, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere")  # files are found below the root folder
    ran = run_pytest(project, "--junit-xml", project / "junit.xml", "-W", "error", cwd=elsewhere)
    assert ran.returncode == 1, ran.stdout + ran.stderr
    assert "2 passed" in ran.stdout
    assert "3 failed" in ran.stdout
    assert "default did not pass" in ran.stdout
    assert "weat6 on default: violated. effect 1.71" in ran.stdout
    assert "no-such-file.txt" in ran.stdout
    assert "efect" in ran.stdout
    cases = {
        case.get("name"): case
        for case in ElementTree.parse(project / "junit.xml").getroot().iter("testcase")
    }
    (recorded,) = cases["test_settings"].iter("property")
    assert recorded.get("value") == "default passed."


def test_without_settings_the_message_names_them(project):
    (project / "pytest.ini").write_text("[pytest]\n")
    ran = run_pytest(project, "-k", "settings")
    assert "needs a source" in ran.stdout
    assert "weatherglass_source" in ran.stdout


def test_an_unused_plug_in_imports_nothing_and_changes_no_outcome(tmp_path):
    (tmp_path / "test_other.py").write_text(
        "import sys\n"
        "def test_other():\n"
        "    heavy = {'numpy', 'scipy', 'numba', 'click', 'weatherglass.auditing'}\n"
        "    assert not heavy & set(sys.modules)\n"
    )
    for plugin in (True, False):
        ran = run_pytest(tmp_path, "-W", "error", "--strict-config", plugin=plugin)
        assert ran.returncode == 0, ran.stdout
        assert "1 passed" in ran.stdout


def test_compiled_code_has_no_assert_that_pytest_would_rewrite():
    """pytest rewrites the asserts of a package with a plug-in, into code that numba refuses."""
    import ast
    from pathlib import Path

    import weatherglass

    folder = Path(weatherglass.__file__).parent
    kernels = [*folder.rglob("kernels.py"), *folder.rglob("*_kernels.py")]
    assert kernels
    for path in kernels:
        found = [n for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.Assert)]
        assert not found, path
