"""Users' own tests: YAML in the catalogue's schema, or the JSON of the sentence-bias work."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from weatherglass._files import printable_path
from weatherglass.errors import CatalogError, quote_safe

from .facts import load_facts
from .provenance import Facts, resolve_studies
from .record_files import READERS, name_records, read_documents
from .schema import AnyTest, FactualTest, GroupsTest, Test
from .validation import describe_value, list_problems

# Names of the target and attribute sets in the sentence-bias files.
_SENTENCE_BIAS = {"targ1": "x", "targ2": "y", "attr1": "a", "attr2": "b"}
_FACTS_FIELDS = {"file", *Facts.model_fields}


@dataclass(frozen=True)
class CheckedTests:
    """The valid tests of a file or folder, and all problems."""

    tests: tuple[AnyTest, ...]
    problems: tuple[str, ...]


def load_tests(path: str | PathLike[str]) -> tuple[AnyTest, ...]:
    """Read tests from a file or folder.

    Parameters
    ----------
    path
        A YAML or JSON file (``.yaml``, ``.yml``, ``.json``, ``.jsonl``), or a folder of them. A
        file holds one test, a list of tests, or ``tests:`` with a list or a mapping from id to
        test. A test has ``x``, ``y``, ``a`` and ``b``; or ``groups`` and ``attributes``; or
        ``targets``, ``a``, ``b`` and ``facts``. Each set is a list of words or a mapping with
        ``label`` and ``words``; ``groups`` and ``attributes`` map labels to sets. The JSON form
        with ``targ1``, ``targ2``, ``attr1`` and ``attr2`` is accepted, too. A test without an
        ``id`` is named after the file.

    Raises
    ------
    CatalogError
        With file, test and field of the first problem, and the number of other problems.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "answers.yaml")
    ...     _ = file.write_text("{x: [yes, on], y: [no, off], a: [good], b: [bad]}")
    ...     (test,) = load_tests(file)
    >>> test.id, test.x.words
    ('answers', ('yes', 'on'))
    """
    checked = check_tests(path)
    if checked.problems:
        first, *others = checked.problems
        more = f" There are {len(others)} more problems;" if len(others) > 1 else ""
        more = " There is one more problem;" if len(others) == 1 else more
        raise CatalogError(
            first + (more and f"{more} `weatherglass catalog validate` lists them all.")
        )
    return checked.tests


def check_tests(path: str | PathLike[str]) -> CheckedTests:
    """Read all valid tests of a file or folder, and list all problems."""
    tests: dict[str, AnyTest] = {}
    origins: dict[str, Path] = {}
    problems: list[str] = []
    try:
        files = _list_files(Path(path))
    except CatalogError as error:
        return CheckedTests((), (str(error),))
    for file in files:
        name = printable_path(file)
        try:
            records = _read_tests(file)
        except CatalogError as error:
            problems.append(str(error))
            continue
        for id, record in records:
            try:
                test = _validate_test(id, record, file)
            except CatalogError as error:
                problems += [f"{name}: {problem}" for problem in list_problems(error)]
                continue
            if test.id in tests:
                first = origins[test.id]
                other = "" if first == file else f", also in {printable_path(first)}"
                problems.append(f"{name}: duplicate id {quote_safe(test.id)}{other}.")
                continue
            tests[test.id], origins[test.id] = test, file
    return CheckedTests(tuple(tests.values()), tuple(problems))


def _list_files(path: Path) -> list[Path]:
    endings, name = ", ".join(READERS), printable_path(path)
    try:
        if path.is_dir():
            files = [
                file
                for file in path.iterdir()
                if file.suffix.lower() in READERS and file.is_file() and file.name[0] != "."
            ]
            if not files:
                raise CatalogError(f"{name}: has no file of tests ({endings}).")
            return sorted(files, key=_natural_order)
        exists = path.exists()
    except (OSError, ValueError) as error:
        raise CatalogError(f"{name}: cannot be read ({error}).") from None
    if not exists:
        raise CatalogError(f"{name}: no such file or folder.")
    if path.suffix.lower() not in READERS:
        raise CatalogError(f"{name}: is not a file of tests; its name must end in {endings}.")
    return [path]


def _natural_order(path: Path) -> list[tuple[int, str]]:
    """Return a sort key that puts weat10 after weat9."""
    parts = re.findall(r"[0-9]{1,18}|[^0-9]+", path.name)
    return [(int(part), "") if part[0] in "0123456789" else (-1, part) for part in parts]


def _read_tests(path: Path) -> list[tuple[str, Any]]:
    """Return the records of the tests in a file, each with its id."""
    name = printable_path(path)
    documents = read_documents(path)
    content: Any = documents[0] if len(documents) == 1 else documents
    if isinstance(content, dict) and "tests" in content:
        unexpected = [key for key in content if key != "tests"]
        if unexpected:
            raise CatalogError(
                f"{name}: unexpected key {quote_safe(unexpected[0])} next to 'tests'."
            )
        content = content["tests"]
    elif not isinstance(content, list):
        content = [content]
    records = name_records(content, path.stem)
    if not records:
        raise CatalogError(f"{name}: has no tests; a test has x, y, a and b.")
    return records


def _validate_test(id: str, record: Any, path: Path) -> AnyTest:
    if not isinstance(record, Mapping):
        raise CatalogError(
            f"test {quote_safe(id)}: is {describe_value(record)}; a mapping of fields was expected."
        )
    data: dict[str, Any] = {
        _SENTENCE_BIAS.get(str(name), str(name)): value for name, value in record.items()
    }
    name = f"test {quote_safe(str(data.setdefault('id', id)))}"
    if len(data) - ("id" not in record) < len(record):
        raise CatalogError(f"{name}: has a set twice, for example as x and as targ1.")
    try:
        data = resolve_studies(data)
        facts = data.get("facts")
        if isinstance(facts, Mapping) and "file" in facts and facts.keys() <= _FACTS_FIELDS:
            data["facts"] = _read_facts(facts, path.parent)
    except CatalogError as error:
        raise CatalogError(f"{name}: {error}") from None
    if "groups" in data:
        return GroupsTest.model_validate(data)
    if {"x", "y"} <= data.keys() and "z" in data:
        raise CatalogError(
            f"{name}: has a third target set, 'z'; write three or more target sets as groups, a "
            "mapping from labels to words."
        )
    model = FactualTest if {"facts", "targets"} & data.keys() else Test
    return model.model_validate(data)


def _read_facts(facts: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    # A file of tests may come from someone else, so it may not name files outside its own folder.
    name = facts["file"]
    try:
        is_inside = (folder / name).resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError, TypeError, ValueError):
        is_inside = False
    if not is_inside:
        raise CatalogError(
            f"facts.file is {describe_value(name)}; a CSV file in the same folder was expected."
        )
    fields = {field: value for field, value in facts.items() if field != "file"}
    return {"provenance": name, **fields, "values": load_facts(folder / name)}
