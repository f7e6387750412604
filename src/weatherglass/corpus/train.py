"""`train`: from a corpus to a folder of vectors, with bootstrap samples."""

from __future__ import annotations

import importlib.util
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from weatherglass._languages import language_name, parse_language, stated_language
from weatherglass.catalog import GroupsTest, NamedTests, Test, choose_tests
from weatherglass.errors import CannotMeasure, MissingExtra, UsageError, join_first, quote_safe
from weatherglass.tasks import executor

from .concordance import WordCheck, WordCounter, lowest_counts
from .corpus import Corpus
from .dates import PermutedDates, dates_key, train_dates
from .formats import Document
from .groups import GroupedCorpus, Grouping
from .model_files import Model, open_models
from .open import open_corpus
from .run_folder import DEFAULT_METHOD, Method, Run, Settings
from .schedule import Announce, Cost, Progress, choose_workers, train_models, train_permuted
from .token_ids import TokenIdWriter
from .tokenizer import Tokenizer


@dataclass(frozen=True, repr=False)
class Trained:
    """The result of a training run.

    Attributes
    ----------
    folder
        The folder of the models.
    models
        The labels of the models.
    groups
        For each group its numbers of documents, tokens and words, and, if it was left out, the
        reason.
    notes
        Remarks for the reader.
    """

    folder: Path
    models: tuple[str, ...]
    groups: dict[str, dict[str, Any]]
    notes: tuple[str, ...]

    def __repr__(self) -> str:
        models, groups = len(self.models), len(self.groups)
        return (
            f"<Trained {self.folder}: {models:,} model{'' if models == 1 else 's'} of {groups:,} "
            f"group{'' if groups == 1 else 's'}>"
        )

    def open(self, **options: Any) -> list[Model]:
        """Open the models; see `open_models`."""
        return open_models(self.folder, **options)


