"""CEAT: association tests over the contexts of words in a corpus (Guo and Caliskan 2021)."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from weatherglass._files import Input, map_in_order
from weatherglass.catalog import NamedTests, Test, choose_tests
from weatherglass.errors import UnusableRow, UsageError, quote_safe
from weatherglass.measures import (
    MIN_WORDS,
    Measurement,
    Results,
    Source,
    association_claim,
    association_subject,
    describe_test,
    overlap_reason,
    too_few_reason,
)
from weatherglass.significance import Interval

from .encode import Progress, encode_all
from .encoder import Encoder, Encodings, WordEncoder
from .objects import source_encoder

Floats = NDArray[np.float64]
Contexts = Mapping[str, NDArray[Any]]

_BATCH = 128  # samples that are computed together
_QUANTILES = (0.025, 0.25, 0.5, 0.75, 0.975)
_MIN_VARIANCE = 1e-26  # of associations; below it all are the same but for rounding
_MAX_REACH = 400  # characters of a sentence on each side of a word
_SEPARATOR = "\x1f"  # no word and no sentence contains it


@dataclass(frozen=True, kw_only=True, repr=False)
class CeatResult(Measurement):
    """The result of one contextual association test.

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

    The other attributes are those of every `Measurement`.
    """

    measure: ClassVar[str] = "ceat"
    chart: ClassVar[str] = "contexts"
    decimals: ClassVar[int] = 2
    main_name: ClassVar[str] = "effect"
    possible_evidence: ClassVar[tuple[str, ...]] = ("interval",)

    effect: float | None = None
    error: float | None = None
    p: float | None = None
    between: float | None = None
    quantiles: dict[str, float] = field(default_factory=dict)
    contexts: dict[str, int] = field(default_factory=dict)

    @property
    def value(self) -> float | None:
        """The combined effect."""
        return self.effect

    @property
    def p_value(self) -> float | None:
        return self.p

    @property
    def p_for_correction(self) -> float | None:
        return None  # it falls with the number of samples drawn

    def claim(self) -> str:
        return association_claim(self)

    def subject(self) -> str:
        return association_subject(self)

    @property
    def evidence_intervals(self) -> tuple[Interval, ...]:
        """The quantiles over the samples, because `p` falls with the number of samples drawn."""
        if not self.quantiles:
            return ()
        low, high = self.quantiles["2.5%"], self.quantiles["97.5%"]
        return (Interval(low, high, 0.95, "runs", about="other contexts"),)

    def measure_columns(self) -> dict[str, Any]:
        return {"error": self.error, "between": self.between}


def ceat_test(
    contexts: Contexts,
    test: Test,
    *,
    samples: int = 10_000,
    max_missing: float = 0.2,
    allow_overlap: bool = False,
    rng: int = 0,
    source: dict[str, Any] | None = None,
) -> CeatResult:
    """Run one association test with each word in contexts drawn at random.

    Parameters
    ----------
    contexts
        For each word, its vectors in the contexts where it occurs, one in each row.
    test
        An association test of words.
    samples
        How many times a context is drawn for every word; 10,000 in the paper.
    max_missing
        The largest share of a set's words that may have no context.
    allow_overlap
        Run a test in which a word is both target and attribute, as for `weat`.
    rng
        Random seed.
    source
        What the result states about the source of the vectors.

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
    >>> insects = wg.Test(x=["rose", "lily"], y=["wasp", "gnat"], a=["kind"], b=["foul"])
    >>> rows = [[1, .1], [1, .2], [.1, 1], [.2, 1], [1, 0], [0, 1]]
    >>> words = ["rose", "lily", "wasp", "gnat", "kind", "foul"]
    >>> result = ceat_test({w: np.array([row]) for w, row in zip(words, rows)}, insects, samples=10)
    >>> round(result.effect, 2), result.between
    (1.73, 0.0)
    """
    if samples < 2:
        raise UsageError(f"samples is {samples}; at least 2 are needed.")
    known = {
        name: [word for word in word_set.words if len(contexts.get(word, ()))]
        for name, word_set in test.sets.items()
    }
    missing = {
        name: [word for word in word_set.words if word not in known[name]]
        for name, word_set in test.sets.items()
    }
    options = {
        "samples": samples,
        "max_missing": max_missing,
        "allow_overlap": allow_overlap,
        "rng": rng,
    }
    about = describe_test(test, known, missing, source or {}, options)
    about["contexts"] = {word: len(contexts[word]) for words in known.values() for word in words}
    reason = too_few_reason(about["words"], about["missing"], MIN_WORDS, max_missing)
    if not reason and not allow_overlap:
        reason = overlap_reason(about["words"])
    if reason:
        return CeatResult(status="not run", reason=reason, **about)
    effects, variances = _sample_effects(contexts, known, samples, np.random.default_rng(rng))
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
    """Return the combined effect of a random-effects model, its error and `between`."""
    weights = 1 / variances
    total = weights.sum()
    # Q as a sum of squares about the weighted mean: the difference of two sums would cancel.
    q = float((weights * (effects - (weights * effects).sum() / total) ** 2).sum())
    c = total - (weights**2).sum() / total
    between = max(0.0, float((q - (len(effects) - 1)) / c)) if c > 0 else 0.0
    weights = 1 / (variances + between)
    effect = float((weights * effects).sum() / weights.sum())
    return effect, float(1 / math.sqrt(weights.sum())), between


def _sample_effects(
    contexts: Contexts, known: Mapping[str, Sequence[str]], samples: int, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Return the effect and the variance of the associations of each sample."""
    tables = {word: _unit(word, contexts[word]) for words in known.values() for word in words}
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
        variance[variance < _MIN_VARIANCE] = 0.0
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


