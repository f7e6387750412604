"""`make fuzz` finds inputs that break a reader, saves them, and can replay them."""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
from fuzz.mutate import mutate
from fuzz.targets import TARGETS, seeds

from fuzz import harness

ROOT = Path(__file__).parent.parent.parent


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
