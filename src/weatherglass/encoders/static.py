"""``static:DIR``: static token embeddings, in the format of model2vec.

A table with one row per token (``model.safetensors``) and a ``tokenizer.json``; a sentence is the
mean of its tokens' rows, each multiplied by its weight if the model has weights. Does not need
model2vec.
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

_DEFAULT_MAX_TOKENS = 512  # as in model2vec
_TABLE_NAMES = ("embeddings", "embedding.weight")


class StaticEncoder:
    """Static token embeddings.

    Unknown tokens are left out, as in model2vec; a sentence of only unknown tokens is a row of
    zeros.

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
        """A hash of the table, the tokenizer and the settings."""
        files = files_fingerprint([self._weights, self._tokenizer])
        max_tokens = self._settings.get("max_length", _DEFAULT_MAX_TOKENS)
        return hash_parts("static", files, self._is_normalised, max_tokens)

    @functools.cached_property
    def _settings(self) -> dict[str, Any]:
        try:
            settings = json.loads((self._weights.parent / "config.json").read_text())
        except (OSError, ValueError):
            settings = {}
        return settings if isinstance(settings, dict) else {}

    @property
    def _is_normalised(self) -> bool:
        return bool(self._settings.get("normalize", False))

    @functools.cached_property
    def _loaded(self) -> _Model:
        from safetensors import SafetensorError
        from safetensors.numpy import load_file

        tokenizer = load_tokenizer(self._tokenizer)
        try:
            tensors = load_file(self._weights)
        except (SafetensorError, OSError, ValueError) as error:
            raise BadContent(f"{self._weights} is damaged or cut off ({error}).") from None
        name = next((name for name in _TABLE_NAMES if name in tensors), None)
        if name is None or tensors[name].ndim != 2:
            listed = join_first(map(quote_safe, sorted(tensors)), 10)
            raise BadContent(f"{self._weights} holds {listed}: expected a table named embeddings.")
        max_tokens = self._settings.get("max_length", _DEFAULT_MAX_TOKENS)
        if isinstance(max_tokens, int) and max_tokens > 0:
            tokenizer.enable_truncation(max_tokens)
        else:
            tokenizer.no_truncation()
        table = tensors[name].astype(np.float32)
        size = tokenizer.get_vocab_size()
        token_rows = tensors.get("mapping", np.arange(max(size, len(table))))
        if len(token_rows) < size or token_rows[:size].max() >= len(table):
            raise BadContent(
                f"{self.name}: {size} tokens and a table of {len(table)} rows do not fit."
            )
        weights = tensors.get("weights", np.ones(len(token_rows))).astype(np.float32)
        return _Model(table, token_rows, weights, tokenizer, _unknown_token(tokenizer))

    def encode(self, sentences: Sequence[str]) -> Encodings:
        """Return one row per sentence, float32."""
        model = self._loaded
        rows = np.zeros((len(sentences), model.table.shape[1]), dtype=np.float32)
        texts = [sentence.encode("utf-8", "replace").decode() for sentence in sentences]
        tokenized = model.tokenizer.encode_batch(texts, add_special_tokens=False)
        for row, tokens in zip(rows, tokenized, strict=True):
            ids = [token for token in tokens.ids if token != model.unknown]
            if ids:
                token_rows = model.table[model.token_rows[ids]]
                row[:] = (token_rows * model.weights[ids, None]).mean(axis=0)
        if self._is_normalised:
            rows /= np.linalg.norm(rows, axis=1, keepdims=True) + 1e-32
        return rows


@dataclass(frozen=True, eq=False)
class _Model:
    """A table; for each token its row in the table and its weight; and the tokenizer."""

    table: NDArray[np.float32]
    token_rows: NDArray[np.int64]
    weights: NDArray[np.float32]
    tokenizer: Any
    unknown: int | None


def _unknown_token(tokenizer: Any) -> int | None:
    """Return the id of the unknown token, if the tokenizer has one."""
    model = json.loads(tokenizer.to_str())["model"]
    token: int | None = model.get("unk_id")
    if model.get("unk_token") is not None:
        token = tokenizer.token_to_id(model["unk_token"])
    return token


def open_static(spec: Spec) -> StaticEncoder:
    """Open ``static:DIR?tokenizer=FILE``; DIR may be the ``.safetensors`` file itself."""
    check_options(spec, ["tokenizer"])
    if find_spec("safetensors") is None or find_spec("tokenizers") is None:
        raise MissingExtra("Static token embeddings (static:)", "static")
    model = find_folder(spec.rest)
    if model.is_dir() and not (model / "model.safetensors").is_file():
        raise SourceNotFound(f"{model} has no model.safetensors: it is not a model2vec folder.")
    default = model if model.is_dir() else model.parent
    tokenizer = find_folder(spec.options.get("tokenizer", str(default)))
    file = tokenizer / "tokenizer.json" if tokenizer.is_dir() else tokenizer
    if not file.is_file():
        raise SourceNotFound(f"There is no {file}: name the tokenizer with ?tokenizer=FILE.")
    return StaticEncoder(model, tokenizer, name=spec.text)
