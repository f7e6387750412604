"""What a low correlation with the ratings of valence means for the ten tests of Table 1.

Adds random numbers to the vectors of `default`, a multiple of the standard deviation of their
components, and prints for each multiple the correlation with the ratings of people, the share of
the significant results that stay significant in the same direction, the share with the other
sign, the mean change of the effect size, and the share of positive controls (weat1, weat2) with an
effect of at least 0.5. The threshold of `weatherglass.findings.MIN_VALENCE` rests on this table.

    python benchmarks/valence.py
"""

from __future__ import annotations

import numpy as np

import weatherglass as wg
from weatherglass.catalog import load_norms
from weatherglass.measures import source_valence, spellings

TESTS = [f"weat{number}" for number in range(1, 11)]
MULTIPLES = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 5.0, 1000.0)
DRAWS = 10


def main() -> None:
    """Print the table."""
    sets = [words for test in TESTS for words in wg.test(test).sets.values()]
    clean = wg.open_vectors("default").subset(spellings([load_norms("glasgow-valence"), *sets]))
    words, rows = list(clean.words), clean.matrix.astype(float)
    before = {test: _measure(clean, test) for test in TESTS}
    print("noise  r      same   other sign  change  controls")
    for multiple in MULTIPLES:
        r: list[float] = []
        same: list[bool] = []
        other: list[bool] = []
        change: list[float] = []
        controls: list[bool] = []
        for draw in range(DRAWS):
            noise = np.random.default_rng(draw).normal(0, multiple * rows.std(), rows.shape)
            noisy = wg.Vectors.of(words, rows + noise)
            r.append(source_valence(noisy).r or 0.0)
            for test, (effect, p) in before.items():
                now, now_p = _measure(noisy, test)
                if p <= 0.05:
                    same.append(now_p <= 0.05 and now * effect > 0)
                    other.append(now * effect < 0)
                    change.append(abs(now - effect))
                if test in ("weat1", "weat2"):
                    controls.append(now >= 0.5)
        means = [float(np.mean(values)) for values in (r, same, other, change, controls)]
        print(
            f"{multiple:<6g} {means[0]:.2f}   {means[1]:.0%}   {means[2]:.0%}   {means[3]:.2f}   "
            f"{means[4]:.0%}",
            flush=True,
        )


def _measure(vectors: wg.Vectors, test: str) -> tuple[float, float]:
    result = wg.weat(vectors, test, alternative="two-sided", baseline=False)
    assert result.effect is not None
    assert result.p is not None
    return result.effect, result.p.value


if __name__ == "__main__":
    main()
