"""Lint: look at seed sets before anything is measured with them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from os import PathLike

from weatherglass.catalog import SeedSet
from weatherglass.corpus import Corpus, Tokenizer
from weatherglass.errors import UsageError
from weatherglass.vectors import Case, Vectors

from ..pairs import Which, are_opposed, chosen_sets, set_pairs
from .embedding import check_belonging, check_missing, check_order, check_similarity
from .evidence import Counted, Evidence, Progress
from .findings import CHECKS, Check, Finding, Lint, Looked
from .frequency import check_frequency, check_frequency_gap, check_unseen
from .words import check_opposed, check_pair, check_tags, check_tags_gap, check_words


def lint(
    sets: Which | Iterable[Which],
    *,
    against: Which | Iterable[Which] = (),
    source: str | PathLike[str] | Vectors | None = None,
    corpus: str | PathLike[str] | Corpus | Counted | None = None,
    tokenizer: Tokenizer | None = None,
    min_count: int = 10,
    case: Case = "auto",
    rng: int = 0,
    progress: Progress | None = None,
) -> Lint:
    """Look at seed sets before anything is measured with them.

    Each factor that makes a measurement unstable [1]_ gets a number and a sentence: of each set,
    and of pairs of sets.

    Parameters
    ----------
    sets
        Ids of the catalogue, patterns (``female_*``), files of your own, or `SeedSet`; one of
        these, or several.
    against
        Sets that these are held against. Without them, each of up to four sets is held against
        each other one; of more, pairs that a study makes. Size, frequency, parts of speech and
        order are compared where two sets stand at two ends of one thing, as women and men do, or
        where that is not known; not of targets and attributes.
    source
        Vectors, or their source: for missing words, frequency by rank, similarity, words that do
        not belong, neighbours. All of it is opened.
    corpus
        A corpus, or its path: for how frequent words are in it.
    tokenizer
        How the corpus is cut into words; by default lower-cased runs of letters.
    min_count
        A word that the corpus has fewer times is rare.
    case
        ``auto`` falls back to lower case where the vocabulary has no capitals; ``keep``; ``lower``.
    rng
        Seed for the random sets and shuffles that pairs are compared with.
    progress
        Called with the sets and pairs done, and with all of them.

    Returns
    -------
    Lint
        Its `findings`; and in `checks` what was not run, and why.

    Notes
    -----
    How grave a finding is depends on its number alone; `seedlab.lint.findings.CHECKS` has
    the limits. A note is something to know, a warning something to decide about, an error a set or
    pair that cannot be measured with.

    References
    ----------
    .. [1] M. Antoniak, D. Mimno (2021). Bad Seeds: evaluating lexical methods for bias
       measurement. ACL. Section 8.

    Examples
    --------
    >>> import weatherglass as wg
    >>> found = wg.lint("names_black-Garg_et_al_2018", against="names_white-Garg_et_al_2018")
    >>> [(one.check, one.value) for one in found.at_least("warning")]
    [('overlap', 0.95)]
    >>> print(found.at_least("error")[0].sentence)
    They share 19 words of 20 and 20 ('harris', 'robinson', 'thompson', 'moore', 'wright' and 14 \
more); what they share cannot tell them apart.
    """
    from threadpoolctl import threadpool_limits

    if min_count < 1:
        raise UsageError(f"min_count is {min_count}; it must be 1 or more.")
    chosen = chosen_sets(sets)
    others = chosen_sets(against) if against else ()
    pairs = set_pairs(chosen, others)
    draw = progress or (lambda done, total: None)
    with threadpool_limits(limits=1, user_api="blas"):  # many small products
        evidence = Evidence.of((*chosen, *others), source, corpus, tokenizer, case)
        findings = list(_findings(chosen, pairs, evidence, min_count, rng, draw))
    opposed = sum(are_opposed(*both) for both in pairs)
    sizes = {"set": len(chosen), "pair": len(pairs), "opposed": opposed}
    return Lint(
        findings=tuple(findings),
        checks=tuple(_looked(check, findings, sizes, evidence) for check in CHECKS),
        sets=tuple(one.id for one in chosen),
        pairs=tuple((one.id, other.id) for one, other in pairs),
        neighbours=evidence.neighbours(),
        corpus=evidence.about_corpus(),
        source=evidence.about_source(),
        options={
            "against": [one.id for one in others],
            "min_count": min_count,
            "case": case,
            "rng": rng,
        },
    )


def _findings(
    sets: Sequence[SeedSet],
    pairs: Sequence[tuple[SeedSet, SeedSet]],
    evidence: Evidence,
    min_count: int,
    seed: int,
    draw: Progress,
) -> Iterator[Finding]:
    total = len(sets) + len(pairs)
    for k, one in enumerate(sets):
        draw(k, total)
        yield from _of_set(one, evidence, min_count)
    for k, (one, other) in enumerate(pairs, len(sets)):
        draw(k, total)
        yield from _of_pair(one, other, evidence, seed)


def _of_set(one: SeedSet, evidence: Evidence, min_count: int) -> Iterator[Finding]:
    yield from check_words(one)
    if not one.words:
        return
    if evidence.tags is not None:
        yield from check_tags(one, evidence.tags)
    if evidence.frequencies is not None:
        yield from check_frequency(one, evidence.frequencies)
    if evidence.counted is not None:
        yield from check_unseen(one, evidence.counted, min_count)
    if evidence.space is not None:
        yield from check_missing(one, evidence.space)
        if evidence.near is not None:
            yield from check_belonging(one, evidence.space, evidence.near)


def _of_pair(one: SeedSet, other: SeedSet, evidence: Evidence, seed: int) -> Iterator[Finding]:
    opposed, space = are_opposed(one, other), evidence.space
    yield from check_pair(one, other)
    if opposed:
        yield from check_opposed(one, other)
    if opposed and evidence.tags is not None:
        yield from check_tags_gap(one, other, evidence.tags)
    if opposed and evidence.frequencies is not None:
        yield from check_frequency_gap(one, other, evidence.frequencies)
    if space is not None:
        yield from check_similarity(one, other, space, seed)
    if opposed and space is not None:
        yield from check_order(one, other, space, seed)


def _looked(
    check: Check, findings: Sequence[Finding], sizes: Mapping[str, int], evidence: Evidence
) -> Looked:
    looked_at = sizes[check.about]
    reason = evidence.why_not(check, looked_at)
    if reason:
        return Looked(check.name, "not run", reason)
    found = sum(one.check == check.name for one in findings)
    return Looked(check.name, "done", "", looked_at, found)
