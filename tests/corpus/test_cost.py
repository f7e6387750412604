"""What a training run announces about its cost."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import pytest

import weatherglass as wg
from weatherglass.corpus import Document, schedule
from weatherglass.corpus.schedule import Cost

OPTIONS: dict[str, Any] = {
    "dim": 2, "min_count": 1, "bootstrap": 3, "by": "kind", "min_size": 0, "workers": 1,
}  # fmt: skip


class FakeRun:
    """A planned run of two groups, one of which has three times as many tokens."""

    record: ClassVar[dict[str, Any]] = {
        "options": {"method": "ppmi-svd"},
        "groups": {"a": {"folder": "a", "tokens": 100}, "b": {"folder": "b", "tokens": 300}},
        "models": {"a/full": "waiting", "b/full": "waiting", "b/boot-000": "done"},
        "permuted": {},
    }

    def permuted(self) -> dict[str, Any]:
        return {}


def test_the_cost_is_estimated_from_the_first_model_and_the_length_of_texts() -> None:
    times = iter([0.0, 30.0])
    sentences: list[str] = []
    cost = Cost(FakeRun(), sentences.append, lambda: next(times))  # type: ignore[arg-type]
    cost.start(2)
    cost.finish("a/full")
    cost.finish("b/full")
    # 30 s for 100 tokens; 400 tokens are waiting, for two workers.
    assert sentences == [
        "2 models of 2 groups to train (ppmi-svd, 2 workers): about 60 seconds, judging by the "
        "first one"
    ]


def test_short_training_is_not_announced() -> None:
    times = iter([0.0, 0.1])
    sentences: list[str] = []
    cost = Cost(FakeRun(), sentences.append, lambda: next(times))  # type: ignore[arg-type]
    cost.start(1)
    cost.finish("a/full")
    assert sentences == []


def test_a_run_counts_all_its_models_and_the_command_prints_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Any
) -> None:
    monkeypatch.setattr(schedule, "MIN_SECONDS", 0.0)
    documents = [Document("sea ship sea ship", {"kind": "ab"[k % 2]}) for k in range(20)]
    sentences: list[str] = []
    wg.train(documents, tmp_path / "m", permutations=2, announce=sentences.append, **OPTIONS)
    assert len(sentences) == 1
    assert sentences[0].startswith("12 models of 2 groups to train (ppmi-svd, 1 worker)")
    wg.train(documents, tmp_path / "m", permutations=2, announce=sentences.append, **OPTIONS)
    assert len(sentences) == 1  # nothing was left to train
    (tmp_path / "a.txt").write_text("sea ship\n" * 10)
    lines = ("train", f"{tmp_path / 'a.txt'}?documents=lines", "--dim", "2")
    ran = run(*lines, "-o", tmp_path / "n")
    assert "weatherglass: 21 models to train (ppmi-svd, 1 worker): about" in ran.err
    assert "to train" not in run(*lines, "-o", tmp_path / "q", "-q").err
