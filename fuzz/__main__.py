"""Fuzz every target, one after another: `make fuzz`, or python -m fuzz [TARGET] [--seconds N].

Each target runs in a process, a cache and a folder of its own. The seed is printed; the same seed
begins with the same changes. An input that breaks a reader is kept in ``fuzz/found``; once that is
mended, it moves to ``fuzz/regressions/TARGET``, where the tests read it ever after.
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

FOUND = Path(__file__).parent / "found"


def main() -> None:
    """Run the targets that are asked for; the exit code is 1 if anything was found."""
    parser = argparse.ArgumentParser(prog="python -m fuzz")
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=", ".join(TARGETS))
    parser.add_argument("--seconds", type=int, default=50, help="for each target")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1, 2**31))
    given = parser.parse_args()
    if find_spec("atheris") is None:
        print("atheris is not installed (it has no wheel for every Python): changes are blind.")
    failed = [
        name for name in given.targets or TARGETS if not _passes(name, given.seconds, given.seed)
    ]
    if failed:
        sys.exit(f"Found something in: {', '.join(failed)}.")
    print("Nothing found.")


def _passes(name: str, seconds: int, seed: int) -> bool:
    before = set(FOUND.glob("*"))
    line = [sys.executable, "-m", "fuzz.harness", name, f"--seconds={seconds}", f"--seed={seed}"]
    with tempfile.TemporaryDirectory() as place:
        settings = {"WEATHERGLASS_CACHE_DIR": place, "TMPDIR": place, "HF_HUB_OFFLINE": "1"}
        ran = subprocess.run(
            [*line, f"--found={FOUND}"],
            env=os.environ | settings,
            cwd=FOUND.parent.parent,
            capture_output=True,
            check=False,
        )
    said = (ran.stdout + ran.stderr).decode("utf-8", "backslashreplace")
    runs = re.search(r"Done (\d+) runs|number_of_executed_units: (\d+)", said)
    count = int(runs[1] or runs[2]) if runs else 0
    print(f"{name:10} {count:9,} inputs in {seconds} s, seed {seed}", flush=True)
    for path in sorted(set(FOUND.glob("*")) - before):
        print(f"  found {path.name}. To read it again:")
        print(f"  python -m fuzz.harness {name} --replay fuzz/found/{path.name}")
    if ran.returncode:
        for text in (ran.stdout, ran.stderr):
            print(text[-3000:].decode("utf-8", "backslashreplace"))
    return ran.returncode == 0


if __name__ == "__main__":
    main()
