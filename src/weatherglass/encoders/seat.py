"""`seat`: association tests on sentence encoders."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from weatherglass.catalog import Test
from weatherglass.errors import CannotMeasure, UsageError
from weatherglass.measures import Results, SeatResult, association_test, origins, seat_test
from weatherglass.tasks import Workers, executor, run
from weatherglass.vectors import Vectors

from .encode import Progress, encode_all
from .encoder import Encoder, as_encoder


def seat(
    encoders: Encoder | Sequence[Encoder],
    tests: Test | str | Iterable[Test | str],
    *,
    batch_size: int = 64,
    workers: int | None = None,
    cluster: str | Workers | None = None,
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
    workers
        Threads that run the tests; all processors by default. What an encoder itself uses is its
        own affair.
    cluster
        Encode on the workers of a Dask cluster: the address of its scheduler, such as
        ``tcp://host:8786``, or ``local``. Each worker opens the encoder by its name, which must
        mean the same there; one that has none is used here.
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
    several = list(encoders) if isinstance(encoders, list | tuple) else [encoders]
    chosen = [
        association_test(one) for one in ([tests] if isinstance(tests, str | Test) else tests)
    ]
    if not chosen or not several:
        raise UsageError(f"There are no {'encoders' if chosen else 'tests'} to run.")
    made: list[SeatResult] = []
    # The compiled kernels behind the p-values let other threads run; bootstrap intervals do not.
    threads = 1 if options.get("intervals") else workers
    with executor(threads, threads=True) as here, _elsewhere(cluster) as there:
        for encoder in map(as_encoder, several):
            encoded = _encoded(encoder, chosen, batch_size, progress, there)
            made += run(partial(seat_test, encoded, **options), chosen, here)
    return Results.of(made)


@contextlib.contextmanager
def _elsewhere(cluster: str | Workers | None) -> Iterator[Workers | None]:
    if isinstance(cluster, str):
        with executor(cluster=cluster) as team:
            yield team
    else:
        yield cluster


def _encoded(
    encoder: Encoder,
    tests: Sequence[Test],
    batch_size: int,
    progress: Progress | None,
    team: Workers | None,
) -> Vectors:
    """The items as vectors, without those of which the encoder knows nothing.

    An encoder that may lack words is also asked for the word that each sentence was made from: a
    sentence whose own word it does not know says nothing about that word, and is missing too.
    """
    origin: dict[str, str] = {}
    for entry in tests:
        for one in entry.sets.values():
            origin |= dict(zip(one.words, origins(one), strict=True))
    items = list(origin)
    words = sorted(set(origin.values()) - set(items)) if hasattr(encoder, "missing") else []
    rows = encode_all(
        encoder,
        items + words,
        batch_size=batch_size,
        progress=progress,
        missing="nan",
        team=team,
    )
    lost = np.flatnonzero(np.isnan(rows).any(axis=1)).tolist()
    unknown = {(items + words)[i] for i in lost}
    known = [i for i, text in enumerate(items) if not unknown & {text, origin[text]}]
    if not known:
        raise CannotMeasure(f"{encoder.name} knows none of the {len(items)} words and sentences.")
    vectors = Vectors.of([items[i] for i in known], rows[known], source=encoder.name)
    return dataclasses.replace(vectors, fingerprint=encoder.fingerprint)
