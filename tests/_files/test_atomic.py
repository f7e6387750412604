"""Temporary folders."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from weatherglass._files import atomic


def test_a_folder_that_is_written_to_while_it_is_deleted_is_deleted_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    delete, calls = shutil.rmtree, []

    def delete_while_written(folder: Path, **options: Any) -> None:
        calls.append(folder)
        delete(folder, **options)
        if len(calls) < 3:  # the last writes of a process that was killed
            folder.mkdir()
            (folder / "late.txt").write_text("rose")

    monkeypatch.setattr(atomic.shutil, "rmtree", delete_while_written)
    with atomic.temporary_folder(tmp_path, "uploads") as folder:
        (folder / "a.txt").write_text("lily")
    assert len(calls) == 3
    assert list(tmp_path.iterdir()) == []
