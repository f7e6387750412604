"""Models of permuted documents: what they are trained on, and that runs resume."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import weatherglass as wg
from weatherglass.corpus import Document, open_permuted
from weatherglass.corpus.permutation import Permuted, divide
from weatherglass.corpus.worker import permutation_rng
from weatherglass.errors import CannotMeasure, SourceNotFound, UsageError
from weatherglass.vectors import Vectors

OPTIONS: dict[str, Any] = {
    "method": "ppmi-svd", "dim": 6, "min_count": 3, "bootstrap": 1, "permutations": 3, "by": "kind",
    "min_size": 0, "workers": 1,
}  # fmt: skip


@pytest.fixture
def documents(weather: list[str]) -> list[Document]:
    """The first third of the weather is of one kind, the rest of the other."""
    third = len(weather) // 3
    return [Document(text, {"kind": "a" if k < third else "b"}) for k, text in enumerate(weather)]


def read_files(folder: Path) -> dict[str, bytes]:
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.name != ".lock")
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def counts_of(vectors: Vectors) -> dict[str, int]:
    """Return the count of each word."""
    assert vectors.counts is not None
    return dict(zip(vectors.words[:], vectors.counts.tolist(), strict=True))


def parts_of(documents: list[Document], number: int) -> tuple[list[str], list[str]]:
    """Return the texts of both parts of a permutation of kinds a and b."""
    texts = [text for kind in "ab" for text, meta in documents if meta["kind"] == kind]
    sizes = [sum(meta["kind"] == kind for _, meta in documents) for kind in "ab"]
    rng = permutation_rng(0, Permuted("a", "b", number, 0))
    first, second = divide((sizes[0], sizes[1]), rng)
    return [texts[d] for d in first], [texts[d] for d in second]


def test_permuted_parts_keep_the_sizes_and_contain_every_document_once(
    documents: list[Document],
) -> None:
    divisions = set()
    for number in range(5):
        first, second = parts_of(documents, number)
        assert len(first) == len(documents) // 3
        assert Counter(first) + Counter(second) == Counter(text for text, _ in documents)
        divisions.add(tuple(sorted(first)))
    assert len(divisions) == 5


def test_a_permuted_model_equals_training_on_its_documents(
    tmp_path: Path, documents: list[Document]
) -> None:
    """Rare words included: the groups themselves would give the models of the groups."""
    wg.train(documents, tmp_path / "m", **OPTIONS)
    for number, models in enumerate(open_permuted(tmp_path / "m", ("a", "b"), 3)):
        for side, texts in enumerate(parts_of(documents, number)):
            alone = OPTIONS | {"bootstrap": 0, "permutations": 0, "by": None}
            folder = tmp_path / f"{number}-{side}"
            (model,) = wg.train(texts, folder, **alone).open()
            assert sorted(models[side].words[:]) == sorted(model.vectors.words[:])
            words = model.vectors.words[:]
            assert counts_of(models[side]) == counts_of(model.vectors)
            first, second = models[side].take(words).rows, model.vectors.matrix
            assert first @ first.T == pytest.approx(second @ second.T, abs=1e-4)


def test_permuted_models_are_in_the_order_of_the_groups_asked_for(
    tmp_path: Path, documents: list[Document]
) -> None:
    wg.train(documents, tmp_path / "m", **OPTIONS)
    forward = open_permuted(tmp_path / "m", ("a", "b"), 2)
    backward = open_permuted(tmp_path / "m", ("b", "a"), 2)
    assert len(forward) == len(backward) == 2
    for (first, second), (other, one) in zip(forward, backward, strict=True):
        assert (first.fingerprint, second.fingerprint) == (one.fingerprint, other.fingerprint)
        assert int(first.counts.sum()) < int(second.counts.sum())  # a has fewer documents


def test_paragraphs_of_one_document_stay_together(tmp_path: Path, weather: list[str]) -> None:
    """`documents=id` makes the paragraphs of a novel one document, which is permuted whole."""
    path = tmp_path / "novels.jsonl"
    rows = [
        {
            "id": f"n{k // 8}",
            "kind": "ab"[k // 8 % 2],
            "text": f"novel{'abcdefghijkl'[k // 8]} {text}",
        }
        for k, text in enumerate(weather[:96])
    ]
    path.write_text("\n".join(map(json.dumps, rows)))
    trained = wg.train(f"{path}?documents=id", tmp_path / "m", **OPTIONS | {"min_count": 1})
    assert trained.groups["a"]["documents"] == 6
    for first, second in open_permuted(tmp_path / "m", ("a", "b"), 3):
        novels = [
            {word for word in part.words[:] if word.startswith("novel")} for part in (first, second)
        ]
        assert [len(part) for part in novels] == [6, 6]
        assert not novels[0] & novels[1]
        assert [counts_of(first)[novel] for novel in novels[0]] == [8] * 6  # all its paragraphs


@pytest.mark.slow
@pytest.mark.parametrize("method", ["ppmi-svd", "sgns"])
def test_permuted_models_are_the_same_with_any_number_of_workers(
    tmp_path: Path, documents: list[Document], method: str
) -> None:
    if method == "sgns":
        pytest.importorskip("gensim", reason="needs the extra 'train'")
    options = OPTIONS | {"method": method, "epochs": 1}
    wg.train(documents, tmp_path / "one", **options)
    wg.train(documents, tmp_path / "two", **options | {"workers": 2})
    files = read_files(tmp_path / "one")
    assert files == read_files(tmp_path / "two")
    assert len([name for name in files if name.startswith("permuted/a+b/")]) == 6


def test_an_interrupted_run_resumes_with_the_permutations_that_are_left(
    tmp_path: Path, documents: list[Document]
) -> None:
    wg.train(documents, tmp_path / "whole", **OPTIONS)
    folder = tmp_path / "m"

    def stop(stage: str, done: int, total: int) -> None:
        if (stage, done) == ("training on permuted documents", 3):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        wg.train(documents, folder, progress=stop, **OPTIONS)
    finished = {path: path.stat().st_mtime_ns for path in folder.rglob("*.parquet")}
    assert len(finished) == 4 + 3
    wg.train(documents, folder, **OPTIONS)
    assert read_files(folder) == read_files(tmp_path / "whole")
    assert {path: path.stat().st_mtime_ns for path in finished} == finished
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    wg.train(documents, folder, **OPTIONS)
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == before


@pytest.mark.slow
def test_a_run_that_was_killed_resumes_to_the_same_files(
    tmp_path: Path, documents: list[Document]
) -> None:
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text("\n".join(json.dumps({"text": text} | meta) for text, meta in documents))
    options = OPTIONS | {"permutations": 60}
    wg.train(str(corpus), tmp_path / "whole", **options)
    folder = tmp_path / "m"
    code = f"import weatherglass; weatherglass.train({str(corpus)!r}, {str(folder)!r}, **{options})"
    process = subprocess.Popen([sys.executable, "-c", code])
    while process.poll() is None and len(list(folder.glob("permuted/*/*.parquet"))) < 5:
        time.sleep(0.01)
    process.kill()
    process.wait()
    assert 5 <= len(list(folder.glob("permuted/*/*.parquet"))) < 120
    wg.train(str(corpus), folder, **options)
    assert read_files(folder) == read_files(tmp_path / "whole")


def test_a_damaged_permuted_model_is_trained_again(
    tmp_path: Path, documents: list[Document]
) -> None:
    wg.train(documents, tmp_path / "m", **OPTIONS)
    before = read_files(tmp_path / "m")
    (tmp_path / "m/permuted/a+b/001-2.parquet").write_bytes(b"")
    wg.train(documents, tmp_path / "m", **OPTIONS)
    assert read_files(tmp_path / "m") == before


def test_permutations_can_be_added_and_a_run_can_ask_for_fewer(
    tmp_path: Path, documents: list[Document]
) -> None:
    folder = tmp_path / "m"
    wg.train(documents, folder, **OPTIONS)
    before = read_files(folder)
    wg.train(documents, folder, **OPTIONS | {"permutations": 5})
    after = read_files(folder)
    assert len(open_permuted(folder, ("a", "b"), 5)) == 5
    assert {name: after[name] for name in before if name != "train.json"} == {
        name: content for name, content in before.items() if name != "train.json"
    }
    wg.train(documents, folder, **OPTIONS | {"permutations": 2})
    assert read_files(folder) == after
    assert len(open_permuted(folder, ("a", "b"), 2)) == 2
    # Permuted models are not among those of the groups.
    labels = [model.label for model in wg.open_models(folder)]
    assert labels == ["a/full", "a/boot-000", "b/full", "b/boot-000"]


def test_a_group_may_be_named_like_the_folder_of_permuted_models(
    tmp_path: Path, documents: list[Document]
) -> None:
    renamed = [
        Document(text, {"kind": meta["kind"].replace("a", "permuted")}) for text, meta in documents
    ]
    wg.train(renamed, tmp_path / "m", **OPTIONS)
    assert (tmp_path / "m/permuted-2/full.parquet").exists()
    assert len(open_permuted(tmp_path / "m", ("permuted", "b"), 3)) == 3


def test_groups_are_permuted_with_a_reference_only_where_one_is_named(
    tmp_path: Path, weather: list[str]
) -> None:
    documents = [Document(text, {"kind": "abc"[k % 3]}) for k, text in enumerate(weather)]
    options = OPTIONS | {"permutations": 2, "against": "b"}
    wg.train(documents, tmp_path / "m", **options)
    folders = {path.name for path in (tmp_path / "m/permuted").iterdir()}
    assert folders == {"a+b", "b+c"}
    with pytest.raises(UsageError, match="no group 'd' to compare with"):
        wg.train(documents, tmp_path / "n", **options | {"against": "d"})


def test_permutations_that_cannot_be_are_refused(tmp_path: Path, documents: list[Document]) -> None:
    with pytest.raises(UsageError, match="give the column"):
        wg.train(documents, tmp_path / "m", **OPTIONS | {"by": None})
    with pytest.raises(UsageError, match="must be 0 or more"):
        wg.train(documents, tmp_path / "m", **OPTIONS | {"permutations": -1})
    alone = [Document(f"rare{'xy'[k % 2]} " * 3, {"kind": "ab"[k % 2]}) for k in range(12)]
    with pytest.raises(CannotMeasure, match="set permutations to 0"):
        wg.train(alone, tmp_path / "n", **OPTIONS | {"min_count": 18})


def test_a_cluster_worker_without_access_to_the_raw_tokens_is_reported(tmp_path: Path) -> None:
    from weatherglass.corpus.run_folder import Settings
    from weatherglass.corpus.worker import PermutedJob, train_permuted

    folders = (tmp_path / "0", tmp_path / "1")
    job = PermutedJob(
        tmp_path / "words.json", folders, Permuted("a", "b", 0, 0), tmp_path / "m", "k", Settings()
    )
    with pytest.raises(SourceNotFound, match="a folder that all its machines share"):
        train_permuted(job)
