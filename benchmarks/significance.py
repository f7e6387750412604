"""P-values: comparison with `scipy.stats.permutation_test`, and the cost of large tests.

    python benchmarks/significance.py

The first table compares the time of `permutation_p` with that of scipy's 99,999 resamples in the
same process, and the number of correct digits. The second table runs each large test in a new
process to measure its peak memory.
"""

from __future__ import annotations

import math
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.stats import permutation_test

from weatherglass.significance import PValue, permutation_p

Sets = tuple[NDArray[np.float64], NDArray[np.float64]]

COMPARED = [
    (16, 1.0),
    (26, 0.8),
    (36, 0.8),
    (50, 0.4),
    (50, 1.2),
    (64, 1.0),
    (130, 0.6),
    (700, 0.4),
]
LARGE = [("exact", 36), ("exact", 50), ("exact", 52), ("tilted", 130), ("tilted", 700)]


def sets(targets: int, shift: float) -> Sets:
    """Two halves of normal associations, the first shifted by `shift` standard deviations."""
    a = np.random.default_rng(targets).normal(size=targets) * 0.1
    a[: targets // 2] += shift * 0.1
    return a[: targets // 2], a[targets // 2 :]


def time_run(run: Callable[[], float | PValue], repeat: int = 1) -> tuple[float, float | PValue]:
    """Shortest time of `repeat` runs, and the result of the last."""
    best = math.inf
    for _ in range(repeat):
        start = time.perf_counter()
        result = run()
        best = min(best, time.perf_counter() - start)
    return best, result


def scipy_p(x: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    """The same p-value from random partitions by scipy."""

    def difference(x: NDArray[np.float64], y: NDArray[np.float64], axis: int) -> object:
        return x.mean(axis=axis) - y.mean(axis=axis)

    result = permutation_test(
        (x, y),
        difference,
        vectorized=True,
        n_resamples=99_999,
        batch=10_000,
        alternative="greater",
        random_state=np.random.default_rng(0),
    )
    return float(result.pvalue)


def digits(p: float, truth: float, error: float = 0.0) -> float:
    """Number of correct decimal digits of `p`, at most the precision of a float."""
    relative_error = max(abs(p / truth - 1), error, 10**-15.95)
    return max(0.0, -math.log10(relative_error))


def compare() -> None:
    """Print time and correct digits of both, from small sets to large ones."""
    permutation_p(*sets(36, 0.5))
    permutation_p(*sets(64, 0.5))
    print(
        f"{'N':>4} {'method':>7} {'p':>9} {'ours':>9} {'scipy':>9} {'faster':>7}"
        f" {'digits: ours':>13} {'scipy':>6} {'gained':>7}"
    )
    for targets, shift in COMPARED:
        x, y = sets(targets, shift)
        ours, p = time_run(lambda x=x, y=y: permutation_p(x, y), repeat=3)  # type: ignore[misc]
        theirs, sampled = time_run(lambda x=x, y=y: scipy_p(x, y))  # type: ignore[misc]
        assert isinstance(p, PValue)
        assert isinstance(sampled, float)
        our_digits = digits(p.value, p.value, (p.high - p.low) / (2 * p.value))
        their_digits = digits(sampled, p.value)
        print(
            f"{targets:>4} {p.method:>7} {p!s:>9} {ours * 1e3:>6.1f} ms {theirs * 1e3:>6.0f} ms"
            f" {theirs / ours:>6.1f}x {our_digits:>13.1f} {their_digits:>6.1f}"
            f" {our_digits - their_digits:>7.1f}"
        )


def peak_memory() -> float:
    """Peak memory of this process in MB."""
    try:
        # On Linux, getrusage of a new process starts with the peak of its parent; VmHWM does not.
        status = Path("/proc/self/status").read_text()
        return int(status.split("VmHWM:")[1].split()[0]) / 1024
    except OSError:
        import resource

        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**20


def cost(method: str, targets: int) -> None:
    """Run one test in this process; print its time, and its peak memory beyond that of imports."""
    permutation_p(*sets(30, 0.5), method=method)  # type: ignore[arg-type]
    before = peak_memory()
    # In the middle of the null distribution, where no partition can be skipped.
    seconds, p = time_run(lambda: permutation_p(*sets(targets, 0.1), method=method))  # type: ignore[arg-type]
    peak = peak_memory()
    print(
        f"{method:>7} {targets:>4} {p!s:>9} {seconds:>8.3f} s {peak:>6.0f} MB"
        f" ({peak - before:.0f} MB beyond imports)"
    )


def main() -> None:
    """Print both tables, or run one large test if it is named."""
    if len(sys.argv) == 3:
        cost(sys.argv[1], int(sys.argv[2]))
        return
    compare()
    print(f"\n{'method':>7} {'N':>4} {'p':>9} {'time':>10} {'peak':>9}", flush=True)
    for method, targets in LARGE:
        subprocess.run([sys.executable, __file__, method, str(targets)], check=True)


if __name__ == "__main__":
    main()
