"""``static:DIR``: static token embeddings, as model2vec makes them.

A table of one row a token (``model.safetensors``) and a ``tokenizer.json``; a sentence is the mean
of its tokens' rows, each times its weight where the model has weights. Read here without model2vec.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weatherglass.errors import BadContent, MissingExtra, SourceNotFound, join_first, quote_safe
from weatherglass.vectors import Spec, check_options

from .encoder import Encodings
from .model_files import files_fingerprint, find_folder, hash_parts
from .token_states import load_tokenizer

_MOST_TOKENS = 512  # as model2vec's encode
_TABLES = ("embeddings", "embedding.weight")


class StaticEncoder:
    """Static token embeddings.

    Tokens that stand for the unknown are left out, as model2vec does; a sentence of nothing else is
    a row of zeros.

    Parameters
    ----------
    model
        The folder, or a ``.safetensors`` file.
    tokenizer
        ``tokenizer.json``, or the folder that holds it.
    """

    def __init__(self, model: Path, tokenizer: Path, *, name: str = "") -> None:
        self._weights = model / "model.safetensors" if model.is_dir() else model
        self._tokenizer = tokenizer / "tokenizer.json" if tokenizer.is_dir() else tokenizer
        self.name = name or f"static:{model}"

    @functools.cached_property
    def fingerprint(self) -> str:
        """Of the table, the tokenizer and the settings."""
        files = files_fingerprint([self._weights, self._tokenizer])
        most = self._settings.get("max_length", _MOST_TOKENS)
        return hash_parts("static", files, self._normalised, most)

    @functools.cached_property
    def _settings(self) -> dict[str, Any]:
        try:
            settings = json.loads((self._weights.parent / "config.json").read_text())
        except (OSError, ValueError):
            settings = {}
        return settings if isinstance(settings, dict) else {}

    @property
    def _normalised(self) -> bool:
        return bool(self._settings.get("normalize", False))

    @functools.cached_property
    def _loaded(self) -> _Loaded:
        from safetensors import SafetensorError
        from safetensors.numpy import load_file

        tokenizer = load_tokenizer(self._tokenizer)
        try:
            tensors = load_file(self._weights)
        except (SafetensorError, OSError, ValueError) as error:
            raise BadContent(f"{self._weights} is damaged or cut off ({error}).") from None
        name = next((one for one in _TABLES if one in tensors), None)
        if name is None or tensors[name].ndim != 2:
            listed = join_first(map(quote_safe, sorted(tensors)), 10)
            raise BadContent(f"{self._weights} holds {listed}: expected a table named embeddings.")
        most = self._settings.get("max_length", _MOST_TOKENS)
        if isinstance(most, int) and most > 0:
            tokenizer.enable_truncation(most)
        else:
            tokenizer.no_truncation()
        table = tensors[name].astype(np.float32)
        size = tokenizer.get_vocab_size()
        places = tensors.get("mapping", np.arange(max(size, len(table))))
        if len(places) < size or places[:size].max() >= len(table):
            raise BadContent(
                f"{self.name}: {size} tokens and a table of {len(table)} rows do not fit."
            )
        weights = tensors.get("weights", np.ones(len(places))).astype(np.float32)
        return _Loaded(table, places, weights, tokenizer, _unknown(tokenizer))

    def encode(self, sentences: Sequence[str]) -> Encodings:
        """One row a sentence, float32."""
        model = self._loaded
        rows = np.zeros((len(sentences), model.table.shape[1]), dtype=np.float32)
        texts = [sentence.encode("utf-8", "replace").decode() for sentence in sentences]
        cuts = model.tokenizer.encode_batch(texts, add_special_tokens=False)
        for row, cut in zip(rows, cuts, strict=True):
            ids = [one for one in cut.ids if one != model.unknown]
            if ids:
                row[:] = (model.table[model.places[ids]] * model.weights[ids, None]).mean(axis=0)
        if self._normalised:
            rows /= np.linalg.norm(rows, axis=1, keepdims=True) + 1e-32
        return rows


@dataclass(frozen=True, eq=False)
class _Loaded:
    """A table of rows; for each token its place in the table and its weight."""

    table: NDArray[np.float32]
    places: NDArray[np.int64]
    weights: NDArray[np.float32]
    tokenizer: Any
    unknown: int | None


def _unknown(tokenizer: Any) -> int | None:
    """The token that stands for the unknown, where there is one."""
    model = json.loads(tokenizer.to_str())["model"]
    if model.get("unk_token") is not None:
        found: int | None = tokenizer.token_to_id(model["unk_token"])
        return found
    at: int | None = model.get("unk_id")
    return at


def open_static(spec: Spec) -> StaticEncoder:
    """Open ``static:DIR?tokenizer=FILE``; DIR may be the ``.safetensors`` file itself."""
    check_options(spec, ["tokenizer"])
    if find_spec("safetensors") is None or find_spec("tokenizers") is None:
        raise MissingExtra("Static token embeddings (static:)", "static")
    model = find_folder(spec.rest)
    if model.is_dir() and not (model / "model.safetensors").is_file():
        raise SourceNotFound(f"{model} has no model.safetensors: it is no folder of model2vec.")
    beside = model if model.is_dir() else model.parent
    tokenizer = find_folder(spec.options.get("tokenizer", str(beside)))
    file = tokenizer / "tokenizer.json" if tokenizer.is_dir() else tokenizer
    if not file.is_file():
        raise SourceNotFound(f"There is no {file}: say where it is with ?tokenizer=FILE.")
    return StaticEncoder(model, tokenizer, name=spec.text)
