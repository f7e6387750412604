"""Checks of one seed set in an embedding."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

import numpy as np

from weatherglass.catalog import SeedSet
from weatherglass.errors import join_first, quote_safe

from ..bad_seeds import NOTHING, set_similarity
from ..models import Floats, Positions
from ..pairs import seed_pair
from .findings import STRANGER, Finding, are, finding, listed, number
from .space import LEAST_WORDS, Belonging, Neighbourhood, Space, belonging, kindred

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
        said = join_first(
            (
                f"{quote_safe(space.word(at))} is near {listed(_near(at, space, near))}"
                for at in alone
            ),
            _SHOWN,
            separator="; ",
        )
        sentence = (
            f"{len(alone)} of its {len(fit.at)} words may have another sense here, with neighbours "
            f"that are far from the set: {said}."
        )
        words = [space.word(at) for at in alone]
        yield finding("senses", [one.id], len(alone) / len(fit.at), sentence, words)


def _near(at: int, space: Space, near: Neighbourhood) -> list[str]:
    return [space.word(int(other)) for other in near.found[near.row[at]][:_NEIGHBOURS]]


RANDOM_SETS = 1000
SHUFFLES = 200
_LEAST_PAIRS = 3
_CELLS = 1 << 22  # numbers of random sets, or of shuffles, that are held at once


def _chance(one: SeedSet, other: SeedSet, seed: int) -> np.random.Generator:
    """The same for a pair of sets, whatever else is looked at."""
    return np.random.default_rng([seed, zlib.crc32(f"{one.id}\n{other.id}".encode())])


def check_similarity(one: SeedSet, other: SeedSet, space: Space, seed: int) -> Iterator[Finding]:
    """How alike two sets are, beside random ones."""
    rng = _chance(one, other, seed)
    x, y = space.positions(one.words), space.positions(other.words)
    value = set_similarity(space.rows(x), space.rows(y))
    if value is None:
        return
    sentence = f"The cosine of their means is {value:.3f}."
    if not space.why_no_chance:
        share = float(np.mean(random_similarities(space, x, y, RANDOM_SETS, rng) < value))
        sentence += (
            f" Of {RANDOM_SETS:,} pairs of random sets as large and as frequent, {_percent(share)} "
            "are less alike."
        )
    yield finding("similarity", [one.id, other.id], value, sentence)


def random_similarities(
    space: Space, x: Positions, y: Positions, count: int, rng: np.random.Generator
) -> Floats:
    """The similarities of random sets that are as large as two sets, and as frequent."""
    made = np.empty(count)
    step = max(1, _CELLS // (max(len(x), len(y)) * space.vectors.dim))
    for start in range(0, count, step):
        size = min(step, count - start)
        means = [_means(space, space.drawn(at, size, rng)) for at in (x, y)]
        lengths = np.linalg.norm(means[0], axis=1) * np.linalg.norm(means[1], axis=1)
        dots = np.einsum("ij,ij->i", means[0], means[1])
        made[start : start + size] = dots / np.maximum(lengths, NOTHING)
    return made


def _means(space: Space, sets: Positions) -> Floats:
    """The mean unit row of each set."""
    rows = space.rows(sets.reshape(-1))
    means: Floats = rows.reshape(*sets.shape, -1).mean(axis=1)
    return means


def check_order(one: SeedSet, other: SeedSet, space: Space, seed: int) -> Iterator[Finding]:
    """Whether the order of their words matters."""
    rng = _chance(one, other, seed)
    pair = seed_pair(one, other)
    there = [(space.at[x], space.at[y]) for x, y in pair.pairs if x in space.at and y in space.at]
    if pair.match == "position" or len(there) < _LEAST_PAIRS:
        return
    x, y = (space.rows(np.array(side, dtype=np.intp)) for side in zip(*there, strict=True))
    ordered = float(first_share(x, y))
    shuffled = shuffled_shares(x, y, SHUFFLES, rng)
    share = float(np.mean(shuffled >= ordered - 1e-12))
    sentence = (
        f"In their order the {number(len(there), 'pair')} put {ordered:.0%} of their variance on "
        f"one direction; of {SHUFFLES} shuffles (mean {shuffled.mean():.0%}) {_percent(share)} do "
        "as well."
    )
    yield finding("order", [one.id, other.id], share, sentence)


def shuffled_shares(x: Floats, y: Floats, count: int, rng: np.random.Generator) -> Floats:
    """What the first component explains when the second words of pairs are shuffled."""
    made = np.empty(count)
    step = max(1, _CELLS // y.size)
    for start in range(0, count, step):
        size = min(step, count - start)
        places = rng.permuted(np.tile(np.arange(len(y)), (size, 1)), axis=1)
        made[start : start + size] = first_share(x[None], y[places])
    return made


def first_share(x: Floats, y: Floats) -> Floats:
    """The share of the first component, as `explained_variance` has it, and much faster.

    Of shape (..., pairs, dimensions) there is one number for each list of pairs. The variances are
    the eigenvalues of the smaller of the two products of the differences with themselves.
    """
    differences = x - y
    turned = np.swapaxes(differences, -1, -2)
    few = differences.shape[-2] <= differences.shape[-1]
    products = differences @ turned if few else turned @ differences
    total = np.trace(products, axis1=-2, axis2=-1)
    largest = np.linalg.eigvalsh(products)[..., -1]
    shares: Floats = np.divide(largest, total, out=np.zeros_like(total), where=total > NOTHING)
    return shares


def _percent(share: float) -> str:
    """A share that is 0 % or 100 % only if it is.

    >>> _percent(0.9996), _percent(1.0), _percent(0.25)
    ('99.9%', '100%', '25%')
    """
    if share in (0, 1):
        return f"{share:.0%}"
    return f"{min(max(share, 0.001), 0.999):.1%}".replace(".0%", "%")
