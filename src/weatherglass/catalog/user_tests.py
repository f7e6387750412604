"""Users' own tests: YAML in the catalogue's schema, or the JSON of the sentence-bias work."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from weatherglass._files import printable_path, read_json, read_text, read_yaml
from weatherglass.errors import CatalogError, quote_safe

from .facts import load_facts
from .provenance import Facts, cited
from .schema import FactualTest, Test
from .validation import problems, seen

_READERS = {".yaml": read_yaml, ".yml": read_yaml, ".json": read_json, ".jsonl": read_json}
# The sentence-bias files call targets and attributes so.
_SENTENCE_BIAS = {"targ1": "x", "targ2": "y", "attr1": "a", "attr2": "b"}
_NOT_A_TEST = "\0"
_FACTS_FIELDS = {"file", *Facts.model_fields}


@dataclass(frozen=True)
class Checked:
    """What a file or folder holds: the tests that are well-formed, and every problem."""

    tests: tuple[Test | FactualTest, ...]
    problems: tuple[str, ...]


def load_tests(path: str | PathLike[str]) -> tuple[Test | FactualTest, ...]:
    """Read tests of your own.

    Parameters
    ----------
    path
        A YAML or JSON file (``.yaml``, ``.yml``, ``.json``, ``.jsonl``), or a folder of them. A
        file holds one test, a list of tests, or ``tests:`` with a list or a mapping from id to
        test. A test has ``x``, ``y``, ``a`` and ``b``, or ``targets``, ``a``, ``b`` and ``facts``;
        each set is a list of words or a mapping with ``label`` and ``words``. The JSON form with
        ``targ1``, ``targ2``, ``attr1`` and ``attr2`` is read too. A test without an ``id`` has
        the file's name.

    Raises
    ------
    CatalogError
        With file, test and field of the first problem, and how many others there are.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "answers.yaml")
    ...     _ = file.write_text("{x: [yes, on], y: [no, off], a: [good], b: [bad]}")
    ...     (one,) = load_tests(file)
    >>> one.id, one.x.words
    ('answers', ('yes', 'on'))
    """
    checked = check_tests(path)
    if checked.problems:
        first, *others = checked.problems
        more = f" There are {len(others)} more problems;" if len(others) > 1 else ""
        more = " There is one more problem;" if len(others) == 1 else more
        raise CatalogError(first + (more and f"{more} `weatherglass catalog validate` lists all."))
    return checked.tests


def check_tests(path: str | PathLike[str]) -> Checked:
    """Read as much of a file or folder of tests as can be read, and name every problem."""
    tests: dict[str, Test | FactualTest] = {}
    origin: dict[str, Path] = {}
    found: list[str] = []
    try:
        files = _files(Path(path))
    except CatalogError as error:
        return Checked((), (str(error),))
    for file in files:
        try:
            records = list(_records(file))
        except CatalogError as error:
            found.append(str(error))
            continue
        for record in records:
            try:
                made = _test(record, file)
            except CatalogError as error:
                found += [f"{printable_path(file)}: {one}" for one in problems(error)]
                continue
            if made.id in tests:
                first = origin[made.id]
                where = "twice" if first == file else f"in {printable_path(first)} too"
                found.append(
                    f"{printable_path(file)}: the id {quote_safe(made.id)} is {where}. Rename one."
                )
                continue
            tests[made.id], origin[made.id] = made, file
    return Checked(tuple(tests.values()), tuple(found))


def _files(path: Path) -> list[Path]:
    kinds, where = ", ".join(_READERS), printable_path(path)
    try:
        if path.is_dir():
            inside = [
                file
                for file in path.iterdir()
                if file.suffix.lower() in _READERS and file.is_file() and file.name[0] != "."
            ]
            if not inside:
                raise CatalogError(f"{where}: has no file of tests ({kinds}).")
            return sorted(inside, key=_natural)
        exists = path.exists()
    except (OSError, ValueError) as error:
        raise CatalogError(f"{where}: cannot be read ({error}).") from None
    if not exists:
        raise CatalogError(f"{where}: no such file or folder.")
    if path.suffix.lower() not in _READERS:
        raise CatalogError(
            f"{where}: is not a file of tests; its name should end in one of {kinds}."
        )
    return [path]


def _natural(path: Path) -> list[tuple[int, str]]:
    """So that weat10 comes after weat9."""
    parts = re.findall(r"[0-9]{1,18}|[^0-9]+", path.name)
    return [(int(part), "") if part[0] in "0123456789" else (-1, part) for part in parts]


def _records(path: Path) -> Iterator[dict[str, Any]]:
    """Every test's record in a file, each with an id."""
    where = printable_path(path)
    documents = _READERS[path.suffix.lower()](read_text(path), where)
    if len(documents) == 1 and isinstance(documents[0], list):
        documents = documents[0]
    elif len(documents) == 1 and isinstance(documents[0], dict) and "tests" in documents[0]:
        (document,) = documents
        if len(document) > 1:
            other = next(name for name in document if name != "tests")
            raise CatalogError(
                f"{where}: {quote_safe(other)} stands beside tests, where nothing may."
            )
        documents = document["tests"]
        if isinstance(documents, dict):
            documents = [_named(name, record) for name, record in documents.items()]
    if not isinstance(documents, list) or not documents:
        raise CatalogError(f"{where}: has no tests; a test has x, y, a and b.")
    for number, record in enumerate(documents, 1):
        yield _named(path.stem if len(documents) == 1 else f"{path.stem}-{number}", record)


def _named(name: str, record: Any) -> dict[str, Any]:
    # What is no mapping is kept under a name of its own, so that the other tests are still read.
    return {"id": name, **(record if isinstance(record, dict) else {_NOT_A_TEST: record})}


def _test(record: Mapping[str, Any], path: Path) -> Test | FactualTest:
    made = {_SENTENCE_BIAS.get(name, name): part for name, part in record.items()}
    who = f"test {quote_safe(str(made['id']))}"
    if _NOT_A_TEST in made:
        raise CatalogError(
            f"{who}: is {seen(made[_NOT_A_TEST])}; a mapping of fields was expected."
        )
    if len(made) < len(record):
        raise CatalogError(f"{who}: has a set twice, as x and as targ1 or the like.")
    try:
        made = cited(made)
        facts = made.get("facts")
        if isinstance(facts, Mapping) and "file" in facts and facts.keys() <= _FACTS_FIELDS:
            made["facts"] = _facts_from_file(facts, path.parent)
    except CatalogError as error:
        raise CatalogError(f"{who}: {error}") from None
    kind = FactualTest if {"facts", "targets"} & made.keys() else Test
    return kind.model_validate(made)


def _facts_from_file(facts: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    # A file of tests may come from someone else, so it names no file outside its own folder.
    name = facts["file"]
    try:
        inside = (folder / name).resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError, TypeError, ValueError):
        inside = False
    if not inside:
        raise CatalogError(f"facts.file is {seen(name)}; a CSV file beside it was expected.")
    rest = {field: part for field, part in facts.items() if field != "file"}
    return {"provenance": name, **rest, "values": load_facts(folder / name)}
