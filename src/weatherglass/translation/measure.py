"""Pronouns of translations against facts, and against the associations of embeddings.

After the supplement of Caliskan et al. (2017): "O bir doktor. O bir hemşire." is translated as "He
is a doctor. She is a nurse."
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from weatherglass.catalog import FactualTest
from weatherglass.catalog import test as catalogue_test
from weatherglass.errors import CannotMeasure, UsageError
from weatherglass.measures import Embedding, Results, Source, describe_source, open_embedding, wefat
from weatherglass.significance import Interval, PValue, holm, mann_whitney, pearson

from .pronouns import PRONOUNS, Pronoun, Translation, count_pronouns, read_translations
from .result import EmbeddingPrediction, TranslationResult
from .sentences import translation_catalogue

MIN_OCCUPATIONS = 4


def measure_translations(
    translations: str | os.PathLike[str] | Iterable[Translation | Mapping[str, str]],
    *,
    embeddings: Sequence[Source] = (),
    test: FactualTest | str = "wefat1",
    translator: str = "",
) -> Results[TranslationResult]:
    """Test whether the pronouns of translations follow a fact about occupations.

    Parameters
    ----------
    translations
        A file (see `read_translations`), or rows with ``language``, ``occupation``, ``text`` and
        perhaps ``target``.
    embeddings
        Any sources (see `as_source`) whose gender associations are to predict the pronoun.
    test
        A factual test about occupations: the share of women by default. Its attributes, female and
        male terms, give the associations of embeddings.
    translator
        What results call the translator.

    Returns
    -------
    Results of TranslationResult
        One for each pair of languages, with p-values corrected over them.

    Notes
    -----
    The unit is the occupation. Each has the pronoun of most of its translations; the p-value counts
    all ways to assign the pronouns to the occupations (exact Mann-Whitney test), so that
    translating a sentence more often does not make it smaller.

    Examples
    --------
    >>> import weatherglass as wg
    >>> women = {"nurse", "librarian", "hairdresser", "receptionist", "nutritionist"}
    >>> rows = [
    ...     {"language": "tr", "occupation": job, "text": f"{'She' if job in women else 'He'} is."}
    ...     for job in wg.test("wefat1").targets.words
    ... ]
    >>> (result,) = wg.measure_translations(rows)
    >>> round(result.auc, 2), result.p.method, result.n_by_pronoun["he"]
    (0.95, 'exact', 45)
    """
    entry = catalogue_test(test) if isinstance(test, str) else test
    if not isinstance(entry, FactualTest):
        raise UsageError("test must be a factual test, such as wefat1.")
    by_language: dict[tuple[str, str], list[Translation]] = {}
    for row in _parse(translations):
        by_language.setdefault((row.language, row.target), []).append(row)
    if not by_language:
        raise UsageError("There are no translations to measure.")
    opened = [open_embedding(source, entry.sets.values()) for source in embeddings]
    results = [
        _measure(rows, entry, language, target, opened, translator)
        for (language, target), rows in by_language.items()
    ]
    return Results.of(_correct_predictions(results)).correct()


def _correct_predictions(results: Sequence[TranslationResult]) -> list[TranslationResult]:
    """Correct the p-values of predictions over all embeddings and languages."""
    p_values = [found.p.value for result in results for found in result.predictions if found.p]
    corrected = iter(holm(p_values).tolist())
    return [
        replace(
            result,
            predictions=tuple(
                replace(found, p_holm=next(corrected)) if found.p else found
                for found in result.predictions
            ),
        )
        for result in results
    ]


def _parse(translations: Any) -> list[Translation]:
    if isinstance(translations, str | os.PathLike):
        return read_translations(translations)
    parsed = []
    for row in translations:
        try:
            parsed.append(row if isinstance(row, Translation) else Translation(**row))
        except TypeError:
            raise UsageError(
                "A translation needs language, occupation and text, and perhaps target."
            ) from None
    return parsed


def _measure(
    rows: Sequence[Translation],
    test: FactualTest,
    language: str,
    target: str,
    embeddings: Sequence[Embedding],
    translator: str,
) -> TranslationResult:
    facts = dict(zip(test.targets.words, test.facts.values, strict=True))
    spelled = {job.lower(): job for job in facts}
    rows = [
        replace(row, occupation=spelled.get(row.occupation.strip().lower(), row.occupation))
        for row in rows
    ]
    counts = {job: by for job, by in count_pronouns(rows).items() if job in facts}
    unknown = tuple(dict.fromkeys(row.occupation for row in rows if row.occupation not in facts))
    known = translation_catalogue().languages
    name = known[language].name if language in known else language
    about: dict[str, Any] = {
        "test": f"{language}-{target}",
        "title": f"Pronouns in translations from {name}",
        "labels": {"W": test.targets.label, "A": "she", "B": "he"},
        "n": {"W": len(counts)},
        "words": {"W": tuple(counts)},
        "missing": {"W": unknown},
        "dimension": test.dimension,
        "source": {"name": translator or "translations"},
        "options": {"test": test.id},
        "language": language,
        "target": target,
        "fact": {"name": test.facts.name, "unit": test.facts.unit},
        "counts": {p: sum(by[p] for by in counts.values()) for p in PRONOUNS},
    }
    if len(counts) < MIN_OCCUPATIONS:
        reason = f"{len(counts)} occupations have a fact; {MIN_OCCUPATIONS} are needed"
        return TranslationResult(status="not run", reason=reason, **about)
    pronouns = {job: _majority(by) for job, by in counts.items()}
    return TranslationResult(
        status="done",
        pronouns=tuple(pronouns.values()),
        **_test_facts(counts, pronouns, facts),
        predictions=tuple(_predict(vectors, test, pronouns) for vectors in embeddings),
        **about,
    )


def _majority(counts: Mapping[Pronoun, int]) -> Pronoun:
    """Return the pronoun of most translations; other where she and he are equally frequent."""
    most = max(counts.values())
    winners: list[Pronoun] = [name for name in PRONOUNS if counts[name] == most]
    return winners[0] if len(winners) == 1 else "other"


def _test_facts(
    counts: Mapping[str, Mapping[Pronoun, int]],
    pronouns: Mapping[str, Pronoun],
    facts: Mapping[str, float],
) -> dict[str, Any]:
    from scipy import stats

    x = np.array([(by["she"] - by["he"]) / sum(by.values()) for by in counts.values()])
    y = np.array([facts[job] for job in counts])
    she, he = ([facts[job] for job in counts if pronouns[job] == name] for name in ("she", "he"))
    numbers: dict[str, Any] = {"associations": tuple(x.tolist()), "facts": tuple(y.tolist())}
    numbers |= _rank_test(she, he)
    if she or he:
        gendered = len(she) + len(he)
        numbers["p_share"] = float(stats.binomtest(len(she), gendered).pvalue)
    try:
        r = pearson(x, y)
    except CannotMeasure:  # all translations have the same pronoun
        return numbers
    line = stats.linregress(x, y)
    interval = Interval(r.low, r.high, r.confidence, "fisher z", about="other occupations")
    return numbers | {
        "pearson": r.value,
        "intervals": (interval,),
        "slope": float(line.slope),
        "intercept": float(line.intercept),
    }


def _rank_test(she: Sequence[float], he: Sequence[float]) -> dict[str, Any]:
    """Return AUC and p; a pronoun that is always the same depends on nothing."""
    if not she or not he:
        return {"auc": 0.5, "p": PValue(1.0, 1.0, 1.0, "exact")}
    ranks = mann_whitney(she, he)
    return {"auc": ranks.auc, "p": ranks.p}


def _predict(
    vectors: Embedding, test: FactualTest, pronouns: Mapping[str, Pronoun]
) -> EmbeddingPrediction:
    """Return how well the associations of an embedding predict she and he."""
    result = wefat(vectors, test)
    about: dict[str, Any] = {"source": str(describe_source(vectors)["name"])}
    about["fingerprint"] = vectors.fingerprint
    if not result.is_done:
        return EmbeddingPrediction(**about, reason=result.reason)
    values = {
        word.lower(): value
        for word, value in zip(result.words["W"], result.associations, strict=True)
    }
    she, he = (
        [values[job.lower()] for job, p in pronouns.items() if p == name and job.lower() in values]
        for name in ("she", "he")
    )
    if not she or not he:
        reason = "the translations have only one of the pronouns she and he"
        return EmbeddingPrediction(**about, n=len(she) + len(he), reason=reason)
    ranks = mann_whitney(she, he)
    return EmbeddingPrediction(**about, auc=ranks.auc, p=ranks.p, n=len(she) + len(he))
