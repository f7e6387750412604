"""Results show themselves in notebooks, and nothing of a vocabulary becomes markup."""

from __future__ import annotations

import pytest

import weatherglass as wg
import weatherglass.errors
from weatherglass.measures.result import html_table


def test_a_result_shows_a_table_and_its_picture() -> None:
    pytest.importorskip("altair", reason="needs the extra 'plots'")
    result = wg.weat(wg.open_vectors("default"), "weat6")
    shown = result._repr_html_()
    assert "<td>1.71</td>" in shown
    assert "<td>7.8e-05</td>" in shown
    assert "<svg" in shown
    assert wg.Results.of([result])._repr_html_().count("<tr>") == 2
    assert result.plot().to_dict() == wg.plot(result).to_dict()
    assert result.to_table().num_rows == 1


def test_without_the_extra_the_table_is_still_there(monkeypatch: pytest.MonkeyPatch) -> None:
    result = wg.weat(wg.open_vectors("default"), "weat6")

    def missing(*_: object, **__: object) -> None:
        raise wg.errors.MissingExtra("A picture", "plots")

    monkeypatch.setattr(type(result), "plot", missing)
    assert "<svg" not in result._repr_html_()
    assert "<table>" in result._repr_html_()


def test_hostile_words_are_escaped() -> None:
    rows = [{"<b>": "<script>alert(1)</script>", "words": ["a&b", "<i>"], "empty": None}]
    shown = html_table(rows, 3)
    assert "<script>" not in shown
    assert "&lt;b&gt;" in shown
    assert "a&amp;b, &lt;i&gt;" in shown
    assert "empty" not in shown
    assert "2 more rows" in shown
