"""Fuzz all targets in turn: `make fuzz`, or python -m fuzz [TARGET] [--seconds N].

Each target runs in its own process, with its own cache and folder. The random seed is printed, and
the same seed starts with the same mutations. Inputs that cause a failure are saved in
``fuzz/failures``. Once the failure is fixed, move the input to ``fuzz/regressions/TARGET``: the
tests read everything there.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

from .targets import TARGETS

FAILURES = Path(__file__).parent / "failures"


def main() -> None:
    """Run the options targets; the exit code is 1 if there were failures."""
    parser = argparse.ArgumentParser(prog="python -m fuzz")
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=", ".join(TARGETS))
    parser.add_argument("--seconds", type=int, default=50, help="seconds for each target")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1, 2**31))
    options = parser.parse_args()
    if find_spec("atheris") is None:
        print("atheris is not installed: fuzzing without coverage guidance.")
    failed = [
        name
        for name in options.targets or TARGETS
        if not _run_target(name, options.seconds, options.seed)
    ]
    if failed:
        sys.exit(f"Failures in: {', '.join(failed)}.")
    print("No failures.")


def _run_target(name: str, seconds: int, seed: int) -> bool:
    """Fuzz one target in a new process; return whether there were no failures."""
    before = set(FAILURES.glob("*"))
    line = [sys.executable, "-m", "fuzz.harness", name, f"--seconds={seconds}", f"--seed={seed}"]
    with tempfile.TemporaryDirectory() as folder:
        settings = {"WEATHERGLASS_CACHE_DIR": folder, "TMPDIR": folder, "HF_HUB_OFFLINE": "1"}
        process = subprocess.run(
            [*line, f"--failures={FAILURES}"],
            env=os.environ | settings,
            cwd=FAILURES.parent.parent,
            capture_output=True,
            check=False,
        )
    output = (process.stdout + process.stderr).decode("utf-8", "backslashreplace")
    runs = re.search(r"Done (\d+) runs|number_of_executed_units: (\d+)", output)
    count = int(runs[1] or runs[2]) if runs else 0
    print(f"{name:10} {count:9,} inputs in {seconds} s, seed {seed}", flush=True)
    for path in sorted(set(FAILURES.glob("*")) - before):
        print(f"  saved {path.name}. To read it again:")
        print(f"  python -m fuzz.harness {name} --replay fuzz/failures/{path.name}")
    if process.returncode:
        for text in (process.stdout, process.stderr):
            print(text[-3000:].decode("utf-8", "backslashreplace"))
    return process.returncode == 0


if __name__ == "__main__":
    main()
