"""The tests of the catalogue: looked up by id, read and checked once."""

from __future__ import annotations

import fnmatch
import functools
from collections.abc import Iterator, Mapping
from typing import Any

from weatherglass._files import read_text, read_yaml
from weatherglass.errors import UnknownEntry, did_you_mean, quote_safe

from .facts import computed_facts
from .provenance import DATA, cited
from .schema import FactualTest, Test
from .sentences import scripted, to_sentences
from .word_sets import WordSet


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


def tests(
    *patterns: str,
    level: str | None = None,  # noqa: PT028
    study: str | None = None,  # noqa: PT028
) -> tuple[Test | FactualTest, ...]:
    """Every test whose id matches a pattern, in the catalogue's order.

    Parameters
    ----------
    *patterns
        As for file names: ``*`` any text, ``?`` one character, ``[1-9]`` one of these; without a
        pattern, every test. ``"weat*@word2vec"`` gives that variant of every match that has it.
        Several patterns give their matches one after another, each test once.
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
    >>> [one.id for one in tests("w*1")]
    ['weat1', 'wefat1']
    >>> len(tests("weat*")), len(tests("weat*", study="caliskan2017")), len(tests("sent-*"))
    (15, 10, 19)
    """
    found: dict[str, Test | FactualTest] = {}
    for pattern in patterns or ("*",):
        matches = [
            one
            for one in _matches(pattern)
            if level in (None, one.level) and study in (None, one.study and one.study.key)
        ]
        if not matches:
            only = [f"of level {level}"] * bool(level) + [f"of the study {study}"] * bool(study)
            raise UnknownEntry(
                f"No test of the catalogue{''.join(f' {one}' for one in only)} "
                f"matches {quote_safe(pattern)}.{did_you_mean(pattern.lower(), _records())}"
            )
        found |= {one.id: one for one in matches}
    return tuple(found.values())


def _matches(pattern: str) -> Iterator[Test | FactualTest]:
    wanted, _, variant = pattern.partition("@")
    for name, record in _records().items():
        if fnmatch.fnmatchcase(name, wanted) and (not variant or variant in record["variants"]):
            yield _entry(name, variant)


# The order in which the catalogue is listed.
_FILES = ("weat", "wefat", "seat-words", "seat-sentences")
_SETS = {"x", "y", "a", "b", "targets"}

# pytest would collect both wherever a test module imports them.
test.__test__ = tests.__test__ = False  # type: ignore[attr-defined]


@functools.cache
def _records() -> dict[str, dict[str, Any]]:
    """The entries as they stand in the data files, by id."""
    records: dict[str, dict[str, Any]] = {}
    for name in _FILES:
        path = DATA / "tests" / f"{name}.yaml"
        (document,) = read_yaml(read_text(path), path.name)
        for record in document["tests"]:
            assert record["id"] not in records, f"{path.name} repeats {record['id']}"
            records[record["id"]] = {"variants": {}, **record}
    for record in records.values():
        for part in _SETS & record.keys():
            if isinstance(record[part], str):  # the same words as a set of another test
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
    made = cited(record) | {"variant": variant, "variants": tuple(variants)}
    if variant:
        made["id"] = f"{name}@{variant}"
    if "sentences_of" in made:
        return _sentence_test(made, changes)
    for part in _SETS & made.keys():
        made[part] = _words_used(made[part], changes.get(part, {}))
    if "facts" not in made:
        return Test.model_validate(made)
    facts = dict(made["facts"])
    facts["values"] = computed_facts(DATA / "facts" / facts.pop("file"), facts.pop("rule"))
    return FactualTest.model_validate(made | {"facts": facts})


def _sentence_test(record: dict[str, Any], changes: Mapping[str, Any]) -> Test:
    """The sentences of a word test, less those that the published list leaves out."""
    base = record.pop("sentences_of")
    variant = record["variant"] if record["variant"] in _records()[base]["variants"] else ""
    words = _entry(base, variant)
    assert isinstance(words, Test), f"{record['id']} is made of a factual test"
    script, pronouns = record.pop("script", None), record.pop("pronouns", {})
    made = scripted(words, script, pronouns) if script else to_sentences(words)
    for part in ("x", "y", "a", "b"):
        items: WordSet = getattr(made, part)
        left_out = changes.get(part, record.get(part, {})).get("left_out", ())
        lacking = set(left_out) - set(items.words)
        assert not lacking, f"{record['id']} leaves out what is not there: {sorted(lacking)}"
        record[part] = items.without(left_out)
    return Test.model_validate({**dict(made), **record})


def _words_used(part: Mapping[str, Any], change: Mapping[str, Any]) -> dict[str, Any]:
    """A set as the variant has it: printed words less those left out, some exchanged."""
    made = dict(part)
    printed = made.pop("printed", None) or made["words"]
    left_out = change.get("left_out", made.get("left_out", []))
    exchange = change.get("replace", {})
    made["words"] = [exchange.get(word, word) for word in printed if word not in left_out]
    made["left_out"] = left_out
    return made
