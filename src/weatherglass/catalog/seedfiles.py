"""Users' own seed sets: YAML, JSON, CSV or a plain list of words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from weatherglass.catalog.complaints import seen
from weatherglass.catalog.csvtext import rows
from weatherglass.catalog.jsontext import read_json
from weatherglass.catalog.seedschema import SeedSet
from weatherglass.catalog.studies import cited
from weatherglass.catalog.textfiles import name_of, read_text
from weatherglass.catalog.yamltext import read_yaml
from weatherglass.errors import CatalogError, shown


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
    where = name_of(path)
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
            raise CatalogError(f"{where}: the id {shown(one.id)} is there twice. Rename one.")
        if not one.words:
            raise CatalogError(f"{where}: the seed set {shown(one.id)} has no words.")
        made[one.id] = one
    if not made:
        raise CatalogError(f"{where}: has no seed sets; a set has words.")
    return tuple(made.values())


def _of_list(path: Path) -> Iterator[dict[str, Any]]:
    words = [line.strip() for line in read_text(path).splitlines() if line.strip()]
    yield {"id": path.stem, "words": words}


def _of_table(path: Path) -> Iterator[dict[str, Any]]:
    """A set for each name in the column `set`, in the order of their first words."""
    where = name_of(path)
    found: dict[str, dict[str, Any]] = {}
    for line, (word, name, concept) in rows(path, ("word",), ("set", "concept")):
        if not word.strip():
            raise CatalogError(f"{where}, line {line}: has no word.")
        id = name or path.stem
        record = found.setdefault(id, {"id": id, "concept": concept, "words": []})
        if record["concept"] != concept:
            raise CatalogError(
                f"{where}, line {line}: the set {shown(id)} has the concept "
                f"{shown(concept)} here and {shown(record['concept'])} before."
            )
        record["words"].append(word)
    yield from found.values()


def _of_document(path: Path) -> Iterator[dict[str, Any]]:
    """Every set's record in a YAML or JSON file, each with an id."""
    where = name_of(path)
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
            f"{where}: seed set {shown(name)}: is {seen(part)}; a list of words was expected."
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
