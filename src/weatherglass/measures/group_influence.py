"""Leave-one-out for several groups: effect and p-value without each single word."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .group_effect import GroupScores, split_sets
from .influence import Influence
from .word_sets import FoundSet

N_DRAWS = 4_999
"""Assignments drawn for each word that is left out, where there are too many to count."""


def leave_one_out_of_groups(
    found: Mapping[str, FoundSet], options: Mapping[str, Any]
) -> tuple[Influence, ...]:
    """Drop each word in turn; the word that moves the effect most comes first."""
    names, attributes = split_sets(found)
    rows = {name: words.rows for name, words in found.items()}
    is_of_table = any(words.is_of_table for words in found.values())
    ddof, rng, alternative = (options[name] for name in ("ddof", "rng", "alternative"))

    def score(without: Mapping[str, Any]) -> GroupScores:
        return GroupScores.of(
            [without[name] for name in names], [without[name] for name in attributes], is_of_table
        )

    means = score(rows).mean_scores()
    reference = score(rows).numbers(ddof).effect or 0.0
    influences = []
    for name in found:
        if len(rows[name]) <= (2 if name in names else 1):  # the test needs them all
            continue
        for k, word in enumerate(found[name].words):
            scores = score(rows | {name: np.delete(rows[name], k, axis=0)})
            value = scores.oriented_effect(means, ddof)
            both = scores.p("two-sided", rng, N_DRAWS).value
            p = both
            if alternative != "two-sided":
                p = scores.p(alternative, rng, N_DRAWS).value
            influences.append(Influence(name, word, value, p, value - reference, both))
    return tuple(sorted(influences, key=lambda influence: -abs(influence.moved)))
