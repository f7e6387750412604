"""Uploaded corpora: what a document is, how many words there are, and training.

The functions that read a corpus run in a process of their own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from weatherglass.corpus import Corpus, Summary

DocumentUnit = Literal["", "file", "lines", "paragraphs"]
"""What a document is in plain text; empty if the file decides."""

UNIT_TITLES: dict[str, str] = {
    "file": "The whole file",
    "lines": "Each line",
    "paragraphs": "Each paragraph",
}
MAX_FREQUENT_WORDS = 10
MIN_LINES = 20
"""A plain text with at least as many lines is a list of documents."""

MIN_LINES_PER_PARAGRAPH = 2.0
"""With more lines between empty lines, lines are wrapped, and paragraphs are the documents."""

MIN_TOKENS = 100_000
"""Words of text below which a corpus is called small."""

_MAX_INSPECTED_LINES = 100_000


@dataclass(frozen=True)
class CorpusOptions:
    """How to open an uploaded corpus: its text column, and what a document is."""

    column: str = ""
    unit: str = ""


def summarise_corpus(
    report: Callable[..., None], path: str, options: CorpusOptions
) -> tuple[Summary, str]:
    """Count a corpus; return the counts and what a document is, empty if that is no choice."""
    from weatherglass.corpus import summarise

    unit = options.unit or guess_unit(path, options.column)
    corpus = _open(path, CorpusOptions(options.column, unit))
    return summarise(corpus, top=MAX_FREQUENT_WORDS, progress=report), unit


def train_on_corpus(
    report: Callable[..., None],
    path: str,
    options: CorpusOptions,
    out: Path,
    numbers: dict[str, int],
) -> None:
    """Train vectors with PPMI and SVD and write them into a folder."""
    from weatherglass.corpus import train

    def report_phase(phase: str, done: int, total: int) -> None:
        report(done, total, {"reading": "Reading the corpus"}.get(phase, "Training vectors"))

    train(
        _open(path, options),
        out,
        method="ppmi-svd",
        bootstrap=0,
        workers=1,
        progress=report_phase,
        **numbers,  # type: ignore[arg-type]
    )


def _open(path: str, options: CorpusOptions) -> Corpus:
    from weatherglass.corpus import open_corpus

    return open_corpus(path, text=options.column or None, documents=options.unit or None)


def guess_unit(path: str, column: str = "") -> str:
    """Return what a document is in a plain text: lines or paragraphs if there are many.

    It is empty for other files, whose format says what a document is.
    """
    corpus = _open(path, CorpusOptions(column))
    if any(file.form.name != "text" for file in corpus.files):
        return ""
    lines = _open(path, CorpusOptions(column, "lines")).documents()
    n_lines = sum(1 for _ in islice(lines, _MAX_INSPECTED_LINES))
    if n_lines < MIN_LINES:
        return "file"
    paragraphs = _open(path, CorpusOptions(column, "paragraphs")).documents()
    n_paragraphs = sum(1 for _ in islice(paragraphs, _MAX_INSPECTED_LINES))
    is_wrapped = n_paragraphs >= MIN_LINES and n_lines >= MIN_LINES_PER_PARAGRAPH * n_paragraphs
    return "paragraphs" if is_wrapped else "lines"


def small_corpus_warning(n_words: int, n_tokens: int, dim: int) -> str:
    """Say that a corpus is too small to train on; empty if it is not.

    Parameters
    ----------
    n_words
        The number of distinct words that get a vector.
    n_tokens
        The number of words of the text.
    dim
        The number of dimensions.

    Examples
    --------
    >>> small_corpus_warning(38, 3600, 100)
    'This corpus is tiny: 38 distinct words are fewer than 100 dimensions, so the vectors say \
almost nothing about any word. Add text, or use the results only to try things out.'
    >>> small_corpus_warning(50_000, 5_000_000, 100)
    ''
    """
    if n_words < dim:
        counted = "1 distinct word is" if n_words == 1 else f"{n_words:,} distinct words are"
        return (
            f"This corpus is tiny: {counted} fewer than {dim} dimensions, so the vectors "
            "say almost nothing about any word. Add text, or use the results only to try things "
            "out."
        )
    if n_tokens < MIN_TOKENS:
        return (
            f"This corpus is small: {n_tokens:,} words of text. Vectors need at least "
            f"{MIN_TOKENS:,}, better millions, before associations are stable."
        )
    return ""
