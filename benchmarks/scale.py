"""Scaling: how CPU time grows with the size of the problem, and the efficiency of two workers.

    python benchmarks/scale.py [--times 3] [--doublings 4] [--dim 100]

Each problem is doubled in size several times; its cost is the minimum CPU time of several runs. The
exponent is the slope of a line fitted to the logarithms: 1 is linear. Then the same work is done by
one worker and by two, which are started before timing begins. Efficiency is half of the speed-up in
wall-clock time: 1 is perfect. On a busy machine only the exponents are meaningful.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import weatherglass as wg
from weatherglass.auditing.run import WorkerTask, run_task
from weatherglass.auditing.sources import Source
from weatherglass.auditing.steps import list_tasks
from weatherglass.catalog import tests
from weatherglass.catalog.suites import load_suite
from weatherglass.discovery.rotations import Null, Space, batches, choose, counts_of
from weatherglass.tasks import executor, run

GROUPS, CATEGORIES = 12, 16


def make_null(words: int, dim: int) -> Null:
    """The rotation null of a search over random words."""
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((words, dim)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    starts = np.linspace(0, words, CATEGORIES + 1).astype(np.intp)
    space = Space(rng.standard_normal((GROUPS, dim)), rows, starts, 3)
    return Null(space, choose(space).scores, 0)


def rotate(null: Null, rotations: int, workers: Any = 1) -> None:
    with executor(workers, threads=True) as pool:
        list(run(counts_of, batches(null, rotations), pool, shared=null.shared()))


def write_models(folder: Path, count: int) -> list[Path]:
    """Write files of vectors with the words of the tests.

    They differ so little that all take the same time: smaller exact p-values take longer.
    """
    sets = [words for test in tests("weat[1-9]", "weat10") for words in test.sets.values()]
    vectors = wg.open_vectors("default", words=[w.lower() for words in sets for w in words.words])
    rng = np.random.default_rng(0)
    paths = []
    for k in range(count):
        rows = vectors.matrix + 1e-3 * rng.standard_normal(vectors.matrix.shape)
        path = folder / f"{k}.txt"
        lines = zip(vectors.words[:], rows.tolist(), strict=True)
        path.write_text("".join(f"{w} {' '.join(f'{x:.4f}' for x in row)}\n" for w, row in lines))
        paths.append(path)
    return paths


def orders(paths: list[Path]) -> list[WorkerTask]:
    """The tasks of an audit of these files."""
    sources = [Source(str(path)) for path in paths]
    fingerprints = {source.name: str(source.describe()["fingerprint"]) for source in sources}
    return [
        WorkerTask.of(task, fingerprints[task.source.name], 0)
        for task in list_tasks(load_suite("quick"), sources)
    ]


def fit_exponent(sizes: list[int], seconds: list[float]) -> float:
    """Slope of the line through the logarithms."""
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def min_time(
    work: Callable[..., Any], times: int, clock: Callable[[], float], *arguments: Any
) -> float:
    """Minimum time of several runs."""
    seconds = []
    for _ in range(times):
        start = clock()
        work(*arguments)
        seconds.append(clock() - start)
    return min(seconds)


def problems(options: argparse.Namespace, folder: Path) -> Iterator[tuple[str, list[int], Any]]:
    """Name and sizes of each problem, and a function that solves it for a size."""

    def sizes(first: int) -> list[int]:
        return [first << k for k in range(options.doublings + 1)]

    one_batch = make_null(1000, options.dim).batch
    nulls = {words: make_null(words, options.dim) for words in sizes(4000)}
    yield "words, at 4 batches of rotations", sizes(4000), lambda n: rotate(nulls[n], 4 * one_batch)
    smallest = nulls[sizes(4000)[0]]
    yield "rotations", sizes(2 * one_batch), lambda n: rotate(smallest, n)
    vectors, test = wg.open_vectors("default"), wg.test("weat6")
    yield "tests", sizes(8), lambda n: [wg.weat(vectors, test, workers=1) for _ in range(n)]
    files = write_models(folder, sizes(2)[-1])
    audit = orders(files)
    per_file = len(audit) // len(files)
    yield "models", sizes(2), lambda n: [run_task(order) for order in audit[: n * per_file]]


def run_all(call: Callable[..., Any], items: Any, pool: Any, shared: Any) -> None:
    """Run all tasks and discard their results."""
    list(run(call, items, pool, shared=shared))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--doublings", type=int, default=4)
    parser.add_argument("--dim", type=int, default=100)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        print(f"{'CPU time against':<36} {'from':>7} {'to':>7} {'seconds':>17} {'exponent':>9}")
        for name, sizes, work in problems(options, folder):
            work(sizes[0])  # compiles the kernels, opens and maps the files
            seconds = [min_time(work, options.times, time.process_time, n) for n in sizes]
            print(
                f"{name:<36} {sizes[0]:>7,} {sizes[-1]:>7,} {seconds[0]:>8.3f} {seconds[-1]:>8.3f} "
                f"{fit_exponent(sizes, seconds):>9.2f}"
            )
        print(f"\n{'two workers compared with one':<36} {'one':>8} {'two':>8} {'efficiency':>11}")
        null = make_null(8000, options.dim)
        shared, rotations = null.shared(), list(batches(null, 48 * null.batch))
        audit = orders(write_models(folder, 32))
        kinds: tuple[tuple[str, bool, Any, Any, Any], ...] = (
            ("rotations, threads", True, counts_of, rotations, shared),
            ("rotations, processes", False, counts_of, rotations, shared),
            ("steps of an audit, processes", False, run_task, audit, None),
        )
        for name, threads, call, items, state in kinds:
            elapsed = []
            for workers in (1, 2):
                with executor(workers, threads=threads) as pool:
                    work = partial(run_all, call, items, pool, state)
                    work()  # starts the workers
                    elapsed.append(min_time(work, options.times, time.perf_counter))
            one, two = elapsed
            print(f"{name:<36} {one:>8.3f} {two:>8.3f} {one / two / 2:>11.2f}")


if __name__ == "__main__":
    main()
