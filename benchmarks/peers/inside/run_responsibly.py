"""The tests with responsibly, through `calc_single_weat`; needs Python 3.7."""

from __future__ import annotations

import warnings

from clock import best, in_a_word, job, say

warnings.simplefilter("ignore")

from gensim.models import KeyedVectors  # noqa: E402
from responsibly.we.weat import calc_single_weat  # noqa: E402

FEW = 16  # targets whose partitions it can count; the next test has 601,080,390
SAMPLED = 1000  # what it draws; that cannot be chosen

todo = job()
model = KeyedVectors.load_word2vec_format(todo["vectors"])


def run(sets, method):
    """One test."""
    named = [{"name": side, "words": list(sets[side])} for side in "XYAB"]
    return calc_single_weat(model, *named, pvalue_kwargs={"method": method})


for name, sets in todo["tests"].items():
    targets = len(sets["X"]) + len(sets["Y"])
    method = "exact" if targets <= FEW else "approximate"
    try:
        seconds, found = best(lambda sets=sets, method=method: run(sets, method))
    except AssertionError as error:
        reason = "refused: %s; X has %d words, Y %d, A %d, B %d"
        sizes = [len(sets[side]) for side in "XYAB"]
        say(test=name, error=reason % (in_a_word(error), *sizes))
        continue
    say(
        test=name,
        effect=float(found["d"]),
        p=float(found["p"]),
        how="exact" if method == "exact" else "sampled",
        n=None if method == "exact" else SAMPLED,
        seconds=seconds,
    )
