"""Questions to the results of one audit or of many."""

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

from .run_folder import RESULTS, read_run

Folder = str | PathLike[str]


def collected(folders: Iterable[Folder]) -> Any:
    """The results of audits as one `pyarrow.Table`: a row for each test or measure on each source,
    with the facts about the source as columns, and `folder`, where it lies."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    tables = []
    for one in folders:
        path = Path(one) / f"{RESULTS}.parquet"
        if not path.is_file():
            raise SourceNotFound(f"{one} is not the folder of an audit: it has no {path.name}.")
        try:
            table = pq.read_table(path)
            table.validate(full=True)  # text that is none would only be seen later
        except (pa.ArrowException, OSError, ValueError) as error:
            raise BadContent(f"{path} is not a result set in Parquet ({error}).") from None
        ours = [name for name in ("record", "folder") if name in table.schema.names]
        table = table.drop_columns(ours)
        tables.append(table.append_column("folder", pa.array([str(one)] * len(table), pa.string())))
    if not tables:
        raise UsageError("Name the folder of an audit.")
    try:
        return pa.concat_tables(tables, promote_options="permissive")
    except pa.ArrowException as error:
        raise BadContent(f"The results of these folders do not fit together ({error}).") from None


def query(sql: str, folders: Folder | Sequence[Folder] = "audit") -> list[dict[str, Any]]:
    """Ask the results of audits a question in SQL.

    Parameters
    ----------
    sql
        A query on the table ``results``, in the language of DuckDB. It sees nothing else: no file,
        no network, no variable.
    folders
        Folders that `audit` wrote.

    Returns
    -------
    list of dict
        The rows, each with its columns by name; a name that comes twice gets a number.

    Raises
    ------
    MissingExtra
        The extra ``query`` is not installed.
    UsageError
        The query is wrong, or asks for what it must not see.

    Examples
    --------
    >>> import tempfile
    >>> import weatherglass as wg
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     found = wg.audit("default", out=folder, suite="quick")
    ...     wg.query("SELECT count(*) AS n FROM results WHERE measure = 'weat'", folder)
    [{'n': 10}]
    """
    try:
        import duckdb
    except ImportError:
        raise MissingExtra("A query", "query") from None
    results = collected([folders] if isinstance(folders, str | PathLike) else folders)
    with duckdb.connect(":memory:") as database:
        database.execute("SET python_enable_replacements = false")
        database.register("given", results)
        database.execute("CREATE TABLE results AS SELECT * FROM given")
        database.unregister("given")
        database.execute("SET enable_external_access = false")
        database.execute("SET lock_configuration = true")
        try:
            database.execute(sql)
            names = _apart([column[0] for column in database.description or ()])
            return [dict(zip(names, row, strict=True)) for row in database.fetchall()]
        except Exception as error:  # the library also lets out what its C++ has thrown
            reason = " ".join(str(error).split())
            raise UsageError(f"The query cannot be run: {reason}") from None


def _apart(names: list[str]) -> list[str]:
    """Each column under a name of its own.

    >>> _apart(["test", "n", "n"])
    ['test', 'n', 'n_2']
    """
    seen: Counter[str] = Counter()
    made = []
    for name in names:
        seen[name] += 1
        made.append(name if seen[name] == 1 else f"{name}_{seen[name]}")
    return made


def rank(
    test: str,
    folders: Folder | Sequence[Folder] = "audit",
    *,
    measure: str | None = None,
    ascending: bool = False,
) -> list[dict[str, Any]]:
    """The sources of audits in the order of their effect in a test.

    Parameters
    ----------
    test
        The id of a test or measure.
    folders
        Folders that `audit` wrote.
    measure
        Only this measure, where several have results under the same id.
    ascending
        The smallest effect first.

    Returns
    -------
    list of dict
        For each source its place, name, facts, effect and p-values; those without an effect last.

    Examples
    --------
    >>> import tempfile
    >>> import weatherglass as wg
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     found = wg.audit("default", out=folder, suite="quick")
    ...     (first,) = wg.rank("weat6", folder)
    >>> first["rank"], first["source"], round(first["effect"], 2)
    (1, 'default', 1.71)
    """
    several = [folders] if isinstance(folders, str | PathLike) else list(folders)
    every = collected(several).to_pylist()
    rows = [one for one in every if one["test"] == test and measure in (None, one["measure"])]
    if not rows:
        known = {one["test"] for one in every}
        raise UsageError(f"No result has the test {quote_safe(test)}.{did_you_mean(test, known)}")
    rows.sort(key=lambda one: _order(one["effect_size"], ascending))
    facts = {
        (str(folder), source["name"]): source.get("facts", {})
        for folder in several
        for source in read_run(Path(folder))["sources"]
    }
    columns = dict.fromkeys(name for some in facts.values() for name in some)
    made = []
    for place, one in enumerate(rows, 1):
        row = {"rank": place, "source": one["model"]}
        row |= {"folder": one["folder"]} if len(several) > 1 else {}
        ours = {"effect": one["effect_size"], "p": one["p_value"], "p_holm": one.get("p_holm")}
        ours["reason"] = one["reason"]
        for name in columns:
            known_fact = facts.get((one["folder"], one["model"]), {}).get(name)
            row[f"fact_{name}" if name in row or name in ours else name] = known_fact
        made.append(row | ours)
    return made


def _order(effect: float | None, ascending: bool) -> tuple[bool, float]:
    if effect is None:
        return True, 0.0
    return False, effect if ascending else -effect
