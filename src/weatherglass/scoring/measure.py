"""`sentiment`: score the same sentences with the names of different groups."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weatherglass.catalog import Test, test
from weatherglass.errors import CannotMeasure, UsageError, join_first, quote_safe
from weatherglass.findings import NAME_FREQUENCY
from weatherglass.measures import Source, describe_source, need_whole
from weatherglass.retrieval import (
    OTHER_NAMES,
    Text,
    TextSource,
    VariantSource,
    VariantTable,
    adjust_for_covariates,
    compare_groups,
    group_fields,
    load_texts,
    load_variants,
    name_covariates,
)

from .result import SentenceRange, Sentiment, SentimentResult
from .scorer import Scorer

Floats = NDArray[np.float64]


def sentiment(
    source: Source,
    *,
    sentences: TextSource = "reviews",
    names: VariantSource = "bertrand-mullainathan",
    template: str | None = None,
    groups: Sequence[str] = (),
    words: Test | str = "weat4",
    seed: int = 0,
) -> Sentiment:
    """Score the same sentences with different names, and compare the groups of names.

    Parameters
    ----------
    source
        An embedding: a path, a name, or an object in memory (see `as_source`).
    sentences
        Sentences with ``{name}`` where the name belongs: ``reviews`` of the catalogue, a file or
        folder, or a list.
    names
        A table of names with columns of groups, as for `weatherglass.retrieve`.
    template
        The text of a version, if the sentences have no ``{name}``.
    groups
        The columns of groups; by default all columns that are not inserted.
    words
        A test whose attribute sets A and B are the designated positive and negative words.
    seed
        Random seed of the covariate control.

    Returns
    -------
    Sentiment

    Notes
    -----
    This is the straw man of the first draft of Caliskan et al. [1]_: the valence of a word w is its
    association s(w, A, B) with positive rather than negative words, and that of a sentence is the
    sum over its words. Another name therefore changes the score of every sentence by the same
    amount, however long it is: sentences are copies of each other, the unit is the name, and the
    effect is that of an association test of the names. What depends on the sentence is whether
    this amount decides between a positive and a negative score.

    References
    ----------
    .. [1] A. Caliskan-Islam, J. Bryson, A. Narayanan (2016). Semantics derived automatically from
       language corpora necessarily contain human biases. arXiv:1608.07187v1.

    Examples
    --------
    >>> import weatherglass as wg
    >>> found = wg.sentiment("default")
    >>> [contrast.test for contrast in found.contrasts][:2]
    ['sentiment-race', 'sentiment-gender']
    >>> wg.Sentiment.from_json(found.to_json()) == found
    True
    """
    vectors = need_whole(source, "The sentiment scorer")
    chosen = test(words) if isinstance(words, str) else words
    if not isinstance(chosen, Test):
        raise UsageError(f"{quote_safe(str(words))} has no attribute sets A and B.")
    scorer = Scorer.of(vectors, chosen.a.words, chosen.b.words)
    sentence_source, texts = load_texts(sentences, "sentences")
    table = load_variants(names, template, groups, [text.text for text in texts])
    table, unknown = _known_variants(table, scorer)
    scores = np.array(
        [[scorer.score(table.fill(v, text.text)) for v in table.variants] for text in texts]
    )
    labels = [variant.label for variant in table.variants]
    options = {
        "sentences": sentence_source,
        "names": table.name,
        "template": table.template,
        "words": chosen.id,
        "seed": seed,
    }
    about: dict[str, Any] = {"source": describe_source(vectors), "options": options}
    centred = scores - scores.mean(axis=1, keepdims=True)
    contrasts = _contrasts(scores, centred, table, labels, about, seed)
    plain = [text.text.replace(f"{{{table.column}}}", " ") for text in texts]
    return Sentiment(
        contrasts=tuple(contrasts),
        sentences=tuple(_ranges(scores, texts, labels)),
        names=tuple(labels),
        groups={name: tuple(table.groups(name)) for name in table.dimensions},
        scores=tuple(centred.mean(axis=0).tolist()),
        missing={"names": unknown, **scorer.missing},
        coverage=scorer.coverage(plain),
        **about,
    )


def _known_variants(table: VariantTable, scorer: Scorer) -> tuple[VariantTable, tuple[str, ...]]:
    """Return the table without names that the source lacks: they would score zero."""
    known = tuple(v for v in table.variants if scorer.is_known(v.label))
    unknown = tuple(v.label for v in table.variants if v not in known)
    for dimension in table.dimensions:
        for group in dict.fromkeys(table.groups(dimension)):
            if sum(variant.groups[dimension] == group for variant in known) < 2:
                listed = join_first(map(quote_safe, unknown))
                raise CannotMeasure(
                    f"{scorer.vectors.source} has fewer than two names of the group "
                    f"{quote_safe(group)} (missing: {listed})."
                )
    return replace(table, variants=known), unknown


def _contrasts(
    scores: Floats,
    centred: Floats,
    table: VariantTable,
    labels: Sequence[str],
    about: dict[str, Any],
    seed: int,
) -> list[SentimentResult]:
    """Compare each two groups of every column."""
    covariates = name_covariates(labels, None)
    results = []
    for dimension in table.dimensions:
        members = table.groups(dimension)
        pairs = list(itertools.combinations(dict.fromkeys(members), 2))
        for pair in pairs:
            fields = group_fields(table, dimension, pair, len(pairs), "sentiment", "sentences")
            x, y = ([k for k, group in enumerate(members) if group == name] for name in pair)
            try:
                numbers = compare_groups(centred[None], x, y, labels)
            except CannotMeasure as error:
                reason = str(error).rstrip(".")
                results.append(SentimentResult(status="not run", reason=reason, **fields, **about))
                continue
            # Sentences are copies of each other: there is no variation over them to add.
            intervals = tuple(i for i in numbers.pop("intervals") if i.about == OTHER_NAMES)
            result = SentimentResult(
                status="done",
                intervals=intervals,
                rates={
                    "X": float((scores[:, x] > 0).mean()),
                    "Y": float((scores[:, y] > 0).mean()),
                },
                **fields,
                **about,
                **numbers,
            )
            if covariates is not None:
                values = np.array(covariates.values).T
                control = adjust_for_covariates(centred.mean(axis=0), x, y, values, seed)
                named = replace(control, name=NAME_FREQUENCY, asked=NAME_FREQUENCY)
                result = replace(result, controls=(named,))
            results.append(result)
    return results


def _ranges(scores: Floats, texts: Sequence[Text], labels: Sequence[str]) -> list[SentenceRange]:
    ranges = []
    for text, row in zip(texts, scores, strict=True):
        low, high = int(row.argmin()), int(row.argmax())
        ranges.append(
            SentenceRange(
                sentence=text.id,
                lowest=labels[low],
                highest=labels[high],
                low=float(row[low]),
                high=float(row[high]),
                positive=float((row > 0).mean()),
            )
        )
    return ranges
