"""The tests of the catalogue: looked up by id, read and checked once."""

from __future__ import annotations

import fnmatch
import functools
from collections.abc import Mapping
from typing import Any

from weatherglass.catalog.facts import computed_facts
from weatherglass.catalog.schema import FactualTest, Test
from weatherglass.catalog.studies import DATA, cited
from weatherglass.catalog.textfiles import read_text
from weatherglass.catalog.yamltext import read_yaml
from weatherglass.errors import UnknownEntry, did_you_mean, shown


def test(id: str, variant: str | None = None) -> Test | FactualTest:  # noqa: PT028
    """A test of the catalogue.

    Parameters
    ----------
    id
        The test's id, such as ``"weat6"``; ``"weat3@full"`` names a variant too.
    variant
        Another word list of the same test: ``"word2vec"`` is the one the paper used with that
        embedding, ``"full"`` the original study's list with the words the paper left out. Without
        it, the list that was used with GloVe.

    Raises
    ------
    UnknownEntry
        If there is no such test or variant; the message names the nearest.

    Examples
    --------
    >>> weat = test("weat3")
    >>> weat.x.label, len(weat.x), len(test("weat3@full").x)
    ('European American names', 32, 50)
    >>> weat.printed.effect, weat.printed.p_bound
    (1.41, 1e-08)
    """
    name, _, tail = id.partition("@")
    return _entry(name, variant or tail)


def tests(pattern: str = "*") -> tuple[Test | FactualTest, ...]:  # noqa: PT028
    """Every test whose id matches a pattern, in the catalogue's order.

    Parameters
    ----------
    pattern
        As for file names: ``*`` any text, ``?`` one character. ``"weat*@word2vec"`` gives that
        variant of every match that has it.

    Raises
    ------
    UnknownEntry
        If nothing matches.

    Examples
    --------
    >>> [one.id for one in tests("w*1")]
    ['weat1', 'wefat1']
    """
    wanted, _, variant = pattern.partition("@")
    found = tuple(
        _entry(name, variant)
        for name, record in _records().items()
        if fnmatch.fnmatchcase(name, wanted) and (not variant or variant in record["variants"])
    )
    if not found:
        raise UnknownEntry(
            f"No test of the catalogue matches {shown(pattern)}."
            + did_you_mean(pattern.lower(), _records())
        )
    return found


# pytest would collect both wherever a test module imports them.
test.__test__ = tests.__test__ = False  # type: ignore[attr-defined]


@functools.cache
def _records() -> dict[str, dict[str, Any]]:
    """The entries as they stand in the data files, by id."""
    records: dict[str, dict[str, Any]] = {}
    for path in sorted((DATA / "tests").glob("*.yaml")):
        (document,) = read_yaml(read_text(path), path.name)
        for record in document["tests"]:
            assert record["id"] not in records, f"{path.name} repeats {record['id']}"
            records[record["id"]] = {"variants": {}, **record}
    return records


@functools.cache
def _entry(name: str, variant: str) -> Test | FactualTest:
    records = _records()
    if name not in records:
        raise UnknownEntry(
            f"There is no test {shown(name)} in the catalogue."
            + (did_you_mean(name.lower(), records) or " See `weatherglass catalog list`.")
        )
    record = records[name]
    variants: Mapping[str, Any] = record["variants"]
    if variant and variant not in variants:
        has = f"it has {' and '.join(variants)}" if variants else "it has none"
        raise UnknownEntry(f"The test {name} has no variant {shown(variant)}; {has}.")
    changes = variants[variant] if variant else {}
    made = cited(record) | {"variant": variant, "variants": tuple(variants)}
    for part in ("x", "y", "a", "b", "targets"):
        if part in made:
            made[part] = _words_used(made[part], changes.get(part, {}))
    if variant:
        made["id"] = f"{name}@{variant}"
    if "facts" not in made:
        return Test.model_validate(made)
    facts = dict(made["facts"])
    facts["values"] = computed_facts(DATA / "facts" / facts.pop("file"), facts.pop("rule"))
    return FactualTest.model_validate(made | {"facts": facts})


def _words_used(part: Mapping[str, Any], change: Mapping[str, Any]) -> dict[str, Any]:
    """A set as the variant has it: printed words less those left out, some exchanged."""
    made = dict(part)
    printed = made.pop("printed", None) or made["words"]
    left_out = change.get("left_out", made.get("left_out", []))
    exchange = change.get("replace", {})
    made["words"] = [exchange.get(word, word) for word in printed if word not in left_out]
    made["left_out"] = left_out
    return made
