"""Formulas of columns: the grammar, numbers and categories, and what is compared."""

import numpy as np
import pytest

from weatherglass.errors import UsageError
from weatherglass.seedlab.groups.formula import (
    Column,
    Term,
    covariates,
    list_contrasts,
    parse_formula,
    values_of,
)


def test_a_formula_is_a_sum_of_columns():
    assert parse_formula("party + C( year )+`a + b`+born in") == (
        Term("party"),
        Term("year", is_category=True),
        Term("a + b"),
        Term("born in"),
    )
    assert " + ".join(map(str, parse_formula("C(`a + b`) + c"))) == "C(`a + b`) + c"


@pytest.mark.parametrize(
    "formula", ["", "party +", "y ~ party", "party * year", "party:year", "C(party", "log(year)"]
)
def test_anything_but_a_sum_of_columns_is_refused(formula):
    with pytest.raises(UsageError, match="not a sum of columns"):
        parse_formula(formula)


def test_a_column_named_twice_is_refused():
    with pytest.raises(UsageError, match="'party' twice"):
        parse_formula("party + C(party)")


def test_three_different_numbers_are_numbers_unless_written_as_categories():
    years = ["1900", "1904", "1908", "1900"]
    assert Column.of(Term("year"), years).values.tolist() == [1900, 1904, 1908, 1900]
    assert Column.of(Term("year", is_category=True), years).levels == ("1900", "1904", "1908")
    assert Column.of(Term("code"), ["0", "1", "1"]).levels == ("0", "1")
    assert Column.of(Term("year"), [*years, "unknown"]).levels == (
        *("1900", "1904", "1908"),
        "unknown",
    )


def test_documents_without_a_value_are_left_out():
    terms = parse_formula("party + year")
    documents = [{"party": "D", "year": "1"}, {"year": "2"}, {"party": "R", "year": "3"}, {}]
    columns, is_complete = values_of(terms, documents)
    assert is_complete.tolist() == [True, False, True, False]
    assert [column.levels for column in columns] == [("D", "R"), ("1", "3")]


def test_every_two_categories_are_compared_and_numbers_by_their_standard_deviation():
    group = Column("g", np.array([0.0, 1, 2, 0]), ("a", "b", "c"))
    year = Column("year", np.array([1900.0, 1902, 1904, 1906]))
    contrasts = list_contrasts([group, year])
    assert [contrast.groups for contrast, _, _ in contrasts] == [
        ("a", "b"),
        ("a", "c"),
        ("b", "c"),
        (),
    ]
    _, chosen, labels = contrasts[1]
    assert (chosen.tolist(), labels.tolist()) == ([0, 2, 3], [1, 0, 1])
    contrast, chosen, labels = contrasts[3]
    assert contrast.step == pytest.approx(np.std([0, 2, 4, 6]))
    assert np.std(labels) == pytest.approx(1)
    against = list_contrasts([group], "b")
    assert [contrast.groups for contrast, _, _ in against] == [("a", "b"), ("c", "b")]
    only = list_contrasts([group], only=("a", "c"))
    assert [contrast.groups for contrast, _, _ in only] == [("a", "c")]


def test_groups_that_cannot_be_compared_are_refused():
    group = Column("g", np.array([0.0, 1]), ("left", "right"))
    with pytest.raises(UsageError, match="Did you mean left"):
        list_contrasts([group], "lefd")
    with pytest.raises(UsageError, match="no group 'x'"):
        list_contrasts([group], only=("x", "left"))
    with pytest.raises(UsageError, match="two are needed"):
        list_contrasts([group], only=("left",))
    many = Column("g", np.arange(30.0), tuple(map(str, range(30))))
    with pytest.raises(UsageError, match="30 values"):
        list_contrasts([many])


def test_covariates_are_the_other_columns():
    group = Column("g", np.array([0.0, 0, 1, 2]), ("a", "b", "c"))
    year = Column("year", np.array([1.0, 2, 3, 6]))
    chosen = np.array([0, 1, 2])
    assert covariates([group, year], "g", chosen) == pytest.approx(
        np.array([[-1], [0], [1]]) * np.sqrt(1.5)
    )
    assert covariates([group, year], "year", chosen).tolist() == [[0], [0], [1]]
    assert covariates([group], "g", chosen).shape == (3, 0)
