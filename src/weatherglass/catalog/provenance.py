"""The parts of a catalogue entry: citations, published figures, differences, facts."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, model_validator

from weatherglass._files import read_text, read_yaml
from weatherglass.errors import CatalogError, did_you_mean, quote_safe


class Record(BaseModel):
    """A frozen record that knows its fields and takes no others."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


def _no_lone_text(value: Any) -> Any:
    # A piece of text is a sequence of letters: x="doctor" would become six words.
    if isinstance(value, str | bytes):
        raise ValueError(f"is the text {quote_safe(value)}; a list of words was expected")
    return value


Words = Annotated[tuple[str, ...], BeforeValidator(_no_lone_text)]


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
        """Authors' surnames and year, as in running text."""
        names = [name.split()[-1] for name in self.authors if name.strip()]
        who = names[0] + " et al." if len(names) > 2 else " & ".join(names)
        return f"{who} {self.year}" if who and self.year else who or self.title

    @property
    def citation(self) -> str:
        """The whole reference in one line."""
        head = " ".join(filter(None, (", ".join(self.authors), f"({self.year})" * bool(self.year))))
        title = self.title if self.title.endswith(("?", "!", ".")) else f"{self.title}."
        place = ", ".join(filter(None, (f"{self.journal} {self.volume}".strip(), self.pages)))
        link = f"doi:{self.doi}" if self.doi else self.url
        return " ".join(filter(None, (head and f"{head}.", title, place and f"{place}.", link)))


_P = re.compile(r"(?:<=?|≤)?\s*(\d*\.?\d+(?:[eE][+-]?\d+)?)")


class Printed(Record):
    """A p-value as it was printed, and the upper bound that the print amounts to.

    The tables of the Science paper round p-values up, so ``1e-7`` says p <= 1e-7; ``< 1e-2`` says
    that p is below 1e-2. Either way `p_bound` is not below the true value.
    """

    p: str = ""
    p_bound: float | None = None

    @model_validator(mode="before")
    @classmethod
    def _bound_from_text(cls, data: Any) -> Any:
        if isinstance(data, dict) and isinstance(data.get("p"), str) and "p_bound" not in data:
            match = _P.fullmatch(data["p"].strip())
            if data["p"] and not (match and float(match[1]) <= 1):
                raise ValueError(
                    f"has p {quote_safe(data['p'])}; a number from 0 to 1 was expected, or '<' and one"
                )
            return data | {"p_bound": float(match[1]) if match else None}
        return data


class Published(Printed):
    """The effect that a paper printed for an association test.

    `source` names the embedding, `variant` the word list it was measured with (empty: the default
    one); `n_targets` and `n_attributes` count words a side.
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


class HumanFinding(Printed):
    """What was found with people: Cohen's d, p-value and number of subjects where there are any."""

    study: Study
    d: float | None = None
    n: int | None = None
    n_printed: str = ""
    finding: str = ""


class Difference(Record):
    """Items of a set that are not as they were published, and why.

    The published list is ours without `ours` and with `theirs`.
    """

    set: Literal["X", "Y", "A", "B"]
    ours: Words = ()
    theirs: Words = ()
    reason: str


class Facts(Record):
    """One number of the world per target word, in the order of the targets."""

    name: str = "Fact"
    unit: str = ""
    values: tuple[float, ...]
    provenance: str = ""
    method: str = ""


DATA = Path(__file__).parent / "data"
_SETS = ("x", "y", "a", "b", "targets")


@functools.cache
def studies() -> Mapping[str, Study]:
    """Every work that the catalogue cites, by key."""
    path = DATA / "studies.yaml"
    (records,) = read_yaml(read_text(path), path.name)
    return {key: Study(key=key, **record) for key, record in records.items()}


def cited(record: Mapping[str, Any]) -> dict[str, Any]:
    """A test's record with each key of a study replaced by the study."""
    made = dict(record)
    if "study" in made:
        made["study"] = _find(made["study"])
    for name, field in [*((name, "source") for name in _SETS), ("human", "study")]:
        part = made.get(name)
        if isinstance(part, Mapping) and field in part:
            made[name] = {**part, field: _find(part[field])}
    return made


def _find(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    if not value:
        return None
    if value not in studies():
        raise CatalogError(
            f"the study {quote_safe(value)} is not in the catalogue.{did_you_mean(value, studies())} "
            "A work of your own is written as a mapping with authors, year and title."
        )
    return studies()[value]
