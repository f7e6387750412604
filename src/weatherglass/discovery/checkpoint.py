"""Counts of rotations on disk, so that a long search can go on where it stopped."""

from __future__ import annotations

import contextlib
import hashlib
import json
import time
from pathlib import Path

import numpy as np

from weatherglass._version import __version__
from weatherglass.errors import CannotWrite
from weatherglass.vectors.cache import cache_dir
from weatherglass.vectors.writing import write_text

from .rotations import Null, Tally

EVERY = 5.0
"""Seconds between two checkpoints."""


class Checkpoint:
    """Where the counts of one search are kept: named after all that the counts depend on."""

    def __init__(self, null: Null, asked: int, alpha: float) -> None:
        space = null.space
        digest = hashlib.blake2b(digest_size=16)
        for array in (space.centres, space.words, space.starts, null.scores):
            digest.update(np.ascontiguousarray(array).data)
        about = [__version__, null.rng, null.batch, space.per_cell, space.voronoi, asked, alpha]
        digest.update(json.dumps(about).encode())
        self.path: Path = cache_dir() / "discovery" / f"{digest.hexdigest()}.json"
        self._shape = null.scores.shape
        self._kept = time.monotonic()

    def load(self) -> Tally | None:
        """The counts that were kept; none if there are none, or if they are damaged."""
        try:
            kept = json.loads(self.path.read_text(encoding="utf-8"))
            counts = np.array(kept["counts"], dtype=np.int64).reshape(self._shape)
            return Tally(counts, int(kept["batches"]), int(kept["done"]))
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def keep(self, tally: Tally) -> None:
        """Keep the counts, unless that was done a moment ago."""
        if time.monotonic() - self._kept < EVERY:
            return
        about = {"batches": tally.batches, "done": tally.done, "counts": tally.counts.tolist()}
        # A cache that cannot be written is no reason to stop: there is no checkpoint then.
        with contextlib.suppress(OSError, CannotWrite):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            write_text(self.path, json.dumps(about))
        self._kept = time.monotonic()

    def remove(self) -> None:
        """Forget the counts: the search is done."""
        with contextlib.suppress(OSError):
            self.path.unlink(missing_ok=True)
