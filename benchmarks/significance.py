"""P-values: ours against `scipy.stats.permutation_test`, and what the large cases cost.

Run by hand: ``python benchmarks/significance.py``. The first table compares, in one process, the
time of `permutation_p` with that of scipy's 99,999 resamples, and how many correct digits each
gives. The second runs each large case in a fresh process, for its peak memory.
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


def timed(run: Callable[[], float | PValue], repeat: int = 1) -> tuple[float, float | PValue]:
    """The best time of `repeat` runs, and what the last one gave."""
    best = math.inf
    for _ in range(repeat):
        start = time.perf_counter()
        result = run()
        best = min(best, time.perf_counter() - start)
    return best, result


def scipy_p(x: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    """The same p-value by scipy's random partitions."""

    def difference(x: NDArray[np.float64], y: NDArray[np.float64], axis: int) -> object:
        return x.mean(axis=axis) - y.mean(axis=axis)

    found = permutation_test(
        (x, y),
        difference,
        vectorized=True,
        n_resamples=99_999,
        batch=10_000,
        alternative="greater",
        random_state=np.random.default_rng(0),
    )
    return float(found.pvalue)


def digits(p: float, truth: float, error: float = 0.0) -> float:
    """Correct decimal digits of `p`; as many as a float has where it is exact."""
    off = max(abs(p / truth - 1), error, 10**-15.95)
    return max(0.0, -math.log10(off))


def compare() -> None:
    """Time and digits, ours and scipy's, from small sets to large."""
    permutation_p(*sets(36, 0.5))
    permutation_p(*sets(64, 0.5))
    print(
        f"{'N':>4} {'method':>7} {'p':>9} {'ours':>9} {'scipy':>9} {'faster':>7}"
        f" {'digits: ours':>13} {'scipy':>6} {'gained':>7}"
    )
    for targets, shift in COMPARED:
        x, y = sets(targets, shift)
        ours, p = timed(lambda x=x, y=y: permutation_p(x, y), repeat=3)  # type: ignore[misc]
        theirs, sampled = timed(lambda x=x, y=y: scipy_p(x, y))  # type: ignore[misc]
        assert isinstance(p, PValue)
        assert isinstance(sampled, float)
        mine = digits(p.value, p.value, (p.high - p.low) / (2 * p.value))
        other = digits(sampled, p.value)
        print(
            f"{targets:>4} {p.method:>7} {p!s:>9} {ours * 1e3:>6.1f} ms {theirs * 1e3:>6.0f} ms"
            f" {theirs / ours:>6.1f}x {mine:>13.1f} {other:>6.1f} {mine - other:>7.1f}"
        )


def peak_memory() -> float:
    """The most memory this process has held, in MB."""
    try:
        # Linux gives a new process its parent's peak in getrusage; this one starts afresh.
        status = Path("/proc/self/status").read_text()
        return int(status.split("VmHWM:")[1].split()[0]) / 1024
    except OSError:
        import resource

        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**20


def cost(method: str, targets: int) -> None:
    """One case in this process: its time, and the peak memory over what imports take."""
    permutation_p(*sets(30, 0.5), method=method)  # type: ignore[arg-type]
    before = peak_memory()
    # In the middle of the distribution, where nothing can be left out.
    seconds, p = timed(lambda: permutation_p(*sets(targets, 0.1), method=method))  # type: ignore[arg-type]
    peak = peak_memory()
    print(
        f"{method:>7} {targets:>4} {p!s:>9} {seconds:>8.3f} s {peak:>6.0f} MB"
        f" ({peak - before:.0f} MB over imports)"
    )


def main() -> None:
    """Both tables, or one large case if it is named."""
    if len(sys.argv) == 3:
        cost(sys.argv[1], int(sys.argv[2]))
        return
    compare()
    print(f"\n{'method':>7} {'N':>4} {'p':>9} {'time':>10} {'peak':>9}", flush=True)
    for method, targets in LARGE:
        subprocess.run([sys.executable, __file__, method, str(targets)], check=True)


if __name__ == "__main__":
    main()
