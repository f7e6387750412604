"""The OpenAPI document is true: every response to any request is one that it describes."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from weatherglass._web.settings import Settings

from .conftest import run_server

pytestmark = pytest.mark.slow
CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
)
EXAMPLES = 12
"""Requests of each kind to each route."""
# Without an optional package the server answers 503, as documented; that is no internal error.
CONFIGURATION = """\
[checks.not_a_server_error]
expected-statuses = ["2xx", "3xx", "4xx", 503]
"""


def test_fuzzed_requests_get_only_documented_responses_and_no_500(
    tiny: str, tmp_path: Path
) -> None:
    command = shutil.which("schemathesis", path=Path(sys.executable).parent)
    if command is None:
        pytest.skip("needs schemathesis, which `make test-all` installs")
    configuration = tmp_path / "schemathesis.toml"
    configuration.write_text(CONFIGURATION)
    settings = Settings(sources=(tiny,), folders=(tmp_path,), wait_seconds=5.0)
    with run_server(settings) as address:
        line = [
            command,
            "--config-file",
            str(configuration),
            "run",
            f"{address}/openapi.json",
            "--checks",
            ",".join(CHECKS),
            "--seed",
            "1",
        ]
        line += ["--max-examples", str(EXAMPLES), "--phases", "examples,coverage,fuzzing"]
        ran = subprocess.run(line, capture_output=True, text=True, timeout=900, cwd=tmp_path)
    assert ran.returncode == 0, ran.stdout[-6000:] + ran.stderr[-2000:]
