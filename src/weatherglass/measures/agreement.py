"""Agreement of sources: do they associate the same words with the same attributes?"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from weatherglass.catalog import FactualTest, Test
from weatherglass.errors import UsageError
from weatherglass.significance import Correlation, holm, pearson, spearman
from weatherglass.vectors import Case, is_pair

from .association_table import Embedding
from .claims import label_in_text
from .each_test import each_test
from .effect_size import MIN_WORDS as MIN_WEAT_WORDS
from .effect_size import associations
from .embedding import Source, open_embedding
from .measurement import Measurement, describe_source, describe_test
from .paired import PairedDifference, fact_contrast, paired_difference, set_contrast
from .wefat import normalised_associations
from .word_sets import FoundSet, find_sets, too_few_reason

Floats = NDArray[np.float64]

_MIN_WEFAT_WORDS = {"W": 4, "A": 1, "B": 1}
_MIN_SPREAD = 1e-12  # of associations, as a share of the largest: below it all are the same


@dataclass(frozen=True, slots=True)
class SourcePair:
    """How far two sources agree on the words of a test.

    Attributes
    ----------
    first, second
        The names of the sources.
    pearson, spearman
        The correlations of the words' associations, with 95 % confidence intervals over words.
    difference
        The difference of the effects of the test on the two, with the p-value of the paired test.
    """

    first: str
    second: str
    pearson: Correlation
    spearman: Correlation
    difference: PairedDifference


@dataclass(frozen=True, kw_only=True, repr=False)
class Agreement(Measurement):
    """The agreement of several sources on one test.

    Attributes
    ----------
    sources
        Name, fingerprint and dimensions of each source.
    absent
        For each source, the words of the test that it does not have. A word that one source lacks
        is dropped in all (`missing` has these), so that all are compared on the same words.
    effects
        The effect of the test on each source, over these words: the effect size of an association
        test, Pearson's correlation with the facts of a factual test.
    associations
        For each source the association of every target, in the order of ``words["X"]`` and
        ``words["Y"]``, or ``words["W"]``.
    pairs
        Every two sources: correlations, and the difference of their effects.
    published_agreement
        The agreement of two embeddings that was published for this test, from the catalogue.

    The other attributes are those of every `Measurement`; `source` names all sources.
    """

    measure: ClassVar[str] = "agree"
    chart: ClassVar[str] = "agreement"
    decimals: ClassVar[int] = 2
    main_name: ClassVar[str] = "correlation"
    max_value: ClassVar[float | None] = 1.0

    sources: tuple[dict[str, Any], ...] = ()
    absent: tuple[tuple[str, ...], ...] = ()
    effects: tuple[float, ...] = ()
    associations: tuple[tuple[float, ...], ...] = ()
    pairs: tuple[SourcePair, ...] = ()
    published_agreement: dict[str, Any] | None = None

    @property
    def value(self) -> float | None:
        """Pearson's correlation of the two sources that agree least."""
        lowest = self.lowest_pair
        return lowest.pearson.value if lowest else None

    @property
    def lowest_pair(self) -> SourcePair | None:
        """The two sources with the smallest Pearson correlation."""
        return min(self.pairs, key=lambda pair: pair.pearson.value, default=None)

    @property
    def targets(self) -> tuple[str, ...]:
        """The target words, in the order of `associations`."""
        return tuple(word for name in ("X", "Y", "W") for word in self.words.get(name, ()))

    def standardised(self, source: str) -> Floats:
        """Return the associations of a source with mean 0 and standard deviation 1."""
        names = [facts["name"] for facts in self.sources]
        values = np.array(self.associations[names.index(source)])
        return np.asarray((values - values.mean()) / values.std(ddof=1))

    def most_different(self, pair: SourcePair, count: int = 5) -> tuple[tuple[str, float], ...]:
        """Return the words on which two sources differ most, with z₁ - z₂, the largest first.

        z are standardised associations: above zero, the first source associates the word more
        strongly with A.
        """
        differences = self.standardised(pair.first) - self.standardised(pair.second)
        order = np.argsort(-np.abs(differences), kind="stable")[:count]
        return tuple((self.targets[i], float(differences[i])) for i in order.tolist())

    def claim(self) -> str:
        pair = self.lowest_pair
        assert pair is not None
        a, b = (label_in_text(self.label(name)) for name in "AB")
        r = pair.pearson
        on = f"on which words are associated with {a} rather than {b}"
        about = f"r = {r.value:.2f} ({r.low:.2f} to {r.high:.2f}) over {r.n} words"
        if len(self.sources) == 2:
            return f"{pair.first} and {pair.second} agree {on} with {about}."
        return (
            f"Of {len(self.sources)} sources, {pair.first} and {pair.second} agree least {on}: "
            f"{about}."
        )

    def key_facts(self) -> dict[str, Any]:
        facts: dict[str, Any] = {"test": self.test, "sources": len(self.sources)}
        if not self.is_done:
            return facts | {"status": self.status, "reason": self.reason}
        return facts | {"pearson": self.value}

    def row(self) -> dict[str, Any]:
        """Return one flat row: the two sources that agree least."""
        return self._row(self.lowest_pair) | {"record": json.dumps(self.to_dict())}

    def to_rows(self) -> list[dict[str, Any]]:
        """Return a flat row for every two sources; the first also holds the whole record."""
        rows = [self._row(pair) for pair in self.pairs] or [self._row(None)]
        rows = [row | {"record": None} for row in rows]
        rows[0]["record"] = json.dumps(self.to_dict())
        return rows

    def _row(self, pair: SourcePair | None) -> dict[str, Any]:
        published = self.published_agreement or {}
        difference = pair.difference if pair else None
        fingerprints = {facts["name"]: facts.get("fingerprint") for facts in self.sources}
        row: dict[str, Any] = {
            "measure": self.measure,
            "test": self.test,
            "title": self.title,
            "status": self.status,
            "reason": self.reason,
            "source": pair.first if pair else None,
            "against": pair.second if pair else None,
        }
        for name in ("pearson", "spearman"):
            correlation = getattr(pair, name) if pair else None
            row[name] = correlation.value if correlation else None
            row[f"{name}_low"] = correlation.low if correlation else None
            row[f"{name}_high"] = correlation.high if correlation else None
            row[f"published_{name}"] = published.get(name)
        return row | {
            "effect": difference.first if difference else None,
            "effect_against": difference.second if difference else None,
            "difference": difference.difference if difference else None,
            "difference_low": difference.low if difference else None,
            "difference_high": difference.high if difference else None,
            "p_value": difference.p.value if difference else None,
            "p_method": difference.p.method if difference else None,
            "p_holm": difference.p_holm if difference else None,
            "n": difference.n if difference else None,
            "missing": " ".join(word for words in self.missing.values() for word in words),
            "fingerprint": fingerprints.get(pair.first) if pair else None,
            "fingerprint_against": fingerprints.get(pair.second) if pair else None,
            "weatherglass": self.version,
        }


