"""The alternative of a test: as published, as the user declared it, or two-sided."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from weatherglass.significance import Alternative, PValue

DECLARED = "declared"
"""The option of a result whose direction the user declared before the measurement."""


def choose_alternative(test: Any, given: Alternative | None) -> dict[str, Any]:
    """Return the alternative of a test as options of its result.

    An alternative that the user gives, or writes into a test, is a declared direction unless it is
    two-sided. Otherwise a published test keeps the paper's one-sided p-value, so that it can be
    reproduced, and a user's own words are tested two-sided.

    >>> from weatherglass.catalog import test
    >>> choose_alternative(test("weat6"), None), choose_alternative(test("weat6"), "less")
    ({'alternative': 'greater'}, {'alternative': 'less', 'declared': True})
    """
    chosen = given or getattr(test, "alternative", None)
    if chosen is None:
        is_published = getattr(test, "study", None) is not None
        return {"alternative": "greater" if is_published else "two-sided"}
    return {"alternative": chosen} | ({DECLARED: True} if chosen != "two-sided" else {})


def two_sided(p: PValue, compute: Callable[[], PValue]) -> PValue:
    """Return the two-sided p-value of a test; `compute` is called if `p` is the larger tail."""
    return p.as_two_sided() or compute()
