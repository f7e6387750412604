"""`Experiment`, the base of the seed lab's results, and JSON with several of them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, ClassVar

from weatherglass._version import __version__
from weatherglass.errors import BadContent
from weatherglass.measures import Result, load_json


@dataclass(frozen=True, kw_only=True, repr=False)
class Experiment(Result):
    """The fields that all experiments share.

    Attributes
    ----------
    source, options, version
        What is needed to repeat it.
    """

    chart: ClassVar[str] = "experiments"

    source: dict[str, Any] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    version: str = __version__

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.noun = f"{cls.measure} experiment"

    def key_facts(self) -> dict[str, Any]:
        return {"source": self.source_name, "rows": len(self.to_rows())}


def experiments_json(experiments: Iterable[Experiment]) -> str:
    """Return several experiments as one JSON text."""
    results = [experiment.to_dict() for experiment in experiments]
    return json.dumps({"weatherglass": __version__, "results": results}, indent=2, allow_nan=False)


def read_experiments(text: str) -> list[Experiment]:
    """Return the experiments that `experiments_json` wrote, which the commands print as JSON.

    Raises
    ------
    BadContent
        The text is something else.
    """
    try:
        return [Experiment.from_dict(record) for record in load_json(text)["results"]]
    except (ValueError, KeyError, TypeError) as error:
        raise BadContent(f"These are not experiments in JSON ({error}).") from None
