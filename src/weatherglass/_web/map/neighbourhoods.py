"""Words in a plane by UMAP, which places words close to their nearest neighbours.

A layout takes minutes, so it is computed once, in a process of its own, and saved in the cache. A
saved layout has the fingerprint of its source and a checksum of its words, and is ignored if either
differs. The layout of the bundled embedding is part of the package; ``scripts/write_layout.py``
wrote it.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from importlib import metadata, resources, util
from pathlib import Path
from typing import Any

import numpy as np

from weatherglass._files import atomic_write, cache_dir, seal, unseal
from weatherglass.errors import CannotMeasure, CannotWrite, MissingExtra, WeatherglassError
from weatherglass.vectors import Vectors, row_blocks, unit_rows

from ..session import Session
from ..sources import SourceReference
from .projection import (
    SCALE,
    Bounds,
    Floats,
    Positions,
    encode_coordinates,
    find_bounds,
    fit_components,
    frequent_positions,
    project_words,
)

NEIGHBOURS = 15
MIN_DISTANCE = 0.1
SEED = 0
MIN_WORDS = 5
FORMAT = 1
"""The version of saved layouts; others are ignored."""

SHIPPED = "default-layout.json"
WHAT = "Placing words next to their nearest neighbours (UMAP)"


class NotSaved(WeatherglassError):
    """There is no saved layout of this source."""


@dataclass(frozen=True, eq=False)
class Neighbourhoods:
    """The frequent words of a source, laid out by UMAP, in the order of the cloud."""

    encoded: bytes
    coordinates: Floats
    bounds: Bounds

    @classmethod
    def decode(cls, encoded: bytes) -> Neighbourhoods:
        """Read coordinates in units of `SCALE`.

        >>> Neighbourhoods.decode(encode_coordinates(np.array([[1.0, -2.0]]))).coordinates.round(3)
        array([[ 1., -2.]])
        """
        coordinates = np.frombuffer(encoded, "<i2").reshape(-1, 2) * SCALE
        return cls(encoded, coordinates, find_bounds(coordinates))


# Computing


def has_umap() -> bool:
    """Whether umap-learn is installed."""
    return util.find_spec("umap") is not None


def place_neighbours(vectors: Vectors, positions: Positions) -> bytes:
    """Lay out words by UMAP with the cosine distance, and return their encoded coordinates.

    The layout starts from the principal components, so that both show the same words on the same
    side. Its unit is arbitrary: the largest coordinate becomes 2.

    Raises
    ------
    MissingExtra
        umap-learn is not installed.
    CannotMeasure
        There are too few words.
    """
    if not has_umap():
        raise MissingExtra("Neighbourhoods (UMAP)", "map")
    if len(positions) < MIN_WORDS:
        raise CannotMeasure(f"UMAP needs at least {MIN_WORDS} words; {len(positions)} are usable.")
    from umap import UMAP

    units = np.empty((len(positions), vectors.dim), np.float32)
    for rows in row_blocks(len(positions)):
        units[rows] = unit_rows(vectors, positions[rows])
    start = project_words(vectors, positions, fit_components(vectors, positions))
    model = UMAP(
        n_neighbors=min(NEIGHBOURS, len(positions) - 1),
        min_dist=MIN_DISTANCE,
        metric="cosine",
        init=start.astype(np.float32),
        random_state=SEED,
        n_jobs=1,  # with a seed, UMAP runs on one thread
    )
    placed = np.asarray(model.fit_transform(units), dtype=float)
    placed -= (placed.min(axis=0) + placed.max(axis=0)) / 2
    return encode_coordinates(2 * placed / (np.abs(placed).max() or 1.0))


def place_in_process(report: Callable[..., None], reference: SourceReference) -> bytes:
    """Compute the layout of a source and save it, in a process."""
    vectors = reference.open(report)
    positions = frequent_positions(vectors)
    report(0, 0, WHAT)
    encoded = place_neighbours(vectors, positions)
    with suppress(OSError, CannotWrite):  # without a writable cache, do without it
        path = saved_path(vectors)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_layout(path, vectors, positions, encoded)
    return encoded


# Saved layouts


def describe(vectors: Vectors, positions: Positions) -> dict[str, Any]:
    """Return everything that a layout depends on."""
    words = "\n".join(vectors.words.at(positions)).encode("utf-8", "surrogateescape")
    return {
        "format": FORMAT,
        "fingerprint": vectors.fingerprint,
        "words": hashlib.blake2b(words, digest_size=16).hexdigest(),
        "neighbours": NEIGHBOURS,
        "min_distance": MIN_DISTANCE,
        "seed": SEED,
    }


def saved_path(vectors: Vectors, cache: Path | None = None) -> Path:
    """Return where the layout of a source is saved; `cache` is the cache folder of an upload."""
    return (cache or cache_dir()) / "layouts" / f"{vectors.fingerprint}.json"


def write_layout(path: Path, vectors: Vectors, positions: Positions, encoded: bytes) -> None:
    """Save a layout with a checksum."""
    try:
        version = f"umap-learn {metadata.version('umap-learn')}"
    except metadata.PackageNotFoundError:
        version = "umap-learn"
    record = describe(vectors, positions) | {
        "computed_by": version,
        "coordinates": base64.b64encode(encoded).decode("ascii"),
    }
    with atomic_write(path) as temporary:
        temporary.write_text(seal(record) + "\n")


def read_layout(text: str, vectors: Vectors, positions: Positions) -> Neighbourhoods | None:
    """Return a saved layout; None if it is damaged or belongs to other words or vectors."""
    try:
        record = unseal(text)
        expected = describe(vectors, positions)
        if any(record.get(name) != value for name, value in expected.items()):
            return None
        layout = Neighbourhoods.decode(base64.b64decode(record["coordinates"], validate=True))
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return layout if len(layout.coordinates) == len(positions) else None


def read_shipped(vectors: Vectors, positions: Positions) -> Neighbourhoods | None:
    """Return the layout that is part of the package, if it is the one of this source."""
    file = resources.files(__package__ or "") / SHIPPED
    try:
        text = file.read_text(encoding="ascii")
    except FileNotFoundError:  # while the script writes the first one
        return None
    return read_layout(text, vectors, positions)


def read_saved(
    vectors: Vectors, positions: Positions, cache: Path | None = None
) -> Neighbourhoods | None:
    """Return the layout of a source if it ships with the package or was computed before."""
    shipped = read_shipped(vectors, positions)
    if shipped is not None:
        return shipped
    try:
        text = saved_path(vectors, cache).read_text(encoding="ascii")
    except (OSError, ValueError):
        return None
    return read_layout(text, vectors, positions)


# Jobs


async def find_saved(
    session: Session, vectors: Vectors, positions: Positions, job: str = ""
) -> Neighbourhoods | None:
    """Return the layout of a source if it is saved; otherwise None."""
    cache = session.sources.find(vectors.source).cache

    def work(report: Callable[..., None]) -> Neighbourhoods:
        layout = read_saved(vectors, positions, cache)
        if layout is None:  # as an error, which is not remembered
            raise NotSaved("The neighbourhoods of this source have not been computed.")
        return layout

    key = ("map saved neighbourhoods", vectors.fingerprint)
    try:
        return await session.jobs.answer(key, "Reading neighbourhoods", work, job=job)
    except NotSaved:
        return None


async def find_or_place(
    session: Session,
    vectors: Vectors,
    positions: Positions,
    job: str = "",
    wait_seconds: float | None = None,
) -> Neighbourhoods:
    """Return the layout of a source; compute it in the background if it is not saved.

    Raises
    ------
    Working
        It is being computed.
    MissingExtra
        It is not saved, and umap-learn is not installed.
    """
    saved = await find_saved(session, vectors, positions, job)
    if saved is not None:
        return saved
    if not has_umap():
        raise MissingExtra("Neighbourhoods (UMAP)", "map")
    source = session.sources.find(vectors.source)

    def work(report: Callable[..., None]) -> Neighbourhoods:
        encoded = session.jobs.call(report, place_in_process, source.refer(), cache=source.cache)
        return Neighbourhoods.decode(encoded)

    return await session.jobs.answer(
        ("map neighbourhoods", vectors.fingerprint),
        WHAT,
        work,
        is_long=True,
        job=job,
        wait_seconds=wait_seconds,
    )
