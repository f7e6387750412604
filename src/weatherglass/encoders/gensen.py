"""``gensen:WEIGHTS``: one or two bidirectional GRUs, side by side.

Subramanian et al. 2018, as in section C of the SEAT supplement: two models of 2048 numbers, one
trained with parsing and one without, concatenated; the last hidden state. Words that a model does
not know are carried over from other word vectors by a linear map, fitted on the words that both
know, where ``vectors=`` names such (the authors took GloVe 840B).
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
from .recurrent import load_weights, recurrent, run

# The two that the supplement puts side by side.
_PUBLISHED = ("nli_large_bothskip_parse.model", "nli_large_bothskip.model")
_FIRST, _LAST, _UNKNOWN = "<s>", "</s>", "<unk>"
_CONVERT = """\
{path} is a pickle, which can run any code when it is opened, so it is not opened here. \
If you trust it, convert it once:
    import json, pickle
    with open({path!r}, "rb") as old, open({out!r}, "w") as new:
        json.dump(pickle.load(old, encoding="latin-1")["word2id"], new)"""


class _Part:
    """One GRU with its own words."""

    def __init__(self, weights: Path, vocabulary: Path) -> None:
        tensors = load_weights(weights)
        self.network = recurrent(tensors, "encoder.", "GRU", weights)
        table: Any = tensors.get("src_embedding.weight")
        words = _read_vocabulary(vocabulary)
        fits = table is not None and table.ndim == 2 and table.shape[1] == self.network.input_size
        if not fits or max(words.values(), default=-1) >= len(table) or _UNKNOWN not in words:
            raise BadContent(
                f"{weights} and {vocabulary} do not fit: expected a row of src_embedding.weight "
                f"for every word, and {_UNKNOWN} among them."
            )
        rows = table.numpy()
        spelled = sorted(words, key=words.__getitem__)
        self.vectors = Vectors.of(spelled, rows[[words[w] for w in spelled]], str(weights))
        self.fitted: Encodings | None = None

    def fit(self, others: Vectors) -> None:
        """The linear map, with a constant, from the other vectors to these: least squares."""
        both = [word for word in self.vectors.words[:] if word in others]
        if not both:
            raise BadContent(f"{others.source} and {self.vectors.source} have no word in common.")
        known = np.hstack([others.take(both).rows, np.ones((len(both), 1))]).astype(np.float64)
        self.fitted = np.linalg.lstsq(known, self.vectors.take(both).rows, rcond=None)[0]


class GenSen:
    """GenSen, from its published weights.

    Parameters
    ----------
    weights
        One file or several, whose rows are concatenated.
    vectors
        Where to take words from that a model does not know; without it they are ``<unk>``.
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
        self._files = [(path, _vocabulary_of(path)) for path in weights]
        self._pool, self._case = pool, case
        self._others = None if vectors is None else WordLookup(vectors, case)
        self._met: dict[str, None] = {}
        self.name = name or f"gensen:{','.join(map(str, weights))}"

    @property
    def fingerprint(self) -> str:
        """Of the weights, their words, the other word vectors and the options."""
        if self._others is not None:
            self._parts  # noqa: B018 - announces the words that the map is fitted on
        files = files_fingerprint([path for pair in self._files for path in pair])
        others = None if self._others is None else self._others.fingerprint
        return hash_parts("gensen", "ptb-1", files, others, self._pool, self._case)

    @property
    def missing(self) -> tuple[str, ...]:
        """The words met so far that no model knows, and the other word vectors neither."""
        words = tuple(self._met)
        for lookup in (*(lookup for _, lookup in self._parts), self._others):
            if lookup is not None:
                unknown = set(lookup.take(words).missing)
                words = tuple(w for w in words if w in unknown or w.lower() in unknown)
        return words

    def prepare(self, sentences: Iterable[str]) -> None:
        """Take note of the words that will be needed."""
        words = dict.fromkeys(word for s in sentences for word in tokenize(s))
        self._met.update(words)
        if self._others is not None:
            self._others.expect(words)

    @functools.cached_property
    def _parts(self) -> list[tuple[_Part, WordLookup]]:
        parts = [_Part(*pair) for pair in self._files]
        if self._others is not None:
            for part in parts:
                self._others.expect(part.vectors.words[:])
        return [(part, WordLookup(part.vectors, self._case)) for part in parts]

    def encode(self, sentences: Sequence[str]) -> Encodings:
        """One row a sentence, float32."""
        self.prepare(sentences)
        made = [self._one(part, own, sentences) for part, own in self._parts]
        rows: Encodings = np.concatenate([rows for rows, _ in made], axis=1)
        rows[~np.any([known for _, known in made], axis=0)] = 0
        return rows

    def _one(self, part: _Part, own: WordLookup, sentences: Sequence[str]) -> tuple[Encodings, Any]:
        """The rows of one model, and for which sentences it knows any word."""
        if self._others is not None and part.fitted is None:
            part.fit(self._others.vectors())
        known = np.zeros(len(sentences), dtype=bool)
        sequences = []
        for i, sentence in enumerate(sentences):
            words = tokenize(sentence)
            found = [self._row(part, own, word) for word in words]
            known[i] = any(row is not None for row in found)
            unknown = own.take([_UNKNOWN]).rows[0]
            ends = [own.take([end]).rows for end in (_FIRST, _LAST)]
            middle = [unknown if row is None else row for row in found]
            sequences.append(np.vstack([ends[0], *middle, ends[1]]))
        return run(part.network, sequences, self._pool), known

    def _row(self, part: _Part, own: WordLookup, word: str) -> Encodings | None:
        taken = own.take([word])
        if not taken.words and self._others is not None and part.fitted is not None:
            taken = self._others.take([word])
            if taken.words:
                return np.append(taken.rows[0], 1.0) @ part.fitted
        return taken.rows[0] if taken.words else None


def _vocabulary_of(weights: Path) -> Path:
    """The words of a model: ``NAME_vocab.json`` or ``NAME_vocab.txt`` beside ``NAME.model``."""
    if not weights.is_file():
        raise SourceNotFound(f"There is no file of weights {weights}.")
    for suffix in ("json", "txt"):
        path = weights.with_name(f"{weights.stem}_vocab.{suffix}")
        if path.is_file():
            return path
    old, out = (str(weights.with_name(f"{weights.stem}_vocab.{end}")) for end in ("pkl", "json"))
    if Path(old).is_file():
        raise PickleRefused(_CONVERT.format(path=old, out=out))
    raise SourceNotFound(f"There is no {out}: the words of {weights.name}, as {{word: row}}.")


def _read_vocabulary(path: Path) -> dict[str, int]:
    try:
        text = path.read_text(encoding="utf-8")
    except ValueError:
        raise BadContent(f"{path} is not UTF-8 text.") from None
    if path.suffix == ".txt":  # one word a line, in the order of the rows
        return {word: i for i, word in reversed(list(enumerate(text.splitlines())))}
    try:
        words = json.loads(text)
        words = words.get("word2id", words)
        return {str(word): int(at) for word, at in words.items() if int(at) >= 0}
    except (ValueError, TypeError, AttributeError, OverflowError, RecursionError):
        raise BadContent(f"{path} is no JSON object of words and their rows.") from None


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
        files = [folder] if folder.is_file() else [Path(one) for one in spec.rest.split(",")]
    return GenSen(files, spec.options.get("vectors"), pool=pool, case=case, name=spec.text)
