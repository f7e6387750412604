"""Discovery: its level under a true rotational null, and what it finds without names."""

from __future__ import annotations

import dataclasses

import numpy as np
from threadpoolctl import threadpool_limits

import weatherglass as wg
from weatherglass.discovery import Options
from weatherglass.discovery.prepare import lay_out
from weatherglass.discovery.rotations import Null, Space, choose, frames, significant

from .study import Cell, Study

SIZES = {"groups": 4, "categories": 8, "words": 2000, "rotations": 999}
N_TOKENS = 60_000
"""Most frequent tokens that are searched for names and words."""

TRIALS_PER_PLACEBO = 100


def run(trials: int, seed: int) -> list[Cell]:
    """Search with names that were rotated at random, and with words in place of names."""
    default = wg.open_vectors("default")
    vectors = default.subset(default.words[:N_TOKENS])
    vectors = dataclasses.replace(vectors, part=False)  # its order is still that of frequency
    controlled, _ = wg.control(vectors, "frequency", workers=1)
    options = Options(**SIZES, rng=seed, control="none")
    space = lay_out(controlled, options, workers=1).space(controlled, options)
    with threadpool_limits(1):
        counts = np.array([_search_rotated(space, options, trial) for trial in range(trials)])
    p_values = (counts + 1) / (options.rotations + 1)
    found = [significant(own, options.rotations, options.alpha).any() for own in counts]
    row = "names rotated at random"
    cells = [Cell(row, "searches with any discovery", int(np.sum(found)), trials, 0.0, 0.07)]
    for level, band in ((0.05, (0.03, 0.07)), (0.01, (0.004, 0.018))):
        hits = int((p_values <= level).sum())
        cells.append(Cell(row, f"cells with p ≤ {level:g}", hits, p_values.size, *band))
    placebos = max(1, trials // TRIALS_PER_PLACEBO)
    asked = wg.discover(controlled, **SIZES, rng=seed, control="none", workers=1, placebo=placebos)
    tested = sum(placebo.cells for placebo in asked.placebos)
    hits = sum(placebo.significant for placebo in asked.placebos)
    column = "significant cells"
    return [
        *cells,
        Cell("US first names", column, len(asked.significant), len(asked.cells), 0.15, 0.45),
        Cell("random words in place of names", column, hits, tested, 0.35, 0.8),
    ]


def _search_rotated(space: Space, options: Options, trial: int) -> np.ndarray:
    """Return the counts of a search whose names were rotated, so that its null is true."""
    dim = space.centres.shape[1]
    stream = np.random.default_rng([options.rng, trial])
    centres = space.centres @ frames(stream, 1, dim, dim)[0]
    rotated = dataclasses.replace(space, centres=centres)
    # Other rotations in each search, as another random seed would give.
    null = Null(rotated, choose(rotated).scores, options.rng + 1 + trial)
    starts = range(0, options.rotations, null.batch)
    return sum(
        null.count(k, min(null.batch, options.rotations - start)) for k, start in enumerate(starts)
    )


STUDIES = [
    Study(
        name="discovery",
        title="Discovery",
        about="""
Searches on `default` with 4 groups, 8 categories, 2,000 words and 999 rotations. In the first row
the names are rotated at random before each search, so that the null hypothesis of the search is
true: the share of searches with any discovery is the level of the whole search, and cells have a
uniform p-value. **The bound is under this null, and does not separate names from anything else**:
in the last row ordinary words, as many and as frequent as the names, take their place, and most
cells are significant, more than for the names themselves. These alignments are real, and not about
names. The bands of the last two rows state what was measured, with room for other random words.
""",
        run=run,
        trials=600,
        quick_trials=60,
    )
]
