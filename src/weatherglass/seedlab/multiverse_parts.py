"""The parts of a multiverse: its sides and choices, its specifications, and their summary."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from weatherglass.significance import PValue


@dataclass(frozen=True)
class Side:
    """A side of the test: its label, the name of its own set, the concepts that it stands for, and
    how they are known."""

    label: str
    set: str
    concepts: tuple[str, ...]
    by: str


@dataclass(frozen=True)
class Dropped:
    """Sets that cannot stand in, alone or together, and why."""

    sets: dict[str, str]
    reason: str


@dataclass(frozen=True)
class Choice:
    """Sets that were chosen together, for one side or for two that face each other.

    Attributes
    ----------
    sets, concepts
        The ids of the sets and what they stand for, by side.
    words, missing
        The words used, as the source spells them, and the words that it does not have.
    samples
        The sub-samples: the positions in `words`, by side.
    same
        Other sets with the same words in this source, which are not counted again.
    documented
        Whether these are the test's own sets.
    """

    sets: dict[str, str]
    concepts: dict[str, str]
    words: dict[str, tuple[str, ...]]
    missing: dict[str, tuple[str, ...]]
    samples: tuple[dict[str, tuple[int, ...]], ...] = ()
    same: tuple[dict[str, str], ...] = ()
    documented: bool = False

    @property
    def name(self) -> str:
        """The ids without what both say: ``male_1 / female_1, Caliskan et al 2017``."""
        return set_names(self.sets)


@dataclass(frozen=True)
class Specification:
    """One way to run the test: the set of each side, and what came out.

    `sample` is 0 where the sets are whole, and otherwise the number of the sub-sample. `p_holm` and
    `p_bh` are corrected over all choices of sets with the same `sample`.
    """

    sets: dict[str, str]
    sample: int
    n: dict[str, int]
    effect: float
    statistic: float
    p: PValue
    p_holm: float
    p_bh: float


@dataclass(frozen=True)
class Part:
    """So many of so many."""

    count: int
    of: int

    @property
    def share(self) -> float:
        """The share; 0 of nothing."""
        return self.count / self.of if self.of else 0.0


@dataclass(frozen=True)
class Margin:
    """What one choice does, over all specifications with it: the mean effect, how much that is
    above the mean without it, and how many agree with the documented answer."""

    sets: dict[str, str]
    mean: float
    difference: float | None
    same_sign: Part
    significant: Part


@dataclass(frozen=True)
class Flip:
    """Whole sets that change the documented answer, and how many of their sub-samples do so too.

    `change` is ``"other sign"``, ``"not significant"`` or ``"significant"``.
    """

    sets: dict[str, str]
    change: str
    effect: float
    p: PValue
    p_holm: float
    samples: Part


@dataclass(frozen=True)
class Summary:
    """What all specifications say together.

    Attributes
    ----------
    same_sign
        How many effects have the sign of the documented one (where that could not be measured, the
        sign that the test foretells): ``"whole"`` counts whole sets only, ``"all"`` everything.
    significant
        How many are significant, by correction (``"none"``, ``"holm"``, ``"bh"``) and likewise.
    effects
        The least, the largest, the median and other quantiles of the effect.
    place
        The share of specifications whose effect is smaller than the documented one.
    out_of_reach
        Specifications with so few targets that the least p-value there is, times the number of
        choices, is over `alpha`: these have next to no chance after correction.
    margins, flips
        What each choice does; the choices that change the answer.
    """

    same_sign: dict[str, Part]
    significant: dict[str, dict[str, Part]]
    effects: dict[str, float]
    place: float | None
    out_of_reach: Part
    margins: tuple[Margin, ...]
    flips: tuple[Flip, ...]


def set_names(sets: Mapping[str, str]) -> str:
    """Ids of sets for people to read: what comes after the name is the study, said once.

    >>> set_names({"X": "male_1-Caliskan_et_al_2017", "Y": "female_1-Caliskan_et_al_2017"})
    'male_1 / female_1, Caliskan et al 2017'
    >>> set_names({"A": "career-Caliskan_et_al_2017"}), set_names({"X": "mine", "Y": "yours"})
    ('career, Caliskan et al 2017', 'mine / yours')
    """
    parts = [id.partition("-") for id in sets.values()]
    studies = dict.fromkeys(rest.rpartition("-")[2].replace("_", " ") for _, _, rest in parts)
    if len(studies) > 1:
        return " / ".join(set_names({"": id}) for id in sets.values())
    names = " / ".join(name for name, _, _ in parts)
    return f"{names}, {study}" if (study := next(iter(studies))) else names
