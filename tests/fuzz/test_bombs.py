"""A small file that describes gigabytes is refused, or read, in seconds and with little memory.

Each file is read by the command line in a process of its own, as a user or the web page would.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from fuzz.bombs import BOMBS
from fuzz.targets import check_message

from weatherglass.errors import UsageError, WeatherglassError

MAX_SECONDS = 10  # of processor time: other processes do not count
TIMEOUT = 90
MAX_BYTES = 1 << 30
# These are read: they are large, but not larger than their size allows.
HARMLESS = {
    "tei_with_nested_elements",
    "tei_with_a_header_of_a_million_fields",
    "parquet_with_thousands_of_columns",
}
SETS = "{x: [a, b], y: [c, d], a: [e, f], b: [g, h]}"
CASES = [(target, name) for target, bombs in BOMBS.items() for name in bombs]


def run(arguments: list[str], cache: Path) -> tuple[int, str, float, int]:
    """Run a command; return its exit code, its output, its processor time and its peak memory."""
    output = cache / "output.txt"
    with open(output, "wb") as file:
        process = subprocess.Popen(
            [sys.executable, "-c", "from weatherglass._cli.main import main; main()", *arguments],
            stdout=file,
            stderr=file,
            env=os.environ | {"WEATHERGLASS_CACHE_DIR": str(cache)},
        )
    peak, status, end = 0, Path(f"/proc/{process.pid}/status"), time.monotonic() + TIMEOUT
    while (done := os.wait4(process.pid, os.WNOHANG))[0] == 0:
        with contextlib.suppress(OSError, ValueError, KeyError, IndexError):
            lines = dict(line.split(":", 1) for line in status.read_text().splitlines())
            peak = max(peak, int(lines["RssAnon"].split()[0]) << 10)
        if peak > 2 * MAX_BYTES or time.monotonic() > end:
            process.kill()
        time.sleep(0.01)
    _, code, usage = done
    process.returncode = os.waitstatus_to_exitcode(code)
    text = output.read_text("utf-8", "backslashreplace")
    return process.returncode, text, usage.ru_utime + usage.ru_stime, peak


@pytest.fixture(scope="module")
def warm_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache, after the compiled loops have been compiled, which takes seconds."""
    folder = tmp_path_factory.mktemp("bombs")
    (folder / "v.txt").write_text("a 1 2\nb 3 4\n")
    run(["vectors", "info", str(folder / "v.txt")], folder)
    return folder


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is watched in /proc")
@pytest.mark.parametrize(("target", "name"), CASES, ids=[name for _, name in CASES])
def test_a_small_file_takes_little_memory_and_ends_with_a_sentence(
    target, name, tmp_path, warm_cache
):
    if "hdf5" in name:
        pytest.importorskip("h5py", reason="writes the file")
    if "spacy" in name:
        pytest.importorskip("msgpack", reason="spaCy's rows are stored as msgpack")
    path = BOMBS[target][name](tmp_path)
    command = [target, "info", str(path)]
    if target == "table":
        (tests := tmp_path / "tests.yaml").write_text(SETS)
        command = ["weat", f"table:{path}", "--tests", str(tests)]
    code, output, seconds, peak = run(command, warm_cache)
    print(f"{name}: {code}, {seconds:.1f} s, {peak >> 20} MB: {output[-300:]}")
    assert "Traceback" not in output
    assert peak < MAX_BYTES, output
    assert seconds < MAX_SECONDS, output
    if name not in HARMLESS:
        assert code in (WeatherglassError.exit_code, UsageError.exit_code), output
        check_message(output.strip().splitlines()[-1])
