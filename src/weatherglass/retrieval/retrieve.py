"""`retrieve`: rank documents that differ only in a name, and say which names are found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from weatherglass.encoders import (
    Encoder,
    Progress,
    Workload,
    count_texts,
    encode_all,
    open_team,
    source_encoder,
)
from weatherglass.errors import UsageError
from weatherglass.measures import Source
from weatherglass.tasks import Workers

from .analysis import Run, analyse
from .covariates import name_covariates
from .placebo import placebo_words
from .retrieval import Retrieval
from .texts import TextSource, load_texts
from .variants import VariantSource, load_variants

Similarity = Literal["auto", "cosine", "dot"]
SIMILARITIES: tuple[Similarity, ...] = ("auto", "cosine", "dot")


def retrieve(
    encoder: Source,
    *,
    documents: TextSource = "resumes",
    queries: TextSource = "jobs",
    names: VariantSource = "bertrand-mullainathan",
    template: str | None = None,
    groups: Sequence[str] = (),
    query_prefix: str = "",
    document_prefix: str = "",
    top: float = 0.1,
    similarity: Similarity = "auto",
    placebo: bool = True,
    seed: int = 0,
    batch_size: int | None = None,
    cache: bool = True,
    cluster: str | Workers | None = None,
    progress: Progress | None = None,
) -> Retrieval:
    """Rank documents that differ only in a name, and compare the groups of names.

    Parameters
    ----------
    encoder
        What `open_encoder` returned, the name of an encoder, or any other source (see `as_source`).
    documents, queries
        Texts: ``resumes`` and ``jobs`` of the catalogue, a file or folder (CSV, JSON Lines,
        Parquet, plain text), or a list of texts.
    names
        A table of what is inserted into each document, with columns of groups: a list of the
        catalogue (``bertrand-mullainathan`` or ``us-names``), a file, or rows. It may hold
        pronouns, titles or spellings instead of names.
    template
        The text of a version, such as ``"{name}\\n{document}"``, the default. Documents may have
        placeholders themselves.
    groups
        The columns of groups; by default all columns that are not inserted. With two or more, their
        intersection is compared as well.
    query_prefix, document_prefix
        Instructions that the model wants before queries and documents.
    top
        The share of each ranking that counts as selected.
    similarity
        ``cosine`` or ``dot``; ``auto`` is the encoder's own, or else cosine.
    placebo
        Also insert random words in place of names.
    seed
        Random seed, for the shuffled groups, the covariates and the placebo.
    batch_size, cache, cluster, progress
        As for `weatherglass.seat`.

    Returns
    -------
    Retrieval

    Notes
    -----
    Every document is encoded with every name, and every query once. Within each query and document
    the scores are centred over names, and a name's score is the mean of these. The unit is the
    name: the scores of one name for different documents and queries are near-copies of each other,
    so that a test over all scores finds nearly everything significant. Wilson and Caliskan (2024)
    introduced this audit [1]_.

    References
    ----------
    .. [1] K. Wilson, A. Caliskan (2024). Gender, race, and intersectional bias in resume screening
       via language model retrieval. AIES 7, 1578-1590.

    Examples
    --------
    >>> import weatherglass as wg
    >>> found = wg.retrieve("cbow:default", documents=["Ten years as a nurse.", "Drives trucks."],
    ...                     queries=["nurse wanted", "truck driver wanted"], placebo=False)
    >>> len(found.names), found.selections[0].dimension
    (36, 'race')
    """
    opened = source_encoder(encoder)
    choices = _Choices(top, similarity, query_prefix, document_prefix, placebo, seed)
    run, options = _prepare(opened, documents, queries, names, template, groups, choices)
    with open_team(cluster) as team:
        rows = encode_all(
            opened, run.texts, batch_size=batch_size, cache=cache, progress=progress, team=team
        )
    run = run.with_encodings(rows, options["similarity"])
    source = {"name": opened.name, "fingerprint": opened.fingerprint}
    return analyse(run, name_covariates(run.labels, opened), source, options)


def count_retrieval_work(
    encoder: Source,
    *,
    batch_size: int | None = None,
    cluster: str | None = None,
    **options: Any,
) -> Workload:
    """Count what `retrieve` would ask of an encoder, without asking it.

    The parameters are those of `retrieve`.

    Examples
    --------
    >>> count_retrieval_work("cbow:default").sentences  # 20 queries, 20 × (36 + 36) versions
    1460
    """
    opened = source_encoder(encoder)
    return count_texts(opened, [retrieval_texts(opened, **options)], batch_size)


def retrieval_texts(
    encoder: Encoder,
    *,
    documents: TextSource = "resumes",
    queries: TextSource = "jobs",
    names: VariantSource = "bertrand-mullainathan",
    template: str | None = None,
    groups: Sequence[str] = (),
    **choices: Any,
) -> list[str]:
    """Return the texts that `retrieve` encodes with these parameters."""
    chosen = _Choices(**choices)
    run, _ = _prepare(encoder, documents, queries, names, template, groups, chosen)
    return run.texts


@dataclass(frozen=True)
class _Choices:
    """The options of `retrieve` that change the texts or the scores."""

    top: float = 0.1
    similarity: Similarity = "auto"
    query_prefix: str = ""
    document_prefix: str = ""
    placebo: bool = True
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 < self.top < 1:
            raise UsageError(f"top is {self.top:g}; it must be between 0 and 1.")
        if self.similarity not in SIMILARITIES:
            raise UsageError(f"similarity is {self.similarity!r}; it must be auto, cosine or dot.")


def _prepare(
    encoder: Encoder,
    documents: TextSource,
    queries: TextSource,
    names: VariantSource,
    template: str | None,
    groups: Sequence[str],
    choices: _Choices,
) -> tuple[Run, dict[str, Any]]:
    """Return the texts of a run, and the options that a result states."""
    document_source, texts = load_texts(documents, "documents")
    query_source, questions = load_texts(queries, "queries")
    table = load_variants(names, template, groups, [text.text for text in texts])
    similarity = choices.similarity
    if similarity == "auto":
        similarity = getattr(encoder, "similarity", "cosine")
    options = {
        "documents": document_source,
        "queries": query_source,
        "names": table.name,
        "template": table.template,
        "query_prefix": choices.query_prefix,
        "document_prefix": choices.document_prefix,
        "top": choices.top,
        "similarity": similarity,
        "seed": choices.seed,
    }
    words = placebo_words(len(table.variants), choices.seed) if choices.placebo else []
    prefixes = choices.query_prefix, choices.document_prefix
    return Run(table, texts, questions, words, prefixes), options
