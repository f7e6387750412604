"""Compare corpora, or the groups of one: is the effect of a test the same in both?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations
from os import PathLike
from pathlib import Path
from typing import Any, get_args

from weatherglass.catalog import GroupsTest, NamedTests, Test, choose_tests
from weatherglass.corpus import (
    NamedCorpora,
    WordCheck,
    count_shared,
    open_corpus,
    open_models,
    open_permuted,
    train,
)
from weatherglass.errors import UsageError, quote_safe
from weatherglass.vectors import Case

from .comparison import CorpusComparison
from .measure_corpora import Groups, Which, measure_corpora
from .models import Models


def compare(
    corpora: Mapping[str, Any] | str | PathLike[str],
    tests: NamedTests,
    *,
    out: str | PathLike[str],
    by: str | None = None,
    permutations: int = 20,
    against: str | None = None,
    statistic: Which = "both",
    case: Case = "auto",
    max_missing: float = 0.2,
    allow_overlap: bool = False,
    ddof: int = 1,
    progress: Callable[[str, int, int], None] | None = None,
    **training: Any,
) -> CorpusComparison:
    """Train models on corpora, on samples of them and on permuted ones, run tests, and compare.

    Parameters
    ----------
    corpora
        Corpora by the names that results give them; or one corpus, divided `by` a column.
    tests
        Association tests or tests of several groups: a test, the id of one in the catalogue, a
        pattern, a file of your own, or several of these.
    out
        A folder for the models. They stay there, and a second call resumes from them.
    by
        The column of metadata that divides the corpus into groups; ``bins``, ``only`` and
        ``where`` choose among its values, as in `weatherglass.train`.
    permutations
        How often the documents of two corpora are exchanged at random; two models are trained each
        time. 0 tests no difference; from 99 on, p is a share of the permutations.
    against
        Compare each corpus with this one only. Otherwise every two are compared, and G corpora
        need G (G − 1) models for each permutation.
    statistic
        Which differences are tested: of effect sizes, which are comparable with other studies, of
        ``unstandardised`` effects, their numerators, which some differences change more, or
        ``both``. Decide before you look: with ``both``, Holm's correction covers both.
    case, max_missing, allow_overlap, ddof
        As in `weatherglass.weat`.
    progress
        Called with the name of the current step, the amount done and the total.
    **training
        Options of `weatherglass.train`: ``method``, ``dim``, ``bootstrap``, ``seed`` and others.

    Notes
    -----
    *Differences.* The null hypothesis is that the documents of both corpora are exchangeable. The
    documents of both are pooled and divided at random into two parts of the same sizes, a model is
    trained on each part, and the difference D of the corpora is compared with the permuted
    differences D* by Student's t:

        t = (D − D̄*) / (s* √(1 + 1/B)), with B − 1 degrees of freedom,

    or, for corpora of the same number of documents, t = D / s* with s*² = Σ D*² / B and B degrees
    of freedom. On synthetic corpora that do not differ about 5 % of differences have p ≤ 0.05.

    *One corpus.* The interval of an effect size is effect ± t · sd, where sd is the standard
    deviation over bootstrap samples of the documents [1]_, with at least 20 samples. On synthetic
    corpora it covers the expected effect size in more than 95 % of cases; on a corpus whose
    documents are few and heterogeneous it may be too short.

    Only words that every model has are used, so that all models measure the same thing. The
    comparison does not cover the choice of seed words: see `weatherglass.multiverse`.

    References
    ----------
    .. [1] B. Efron, R. J. Tibshirani (1993). An introduction to the bootstrap. Chapters 6, 12, 15.

    Examples
    --------
    >>> import tempfile
    >>> import weatherglass as wg
    >>> sea, land = "the calm sea and a high wave", "a green hill and the calm field"
    >>> texts = {"one": [sea, land] * 9, "two": [land, sea, land] * 6}
    >>> mine = wg.Test(x=["sea", "wave"], y=["hill", "field"], a=["calm"], b=["high", "green"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     comparison = wg.compare(texts, [mine], out=folder, method="ppmi-svd", dim=3,
    ...                             bootstrap=3, permutations=3, min_count=1, workers=1)
    >>> [effect.corpus for effect in comparison.effects], len(comparison.differences)
    (['one', 'two'], 1)
    """
    word_tests = choose_tests(tests, Test | GroupsTest)
    if permutations == 1:
        raise UsageError("permutations is 1; give 0, for no tests of differences, or at least 2.")
    if statistic not in get_args(Which):
        names = ", ".join(get_args(Which))
        raise UsageError(f"statistic is {statistic!r}; it must be one of {names}.")
    training |= {"permutations": permutations, "against": against, "progress": progress}
    training["tests"] = WordCheck(tuple(word_tests), max_missing, is_comparison=True)
    groups, notes = _train(corpora, Path(out), by, training)
    options = {
        "by": by,
        "case": case,
        "max_missing": max_missing,
        "allow_overlap": allow_overlap,
        "ddof": ddof,
    }
    options |= {"statistic": statistic, **training_options(training)}
    return measure_corpora(groups, word_tests, options, notes)


def training_options(training: Mapping[str, Any]) -> dict[str, Any]:
    """Return the training options that influence the vectors, as values that JSON can hold."""
    return {
        name: value if value is None or isinstance(value, str | int | float) else str(value)
        for name, value in training.items()
        if name not in ("workers", "cluster", "progress", "announce", "tests")
    }


def _train(
    corpora: Mapping[str, Any] | str | PathLike[str],
    out: Path,
    by: str | None,
    training: dict[str, Any],
) -> tuple[Groups, list[str]]:
    """Return the models of each corpus, or of each group of one; and training's notes."""
    if isinstance(corpora, Mapping):
        if by is not None:
            raise UsageError("A column divides one corpus, but several were given.")
        opened = {str(name): open_corpus(corpus) for name, corpus in corpora.items()}
        if len(opened) < 2:
            raise _one_corpus(opened)
        # In one run, so that documents can be exchanged, and each corpus has its own random stream.
        named = training | {"by": "corpus", "min_size": 0}
        run = train(NamedCorpora.join(opened), out, **named)
        order, source = list(opened), ", ".join(opened)
    elif by is None:
        raise UsageError("Give two corpora, or one and the column that divides it.")
    else:
        divided = open_corpus(corpora)
        run = train(divided, out, by=by, **training)
        order, source = list(run.groups), divided.source
    names = [name for name in order if "reason" not in run.groups.get(name, {"reason": ""})]
    notes = list(run.notes)
    if len(names) < len(order):
        notes.append(
            "groups that are too small to train on can be compared in one shared space: "
            "`weatherglass groups`, or compare_groups in Python"
        )
    if len(names) < 2:
        raise _one_corpus(names, notes)
    models = {name: Models.of(open_models(out, group=name), name) for name in names}
    documents = {name: int(run.groups[name]["documents"]) for name in names}
    pairs = _pairs(names, training["against"])
    permuted = {pair: open_permuted(out, pair, training["permutations"]) for pair in pairs}
    shared = {pair: count_shared(run.groups, *pair) for pair in pairs}
    return Groups(models, documents, permuted, shared, source), notes


def _one_corpus(names: Iterable[str], notes: Iterable[str] = ()) -> UsageError:
    listed = ", ".join(map(quote_safe, names)) or "none with enough text"
    why = f" ({'; '.join(notes)})" if notes else ""
    return UsageError(f"There is one corpus, {listed}; two are needed to compare{why}.")


def _pairs(names: Sequence[str], against: str | None) -> list[tuple[str, str]]:
    """Return the pairs to compare, in the order given; a reference comes second."""
    if against is None:
        return list(combinations(names, 2))
    return [(name, against) for name in names if name != against]
