"""CSV and TSV that spreadsheets do not run."""

import csv
import io

import pytest

from weatherglass._files import delimited_text


@pytest.mark.parametrize("cell", ["=1+1", "+1+1", "-x", "@A1", "\tx", "\rx", "=", "-0.1 to 0.2"])
def test_a_text_that_a_spreadsheet_would_run_gets_an_apostrophe(cell):
    assert read(delimited_text([[cell]])) == [["'" + cell]]
    assert read(delimited_text([[cell]], raw_cells=True)) == [[cell]]


@pytest.mark.parametrize("cell", ["x=1", "", "1.5", "-1.5", "+0.2", "-1e-5", "'=1", "naïve"])
def test_other_texts_and_formatted_numbers_are_unchanged(cell):
    assert read(delimited_text([[cell, -1.5, 3, None]])) == [[cell, "-1.5", "3", ""]]


def read(text):
    return list(csv.reader(io.StringIO(text, newline="")))
