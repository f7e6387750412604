"""Generated seed sets: a random word and the words nearest to it (section 6)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from weatherglass.catalog import SeedSet
from weatherglass.errors import CannotMeasure, UsageError, shown

from .models import Floats, Lookup, Models, frequent

Tags = Callable[[list[str]], Mapping[str, str]]
"""Gives words their parts of speech, as `weatherglass.corpus.part_of_speech` does."""


def generate_seeds(
    models: Any,
    count: int,
    *,
    size: int = 5,
    ranks: tuple[int, int] = (500, 5000),
    part: str | None = None,
    tags: Tags | None = None,
    rng: int = 0,
) -> tuple[SeedSet, ...]:
    """Make seed sets whose words are alike in meaning, in part of speech and in frequency.

    Each is a word drawn at random and the words nearest to it by cosine, among the words of one
    part of speech in a band of frequency.

    Parameters
    ----------
    models
        Vectors; or several, of samples of one corpus: then words are near in the vectors of the
        whole corpus, and only words that all samples have are taken.
    count
        How many sets; of different random words, as far as there are enough.
    size
        Words a set.
    ranks
        The band: from the so-manieth most frequent word to the so-manieth; by counts where there
        are any, else in the order of the file.
    part
        A part of speech, such as ``NOUN``; any by default.
    tags
        Gives words their parts of speech; needed with `part`.
    rng
        Seed for drawing.

    Raises
    ------
    CannotMeasure
        There are fewer such words than a set needs.

    Examples
    --------
    >>> import weatherglass as wg
    >>> for one in wg.generate_seeds(wg.open_vectors("default"), 2, rng=1):
    ...     print(one.words)
    ('cook', 'lunch', 'chicken', 'eat', 'fish')
    ('breaks', 'break', 'breaking', 'putting', 'double')
    """
    first, last = ranks
    if not 1 <= first <= last:
        raise UsageError(
            f"ranks is {first} to {last}; from 1 up, the lower one first, is expected."
        )
    if part is not None and tags is None:
        raise UsageError("With `part`, `tags` must say which part of speech a word is.")
    if count < 1 or size < 1:
        raise UsageError(f"{count} sets of {size} words were asked for; at least 1 of 1 is needed.")
    made = Models.of(models)
    words = _band(made, ranks)
    told, way_out = "", "Take a wider band."
    if part is not None and tags is not None:
        tagged = tags(words)
        words = [word for word in words if tagged.get(word) == part]
        others = Counter(tagged.values())
        told = f" with the part of speech {shown(part)}"
        if others and part not in others:
            way_out = f"There are {', '.join(name for name, _ in others.most_common())}."
    if len(words) < size:
        raise CannotMeasure(
            f"{made.name} has {len(words)} words{told} of rank {first} to {last}, and a set needs "
            f"{size}. {way_out}"
        )
    rows = made.whole.unit(words)
    chance = np.random.default_rng(rng)
    targets = np.resize(chance.permutation(len(words)), count)
    return tuple(
        SeedSet(id=f"generated_{words[near[0]]}", words=tuple(words[at] for at in near))
        for near in _nearest(rows, targets.tolist(), size)
    )


def _band(models: Models, ranks: tuple[int, int]) -> list[str]:
    """The words of a band that all models have; what has no letter is no word."""
    places = frequent(models.whole, *ranks)
    listed = [models.whole.words[int(place)] for place in places]
    words = [word for word in listed if word.isprintable() and any(map(str.isalpha, word))]
    found = Lookup.of(models, words, "keep")
    return [word for word in words if word in found.row]


def _nearest(rows: Floats, targets: list[int], size: int) -> Iterable[list[int]]:
    """Each target and its nearest neighbours, nearest first."""
    for start in range(0, len(targets), step := 256):
        some = targets[start : start + step]
        cosines = rows[some] @ rows.T
        cosines[np.arange(len(some)), some] = np.inf  # itself comes first
        for line in cosines:
            near = np.argpartition(-line, size - 1)[:size]
            yield sorted(near.tolist(), key=lambda at: (-line[at], at))
