"""The nine columns of May et al. (2019), Holm's correction over them, and their figure."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import weatherglass as wg
from weatherglass.errors import BadContent, CannotMeasure
from weatherglass.measures import SeatRow
from weatherglass.significance import holm

COLUMNS = "model\toptions\ttest\tp_value\teffect_size\tnum_targ1\tnum_targ2\tnum_attr1\tnum_attr2"


@pytest.fixture(scope="module")
def results() -> wg.Results[wg.SeatResult]:
    tests = ["weat6", "sent-weat6", "weat7", "weat10"]
    return wg.seat("cbow:default", tests, method="paper", cache=False)


def make_table(p_values: list[float]) -> wg.SeatTable:
    rows = [SeatRow("m", "", f"t{k}", p, 0.5, 8, 8, 8, 8) for k, p in enumerate(p_values)]
    return wg.SeatTable(rows=tuple(rows))


def test_the_columns_are_those_of_the_authors_file(results: wg.Results[wg.SeatResult]) -> None:
    text = wg.SeatTable.of(results).to_tsv()
    assert text.splitlines()[0] == COLUMNS
    assert all(line.count("\t") == 8 for line in text.splitlines())


def test_a_table_is_read_back_without_loss(
    results: wg.Results[wg.SeatResult], tmp_path: Path
) -> None:
    table = wg.SeatTable.of(results)
    assert wg.SeatTable.from_tsv(table.to_tsv()) == table
    (tmp_path / "results.tsv").write_text(table.to_tsv(), encoding="utf-8")
    assert wg.SeatTable.read(tmp_path / "results.tsv") == table
    assert wg.SeatTable.from_json(table.to_json()) == table


def test_rows_have_the_papers_numbers_over_sentences(results: wg.Results[wg.SeatResult]) -> None:
    rows = {row.test: row for row in wg.SeatTable.of(results).rows}
    for result in results:
        row = rows[result.test]
        assert row.effect_size == result.effect
        assert result.p is not None
        assert row.p_value == result.p.value
    assert (rows["sent-weat6"].num_targ1, rows["weat6"].num_targ1) == (64, 8)


def test_the_options_of_a_model_have_a_column_of_their_own() -> None:
    table = wg.SeatTable.from_tsv(
        f"{COLUMNS}\nbert\tversion=large\tweat1\t0.5\t0.1\t25\t25\t25\t25\n"
    )
    assert table.rows[0].encoder == "bert?version=large"
    assert table.encoders == ("bert?version=large",)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30), st.sampled_from([0.01, 0.05, 0.5]))
def test_the_rule_of_section_d_rejects_what_holms_adjusted_p_values_do(
    p_values: list[float], alpha: float
) -> None:
    adjusted = holm(p_values)
    near = np.abs(adjusted - alpha) < 1e-9  # a product and a quotient round differently
    rejected = np.array(make_table(p_values).rejected(alpha))
    assert (rejected == (adjusted <= alpha))[~near].all()


def test_the_correction_stops_at_the_first_rank_that_fails() -> None:
    # Ranks 1 to 4 may have 0.0025, 0.0033, 0.005 and 0.01: the third fails, and the fourth with it.
    table = make_table([0.001, 0.0033, 0.0051, 0.0052])
    assert table.rejected(0.01) == (True, True, False, False)
    assert make_table([0.009]).rejected(0.01) == (True,)


def test_tables_of_several_encoders_are_corrected_together(
    results: wg.Results[wg.SeatResult],
) -> None:
    table = wg.SeatTable.of(results)
    noise = make_table([0.5] * 2000)
    joined = table + noise
    assert len(joined.rows) == len(table.rows) + 2000
    assert sum(joined.rejected()) < sum(table.rejected())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no column model"),
        (COLUMNS.replace("p_value", "p"), "no column p_value"),
        (f"{COLUMNS}\nm\t\tt\t2\t0\t1\t1\t1\t1", r"not in \[0, 1\]"),
        (f"{COLUMNS}\nm\t\tt\tnan\t0\t1\t1\t1\t1", r"not in \[0, 1\]"),
        (f"{COLUMNS}\nm\t\tt\t0.5\tinf\t1\t1\t1\t1", "no effect size"),
        (f"{COLUMNS}\nm\t\tt\t0.5\t0\tx\t1\t1\t1", "Line 2"),
        (f"{COLUMNS}\nm\t\tt\t0.5\t0\t-1\t1\t1\t1", "negative number"),
        (f"{COLUMNS}\nm\t\tt\t0.5", "Line 2 has 4 cells"),
        (f"{COLUMNS}\tmodel\n", "occurs twice"),
    ],
)
def test_a_damaged_table_is_refused_with_the_line(text: str, message: str) -> None:
    with pytest.raises(BadContent, match=message):
        wg.SeatTable.from_tsv(text)


def test_a_table_without_rows_is_refused() -> None:
    with pytest.raises(CannotMeasure, match="no rows"):
        wg.SeatTable.from_tsv(COLUMNS + "\n")


def test_the_figure_fills_the_cells_that_are_significant_after_holm() -> None:
    table = make_table([0.001, 0.5]) + wg.SeatTable(
        rows=(SeatRow("other", "", "t0", 0.0001, -0.7, 8, 8, 8, 8),)
    )
    spec = wg.plot(table).to_dict()
    values = {(row["encoder"], row["test"]): row["result"] for row in spec["data"]["values"]}
    assert values == {
        ("m", "t0"): "significant, effect above 0",
        ("m", "t1"): "not significant",
        ("other", "t0"): "significant, effect below 0",
    }
    assert "0.01" in spec["title"]["text"]
