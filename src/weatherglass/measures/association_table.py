"""`AssociationTable`: associations of targets with attributes that come from elsewhere.

Cosine similarity is one way to get such a table. Others are ratings by people, counts, scores of a
retrieval system, or probabilities of a language model.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from weatherglass.errors import BadContent, CannotMeasure, join_first, quote_safe
from weatherglass.vectors import Vectors

if TYPE_CHECKING:
    from os import PathLike

    from weatherglass.catalog import FactualTest, GroupsTest, Test
    from weatherglass.vectors import ArrowStream, Case

    from .embedding import Source

Floats = NDArray[np.float64]

NOT_FOR_TABLES = "not for tables"
"""The reason of what needs the geometry of vectors: rotation, baseline, controls."""


@dataclass(frozen=True, eq=False, init=False)
class AssociationTable:
    """A table of associations: a row for each target, a column for each attribute.

    `weat`, `wefat`, `generalised_weat`, `norms`, ``measure(…, "sc-weat", …)``, `multiverse`,
    `audit` and `check` accept it in place of vectors, with the values of the table in place of
    cosines. What needs the geometry of vectors (rotation p-value, baseline, controls) is not for
    tables.

    Attributes
    ----------
    values
        The numbers, with a row for each target and a column for each attribute; NaN where a pair
        has no value.
    rows, columns
        The targets and the attributes.
    source
        What results call it.
    fingerprint
        A hash of the content.

    Examples
    --------
    >>> import weatherglass as wg
    >>> table = wg.AssociationTable([[5, 1], [4, 2], [2, 5], [1, 4]],
    ...     rows=["rose", "lily", "wasp", "gnat"], columns=["kind", "foul"])
    >>> insects = wg.Test(x=["rose", "lily"], y=["wasp", "gnat"], a=["kind"], b=["foul"])
    >>> result = wg.weat(table, insects)
    >>> round(result.effect, 2), result.p.fraction, result.associations["X"]
    (1.69, '2/6', (4.0, 2.0))
    """

    values: Floats
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    source: str = "table"
    fingerprint: str = field(init=False, default="")
    _sides: dict[str, Vectors] = field(init=False, repr=False, default_factory=dict)

    def __init__(
        self,
        values: ArrayLike,
        rows: Iterable[str],
        columns: Iterable[str],
        source: str = "table",
    ) -> None:
        targets, attributes = _check_words(rows, "rows"), _check_words(columns, "columns")
        table = _check_values(values, len(targets), len(attributes))
        fields = {"values": table, "rows": targets, "columns": attributes, "source": source}
        for name, value in fields.items():
            object.__setattr__(self, name, value)
        digest = hashlib.blake2b(table.astype("<f8").tobytes(), digest_size=16)
        for words in (targets, attributes):
            digest.update(repr(words).encode("utf-8", "surrogatepass"))
        object.__setattr__(self, "fingerprint", digest.hexdigest())
        object.__setattr__(self, "_sides", _sides(table, targets, attributes, source))

    @classmethod
    def from_frame(
        cls, frame: ArrowStream | Any, *, source: str = "", **columns: str
    ) -> AssociationTable:
        """Return the table in a data frame of pandas, polars or Arrow.

        Parameters
        ----------
        frame
            A wide table, with a column of targets and a column of numbers for each attribute; or a
            long one, with a row for each pair: ``target``, ``attribute``, ``value`` and perhaps
            ``trial``. Repeated pairs are averaged.
        source
            What results call it; by default the name of its class.
        **columns
            The columns, where they have other names: ``rows`` for the targets of a wide table;
            ``target``, ``attribute`` and ``value`` for a long one.

        Examples
        --------
        >>> import pyarrow as pa
        >>> long = pa.table({"target": ["a", "a", "b"], "attribute": ["x", "x", "x"],
        ...                  "value": [1.0, 3.0, 5.0]})
        >>> AssociationTable.from_frame(long).values.tolist()
        [[2.0], [5.0]]
        """
        from .table_files import table_from_frame

        return table_from_frame(frame, source or type(frame).__name__, columns)

    @classmethod
    def from_source(
        cls,
        source: Source,
        tests: Iterable[Test | FactualTest | GroupsTest | str],
        *,
        case: Case = "auto",
    ) -> AssociationTable:
        """Return the cosines of the targets of tests with their attributes.

        Each test gives the same numbers on the table as on the source, to the last bit.

        Parameters
        ----------
        source
            Any source of vectors; see `weatherglass.as_source`.
        tests
            Tests, or their ids in the catalogue.
        case
            As for `weatherglass.weat`.

        Examples
        --------
        >>> import weatherglass as wg
        >>> table = wg.AssociationTable.from_source("default", ["weat6", "weat7"])
        >>> table
        <AssociationTable default: 32 × 32>
        >>> wg.weat(table, "weat6").effect == wg.weat("default", "weat6").effect
        True
        """
        from .cosine_table import cosine_table

        return cosine_table(source, tests, case)

    @classmethod
    def read(cls, path: str | PathLike[str], **columns: str) -> AssociationTable:
        """Read a CSV, TSV, Parquet or Arrow file; the options are those of `from_frame`."""
        from .table_files import read_table

        return read_table(path, columns)

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return f"<AssociationTable {self.source}: {len(self.rows):,} × {len(self.columns):,}>"

    @property
    def targets(self) -> Vectors:
        """The rows as vectors: the coordinates of a target are its values, one per attribute."""
        return self._sides["targets"]

    @property
    def attributes(self) -> Vectors:
        """The columns as vectors: an attribute is an axis of the space of the targets.

        So the inner product of a target and an attribute is exactly the value in the table, and all
        that is computed from inner products is computed as for vectors.
        """
        return self._sides["attributes"]

    def named(self, source: str) -> AssociationTable:
        """Return the same table under another name."""
        if source == self.source:
            return self
        return AssociationTable(self.values, self.rows, self.columns, source)

    def gap_reason(self, targets: Sequence[str], attributes: Sequence[str]) -> str:
        """Return which pair of words has no value; empty if all have one."""
        if not targets or not attributes:
            return ""
        at = self.targets.words.find(targets), self.attributes.words.find(attributes)
        gaps = np.argwhere(np.isnan(self.values[np.ix_(*at)]))
        if not len(gaps):
            return ""
        target, attribute = targets[gaps[0][0]], attributes[gaps[0][1]]
        more = f" and {len(gaps) - 1:,} other pairs" if len(gaps) > 1 else ""
        return f"the table has no value for {quote_safe(target)} with {quote_safe(attribute)}{more}"

    def write(self, path: str | PathLike[str]) -> None:
        """Write the table as CSV, TSV, Parquet or Arrow, by the suffix; no digit is lost."""
        from .table_files import write_table

        write_table(self, path)


Embedding = Vectors | AssociationTable
"""What an association test measures."""


class TableSide(Vectors):
    """The rows or the columns of a table."""


class _Targets(TableSide):
    """The rows of a table; they keep their lengths, because they are values and not directions."""

    def unit_at(self, positions: NDArray[np.intp]) -> Floats:
        return np.array(self.matrix[positions], dtype=np.float64)


class _Attributes(TableSide):
    """The columns of a table as axes, made when they are asked for; `matrix` only counts them."""

    def unit_at(self, positions: NDArray[np.intp]) -> Floats:
        axes = np.zeros((len(positions), len(self)))
        axes[np.arange(len(positions)), positions] = 1.0
        return axes


def side_of(embedding: Embedding, is_target: bool) -> Vectors:
    """Return where the words of a set are looked up: a table has targets and attributes apart."""
    if isinstance(embedding, AssociationTable):
        return embedding.targets if is_target else embedding.attributes
    return embedding


def need_vectors(embedding: Embedding, what: str) -> Vectors:
    """Return vectors; raise `CannotMeasure` for a table.

    `what` begins the message: ``RIPA``.
    """
    if isinstance(embedding, AssociationTable):
        raise CannotMeasure(f"{what} needs vectors: it is {NOT_FOR_TABLES}.")
    return embedding


def _sides(
    table: Floats, targets: tuple[str, ...], attributes: tuple[str, ...], source: str
) -> dict[str, Vectors]:
    # Pairs without a value must not spoil the others: zero times anything is zero, NaN is not.
    rows = Vectors.of(targets, np.nan_to_num(table, nan=0.0), source=source)
    axes = Vectors.of(attributes, np.ones((len(attributes), 1)), source=source)
    shared: dict[str, Any] = {"cased": rows.cased or axes.cased, "unusable": np.empty(0, np.int64)}
    return {
        "targets": _Targets(**(vars(rows) | shared)),
        "attributes": _Attributes(**(vars(axes) | shared)),
    }


def _check_words(words: Iterable[str], what: str) -> tuple[str, ...]:
    listed = () if isinstance(words, str) else tuple(words)
    wrong = next((word for word in listed if not isinstance(word, str) or not word.strip()), None)
    if wrong is not None or not listed:
        problem = f"has {quote_safe(str(wrong))}" if listed else "is no list of words"
        raise BadContent(f"{what} {problem}; give a word for each of the {what} of the table.")
    duplicates = [word for word, times in Counter(listed).items() if times > 1]
    if duplicates:
        named = join_first(map(quote_safe, duplicates))
        raise BadContent(
            f"The {what} of the table have duplicates: {named}. The long form averages repeated "
            "pairs."
        )
    return listed


def _check_values(values: ArrayLike, rows: int, columns: int) -> Floats:
    try:
        table = np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise BadContent(f"The values are not a table of numbers ({error}).") from None
    if table.shape != (rows, columns):
        raise BadContent(
            f"The values have the shape {table.shape}, but there are {rows} rows and {columns} "
            "columns."
        )
    if np.isinf(table).any():
        raise BadContent("A value of the table is infinite.")
    table.flags.writeable = False
    return table
