"""Checks of one seed set in an embedding."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from weatherglass.catalog import SeedSet
from weatherglass.errors import few, shown

from .belonging import LEAST_WORDS, Belonging, Neighbourhood, belonging, kindred
from .checks import STRANGER
from .findings import Finding, are, finding, listed
from .space import Space

_SHOWN = 5  # words whose neighbours a sentence has
_NEIGHBOURS = 3


def check_missing(one: SeedSet, space: Space) -> Iterator[Finding]:
    """The words that the embedding does not have."""
    gone, count = space.missing(one.words), len(set(one.words))
    if gone:
        sentence = (
            f"{len(gone)} of its {count} words {are(len(gone))} not in {space.vectors.source}: "
            f"{listed(gone)}."
        )
        yield finding("missing", [one.id], len(gone) / count, sentence, gone)


def check_belonging(one: SeedSet, space: Space, near: Neighbourhood) -> Iterator[Finding]:
    """The words that do not belong, and those that are used in another sense."""
    at = space.positions(one.words)
    if len(at) < LEAST_WORDS:
        return
    fit = belonging(space, at)
    yield _outlier(one, space, fit)
    yield from _strangers(one, space, fit)
    yield from _senses(one, space, near, fit)


def _outlier(one: SeedSet, space: Space, fit: Belonging) -> Finding:
    worst = int(np.lexsort((fit.z, -fit.better))[0])
    word = space.word(int(fit.at[worst]))
    sentence = (
        f"{listed([word])} belongs least: {fit.better[worst]:.0%} of words as frequent are nearer "
        f"to the rest of the set (cosine {fit.cosine[worst]:.2f}, z {fit.z[worst]:.1f})."
    )
    return finding("outlier", [one.id], float(fit.better[worst]), sentence, [word])


def _strangers(one: SeedSet, space: Space, fit: Belonging) -> Iterator[Finding]:
    ranked = np.argsort(-fit.better, kind="stable")
    strange = [space.word(int(fit.at[k])) for k in ranked if fit.better[k] > STRANGER]
    if strange:
        sentence = (
            f"{len(strange)} of its {len(fit.at)} words fit{'s' * (len(strange) == 1)} little "
            f"better than chance, with more than {STRANGER:.0%} of words as frequent nearer to the "
            f"rest of the set: {listed(strange)}."
        )
        yield finding("strangers", [one.id], len(strange) / len(fit.at), sentence, strange)


def _senses(one: SeedSet, space: Space, near: Neighbourhood, fit: Belonging) -> Iterator[Finding]:
    alone = fit.at[kindred(space, near, fit) == 0].tolist()
    if alone:
        said = few(
            (f"{shown(space.word(at))} is near {listed(_near(at, space, near))}" for at in alone),
            _SHOWN,
            between="; ",
        )
        sentence = (
            f"{len(alone)} of its {len(fit.at)} words may have another sense here, with neighbours "
            f"that are far from the set: {said}."
        )
        words = [space.word(at) for at in alone]
        yield finding("senses", [one.id], len(alone) / len(fit.at), sentence, words)


def _near(at: int, space: Space, near: Neighbourhood) -> list[str]:
    return [space.word(int(other)) for other in near.found[near.row[at]][:_NEIGHBOURS]]
