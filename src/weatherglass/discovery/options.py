"""The inputs of the search (Table 2 of the paper), checked."""

from __future__ import annotations

from dataclasses import dataclass
from operator import index
from os import PathLike, fspath
from typing import Any, get_args

import numpy as np

from weatherglass.errors import UsageError
from weatherglass.vectors import ControlMethod

from .vocabulary import Alphabet


@dataclass(frozen=True, kw_only=True)
class Options:
    """How to search; the paper's values are the defaults.

    Attributes
    ----------
    names
        A list of the catalogue (``ssa``, ``surnames``), a file, or ``auto``: tokens that the
        embedding itself uses as it uses the names of ``ssa``.
    groups, categories, words, per_cell
        n, m, M and t of the paper.
    rotations, alpha
        R, and the false discovery rate.
    rng
        The seed of everything that is drawn at random.
    keep_names
        The share of names that cleaning keeps.
    control
        Whether to take word frequency out first; ``none`` is the paper as published.
    name_rank
        Use only names among so many most frequent tokens.
    voronoi
        Let a word stand only in the cell of the group it is nearest to.
    alphabet
        ``english`` for words of a to z, as in the paper, or ``any`` for all letters.
    stop_early
        Stop when no cell's verdict can change any more.
    """

    names: str = "ssa"
    groups: int = 12
    categories: int = 64
    words: int = 30_000
    per_cell: int = 3
    rotations: int = 10_000
    alpha: float = 0.05
    rng: int = 0
    keep_names: float = 0.8
    control: ControlMethod = "auto"
    name_rank: int | None = None
    voronoi: bool = True
    alphabet: Alphabet = "english"
    stop_early: bool = True

    def __post_init__(self) -> None:
        if not isinstance(self.names, (str, PathLike)):
            raise UsageError(f"names is {self.names!r}; a list's name or a file was expected.")
        object.__setattr__(self, "names", fspath(self.names))
        for name, least in _LEAST.items():
            optional = name == "name_rank"
            object.__setattr__(self, name, at_least(name, getattr(self, name), least, optional))
        for name in ("alpha", "keep_names"):
            value = getattr(self, name)
            if not isinstance(value, (int, float, np.number)) or not 0 < value <= 1:
                raise UsageError(f"{name} is {value!r}; it must be a share from 0 to 1.")
            object.__setattr__(self, name, float(value))
        if self.alpha == 1:
            raise UsageError("alpha is 1; it must lie between 0 and 1.")
        for name in ("voronoi", "stop_early"):
            object.__setattr__(self, name, bool(getattr(self, name)))
        for name, known in _CHOICES.items():
            if getattr(self, name) not in get_args(known):
                expected = ", ".join(get_args(known))
                raise UsageError(
                    f"{name} is {getattr(self, name)!r}; it must be one of {expected}."
                )


def at_least(name: str, value: Any, least: int, optional: bool = True) -> Any:
    """A whole number that is large enough, as a plain `int`; None where it may be left out."""
    if value is None and optional:
        return None
    try:
        number = index(value)
    except TypeError:
        raise UsageError(f"{name} is {value!r}; a whole number was expected.") from None
    if number < least:
        raise UsageError(f"{name} is {number}; it must be at least {least}.")
    return number


_CHOICES: dict[str, Any] = {"control": ControlMethod, "alphabet": Alphabet}
_LEAST = {
    "groups": 2,
    "categories": 1,
    "words": 1,
    "per_cell": 1,
    "rotations": 1,
    "rng": 0,
    "name_rank": 1,
}
