"""Run the tests with wefe, through `WEAT.run_query`.

Its p-value is so slow that the number of draws depends on the time limit; the table shows it.
"""

from __future__ import annotations

import logging

from clock import print_row, read_job, shorten_error, time_run
from gensim.models import KeyedVectors
from wefe.metrics import WEAT
from wefe.query import Query
from wefe.word_embedding_model import WordEmbeddingModel

DEFAULT_DRAWS = 10_000
logging.disable(logging.CRITICAL)

job = read_job()
model = WordEmbeddingModel(KeyedVectors.load_word2vec_format(job["vectors"]), "vectors")


def run(sets, draws, **options):
    """Run one query, with a p-value if `draws` is not 0."""
    query = Query([sets["X"], sets["Y"]], [sets["A"], sets["B"]])
    if draws:
        options.update(calculate_p_value=True, p_value_iterations=draws)
    return WEAT().run_query(query, model, **options)


def count_draws(sets, seconds):
    """Number of draws that fit into the time limit."""
    run(sets, 2)
    five, _ = time_run(lambda: run(sets, 5))
    return max(20, min(DEFAULT_DRAWS, int(5 * seconds / five)))


for name, sets in job["tests"].items():
    draws = count_draws(sets, job["seconds"] / len(job["tests"]))
    without, _ = time_run(lambda sets=sets: run(sets, 0))
    seconds, result = time_run(lambda sets=sets, draws=draws: run(sets, draws))
    print_row(
        test=name,
        effect=float(result["effect_size"]),
        p=float(result["p_value"]),
        how="sampled",
        n=draws,
        usual=DEFAULT_DRAWS,
        without=without,
        seconds=seconds,
    )

if job["probe"]:
    sets = job["probe"]["separate"]
    swapped = dict(sets, X=sets["Y"], Y=sets["X"])
    # The number of orders of six words: it makes no more draws than that.
    p = [run(job["probe"]["mixed"], 720)["p_value"] for _ in range(2)]
    options = {"p_value_test_type": "two-sided"}
    two_sided = [run(pair, 200, **options)["p_value"] for pair in (sets, swapped)]
    try:
        run(sets, 20, p_value_method="exact")
        exact = "works"
    except NotImplementedError as error:
        exact = shorten_error(error)
    print_row(probe={"p": p, "draws": 720, "two-sided": two_sided, "exact": exact})
