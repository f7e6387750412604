"""``infersent:WEIGHTS?vectors=SOURCE``: a BiLSTM over word vectors, with max pooling.

Conneau et al. 2017, as in section C of the SEAT supplement: 2 × 2048 numbers, over GloVe 840B.
As there, words without a vector are left out. The maximum is over a sentence's own words, never its
padding, so that a row does not depend on its batch (the authors of the supplement encoded one
sentence at a time).
"""

from __future__ import annotations

import functools
import os
from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

import numpy as np

from weatherglass.errors import BadContent, MissingExtra, SourceNotFound, UsageError, quote_safe
from weatherglass.vectors import Spec, Vectors, check_options

from .cbow import CASES, Case, WordLookup, tokenize
from .encoder import Encodings, choice_option
from .model_files import files_fingerprint, hash_parts
from .recurrent import build_network, load_weights, run_network

# Version 1 was trained on GloVe, version 2 on fastText; they mark the ends of sentences otherwise.
_SENTENCE_MARKS = {"1": ("<s>", "</s>"), "2": ("<p>", "</p>")}
_PREFIX = "enc_lstm."


class InferSent:
    """InferSent, from its published weights and the word vectors that it was trained on.

    Parameters
    ----------
    weights
        The file: ``infersent1.pkl``, or its tensors as safetensors.
    vectors
        GloVe 840B for version 1, fastText's crawl-300d-2M for version 2.
    version
        ``1`` or ``2``.
    pool
        ``max`` or ``mean``.
    case
        How words are looked up; see `WordLookup`.
    """

    def __init__(
        self,
        weights: Path,
        vectors: str | os.PathLike[str] | Vectors,
        *,
        version: str = "1",
        pool: Literal["max", "mean"] = "max",
        case: Case = "auto",
        name: str = "",
    ) -> None:
        self._weights, self._pool, self._version = weights, pool, version
        self._words = WordLookup(vectors, case)
        self._words.expect(_SENTENCE_MARKS[version])
        self.name = name or f"infersent:{weights}"

    @property
    def fingerprint(self) -> str:
        """A hash of the weights, the word vectors and the options."""
        files = files_fingerprint([self._weights])
        return hash_parts(
            "infersent", "ptb-1", files, self._words.fingerprint, self._version, self._pool
        )

    @property
    def missing(self) -> tuple[str, ...]:
        """The words encoded so far that have no vector."""
        marks = _SENTENCE_MARKS[self._version]
        return tuple(word for word in self._words.missing if word not in marks)

    def prepare(self, sentences: Iterable[str]) -> None:
        """Request the words of the sentences, so that they are read together."""
        for sentence in sentences:
            self._words.expect(tokenize(sentence))

    @functools.cached_property
    def _network(self) -> Any:
        network = build_network(load_weights(self._weights), _PREFIX, "LSTM", self._weights)
        dim = self._words.vectors().dim
        if network.input_size != dim:
            raise BadContent(
                f"{self._weights} needs word vectors of {network.input_size} numbers, but "
                f"{self._words.vectors().source} has {dim}."
            )
        return network

    def encode(self, sentences: Sequence[str]) -> Encodings:
        """Return one row per sentence, float32; zeros if no word of it has a vector."""
        self.prepare(sentences)
        network = self._network
        width = network.hidden_size * (2 if network.bidirectional else 1)
        rows = np.zeros((len(sentences), width), dtype=np.float32)
        begin, end = _SENTENCE_MARKS[self._version]
        tokenized = [tokenize(sentence) for sentence in sentences]
        known = [i for i, words in enumerate(tokenized) if self._words.take(words).words]
        if known:
            sequences = [self._words.take([begin, *tokenized[i], end]).rows for i in known]
            rows[known] = run_network(network, sequences, self._pool)
        return rows


def open_infersent(spec: Spec) -> InferSent:
    """Open ``infersent:WEIGHTS?vectors=SOURCE&version=1|2&pool=max|mean&case=…``."""
    check_options(spec, ["vectors", "version", "pool", "case"])
    version = choice_option(spec, "version", tuple(_SENTENCE_MARKS), "1")
    pool: Any = choice_option(spec, "pool", ("max", "mean"), "max")
    case: Any = choice_option(spec, "case", CASES, "auto")
    if "vectors" not in spec.options:
        raise UsageError(
            f"{quote_safe(spec.text)} needs the word vectors that InferSent was trained on: add "
            "?vectors=glove.840B.300d.txt."
        )
    if find_spec("torch") is None:
        raise MissingExtra("InferSent (infersent:)", "transformers")
    path = Path(spec.rest).expanduser()
    if not path.is_file():
        raise SourceNotFound(f"There is no weights file {path}.")
    vectors = spec.options["vectors"]
    return InferSent(path, vectors, version=version, pool=pool, case=case, name=spec.text)
