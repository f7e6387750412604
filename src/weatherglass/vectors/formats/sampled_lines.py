"""The sampled lines of a text file, collected while the file is searched for words."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from weatherglass._files import MAX_LINE_BYTES, Block

from .row_sample import RowSampler

Integers = NDArray[np.int64]
_READ_BYTES = 1 << 12  # most lines are shorter


class SampledLines:
    """Collects the lines of a sample of rows.

    How many rows a text file has is known only at its end, so more lines are noted than the sample
    has in the end: of an uncompressed file where they begin, of a compressed one the lines.
    """

    def __init__(self, sampler: RowSampler) -> None:
        self._sampler = sampler
        self._ranks: list[Integers] = []
        self._starts: list[int] = []
        self._lines: dict[int, bytes] = {}

    def add(self, block: Block, starts: Integers) -> None:
        """Note the candidates among the rows that begin at `starts` of the next block."""
        first = self._sampler.total
        candidates = self._sampler.next_candidates(len(starts))
        begins = starts[candidates].tolist()
        if block.start is None:
            raw = block.data[: block.size].tobytes() if begins else b""
            for rank, begin in zip((candidates + first).tolist(), begins, strict=True):
                self._lines[rank] = raw[begin : raw.index(b"\n", begin) + 1]
        self._ranks.append(candidates + first)
        self._starts += [begin + (block.start or 0) for begin in begins]

    def read(self, path: Path) -> tuple[Integers, list[bytes]]:
        """Return the row numbers of the sample and its lines, each with a newline at its end."""
        ranks = np.concatenate([*self._ranks, np.empty(0, dtype=np.int64)])
        chosen = np.flatnonzero(self._sampler.are_sampled(ranks))
        ranks = ranks[chosen]
        if self._lines:
            return ranks, [self._lines[rank] for rank in ranks.tolist()]
        with open(path, "rb", buffering=_READ_BYTES) as file:
            lines = []
            for k in chosen.tolist():
                file.seek(self._starts[k])
                lines.append(file.readline(MAX_LINE_BYTES).removesuffix(b"\n") + b"\n")
        return ranks, lines
