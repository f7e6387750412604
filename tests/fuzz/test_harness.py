"""`make fuzz` finds what breaks, keeps it, and can read it again."""

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


def test_an_input_that_breaks_a_reader_is_kept_and_breaks_it_again(place, tmp_path, monkeypatch):
    def breaks(kind: str, content: bytes, folder: Path) -> None:
        if b"rose" not in content:
            raise ZeroDivisionError(kind)

    monkeypatch.setitem(TARGETS, "corpus", breaks)
    options = argparse.Namespace(target="corpus", seconds=20, seed=3, failures=tmp_path)
    with pytest.raises(SystemExit):
        harness._fuzz_blind(options, place)
    (kept,) = tmp_path.iterdir()
    with pytest.raises(ZeroDivisionError):
        harness._reader("corpus", place)(kept.read_bytes())


def test_the_same_seed_gives_the_same_changes():
    def made() -> list[bytes]:
        random = Random(7)
        return [
            mutate(content, kind, random)
            for target in TARGETS
            for kind, content in seeds(target).items()
        ]

    first = made()
    assert first == made()
    good = [content for target in TARGETS for content in seeds(target).values()]
    assert sum(one != other for one, other in zip(first, good, strict=True)) > len(good) * 0.9


@pytest.mark.slow
def test_every_target_runs(tmp_path):
    line = [sys.executable, "-m", "fuzz", "--seconds", "2", "--seed", "1"]
    ran = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "No failures." in ran.stdout
    for target in TARGETS:
        assert f"\n{target} " in f"\n{ran.stdout}"
