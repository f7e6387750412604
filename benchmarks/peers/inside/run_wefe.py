"""The tests with wefe, through `WEAT.run_query`.

Its p-value takes so long that the number of draws is chosen by the time there is; the table says
how many there were.
"""

from __future__ import annotations

import logging

from clock import in_a_word, job, say, timed
from gensim.models import KeyedVectors
from wefe.metrics import WEAT
from wefe.query import Query
from wefe.word_embedding_model import WordEmbeddingModel

DEFAULT = 10_000
logging.disable(logging.CRITICAL)

todo = job()
model = WordEmbeddingModel(KeyedVectors.load_word2vec_format(todo["vectors"]), "vectors")


def run(sets, draws, **options):
    """One query; without draws there is no p-value."""
    query = Query([sets["X"], sets["Y"]], [sets["A"], sets["B"]])
    if draws:
        options.update(calculate_p_value=True, p_value_iterations=draws)
    return WEAT().run_query(query, model, **options)


def affordable(sets, seconds):
    """How many draws fit into the time."""
    run(sets, 2)
    few, _ = timed(lambda: run(sets, 5))
    return max(20, min(DEFAULT, int(5 * seconds / few)))


for name, sets in todo["tests"].items():
    draws = affordable(sets, todo["seconds"] / len(todo["tests"]))
    without, _ = timed(lambda sets=sets: run(sets, 0))
    seconds, found = timed(lambda sets=sets, draws=draws: run(sets, draws))
    say(
        test=name,
        effect=float(found["effect_size"]),
        p=float(found["p_value"]),
        how="sampled",
        n=draws,
        usual=DEFAULT,
        without=without,
        seconds=seconds,
    )

if todo["probe"]:
    sets = todo["probe"]["apart"]
    swapped = dict(sets, X=sets["Y"], Y=sets["X"])
    # As many as there are orders of six words: it makes no more than that.
    p = [run(todo["probe"]["mixed"], 720)["p_value"] for _ in range(2)]
    sides = [run(one, 200, p_value_test_type="two-sided")["p_value"] for one in (sets, swapped)]
    try:
        run(sets, 20, p_value_method="exact")
        exact = "works"
    except NotImplementedError as error:
        exact = in_a_word(error)
    say(probe={"p": p, "draws": 720, "two-sided": sides, "exact": exact})
