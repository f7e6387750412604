"""SEAT: association tests on sentence encoders, with sentences as items (May et al. 2019)."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar

import numpy as np

from weatherglass.catalog import (
    NamedTests,
    Test,
    WordSet,
    choose_tests,
    sentence_template,
    with_tested_words,
)
from weatherglass.errors import UsageError
from weatherglass.measures import (
    NOISE,
    Baseline,
    Cosines,
    Results,
    Section,
    Source,
    WeatResult,
    effect,
    effect_intervals,
    max_effect,
    two_sided,
    weat,
)
from weatherglass.significance import (
    Alternative,
    Interval,
    PermutationMethod,
    Power,
    PValue,
    VariancePart,
    effect_power,
    permutation_p,
    template_variance,
)
from weatherglass.tasks import Workers, executor, run
from weatherglass.vectors import Vectors, is_pair

from .anisotropy import MAX_MEAN_COSINE, add_centred, describe_anisotropy
from .encode import Progress, encode_all, open_team
from .items import EncodedItems, encode_items, origins
from .objects import source_encoder

UNKNOWN_WORDS = "a sentence is missing if its tested word is"
"""The rule for sentences of which an encoder does not know every word.

The code of May et al. (2019) has none: it stops at an unknown word, so that every rule reproduces
their figures. A sentence without its tested word says only what its template says.
"""

PAPER_MAX_EXACT = 100_000  # partitions; the supplement samples where there are more
NO_BASELINE = "comparable word sets are drawn from word vectors, not from an encoder"


@dataclass(frozen=True, kw_only=True, repr=False)
class SeatResult(WeatResult):
    """The result of one association test on one encoder.

    Attributes
    ----------
    level
        ``"word"`` or ``"sentence"``.
    effect_by_word, p_by_word
        The same test with one association for each word, the mean over its sentences. The
        sentences of a word are near-copies of each other; counting them individually overstates
        the evidence.
    p_two_sided_by_word
        The two-sided p-value by word, by which the finding is graded.
    n_words
        The number of words behind the sentences of X and Y.
    word_associations
        The mean association over the sentences of each word of X and Y. Empty where the words
        behind the sentences are not known, and in results of older versions.
    tested_words
        How the word that each sentence is about was found: ``"given"`` with the test,
        ``"template"``: read from the sentences by the catalogue's templates, or ``"own words"``:
        the words of a sentence that no other set of the test has. Empty for a test of words. With
        ``"own words"`` there are no numbers by word.
    intervals
        Confidence intervals of `effect_by_word`: the words are drawn again, with all sentences that
        they have here. In results of older versions they are of `effect`, over sentences.

    All else is as for `WeatResult`; the words are sentences. Where unrelated items have a mean
    cosine similarity (`mean_cosine`) above 0.5, `controls` has the numbers without their mean.
    """

    measure: ClassVar[str] = "seat"
    chart: ClassVar[str] = "sentences"
    section: ClassVar[Section] = "sentences"
    possible_evidence: ClassVar[tuple[str, ...]] = ("p", "interval")

    level: str = "sentence"
    effect_by_word: float | None = None
    p_by_word: PValue | None = None
    p_two_sided_by_word: PValue | None = None
    n_words: dict[str, int] = field(default_factory=dict)
    word_associations: dict[str, dict[str, float]] = field(default_factory=dict)
    tested_words: str = ""

    # The numbers to report first count each word once.
    @property
    def main_value(self) -> float | None:
        return self.effect if self.effect_by_word is None else self.effect_by_word

    @property
    def max_value(self) -> float | None:
        sizes = self.n if self.effect_by_word is None else self.n_words
        return max_effect(sizes.get("X", 0), sizes.get("Y", 0), self.options.get("ddof", 1))

    @property
    def main_p(self) -> float | None:
        return self.p_value if self.p_by_word is None else self.p_by_word.value

    @property
    def main_p_two_sided(self) -> float | None:
        if self.p_by_word is None:
            return self.p_two_sided_value
        if self.p_two_sided_by_word is not None:
            return self.p_two_sided_by_word.value
        # Older versions stored one tail only. The other is counted from the associations by word;
        # the oldest records do not have these either.
        values = self.target_associations()
        x, y = values.get("X", ()), values.get("Y", ())
        if not x or not y:
            return self.p_by_word.two_sided_value()
        return two_sided(self.p_by_word, lambda: _two_sided_p(x, y)).value

    @property
    def main_p_holm(self) -> float | None:
        return self.p_holm if self.p_by_word is None else None

    @property
    def main_p_method(self) -> str:
        p = self.p_by_word or self.p
        return p.method if p else ""

    @property
    def main_interval(self) -> Interval | None:
        # Older versions computed intervals over sentences, and did not say what they are about.
        return self.intervals[0] if self.intervals and self.intervals[0].about else None

    @property
    def main_unit(self) -> str:
        return "" if self.p_by_word is None else "each word counted once"

    @property
    def mean_cosine(self) -> float | None:
        """The mean cosine similarity of unrelated items of the same level; None if not known."""
        value = self.source.get("mean_cosine")
        return float(value) if isinstance(value, int | float) else None

    @property
    def warnings(self) -> tuple[str, ...]:
        if self.mean_cosine is None or self.mean_cosine <= MAX_MEAN_COSINE:
            return super().warnings
        warning = describe_anisotropy(self.mean_cosine, self.level, self.source_name)
        return (*super().warnings, warning)

    def power_at(
        self, alpha: float, power: float = 0.8, alternative: Alternative | None = None
    ) -> Power | None:
        """Return what the test can find with one association for each word."""
        n, m = self.n_words.get("X", 0), self.n_words.get("Y", 0)
        if self.p_by_word is None or min(n, m) < 2:
            return None
        chosen = alternative or self.finding_alternative
        return effect_power(n, m, alpha=alpha, power=power, alternative=chosen)

    # Sentences of one word are near-copies: comparisons with other results count each word once.
    def target_words(self) -> dict[str, tuple[str, ...]]:
        if self.level == "word":
            return self.words
        return {name: tuple(words) for name, words in self.word_associations.items()}

    def target_associations(self) -> dict[str, tuple[float, ...]]:
        if self.level == "word":
            return self.associations
        return {name: tuple(words.values()) for name, words in self.word_associations.items()}

    def measure_columns(self) -> dict[str, Any]:
        is_sentences = self.level == "sentence"
        return super().measure_columns() | {
            "level": self.level,
            "effect_sentences": self.effect if is_sentences else None,
            "p_sentences": self.p_value if is_sentences else None,
            "tested_words": self.tested_words,
            "mean_cosine": self.mean_cosine,
        }


def seat_test(
    encoded: Vectors,
    test: Test,
    *,
    method: PermutationMethod | str = "auto",
    allow_overlap: bool = False,
    intervals: bool = False,
    **options: Any,
) -> SeatResult:
    """Run one association test on encoded sentences.

    Parameters
    ----------
    encoded
        The sentences and their vectors.
    test
        A test of the catalogue, or one that `weatherglass.catalog.to_sentences` returned.
    method
        As for `weat`; ``"paper"`` is the supplement's rule: exact up to 100,000 partitions,
        otherwise 99,999 sampled ones and the observed one.
    intervals
        Also compute the confidence interval over other words in all four sets and other templates,
        and that of the BCa bootstrap, both of the effect by word. Sentences that fit no template of
        the catalogue leave templates out.
    allow_overlap, options
        As for `weat`. There is no baseline, because an encoder has no vocabulary.
    """
    options.pop("baseline", None)
    how = _how_tested(test)
    test = with_tested_words(test)
    chosen: Any = method
    if method == "paper":
        n, m = (int((encoded.words.find(items.words) >= 0).sum()) for items in (test.x, test.y))
        chosen = "exact" if math.comb(n + m, n) <= PAPER_MAX_EXACT else "sample"
    by_sentence = weat(
        encoded,
        test,
        method=chosen,
        case="keep",
        allow_overlap=allow_overlap,
        baseline=False,
        **options,
    )
    fields: dict[str, Any] = {
        field.name: getattr(by_sentence, field.name) for field in dataclasses.fields(by_sentence)
    }
    fields |= {"options": by_sentence.options | {"method": method}, "intervals": ()}
    if how:
        fields["options"] |= {"unknown_words": UNKNOWN_WORDS}
    if by_sentence.is_done:
        fields["baseline"] = Baseline(reason=NO_BASELINE)
    about: dict[str, Any] = {"level": test.level, "tested_words": how}
    if not by_sentence.is_done or how == "own words":
        return SeatResult(**about, **fields)
    means = {name: _word_means(by_sentence, name, test.sets[name]) for name in "XY"}
    x, y = (list(means[name].values()) for name in "XY")
    by_word: dict[str, Any] = {"n_words": {"X": len(x), "Y": len(y)}}
    if test.level == "sentence":
        by_word["word_associations"] = means
    if min(len(x), len(y)) >= 2 and np.std([*x, *y]) > 0:
        ddof, rng = by_sentence.options["ddof"], by_sentence.options["rng"]
        by_word["effect_by_word"] = effect(x, y, ddof)
        choices = _choices(encoded, by_sentence, test) if intervals else ()
        fields["intervals"] = effect_intervals(np.array(x), np.array(y), ddof, rng, *choices)
        is_same_test = chosen == "auto" and not (test.x.origins or test.y.origins)
        alternative = by_sentence.options["alternative"]
        p = by_sentence.p if is_same_test else None
        p = p or permutation_p(x, y, alternative=alternative, resolution=NOISE)
        by_word["p_by_word"] = p
        by_word["p_two_sided_by_word"] = two_sided(p, lambda: _two_sided_p(x, y))
    return SeatResult(**about, **by_word, **fields)


def _two_sided_p(x: Sequence[float], y: Sequence[float]) -> PValue:
    return permutation_p(x, y, alternative="two-sided", resolution=NOISE)


def _how_tested(test: Test) -> str:
    """Return how the words that sentences are about are known; see `SeatResult.tested_words`."""
    if test.level != "sentence":
        return ""
    if all(items.origins for items in test.sets.values()):
        return "given"
    found = with_tested_words(test).sets.values()
    return "template" if all(items.origins for items in found) else "own words"


def _word_means(result: WeatResult, name: str, items: WordSet) -> dict[str, float]:
    """Return the mean association over the sentences of each word."""
    origin = dict(zip(items.words, origins(items), strict=True))
    values: dict[str, list[float]] = {}
    for sentence, value in zip(result.words[name], result.associations[name], strict=True):
        values.setdefault(origin[sentence], []).append(value)
    return {word: float(np.mean(of_word)) for word, of_word in values.items()}


def _choices(
    encoded: Vectors, result: WeatResult, test: Test
) -> tuple[Cosines, dict[str, Any], list[VariancePart]]:
    """Return what an interval over other words and templates needs.

    First the mean cosine of the sentences of each target word with those of each attribute word,
    and the weights of attribute words: the mean association of a sentence is over attribute
    sentences, so that an attribute word counts as often as it has sentences. Then what the choice
    of templates adds to the variance.
    """
    rows: dict[str, Any] = {}
    words: dict[str, Any] = {}
    counts: dict[str, Any] = {}
    means: dict[str, Any] = {}
    for name, items in test.sets.items():
        origin = dict(zip(items.words, origins(items), strict=True))
        listed, words[name], counts[name] = np.unique(
            [origin[sentence] for sentence in result.words[name]],
            return_inverse=True,
            return_counts=True,
        )
        rows[name] = encoded.unit(result.words[name])
        sums = np.zeros((len(listed), encoded.dim))
        np.add.at(sums, words[name], rows[name])
        means[name] = sums / counts[name][:, None]
    cosines = {(w, a): means[w] @ means[a].T for w in "XY" for a in "AB"}

    # The weight of a sentence in the difference of the mean associations of X and Y: targets count
    # each word once, attributes each sentence.
    weights = {name: 1 / counts[name][words[name]] / len(counts[name]) for name in "XY"}
    weights |= {name: np.full(len(rows[name]), 1 / len(rows[name])) for name in "AB"}
    directions = {
        ("X", "Y"): rows["A"].mean(axis=0) - rows["B"].mean(axis=0),
        ("A", "B"): means["X"].mean(axis=0) - means["Y"].mean(axis=0),
    }
    parts = [
        _template_part(result, pair, rows, weights, words, direction)
        for pair, direction in directions.items()
    ]
    return (
        cosines,
        {name: counts[name] for name in "AB"},
        [part for part in parts if part is not None],
    )


def _template_part(
    result: WeatResult,
    pair: tuple[str, str],
    rows: Any,
    weights: Any,
    words: Any,
    direction: Any,
) -> VariancePart | None:
    """Return what the templates of two sets add to the variance; None if there is only one."""
    first, second = pair
    texts = [text for name in pair for text in result.words[name]]
    templates = [template for text in texts if (template := sentence_template(text)) is not None]
    if len(templates) < len(texts):  # sentences of the user's own
        return None
    return template_variance(
        np.concatenate([rows[name] @ direction for name in pair]),
        np.concatenate([weights[first], -weights[second]]),
        np.concatenate([words[first], words[second] + words[first].max() + 1]),
        templates,
    )


def seat(
    encoders: Source | Sequence[Source],
    tests: NamedTests,
    *,
    batch_size: int | None = None,
    cache: bool = True,
    workers: int | None = None,
    cluster: str | Workers | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> Results[SeatResult]:
    """Run association tests on one or more sentence encoders.

    Parameters
    ----------
    encoders
        One or several: what `open_encoder` returned, its name, or any other source (see
        `as_source`). Word vectors encode a sentence as the mean of its words.
    tests
        Tests, their ids in the catalogue, a pattern, a file of your own, or several of these.
    batch_size
        How many sentences an encoder gets at a time; by default the number in its name
        (``?batch_size=16``), or 64.
    cache
        Whether to read encoded sentences from disk and save them there.
    workers
        Threads that run the tests; all processors by default. Encoders choose their own number.
    cluster
        Encode on the workers of a Dask cluster: the address of its scheduler, such as
        ``tcp://host:8786``, or ``local``. Each worker opens the encoder by its name, which must
        mean the same there; an encoder without such a name runs in this process.
    progress
        Called with the number of distinct sentences encoded and their total.
    options
        Options of each test: `method` (also ``"paper"``, the supplement's rule: exact up to 100,000
        partitions, otherwise 99,999 sampled ones and the observed one), `alternative`, `ddof`,
        `rng`, `max_missing`, `allow_overlap`, `intervals` and `influence` of `weatherglass.weat`.

    Returns
    -------
    Results
        A `SeatResult` for each encoder and test, in that order. Each distinct sentence is encoded
        once for all tests, and not at all if an earlier run has encoded it.

    Notes
    -----
    If an encoder does not know the word that a sentence is about, the sentence is missing, wherever
    the test comes from. Tests of the catalogue know the word; for sentences of a file it is read
    from the catalogue's templates (``"This is {word}."``). Where a sentence fits none, its own
    words, those that no other set of the test has, take the place of the tested word: it is missing
    if the encoder knows none of them.

    Examples
    --------
    >>> import weatherglass as wg
    >>> results = wg.seat(wg.open_encoder("cbow:default"), ["weat6", "sent-weat6"])
    >>> [(result.test, result.n_words["X"]) for result in results]
    [('weat6', 8), ('sent-weat6', 8)]
    """
    is_list = isinstance(encoders, list | tuple) and not is_pair(encoders)
    chosen_encoders: list[Any] = list(encoders) if is_list else [encoders]  # type: ignore[arg-type]
    chosen = choose_tests(tests, Test)
    if not chosen_encoders:
        raise UsageError("There are no encoders to run.")
    results: list[SeatResult] = []
    # The compiled kernels behind the p-values let other threads run; bootstrap intervals do not.
    threads = 1 if options.get("intervals") else workers
    with executor(threads, threads=True) as local, open_team(cluster) as team:
        for encoder in map(source_encoder, chosen_encoders):
            encode = partial(
                encode_all, batch_size=batch_size, progress=progress, cache=cache, team=team
            )
            encoded = encode_items(encoder, chosen, encode)
            results += run(partial(_measure_encoded, options), encoded, local)
    return Results.of(results)


def _measure_encoded(options: dict[str, Any], items: EncodedItems) -> SeatResult:
    def measure(vectors: Vectors) -> SeatResult:
        return seat_test(vectors, items.test, **options | {"intervals": False, "influence": False})

    result = seat_test(items.vectors, items.test, **options)
    result = dataclasses.replace(result, source=result.source | items.source)
    return add_centred(result, items.vectors, items.shared, measure)
