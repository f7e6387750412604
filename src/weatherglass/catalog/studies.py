"""The works that entries cite, by key."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from weatherglass.catalog.parts import Study
from weatherglass.catalog.textfiles import read_text
from weatherglass.catalog.yamltext import read_yaml
from weatherglass.errors import CatalogError, did_you_mean, shown

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
            f"the study {shown(value)} is not in the catalogue.{did_you_mean(value, studies())} "
            "A work of your own is written as a mapping with authors, year and title."
        )
    return studies()[value]
