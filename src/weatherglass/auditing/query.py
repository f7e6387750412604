"""Queries on the results of one or more audits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from weatherglass.errors import (
    BadContent,
    MissingExtra,
    SourceNotFound,
    UsageError,
    did_you_mean,
    quote_safe,
)

from .run_folder import RESULTS, open_audit, read_run

Folder = str | PathLike[str]


_NUMBERS = ("effect", "p", "p_corrected", "grade")
_SENTENCE_NUMBERS = ("effect_sentences", "p_sentences")


def collect_results(folders: Iterable[Folder]) -> Any:
    """Return the results of audits as a `pyarrow.Table`.

    It has a row for each test or measure on each source, with the facts about the source as
    columns, and the audit's `folder`; see `weatherglass.query`.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    tables = []
    for folder in folders:
        path = Path(folder) / f"{RESULTS}.parquet"
        if not path.is_file():
            raise SourceNotFound(f"{folder} is not the folder of an audit: it has no {path.name}.")
        try:
            table = pq.read_table(path)
            table.validate(full=True)  # finds text that is not UTF-8, which would fail later
        except (pa.ArrowException, OSError, ValueError) as error:
            raise BadContent(f"{path} is not a result set in Parquet ({error}).") from None
        if "grade" not in table.schema.names:  # of an earlier version, which had no findings
            table = open_audit(folder).results.to_table()
        unwanted = [name for name in ("record", "folder") if name in table.schema.names]
        table = table.drop_columns(unwanted)
        column = pa.array([str(folder)] * len(table), pa.string())
        tables.append(table.append_column("folder", column))
    if not tables:
        raise UsageError("Name the folder of at least one audit.")
    try:
        return pa.concat_tables(tables, promote_options="permissive")
    except pa.ArrowException as error:
        raise BadContent(
            f"The results of these folders have different column types ({error})."
        ) from None


def query(sql: str, folders: Folder | Sequence[Folder] = "audit") -> list[dict[str, Any]]:
    """Query the results of audits in SQL.

    Parameters
    ----------
    sql
        A query on the table ``results``, in DuckDB's dialect. It has access to nothing else: no
        file, no network, no variable.
    folders
        Folders that `audit` wrote.

    Returns
    -------
    list of dict
        The rows, each a mapping of column names to values; duplicate column names get a number.

    Notes
    -----
    ``effect``, ``p``, ``p_corrected``, ``grade`` and ``finding`` are those of the finding, the same
    as in `rank` and in the report: by word for sentence tests; p two-sided unless a direction was
    declared, and corrected over all tests of the source. The numbers that a paper prints are in
    ``effect_size`` and ``p_value`` (as tested, over sentences for sentence tests), and again in
    ``effect_sentences`` and ``p_sentences``.

    Raises
    ------
    MissingExtra
        The extra ``query`` is not installed.
    UsageError
        The query is wrong, or reads something other than the table.

    Examples
    --------
    >>> import tempfile
    >>> import weatherglass as wg
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     audited = wg.audit("default", out=folder, suite="quick")
    ...     wg.query("SELECT count(*) AS n FROM results WHERE measure = 'weat'", folder)
    [{'n': 10}]
    """
    try:
        import duckdb
    except ImportError:
        raise MissingExtra("A query", "query") from None
    results = collect_results([folders] if isinstance(folders, str | PathLike) else folders)
    with duckdb.connect(":memory:") as database:
        database.execute("SET python_enable_replacements = false")
        database.register("given", results)
        database.execute("CREATE TABLE results AS SELECT * FROM given")
        database.unregister("given")
        database.execute("SET enable_external_access = false")
        database.execute("SET lock_configuration = true")
        try:
            database.execute(sql)
            names = _number_duplicates([column[0] for column in database.description or ()])
            return [dict(zip(names, row, strict=True)) for row in database.fetchall()]
        except Exception as error:  # errors of its C++ code are of no common class
            reason = " ".join(str(error).split())
            raise UsageError(f"The query cannot be run: {reason}") from None


def _number_duplicates(names: list[str]) -> list[str]:
    """Make column names unique.

    >>> _number_duplicates(["test", "n", "n"])
    ['test', 'n', 'n_2']
    """
    counts: Counter[str] = Counter()
    unique = []
    for name in names:
        counts[name] += 1
        unique.append(name if counts[name] == 1 else f"{name}_{counts[name]}")
    return unique


def rank(
    test: str,
    folders: Folder | Sequence[Folder] = "audit",
    *,
    measure: str | None = None,
    ascending: bool = False,
) -> list[dict[str, Any]]:
    """Rank the sources of audits by their effect size in a test.

    Parameters
    ----------
    test
        The id of a test or measure.
    folders
        Folders that `audit` wrote.
    measure
        Only this measure, if several have results under the same id.
    ascending
        Smallest effect first; by default the largest.

    Returns
    -------
    list of dict
        For each source its rank, name, facts, and the numbers of its finding: effect size, p-value
        (two-sided unless a direction was declared), p-value corrected over all tests of the source,
        grade and sentence. Sentence tests count each word once; ``effect_sentences`` and
        ``p_sentences`` are the paper's numbers, which count sentences. Sources without an effect
        size come last.

    Examples
    --------
    >>> import tempfile
    >>> import weatherglass as wg
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     audited = wg.audit("default", out=folder, suite="quick")
    ...     (first,) = wg.rank("weat6", folder)
    >>> first["rank"], first["source"], round(first["effect"], 2), first["grade"]
    (1, 'default', 1.71, 'clear')
    """
    paths = [folders] if isinstance(folders, str | PathLike) else list(folders)
    table = collect_results(paths).to_pylist()
    rows = [row for row in table if row["test"] == test and measure in (None, row["measure"])]
    if not rows:
        known = {row["test"] for row in table}
        raise UsageError(f"No result has the test {quote_safe(test)}.{did_you_mean(test, known)}")
    rows.sort(key=lambda row: _sort_key(row["effect"], ascending))
    facts = {
        (str(path), source.name): source.facts
        for path in paths
        for source in read_run(Path(path)).sources
    }
    fact_names = dict.fromkeys(name for known_facts in facts.values() for name in known_facts)
    ranked = []
    for rank, row in enumerate(rows, 1):
        head = {"rank": rank, "source": row["model"]}
        head |= {"folder": row["folder"]} if len(paths) > 1 else {}
        numbers = {name: row[name] for name in _NUMBERS}
        if row.get("effect_sentences") is not None:
            numbers |= {name: row[name] for name in _SENTENCE_NUMBERS}
        numbers |= {"finding": row["finding"], "reason": row["reason"]}
        for name in fact_names:
            value = facts.get((row["folder"], row["model"]), {}).get(name)
            head[f"fact_{name}" if name in head or name in numbers else name] = value
        ranked.append(head | numbers)
    return ranked


def _sort_key(effect: float | None, ascending: bool) -> tuple[bool, float]:
    if effect is None:
        return True, 0.0
    return False, effect if ascending else -effect