@each_test(Test | FactualTest)
def agree(
    sources: Sequence[Source] | Mapping[str, Source],
    test: Test | FactualTest,
    *,
    case: Case = "auto",
    max_missing: float = 0.2,
    allow_overlap: bool = False,
    rng: int = 0,
    workers: int | None = None,
) -> Agreement:
    """Compare the associations that sources give the same words.

    Parameters
    ----------
    sources
        Two sources or more, of any kind (see `as_source`); or a mapping from the names that the
        result shall give them.
    test
        An association test, a factual test, or the id of either in the catalogue; or several
        tests, a pattern or a file, as for `weat`.
    case, max_missing, allow_overlap
        As for `weat`. A word that one source lacks counts as missing from all.
    rng
        Random seed of the paired test, for more than 50 words.
    workers
        Threads; all processors by default.

    Returns
    -------
    Agreement
        With status ``"not run"`` and the reason where the words do not allow the comparison; for
        several tests `Results`.

    Notes
    -----
    The associations are s(w, A, B) of WEAT for an association test, over the targets of both sets,
    and the normalised s(w, A, B) of WEFAT for a factual test. Pearson's and Spearman's correlations
    are computed over the targets that every source has (listwise deletion), with 95 % intervals
    over words: `weatherglass.significance.pearson` says how. `paired_difference` tests whether the
    effect of the test is the same on two sources; with more than two, its p-values are also
    corrected over all pairs by Holm's method.

    A high correlation does not mean equal effects: associations may agree word by word and still be
    more spread out between the sets on one source.

    Caliskan et al. (2017, supplement) report a Pearson correlation of 0.88 and a Spearman
    correlation of 0.86 between the gender associations of occupation words in GloVe and word2vec.

    Examples
    --------
    >>> import numpy as np
    >>> import weatherglass as wg
    >>> words = [word for part in wg.test("wefat1").sets.values() for word in part.words]
    >>> rows = wg.open_vectors("default").take(words).rows
    >>> noise = np.random.default_rng(0).normal(0, 0.1, rows.shape)
    >>> sources = {"original": "default", "noisy": wg.Vectors.of(words, rows + noise)}
    >>> agreement = wg.agree(sources, "wefat1")
    >>> pair = agreement.pairs[0]
    >>> pair.pearson.value > 0.9, pair.spearman.value > 0.9, pair.difference.n
    (True, True, 50)
    """
    opened = _open(sources, test, case, workers)
    sets_by_source: list[dict[str, FoundSet]] = []
    reason = ""
    for name, vectors in opened.items():
        sets, problem = find_sets(vectors, test.sets, case, allow_overlap)
        sets_by_source.append(sets)
        reason = reason or (problem and f"{problem} ({name})")
    options: dict[str, Any] = {
        "case": case,
        "max_missing": max_missing,
        "allow_overlap": allow_overlap,
        "rng": rng,
    }
    about = _describe(test, opened, sets_by_source if not reason else [], options)
    min_words = _MIN_WEFAT_WORDS if isinstance(test, FactualTest) else MIN_WEAT_WORDS
    reason = reason or too_few_reason(about["words"], about["missing"], min_words, max_missing)
    if not reason:
        common = _common_sets(test, sets_by_source)
        values = [_associations(test, sets) for sets in common]
        reason = _constant_reason(list(opened), values)
    if reason:
        return Agreement(status="not run", reason=reason, **about)
    contrast = _contrast(test, common[0])
    if contrast is None:
        reason = "all targets have the same fact, so there is no effect to compare"
        return Agreement(status="not run", reason=reason, **about)
    pairs = _compare(list(opened), values, contrast, rng, workers)
    return Agreement(
        status="done",
        effects=tuple(float(contrast @ (s - s.mean()) / s.std(ddof=1)) for s in values),
        associations=tuple(tuple(s.tolist()) for s in values),
        pairs=pairs,
        **about,
    )


