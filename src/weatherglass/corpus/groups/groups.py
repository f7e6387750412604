"""Groups of documents: which texts of a corpus are chosen, and how a column divides them.

A document whose rows have different values in the column, such as the speeches of a president in
two decades, is divided: each group gets its part. The document stays the unit of resampling: all
its text in a group is drawn together, and `Part.document` says which parts belong together when
documents are exchanged between groups.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from weatherglass.corpus.corpus import Corpus, Progress, has_text
from weatherglass.corpus.formats import Document, merge_rows
from weatherglass.corpus.metadata import check_column, missing_column
from weatherglass.corpus.named import COLUMN, NamedCorpora
from weatherglass.errors import CannotMeasure, UsageError, did_you_mean, join_first, quote_safe

from .bins import Bins, parse_bins
from .conditions import Condition, parse_condition
from .numbers import parse_number

_MAX_LISTED_GROUPS = 20


class Part(NamedTuple):
    """The text of a document in one group: all of it, unless the column varies inside it."""

    group: str
    document: int  # its number in the corpus
    text: str
    meta: dict[str, str]


@dataclass(frozen=True)
class Grouping:
    """The choice of texts and groups.

    Attributes
    ----------
    by
        The column whose values are the groups; without it all texts are one group, named "".
    bins
        Numbers and dates of the column are divided into bins, which are the groups.
    only
        The groups that are chosen; all of them if empty.
    where
        Conditions that each row must meet.

    Examples
    --------
    >>> rows = [Document("a b", {"year": "1791"}), Document("c", {"year": "1802"})]
    >>> grouped = Grouping.of(by="year", bins="decade").apply(Corpus.of(rows))
    >>> [(part.group, part.text) for part in grouped]
    [('1790s', 'a b'), ('1800s', 'c')]
    """

    by: str | None = None
    bins: Bins | None = None
    only: tuple[str, ...] = ()
    where: tuple[Condition, ...] = ()

    @classmethod
    def of(
        cls,
        by: str | None = None,
        bins: str | int | Sequence[float] | None = None,
        only: str | Iterable[str] = (),
        where: str | Iterable[str] = (),
    ) -> Grouping:
        """Parse the options of the user; their order changes nothing."""
        if by is None and (bins is not None or only):
            option = "bins" if bins is not None else "only"
            raise UsageError(f"The option {option} is about groups; give the column, too (by).")
        groups = [only] if isinstance(only, str) else [str(name) for name in only]
        texts = [where] if isinstance(where, str) else list(where)
        conditions = {str(condition): condition for condition in map(parse_condition, texts)}
        return cls(
            by,
            None if bins is None else parse_bins(bins),
            tuple(sorted(set(groups))),
            tuple(conditions[name] for name in sorted(conditions)),
        )

    def apply(self, corpus: Corpus) -> GroupedCorpus:
        """Return the chosen texts of a corpus, as parts of documents in groups.

        Raises
        ------
        UsageError
            The corpus does not have a column.
        """
        columns = [condition.column for condition in self.where]
        columns += [self.by] if self.by is not None else []
        is_several = isinstance(corpus, NamedCorpora)
        for column in dict.fromkeys(columns):
            if not (is_several and column == COLUMN):
                check_column(corpus, column)
        return GroupedCorpus(corpus, self)


@dataclass(eq=False, repr=False)
class GroupedCorpus:
    """The chosen texts of a corpus; iterate over it for the parts of its documents.

    Attributes
    ----------
    left_out
        After iterating: how many documents, or rows of documents, are left out, by reason.
    """

    corpus: Corpus
    grouping: Grouping
    left_out: Counter[str] = field(default_factory=Counter)
    _sums: dict[str, list[float]] = field(default_factory=dict)
    _is_numeric: bool = True

    def __repr__(self) -> str:
        return f"<GroupedCorpus {self.corpus.source} by {self.grouping.by}>"

    def __iter__(self) -> Iterator[Part]:
        return self.parts()

    def parts(self, progress: Progress | None = None) -> Iterator[Part]:
        """Yield the part of each document in each group, without those that have no text.

        Raises
        ------
        UsageError
            No document has a value, a group does not exist, or bins are of a column without
            numbers.
        CannotMeasure
            No text meets the conditions.
        """
        grouping = self.grouping
        bins = grouping.bins
        if bins is not None and bins.must_be_fitted:
            bins = self._fit(bins)
        self.left_out, self._sums, self._is_numeric = Counter(), {}, True
        columns: dict[str, None] = {}
        has_any = False
        for number, rows in enumerate(self.corpus.document_rows(progress)):
            parts: dict[str, list[Document]] = {}
            for row in filter(has_text, rows):
                if not all(condition.holds(row.meta) for condition in grouping.where):
                    continue
                has_any = True
                group = self._group_of(row, bins)
                if group is None:
                    columns |= dict.fromkeys(row.meta)
                else:
                    parts.setdefault(group, []).append(row)
            for group, together in parts.items():
                if not grouping.only or group in grouping.only:
                    text, meta = merge_rows(together)
                    yield Part(group, number, text, meta)
        self._check(has_any, columns)

    def _group_of(self, row: Document, bins: Bins | None) -> str | None:
        """Return the group of a row; None, with the reason counted, if it has none."""
        by = self.grouping.by
        if by is None:
            return ""
        value = row.meta.get(by)
        if value is None:
            self.left_out["value"] += 1
            return None
        number = parse_number(value)
        if number is None and bins is not None:
            self.left_out["number"] += 1
            return None
        group = value if bins is None or number is None else bins.name(number)
        self._is_numeric = self._is_numeric and number is not None
        sums = self._sums.setdefault(group, [0.0, 0.0])
        sums[0] += number or 0.0
        sums[1] += 1
        return group

    def _fit(self, bins: Bins) -> Bins:
        """Read the corpus for the numbers of the column; return bins with equal shares of it."""
        by, where = self.grouping.by or "", self.grouping.where
        numbers: list[float] = []
        for rows in self.corpus.document_rows():
            chosen = (row for row in rows if has_text(row))
            values = {
                row.meta[by]
                for row in chosen
                if by in row.meta and all(condition.holds(row.meta) for condition in where)
            }
            # Whole years, so that the names of bins are years, too.
            parsed = [parse_number(value, whole_years=True) for value in values]
            numbers += [number for number in parsed if number is not None]
        if not numbers:
            raise self._no_numbers()
        return bins.fit(numbers)

    def _check(self, has_any: bool, columns: Iterable[str]) -> None:
        grouping = self.grouping
        if not has_any:
            conditions = " and ".join(quote_safe(str(condition)) for condition in grouping.where)
            raise CannotMeasure(f"No document of {self.corpus.source} meets {conditions}.")
        if grouping.by is not None and not self._sums:
            if self.left_out["number"]:
                raise self._no_numbers()
            raise missing_column(self.corpus.source, grouping.by, columns)
        for name in grouping.only:
            if name not in self._sums:
                listed = join_first(map(quote_safe, self.order(self._sums)), _MAX_LISTED_GROUPS)
                raise UsageError(
                    f"No document of {self.corpus.source} is in the group {quote_safe(name)}; the "
                    f"groups are {listed}." + did_you_mean(name, self._sums)
                )

    def _no_numbers(self) -> UsageError:
        column = quote_safe(self.grouping.by or "")
        return UsageError(
            f"The column {column} of {self.corpus.source} holds neither numbers nor dates, which "
            "bins need."
        )

    def value(self, group: str) -> float | None:
        """Return the mean number of a group's rows in the column; None if they are not numbers."""
        if not self._is_numeric or group not in self._sums:
            return None
        total, count = self._sums[group]
        return total / count

    def order(self, names: Iterable[str]) -> list[str]:
        """Return names of groups in the order of their numbers, or else of their names."""
        return sorted(names, key=lambda name: (self.value(name) or 0.0, name))

    def notes(self) -> list[str]:
        """Say how many texts were left out, and which files were not UTF-8."""
        by = self.grouping.by
        unit = "rows" if _joins_rows(self.corpus) else "documents"
        reasons = {"value": f"no value for {by}", "number": f"neither a number nor a date in {by}"}
        return self.corpus.notes() + [
            f"{count:,} {unit} have {reasons[reason]} and were left out"
            for reason, count in sorted(self.left_out.items())
        ]


def _joins_rows(corpus: Corpus) -> bool:
    if isinstance(corpus, NamedCorpora):
        return any(map(_joins_rows, corpus.parts.values()))
    has_tables = any("text" in file.form.options for file in corpus.files)
    return corpus.joined_by is not None or (has_tables and corpus.reading.documents is not None)
