"""Run the tests with Weatherglass."""

from __future__ import annotations

from clock import best_run, print_row, read_job

import weatherglass as wg

job = read_job()
vectors = wg.open_vectors(job["vectors"])
tests = {
    name: wg.Test(**{side.lower(): words for side, words in sets.items()})
    for name, sets in job["tests"].items()
}
for test in tests.values():  # load the compiled kernels before timing starts
    wg.weat(vectors, test, case="keep")
for name, test in tests.items():
    seconds, result = best_run(lambda test=test: wg.weat(vectors, test, case="keep"))
    print_row(
        test=name,
        effect=result.effect,
        p=result.p.value,
        how=result.p.method,
        n=result.p.partitions,
        seconds=seconds,
    )
