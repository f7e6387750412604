"""The corpus that a model was trained on, found by the record beside its file."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from weatherglass.corpus.corpus import Progress
from weatherglass.corpus.model_files import RECORD, SUFFIX, read_record
from weatherglass.corpus.open import open_corpus
from weatherglass.corpus.tokenizer import Tokenizer
from weatherglass.errors import CannotMeasure, WeatherglassError
from weatherglass.vectors import parse_spec

from .contexts import CorpusContext, corpus_context


@dataclass(frozen=True)
class KnownCorpus:
    """The corpus of a model, and the group that the model is of.

    Attributes
    ----------
    source, fingerprint
        The name under which the corpus was opened, and the fingerprint that it had.
    options
        The choice of texts: ``by``, ``bins``, ``only`` and ``where`` of `corpus_context`.
    tokenizer
        What split its texts into words.
    """

    source: str
    fingerprint: str
    options: dict[str, Any]
    tokenizer: Tokenizer

    def command(self, words: Iterable[str], near: Iterable[str]) -> str:
        """Return the command that shows words of the corpus in context.

        >>> known = KnownCorpus("letters.csv", "", {"by": "year", "only": ["1841"]}, Tokenizer())
        >>> known.command(["sea"], ["calm"])
        'weatherglass corpus context letters.csv sea --near calm --by year --only 1841'
        """
        parts = ["weatherglass", "corpus", "context", self.source, *words]
        parts += [part for word in near for part in ("--near", word)]
        for name, value in self.options.items():
            values = [value] if isinstance(value, str) else value
            parts += [part for text in values for part in (f"--{name}", text)]
        return shlex.join(parts)

    def context(
        self,
        words: Sequence[str],
        near: Sequence[str],
        *,
        progress: Progress | None = None,
        **options: Any,
    ) -> CorpusContext:
        """Return words of the corpus in context.

        Raises
        ------
        CannotMeasure
            The corpus is not there any more, or has changed since the model was trained.
        """
        try:
            corpus = open_corpus(self.source)
            is_same = corpus.fingerprint() == self.fingerprint
        except (WeatherglassError, OSError):
            is_same = False
        if not is_same:
            raise CannotMeasure(
                "The texts that these vectors were trained on have changed or are not there."
            )
        chosen = {**self.options, **options}
        return corpus_context(
            corpus, words, near=near, tokenizer=self.tokenizer, progress=progress, **chosen
        )


def find_corpus(model: str | Path) -> KnownCorpus | None:
    """Return the corpus of a model that `weatherglass train` wrote; None if it is not known."""
    try:
        path = Path(parse_spec(str(model)).rest)
        if path.suffix != SUFFIX or not path.is_file():
            return None
        folder = next((f for f in path.resolve().parents[:2] if (f / RECORD).is_file()), None)
        if folder is None:
            return None
        record = read_record(folder)
        options = record["options"]
        label = path.resolve().relative_to(folder).as_posix().removesuffix(SUFFIX)
        if label not in record["models"]:
            return None
        group = next(
            name
            for name, about in record["groups"].items()
            if about.get("folder") == label.rpartition("/")[0]
        )
        chosen: dict[str, Any] = {}
        if options.get("by") is not None:
            chosen = {name: options[name] for name in ("by", "bins") if options.get(name)}
            chosen["only"] = [group]
        chosen |= {"where": options["where"]} if options.get("where") else {}
        return KnownCorpus(
            record["corpus"]["source"],
            record["corpus"]["fingerprint"],
            chosen,
            Tokenizer(**options["tokenizer"]),
        )
    except (WeatherglassError, OSError, KeyError, TypeError, StopIteration, ValueError):
        return None  # a damaged record is reported where the model is opened
