"""Provenance of catalogue entries: studies, published figures, differences and facts."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, model_validator

from weatherglass._languages import parse_language
from weatherglass.errors import CatalogError, UsageError, did_you_mean, quote_safe

from .record_files import read_mapping


class Record(BaseModel):
    """A frozen record that forbids unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


def _refuse_text(value: Any) -> Any:
    # Text is a sequence of letters: x="doctor" would become six words.
    if isinstance(value, str | bytes):
        raise ValueError(f"is the text {quote_safe(value)}; a list of words was expected")
    return value


Words = Annotated[tuple[str, ...], BeforeValidator(_refuse_text)]


def _language_code(text: str) -> str:
    try:
        return parse_language(text) if text else ""
    except UsageError as error:
        raise ValueError(str(error).rstrip(".")) from None


Language = Annotated[str, AfterValidator(_language_code)]
"""The code of a language; empty if it is not stated."""


class Study(Record):
    """A published work, as a reference list gives it.

    Examples
    --------
    >>> Study(key="k", authors=("A. Author",), year=2020, title="A title").citation
    'A. Author (2020). A title.'
    """

    key: str = ""
    authors: Words = ()
    year: int | None = None
    title: str
    journal: str = ""
    volume: str = ""
    pages: str = ""
    doi: str = ""
    url: str = ""

    @property
    def short(self) -> str:
        """Surnames of the authors and year, as in running text."""
        names = [name.split()[-1] for name in self.authors if name.strip()]
        authors = names[0] + " et al." if len(names) > 2 else " & ".join(names)
        return f"{authors} {self.year}" if authors and self.year else authors or self.title

    @property
    def citation(self) -> str:
        """The full reference on one line."""
        head = " ".join(filter(None, (", ".join(self.authors), f"({self.year})" * bool(self.year))))
        title = self.title if self.title.endswith(("?", "!", ".")) else f"{self.title}."
        place = ", ".join(filter(None, (f"{self.journal} {self.volume}".strip(), self.pages)))
        link = f"doi:{self.doi}" if self.doi else self.url
        return " ".join(filter(None, (head and f"{head}.", title, place and f"{place}.", link)))


_P = re.compile(r"(?:<=?|≤)?\s*(\d*\.?\d+(?:[eE][+-]?\d+)?)")


class Printed(Record):
    """A p-value as printed, and its upper bound.

    The tables of the Science paper round p-values up, so ``1e-7`` means p <= 1e-7, and ``< 1e-2``
    means p < 1e-2. Either way `p_bound` is at least the true value.
    """

    p: str = ""
    p_bound: float | None = None

    @model_validator(mode="before")
    @classmethod
    def _parse_bound(cls, data: Any) -> Any:
        if isinstance(data, dict) and isinstance(data.get("p"), str) and "p_bound" not in data:
            match = _P.fullmatch(data["p"].strip())
            if data["p"] and not (match and float(match[1]) <= 1):
                raise ValueError(
                    f"has p {quote_safe(data['p'])}; a number from 0 to 1 was expected, "
                    "with or without '<'"
                )
            return data | {"p_bound": float(match[1]) if match else None}
        return data


class Published(Printed):
    """The effect size that a paper printed for an association test.

    `source` names the embedding, `variant` the word list (empty: the default list); `n_targets`
    and `n_attributes` are words per set.
    """

    source: str
    variant: str = ""
    table: str = ""
    effect: float
    n_targets: int
    n_attributes: int


class PublishedCorrelation(Printed):
    """The correlation that a paper printed for a factual test over `n` targets."""

    source: str
    variant: str = ""
    table: str = ""
    correlation: float
    n: int


class PublishedAgreement(Record):
    """Correlations of the words' associations between two embeddings, as a paper printed them."""

    sources: tuple[str, str]
    pearson: float
    spearman: float
    table: str = ""


class HumanFinding(Printed):
    """A finding with people: Cohen's d, p-value and number of subjects, if published."""

    study: Study
    d: float | None = None
    n: int | None = None
    n_printed: str = ""
    finding: str = ""


class Difference(Record):
    """Items of a set that differ from the published list, and why.

    The published list has `theirs` in place of `ours`.
    """

    set: Literal["X", "Y", "A", "B"]
    ours: Words = ()
    theirs: Words = ()
    reason: str


class Facts(Record):
    """One number about the world per target word, in the order of the targets."""

    name: str = "Fact"
    unit: str = ""
    values: tuple[float, ...]
    provenance: str = ""
    method: str = ""


DATA = Path(__file__).parent / "data"
_SETS = ("x", "y", "a", "b", "targets")


@functools.cache
def studies() -> Mapping[str, Study]:
    """Return all works that the catalogue cites, by key."""
    records = read_mapping(DATA / "studies.yaml")
    return {key: Study(key=key, **record) for key, record in records.items()}


def resolve_studies(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record with the keys of studies replaced by the studies."""
    resolved = dict(record)
    if "study" in resolved:
        resolved["study"] = _find_study(resolved["study"])
    for name, field in [*((name, "source") for name in _SETS), ("human", "study")]:
        part = resolved.get(name)
        if isinstance(part, Mapping) and field in part:
            resolved[name] = {**part, field: _find_study(part[field])}
    return resolved


def _find_study(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    if not value:
        return None
    if value not in studies():
        raise CatalogError(
            f"the study {quote_safe(value)} is not in the catalogue."
            f"{did_you_mean(value, studies())} "
            "Describe any other work in a mapping with authors, year and title."
        )
    return studies()[value]
