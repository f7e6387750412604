"""The association table of a source: the cosines of the targets of tests with their attributes."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from weatherglass.catalog import FactualTest, GroupsTest, Test
from weatherglass.catalog import test as catalogue_test
from weatherglass.errors import CannotMeasure, UsageError
from weatherglass.vectors import Case

from .association_table import AssociationTable, Floats
from .effect_size import cosines
from .embedding import Source, open_embedding
from .word_sets import find_words, is_target_set


def cosine_table(
    source: Source, tests: Iterable[Test | FactualTest | GroupsTest | str], case: Case = "auto"
) -> AssociationTable:
    """Return the table of a source; see `AssociationTable.from_source`."""
    listed = [tests] if isinstance(tests, str | Test | FactualTest | GroupsTest) else list(tests)
    chosen = [catalogue_test(test) if isinstance(test, str) else test for test in listed]
    if not chosen:
        raise UsageError("Name at least one test.")
    named = [(name, words) for test in chosen for name, words in test.sets.items()]
    vectors = open_embedding(source, [words for _, words in named], case)
    if isinstance(vectors, AssociationTable):
        raise UsageError(f"{vectors.source} is a table already.")
    words: dict[bool, dict[str, None]] = {True: {}, False: {}}
    rows: dict[str, Floats] = {}
    for name, word_set in named:
        found = find_words(vectors, word_set.words, case)
        words[is_target_set(name)] |= dict.fromkeys(found.words)
        rows |= dict(zip(found.words, found.rows, strict=True))
    if not words[True] or not words[False]:
        which = "targets" if not words[True] else "attributes"
        raise CannotMeasure(f"{vectors.source} has none of the {which} of the tests.")
    targets, attributes = (np.stack([rows[w] for w in words[k]]) for k in (True, False))
    return AssociationTable(
        cosines(targets, attributes), words[True], words[False], source=vectors.source
    )
