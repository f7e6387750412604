"""From the scores of a retrieval audit to what they say about the groups."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weatherglass.catalog import DIMENSIONS
from weatherglass.encoders import Encodings
from weatherglass.errors import CannotMeasure
from weatherglass.significance import batch_permutation_p, holm

from .contrast import RetrievalResult, adjust_for_covariates, compare_groups
from .placebo import share_as_large
from .retrieval import Covariates, QueryContrast, RankChange, Retrieval
from .selection import select, select_pair
from .texts import Text
from .variants import INTERSECTION, VariantTable

Floats = NDArray[np.float64]

N_EXAMPLES = 10


@dataclass(frozen=True, eq=False)
class Run:
    """The texts of a retrieval audit and their scores, with axes query, document, name."""

    table: VariantTable
    documents: Sequence[Text]
    queries: Sequence[Text]
    words: Sequence[str] = ()
    prefixes: tuple[str, str] = ("", "")
    scores: Floats = field(default_factory=lambda: np.empty((0, 0, 0)))
    placebo: Floats | None = None

    @property
    def labels(self) -> list[str]:
        """The names."""
        return [variant.label for variant in self.table.variants]

    @property
    def texts(self) -> list[str]:
        """All texts to encode: queries, versions with each name, versions with placebo words."""
        query_prefix, document_prefix = self.prefixes
        queries = [query_prefix + query.text for query in self.queries]
        variants = list(self.table.variants)
        column = self.table.column
        placebos = [
            variant.with_label(column, word)
            for variant, word in zip(variants, self.words, strict=bool(self.words))
        ]
        return queries + [
            document_prefix + self.table.fill(variant, text.text)
            for inserted in (variants, placebos)
            for text in self.documents
            for variant in inserted
        ]

    def with_encodings(self, rows: Encodings, similarity: str) -> Run:
        """Return the run with the scores of its texts, from their encodings."""
        encoded = np.asarray(rows, dtype=np.float64)
        if similarity == "cosine":
            encoded = encoded / np.linalg.norm(encoded, axis=1, keepdims=True)
        shape = (len(self.queries), len(self.documents), len(self.table.variants))
        n_versions = shape[1] * shape[2]
        queries, versions, placebos = np.split(encoded, [shape[0], shape[0] + n_versions])
        scores = (queries @ versions.T).reshape(shape)
        placebo = (queries @ placebos.T).reshape(shape) if self.words else None
        return replace(self, scores=scores, placebo=placebo)

    def members(self, dimension: str, group: str) -> list[int]:
        """Return the positions of the names of a group."""
        groups = self.table.groups(dimension)
        return [position for position, name in enumerate(groups) if name == group]


def centre(scores: Floats) -> Floats:
    """Return scores minus their mean over names, within each query and document."""
    centred: Floats = scores - scores.mean(axis=2, keepdims=True)
    return centred


def analyse(
    run: Run, covariates: Covariates | None, source: dict[str, Any], options: dict[str, Any]
) -> Retrieval:
    """Compare each two groups of every dimension, and say who is selected."""
    centred = centre(run.scores)
    placebo = None if run.placebo is None else centre(run.placebo).mean(axis=(0, 1))
    top, seed = options["top"], options["seed"]
    contrasts, selections, by_query = [], [], []
    for dimension in run.table.dimensions:
        groups = run.table.groups(dimension)
        selections.append(select(run.scores, dimension, groups, top, seed, run.table.noun))
        pairs = list(itertools.combinations(dict.fromkeys(groups), 2))
        for pair in pairs:
            fields = group_fields(run.table, dimension, pair, len(pairs)) | {
                "source": source,
                "options": options,
                "top": top,
            }
            x, y = (run.members(dimension, group) for group in pair)
            result = _compare(centred, x, y, run.labels, fields)
            result = _add_controls(result, centred, x, y, covariates, placebo, seed)
            contrasts.append(_add_selection(result, run.scores, x, y, pair))
            by_query += _by_query(centred, x, y, dimension, pair, run.queries)
    return Retrieval(
        contrasts=tuple(contrasts),
        selections=tuple(selections),
        by_query=tuple(_correct(by_query)),
        examples=tuple(_examples(run)),
        names=tuple(run.labels),
        groups={name: tuple(run.table.groups(name)) for name in run.table.dimensions},
        documents=tuple(text.id for text in run.documents),
        queries=tuple(query.id for query in run.queries),
        scores=tuple(map(tuple, centred.mean(axis=1).T.tolist())),
        covariates=covariates,
        placebo={} if placebo is None else dict(zip(run.words, placebo.tolist(), strict=True)),
        source=source,
        options=options,
    )


def group_fields(
    table: VariantTable,
    dimension: str,
    groups: tuple[str, str],
    n_pairs: int,
    prefix: str = "retrieval",
    texts: str = "documents",
) -> dict[str, Any]:
    """Return the fields of a result that say which groups are compared, and in which texts."""
    test = f"{prefix}-{dimension.replace(INTERSECTION, '-')}"
    if n_pairs > 1:
        test += "-" + "-vs-".join(group.replace(" ", "-") for group in groups)
    first, second = (f"{group} {table.noun}" for group in groups)
    return {
        "test": test.lower(),
        "title": f"{first} vs {second}, in {texts} that are otherwise the same",
        "labels": {"X": first, "Y": second},
        "dimension": dimension if dimension in DIMENSIONS else "",
    }


def _compare(
    centred: Floats, x: list[int], y: list[int], labels: Sequence[str], fields: dict[str, Any]
) -> RetrievalResult:
    try:
        numbers = compare_groups(centred, x, y, labels)
    except CannotMeasure as error:
        return RetrievalResult(status="not run", reason=str(error).rstrip("."), **fields)
    return RetrievalResult(status="done", **fields, **numbers)


def _add_controls(
    result: RetrievalResult,
    centred: Floats,
    x: list[int],
    y: list[int],
    covariates: Covariates | None,
    placebo: Floats | None,
    seed: int,
) -> RetrievalResult:
    """Add the effect at equal covariates, and the placebo."""
    if not result.is_done or result.difference is None:
        return result
    if covariates is not None:
        table = np.array(covariates.values).T
        control = adjust_for_covariates(centred.mean(axis=(0, 1)), x, y, table, seed)
        result = replace(result, controls=(control,))
    if placebo is not None:
        share = share_as_large(placebo, (len(x), len(y)), result.difference, seed)  # type: ignore[arg-type]
        result = replace(result, p_placebo=share)
    return result


def _add_selection(
    result: RetrievalResult,
    scores: Floats,
    x: list[int],
    y: list[int],
    groups: tuple[str, str],
) -> RetrievalResult:
    """Add who is selected among the versions with the names of both groups."""
    if not result.is_done:
        return result
    labels = [groups[0]] * len(x) + [groups[1]] * len(y)
    selection = select_pair(scores[:, :, [*x, *y]], labels, result.top)
    return replace(
        result,
        rates=selection.rates,
        impact_ratio=selection.impact_ratio,
        impact_interval=selection.interval,
    )


def _by_query(
    centred: Floats,
    x: list[int],
    y: list[int],
    dimension: str,
    groups: tuple[str, str],
    queries: Sequence[Text],
) -> list[QueryContrast]:
    """Compare two groups in the ranking of every query."""
    tests = [(row[x], row[y]) for row in centred.mean(axis=1)]
    p_values = [p.value for p in batch_permutation_p(tests, alternative="two-sided")]
    rows = []
    for query, (first, second), p in zip(queries, tests, p_values, strict=True):
        spread = float(np.concatenate([first, second]).std(ddof=1))
        value = float((first.mean() - second.mean()) / spread) if spread > 0 else 0.0
        rows.append(QueryContrast(dimension, groups, query.id, value, p, p))
    return rows


def _correct(rows: Sequence[QueryContrast]) -> list[QueryContrast]:
    """Correct the p-values over all rows, because readers pick the smallest of all of them."""
    corrected = holm([row.p for row in rows])
    return [replace(row, p_holm=float(p)) for row, p in zip(rows, corrected, strict=True)]


def _examples(run: Run) -> list[RankChange]:
    """Return the documents whose rank depends most on the name."""
    n_queries, n_documents, n_names = run.scores.shape
    flat = run.scores.reshape(n_queries, -1)
    ranks = np.empty(flat.shape, dtype=np.int64)
    order = np.argsort(-flat, axis=1, kind="stable")
    np.put_along_axis(ranks, order, np.arange(1, flat.shape[1] + 1)[None, :], axis=1)
    table = ranks.reshape(run.scores.shape)
    change = table.max(axis=2) - table.min(axis=2)
    chosen = np.argsort(-change, axis=None, kind="stable")[:N_EXAMPLES]
    examples = []
    for query, document in zip(*np.unravel_index(chosen, change.shape), strict=True):
        row = table[query, document]
        best, worst = int(row.argmin()), int(row.argmax())
        examples.append(
            RankChange(
                query=run.queries[query].id,
                document=run.documents[document].id,
                best=run.labels[best],
                worst=run.labels[worst],
                best_rank=int(row[best]),
                worst_rank=int(row[worst]),
                versions=n_documents * n_names,
            )
        )
    return examples
