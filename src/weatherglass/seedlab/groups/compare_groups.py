"""`compare_groups`: small groups of a corpus, compared in one shared embedding space."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from weatherglass._files import combine_fingerprints, report_write_errors, temporary_folder
from weatherglass.catalog import NamedTests, Test, choose_tests
from weatherglass.corpus import (
    Corpus,
    Grouping,
    NamedCorpora,
    Tokenizer,
    open_corpus,
    read_units,
    share_space,
)
from weatherglass.errors import UsageError
from weatherglass.measures import Results
from weatherglass.vectors import Case, Vectors, open_vectors

from .formula import Term, list_contrasts, parse_formula, values_of
from .group_difference import GroupDifference
from .measure_groups import Comparison, can_find_words

Progress = Callable[[str, int, int], None]


def compare_groups(
    corpus: Mapping[str, Any] | str | PathLike[str] | Iterable[Any] | Corpus,
    tests: NamedTests,
    *,
    by: str | None = None,
    bins: str | int | Sequence[float] | None = None,
    only: str | Iterable[str] = (),
    where: str | Iterable[str] = (),
    formula: str | None = None,
    against: str | None = None,
    vectors: Vectors | str | PathLike[str] | None = None,
    permutations: int = 9_999,
    dim: int = 100,
    window: int = 5,
    min_count: int = 10,
    tokenizer: Tokenizer | None = None,
    case: Case = "auto",
    max_missing: float = 0.2,
    allow_overlap: bool = False,
    ddof: int = 1,
    seed: int = 0,
    progress: Progress | None = None,
) -> Results[GroupDifference]:
    """Compare groups of documents that are too small to train vectors on each.

    One embedding space is trained on all documents. A word has a vector of its own in each group:
    the mean of its contexts there, taken into the space by a transform that is learned from all
    words [1]_. The effect of a test is compared between groups, or related to the columns of a
    formula [2]_, and documents' values are permuted to test it.

    Parameters
    ----------
    corpus
        Anything that `weatherglass.open_corpus` accepts; or several corpora by name, each a group.
    tests
        Association tests, or their ids.
    by, bins, only, where
        The column whose values are the groups, and how they are chosen; as in `weatherglass.train`.
        Texts of groups that were not chosen still take part in the shared space; texts that do not
        meet the conditions of `where` do not.
    formula
        Instead of `by`, columns joined by ``+``, such as ``"party + year"``. Each is tested with
        the others held constant. Columns of at least three different numbers are numbers, all
        others categories; ``C(year)`` takes numbers as categories.
    against
        Compare each group with this one only, not every two.
    vectors
        The embedding space; by default vectors are trained on the corpus (``ppmi-svd``).
    permutations
        How often the documents' values are permuted; the smallest p is 1 / (permutations + 1).
    dim, window, min_count, tokenizer, seed
        As in `weatherglass.train`. A target word must occur `min_count` times in all documents
        together, not in each group.
    case, max_missing, allow_overlap, ddof
        As in `weatherglass.weat`.
    progress
        Called with the name of the current step, the amount done and the total.

    Returns
    -------
    Results
        A `GroupDifference` for each test and each two groups, or each column of numbers, with
        p-values corrected over all of them.

    Raises
    ------
    UsageError
        There is nothing to compare: no column, or a column with one value.
    CannotMeasure
        The corpus has too few words.

    Notes
    -----
    With z_c the vector of a word c, and A the transform, a word w has in the group g the vector
    A Σ z_c / m over the m words c around it there, of which the product with q is taken, the mean
    of the unit vectors of A minus that of B; it is divided by ‖A u_w‖, the length of the word's
    vector over all documents. So the association of a word in a group is a mean over contexts, and
    its expected value does not depend on how many there are. The difference of groups is

        θ = β_X − β_Y,    y_dw = α_w + β x_d + γ z_d,

    with y_dw the association of w in the document d, x_d the document's group (or number), and z_d
    its other columns, fitted with the number of contexts as weights. Words weigh by their contexts
    in both groups together: n₁ n₂ / (n₁ + n₂), and each has its own level, so that *which* words a
    group uses makes no difference. The null hypothesis is that documents are exchangeable between
    groups, given the other columns; the p-value permutes the documents' values. The interval has
    the differences that this test does not reject.

    References
    ----------
    .. [1] M. Khodak, N. Saunshi, Y. Liang, T. Ma, B. Stewart, S. Arora (2018). A la carte
       embedding: cheap but effective induction of semantic feature vectors. ACL, 12-22.
    .. [2] P. L. Rodriguez, A. Spirling, B. M. Stewart (2023). Embedding regression: models for
       context-specific description and inference. Am. Polit. Sci. Rev. 117, 1255-1274.

    Examples
    --------
    >>> import random
    >>> import weatherglass as wg
    >>> from weatherglass.corpus import Document
    >>> words, rng = "the calm sea and a high wave on green hill field".split(), random.Random(0)
    >>> texts = [Document(" ".join(rng.choices(words, k=60)), {"writer": "ab"[k % 2]})
    ...          for k in range(30)]
    >>> mine = wg.Test(x=["sea", "wave"], y=["hill", "field"], a=["calm"], b=["high", "green"])
    >>> results = wg.compare_groups(texts, mine, by="writer", dim=4, min_count=1)
    >>> results[0].contrast, results[0].finding.grade
    ('a − b', 'none')
    """
    word_tests = choose_tests(tests, Test)
    if permutations < 19:
        raise UsageError(
            f"permutations is {permutations}; with fewer than 19, p cannot be 0.05 or less."
        )
    opened, terms, column = _open(corpus, by, formula)
    if formula is not None and (bins is not None or only):
        raise UsageError("The options bins and only are for groups by one column, not a formula.")
    grouping = Grouping.of(column, bins, only, where)
    space_vectors = None if vectors is None else open_vectors(vectors)
    options: dict[str, Any] = {
        "by": column,
        "bins": None if grouping.bins is None else str(grouping.bins),
        "only": ", ".join(grouping.only),
        "where": ", ".join(map(str, grouping.where)),
        "formula": None if formula is None else " + ".join(map(str, terms)),
        "against": against,
        "permutations": permutations,
        "dim": dim if space_vectors is None else space_vectors.dim,
        "window": window,
        "min_count": min_count,
        "tokenizer": str(tokenizer or Tokenizer()),
        "case": case,
        "max_missing": max_missing,
        "allow_overlap": allow_overlap,
        "ddof": ddof,
        "seed": seed,
        "alternative": "two-sided",
    }

    def report(step: str, done: int, total: int) -> None:
        if progress is not None:
            progress(step, done, total)

    scratch = Path(tempfile.gettempdir())
    with (
        report_write_errors(scratch, reading=True),
        temporary_folder(scratch, "groups") as folder,
    ):
        units = read_units(
            opened,
            [term.column for term in terms],
            grouping,
            folder,
            tokenizer=tokenizer or Tokenizer(),
            min_count=min_count,
            progress=lambda done, total: report("reading", done, total),
        )
        columns, is_complete = values_of(terms, units.values)
        contrasts = list_contrasts(columns, against, grouping.only)
        comparison = Comparison(units, columns, is_complete, contrasts, options)
        source: dict[str, Any] = {"name": opened.source, "fingerprint": opened.fingerprint()}
        # Before vectors are trained, which takes the longest by far.
        if space_vectors is None and not can_find_words(units.corpus.words, word_tests, options):
            return Results.of(comparison.without_space(word_tests, source))
        report("training", 0, 1)
        space = share_space(
            units.corpus, units.folder, dim=dim, window=window, seed=seed, vectors=space_vectors
        )
        source |= _about_space(space_vectors, source["fingerprint"], space.vectors.dim)
        source["notes"] = [*units.notes, *comparison.notes()]
        source["transform"] = {"words": space.fitted_words, "fit": round(space.fit, 4)}
        results: list[GroupDifference] = []
        for number, test in enumerate(word_tests):
            report("measuring", number, len(word_tests))
            results += comparison.measure(space, test, source)
    return Results.of(results).correct()


def _open(
    corpus: Any, by: str | None, formula: str | None
) -> tuple[Corpus, tuple[Term, ...], str | None]:
    """Return the corpus, or several as one, the terms to test, and the column of the groups."""
    if by is not None and formula is not None:
        raise UsageError("Give the column (by) or the formula, not both.")
    if isinstance(corpus, Mapping):
        if by is not None:
            raise UsageError("A column divides one corpus, but several were given.")
        if len(corpus) < 2:
            raise UsageError("There is one corpus; two are needed to compare.")
        opened: Corpus = NamedCorpora.join(
            {str(name): open_corpus(part) for name, part in corpus.items()}
        )
        by = "corpus" if formula is None else None
    else:
        opened = open_corpus(corpus)
    if formula is not None:
        return opened, parse_formula(formula), None
    if by is None:
        raise UsageError("Say what to compare: a column (by), or a formula such as party + year.")
    return opened, (Term(by, is_category=True),), by


def _about_space(vectors: Vectors | None, fingerprint: str, dim: int) -> dict[str, Any]:
    """Return what a result states about the embedding space."""
    if vectors is None:
        return {"dim": dim}
    combined = combine_fingerprints([fingerprint, vectors.fingerprint])
    return {"dim": dim, "vectors": vectors.source, "fingerprint": combined}
