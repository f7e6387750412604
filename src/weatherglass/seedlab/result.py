"""What every experiment of the seed lab gives back: a record that JSON keeps without loss."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

from weatherglass._version import __version__
from weatherglass.errors import BadContent
from weatherglass.measures import Shown, from_json, from_plain, loads, to_json


@dataclass(frozen=True, kw_only=True)
class Experiment(Shown):
    """The part that all experiments share.

    Attributes
    ----------
    source, options, version
        What is needed to repeat it.
    """

    measure: ClassVar[str]
    kinds: ClassVar[dict[str, type[Experiment]]] = {}

    source: dict[str, Any] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    version: str = __version__

    def __init_subclass__(cls) -> None:
        Experiment.kinds[cls.measure] = cls

    def to_dict(self) -> dict[str, Any]:
        """Everything, ready for JSON; the measure's name comes first."""
        return {"measure": self.measure} | dataclasses.asdict(self)

    def to_json(self) -> str:
        """Everything as JSON text."""
        return to_json(self)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The record that `to_json` wrote."""
        return from_json(cls, text, f"{cls.measure} experiment")


def experiments_json(experiments: Iterable[Experiment]) -> str:
    """Several experiments as one JSON text."""
    content = {"weatherglass": __version__, "results": [one.to_dict() for one in experiments]}
    return json.dumps(content, indent=2, allow_nan=False)


def read_experiments(text: str) -> list[Experiment]:
    """The experiments that `experiments_json` wrote, which the commands print as JSON.

    Raises
    ------
    BadContent
        The text is something else.
    """
    try:
        records = loads(text)["results"]
        return [from_plain(Experiment.kinds[one["measure"]], one) for one in records]
    except (ValueError, KeyError, TypeError) as error:
        raise BadContent(f"These are not experiments in JSON ({error}).") from None