def train(
    corpus: str | os.PathLike[str] | Iterable[str | Document] | Corpus,
    out: str | os.PathLike[str],
    *,
    method: Method = DEFAULT_METHOD,
    dim: int = 100,
    window: int = 5,
    min_count: int = 10,
    epochs: int = 5,
    bootstrap: int = 20,
    by: str | None = None,
    bins: str | int | Sequence[float] | None = None,
    only: str | Iterable[str] = (),
    where: str | Iterable[str] = (),
    tests: NamedTests | WordCheck = (),
    min_size: int = 10_000,
    permutations: int = 0,
    against: str | None = None,
    dates: PermutedDates | None = None,
    seed: int = 0,
    tokenizer: Tokenizer | None = None,
    language: str | None = None,
    negative: int = 5,
    sample: float = 1e-3,
    smoothing: float = 0.75,
    shift: float = 1.0,
    power: float = 0.5,
    workers: int | None = None,
    cluster: str | None = None,
    progress: Progress | None = None,
    announce: Announce | None = None,
) -> Trained:
    """Train vectors on a corpus, and on bootstrap samples of its documents.

    A bootstrap sample has as many documents as the corpus, drawn with replacement. Models are
    written to the folder as they finish; called again with the same options, training resumes, and
    does nothing if all models are done. The same seed gives the same vectors with any number of
    workers.

    Parameters
    ----------
    corpus
        Anything that `open_corpus` accepts.
    out
        The folder for the models: ``full.parquet``, ``boot-000.parquet`` and so on, in a subfolder
        for each group if the corpus is divided; and ``train.json``.
    method
        ``ppmi-svd``: factors of the positive pointwise mutual information of words and contexts
        [2]_; the default, and much faster. ``sgns``: skip-gram with negative sampling, by gensim,
        as in [1]_.
    dim, window, min_count
        Numbers per vector; words to each side, inside a document, that are context; and how often
        a word must occur in the corpus or sample. Words that are too rare in the corpus are
        removed before contexts are formed.
    epochs, negative, sample
        For ``sgns``: passes over the corpus, noise words for each word, and the threshold for
        down-sampling frequent words.
    smoothing, shift, power
        For ``ppmi-svd``: the exponent of context counts, the k whose logarithm is subtracted from
        each cell, and the exponent of the singular values in the vectors.
    bootstrap
        The number of bootstrap samples; none are drawn from a single document.
    by
        A metadata column of the corpus; each of its values is a group with its own models. A
        document with several values is divided by value, and its parts are drawn, and exchanged,
        as parts of one document.
    bins
        With `by`, divide numbers or dates into groups: a number of groups with about equally many
        documents, ``"year"``, ``"decade"``, ``"century"``, or edges such as ``[1861, 1901]``.
    only
        With `by`, the groups to train; default all. Models of other groups in the folder stay.
    where
        Conditions on the metadata that a text must meet, such as ``"year>=1900"`` and
        ``"party=Democratic|Republican"``; a text must meet all of them.
    tests
        Association tests, or their ids, whose words are counted first: if none of the tests could
        be run in any group, nothing is trained. To count without training, use
        `weatherglass.corpus_words`.
    min_size
        With `by`, the minimum number of tokens of a group; smaller groups are left out and named
        in the notes.
    permutations, against
        With `by`, how often the documents of every two groups, or of each group and the group
        `against`, are exchanged at random; a model is trained on each of the two parts. The
        difference of two groups is tested with them; see `weatherglass.compare`. The models are in
        the subfolder ``permuted``.
    dates
        With `by`, permutations of the documents of all groups, with which `weatherglass.trajectory`
        tests a trend.
    seed
        Random seed.
    tokenizer
        Splits texts into words; default: lower-cased runs of letters.
    language
        The language of the texts, by its code or English name; by default the one that the metadata
        of all documents state (``language`` in TEI or a table). It does not change the vectors: it
        is stored in ``train.json``, and checks of their words use it.
    workers
        The number of processes; default: one per processor, or one for a small corpus. Fewer are
        used if memory is low.
    cluster
        Train on the workers of a Dask cluster instead: the address of its scheduler, such as
        ``tcp://host:8786``, or ``local``. The workers must have access to the folder `out`.
    progress
        Called with the name of the stage, the amount done, and the total amount.
    announce
        Called with a sentence, once the first model of a long run is trained: how many models there
        are, with how many workers, and about how long it will take.

    Returns
    -------
    Trained

    Raises
    ------
    CannotMeasure
        No word occurs often enough, or none of the `tests` could be run.
    UsageError
        The folder holds other files, or models trained with other options.

    References
    ----------
    .. [1] M. Antoniak, D. Mimno (2021). Bad Seeds: evaluating lexical methods for bias
       measurement. ACL. Sections 3 and 6.
    .. [2] O. Levy, Y. Goldberg, I. Dagan (2015). Improving distributional similarity with lessons
       learned from word embeddings. TACL 3, 211-225.

    Examples
    --------
    >>> import tempfile
    >>> texts = ["the sea was calm and the sky was clear"] * 5 + ["the sea was high"] * 5
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     trained = train(texts, folder, method="ppmi-svd", dim=3, bootstrap=2, workers=1)
    >>> trained.models
    ('full', 'boot-000', 'boot-001')
    """
    if not isinstance(tests, WordCheck):
        tests = WordCheck(choose_tests(tests, Test | GroupsTest) if tests else ())
    grouping = Grouping.of(by, bins, only, where)
    settings = Settings(
        method=method,
        dim=dim,
        window=window,
        min_count=min_count,
        epochs=epochs,
        by=by,
        bins=None if grouping.bins is None else str(grouping.bins),
        only=grouping.only,
        where=tuple(map(str, grouping.where)),
        min_size=min_size,
        seed=seed,
        negative=negative,
        sample=sample,
        smoothing=smoothing,
        shift=shift,
        power=power,
        tokenizer=tokenizer or Tokenizer(),
    )
    if bootstrap < 0:
        raise UsageError(f"bootstrap is {bootstrap}; it must be 0 or more.")
    if permutations < 0:
        raise UsageError(f"permutations is {permutations}; it must be 0 or more.")
    if by is None and (permutations or against is not None or dates is not None):
        raise UsageError("Permutations exchange documents of groups; give the column, too (by).")
    if workers is not None and workers < 1:
        raise UsageError(f"workers is {workers}; it must be at least 1.")
    if method == "sgns" and importlib.util.find_spec("gensim") is None:
        raise MissingExtra("The method sgns (ppmi-svd does not)", "train")
    stated = None if language is None else parse_language(language)
    opened = open_corpus(corpus)
    fingerprint = opened.fingerprint()
    run = Run(Path(out), settings, bootstrap, opened.source, fingerprint, permutations, against)
    remarks: list[str] = []
    if run.is_complete and not _lacks_dates(run, dates, settings, fingerprint):
        run.finish_killed()
        run.set_language(stated)
    else:
        grouped = grouping.apply(opened)
        with run.locked() as work_folder:
            keep_raw = permutations > 0 or dates is not None
            folders, remarks = _write_token_ids(
                grouped, settings, run, work_folder, keep_raw, tests, progress, stated
            )
            dates_left = 0
            if dates is not None:
                key = dates_key(settings, fingerprint, folders)
                dates_left = len(dates.missing(run.folder, key))
            processes = workers if cluster else workers or choose_workers(run, dates_left)
            with executor(processes, cluster) as team:
                max_parallel = None if cluster else team.slots
                cost = Cost(run, announce, dates=dates_left)
                common = (run, settings, folders, team, max_parallel, progress, cost)
                train_models(*common)
                train_permuted(*common)
                if dates is not None:
                    train_dates(
                        dates, run.folder, key, folders, settings, team, max_parallel, progress
                    )
    record = run.record
    notes = (*record["notes"], *remarks)
    return Trained(run.folder, tuple(record["models"]), record["groups"], notes)


