"""Users' own seed sets: files in YAML, JSON or CSV, or plain lists of words."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from weatherglass._files import delimited_text, printable_path, read_text
from weatherglass.errors import CatalogError, UsageError, quote_safe

from .provenance import resolve_studies, studies
from .record_files import name_records, read_documents, read_table
from .seeds import SeedSet
from .validation import describe_value


def load_seeds(path: str | PathLike[str]) -> tuple[SeedSet, ...]:
    """Read seed sets from a file.

    Parameters
    ----------
    path
        A file whose name ends in its format. ``.txt``: one set, one word per line. ``.csv`` or
        ``.tsv``: a table with the column ``word``, and optionally ``set`` and ``concept`` for
        several sets. ``.yaml``, ``.yml`` or ``.json``: a list of words, a mapping from id to words,
        or records with ``id``, ``words`` and the other fields of a `SeedSet`, under ``seeds`` or
        alone. A set without an id is named after the file.

    Raises
    ------
    CatalogError
        With the file, and the line or the set of the first problem.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "answers.yaml")
    ...     _ = file.write_text("{agree: [yes, on], refuse: [no, off, no]}")
    ...     agree, refuse = load_seeds(file)
    >>> agree.id, agree.words, refuse.repeated
    ('agree', ('yes', 'on'), ('no',))
    """
    path = Path(path)
    name = printable_path(path)
    ending = path.suffix.lower()
    if ending not in _READERS:
        raise CatalogError(f"{name}: its name must end in one of {', '.join(_READERS)}.")
    sets: dict[str, SeedSet] = {}
    for id, record in _READERS[ending](path):
        try:
            seed_set = _validate_set(id, record)
        except CatalogError as error:
            raise CatalogError(f"{name}: {error}") from None
        if seed_set.id in sets:
            raise CatalogError(f"{name}: duplicate id {quote_safe(seed_set.id)}.")
        sets[seed_set.id] = seed_set
    if not sets:
        raise CatalogError(f"{name}: has no seed sets; a set has words.")
    return tuple(sets.values())


def _validate_set(id: str, record: Any) -> SeedSet:
    if isinstance(record, list):
        record = {"words": record}
    if not isinstance(record, Mapping):
        raise CatalogError(
            f"seed set {quote_safe(id)}: is {describe_value(record)}; a list of words was expected."
        )
    seed_set = SeedSet.model_validate(resolve_studies({"id": id, **record}))
    if not seed_set.words:
        raise CatalogError(f"the seed set {quote_safe(seed_set.id)} has no words.")
    return seed_set


def _read_list(path: Path) -> list[tuple[str, Any]]:
    words = [line.strip() for line in read_text(path).splitlines() if line.strip()]
    return [(path.stem, words)]


def _read_table(path: Path) -> list[tuple[str, Any]]:
    """Return a set for each name in the column `set`, in the order of their first words."""
    table = read_table(path, ("word",), ("set", "concept"))
    records: dict[str, dict[str, Any]] = {}
    for row, (word, name, concept) in enumerate(table.rows):
        if not word.strip():
            raise table.error(row, "has no word.")
        id = name or path.stem
        record = records.setdefault(id, {"concept": concept, "words": []})
        if record["concept"] != concept:
            raise table.error(
                row,
                f"the set {quote_safe(id)} has the concept {quote_safe(concept)} here and "
                f"{quote_safe(record['concept'])} before.",
            )
        record["words"].append(word)
    return list(records.items())


def _read_document(path: Path) -> list[tuple[str, Any]]:
    """Return the record of each set in a YAML or JSON file, with its id."""
    documents = read_documents(path)
    if len(documents) != 1:
        raise CatalogError(
            f"{printable_path(path)}: has {len(documents)} documents; one was expected."
        )
    (content,) = documents
    if isinstance(content, Mapping) and content.keys() == {"seeds"}:
        content = content["seeds"]
    has_ids = isinstance(content, Mapping) and "words" not in content
    has_records = isinstance(content, list) and any(isinstance(r, Mapping) for r in content)
    return name_records(content if has_ids or has_records else [content], path.stem)


_READERS: dict[str, Callable[[Path], list[tuple[str, Any]]]] = {
    ".yaml": _read_document,
    ".yml": _read_document,
    ".json": _read_document,
    ".csv": _read_table,
    ".tsv": _read_table,
    ".txt": _read_list,
}


_WORDS_PER_LINE = 8


def format_seeds(sets: Sequence[SeedSet], file_format: str) -> str:
    """Return seed sets as the text of a file that `load_seeds` reads.

    Parameters
    ----------
    sets
        The sets, with different ids.
    file_format
        ``"yaml"`` and ``"json"`` keep all fields; ``"csv"`` keeps id, concept and words, and
        ``"txt"`` the words of a single set.

    Raises
    ------
    UsageError
        If the format cannot hold these sets.

    Examples
    --------
    >>> print(format_seeds([SeedSet(id="it", words=["no", "on"])], "yaml"), end="")
    seeds:
      - id: "it"
        words: ["no", "on"]
    """
    if file_format not in _WRITERS:
        raise UsageError(
            f"The format is {quote_safe(file_format)}; one of {', '.join(_WRITERS)} was expected."
        )
    text = _WRITERS[file_format](sets)
    try:
        text.encode()
    except UnicodeEncodeError:
        raise UsageError(
            f"A word is not valid Unicode, and {file_format} cannot hold it."
        ) from None
    return text


def _yaml(sets: Sequence[SeedSet]) -> str:
    records = [
        "    ".join(f"{name}: {_flow(value)}\n" for name, value in _fields(seed_set).items())
        for seed_set in sets
    ]
    return "seeds:\n" + "\n".join(f"  - {record}" for record in records)


def _json(sets: Sequence[SeedSet]) -> str:
    return json.dumps({"seeds": [_fields(seed_set) for seed_set in sets]}, indent=2) + "\n"


def _csv(sets: Sequence[SeedSet]) -> str:
    rows = [(seed_set.id, seed_set.concept, word) for seed_set in sets for word in seed_set.words]
    # Unchanged, because `load_seeds` must read the same words back.
    return delimited_text([("set", "concept", "word"), *rows], raw_cells=True)


def _txt(sets: Sequence[SeedSet]) -> str:
    if len(sets) != 1:
        raise UsageError(f"A plain list holds one seed set, not {len(sets)}. Write YAML.")
    words = sets[0].words
    unfit = [word for word in words if word.strip().splitlines() != [word]]
    if unfit:
        raise UsageError(
            f"{quote_safe(unfit[0])} does not fit on a line of a plain list. Write YAML."
        )
    return "".join(f"{word}\n" for word in words)


_WRITERS = {"yaml": _yaml, "json": _json, "csv": _csv, "txt": _txt}
SEED_FORMATS = tuple(_WRITERS)


def _fields(seed_set: SeedSet) -> dict[str, Any]:
    """Return the fields that are set, with the key of the study if it is in the catalogue."""
    fields = seed_set.model_dump(exclude_defaults=True)
    study = seed_set.study
    if study and studies().get(study.key) == study:
        fields["study"] = study.key
    return fields


def _flow(value: Any) -> str:
    """Return a value in YAML, with all text in double quotes, so that `no` stays a word."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{name}: {_flow(part)}" for name, part in value.items()) + "}"
    if isinstance(value, list | tuple):
        parts = [_flow(part) for part in value]
        lines = [
            ", ".join(parts[k : k + _WORDS_PER_LINE]) for k in range(0, len(parts), _WORDS_PER_LINE)
        ]
        separator = ",\n      "
        return f"[{separator.join(lines)}]"
    if not isinstance(value, str):
        return json.dumps(value)
    # YAML has the escapes of JSON, but more characters that need one.
    quoted = json.dumps(value, ensure_ascii=False)
    return "".join(c if c.isprintable() or _is_surrogate(c) else f"\\U{ord(c):08x}" for c in quoted)


def _is_surrogate(c: str) -> bool:
    # YAML has no escape for a lone surrogate; `format_seeds` refuses it when it encodes the text.
    return "\ud800" <= c <= "\udfff"
