"""The options of a search, checked."""

from __future__ import annotations

from dataclasses import dataclass
from operator import index
from os import PathLike, fspath
from typing import Any, get_args

import numpy as np

from weatherglass.errors import UsageError
from weatherglass.vectors import parse_single_control

from .names import Alphabet


@dataclass(frozen=True, kw_only=True)
class Options:
    """Options of a search; the defaults are the paper's values.

    Attributes
    ----------
    names
        A list of the catalogue (``ssa``, ``surnames``), a file, or ``auto``: names extracted from
        the embedding itself, by similarity to those of ``ssa``.
    group_by
        The text column of a file of names that states the groups, such as ``region``; then names
        are not clustered, and `groups` is not used. ``auto``: the only such column, or the one that
        is called ``group``, if there is one; ``none``: cluster the names.
    groups, categories, words, per_cell
        n, m, M and t of the paper.
    rotations, alpha
        R, and the false discovery rate.
    rng
        The random seed.
    keep_names
        Share of the names that cleaning keeps.
    control
        The control of the vectors to search, as in `weatherglass.control`: ``auto`` controls for
        word frequency if it is strong; ``none`` is the method as published.
    name_rank
        Use only names among this many most frequent tokens.
    voronoi
        Allow a word only in the cell of its nearest group.
    alphabet
        ``english`` for words of a to z, as in the paper, or ``any`` for all scripts.
    stop_early
        Stop as soon as no cell's verdict can change.
    placebo
        How many times to repeat the search with random ordinary words in place of the names.
    weights
        ``none`` counts each name once, as the paper does; ``population`` as often as people have
        it, which is a column of the list (the paper's fourth footnote); or the name of that column.
    """

    names: str = "ssa"
    group_by: str = "auto"
    groups: int = 12
    categories: int = 64
    words: int = 30_000
    per_cell: int = 3
    rotations: int = 10_000
    alpha: float = 0.05
    rng: int = 0
    keep_names: float = 0.8
    control: str = "auto"
    name_rank: int | None = None
    voronoi: bool = True
    alphabet: Alphabet = "english"
    stop_early: bool = True
    placebo: int = 0
    weights: str = "none"

    def __post_init__(self) -> None:
        if not isinstance(self.names, (str, PathLike)):
            raise UsageError(f"names is {self.names!r}; expected the name of a list, or a file.")
        object.__setattr__(self, "names", fspath(self.names))
        for name, minimum in _MINIMUM.items():
            optional = name == "name_rank"
            object.__setattr__(self, name, at_least(name, getattr(self, name), minimum, optional))
        for name in ("alpha", "keep_names"):
            value = getattr(self, name)
            if not isinstance(value, (int, float, np.number)) or not 0 < value <= 1:
                raise UsageError(f"{name} is {value!r}; it must be greater than 0 and at most 1.")
            object.__setattr__(self, name, float(value))
        if self.alpha == 1:
            raise UsageError("alpha is 1; it must be less than 1.")
        for name in ("voronoi", "stop_early"):
            object.__setattr__(self, name, bool(getattr(self, name)))
        object.__setattr__(self, "control", parse_single_control(self.control))
        if not isinstance(self.weights, str):
            raise UsageError(
                f"weights is {self.weights!r}; expected none, population or the name of a column."
            )
        if self.weights != "none" and self.names == "auto":
            raise UsageError("Names that are extracted from an embedding have no weights.")
        if self.alphabet not in get_args(Alphabet):
            expected = ", ".join(get_args(Alphabet))
            raise UsageError(f"alphabet is {self.alphabet!r}; it must be one of {expected}.")


def at_least(name: str, value: Any, minimum: int, optional: bool = True) -> Any:
    """Check that an option is an integer of at least `minimum`, and return it as an `int`.

    None is returned unchanged where the option is optional.
    """
    if value is None and optional:
        return None
    try:
        number = index(value)
    except TypeError:
        raise UsageError(f"{name} is {value!r}; expected an integer.") from None
    if number < minimum:
        raise UsageError(f"{name} is {number}; it must be at least {minimum}.")
    return number


_MINIMUM = {
    "groups": 2,
    "categories": 1,
    "words": 1,
    "per_cell": 1,
    "rotations": 1,
    "rng": 0,
    "placebo": 0,
    "name_rank": 1,
}
