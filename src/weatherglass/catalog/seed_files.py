"""Users' own seed sets: YAML, JSON, CSV or a plain list of words."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from weatherglass._files import printable_path, read_csv_rows, read_json, read_text, read_yaml
from weatherglass.errors import CatalogError, UsageError, quote_safe

from .provenance import cited, studies
from .seeds import SeedSet
from .validation import seen


def load_seeds(path: str | PathLike[str]) -> tuple[SeedSet, ...]:
    """Read seed sets of your own.

    Parameters
    ----------
    path
        A file whose name says what it is. ``.txt``: one set, one word a line. ``.csv`` or ``.tsv``:
        a header line with the column ``word``, and ``set`` and ``concept`` if there are several
        sets. ``.yaml``, ``.yml`` or ``.json``: a list of words, a mapping from id to words, or
        records with ``id``, ``words`` and the other fields of a `SeedSet`, under ``seeds`` or
        alone. A set without an id has the file's name.

    Raises
    ------
    CatalogError
        With the file, and the line or the set, if something is not as it should be.

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
    where = printable_path(path)
    ending = path.suffix.lower()
    if ending not in _READERS:
        raise CatalogError(f"{where}: its name should end in one of {', '.join(_READERS)}.")
    made: dict[str, SeedSet] = {}
    for record in _READERS[ending](path):
        try:
            one = SeedSet.model_validate(cited(record))
        except CatalogError as error:
            raise CatalogError(f"{where}: {error}") from None
        if one.id in made:
            raise CatalogError(f"{where}: the id {quote_safe(one.id)} is there twice. Rename one.")
        if not one.words:
            raise CatalogError(f"{where}: the seed set {quote_safe(one.id)} has no words.")
        made[one.id] = one
    if not made:
        raise CatalogError(f"{where}: has no seed sets; a set has words.")
    return tuple(made.values())


def _of_list(path: Path) -> Iterator[dict[str, Any]]:
    words = [line.strip() for line in read_text(path).splitlines() if line.strip()]
    yield {"id": path.stem, "words": words}


def _of_table(path: Path) -> Iterator[dict[str, Any]]:
    """A set for each name in the column `set`, in the order of their first words."""
    where = printable_path(path)
    found: dict[str, dict[str, Any]] = {}
    for line, (word, name, concept) in read_csv_rows(path, ("word",), ("set", "concept")):
        if not word.strip():
            raise CatalogError(f"{where}, line {line}: has no word.")
        id = name or path.stem
        record = found.setdefault(id, {"id": id, "concept": concept, "words": []})
        if record["concept"] != concept:
            raise CatalogError(
                f"{where}, line {line}: the set {quote_safe(id)} has the concept "
                f"{quote_safe(concept)} here and {quote_safe(record['concept'])} before."
            )
        record["words"].append(word)
    yield from found.values()


def _of_document(path: Path) -> Iterator[dict[str, Any]]:
    """Every set's record in a YAML or JSON file, each with an id."""
    where = printable_path(path)
    read = read_json if path.suffix.lower() == ".json" else read_yaml
    documents = read(read_text(path), where)
    if len(documents) != 1:
        raise CatalogError(f"{where}: has {len(documents)} documents; one was expected.")
    (content,) = documents
    if isinstance(content, Mapping) and content.keys() == {"seeds"}:
        content = content["seeds"]
    if isinstance(content, Mapping) and "words" not in content:
        yield from (_record(name, part, where) for name, part in content.items())
    elif isinstance(content, list) and any(isinstance(part, Mapping) for part in content):
        for number, part in enumerate(content, 1):
            yield _record(f"{path.stem}-{number}", part, where)
    else:
        yield _record(path.stem, content, where)


def _record(name: str, part: Any, where: str) -> dict[str, Any]:
    if isinstance(part, list):
        return {"id": name, "words": part}
    if not isinstance(part, Mapping):
        raise CatalogError(
            f"{where}: seed set {quote_safe(name)}: is {seen(part)}; a list of words was expected."
        )
    return {"id": name, **part}


