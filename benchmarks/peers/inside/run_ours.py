"""The tests with Weatherglass."""

from __future__ import annotations

from clock import best, job, say

import weatherglass as wg

todo = job()
vectors = wg.open_vectors(todo["vectors"])
tests = {
    name: wg.Test(**{side.lower(): words for side, words in sets.items()})
    for name, sets in todo["tests"].items()
}
for test in tests.values():  # the compiled code is loaded before the clock starts
    wg.weat(vectors, test, case="keep")
for name, test in tests.items():
    seconds, result = best(lambda test=test: wg.weat(vectors, test, case="keep"))
    say(
        test=name,
        effect=result.effect,
        p=result.p.value,
        how=result.p.method,
        n=result.p.partitions,
        seconds=seconds,
    )
