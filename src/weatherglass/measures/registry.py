"""All measures of word sets, by name."""

from __future__ import annotations

from weatherglass.errors import UsageError, did_you_mean, shown

from .declared import Measure
from .direct_bias import DIRECT_BIAS
from .ect import ECT
from .indirect_bias import INDIRECT_BIAS
from .mac import MAC
from .nas import NAS
from .ripa import RIPA
from .rnd import RND
from .rnsb import RNSB
from .same import SAME
from .sc_weat import SC_WEAT
from .semaxis import SEMAXIS
from .subspace import SUBSPACE

MEASURES: dict[str, Measure] = {
    one.name: one
    for one in (
        RND,
        RNSB,
        RIPA,
        MAC,
        ECT,
        SEMAXIS,
        NAS,
        SAME,
        DIRECT_BIAS,
        INDIRECT_BIAS,
        SUBSPACE,
        SC_WEAT,
    )
}
"""Every measure that `weatherglass.measure` runs, with what it needs and what it means."""

_OWN = ("weat", "wefat", "seat", "ceat")


def measure_named(name: str) -> Measure:
    """A measure by its name.

    >>> measure_named("rnd").title
    'Relative norm distance'
    """
    if name in _OWN:
        raise UsageError(f"{name} runs whole tests: use `weatherglass.{name}`.")
    if name not in MEASURES:
        raise UsageError(
            f"There is no measure {shown(name)}."
            + (did_you_mean(name.lower(), MEASURES) or f" There are {', '.join(MEASURES)}.")
        )
    return MEASURES[name]