def _open(
    sources: Sequence[Source] | Mapping[str, Source],
    test: Test | FactualTest,
    case: Case,
    workers: int | None,
) -> dict[str, Embedding]:
    """Return the vectors of each source by a name that no other has."""
    is_list = isinstance(sources, Sequence | Mapping) and not isinstance(sources, str)
    if not is_list or is_pair(sources) or len(sources) < 2:
        raise UsageError("Agreement needs two sources or more.")
    given = sources.items() if isinstance(sources, Mapping) else ((None, s) for s in sources)
    opened: dict[str, Embedding] = {}
    for label, source in given:
        vectors = open_embedding(source, test.sets.values(), case, workers=workers)
        name = base = label if label is not None else vectors.source
        number = 1
        while name in opened:  # the same source twice, or two without a name
            number += 1
            name = f"{base} ({number})"
        opened[name] = vectors
    return opened


def _describe(
    test: Test | FactualTest,
    opened: Mapping[str, Embedding],
    found: Sequence[Mapping[str, FoundSet]],
    options: dict[str, Any],
) -> dict[str, Any]:
    """Return the fields of an `Agreement` that are known before anything is measured."""
    words, missing, merged = {}, {}, {}
    for name, word_set in test.sets.items() if found else ():
        kept = _common_positions(name, found)
        words[name] = tuple(word_set.words[i] for i in kept)
        twice = {word for sets in found for word in sets[name].merged}
        missing[name] = tuple(
            word
            for i, word in enumerate(word_set.words)
            if i not in set(kept) and word not in twice
        )
        if twice:
            merged[name] = tuple(word for word in word_set.words if word in twice)
    about = describe_test(test, words, missing, {"name": ", ".join(opened)}, options)
    published = next(iter(test.agreement), None)
    return about | {
        "merged": merged,
        "sources": tuple(
            describe_source(vectors) | {"name": name} for name, vectors in opened.items()
        ),
        "absent": tuple(
            tuple(dict.fromkeys(word for part in sets.values() for word in part.missing))
            for sets in found
        ),
        "published_agreement": published.model_dump(mode="json") if published else None,
    }


