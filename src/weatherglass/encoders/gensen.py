"""``gensen:WEIGHTS``: one bidirectional GRU, or two whose rows are concatenated.

Subramanian et al. 2018, as in section C of the SEAT supplement: the last hidden states of two
models of 2048 numbers, one trained with parsing and one without, concatenated. Words outside a
model's vocabulary can be mapped from other word vectors, given as ``vectors=`` (the authors used
GloVe 840B), by a linear map fitted on the words that both have.
"""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

import numpy as np

from weatherglass.errors import BadContent, MissingExtra, PickleRefused, SourceNotFound
from weatherglass.vectors import Spec, Vectors, check_options

from .cbow import CASES, Case, WordLookup, tokenize
from .encoder import Encodings, choice_option
from .model_files import files_fingerprint, hash_parts
from .recurrent import build_network, load_weights, run_network

# The two that the supplement concatenates.
_PUBLISHED = ("nli_large_bothskip_parse.model", "nli_large_bothskip.model")
_BEGIN, _END, _UNKNOWN = "<s>", "</s>", "<unk>"
_CONVERT = """\
{path} is a pickle, which can run any code when it is opened, so Weatherglass does not open it. \
If you trust it, convert it once:
    import json, pickle
    with open({path!r}, "rb") as old, open({out!r}, "w") as new:
        json.dump(pickle.load(old, encoding="latin-1")["word2id"], new)"""


class _Part:
    """A GRU with its vocabulary."""

    def __init__(self, weights: Path, vocabulary: Path) -> None:
        tensors = load_weights(weights)
        self.network = build_network(tensors, "encoder.", "GRU", weights)
        table: Any = tensors.get("src_embedding.weight")
        words = _read_vocabulary(vocabulary)
        fits = table is not None and table.ndim == 2 and table.shape[1] == self.network.input_size
        if not fits or max(words.values(), default=-1) >= len(table) or _UNKNOWN not in words:
            raise BadContent(
                f"{weights} and {vocabulary} do not fit: expected a row of src_embedding.weight "
                f"for every word, including {_UNKNOWN}."
            )
        rows = table.numpy()
        in_order = sorted(words, key=words.__getitem__)
        self.vectors = Vectors.of(in_order, rows[[words[w] for w in in_order]], str(weights))
        self.linear_map: Encodings | None = None

    def fit_map(self, other: Vectors) -> None:
        """Fit the linear map, with a constant, from other vectors to these, by least squares."""
        shared = [word for word in self.vectors.words[:] if word in other]
        if not shared:
            raise BadContent(f"{other.source} and {self.vectors.source} have no word in common.")
        inputs = np.hstack([other.take(shared).rows, np.ones((len(shared), 1))])
        outputs = self.vectors.take(shared).rows
        self.linear_map = np.linalg.lstsq(inputs.astype(np.float64), outputs, rcond=None)[0]


