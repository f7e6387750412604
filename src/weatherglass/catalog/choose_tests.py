"""Tests as users name them: an id, a pattern, a file or folder, a `Test`, or several of these."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike, fspath
from os.path import isdir
from pathlib import Path
from typing import Any

from weatherglass.errors import UsageError, quote_safe

from .record_files import READERS
from .schema import AnyTest
from .tests import has_test
from .tests import test as catalogue_test
from .tests import tests as matching_tests
from .user_tests import load_tests

NamedTest = AnyTest | str | PathLike[str]
NamedTests = NamedTest | Iterable[NamedTest]

_RUN_BY = {"association": "weat", "factual": "wefat", "groups": "generalised_weat"}


def choose_tests(named: NamedTests, kind: Any = AnyTest) -> tuple[Any, ...]:
    """Return the tests that a user names.

    Parameters
    ----------
    named
        A test; the id of one in the catalogue; a pattern of ids, such as ``weat*``; a file of tests
        or a folder of such files, which `load_tests` reads; or several of these.
    kind
        `Test`, `FactualTest`, `GroupsTest`, or a union of these. A pattern, a file and a folder
        give only their tests of this kind; a test that is named by itself must be of it.

    Raises
    ------
    UsageError
        No test is left, one is of another kind, or two that differ have the same id.

    Examples
    --------
    >>> from weatherglass import Test
    >>> [test.id for test in choose_tests("weat6")]
    ['weat6']
    >>> own = Test(id="own", x=["rose", "lily"], y=["wasp", "gnat"], a=["kind"], b=["foul"])
    >>> [test.id for test in choose_tests([own, "weat[12]"])]
    ['own', 'weat1', 'weat2']
    """
    items = [named] if isinstance(named, str | PathLike | AnyTest) else list(named)
    chosen: dict[str, AnyTest] = {}
    for item in items:
        for test in _find(item, kind):
            if chosen.setdefault(test.id, test) != test:
                raise UsageError(
                    f"Two different tests have the id {quote_safe(test.id)}; rename yours."
                )
    if not chosen:
        name = " or ".join(each.kind for each in getattr(kind, "__args__", (kind,)))
        raise UsageError(f"The tests that you named include no {name} test.")
    return tuple(chosen.values())


def names_one_test(named: NamedTests) -> bool:
    """Return whether a user names a single test: a test itself, or an id of the catalogue.

    A file counts as several tests, however many it has.

    >>> names_one_test("weat6"), names_one_test("weat*"), names_one_test("mine.yaml")
    (True, False, False)
    """
    if isinstance(named, AnyTest):
        return True
    return isinstance(named, str) and not is_test_file(named) and not _is_pattern(named)


def is_test_file(name: str) -> bool:
    """Return whether a text names a file of tests, and not a test of the catalogue.

    >>> is_test_file("mine.yaml"), is_test_file("tests/mine"), is_test_file("weat6")
    (True, True, False)
    """
    is_path = "/" in name or "\\" in name or Path(name).suffix.lower() in READERS
    return is_path or (isdir(name) and not has_test(name))


def _find(item: Any, kind: Any) -> Iterable[AnyTest]:
    if isinstance(item, PathLike) or (isinstance(item, str) and is_test_file(item)):
        return [test for test in load_tests(fspath(item)) if isinstance(test, kind)]
    if isinstance(item, str) and _is_pattern(item):
        return [test for test in matching_tests(item) if isinstance(test, kind)]
    test = catalogue_test(item) if isinstance(item, str) else item
    if not isinstance(test, AnyTest):
        raise UsageError(
            f"{quote_safe(repr(item))} is no test: expected an id, a Test, or a file of tests."
        )
    if not isinstance(test, kind):
        article = "an" if test.kind == "association" else "a"
        raise UsageError(
            f"{test.id} is {article} {test.kind} test; run it with `{_RUN_BY[test.kind]}`."
        )
    return [test]


def _is_pattern(name: str) -> bool:
    return any(character in name for character in "*?[")
