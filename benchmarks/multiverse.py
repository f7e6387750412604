"""How fast the multiverse is, as a ratio.

    python benchmarks/multiverse.py [specifications]

WEAT 6 on the default vectors, with so many sub-samples that there are at least 10,000
specifications. The ratio says how much longer the same specifications take one after another:

* one by one: `weatherglass.weat` on the words of a specification, with the p-value found in the
  same way, for some that are drawn at random; the rest is multiplied out;
* multiverse: `weatherglass.multiverse`, everything included but the reading of the file.
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
TIMED = 200


def timed(run: Callable[[], object]) -> float:
    """The time of one run."""
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def one_by_one(vectors: wg.Vectors, found: wg.Multiverse, count: int) -> None:
    """Some specifications as tests of their own."""
    some = np.random.default_rng(0).choice(len(found.specifications), count, replace=False)
    for k in some.tolist():
        one = found.specifications[k]
        method = "exact" if one.p.method == "exact" else "tilted"
        wg.weat(vectors, found.as_test(one), method=method)


def main() -> None:
    """Print the ratio, and how the p-values were found."""
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    vectors = wg.open_vectors("default")
    choices = len(wg.multiverse(vectors, TEST, samples=1).whole)  # compiles
    samples = math.ceil(wanted / choices) - 1
    found = wg.multiverse(vectors, TEST, samples=samples)
    together = min(timed(lambda: wg.multiverse(vectors, TEST, samples=samples)) for _ in range(3))
    count = min(TIMED, len(found.specifications))
    one_by_one(vectors, found, 2)
    apart = timed(lambda: one_by_one(vectors, found, count)) * len(found.specifications) / count
    methods = Counter(one.p.method for one in found.specifications)
    told = ", ".join(f"{number:,} {name}" for name, number in methods.most_common())
    print(f"{TEST} on default: {len(found.specifications):,} specifications ({told})")
    print(f"multiverse                  {together:8.1f} s")
    print(f"one by one / multiverse     {apart / together:8.1f}   ({count} timed)")


if __name__ == "__main__":
    main()