def _lacks_dates(
    run: Run, dates: PermutedDates | None, settings: Settings, fingerprint: str
) -> bool:
    """Return whether models of permuted dates are left to train."""
    groups = run.record["groups"]
    names = [name for name, group in groups.items() if "reason" not in group]
    return dates is not None and bool(
        dates.missing(run.folder, dates_key(settings, fingerprint, names))
    )


def _write_token_ids(
    grouped: GroupedCorpus,
    settings: Settings,
    run: Run,
    work_folder: Path,
    keep_raw: bool,
    check: WordCheck,
    progress: Progress | None,
    stated: str | None,
) -> tuple[dict[str, Path], list[str]]:
    """Read the corpus and plan the run.

    Return the folder of token ids of each group to train, and remarks on the tests.
    """
    writer = TokenIdWriter(work_folder, settings.tokenizer, keep_raw)
    languages: Counter[str] = Counter()

    def report(done: int, total: int) -> None:
        if progress is not None:
            progress("reading", done, total)

    counter = WordCounter(check.words, settings.tokenizer)
    for part in grouped.parts(report):
        words = settings.tokenizer(part.text)
        languages[Document(part.text, part.meta).language] += 1
        if check.tests:
            counter.add(part.group, words)
        writer.add_words(words, part.group, part.document)
        languages[Document("", part.meta).language] += 1
    groups = _finish_groups(writer, settings, grouped)
    trained = [name for name, group in groups.items() if "reason" not in group]
    remarks = check.run(counter, trained, settings.min_count)
    notes = _notes(groups, settings, run.record["bootstrap"])
    run.record["notes"] = grouped.notes() + notes + _language_notes(languages, stated)
    run.record["language"] = stated or stated_language(languages)
    run.plan(groups)
    if keep_raw:
        writer.write_words()
    folders = {name: writer.folder(name) for name in trained}
    if check.is_comparison and check.tests:
        planned = lowest_counts(run, settings, folders, map(counter.spelling, check.words))
        check.run_planned(counter, trained, planned, settings.min_count)
    return folders, [] if check.is_comparison else remarks  # a comparison gives its own reasons


def _language_notes(languages: Mapping[str, int], stated: str | None) -> list[str]:
    """Return a sentence if documents are in several languages, or in another than was stated."""
    known: Counter[str] = Counter()
    for text, count in languages.items():
        if text:
            known[stated_language([text]) or text] += count
    if len(known) > 1:
        listed = join_first(f"{quote_safe(text)} {count:,}" for text, count in known.items())
        return [f"the documents are in several languages: {listed}"]
    found = stated_language(known)
    if stated and found and found != stated:
        names = language_name(found), language_name(stated)
        return [f"the metadata state {names[0]}, and you state {names[1]}, which is used"]
    return []


def _finish_groups(
    writer: TokenIdWriter, settings: Settings, grouped: GroupedCorpus
) -> dict[str, dict[str, Any]]:
    """Return the numbers of documents, tokens and words of each group, or why it is left out.

    Where the groups are numbers or dates, also their mean ``value``; where documents have parts in
    several groups, also how many are ``shared`` with which group.
    """
    source = grouped.corpus.source
    groups: dict[str, dict[str, Any]] = {}
    for name in grouped.order(writer.sizes):
        documents, tokens = writer.sizes[name]
        groups[name] = {"documents": documents, "tokens": tokens}
        more = {"value": grouped.value(name), "shared": writer.shared(name)}
        groups[name] |= {key: fact for key, fact in more.items() if fact not in (None, {})}
        if settings.by is not None and tokens < settings.min_size:
            groups[name]["reason"] = f"{tokens:,} tokens, fewer than {settings.min_size:,}"
            continue
        try:
            label = source if settings.by is None else quote_safe(name)
            groups[name]["words"] = writer.finish(name, settings.min_count, label)
        except CannotMeasure as error:
            if settings.by is None:
                raise
            groups[name]["reason"] = str(error).rstrip(".")
    if all("reason" in group for group in groups.values()):
        reasons = (f"{quote_safe(name)}: {group['reason']}" for name, group in groups.items())
        raise CannotMeasure(
            f"No value of {settings.by} has enough text to train on "
            f"({join_first(reasons, separator='; ')})."
        )
    return groups


def _notes(groups: dict[str, dict[str, Any]], settings: Settings, bootstrap: int) -> list[str]:
    """Return a sentence for groups that are left out or have no bootstraps, and on parts."""
    notes = []
    if any("shared" in group for group in groups.values()):
        notes.append(
            f"some documents have several values of {settings.by}: each group has its part of "
            "them, and the parts of a document are exchanged with each other only"
        )
    for name, group in groups.items():
        if "reason" in group:
            notes.append(f"{settings.by} {quote_safe(name)} was left out: {group['reason']}")
        elif bootstrap and group["documents"] == 1:
            subject = (
                "the corpus is" if settings.by is None else f"{settings.by} {quote_safe(name)} has"
            )
            notes.append(
                f"{subject} one document, from which no sample can be drawn: there are no "
                "bootstraps; in plain text, ?documents=lines or ?documents=paragraphs makes each "
                "line or paragraph a document"
            )
    return notes