class GenSen:
    """GenSen, from its published weights.

    Parameters
    ----------
    weights
        One file, or several whose rows are concatenated.
    vectors
        Word vectors for words outside a model's vocabulary; by default these are ``<unk>``.
    pool
        ``last`` or ``max``.
    case
        How words are looked up; see `WordLookup`.
    """

    def __init__(
        self,
        weights: Sequence[Path],
        vectors: str | os.PathLike[str] | Vectors | None = None,
        *,
        pool: Literal["last", "max"] = "last",
        case: Case = "auto",
        name: str = "",
    ) -> None:
        self._files = [(path, _find_vocabulary(path)) for path in weights]
        self._pool, self._case = pool, case
        self._other_words = None if vectors is None else WordLookup(vectors, case)
        self._seen_words: dict[str, None] = {}
        self.name = name or f"gensen:{','.join(map(str, weights))}"

    @property
    def fingerprint(self) -> str:
        """A hash of the weights, the vocabularies, the other word vectors and the options."""
        if self._other_words is not None:
            self._parts  # noqa: B018 - requests the words that the map is fitted on
        files = files_fingerprint([path for pair in self._files for path in pair])
        other = None if self._other_words is None else self._other_words.fingerprint
        return hash_parts("gensen", "ptb-1", files, other, self._pool, self._case)

    @property
    def missing(self) -> tuple[str, ...]:
        """The words encoded so far that neither a model nor the other word vectors have."""
        words = tuple(self._seen_words)
        for lookup in (*(lookup for _, lookup in self._parts), self._other_words):
            if lookup is not None:
                unknown = set(lookup.take(words).missing)
                words = tuple(w for w in words if w in unknown or w.lower() in unknown)
        return words

    def prepare(self, sentences: Iterable[str]) -> None:
        """Request the words of the sentences, so that they are read together."""
        words = dict.fromkeys(word for s in sentences for word in tokenize(s))
        self._seen_words.update(words)
        if self._other_words is not None:
            self._other_words.expect(words)

    @functools.cached_property
    def _parts(self) -> list[tuple[_Part, WordLookup]]:
        parts = [_Part(*pair) for pair in self._files]
        if self._other_words is not None:
            for part in parts:
                self._other_words.expect(part.vectors.words[:])
        return [(part, WordLookup(part.vectors, self._case)) for part in parts]

    def encode(self, sentences: Sequence[str]) -> Encodings:
        """Return one row per sentence, float32; zeros if no word of it is known."""
        self.prepare(sentences)
        parts = [self._encode_part(part, lookup, sentences) for part, lookup in self._parts]
        rows: Encodings = np.concatenate([part_rows for part_rows, _ in parts], axis=1)
        rows[~np.any([has_words for _, has_words in parts], axis=0)] = 0
        return rows

    def _encode_part(
        self, part: _Part, lookup: WordLookup, sentences: Sequence[str]
    ) -> tuple[Encodings, Any]:
        """Return the rows of one model, and for which sentences it knows a word."""
        if self._other_words is not None and part.linear_map is None:
            part.fit_map(self._other_words.vectors())
        has_words = np.zeros(len(sentences), dtype=bool)
        sequences = []
        for i, sentence in enumerate(sentences):
            word_rows = [self._word_row(part, lookup, word) for word in tokenize(sentence)]
            has_words[i] = any(row is not None for row in word_rows)
            unknown = lookup.take([_UNKNOWN]).rows[0]
            ends = [lookup.take([mark]).rows for mark in (_BEGIN, _END)]
            middle = [unknown if row is None else row for row in word_rows]
            sequences.append(np.vstack([ends[0], *middle, ends[1]]))
        return run_network(part.network, sequences, self._pool), has_words

    def _word_row(self, part: _Part, lookup: WordLookup, word: str) -> Encodings | None:
        """Return the row of a word, its own or a mapped one; None if there is neither."""
        match = lookup.take([word])
        if not match.words and self._other_words is not None and part.linear_map is not None:
            match = self._other_words.take([word])
            if match.words:
                return np.append(match.rows[0], 1.0) @ part.linear_map
        return match.rows[0] if match.words else None


def _find_vocabulary(weights: Path) -> Path:
    """Return ``NAME_vocab.json`` or ``NAME_vocab.txt`` next to the weights ``NAME.model``."""
    if not weights.is_file():
        raise SourceNotFound(f"There is no weights file {weights}.")
    for suffix in ("json", "txt"):
        path = weights.with_name(f"{weights.stem}_vocab.{suffix}")
        if path.is_file():
            return path
    pickled, expected = (
        str(weights.with_name(f"{weights.stem}_vocab.{suffix}")) for suffix in ("pkl", "json")
    )
    if Path(pickled).is_file():
        raise PickleRefused(_CONVERT.format(path=pickled, out=expected))
    raise SourceNotFound(
        f"There is no {expected}: it holds the words of {weights.name}, as {{word: row}}."
    )


def _read_vocabulary(path: Path) -> dict[str, int]:
    try:
        text = path.read_text(encoding="utf-8")
    except ValueError:
        raise BadContent(f"{path} is not UTF-8 text.") from None
    if path.suffix == ".txt":  # one word per line, in the order of the rows
        # Reversed, so that of duplicate words the first row counts.
        return {word: i for i, word in reversed(list(enumerate(text.splitlines())))}
    try:
        words = json.loads(text)
        words = words.get("word2id", words)
        return {str(word): int(row) for word, row in words.items() if int(row) >= 0}
    except (ValueError, TypeError, AttributeError, OverflowError, RecursionError):
        raise BadContent(f"{path} is not a JSON object of words and their rows.") from None


def open_gensen(spec: Spec) -> GenSen:
    """Open ``gensen:FOLDER`` or ``gensen:A.model,B.model``.

    The options: ``?vectors=SOURCE&pool=last|max&case=…``.
    """
    check_options(spec, ["vectors", "pool", "case"])
    pool: Any = choice_option(spec, "pool", ("last", "max"), "last")
    case: Any = choice_option(spec, "case", CASES, "auto")
    if find_spec("torch") is None:
        raise MissingExtra("GenSen (gensen:)", "transformers")
    folder = Path(spec.rest).expanduser()
    files = [folder / name for name in _PUBLISHED]
    if not folder.is_dir():
        files = [folder] if folder.is_file() else [Path(path) for path in spec.rest.split(",")]
    return GenSen(files, spec.options.get("vectors"), pool=pool, case=case, name=spec.text)