def ceat(
    encoder: Source,
    tests: NamedTests,
    sentences: Iterable[str],
    *,
    contexts: int = 1000,
    batch_size: int | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> Results[CeatResult]:
    """Run contextual association tests on an encoder.

    Parameters
    ----------
    encoder
        An encoder that gives the vector of a word inside a sentence (`hf:`); with any other source
        (see `as_source`) the vector of the whole sentence represents the word in it.
    tests
        Association tests of words, their ids, a pattern, a file of your own, or several of these.
    sentences
        The corpus, sentence by sentence.
    contexts
        The largest number of sentences for each word; the first ones that contain it are used.
    batch_size
        How many sentences the encoder gets at a time; by default the encoder's own number, or 64.
    progress
        Called with the number of distinct sentences encoded and their total.
    options
        Options of each test: `samples` (how many times a context is drawn for every word; 10,000 by
        default, as in the paper), `max_missing`, `allow_overlap` and
        `rng`.

    Returns
    -------
    Results
        A `CeatResult` for each test, with the spread of its effect over contexts.

    Examples
    --------
    >>> import weatherglass as wg
    >>> insects = wg.Test(x=["rose", "lily"], y=["wasp", "gnat"], a=["sweet"], b=["pain"])
    >>> corpus = ["A rose is sweet.", "The lily bloomed.", "A wasp gave me pain.", "A gnat!"]
    >>> (result,) = wg.ceat(wg.open_encoder("cbow:default"), insects, corpus, samples=100)
    >>> result.status, result.contexts["rose"]
    ('done', 1)
    """
    opened = source_encoder(encoder)
    if isinstance(sentences, str):
        raise UsageError("The corpus is one text; give its sentences as a list.")
    chosen = [_word_test(test) for test in choose_tests(tests, Test)]
    wanted = {word for test in chosen for word_set in test.sets.values() for word in word_set.words}
    found = find_contexts(sentences, wanted, contexts)
    pairs = [(sentence, word) for word, texts in found.items() for sentence in texts]
    rows = _encode_pairs(opened, pairs, batch_size, progress)
    tables: dict[str, list[Any]] = {}
    for (_, word), row in zip(pairs, rows, strict=True):
        if np.isfinite(row).all():
            tables.setdefault(word, []).append(row)
    source = {"name": opened.name, "fingerprint": opened.fingerprint}
    arrays = {word: np.array(table) for word, table in tables.items()}
    return Results.of(ceat_test(arrays, test, source=source, **options) for test in chosen)


def find_contexts(sentences: Iterable[str], words: set[str], limit: int) -> dict[str, list[str]]:
    """Return for each word the first sentences that contain it, as a whole word in that spelling.

    A long sentence is cut to the part around the word, because encoders read only so far.

    >>> find_contexts(["Rose rose.", "A rose-bush.", "No roses."], {"rose"}, 5)
    {'rose': ['Rose rose.']}
    """
    contexts: dict[str, list[str]] = {word: [] for word in sorted(words)}
    longest_first = sorted(map(re.escape, words), key=len, reverse=True)
    pattern = re.compile(rf"(?<![\w'’-])(?:{'|'.join(longest_first)})(?![\w’-])(?!'\w)")
    for sentence in sentences:
        seen: set[str] = set()
        for match in pattern.finditer(sentence):
            word = match.group()
            if word not in seen and len(contexts[word]) < limit:
                contexts[word].append(_cut_around(sentence, *match.span()))
            seen.add(word)
    return contexts


def _cut_around(sentence: str, start: int, end: int) -> str:
    """Return the sentence, or its whole words within `_MAX_REACH` characters of a span."""
    first, last = max(0, start - _MAX_REACH), min(len(sentence), end + _MAX_REACH)
    if first:
        first = min(start, sentence.find(" ", first, start) + 1 or start)
    if last < len(sentence):
        last = max(end, sentence.rfind(" ", end, last))
    return sentence[first:last]


def corpus_lines(path: Path) -> Iterator[str]:
    """Yield the lines of a text file, plain or compressed, without blank ones."""
    source = Input(path)
    for block in map_in_order(lambda load: _decode(load()), source.blocks(0), 1):
        yield from (line for line in block.splitlines() if line.strip())


def _decode(block: Any) -> str:
    return bytes(block.data[: block.size]).decode("utf-8", "replace")


def _encode_pairs(
    encoder: Encoder,
    pairs: list[tuple[str, str]],
    batch_size: int | None,
    progress: Progress | None,
) -> Iterable[Any]:
    """Return a row for each (sentence, word): that of the word in it, or of the whole sentence."""
    if not pairs:
        return []
    if isinstance(encoder, WordEncoder):
        encoder, items = _InContext(encoder), [word + _SEPARATOR + text for text, word in pairs]
    else:
        items = [text for text, _ in pairs]
    return encode_all(encoder, items, batch_size=batch_size, progress=progress, missing="nan")


class _InContext:
    """Words inside sentences as an encoder's items, so that they are checked and cached too."""

    def __init__(self, encoder: WordEncoder) -> None:
        self._encoder = encoder
        self.name, self.fingerprint = encoder.name, f"{encoder.fingerprint}-words"
        self.batch_size: int | None = getattr(encoder, "batch_size", None)
        self.uses_cache: bool = getattr(encoder, "uses_cache", True)

    def encode(self, sentences: Sequence[str]) -> Encodings:
        words, texts = zip(*(item.split(_SEPARATOR, 1) for item in sentences), strict=True)
        return self._encoder.encode_words(texts, words)


def _word_test(test: Test) -> Test:
    if test.level != "word":
        raise UsageError(f"{test.id} is not an association test of words, as CEAT needs.")
    return test
