"""RNSB: the relative negative sentiment bias (Sweeney and Najafian, ACL 2019)."""

from __future__ import annotations

from typing import Any

import numpy as np

from weatherglass.errors import UsageError
from weatherglass.significance import Interval

from .definition import Measure, MeasureNumbers, RequiredSet
from .word_sets import Floats, MeasureInput

_CONFIDENCE = 0.95
_MAX_ITERATIONS = 10_000  # of the solver, which converges far earlier


def relative_negative_sentiment(
    given: MeasureInput, *, runs: int = 20, held_out: float = 0.1, rng: int = 0, unit: bool = False
) -> MeasureNumbers:
    """Measure how unevenly a sentiment classifier distributes negative sentiment over groups.

    Parameters
    ----------
    given
        The words: X (one word for each group), A (positive) and B (negative).
    runs
        How many classifiers to train, each on a different random part of A and B.
    held_out
        The share of A and of B that a classifier does not see; at least one word of each.
    rng
        Random seed for the parts. The same seed gives the same numbers.
    unit
        Scale every vector to unit length first; the authors do not.

    Notes
    -----
    A logistic regression f* with L2 penalty (C = 1) is trained on the vectors of positive and
    negative words. With f*(x) its probability that x is negative, P(x) = f*(x) / Σ_{k in X} f*(k)
    and U the uniform distribution over X, the measure is D_KL(P ‖ U), in nats [1]_.

    The authors hold out a tenth of the words once. The result depends on which tenth, so here the
    value is the mean over `runs`; the interval holds 95 % of the runs and ``std`` is their standard
    deviation. ``all`` is the divergence of the classifier trained on every word, and ``accuracy``
    the mean share of held-out words that were classified correctly. The number of a word is its
    mean share P(x); ``low`` and ``high`` enclose 95 % of the runs.

    References
    ----------
    .. [1] C. Sweeney, M. Najafian (2019). A transparent framework for evaluating unintended
       demographic bias in word embeddings. ACL, 1662-1667. doi:10.18653/v1/P19-1162
    """
    if runs < 2 or not 0 < held_out < 1:
        raise UsageError(
            f"runs is {runs} and held_out {held_out}: there must be two runs or more, and a share "
            "between 0 and 1."
        )
    from threadpoolctl import threadpool_limits

    groups = given.rows("X", unit)
    known = [given.rows(name, unit) for name in "AB"]
    with threadpool_limits(1):  # the last digits depend on the number of threads
        trained = [
            _run(known, groups, held_out, np.random.default_rng([rng, k])) for k in range(runs)
        ]
        complete = _shares(_train(known), groups)
    shares = np.array([run_shares for run_shares, _ in trained])
    divergences = _divergence(shares)
    ends = (1 - _CONFIDENCE) / 2, (1 + _CONFIDENCE) / 2
    low, high = np.quantile(divergences, ends).tolist()
    low_shares, high_shares = np.quantile(shares, ends, axis=0)
    return MeasureNumbers(
        value=divergences.mean(),
        by_word={"X": shares.mean(axis=0)},
        columns={"low": {"X": low_shares}, "high": {"X": high_shares}},
        details={
            "std": divergences.std(ddof=1),
            "all": float(_divergence(complete[None])[0]),
            "accuracy": float(np.mean([accuracy for _, accuracy in trained])),
        },
        intervals=(Interval(low, high, _CONFIDENCE, "runs", runs, "training runs"),),
    )


def _run(
    known: list[Floats], groups: Floats, held_out: float, random: np.random.Generator
) -> tuple[Floats, float]:
    """Return P of a classifier, and its accuracy on words of each set that were held out."""
    seen, unseen = [], []
    for rows in known:
        order = random.permutation(len(rows))
        count = max(1, round(held_out * len(rows)))
        unseen.append(rows[order[:count]])
        seen.append(rows[np.sort(order[count:])])
    classifier = _train(seen)
    correct = [classifier.predict(rows) == label for label, rows in enumerate(unseen)]
    return _shares(classifier, groups), float(np.concatenate(correct).mean())


def _train(known: list[Floats]) -> Any:
    """Train a classifier that separates positive words (0) from negative ones (1)."""
    from sklearn.linear_model import LogisticRegression

    labels = np.repeat([0, 1], [len(rows) for rows in known])
    return LogisticRegression(C=1.0, max_iter=_MAX_ITERATIONS).fit(np.concatenate(known), labels)


def _shares(classifier: Any, groups: Floats) -> Floats:
    """Return P: the probabilities that groups are negative, scaled to sum to one."""
    negative = classifier.predict_proba(groups)[:, 1]
    shares: Floats = negative / negative.sum()
    return shares


def _divergence(shares: Floats) -> Floats:
    """Return D_KL(P ‖ U) of each row, in nats; a share of zero adds zero."""
    from scipy.special import rel_entr

    divergences: Floats = rel_entr(shares, 1 / shares.shape[1]).sum(axis=1)
    return divergences


RNSB = Measure(
    name="rnsb",
    title="Relative negative sentiment bias",
    needs=(
        RequiredSet("X", 2, "words for groups, such as nationalities"),
        RequiredSet("A", 4, "positive words"),
        RequiredSet("B", 4, "negative words"),
    ),
    reading="How far the shares of negative sentiment that a classifier gives to the words of X "
    "are from equal shares (Kullback-Leibler divergence in nats).",
    low=0,
    high=None,
    neutral=0,
    larger="more",
    citation="C. Sweeney, M. Najafian (2019). A transparent framework for evaluating unintended "
    "demographic bias in word embeddings. ACL, 1662-1667.",
    doi="10.18653/v1/P19-1162",
    compute=relative_negative_sentiment,
    gives_shares=True,
)