def _common_positions(name: str, found: Sequence[Mapping[str, FoundSet]]) -> list[int]:
    """Return the positions of the words of a set that every source has."""
    return sorted(set.intersection(*(set(sets[name].kept) for sets in found)))


def _common_sets(
    test: Test | FactualTest, found: Sequence[Mapping[str, FoundSet]]
) -> list[dict[str, FoundSet]]:
    """Return the sets of each source with only the words that every source has."""
    common: list[dict[str, FoundSet]] = [{} for _ in found]
    for name in test.sets:
        kept = _common_positions(name, found)
        for sets, reduced in zip(found, common, strict=True):
            part = sets[name]
            at = [part.kept.index(position) for position in kept]
            reduced[name] = FoundSet(
                tuple(part.words[i] for i in at), part.rows[at], part.missing, tuple(kept)
            )
    return common


def _associations(test: Test | FactualTest, found: Mapping[str, FoundSet]) -> Floats:
    if isinstance(test, FactualTest):
        return normalised_associations(found)
    targets = np.concatenate([found["X"].rows, found["Y"].rows])
    return associations(targets, found["A"].rows, found["B"].rows)


def _constant_reason(names: Sequence[str], values: Sequence[Floats]) -> str:
    """Return why there is no correlation to compute; empty if there is one."""
    for name, s in zip(names, values, strict=True):
        if not np.isfinite(s).all():
            return f"a target has the same cosine with every attribute in {name}"
        if np.ptp(s) <= _MIN_SPREAD * max(1.0, float(np.abs(s).max())):
            return f"all targets have the same association in {name}, so nothing can be correlated"
    return ""


def _contrast(test: Test | FactualTest, found: Mapping[str, FoundSet]) -> Floats | None:
    if not isinstance(test, FactualTest):
        return set_contrast(len(found["X"].words), len(found["Y"].words))
    facts = np.array([test.facts.values[i] for i in found["W"].kept])
    return None if (facts == facts[0]).all() else fact_contrast(facts)


def _compare(
    names: Sequence[str], values: Sequence[Floats], contrast: Floats, rng: int, workers: int | None
) -> tuple[SourcePair, ...]:
    pairs = []
    for i, j in combinations(range(len(names)), 2):
        s1, s2 = values[i], values[j]
        difference = paired_difference(s1, s2, contrast, rng=rng, workers=workers)
        pairs.append(SourcePair(names[i], names[j], pearson(s1, s2), spearman(s1, s2), difference))
    corrected = holm([pair.difference.p.value for pair in pairs]).tolist()
    return tuple(
        dataclasses.replace(pair, difference=dataclasses.replace(pair.difference, p_holm=p))
        for pair, p in zip(pairs, corrected, strict=True)
    )
