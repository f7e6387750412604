"""Versions of a document: a table with the names to insert and the groups they stand for."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from weatherglass.catalog import retrieval_names
from weatherglass.corpus import Document, open_corpus
from weatherglass.errors import UsageError, did_you_mean, quote_safe

DOCUMENT = "document"
"""The placeholder of a template that stands for the text of the document."""

INTERSECTION = " × "
MIN_GROUP = 2
MAX_GROUPS = 12
"""Groups of a column; a column with more is no column of groups."""

_PLACEHOLDER = re.compile(r"\{(\w+)\}")

VariantSource = str | os.PathLike[str] | Iterable[Mapping[str, str]]


@dataclass(frozen=True)
class Variant:
    """What is inserted into each document, and the group that it stands for in each column."""

    label: str
    fields: Mapping[str, str]
    groups: Mapping[str, str]

    def with_label(self, column: str, label: str) -> Variant:
        """Return the same variant with another text in a column."""
        return Variant(label, {**self.fields, column: label}, self.groups)


@dataclass(frozen=True)
class VariantTable:
    """The rows of a table of variants, with the template that inserts them.

    Attributes
    ----------
    name
        What the table is called.
    template
        The text of a version, with a column in braces for each part, and ``{document}``.
    variants
        The rows.
    dimensions
        The columns of groups, and their intersection if there are two or more.

    Examples
    --------
    >>> table = load_variants([{"name": "Amy", "gender": "f"}, {"name": "Bea", "gender": "f"},
    ...                        {"name": "Cal", "gender": "m"}, {"name": "Dan", "gender": "m"}])
    >>> table.template, table.dimensions
    ('{name}\\n{document}', ('gender',))
    >>> table.fill(table.variants[0], "Ten years of practice.")
    'Amy\\nTen years of practice.'
    """

    name: str
    template: str
    variants: tuple[Variant, ...]
    dimensions: tuple[str, ...]

    def fill(self, variant: Variant, text: str) -> str:
        """Return a version of a document; placeholders in the document are filled, too."""
        values = {DOCUMENT: text}
        filled = _replace(self.template, values)
        return _replace(filled, variant.fields)

    def groups(self, dimension: str) -> list[str]:
        """Return the group of every variant in a dimension."""
        return [variant.groups[dimension] for variant in self.variants]

    @property
    def column(self) -> str:
        """The column that tells the variants apart, such as ``name``."""
        return next(iter(self.variants[0].fields))

    @property
    def noun(self) -> str:
        """What sentences call the variants: the plural of their column, such as ``names``."""
        noun = self.column.replace("_", " ")
        return noun if noun.endswith("s") else noun + "s"


def _replace(template: str, values: Mapping[str, str]) -> str:
    return _PLACEHOLDER.sub(lambda match: values.get(match[1], match[0]), template)


def load_variants(
    source: VariantSource,
    template: str | None = None,
    groups: Sequence[str] = (),
    documents: Sequence[str] = (),
) -> VariantTable:
    """Read a table of variants.

    Parameters
    ----------
    source
        A name list of the catalogue (``bertrand-mullainathan`` or ``us-names``); a table in CSV,
        TSV, JSON Lines or Parquet; or rows as mappings. The first column tells the variants
        apart; in a file the column ``name`` if there is one, or the one of ``?text=``.
    template
        The text of a version. By default the first column on a line of its own, then the document;
        or only the document if the documents have placeholders themselves.
    groups
        The columns of groups; by default all columns that neither the template nor the documents
        insert.
    documents
        The texts of the documents, to find placeholders in them.

    Raises
    ------
    UsageError
        A placeholder has no column, a group is too small, or two rows insert the same text.
    """
    name, rows = _read_rows(source)
    columns = list(dict.fromkeys(column for row in rows for column in row))
    for number, row in enumerate(rows, 1):
        if missing := [column for column in columns if not row.get(column, "").strip()]:
            raise UsageError(f"Row {number} of {name} has no {quote_safe(missing[0])}.")
    inside = {
        match for text in documents for match in _PLACEHOLDER.findall(text) if match in columns
    }
    if template is None:
        template = f"{{{DOCUMENT}}}" if inside else f"{{{columns[0]}}}\n{{{DOCUMENT}}}"
    used = _check_template(template, columns, name) | inside
    if not used:
        raise UsageError(
            f"Neither the template nor the documents insert a column of {name}; write for example "
            f"{{{columns[0]}}} where it belongs."
        )
    keys = [columns[0], *(column for column in columns[1:] if column in used)]
    chosen = _choose_groups(rows, columns, keys, groups, name)
    dimensions = [*chosen, *([INTERSECTION.join(chosen)] if len(chosen) > 1 else [])]
    variants = []
    for row in rows:
        values = {column: row[column] for column in chosen}
        values[INTERSECTION.join(chosen)] = " ".join(values[column] for column in chosen)
        fields = {column: row[column] for column in keys}
        variants.append(Variant(row[columns[0]], fields, values))
    _check_distinct(variants, name)
    return VariantTable(name, template, tuple(variants), tuple(dimensions))


def _read_rows(source: VariantSource) -> tuple[str, list[dict[str, str]]]:
    if isinstance(source, str) and source in retrieval_names():
        return source, retrieval_names()[source]
    if isinstance(source, str | os.PathLike):
        corpus = open_corpus(source)
        header = corpus.header()
        column = corpus.reading.text or (header[0] if header and "name" not in header else "name")
        if header:
            corpus = open_corpus(source, text=column)
        return corpus.source, [_to_row(document, column) for document in corpus]
    rows = [{str(key): str(value) for key, value in row.items()} for row in source]
    if not rows:
        raise UsageError("The table of variants is empty.")
    return "memory", rows


def _to_row(document: Document, column: str) -> dict[str, str]:
    meta = {key: value for key, value in document.meta.items() if key not in ("file", column)}
    return {column: document.text.strip()} | meta


def _check_template(template: str, columns: Sequence[str], name: str) -> set[str]:
    """Return the columns that a template inserts."""
    used = set(_PLACEHOLDER.findall(template))
    if DOCUMENT not in used:
        raise UsageError(f"The template has no {{{DOCUMENT}}}, where the text belongs.")
    for unknown in sorted(used - {DOCUMENT, *columns}):
        hint = did_you_mean(unknown, [DOCUMENT, *columns])
        raise UsageError(f"The template inserts {{{unknown}}}, which {name} does not have.{hint}")
    return used - {DOCUMENT}


def _choose_groups(
    rows: Sequence[Mapping[str, str]],
    columns: Sequence[str],
    keys: Sequence[str],
    groups: Sequence[str],
    name: str,
) -> list[str]:
    """Return the columns of groups, and check that their groups are large enough."""
    for unknown in (column for column in groups if column not in columns):
        hint = did_you_mean(unknown, columns)
        raise UsageError(f"{name} has no column {quote_safe(unknown)}.{hint}")
    chosen = list(groups) or [
        column
        for column in columns
        if column not in keys and len({row[column] for row in rows}) <= MAX_GROUPS
    ]
    if not chosen:
        raise UsageError(f"{name} has no column of groups, such as gender.")
    for column in chosen:
        sizes = {group: 0 for row in rows if (group := row[column])}
        for row in rows:
            sizes[row[column]] += 1
        if len(sizes) < 2:
            raise UsageError(f"The column {quote_safe(column)} of {name} has only one group.")
        if len(sizes) > MAX_GROUPS:
            raise UsageError(
                f"The column {quote_safe(column)} of {name} has {len(sizes):,} groups; "
                f"at most {MAX_GROUPS} can be compared."
            )
        smallest = min(sizes, key=lambda group: sizes[group])
        if sizes[smallest] < MIN_GROUP:
            raise UsageError(
                f"The group {quote_safe(smallest)} of {name} has {sizes[smallest]} row; a group "
                f"needs {MIN_GROUP}, because rows are the unit that is compared."
            )
    return chosen


def _check_distinct(variants: Sequence[Variant], name: str) -> None:
    seen: dict[tuple[str, ...], str] = {}
    for variant in variants:
        key = tuple(variant.fields.values())
        if key in seen:
            raise UsageError(f"Two rows of {name} insert {quote_safe(variant.label)}.")
        seen[key] = variant.label
