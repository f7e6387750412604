"""Run the tests with responsibly, through `calc_single_weat`; needs Python 3.7."""

from __future__ import annotations

import warnings

from clock import best_run, print_row, read_job, shorten_error

warnings.simplefilter("ignore")

from gensim.models import KeyedVectors  # noqa: E402
from responsibly.we.weat import calc_single_weat  # noqa: E402

MAX_EXACT_TARGETS = 16  # the next larger test has 601,080,390 partitions
DRAWS = 1000  # fixed by the package

job = read_job()
model = KeyedVectors.load_word2vec_format(job["vectors"])


def run(sets, method):
    """Run one test."""
    word_sets = [{"name": side, "words": list(sets[side])} for side in "XYAB"]
    return calc_single_weat(model, *word_sets, pvalue_kwargs={"method": method})


for name, sets in job["tests"].items():
    targets = len(sets["X"]) + len(sets["Y"])
    method = "exact" if targets <= MAX_EXACT_TARGETS else "approximate"
    try:
        seconds, result = best_run(lambda sets=sets, method=method: run(sets, method))
    except AssertionError as error:
        reason = "refused: %s; X has %d words, Y %d, A %d, B %d"
        sizes = [len(sets[side]) for side in "XYAB"]
        print_row(test=name, error=reason % (shorten_error(error), *sizes))
        continue
    print_row(
        test=name,
        effect=float(result["d"]),
        p=float(result["p"]),
        how="exact" if method == "exact" else "sampled",
        n=None if method == "exact" else DRAWS,
        seconds=seconds,
    )