_READERS = {
    ".yaml": _of_document,
    ".yml": _of_document,
    ".json": _of_document,
    ".csv": _of_table,
    ".tsv": _of_table,
    ".txt": _of_list,
}


_A_LINE = 8  # words


def seeds_text(sets: Sequence[SeedSet], form: str) -> str:
    """Seed sets as the text of a file that `load_seeds` reads.

    Parameters
    ----------
    sets
        The sets, each with an id of its own.
    form
        ``"yaml"`` and ``"json"`` hold everything; ``"csv"`` holds id, concept and words, and
        ``"txt"`` the words of a single set.

    Raises
    ------
    UsageError
        If the form cannot hold these sets.

    Examples
    --------
    >>> print(seeds_text([SeedSet(id="it", words=["no", "on"])], "yaml"), end="")
    seeds:
      - id: "it"
        words: ["no", "on"]
    """
    if form not in _WRITERS:
        raise UsageError(
            f"The form is {quote_safe(form)}; one of {', '.join(_WRITERS)} was expected."
        )
    text = _WRITERS[form](sets)
    try:
        text.encode()
    except UnicodeEncodeError:
        raise UsageError(f"A word is not valid Unicode, and {form} cannot hold it.") from None
    return text


def _yaml(sets: Sequence[SeedSet]) -> str:
    records = [
        "    ".join(f"{name}: {_flow(value)}\n" for name, value in _fields(one).items())
        for one in sets
    ]
    return "seeds:\n" + "\n".join(f"  - {record}" for record in records)


def _json(sets: Sequence[SeedSet]) -> str:
    return json.dumps({"seeds": [_fields(one) for one in sets]}, indent=2) + "\n"


def _csv(sets: Sequence[SeedSet]) -> str:
    words = [(one.id, one.concept, word) for one in sets for word in one.words]
    # The writer sees no need to quote a carriage return, at which the reader ends the line.
    returns = any("\r" in cell for row in words for cell in row)
    stream = io.StringIO()
    writer = csv.writer(
        stream, lineterminator="\n", quoting=csv.QUOTE_ALL if returns else csv.QUOTE_MINIMAL
    )
    writer.writerows([("set", "concept", "word"), *words])
    return stream.getvalue()


def _txt(sets: Sequence[SeedSet]) -> str:
    if len(sets) != 1:
        raise UsageError(f"A plain list holds one seed set; {len(sets)} were given. Write YAML.")
    (one,) = sets
    broken = [word for word in one.words if word.strip().splitlines() != [word]]
    if broken:
        raise UsageError(
            f"{quote_safe(broken[0])} does not fit on a line of a plain list. Write YAML."
        )
    return "".join(f"{word}\n" for word in one.words)


_WRITERS = {"yaml": _yaml, "json": _json, "csv": _csv, "txt": _txt}
SEED_FORMATS = tuple(_WRITERS)


def _fields(one: SeedSet) -> dict[str, Any]:
    """What a set has, with the key of its study where the catalogue has the study."""
    made = one.model_dump(exclude_defaults=True)
    if one.study and studies().get(one.study.key) == one.study:
        made["study"] = one.study.key
    return made


def _flow(value: Any) -> str:
    """A value in YAML, every text in double quotes: then no word is anything but text."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{name}: {_flow(part)}" for name, part in value.items()) + "}"
    if isinstance(value, list | tuple):
        parts = [_flow(part) for part in value]
        lines = [", ".join(parts[k : k + _A_LINE]) for k in range(0, len(parts), _A_LINE)]
        between = ",\n      "
        return f"[{between.join(lines)}]"
    if not isinstance(value, str):
        return json.dumps(value)
    # YAML has the escapes of JSON, and more characters that need one.
    quoted = json.dumps(value, ensure_ascii=False)
    return "".join(c if c.isprintable() or _surrogate(c) else f"\\U{ord(c):08x}" for c in quoted)


def _surrogate(c: str) -> bool:
    # Half a character has no escape in YAML: left as it is, it is found when the text is encoded.
    return "\ud800" <= c <= "\udfff"
