"""`seat`: association tests on sentence encoders."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from weatherglass.catalog import Test
from weatherglass.catalog import test as catalogue_test
from weatherglass.errors import CannotMeasure, UsageError
from weatherglass.measures import Results, seat_test
from weatherglass.vectors import Vectors

from .encoding import Progress, encode_all
from .protocol import Encoder


def seat(
    encoders: Encoder | Sequence[Encoder],
    tests: Test | str | Iterable[Test | str],
    *,
    batch_size: int = 64,
    progress: Progress | None = None,
    **options: Any,
) -> Results:
    """Run association tests on one or more sentence encoders.

    Parameters
    ----------
    encoders
        What `open_encoder` gave, or anything with `encode`, `fingerprint` and `name`.
    tests
        Tests, or their ids in the catalogue.
    batch_size
        How many sentences an encoder is given at a time.
    progress
        Called with the distinct sentences done and those in all.
    options
        As for `weatherglass.measures.seat_test`: `method`, `alternative`, `ddof`, `rng`,
        `max_missing`, `intervals`, `influence`.

    Returns
    -------
    Results
        A result for each encoder and test, in that order. Each distinct sentence is encoded once
        for all tests, and not at all if an earlier run has done it.

    Examples
    --------
    >>> import weatherglass as wg
    >>> results = wg.seat(wg.open_encoder("cbow:default"), ["weat6", "sent-weat6"])
    >>> [(one.test, one.n_words["X"]) for one in results]
    [('weat6', 8), ('sent-weat6', 8)]
    """
    several: list[Any] = list(encoders) if isinstance(encoders, list | tuple) else [encoders]
    chosen = [_named(one) for one in ([tests] if isinstance(tests, str | Test) else tests)]
    if not chosen:
        raise UsageError("There are no tests to run.")
    items = {item: None for entry in chosen for one in entry.sets.values() for item in one.words}
    made = []
    for encoder in several:
        encoded = _encoded(encoder, list(items), batch_size, progress)
        made += [seat_test(encoded, entry, **options) for entry in chosen]
    return Results.of(made)


def _named(test: Test | str) -> Test:
    entry = catalogue_test(test) if isinstance(test, str) else test
    if not isinstance(entry, Test):
        raise UsageError(f"{entry.id} is a {entry.kind} test; `wefat` runs it on word vectors.")
    return entry


def _encoded(
    encoder: Encoder, items: list[str], batch_size: int, progress: Progress | None
) -> Vectors:
    """The items as vectors, without those of which the encoder knows nothing."""
    rows = encode_all(encoder, items, batch_size=batch_size, progress=progress, missing="nan")
    known = np.flatnonzero(~np.isnan(rows).any(axis=1))
    if not known.size:
        raise CannotMeasure(f"{encoder.name} knows none of the {len(items)} words and sentences.")
    vectors = Vectors.of([items[i] for i in known.tolist()], rows[known], source=encoder.name)
    return dataclasses.replace(vectors, fingerprint=encoder.fingerprint)
