"""The corpus of a model, found by its record, on every surface that can show its texts."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

import weatherglass as wg
from weatherglass.corpus import find_corpus
from weatherglass.errors import CannotMeasure


@pytest.fixture
def trained(tmp_path: Path) -> Path:
    """A folder with the models of two eras; only in `late` is *rose* near *kind*."""
    texts = {"early": "a rose is foul and a wasp is kind", "late": "a rose is kind, a wasp is foul"}
    rows = [{"text": text, "era": era} for era, text in texts.items() for _ in range(6)]
    path = tmp_path / "texts.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    wg.train(path, tmp_path / "m", by="era", dim=3, min_count=1, min_size=0, bootstrap=1)
    return tmp_path / "m"


def test_the_corpus_and_the_group_of_a_model_are_known(trained: Path) -> None:
    known = find_corpus(trained / "late/full.parquet")
    assert known is not None
    assert known.options == {"by": "era", "only": ["late"]}
    context = known.context(["rose"], ["kind"], window=2)
    assert {line.group for line in context.lines} == {"late"}
    early = find_corpus(trained / "early/boot-000.parquet")
    assert early is not None
    assert early.context(["rose"], ["kind"], window=2).lines == ()


def test_the_command_shows_the_same_lines(trained: Path, run: Any) -> None:
    known = find_corpus(trained / "late/full.parquet")
    assert known is not None
    command = shlex.split(known.command(["rose"], ["kind"]))
    assert command[0] == "weatherglass"
    page = run(*command[1:]).out
    assert "kind, a wasp is foul" in page
    assert "early" not in page


def test_a_changed_corpus_is_not_shown_as_if_it_were_the_same(trained: Path) -> None:
    """A record could name any file; only texts with the recorded fingerprint are shown."""
    (trained.parent / "texts.jsonl").write_text('{"text": "something else", "era": "late"}')
    known = find_corpus(trained / "late/full.parquet")
    assert known is not None
    with pytest.raises(CannotMeasure, match="have changed or are not there"):
        known.context(["rose"], ["kind"])


def test_other_files_have_no_known_corpus(trained: Path, tmp_path: Path) -> None:
    assert find_corpus("default") is None
    assert find_corpus(trained / "late/missing.parquet") is None
    copy = tmp_path / "alone" / "full.parquet"
    copy.parent.mkdir()
    copy.write_bytes((trained / "late/full.parquet").read_bytes())
    assert find_corpus(copy) is None
    (trained / "train.json").write_text("{")
    assert find_corpus(trained / "late/full.parquet") is None


def test_the_report_of_an_audit_says_how_to_see_the_words_in_context(
    trained: Path, tmp_path: Path
) -> None:
    from weatherglass.report import AuditResult
    from weatherglass.report.audit.words import words_section

    source = str(trained / "late/full.parquet")
    vectors = wg.open_vectors(source)
    test = wg.Test(id="t", x=["rose", "a"], y=["wasp", "is"], a=["kind"], b=["foul"])
    results = wg.Results.of([wg.weat(vectors, test)]).correct()
    audit = AuditResult({"sources": [{"name": source}]}, results)
    (page,) = words_section(audit, {source: "late"})
    assert "See these words in the texts" in page
    assert "corpus context" in page
