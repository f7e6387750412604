"""`Retrieval`: everything that a retrieval audit of one encoder found."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from weatherglass._version import __version__
from weatherglass.measures import AssociationTable, Result, Results

from .contrast import RetrievalResult
from .selection import Selection

FOUR_FIFTHS = 0.8
"""The impact ratio below which the four-fifths rule of US agencies sees adverse impact (29 CFR
1607.4 D); New York City's Local Law 144 asks for the ratio without naming a limit."""


@dataclass(frozen=True)
class QueryContrast:
    """Two groups in the ranking of one query.

    The p-value is over names, and `p_holm` is corrected over all queries and pairs of groups.
    """

    dimension: str
    groups: tuple[str, str]
    query: str
    effect: float
    p: float
    p_holm: float


@dataclass(frozen=True)
class RankChange:
    """A document whose rank for a query depends most on the name; ranks count all versions."""

    query: str
    document: str
    best: str
    worst: str
    best_rank: int
    worst_rank: int
    versions: int


@dataclass(frozen=True)
class Covariates:
    """What is known about the names: their frequency in text, and their number of tokens."""

    columns: tuple[str, ...]
    values: tuple[tuple[float, ...], ...]
    missing: str = ""


@dataclass(frozen=True, kw_only=True, repr=False)
class Retrieval(Result):
    """What a retrieval audit found about one encoder.

    Attributes
    ----------
    contrasts
        For every dimension, each two groups with effect, p-value, intervals and controls.
    selections
        For every dimension, who is selected.
    by_query
        For every query, each two groups, with p-values corrected over all of these rows.
    examples
        The documents whose rank depends most on the name.
    names, groups
        The names, and their groups in every dimension.
    documents, queries
        The ids of the texts.
    scores
        For each name and query, the mean centred score over documents.
    covariates
        What the covariate control uses.
    placebo
        The words that were inserted in place of names, and their mean centred scores.
    source, options, version
        What is needed to repeat the audit.

    Examples
    --------
    >>> import weatherglass as wg
    >>> found = wg.retrieve("cbow:default", placebo=False)
    >>> [contrast.test for contrast in found.contrasts][:2]
    ['retrieval-race', 'retrieval-gender']
    >>> Retrieval.from_json(found.to_json()) == found
    True
    """

    measure: ClassVar[str] = "retrieve"
    noun: ClassVar[str] = "retrieval audit"
    chart: ClassVar[str] = "retrieval"

    contrasts: tuple[RetrievalResult, ...]
    selections: tuple[Selection, ...]
    by_query: tuple[QueryContrast, ...] = ()
    examples: tuple[RankChange, ...] = ()
    names: tuple[str, ...] = ()
    groups: dict[str, tuple[str, ...]] = field(default_factory=dict)
    documents: tuple[str, ...] = ()
    queries: tuple[str, ...] = ()
    scores: tuple[tuple[float, ...], ...] = ()
    covariates: Covariates | None = None
    placebo: dict[str, float] = field(default_factory=dict)
    source: dict[str, Any] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    version: str = __version__

    @property
    def results(self) -> Results[RetrievalResult]:
        """The contrasts as a result set, corrected for their number."""
        return Results.of(self.contrasts).correct()

    @property
    def table(self) -> AssociationTable:
        """The scores as an association table of names and queries, for tests of your own.

        >>> import weatherglass as wg
        >>> found = wg.retrieve("cbow:default", placebo=False)
        >>> jobs = wg.Test(x=["Greg", "Todd"], y=["Rasheed", "Tremayne"],
        ...                a=["electrician"], b=["registered-nurse"])
        >>> wg.weat(found.table, jobs).n
        {'X': 2, 'Y': 2, 'A': 1, 'B': 1}
        """
        return AssociationTable(self.scores, self.names, self.queries, self.source_name)

    def key_facts(self) -> dict[str, Any]:
        facts: dict[str, Any] = {
            "source": self.source_name,
            "names": len(self.names),
            "documents": len(self.documents),
            "queries": len(self.queries),
        }
        for selection in self.selections:
            facts[f"impact_ratio_{selection.dimension}"] = selection.impact_ratio
        return facts

    def sentence(self) -> str:
        return " ".join(
            [*(contrast.finding.sentence for contrast in self.results), *self.selection_sentences()]
        )

    def selection_sentences(self) -> list[str]:
        """Return who is selected, in a sentence for each dimension."""
        return [describe_selection(selection) for selection in self.selections]

    def preferences(self) -> list[tuple[QueryContrast, int, int]]:
        """Return a row of `by_query` for each two groups, and how many queries prefer each.

        This is the count of Wilson and Caliskan (2024), without their test over rows.

        >>> import weatherglass as wg
        >>> found = wg.retrieve("cbow:default", placebo=False)
        >>> row, first, second = found.preferences()[0]
        >>> row.groups, first + second
        (('White', 'Black'), 20)
        """
        rows: dict[tuple[str, tuple[str, str]], list[QueryContrast]] = {}
        for row in self.by_query:
            rows.setdefault((row.dimension, row.groups), []).append(row)
        return [
            (group[0], sum(row.effect > 0 for row in group), sum(row.effect < 0 for row in group))
            for group in rows.values()
        ]

    def to_rows(self) -> list[dict[str, Any]]:
        """Return a row for each contrast."""
        return self.results.to_rows()

    def to_dict(self) -> dict[str, Any]:
        fields = super().to_dict()
        fields["contrasts"] = [contrast.to_dict() for contrast in self.contrasts]
        return fields

    @classmethod
    def _from_fields(cls, record: dict[str, Any]) -> Retrieval:
        contrasts = record.get("contrasts", [])
        if not isinstance(contrasts, list):
            raise ValueError("the contrasts are no list")
        parsed = [RetrievalResult.from_dict(contrast) for contrast in contrasts]
        rest = {name: part for name, part in record.items() if name != "measure"}
        return super()._from_fields(rest | {"contrasts": parsed})


def describe_selection(selection: Selection) -> str:
    """Return who is selected, in a sentence.

    The four-fifths rule is stated only as a comparison: a rate in a test says nothing about the
    decisions of a product.
    """
    share = f"{100 * selection.top:g} %"
    if selection.impact_ratio is None:
        return f"Nobody is selected in the top {share} by {selection.dimension}."
    low, high = selection.rates[selection.lowest], selection.rates[selection.highest]
    text = (
        f"In the top {share} of the rankings are {_percent(low)} of the versions with "
        f"{selection.lowest} {selection.noun} and {_percent(high)} of those with "
        f"{selection.highest} {selection.noun}: "
        f"an impact ratio of {selection.impact_ratio:.2f}"
    )
    if selection.interval is not None:
        text += f" (95 % interval over documents {selection.interval.low:.2f} to "
        text += f"{selection.interval.high:.2f})"
    text += (
        f". If groups are assigned to the {selection.noun} at random, it is as low in "
        f"{format_share(selection.p_shuffled)} of cases"
    )
    below = selection.impact_ratio < FOUR_FIFTHS
    return text + (", and it is below four fifths." if below else ".")


def _percent(rate: float) -> str:
    return f"{100 * rate:.1f} %"


def format_share(p: float) -> str:
    """Return a share of random splits in per cent, with two digits.

    >>> format_share(0.0172), format_share(0.9996)
    ('1.7 %', '100 %')
    """
    return "100 %" if p >= 0.995 else f"{100 * p:.2g} %"
