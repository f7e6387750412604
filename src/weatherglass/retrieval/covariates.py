"""Covariates of names: how frequent a name is in text, and into how many tokens it is split."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from typing import Any

import numpy as np

from weatherglass.catalog import load_names

from .retrieval import Covariates

FREQUENCY = "log frequency"
TOKENS = "tokens"


def name_covariates(names: Sequence[str], encoder: Any) -> Covariates | None:
    """Return what is known about names; None if it is nothing.

    The frequency is wordfreq's for English text or, where that is not installed, the number of
    births in the catalogue's list of first names. The number of tokens is known for encoders with
    `count_tokens`.
    """
    columns: dict[str, tuple[float, ...]] = {}
    missing = []
    if (frequency := _frequencies(names)) is not None:
        columns[FREQUENCY] = frequency
    else:
        missing.append("frequency")
    if hasattr(encoder, "count_tokens"):
        columns[TOKENS] = tuple(float(count) for count in encoder.count_tokens(names))
    else:
        missing.append("number of tokens")
    if not columns:
        return None
    return Covariates(tuple(columns), tuple(columns.values()), ", ".join(missing))


def _frequencies(names: Sequence[str]) -> tuple[float, ...] | None:
    if importlib.util.find_spec("wordfreq") is not None:
        from wordfreq import zipf_frequency

        return tuple(float(zipf_frequency(name, "en")) for name in names)
    listed = load_names("ssa")
    births = dict(zip(listed.names, listed.facts["births"], strict=True))
    known = [births.get(name) for name in names]
    if any(value is None for value in known):
        return None
    return tuple(float(np.log10(value)) for value in known if value)
