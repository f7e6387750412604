"""CEAT: association tests over the contexts in which words occur (Guo and Caliskan 2021)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from weatherglass.catalog import Test
from weatherglass.errors import UnusableRow, UsageError, quote_safe

from .result import Record, described
from .weat import LEAST
from .word_sets import too_few

Floats = NDArray[np.float64]
Contexts = Mapping[str, NDArray[Any]]

_BATCH = 128
_QUANTILES = (0.025, 0.25, 0.5, 0.75, 0.975)


@dataclass(frozen=True, kw_only=True)
class CeatResult(Record):
    """The result of one contextual association test; beside what every `Record` has:

    Attributes
    ----------
    effect
        The combined effect size of the random-effects model.
    error
        Its standard error.
    p
        Two-sided p-value of effect / error under the standard normal distribution. It falls with
        the number of samples drawn, which are not independent observations: read `quantiles` first.
    between
        The variance of effects between samples, beyond that inside them.
    quantiles
        The effect's 2.5, 25, 50, 75 and 97.5 % quantiles over the samples.
    contexts
        How many contexts each word had.
    """

    measure: ClassVar[str] = "ceat"

    effect: float | None = None
    error: float | None = None
    p: float | None = None
    between: float | None = None
    quantiles: dict[str, float] = field(default_factory=dict)
    contexts: dict[str, int] = field(default_factory=dict)


def ceat_test(
    contexts: Contexts,
    test: Test,
    *,
    samples: int = 10_000,
    max_missing: float = 0.2,
    rng: int = 0,
    source: dict[str, Any] | None = None,
) -> CeatResult:
    """Run one association test with each word in contexts drawn at random.

    Parameters
    ----------
    contexts
        For each word, its vectors in the contexts where it was found, one a row.
    test
        An association test of words.
    samples
        How many times one context is drawn for every word; 10,000 in the paper.
    max_missing
        The largest share of a set's words that may have no context.
    rng
        Seed.
    source
        What is needed to name where the vectors came from.

    Notes
    -----
    Sample i gives an effect size ES_i, computed as in WEAT, and V_i, the variance of its
    associations. With W_i = 1 / V_i, Q = Σ W_i ES_i² - (Σ W_i ES_i)² / Σ W_i and
    c = Σ W_i - Σ W_i² / Σ W_i, the variance between samples is (Q - (N - 1)) / c, or 0 if that is
    negative. The combined effect is the mean of ES_i weighted by 1 / (V_i + between), and its
    standard error is the root of 1 / Σ of these weights (DerSimonian and Laird 1986).

    References
    ----------
    .. [1] W. Guo, A. Caliskan (2021). Detecting emergent intersectional biases: contextualized
       word embeddings contain a distribution of human-like biases. AIES, 122-133.

    Examples
    --------
    >>> import numpy as np
    >>> import weatherglass as wg
    >>> mine = wg.Test(x=["rose", "lily"], y=["wasp", "gnat"], a=["kind"], b=["foul"])
    >>> rows = [[1, .1], [1, .2], [.1, 1], [.2, 1], [1, 0], [0, 1]]
    >>> words = ["rose", "lily", "wasp", "gnat", "kind", "foul"]
    >>> result = ceat_test({w: np.array([row]) for w, row in zip(words, rows)}, mine, samples=10)
    >>> round(result.effect, 2), result.between
    (1.73, 0.0)
    """
    if samples < 2:
        raise UsageError(f"samples is {samples}; at least 2 are needed.")
    known = {
        name: [w for w in one.words if len(contexts.get(w, ()))] for name, one in test.sets.items()
    }
    missing = {
        name: [w for w in one.words if w not in known[name]] for name, one in test.sets.items()
    }
    options = {"samples": samples, "max_missing": max_missing, "rng": rng}
    about = described(test, known, missing, source or {}, options)
    about["contexts"] = {w: len(contexts[w]) for words in known.values() for w in words}
    reason = too_few(about["words"], about["missing"], LEAST, max_missing)
    if reason:
        return CeatResult(status="not run", reason=reason, **about)
    effects, variances = _sample(contexts, known, samples, np.random.default_rng(rng))
    if not (variances > 0).all():
        reason = "in some sample all targets have the same association, so the effect has no scale"
        return CeatResult(status="not run", reason=reason, **about)
    effect, error, between = random_effects(effects, variances)
    quantiles = np.quantile(effects, _QUANTILES)
    return CeatResult(
        status="done",
        effect=effect,
        error=error,
        p=max(math.erfc(abs(effect) / error / math.sqrt(2)), 5e-324),
        between=between,
        quantiles={f"{100 * q:g}%": float(v) for q, v in zip(_QUANTILES, quantiles, strict=True)},
        **about,
    )


def random_effects(effects: Floats, variances: Floats) -> tuple[float, float, float]:
    """Combined effect, standard error and variance between samples of a random-effects model."""
    weights = 1 / variances
    total = weights.sum()
    # Q as a sum of squares about the weighted mean: the difference of two sums would cancel.
    q = float((weights * (effects - (weights * effects).sum() / total) ** 2).sum())
    c = total - (weights**2).sum() / total
    between = max(0.0, float((q - (len(effects) - 1)) / c)) if c > 0 else 0.0
    weights = 1 / (variances + between)
    effect = float((weights * effects).sum() / weights.sum())
    return effect, float(1 / math.sqrt(weights.sum())), between


def _sample(
    contexts: Contexts, known: Mapping[str, Sequence[str]], samples: int, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Effect and variance of each sample."""
    tables = {w: _unit(w, contexts[w]) for words in known.values() for w in words}
    effects, variances = np.empty(samples), np.empty(samples)
    for start in range(0, samples, _BATCH):
        count = min(_BATCH, samples - start)
        drawn = {
            name: np.stack([tables[w][rng.integers(len(tables[w]), size=count)] for w in words], 1)
            for name, words in known.items()
        }
        direction = drawn["A"].mean(axis=1) - drawn["B"].mean(axis=1)
        x = np.einsum("kwd,kd->kw", drawn["X"], direction)
        y = np.einsum("kwd,kd->kw", drawn["Y"], direction)
        variance = np.concatenate([x, y], axis=1).var(axis=1, ddof=1)
        variance[variance < 1e-26] = 0.0  # noise of equal associations
        with np.errstate(divide="ignore", invalid="ignore"):
            effects[start : start + count] = (x.mean(1) - y.mean(1)) / np.sqrt(variance)
        variances[start : start + count] = variance
    return effects, variances


def _unit(word: str, rows: NDArray[Any]) -> Floats:
    table = np.array(rows, dtype=np.float64)
    norms = np.linalg.norm(table, axis=1, keepdims=True)
    if not (np.isfinite(norms) & (norms > 0)).all():
        raise UnusableRow(
            f"A context of {quote_safe(word)} has no direction (NaN, infinity or zeros)."
        )
    table /= norms
    return table
