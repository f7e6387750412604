"""`examples/results.R` reads the results of an audit and runs a test, wherever R is installed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import weatherglass as wg

ROOT = Path(__file__).parent.parent
SCRIPT = ROOT / "examples" / "results.R"
OWN = """
tests:
- id: gender_work
  title: Gender and work
  x: [man, men, he, him, father]
  y: [woman, women, she, her, mother]
  a: [work, job, office, salary]
  b: [home, family, children, wedding]
"""


@pytest.fixture
def audited(tmp_path):
    tests = tmp_path / "mine.yaml"
    tests.write_text(OWN)
    wg.audit("default", out=tmp_path / "audit", suite="own", tests=tests)
    return tmp_path


def _without_r() -> str:
    """Say what R lacks; empty if the script can be run."""
    if shutil.which("Rscript") is None:
        return "R is not installed (Debian: r-base-core)"
    asked = ["Rscript", "-e", "cat(requireNamespace('reticulate', quietly = TRUE))"]
    answer = subprocess.run(asked, capture_output=True, text=True, check=False).stdout
    return "" if "TRUE" in answer else "R has no reticulate (Debian: r-cran-reticulate)"


@pytest.mark.slow
def test_the_script_prints_the_findings_and_runs_own_tests(audited):
    if reason := _without_r():
        pytest.skip(reason)
    environment = os.environ | {
        "RETICULATE_PYTHON": sys.executable,
        "PYTHONPATH": str(Path(wg.__file__).parents[1]),
    }
    ran = subprocess.run(
        ["Rscript", SCRIPT, audited / "audit", audited / "mine.yaml"],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    assert ran.returncode == 0, ran.stderr
    (result,) = wg.weat(wg.open_vectors("default"), audited / "mine.yaml", baseline=False)
    row = re.search(r"^ *gender_work +(\S+)", ran.stdout, re.MULTILINE)
    assert row is not None
    assert float(row[1]) == pytest.approx(result.effect, abs=0.01)
    assert f"Gender and work: effect {result.effect:.3g}" in ran.stdout


def test_results_have_only_column_types_that_r_has(audited):
    schema = pq.read_schema(audited / "audit" / "results.parquet")
    known = {pa.string(), pa.float64(), pa.int64(), pa.bool_(), pa.null()}
    assert {field.type for field in schema} <= known


def test_the_script_uses_columns_that_results_have(audited):
    columns = set(pq.read_schema(audited / "audit" / "results.parquet").names)
    script = SCRIPT.read_text()
    listed = re.search(r"columns <- c\((.*)\)", script)
    assert listed is not None
    assert set(re.findall(r'"(\w+)"', listed[1])) <= columns
    assert set(re.findall(r"(?:results|done)\$(\w+)", script)) <= columns
