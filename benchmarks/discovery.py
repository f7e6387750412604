"""Discovery: time relative to its matrix products alone, and to a straightforward implementation.

    python benchmarks/discovery.py [ROTATIONS]

At the paper's sizes: 12 groups, 64 categories, 30,000 words, 300 dimensions, 10,000 rotations. The
vectors are those of `default`, projected to 300 dimensions with noise added; the time does not
depend on their values.

* products only: the float32 products of all words with all rotated centroids, in blocks of the size
  at which BLAS is fastest, on all cores. This is a lower bound: the results are discarded.
* discover: `weatherglass.discover`, everything except reading the file.
* straightforward: one d × d rotation by `scipy.stats.ortho_group` at a time, and numpy. A few
  rotations are timed and the time is extrapolated to all.

CPU time is more reliable than wall-clock time on a machine that does other work as well.
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
TIMED_ROTATIONS = 20  # of the straightforward implementation
ROUNDS = 5
BLOCK = 256  # rotations per matrix product


Seconds = tuple[float, ...]
"""Wall-clock time and CPU time."""


def embedding() -> wg.Vectors:
    """The words of `default` with vectors of 300 dimensions."""
    default = wg.open_vectors("default")
    rng = np.random.default_rng(0)
    lift = rng.standard_normal((default.dim, DIM)).astype(np.float32) / math.sqrt(DIM)
    rows = np.asarray(default.matrix[:VOCABULARY]) @ lift
    rows += 0.2 * rng.standard_normal(rows.shape, dtype=np.float32)
    return wg.Vectors.of([default.words[i] for i in range(VOCABULARY)], rows, "lifted default")


def multiply(space: Space, rotations: int) -> None:
    """Compute all products of words and rotated centroids, and nothing else."""
    n, d = space.centres.shape
    centres = np.ones((d, n * BLOCK), np.float32)
    out = np.empty((len(space.words), n * BLOCK), np.float32)
    for start in range(0, rotations, BLOCK):
        size = n * min(BLOCK, rotations - start)
        np.matmul(space.words, centres[:, :size], out=out[:, :size])


def rotate_one_by_one(
    space: Space, scores: NDArray[np.float64], rotations: int
) -> NDArray[np.int64]:
    """Count the rotations with scores at least as high, as the paper describes it."""
    counts = np.zeros(scores.shape, np.int64)
    for r in range(rotations):
        rotation = ortho_group.rvs(space.centres.shape[1], random_state=r)
        rotated = Space(
            space.centres @ rotation, space.words, space.starts, space.per_cell, space.voronoi
        )
        counts += choose(rotated).scores >= scores
    return counts


def time_run(run: Callable[[], object]) -> Seconds:
    """Wall-clock time of a run, and CPU time on all cores."""
    wall, cpu = time.perf_counter(), time.process_time()
    run()
    return time.perf_counter() - wall, time.process_time() - cpu


def main() -> None:
    """Measure all three in turn and print the ratios."""
    rotations = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    vectors = embedding()
    options = Options(rotations=rotations, stop_early=False, control="frequency")
    wg.discover(vectors, rotations=64, words=2000, categories=8)  # compiles the kernels
    space = lay_out(vectors, options).space(vectors, options)
    scores = choose(space).scores
    timed = min(TIMED_ROTATIONS, rotations)
    search = lambda: wg.discover(vectors, **asdict(options))  # noqa: E731
    products: list[Seconds] = []
    totals: list[Seconds] = []
    straightforward: list[Seconds] = []
    for _ in range(ROUNDS):  # in turn, because the load of the machine changes
        products.append(time_run(lambda: multiply(space, rotations)))
        totals.append(time_run(search))
        straightforward.append(time_run(lambda: rotate_one_by_one(space, scores, timed)))
    shape = f"{len(space.centres)} × {space.categories}, {len(space.words):,} words × {DIM}"
    print(f"{rotations:,} rotations, {shape}; median of {ROUNDS} rounds (minimum to maximum)")
    print("                             wall-clock time       CPU time")
    print_ratio("discover / products only", totals, products)
    extrapolated = [tuple(t * rotations / timed for t in times) for times in straightforward]
    print_ratio("straightforward / discover", extrapolated, totals)
    print_ratio("products / first round", products, products[:1] * ROUNDS)


def print_ratio(name: str, numerators: list[Seconds], denominators: list[Seconds]) -> None:
    """Print the median and range of the ratio of two times from the same round."""
    columns = []
    for k in range(2):
        ratios = sorted(a[k] / b[k] for a, b in zip(numerators, denominators, strict=True))
        columns.append(f"{np.median(ratios):5.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})")
    print(f"{name:26}   {columns[0]:20}  {columns[1]}")


if __name__ == "__main__":
    main()
