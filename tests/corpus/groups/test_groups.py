"""The choice of texts and groups: bins, conditions, and documents with several values."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weatherglass as wg
from weatherglass.corpus import Corpus, Document, Grouping, open_corpus, open_permuted
from weatherglass.corpus.groups import parse_bins, parse_condition
from weatherglass.corpus.permutation import divide
from weatherglass.errors import CannotMeasure, UsageError

OPTIONS: dict[str, Any] = {
    "method": "ppmi-svd", "dim": 4, "min_count": 1, "bootstrap": 0, "min_size": 0, "workers": 1,
}  # fmt: skip


def speeches(tmp_path: Path) -> str:
    """Write speeches of presidents in two decades; name each president a document."""
    rows = [
        ("Adams", 1825, "adams early early"),
        ("Jackson", 1829, "jackson early"),
        ("Jackson", 1830, "jackson late late late"),
        ("Jackson", 1836, "jackson late"),
        ("Buren", 1837, "buren late"),
    ]
    path = tmp_path / "speeches.jsonl"
    lines = [
        {"president": name, "year": year, "decade": year // 10 * 10, "text": text}
        for name, year, text in rows
    ]
    path.write_text("\n".join(map(json.dumps, lines)))
    return f"{path}?documents=president"


def parts_of(source: Any, **options: Any) -> list[tuple[str, int, str]]:
    grouped = Grouping.of(**options).apply(open_corpus(source))
    return [(part.group, part.document, part.text) for part in grouped]


def test_a_document_with_several_values_is_divided_by_value(tmp_path: Path) -> None:
    assert parts_of(speeches(tmp_path), by="decade") == [
        ("1820", 0, "adams early early"),
        ("1820", 1, "jackson early"),
        ("1830", 1, "jackson late late late\njackson late"),
        ("1830", 2, "buren late"),
    ]


def test_training_counts_the_same_tokens_whatever_a_document_is(tmp_path: Path) -> None:
    source = speeches(tmp_path)
    by_president = wg.train(source, tmp_path / "a", by="decade", **OPTIONS).groups
    by_speech = wg.train(source.partition("?")[0], tmp_path / "b", by="decade", **OPTIONS).groups
    for decade in ("1820", "1830"):
        assert by_president[decade]["tokens"] == by_speech[decade]["tokens"]
        assert by_president[decade]["documents"] == 2
    assert by_president["1820"]["shared"] == {"1830": 1}
    assert "shared" not in by_speech["1820"]


def test_files_joined_by_a_column_of_the_table_are_divided_by_value(tmp_path: Path) -> None:
    folder = tmp_path / "texts"
    folder.mkdir()
    for name, text in {"1": "one", "2": "two", "3": "three"}.items():
        (folder / f"{name}.txt").write_text(text)
    table = tmp_path / "about.csv"
    table.write_text("file,writer,year\n1.txt,Ann,1791\n2.txt,Bea,1791\n3.txt,Ann,1802\n")
    source = f"{folder}?about={table}&documents=writer"
    groups = parts_of(source, by="year", bins="decade")
    assert groups == [("1790s", 0, "one"), ("1800s", 0, "three"), ("1790s", 1, "two")]


def test_parts_of_one_document_are_exchanged_with_each_other_only() -> None:
    numbers = np.array([0, 1, 2]), np.array([2, 3, 4, 5])  # 2 is in both
    both = {2, 3}  # its positions in the pool
    swapped = 0
    for seed in range(40):
        first, second = divide((3, 4), np.random.default_rng(seed), numbers)
        assert (len(first), len(second)) == (3, 4)
        assert sorted([*first, *second]) == list(range(7))
        assert len(both & set(first.tolist())) == len(both & set(second.tolist())) == 1
        swapped += 3 in first
    assert 8 < swapped < 32


def test_a_division_without_shared_documents_is_the_one_of_earlier_versions() -> None:
    numbers = np.arange(3), np.arange(3, 7)
    plain = divide((3, 4), np.random.default_rng(1))
    numbered = divide((3, 4), np.random.default_rng(1), numbers)
    assert all(np.array_equal(a, b) for a, b in zip(plain, numbered, strict=True))


def test_models_of_exchanged_documents_keep_both_parts_of_a_writer_apart(tmp_path: Path) -> None:
    rows = [
        {"writer": f"w{k}", "era": era, "text": f"part{chr(97 + k)} sea ship {era}"}
        for k in range(9)
        for era in ("early", "late")
    ]
    path = tmp_path / "eras.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    options = OPTIONS | {"by": "era", "permutations": 4}
    wg.train(f"{path}?documents=writer", tmp_path / "m", **options)
    permuted = open_permuted(tmp_path / "m", ("early", "late"), 4)
    assert len(permuted) == 4
    for models in permuted:
        for model in models:
            names = [word for word in model.words[:] if word.startswith("part")]
            assert len(names) == 9  # each writer once in each part
            assert model.counts is not None
            counts = dict(zip(model.words[:], model.counts.tolist(), strict=True))
            assert {counts[name] for name in names} == {1}


@pytest.mark.parametrize(
    ("bins", "names"),
    [
        ("decade", ["1790s", "1800s", "1900s"]),
        ("century", ["1700-1799", "1800-1899", "1900-1999"]),
        ("year", ["1791", "1799", "1802", "1901"]),
        ("1800,1900", ["to 1799", "1800-1899", "from 1900"]),
        ("1802,", ["to 1801", "from 1802"]),
        ([1800.5], ["under 1800.5", "from 1800.5"]),
        (2, ["1791-1799", "1802-1901"]),
        ("4", ["1791", "1799", "1802", "1901"]),
        ("50", ["1791", "1799", "1802", "1901"]),
    ],
)
def test_bins_divide_years_and_dates_in_their_order(bins: Any, names: list[str]) -> None:
    years = ["1901", "1802-03-01", "1799-12-31", "1791"]
    corpus = Corpus.of([Document("text", {"year": year}) for year in years])
    grouped = Grouping.of(by="year", bins=bins).apply(corpus)
    groups = {part.group for part in grouped}
    assert grouped.order(groups) == names
    values = [grouped.value(name) for name in names]
    assert all(value is not None for value in values)
    assert values == sorted(values)  # type: ignore[type-var]


def test_equal_numbers_are_in_the_same_bin() -> None:
    bins = parse_bins("3").fit([1, 1, 1, 1, 1, 2, 3])
    assert {bins.name(1), bins.name(2), bins.name(3)} == {"1", "2-3"}


def test_numeric_groups_are_ordered_by_number_not_by_spelling() -> None:
    corpus = Corpus.of([Document("text", {"part": part}) for part in ("10", "9", "1")])
    grouped = Grouping.of(by="part").apply(corpus)
    assert grouped.order({part.group for part in grouped}) == ["1", "9", "10"]


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("party=Whig", ["a"]),
        ("party = Whig|Democratic", ["a", "b"]),
        ("party!=Whig", ["b"]),
        ("year>=1850", ["b", "c"]),
        ("year<1850", ["a"]),
        ("year=1850.0", ["b"]),
        ("date>1861-03", ["c"]),
        ("date<=1861", ["b", "c"]),
    ],
)
def test_conditions_choose_texts(condition: str, expected: list[str]) -> None:
    corpus = Corpus.of(
        [
            Document("a", {"party": "Whig", "year": "1841"}),
            Document("b", {"party": "Democratic", "year": "1850", "date": "1861-01-01"}),
            Document("c", {"year": "1870", "date": "1861-12-03"}),
        ]
    )
    assert [part.text for part in Grouping.of(where=condition).apply(corpus)] == expected


def test_all_conditions_must_hold_and_apply_to_rows_of_a_document(tmp_path: Path) -> None:
    chosen = parts_of(speeches(tmp_path), where=["year>=1829", "year<1836"])
    assert chosen == [("", 1, "jackson early\njackson late late late")]


@pytest.mark.parametrize("text", ["party", "=x", "year>=", "year>=Whig", "__import__('os')", ""])
def test_what_is_not_a_condition_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="condition"):
        parse_condition(text)


@pytest.mark.parametrize("bins", ["1", "1945", "decades", "1900,x", ""])
def test_what_are_not_bins_is_refused(bins: str) -> None:
    with pytest.raises(UsageError, match="bins"):
        parse_bins(bins)


def test_wrong_choices_are_refused_with_what_there_is(tmp_path: Path) -> None:
    source = speeches(tmp_path)
    with pytest.raises(UsageError, match=r"group '1840'; the groups are '1820', '1830'"):
        parts_of(source, by="decade", only=["1840"])
    with pytest.raises(UsageError, match="neither numbers nor dates"):
        parts_of(source, by="president", bins="decade")
    with pytest.raises(UsageError, match="neither numbers nor dates"):
        parts_of(source, by="president", bins=3)
    with pytest.raises(UsageError, match="give the column"):
        parts_of(source, bins="decade")
    with pytest.raises(CannotMeasure, match=r"No document of .* meets 'year>2000'"):
        parts_of(source, where=["year>2000"])
    with pytest.raises(UsageError, match="Did you mean"):
        parts_of(source, where=["yaer>1800"])


def test_texts_without_a_value_are_counted(tmp_path: Path) -> None:
    corpus = Corpus.of([Document("a", {"year": "1790"}), Document("b", {"year": "?"})])
    grouped = Grouping.of(by="year", bins="decade").apply(corpus)
    assert len(list(grouped)) == 1
    assert grouped.notes() == [
        "1 documents have neither a number nor a date in year and were left out"
    ]


def test_models_of_a_group_are_used_again_when_other_groups_are_chosen(tmp_path: Path) -> None:
    source, folder = speeches(tmp_path), tmp_path / "m"
    options = OPTIONS | {"by": "decade"}
    wg.train(source, folder, only=["1830"], **options)
    before = (folder / "1830/full.parquet").stat().st_mtime_ns
    trained = wg.train(source, folder, **options)
    assert trained.models == ("1820/full", "1830/full")
    assert (folder / "1830/full.parquet").stat().st_mtime_ns == before
    assert wg.train(source, folder, only="1830", **options).models == ("1830/full",)


def test_groups_with_similar_names_never_share_a_model(tmp_path: Path) -> None:
    """Both are trained in the folder `x_y`, if only one of them is chosen."""
    rows = [Document(f"{word} sea", {"k": name}) for name, word in [("x/y", "up"), ("x y", "low")]]
    options = OPTIONS | {"by": "k"}
    wg.train(rows, tmp_path / "m", only="x/y", **options)
    (model,) = wg.train(rows, tmp_path / "m", only="x y", **options).open()
    assert "low" in list(model.vectors.words)


def test_the_order_of_options_does_not_matter(tmp_path: Path) -> None:
    source, folder = speeches(tmp_path), tmp_path / "m"
    options = OPTIONS | {"by": "decade"}
    where = ["year>=1800", "president!=Adams"]
    wg.train(source, folder, only=["1830", "1820"], where=where, **options)
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    wg.train(source, folder, only=["1820", "1830"], where=where[::-1], **options)
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == before
    with pytest.raises(UsageError, match="trained with where"):
        wg.train(source, folder, where=where[:1], **options)
    with pytest.raises(UsageError, match="trained with where"):
        wg.train(source, folder, **options)


@pytest.mark.slow
def test_exchanging_parts_within_documents_keeps_the_level_and_gains_power() -> None:
    """Writers in both groups share an effect; exchanging all parts freely ignores that."""
    from weatherglass.significance import permuted_difference

    shared, alone, permutations, repeats = 15, 6, 20, 400
    size = shared + alone
    numbers = np.arange(size), np.concatenate([np.arange(shared), size + np.arange(alone)])
    rng = np.random.default_rng(8)
    rejected = {(kind, shift): 0 for kind in ("within", "freely") for shift in (0.0, 0.5)}
    for _ in range(repeats):
        writers = rng.normal(size=size + alone)
        pooled = writers[np.concatenate(numbers)]
        for kind, shift in rejected:
            values = pooled + rng.normal(scale=0.5, size=2 * size)
            values[:size] += shift
            drawn = [
                values[first].mean() - values[second].mean()
                for first, second in (
                    divide((size, size), rng, numbers if kind == "within" else None)
                    for _ in range(permutations)
                )
            ]
            difference = float(values[:size].mean() - values[size:].mean())
            p = permuted_difference(difference, drawn, equal_sizes=True).p
            rejected[kind, shift] += p <= 0.05
    assert 8 <= rejected["within", 0.0] <= 34  # 20 expected; binomial 99.9 % limits
    assert rejected["freely", 0.0] <= 12  # too few: the test is conservative
    assert rejected["within", 0.5] > rejected["freely", 0.5] + 40
