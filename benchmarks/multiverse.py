"""Multiverse: time relative to running the same specifications as separate tests.

    python benchmarks/multiverse.py [SPECIFICATIONS]

WEAT 6 on the default vectors, with enough subsamples for at least 10,000 specifications.

* one by one: `weatherglass.weat` on the words of each specification, with the same method for the
  p-value. A random sample of specifications is timed and the time is extrapolated to all.
* multiverse: `weatherglass.multiverse`, everything except reading the file.
"""

from __future__ import annotations

import math
import sys
import time
from collections import Counter
from collections.abc import Callable

import numpy as np

import weatherglass as wg

TEST = "weat6"
TIMED = 200  # specifications that are run one by one


def time_run(run: Callable[[], object]) -> float:
    """Wall-clock seconds of a run."""
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def run_one_by_one(vectors: wg.Vectors, multiverse: wg.Multiverse, count: int) -> None:
    """Run a random sample of specifications as separate tests."""
    rng = np.random.default_rng(0)
    for k in rng.choice(len(multiverse.specifications), count, replace=False).tolist():
        specification = multiverse.specifications[k]
        method = "exact" if specification.p.method == "exact" else "tilted"
        wg.weat(vectors, multiverse.as_test(specification), method=method)


def main() -> None:
    """Print the ratio, and how the p-values were computed."""
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    vectors = wg.open_vectors("default")
    choices = len(wg.multiverse(vectors, TEST, samples=1).whole)  # compiles the kernels
    samples = math.ceil(wanted / choices) - 1
    result = wg.multiverse(vectors, TEST, samples=samples)
    together = min(
        time_run(lambda: wg.multiverse(vectors, TEST, samples=samples)) for _ in range(3)
    )
    count = min(TIMED, len(result.specifications))
    run_one_by_one(vectors, result, 2)
    separate = (
        time_run(lambda: run_one_by_one(vectors, result, count))
        * len(result.specifications)
        / count
    )
    methods = Counter(specification.p.method for specification in result.specifications)
    counts = ", ".join(f"{number:,} {name}" for name, number in methods.most_common())
    print(f"{TEST} on default: {len(result.specifications):,} specifications ({counts})")
    print(f"multiverse                  {together:8.1f} s")
    print(f"one by one / multiverse     {separate / together:8.1f}   ({count} timed)")


if __name__ == "__main__":
    main()
