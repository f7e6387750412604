"""Scale: how cost grows with work, and what a second worker is worth.

    python benchmarks/scale.py [--times 3] [--doublings 4] [--dim 100]

For each kind of work the size is doubled some times; the cost is processor seconds, the least of
several runs. The exponent is the slope of a straight line through the logarithms: 1 is linear. Then
the same work is done by one worker and by two, by the clock, with workers that are there already:
the efficiency is half of the gain, and 1 is perfect. On a machine that others use, only the
exponents mean something.
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
from weatherglass.auditing.run import Order, carried_out
from weatherglass.auditing.sources import Source
from weatherglass.auditing.steps import tasks
from weatherglass.catalog import tests
from weatherglass.catalog.suites import load_suite
from weatherglass.discovery.rotations import Null, Space, batches, choose, counts_of
from weatherglass.tasks import executor, run

GROUPS, CATEGORIES = 12, 16


def a_null(words: int, dim: int) -> Null:
    """A search over so many random words."""
    stream = np.random.default_rng(0)
    rows = stream.standard_normal((words, dim)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    starts = np.linspace(0, words, CATEGORIES + 1).astype(np.intp)
    space = Space(stream.standard_normal((GROUPS, dim)), rows, starts, 3)
    return Null(space, choose(space).scores, 0)


def rotate(null: Null, rotations: int, workers: Any = 1) -> None:
    with executor(workers, threads=True) as team:
        list(run(counts_of, batches(null, rotations), team, shared=null.shared()))


def models(folder: Path, count: int) -> list[Path]:
    """Files of vectors with the words of the tests. They differ, but by so little that each takes
    as long: an exact p-value takes the longer the less it is."""
    sets = [one for test in tests("weat[1-9]", "weat10") for one in test.sets.values()]
    known = wg.open_vectors("default", words=[w.lower() for one in sets for w in one.words])
    stream = np.random.default_rng(0)
    made = []
    for k in range(count):
        rows = known.matrix + 1e-3 * stream.standard_normal(known.matrix.shape)
        path = folder / f"{k}.txt"
        lines = zip(known.words[:], rows.tolist(), strict=True)
        path.write_text("".join(f"{w} {' '.join(f'{x:.4f}' for x in row)}\n" for w, row in lines))
        made.append(path)
    return made


def orders(paths: list[Path]) -> list[Order]:
    """The tasks of an audit of these files."""
    opened = [Source(str(path)) for path in paths]
    prints = {one.name: str(one.described()["fingerprint"]) for one in opened}
    todo = tasks(load_suite("quick"), opened)
    return [Order.of(task, prints[task.source.name], 0) for task in todo]


def exponent(sizes: list[int], seconds: list[float]) -> float:
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def least(work: Callable[..., Any], times: int, clock: Callable[[], float], *given: Any) -> float:
    found = []
    for _ in range(times):
        start = clock()
        work(*given)
        found.append(clock() - start)
    return min(found)


def growing(asked: argparse.Namespace, folder: Path) -> Iterator[tuple[str, list[int], Any]]:
    """Kinds of work: a name, the sizes, and what is done for a size."""

    def sizes(first: int) -> list[int]:
        return [first << k for k in range(asked.doublings + 1)]

    one_batch = a_null(1000, asked.dim).batch
    nulls = {words: a_null(words, asked.dim) for words in sizes(4000)}
    yield "words, at 4 batches of rotations", sizes(4000), lambda n: rotate(nulls[n], 4 * one_batch)
    middle = nulls[sizes(4000)[0]]
    yield "rotations", sizes(2 * one_batch), lambda n: rotate(middle, n)
    vectors, chosen = wg.open_vectors("default"), wg.test("weat6")
    yield "tests", sizes(8), lambda n: [wg.weat(vectors, chosen, workers=1) for _ in range(n)]
    files = models(folder, sizes(2)[-1])
    todo = orders(files)
    each = len(todo) // len(files)
    yield "models", sizes(2), lambda n: [carried_out(one) for one in todo[: n * each]]


def _all(call: Callable[..., Any], items: Any, team: Any, shared: Any) -> None:
    list(run(call, items, team, shared=shared))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--doublings", type=int, default=4)
    parser.add_argument("--dim", type=int, default=100)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        print(f"{'cost against':<36} {'from':>7} {'to':>7} {'seconds':>17} {'exponent':>9}")
        for name, sizes, work in growing(asked, folder):
            work(sizes[0])  # compiles, opens and maps what is needed
            spent = [least(work, asked.times, time.process_time, n) for n in sizes]
            print(
                f"{name:<36} {sizes[0]:>7,} {sizes[-1]:>7,} {spent[0]:>8.3f} {spent[-1]:>8.3f} "
                f"{exponent(sizes, spent):>9.2f}"
            )
        print(f"\n{'two workers against one':<36} {'one':>8} {'two':>8} {'efficiency':>11}")
        null = a_null(8000, asked.dim)
        shared, todo = null.shared(), list(batches(null, 48 * null.batch))
        audit = orders(models(folder, 32))
        kinds: tuple[tuple[str, bool, Any, Any, Any], ...] = (
            ("rotations, threads", True, counts_of, todo, shared),
            ("rotations, processes", False, counts_of, todo, shared),
            ("steps of an audit, processes", False, carried_out, audit, None),
        )
        for name, threads, call, items, given in kinds:
            by = []
            for workers in (1, 2):
                with executor(workers, threads=threads) as team:
                    again = partial(_all, call, items, team, given)
                    again()  # starts the workers
                    by.append(least(again, asked.times, time.perf_counter))
            print(f"{name:<36} {by[0]:>8.3f} {by[1]:>8.3f} {by[0] / by[1] / 2:>11.2f}")


if __name__ == "__main__":
    main()
