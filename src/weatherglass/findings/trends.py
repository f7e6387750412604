"""What a trend says: rose, fell, or no clear trend."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from weatherglass.errors import quote_safe
from weatherglass.significance import equate_p

from .finding import ALPHA

TrendGrade = Literal["clear", "mixed", "none"]


class TestedTrend(Protocol):
    """A trend of one statistic, with its p-values."""

    @property
    def statistic(self) -> str: ...
    @property
    def change(self) -> float: ...
    @property
    def p_holm(self) -> float: ...
    @property
    def residual_p(self) -> float | None: ...
    @property
    def detectable(self) -> float: ...


@dataclass(frozen=True, slots=True)
class TrendFinding:
    """The grade of a trend, and the sentence that every surface shows.

    Attributes
    ----------
    grade
        ``clear``: p by permuted dates and p by the residuals are both at most 0.05. ``mixed``: only
        p by permuted dates is. ``none``: no clear trend.
    sentence
        What was found, with its direction unless the grade is ``none``.
    direction
        1 if it rose, -1 if it fell, 0 if there is no clear trend.
    """

    grade: TrendGrade
    sentence: str
    direction: int = 0


_DECIMALS = {"unstandardised": 4}


def trend_finding(
    subject: str,
    first: str,
    last: str,
    trends: Sequence[TestedTrend],
    alpha: float = ALPHA,
) -> TrendFinding:
    """Grade a trend and say what was found.

    Parameters
    ----------
    subject
        What may have changed, such as ``the association of family words with women words``.
    first, last
        The names of the first and the last period.
    trends
        The trends of all statistics that were tested; the one with the smallest corrected p-value
        decides, as the correction covers all of them.
    alpha
        The significance level.
    """
    between = f"between the periods {quote_safe(first)} and {quote_safe(last)}"
    chosen = min(trends, key=lambda trend: trend.p_holm)
    decimals = _DECIMALS.get(chosen.statistic, 2)
    if chosen.p_holm > alpha:
        could = f"a change of about {chosen.detectable:.{decimals}f} in {_name(chosen)}"
        sentence = f"No clear trend in {subject} {between}; this test could have detected {could}."
        return TrendFinding("none", sentence)
    direction = 1 if chosen.change > 0 else -1
    verb = "rose" if direction > 0 else "fell"
    change = f"{chosen.change:+.{decimals}f}".replace("-", "−")
    sentence = (
        f"{subject[:1].upper()}{subject[1:]} {verb} {between}, by {change} in {_name(chosen)}"
    )
    if chosen.residual_p is None or chosen.residual_p <= alpha:
        return TrendFinding("clear", f"{sentence}.", direction)
    p = equate_p(chosen.residual_p)
    sentence += f"; but periods differ so much from a line that it is not certain ({p})."
    return TrendFinding("mixed", sentence, direction)


def _name(trend: TestedTrend) -> str:
    names = {"effect": "effect size", "unstandardised": "the unstandardised effect"}
    return names.get(trend.statistic, trend.statistic)
