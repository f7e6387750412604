"""Discovery: against the matrix products alone, and against the plain way.

Run by hand: ``python benchmarks/discovery.py [ROTATIONS]``, at the paper's sizes: 12 groups, 64
categories, 30,000 words, 300 dimensions, 10,000 rotations. The vectors are those of `default`,
carried into 300 dimensions and blurred; the time does not depend on their values.

* bare products: only the float32 products of all words with all rotated centres, as large as the
  matrix library likes them, on all cores, results thrown away;
* discover: `weatherglass.discover`, everything included but the reading of the file;
* plain: one d × d rotation of `scipy.stats.ortho_group` at a time, and numpy; a few rotations are
  timed and the rest is multiplied out.

On a machine that does other work at the same time, the processor's seconds say more than the clock.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from dataclasses import asdict

import numpy as np
from numpy.typing import NDArray
from scipy.stats import ortho_group

import weatherglass as wg
from weatherglass.discovery import Options
from weatherglass.discovery.prepare import lay_out
from weatherglass.discovery.rotations import Space, choose

DIM, VOCABULARY = 300, 100_000
PLAIN = 20  # rotations of the plain version that are timed
ROUNDS = 5
WIDE = 256


Seconds = tuple[float, ...]


def embedding() -> wg.Vectors:
    """Real words on vectors of 300 dimensions."""
    default = wg.open_vectors("default")
    stream = np.random.default_rng(0)
    lift = stream.standard_normal((default.dim, DIM)).astype(np.float32) / math.sqrt(DIM)
    rows = np.asarray(default.matrix[:VOCABULARY]) @ lift
    rows += 0.2 * stream.standard_normal(rows.shape, dtype=np.float32)
    return wg.Vectors.of([default.words[i] for i in range(VOCABULARY)], rows, "lifted default")


def bare(space: Space, rotations: int) -> None:
    """All products of words and rotated centres."""
    n, d = space.centres.shape
    centres = np.ones((d, n * WIDE), np.float32)
    out = np.empty((len(space.words), n * WIDE), np.float32)
    for start in range(0, rotations, WIDE):
        size = n * min(WIDE, rotations - start)
        np.matmul(space.words, centres[:, :size], out=out[:, :size])


def plain(space: Space, scores: NDArray[np.float64], rotations: int) -> NDArray[np.int64]:
    """The method as it is written down: rotate, choose, compare."""
    counts = np.zeros(scores.shape, np.int64)
    for r in range(rotations):
        turn = ortho_group.rvs(space.centres.shape[1], random_state=r)
        turned = Space(
            space.centres @ turn, space.words, space.starts, space.per_cell, space.voronoi
        )
        counts += choose(turned).scores >= scores
    return counts


def timed(run: Callable[[], object]) -> Seconds:
    """The time of one run: by the clock, and of the processor on all cores."""
    clock, processor = time.perf_counter(), time.process_time()
    run()
    return time.perf_counter() - clock, time.process_time() - processor


def main() -> None:
    """Print both ratios, measured in one run."""
    rotations = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    vectors = embedding()
    options = Options(rotations=rotations, stop_early=False, control="frequency")
    wg.discover(vectors, rotations=64, words=2000, categories=8)  # compiles
    space = lay_out(vectors, options).space(vectors, options)
    scores = choose(space).scores
    few = min(PLAIN, rotations)
    search = lambda: wg.discover(vectors, **asdict(options))  # noqa: E731
    products: list[Seconds] = []
    totals: list[Seconds] = []
    by_hand: list[Seconds] = []
    for _ in range(ROUNDS):  # in turn, because the machine is not the same a minute later
        products.append(timed(lambda: bare(space, rotations)))
        totals.append(timed(search))
        by_hand.append(timed(lambda: plain(space, scores, few)))
    shape = f"{len(space.centres)} × {space.categories}, {len(space.words):,} words × {DIM}"
    print(f"{rotations:,} rotations, {shape}; median of {ROUNDS} rounds (least to most)")
    print("                             by the clock          of the processor")
    say("discover / bare products", totals, products)
    say("plain / discover", [tuple(one * rotations / few for one in t) for t in by_hand], totals)
    say("a product / the first", products, products[:1] * ROUNDS)


def say(what: str, above: list[Seconds], below: list[Seconds]) -> None:
    """Print the ratio of two times, each taken in the same round."""
    columns = []
    for k in range(2):
        ratios = sorted(one[k] / other[k] for one, other in zip(above, below, strict=True))
        columns.append(f"{np.median(ratios):5.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})")
    print(f"{what:26}   {columns[0]:20}  {columns[1]}")


if __name__ == "__main__":
    main()
