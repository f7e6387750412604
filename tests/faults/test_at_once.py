"""Two runs in one folder, or with one cache: both end well, or one says that the other is there."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

from weatherglass._files.atomic import lock_folder

from .conftest import Place
from .writers import WRITERS, Line


def together(place: Place, *lines: Line, apart: bool = False) -> list[tuple[int, str, str]]:
    """Start commands at the same moment, and give how each has ended.

    If they are apart, each writes into a folder of its own.
    """
    folders = [place.out / f"run-{k}" if apart else place.out for k in range(len(lines))]
    env = os.environ | {"WEATHERGLASS_CACHE_DIR": str(place.cache)}
    for folder in folders:
        folder.mkdir(exist_ok=True)
    running = [
        subprocess.Popen(
            [sys.executable, "-m", "weatherglass", *line.filled(place.given)],
            cwd=folder,
            env=env,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for line, folder in zip(lines, folders, strict=True)
    ]
    ended = [process.communicate(timeout=300) for process in running]
    return [
        (process.returncode, out, without_progress(err))
        for process, (out, err) in zip(running, ended, strict=True)
    ]


def without_progress(errors: str) -> str:
    """Leave out the lines that a slow command prints every few seconds."""
    return re.sub(r"^.*: [\d,]+ of [\d,]+.*\(\d+ s\)\n", "", errors, flags=re.MULTILINE)


@pytest.mark.parametrize(
    ("command", "folder"),
    [("train", "m"), pytest.param("audit", "run", marks=pytest.mark.slow)],
)
def test_a_folder_in_use_is_refused(place: Place, command: str, folder: str) -> None:
    line = WRITERS[command][0]
    (place.out / folder).mkdir()
    with lock_folder(place.out / folder, command):
        refused = place.run(line)
    assert (refused.code, refused.out) == (3, "")
    assert refused.err == (
        f"weatherglass: Another `weatherglass {command}` is running in {folder}. Wait until it "
        "ends, or choose another folder.\n"
    )
    assert place.run(line).code == 0


def test_the_second_of_two_runs_uses_what_the_first_has_done(place: Place) -> None:
    """It looked before the first had begun, and waits for nothing: it must look again."""
    from weatherglass.corpus.run_folder import Run, Settings
    from weatherglass.corpus.tokenizer import Tokenizer
    from weatherglass.errors import UsageError

    words = {"method": "ppmi-svd", "window": 5, "min_count": 1, "tokenizer": Tokenizer()}
    second = Run(place.out / "m", Settings(dim=9, **words), 2, "corpus", "another")  # type: ignore[arg-type]
    assert place.run(WRITERS["train"][0]).code == 0
    with pytest.raises(UsageError, match="holds models that were trained with dim 4, not 9"):
        second.locked().__enter__()


@pytest.mark.slow
@pytest.mark.parametrize(("command", "folder"), [("train", "m"), ("audit", "run")])
def test_two_runs_in_the_same_folder_do_not_mix(place: Place, command: str, folder: str) -> None:
    line = WRITERS[command][0]
    alone = place.run(line)
    names = ("results.json", "results.tsv", "full.parquet", "boot-000.parquet", "boot-001.parquet")
    paths = [place.out / folder / name for name in names]
    expected = {path: path.read_bytes() for path in paths if path.exists()}
    assert len(expected) >= 2
    place.renew()
    ended = together(place, line, line, line)
    assert 0 in {code for code, _, _ in ended}
    for code, out, err in ended:
        if code:
            assert "is running in" in err
            assert err.count("\n") == 1
        else:
            assert (out, err) == (alone.out, "")
    assert {path: path.read_bytes() for path in expected} == expected
    assert not place.leftovers()


@pytest.mark.slow
@pytest.mark.parametrize(
    "line",
    [
        Line("vectors info {vectors}"),
        Line("seat cbow:{vectors} --test sent-weat6"),
        Line("discover {vectors} --groups 4 --categories 6 --words 800 --rotations 999 --resume"),
        Line("vectors convert {vectors} v.npy"),
    ],
    ids=lambda line: line.words,
)
def test_several_runs_can_share_a_cache(place: Place, line: Line) -> None:
    alone = place.run(line)
    place.renew()
    for code, out, err in together(place, line, line, line, apart=True):
        assert (code, out, err) == (0, alone.out, without_progress(alone.err))
    assert not place.leftovers()
    assert place.run(line).out == alone.out
