"""`make fuzz` finds inputs that break a reader, saves them, and can replay them."""

from __future__ import annotations

import argparse
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from random import Random

import pytest
from fuzz.mutate import mutate
from fuzz.targets import TARGETS, seeds, warm_up

from fuzz import harness

ROOT = Path(__file__).parent.parent.parent


def test_functions_that_numba_compiles_are_not_instrumented():
    """Numba cannot compile them then; before, this failed wherever no compiled code was cached."""
    modules = harness.compiled_modules()
    kernels = [import_module(name) for name in modules]
    functions = [
        value.py_func
        for module in kernels
        for value in vars(module).values()
        if hasattr(value, "py_func")
    ]
    assert len(functions) > 20
    assert {function.__module__ for function in functions} <= set(modules)
    users = [path for path in harness.SOURCE.rglob("*.py") if "import compiled" in path.read_text()]
    assert {path.stem for path in users} <= {name.rpartition(".")[2] for name in modules}


def test_the_seeds_of_a_target_are_read_again_in_another_folder(cache_folder):
    """Atheris reads them once to import modules, and then again; the cache knows them then."""
    for _ in range(2):
        warm_up("containers")


def test_an_input_that_breaks_a_reader_is_saved_and_can_be_replayed(place, tmp_path, monkeypatch):
    def breaks(kind: str, content: bytes, folder: Path) -> None:
        if b"rose" not in content:
            raise ZeroDivisionError(kind)

    monkeypatch.setitem(TARGETS, "corpus", breaks)
    options = argparse.Namespace(target="corpus", seconds=20, seed=3, failures=tmp_path)
    with pytest.raises(SystemExit):
        harness._fuzz_blind(options, place)
    (saved,) = tmp_path.iterdir()
    with pytest.raises(ZeroDivisionError):
        harness._reader("corpus", place)(saved.read_bytes())


def test_the_same_seed_gives_the_same_mutations():
    def mutations() -> list[bytes]:
        random = Random(7)
        return [
            mutate(content, kind, random)
            for target in TARGETS
            for kind, content in seeds(target).items()
        ]

    first = mutations()
    assert first == mutations()
    originals = [content for target in TARGETS for content in seeds(target).values()]
    assert sum(a != b for a, b in zip(first, originals, strict=True)) > len(originals) * 0.9


@pytest.mark.slow
def test_every_fuzz_target_runs(tmp_path):
    line = [sys.executable, "-m", "fuzz", "--seconds", "2", "--seed", "1"]
    ran = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "No failures." in ran.stdout
    for target in TARGETS:
        assert f"\n{target} " in f"\n{ran.stdout}"
