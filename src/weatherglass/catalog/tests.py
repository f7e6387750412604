"""The tests of the catalogue, by id; each is read and validated once."""

from __future__ import annotations

import fnmatch
import functools
from collections.abc import Iterator, Mapping
from typing import Any

from weatherglass.errors import UnknownEntry, did_you_mean, quote_safe

from .facts import compute_facts
from .provenance import DATA, resolve_studies
from .record_files import read_mapping
from .schema import FactualTest, Test
from .sentences import to_scripted_test, to_sentences
from .word_sets import WordSet


def test(id: str, variant: str | None = None) -> Test | FactualTest:  # noqa: PT028
    """Return a test of the catalogue.

    Parameters
    ----------
    id
        The test's id, such as ``"weat6"``; ``"weat3@full"`` names a variant too.
    variant
        Another word list of the same test: ``"word2vec"`` is the list that the paper used with that
        embedding, ``"full"`` the original study's list with the words that the paper left out. The
        default is the list that was used with GloVe.

    Raises
    ------
    UnknownEntry
        If there is no such test or variant; the message suggests similar ones.

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


def tests(
    *patterns: str,
    level: str | None = None,  # noqa: PT028
    study: str | None = None,  # noqa: PT028
) -> tuple[Test | FactualTest, ...]:
    """Return all tests whose id matches a pattern, in the catalogue's order.

    Parameters
    ----------
    *patterns
        As for file names: ``*`` is any text, ``?`` one character, ``[1-9]`` one of these; without a
        pattern, all tests. ``"weat*@word2vec"`` gives that variant of each match that has it.
        Several patterns give their matches in turn, each test once.
    level
        Only tests of words (``"word"``) or only tests of sentences (``"sentence"``).
    study
        Only tests that this work published, by its key: ``"caliskan2017"`` or ``"may2019"``.

    Raises
    ------
    UnknownEntry
        If a pattern matches nothing.

    Examples
    --------
    >>> [test.id for test in tests("w*1")]
    ['weat1', 'wefat1']
    >>> len(tests("weat*")), len(tests("weat*", study="caliskan2017")), len(tests("sent-*"))
    (15, 10, 19)
    """
    selected: dict[str, Test | FactualTest] = {}
    for pattern in patterns or ("*",):
        matches = [
            entry
            for entry in _match(pattern)
            if level in (None, entry.level) and study in (None, entry.study and entry.study.key)
        ]
        if not matches:
            filters = (f" of level {level}" if level else "") + (
                f" of the study {study}" if study else ""
            )
            raise UnknownEntry(
                f"No test of the catalogue{filters} matches {quote_safe(pattern)}."
                f"{did_you_mean(pattern.lower(), _records())}"
            )
        selected |= {entry.id: entry for entry in matches}
    return tuple(selected.values())


def has_test(id: str) -> bool:
    """Return whether the catalogue has a test with this id, with or without a variant."""
    return id.partition("@")[0] in _records()


def _match(pattern: str) -> Iterator[Test | FactualTest]:
    id_pattern, _, variant = pattern.partition("@")
    for name, record in _records().items():
        if fnmatch.fnmatchcase(name, id_pattern) and (not variant or variant in record["variants"]):
            yield _entry(name, variant)


# The order in which the catalogue is listed.
_FILES = ("weat", "wefat", "seat-words", "seat-sentences")
_SETS = {"x", "y", "a", "b", "targets"}

# pytest would collect both wherever a test module imports them.
test.__test__ = tests.__test__ = False  # type: ignore[attr-defined]


@functools.cache
def _records() -> dict[str, dict[str, Any]]:
    """Return the records of the data files by id, with references to other sets resolved."""
    records: dict[str, dict[str, Any]] = {}
    for name in _FILES:
        path = DATA / "tests" / f"{name}.yaml"
        for record in read_mapping(path)["tests"]:
            assert record["id"] not in records, f"{path.name} repeats {record['id']}"
            records[record["id"]] = {"variants": {}, **record}
    for record in records.values():
        for part in _SETS & record.keys():
            if isinstance(record[part], str):  # refers to a set of another test
                other, _, letter = record[part].partition(".")
                record[part] = records[other][letter]
    return records


@functools.cache
def _entry(name: str, variant: str) -> Test | FactualTest:
    records = _records()
    if name not in records:
        raise UnknownEntry(
            f"There is no test {quote_safe(name)} in the catalogue."
            + (did_you_mean(name.lower(), records) or " See `weatherglass catalog list`.")
        )
    record = records[name]
    variants: Mapping[str, Any] = record["variants"]
    if variant and variant not in variants:
        has = f"it has {' and '.join(variants)}" if variants else "it has none"
        raise UnknownEntry(f"The test {name} has no variant {quote_safe(variant)}; {has}.")
    changes = variants[variant] if variant else {}
    data = resolve_studies(record) | {"variant": variant, "variants": tuple(variants)}
    if variant:
        data["id"] = f"{name}@{variant}"
    if "sentences_of" in data:
        return _sentence_test(data, changes)
    for part in _SETS & data.keys():
        data[part] = _apply_variant(data[part], changes.get(part, {}))
    if "facts" not in data:
        return Test.model_validate(data)
    facts = dict(data["facts"])
    facts["values"] = compute_facts(DATA / "facts" / facts.pop("file"), facts.pop("rule"))
    return FactualTest.model_validate(data | {"facts": facts})


def _sentence_test(record: dict[str, Any], changes: Mapping[str, Any]) -> Test:
    """Build the sentences of a word test, without those that the published list leaves out."""
    base = record.pop("sentences_of")
    variant = record["variant"] if record["variant"] in _records()[base]["variants"] else ""
    word_test = _entry(base, variant)
    assert isinstance(word_test, Test), f"{record['id']} is made from a factual test"
    script, pronouns = record.pop("script", None), record.pop("pronouns", {})
    if script:
        sentence_test = to_scripted_test(word_test, script, pronouns)
    else:
        sentence_test = to_sentences(word_test)
    for part in ("x", "y", "a", "b"):
        items: WordSet = getattr(sentence_test, part)
        left_out = changes.get(part, record.get(part, {})).get("left_out", ())
        unknown = set(left_out) - set(items.words)
        assert not unknown, f"{record['id']} leaves out unknown sentences: {sorted(unknown)}"
        record[part] = items.leave_out(left_out)
    return Test.model_validate({**dict(sentence_test), **record})


def _apply_variant(part: Mapping[str, Any], change: Mapping[str, Any]) -> dict[str, Any]:
    """Return the set of a variant: the printed words without those left out, some replaced."""
    data = dict(part)
    printed = data.pop("printed", None) or data["words"]
    left_out = change.get("left_out", data.get("left_out", []))
    replacements = change.get("replace", {})
    data["words"] = [replacements.get(word, word) for word in printed if word not in left_out]
    data["left_out"] = left_out
    return data
