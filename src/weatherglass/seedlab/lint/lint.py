"""`lint`: check seed sets before you measure with them, with whatever evidence is available."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any

from weatherglass._languages import ENGLISH
from weatherglass.catalog import SeedSet
from weatherglass.corpus import Corpus, Tokenizer, open_corpus, part_of_speech
from weatherglass.errors import CannotMeasure, MissingExtra, UsageError
from weatherglass.measures import NOT_FOR_TABLES, AssociationTable, Source, open_embedding
from weatherglass.vectors import Case

from ..pairs import Which, are_opposed, pair_sets, resolve_sets
from .embedding import (
    Neighbourhood,
    Space,
    check_fit,
    check_missing,
    check_order,
    check_similarity,
    name_neighbours,
)
from .findings import CHECKS, Check, CheckRun, Finding, Lint
from .frequency import (
    Frequencies,
    Progress,
    WordCounts,
    check_frequency,
    check_frequency_gap,
    check_unseen,
    count_words,
    find_frequencies,
)
from .language import WordLanguage
from .words import check_opposed, check_pair, check_tags, check_tags_gap, check_words


def lint(
    sets: Which | Iterable[Which],
    *,
    against: Which | Iterable[Which] = (),
    source: Source | None = None,
    corpus: str | PathLike[str] | Corpus | WordCounts | None = None,
    tokenizer: Tokenizer | None = None,
    min_count: int = 10,
    case: Case = "auto",
    language: str | None = None,
    rng: int = 0,
    progress: Progress | None = None,
) -> Lint:
    """Check seed sets before you measure with them.

    Each factor that makes a measurement unstable [1]_ gets a number and a sentence, for each set
    and for pairs of sets.

    Parameters
    ----------
    sets
        Ids of the catalogue, patterns (``female_*``), files of your own, or `SeedSet`; one of
        these, or several. A test, or a file of tests, stands for its sets.
    against
        Sets to compare these with. Without them, all pairs of up to four sets are compared; of
        more, the pairs that a study contrasts. Size, frequency, parts of speech and order are
        compared if two sets are opposite ends of one dimension, as women and men are, or if that is
        unknown; not for targets and attributes.
    source
        Any source of vectors (see `as_source`): for missing words, frequency by rank,
        similarity, words that do not fit, neighbours. All of it is opened.
    corpus
        A corpus, or its path: for the frequency of words in it.
    tokenizer
        How the corpus is split into words; by default into lower-cased runs of letters.
    min_count
        A word that occurs fewer times in the corpus is reported as unseen.
    case
        ``auto`` falls back to lower case where the vocabulary has no capitals; ``keep``; ``lower``.
    language
        The language of the words, by its code or English name. By default that of the sets, of the
        metadata of the corpus, or of the corpus that the vectors were trained on; otherwise
        English. Checks that do not know the language are not run.
    rng
        Random seed of the random sets and shuffles that pairs are compared with.
    progress
        Called with the number of sets and pairs done and in total.

    Returns
    -------
    Lint
        Its `findings`; and in `checks` which checks were not run, and why.

    Notes
    -----
    The severity of a finding depends only on its number; `seedlab.lint.findings.CHECKS` has the
    limits. A note is something to know, a warning something to decide about, an error a set or
    pair that cannot be used.

    References
    ----------
    .. [1] M. Antoniak, D. Mimno (2021). Bad Seeds: evaluating lexical methods for bias
       measurement. ACL. Section 8.

    Examples
    --------
    >>> import weatherglass as wg
    >>> report = wg.lint("names_black-Garg_et_al_2018", against="names_white-Garg_et_al_2018")
    >>> [(finding.check, finding.value) for finding in report.at_least("warning")]
    [('overlap', 0.95)]
    >>> print(report.at_least("error")[0].sentence)
    They share 19 words of 20 and 20 ('harris', 'robinson', 'thompson', 'moore', 'wright' and 14 \
more); shared words cannot tell them apart.
    """
    from threadpoolctl import threadpool_limits

    if min_count < 1:
        raise UsageError(f"min_count is {min_count}; it must be 1 or more.")
    checked = resolve_sets(sets)
    others = resolve_sets(against) if against else ()
    pairs = pair_sets(checked, others)
    report = progress or (lambda done, total: None)
    # The matrix products are many and small, so threads inside each would only slow them down.
    with threadpool_limits(limits=1, user_api="blas"):
        evidence = Evidence.of((*checked, *others), source, corpus, tokenizer, case, language)
        findings = list(_run_checks(checked, pairs, evidence, min_count, rng, report))
    opposed = sum(are_opposed(*pair) for pair in pairs)
    sizes = {"set": len(checked), "pair": len(pairs), "opposed": opposed}
    return Lint(
        findings=tuple(findings),
        checks=tuple(_describe_run(check, findings, sizes, evidence) for check in CHECKS),
        sets=tuple(seed_set.id for seed_set in checked),
        pairs=tuple((first.id, second.id) for first, second in pairs),
        neighbours=evidence.name_neighbours(),
        corpus=evidence.describe_corpus(),
        language_note=evidence.language.sentence(),
        source=evidence.describe_source(),
        options={
            "against": [seed_set.id for seed_set in others],
            "min_count": min_count,
            "case": case,
            "language": evidence.language.code,
            "rng": rng,
        },
    )


def _run_checks(
    sets: Sequence[SeedSet],
    pairs: Sequence[tuple[SeedSet, SeedSet]],
    evidence: Evidence,
    min_count: int,
    seed: int,
    report: Progress,
) -> Iterator[Finding]:
    total = len(sets) + len(pairs)
    for k, seed_set in enumerate(sets):
        report(k, total)
        yield from _check_set(seed_set, evidence, min_count)
    for k, (first, second) in enumerate(pairs, len(sets)):
        report(k, total)
        yield from _check_two_sets(first, second, evidence, seed)


def _check_set(seed_set: SeedSet, evidence: Evidence, min_count: int) -> Iterator[Finding]:
    is_english = evidence.language.code == ENGLISH
    yield from check_words(seed_set, is_english)
    if not seed_set.words:
        return
    if evidence.tags is not None:
        yield from check_tags(seed_set, evidence.tags, is_english)
    if evidence.frequencies is not None:
        yield from check_frequency(seed_set, evidence.frequencies)
    if evidence.counts is not None:
        yield from check_unseen(seed_set, evidence.counts, min_count)
    if evidence.space is not None:
        yield from check_missing(seed_set, evidence.space)
        if evidence.neighbourhood is not None:
            yield from check_fit(seed_set, evidence.space, evidence.neighbourhood)


def _check_two_sets(
    first: SeedSet, second: SeedSet, evidence: Evidence, seed: int
) -> Iterator[Finding]:
    opposed, space = are_opposed(first, second), evidence.space
    is_english = evidence.language.code == ENGLISH
    yield from check_pair(first, second, is_english)
    if opposed:
        yield from check_opposed(first, second)
    if opposed and evidence.tags is not None:
        yield from check_tags_gap(first, second, evidence.tags, is_english)
    if opposed and evidence.frequencies is not None:
        yield from check_frequency_gap(first, second, evidence.frequencies)
    if space is not None:
        yield from check_similarity(first, second, space, seed)
    if opposed and space is not None:
        yield from check_order(first, second, space, seed)


def _describe_run(
    check: Check, findings: Sequence[Finding], sizes: Mapping[str, int], evidence: Evidence
) -> CheckRun:
    size = sizes[check.about]
    reason = evidence.why_not(check, size)
    if reason:
        return CheckRun(check.name, "not run", reason)
    count = sum(finding.check == check.name for finding in findings)
    return CheckRun(check.name, "done", "", size, count)


NO_VECTORS = "there are no vectors (give a source; `weatherglass train` trains one on a corpus)"
NO_CORPUS = "there is no corpus"
NO_PAIRS = "there is no pair of sets (give others to compare them with)"
NOT_OPPOSED = "no two of the sets are opposite ends of one dimension"
RELATIVE_CHECKS = ("outlier", "strangers", "senses")  # compare with other words of the source


@dataclass(frozen=True, eq=False)
class Evidence:
    """The evidence that seed sets are checked with.

    Attributes
    ----------
    counts, space, neighbourhood, tags, frequencies
        The word counts of the corpus, the embedding, the neighbours in it, parts of speech and
        frequencies; None if not available.
    lacking
        Why evidence is not available, by the name that `Check.needs` has for it.
    language
        The language of the words.
    """

    counts: WordCounts | None
    space: Space | None
    neighbourhood: Neighbourhood | None
    tags: dict[str, str] | None
    frequencies: Frequencies | None
    lacking: dict[str, str]
    language: WordLanguage

    @classmethod
    def of(
        cls,
        sets: Sequence[SeedSet],
        source: Source | None,
        corpus: Any,
        tokenizer: Tokenizer | None,
        case: Case,
        stated: str | None = None,
    ) -> Evidence:
        """Gather the evidence that is available for the words of these sets."""
        words = list(dict.fromkeys(word for seed_set in sets for word in seed_set.words))
        lacking: dict[str, str] = {}
        vectors = None if source is None else open_embedding(source, sets, case, whole=True)
        if isinstance(vectors, AssociationTable):
            lacking["vectors"], vectors = NOT_FOR_TABLES, None
        counts = _count_corpus(corpus, tokenizer)
        if counts is None:
            lacking["corpus"] = NO_CORPUS
        space = None if vectors is None else Space.of(vectors, words, case)
        if space is None:
            lacking.setdefault("vectors", NO_VECTORS)
        elif space.why_not_comparable:
            lacking["comparison"] = space.why_not_comparable
        neighbourhood = None
        if space is not None and "comparison" not in lacking and space.at:
            neighbourhood = Neighbourhood.of(space)
        language = WordLanguage.of(sets, stated, counts, vectors)
        code = language.code
        tags = _try(lambda: part_of_speech(words, language=code), "tags", lacking)
        frequencies = _try(
            lambda: find_frequencies(words, counts, vectors, case, code), "frequencies", lacking
        )
        return cls(counts, space, neighbourhood, tags, frequencies, lacking, language)

    def why_not(self, check: Check, size: int) -> str:
        """Return why a check was not run on `size` sets or pairs; empty if it was."""
        if not size:
            return NO_PAIRS if check.about == "pair" else NOT_OPPOSED
        if check.name in RELATIVE_CHECKS and "comparison" in self.lacking:
            return self.lacking["comparison"]
        if reason := self.language.why_not_listed(check.name):
            return reason
        return self.lacking.get(check.needs, "")

    def name_neighbours(self) -> dict[str, tuple[tuple[str, float], ...]]:
        """Return the neighbours of each word, by its spelling in the sets."""
        if self.space is None or self.neighbourhood is None:
            return {}
        near = self.neighbourhood
        rows = {word: near.row[at] for word, at in self.space.at.items()}
        return {
            word: name_neighbours(self.space, near.positions[row], near.cosines[row])
            for word, row in rows.items()
        }

    def describe_source(self) -> dict[str, Any]:
        """Return the name, fingerprint and sizes of the vectors."""
        if self.space is None:
            return {}
        vectors = self.space.vectors
        return {
            "name": vectors.source,
            "fingerprint": vectors.fingerprint,
            "dim": vectors.dim,
            "words": len(vectors),
        }

    def describe_corpus(self) -> dict[str, Any]:
        """Return the name, fingerprint and sizes of the corpus."""
        if self.counts is None:
            return {}
        return {
            "name": self.counts.source,
            "fingerprint": self.counts.fingerprint,
            "documents": self.counts.documents,
            "tokens": self.counts.tokens,
        }


def _count_corpus(corpus: Any, tokenizer: Tokenizer | None) -> WordCounts | None:
    if corpus is None or isinstance(corpus, WordCounts):
        return corpus
    return count_words(open_corpus(corpus), tokenizer=tokenizer)


def _try(find: Callable[[], Any], need: str, lacking: dict[str, str]) -> Any:
    """Return the result of a function; if it lacks an extra, None, and note that in `lacking`.

    So also if it does not know the language.
    """
    try:
        return find()
    except (MissingExtra, CannotMeasure) as error:
        text = str(error).rstrip(".")
        lacking[need] = text[0].lower() + text[1:]
        return None
