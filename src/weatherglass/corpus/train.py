"""`train`: from a corpus to a folder of vectors, with bootstraps."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from weatherglass._files import cpu_count
from weatherglass.errors import CannotMeasure, MissingExtra, UsageError, join_first, quote_safe
from weatherglass.tasks import Workers, executor, as_completed, physical_memory

from . import worker
from .corpus import Corpus
from .document import Document
from .metadata import check_column, no_column
from .model_files import Model, label_of, open_models
from .open import open_corpus
from .run_folder import Method, Run, Settings
from .token_ids import Gathering
from .tokenizer import Tokenizer
from .worker import Job

Progress = Callable[[str, int, int], None]


def gather(
    corpus: Corpus, settings: Settings, run: Run, work: Path, progress: Progress | None
) -> dict[str, Path]:
    """Read the corpus, decide which groups to train; returns where each is kept."""
    gathering = Gathering(work, settings.tokenizer)
    columns: dict[str, None] = {}
    lost = 0

    def tell(done: int, total: int) -> None:
        if progress is not None:
            progress("reading", done, total)

    for document in corpus.documents(tell):
        group = "" if settings.by is None else document.meta.get(settings.by)
        if group is None:
            lost += 1
            columns |= dict.fromkeys(document.meta)
        else:
            gathering.add(document, group)
    if not gathering.sizes:
        raise no_column(corpus.source, settings.by or "", columns)
    groups = _groups(gathering, settings, corpus.source)
    run.record["notes"] = _notes(groups, settings, run.record["bootstrap"], lost)
    run.plan(groups)
    return {name: gathering.folder(name) for name in groups if "reason" not in groups[name]}


def _groups(gathering: Gathering, settings: Settings, source: str) -> dict[str, dict[str, Any]]:
    """Documents, tokens and words of each group, and the reason if it is left out."""
    groups: dict[str, dict[str, Any]] = {}
    for name, (documents, tokens) in sorted(gathering.sizes.items()):
        groups[name] = {"documents": documents, "tokens": tokens}
        if settings.by is not None and tokens < settings.min_size:
            groups[name]["reason"] = f"{tokens:,} tokens, fewer than {settings.min_size:,}"
            continue
        try:
            called = source if settings.by is None else quote_safe(name)
            groups[name]["words"] = gathering.finish(name, settings.min_count, called)
        except CannotMeasure as error:
            if settings.by is None:
                raise
            groups[name]["reason"] = str(error).rstrip(".")
    if all("reason" in one for one in groups.values()):
        said = (f"{quote_safe(name)}: {one['reason']}" for name, one in groups.items())
        reasons = join_first(said, separator="; ")
        raise CannotMeasure(f"No value of {settings.by} has enough text to train on ({reasons}).")
    return groups


def _notes(
    groups: dict[str, dict[str, Any]], settings: Settings, bootstrap: int, lost: int
) -> list[str]:
    notes = []
    if lost:
        notes.append(f"{lost:,} documents have no value for {settings.by} and were left out")
    for name, one in groups.items():
        if "reason" in one:
            notes.append(f"{settings.by} {quote_safe(name)} was left out: {one['reason']}")
        elif bootstrap and one["documents"] == 1:
            what = (
                "the corpus is" if settings.by is None else f"{settings.by} {quote_safe(name)} has"
            )
            notes.append(
                f"{what} one document, from which no sample can be drawn: there are no bootstraps; "
                "in plain text, ?documents=lines or ?documents=paragraphs makes each of them one"
            )
    return notes


_SMALL = 2_000_000  # tokens, of all models; so many are trained while a process starts


@dataclass(frozen=True)
class Trained:
    """What a training run has left in its folder.

    Attributes
    ----------
    folder
        The folder.
    models
        The labels of its models.
    groups
        For each group its documents, tokens, words, and, if it was left out, the reason.
    notes
        What the reader should know.
    """

    folder: Path
    models: tuple[str, ...]
    groups: dict[str, dict[str, Any]]
    notes: tuple[str, ...]

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

    A bootstrap sample is as many documents as the corpus has, drawn with replacement. The models
    land in the folder as they finish; called again with the same options, training goes on where
    it stopped, and does nothing when nothing is left. The same seed gives the same vectors,
    whatever the number of workers.

    Parameters
    ----------
    corpus
        What `open_corpus` takes.
    out
        The folder for the models: ``full.parquet``, ``boot-000.parquet`` and so on, in a folder
        for each group where the corpus is divided; and ``train.json``.
    method
        ``sgns``: skip-gram with negative sampling, by gensim, as in [1]_. ``ppmi-svd``: factors of
        the positive mutual information of words and contexts [2]_; much faster.
    dim, window, min_count
        Numbers a vector; words to each side that are context, inside a document; and how often a
        word must occur in the corpus or sample. Words that are too rare in the corpus are taken
        out before contexts are.
    epochs, negative, sample
        For ``sgns``: times through the corpus, noise words for each word, and the share above
        which a frequent word is passed over at times.
    smoothing, shift, power
        For ``ppmi-svd``: the power of context counts, the k whose logarithm lowers each cell, and
        the power of the singular values in the vectors.
    bootstrap
        How many samples; none can be drawn from a single document.
    by
        A column of the corpus; each of its values gets models of its own.
    min_size
        With `by`, the least number of tokens of a value; smaller ones are left out, and named.
    seed
        For what is drawn at random.
    tokenizer
        Cuts texts into words; by default lower-cased runs of letters.
    workers
        Processes; by default as many as there are processors, and one for a small corpus. They
        are fewer if the memory does not suffice.
    cluster
        Train on the workers of a Dask cluster instead: the address of its scheduler, such as
        ``tcp://host:8786``, or ``local``. The workers must see the folder `out`.
    progress
        Called with what is being done, how much of it is, and how much there is in all.

    Returns
    -------
    Trained

    Raises
    ------
    CannotMeasure
        No word occurs often enough.
    UsageError
        The folder holds something else, or models trained with other options.

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
    if workers is not None and workers < 1:
        raise UsageError(f"workers is {workers}; it must be at least 1.")
    if method == "sgns" and importlib.util.find_spec("gensim") is None:
        raise MissingExtra("The method sgns (ppmi-svd does not)", "train")
    opened = open_corpus(corpus)
    run = Run(Path(out), settings, bootstrap, opened.source, opened.fingerprint())
    if run.complete:
        run.settle()
    else:
        if by is not None:
            check_column(opened, by)
        with run.working() as work:
            folders = gather(opened, settings, run, work, progress)
            local = workers if cluster else workers or _enough(run)
            with executor(local, cluster) as team:
                _train_all(run, settings, folders, team, None if cluster else team.slots, progress)
    record = run.record
    return Trained(run.folder, tuple(record["models"]), record["groups"], tuple(record["notes"]))


def _train_all(
    run: Run,
    settings: Settings,
    folders: dict[str, Path],
    team: Workers,
    most: int | None,
    progress: Progress | None,
) -> None:
    """Train what is left, `most` models at once if the memory suffices."""
    models = run.record["models"]
    left = {name: folder.resolve() for name, folder in folders.items() if _left(run, name)}

    def tell() -> None:
        if progress is not None:
            done = sum(state == "done" for state in models.values())
            progress("training", done, len(models))

    tell()
    if settings.method == "ppmi-svd":
        for _ in as_completed(worker.count, [(one, settings.window) for one in left.values()], team):
            pass
    jobs = {
        label: Job(left[name], name, sample, run.path(label).resolve(), run.key(label), settings)
        for name in left
        for label, sample in _left(run, name)
    }
    if most is not None and left:
        needed = max(worker.memory(folder, settings) for folder in left.values())
        most = min(most, physical_memory() // 2 // max(1, needed))
    labels = list(jobs)
    for number, _ in as_completed(worker.train_model, jobs.values(), team, at_once=most):
        models[labels[number]] = "done"
        run.save()
        tell()


def _left(run: Run, group: str) -> list[tuple[str, int | None]]:
    """The models of a group that are still to be trained."""
    folder = run.record["groups"][group]["folder"]
    samples = (None, *range(run.record["bootstrap"]))
    labels = [(label_of(folder, sample), sample) for sample in samples]
    return [one for one in labels if run.record["models"].get(one[0]) == "waiting"]


def _enough(run: Run) -> int:
    """How many processes are worth their start."""
    groups = run.record["groups"].values()
    tokens = sum(one["tokens"] for one in groups) * (1 + run.record["bootstrap"])
    return cpu_count() if tokens > _SMALL else 1
