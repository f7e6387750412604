"""Every command prints the same with one worker, with two, and on a Dask cluster."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from weatherglass.errors import install_command

DISCOVER = ("discover", "default", "--groups", 4, "--categories", 6, "--words", 1500)
SEAT = ("seat", "cbow:default", "--test", "weat6", "--test", "sent-weat6", "--test", "sent-weat7")
MULTIVERSE = ("seeds", "multiverse", "default", "--test", "weat6", "--samples", 20)
COMMANDS = {
    "discover": (*DISCOVER, "--rotations", 999, "--all-rotations"),
    "seat": SEAT,
    "multiverse": MULTIVERSE,
}


@pytest.fixture
def weather(tmp_path: Path) -> list[Path]:
    """Two small corpora."""
    made = []
    for name, more in (
        ("sea", "the calm sea and a high wave"),
        ("land", "a green hill and a field"),
    ):
        path = tmp_path / f"{name}.txt"
        lines = [f"{more} and the calm green field", "the sea was high", "a wave on the hill", more]
        path.write_text("\n\n".join(lines * 6), encoding="utf-8")
        made.append(path)
    return made


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_commands_print_the_same_on_any_workers(
    name: str,
    cluster: Any,
    run: Callable[..., Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    printed = []
    address = cluster.scheduler_address
    for where in (["--workers", 1], ["--workers", 2], ["--cluster", address]):
        # Nothing that one run has kept may do the work of the next.
        monkeypatch.setenv("WEATHERGLASS_CACHE_DIR", str(tmp_path / str(len(printed))))
        ran = run(*COMMANDS[name], *where, "--format", "json")
        assert ran.code == 0, ran.err
        printed.append(json.loads(ran.out))
    assert printed[0] == printed[1] == printed[2]


@pytest.mark.slow
def test_compare_gives_the_same_on_any_workers(
    cluster: Any, run: Callable[..., Any], tmp_path: Path, weather: list[Path]
) -> None:
    own = tmp_path / "own.yaml"
    sets = "x: [sea, wave]", "y: [hill, field]", "a: [calm]", "b: [high, green]"
    own.write_text("\n".join(sets), encoding="utf-8")
    corpora = [f"{path}?documents=paragraphs" for path in weather]
    printed = []
    address = cluster.scheduler_address
    for where in (["--workers", 1], ["--workers", 2], ["--cluster", address]):
        models = tmp_path / f"models-{len(printed)}"
        ran = run(
            *("compare", *corpora, "--tests", own, "--models", models, "--dim", 3, *where),
            *("--min-count", 1, "--bootstrap", 3, "--permutations", 3, "--format", "json"),
        )
        assert ran.code == 0, ran.err
        printed.append(json.loads(ran.out.replace(str(models), "models")))
    assert printed[0] == printed[1] == printed[2]
    assert len(printed[0]["effects"][0]["samples"]) == 3
    assert len(printed[0]["differences"][0]["permuted"]) == 3


@pytest.mark.parametrize("name", COMMANDS)
def test_a_missing_dask_or_a_wrong_cluster_is_an_error(
    name: str, run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = run(*COMMANDS[name], "--cluster", "somewhere")
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert "expected the address of a Dask scheduler, such as tcp://host:8786, or local" in ran.err
    monkeypatch.setitem(__import__("sys").modules, "distributed", None)
    ran = run(*COMMANDS[name], "--cluster", "local")
    assert ran.code == 3
    assert ran.err.endswith(f"needs an optional package: {install_command('cluster')}\n")
