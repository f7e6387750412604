"""`train`: from a corpus to a folder of vectors, with bootstrap samples."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from weatherglass.errors import CannotMeasure, MissingExtra, UsageError, join_first, quote_safe
from weatherglass.tasks import executor

from .corpus import Corpus
from .formats import Document
from .metadata import check_column, missing_column
from .model_files import Model, open_models
from .named import NamedCorpora
from .open import open_corpus
from .run_folder import Method, Run, Settings
from .schedule import Progress, choose_workers, train_models, train_permuted
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
    method: Method = "sgns",
    dim: int = 100,
    window: int = 5,
    min_count: int = 10,
    epochs: int = 5,
    bootstrap: int = 20,
    by: str | None = None,
    min_size: int = 10_000,
    permutations: int = 0,
    against: str | None = None,
    seed: int = 0,
    tokenizer: Tokenizer | None = None,
    negative: int = 5,
    sample: float = 1e-3,
    smoothing: float = 0.75,
    shift: float = 1.0,
    power: float = 0.5,
    workers: int | None = None,
    cluster: str | None = None,
    progress: Progress | None = None,
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
        ``sgns``: skip-gram with negative sampling, by gensim, as in [1]_. ``ppmi-svd``: factors of
        the positive pointwise mutual information of words and contexts [2]_; much faster.
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
        A metadata column of the corpus; each of its values is a group with its own models.
    min_size
        With `by`, the minimum number of tokens of a group; smaller groups are left out and named
        in the notes.
    permutations, against
        With `by`, how often the documents of every two groups, or of each group and the group
        `against`, are exchanged at random; a model is trained on each of the two parts. The
        difference of two groups is tested with them; see `weatherglass.compare`. The models are in
        the subfolder ``permuted``.
    seed
        Random seed.
    tokenizer
        Splits texts into words; default: lower-cased runs of letters.
    workers
        The number of processes; default: one per processor, or one for a small corpus. Fewer are
        used if memory is low.
    cluster
        Train on the workers of a Dask cluster instead: the address of its scheduler, such as
        ``tcp://host:8786``, or ``local``. The workers must have access to the folder `out`.
    progress
        Called with the name of the stage, the amount done, and the total amount.

    Returns
    -------
    Trained

    Raises
    ------
    CannotMeasure
        No word occurs often enough.
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
    settings = Settings(
        method=method,
        dim=dim,
        window=window,
        min_count=min_count,
        epochs=epochs,
        by=by,
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
    if by is None and (permutations or against is not None):
        raise UsageError("Permutations exchange documents of groups; give the column, too (by).")
    if workers is not None and workers < 1:
        raise UsageError(f"workers is {workers}; it must be at least 1.")
    if method == "sgns" and importlib.util.find_spec("gensim") is None:
        raise MissingExtra("The method sgns (ppmi-svd does not)", "train")
    opened = open_corpus(corpus)
    fingerprint = opened.fingerprint()
    run = Run(Path(out), settings, bootstrap, opened.source, fingerprint, permutations, against)
    if run.is_complete:
        run.finish_killed()
    else:
        if by is not None and not isinstance(opened, NamedCorpora):
            check_column(opened, by)
        with run.locked() as work_folder:
            folders = _write_token_ids(
                opened, settings, run, work_folder, permutations > 0, progress
            )
            processes = workers if cluster else workers or choose_workers(run)
            with executor(processes, cluster) as team:
                max_parallel = None if cluster else team.slots
                train_models(run, settings, folders, team, max_parallel, progress)
                train_permuted(run, settings, folders, team, max_parallel, progress)
    record = run.record
    return Trained(run.folder, tuple(record["models"]), record["groups"], tuple(record["notes"]))


def _write_token_ids(
    corpus: Corpus,
    settings: Settings,
    run: Run,
    work_folder: Path,
    keep_raw: bool,
    progress: Progress | None,
) -> dict[str, Path]:
    """Read the corpus and plan the run; return the folder of token ids of each group to train."""
    writer = TokenIdWriter(work_folder, settings.tokenizer, keep_raw)
    columns: dict[str, None] = {}
    without_value = 0

    def report(done: int, total: int) -> None:
        if progress is not None:
            progress("reading", done, total)

    for document in corpus.documents(report):
        group = "" if settings.by is None else document.meta.get(settings.by)
        if group is None:
            without_value += 1
            columns |= dict.fromkeys(document.meta)
        else:
            writer.add(document, group)
    if not writer.sizes:
        raise missing_column(corpus.source, settings.by or "", columns)
    groups = _finish_groups(writer, settings, corpus.source)
    run.record["notes"] = _notes(groups, settings, run.record["bootstrap"], without_value)
    run.plan(groups)
    if keep_raw:
        writer.write_words()
    return {name: writer.folder(name) for name in groups if "reason" not in groups[name]}


def _finish_groups(
    writer: TokenIdWriter, settings: Settings, source: str
) -> dict[str, dict[str, Any]]:
    """Return the numbers of documents, tokens and words of each group, or why it is left out."""
    groups: dict[str, dict[str, Any]] = {}
    for name, (documents, tokens) in sorted(writer.sizes.items()):
        groups[name] = {"documents": documents, "tokens": tokens}
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


def _notes(
    groups: dict[str, dict[str, Any]], settings: Settings, bootstrap: int, without_value: int
) -> list[str]:
    """Return a sentence for documents and groups that are left out or have no bootstraps."""
    notes = []
    if without_value:
        notes.append(
            f"{without_value:,} documents have no value for {settings.by} and were left out"
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
