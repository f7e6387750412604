"""``onnx:DIR``: a model in ONNX with its tokenizer, by onnxruntime and tokenizers alone."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from weatherglass.errors import (
    EncoderError,
    MissingExtra,
    SourceNotFound,
    UsageError,
    join_first,
    quote_safe,
)
from weatherglass.vectors import Spec, check_options

from .encoder import Encodings, choice_option
from .model_files import files_fingerprint, find_folder, hash_parts
from .token_states import POOLS, load_tokenizer, pool, token_table

# A graph that pools by itself says so by the name, or the shape, of an output.
_POOLED = ("sentence_embedding", "sentence_embeddings", "embeddings", "pooled")


class OnnxEncoder:
    """A model in ONNX. It is loaded when the first sentence is encoded.

    Parameters
    ----------
    model
        The ``.onnx`` file.
    tokenizer
        ``tokenizer.json``, or the folder that holds it.
    pool
        ``cls``, ``mean``, ``max`` or ``last`` over the tokens; or ``auto``: what the graph itself
        pools, otherwise ``mean``.
    """

    def __init__(self, model: Path, tokenizer: Path, *, pool: str = "auto", name: str = "") -> None:
        self._model, self._pool = model, pool
        self._tokenizer = tokenizer / "tokenizer.json" if tokenizer.is_dir() else tokenizer
        self.name = name or f"onnx:{model.parent}"

    @functools.cached_property
    def fingerprint(self) -> str:
        """Of the graph, its weights beside it, the tokenizer and the pooling."""
        beside = sorted(self._model.parent.glob(f"{self._model.name}[._]data*"))
        files = [self._model, *beside, self._tokenizer]
        return hash_parts("onnx", files_fingerprint(files), self._pool)

    @functools.cached_property
    def _loaded(self) -> tuple[Any, Any]:
        tokenizer = load_tokenizer(self._tokenizer)
        import onnxruntime

        try:
            session = onnxruntime.InferenceSession(
                str(self._model), providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # the library has errors of its own for every kind of damage
            raise EncoderError(f"{self._model} cannot be loaded: {str(error)[:300]}") from error
        return session, tokenizer

    def encode(self, sentences: Sequence[str]) -> Encodings:
        """One row a sentence, float32."""
        session, tokenizer = self._loaded
        ids, mask = token_table(tokenizer, sentences)
        known = {
            "input_ids": ids,
            "attention_mask": mask.astype(np.int64),
            "token_type_ids": np.zeros_like(ids),
        }
        wanted = [one.name for one in session.get_inputs()]
        strange = set(wanted) - known.keys()
        if strange or "input_ids" not in wanted:
            raise EncoderError(
                f"{self.name}: the graph wants the inputs {', '.join(wanted)}; expected input_ids, "
                "attention_mask and token_type_ids, or some of these."
            )
        outputs = session.get_outputs()
        at = self._output([(one.name, len(one.shape or ())) for one in outputs])
        made = session.run([outputs[at].name], {name: known[name] for name in wanted})[0]
        rows: Encodings = np.asarray(made)
        return rows if rows.ndim == 2 else pool(rows, mask, self._how)

    @property
    def _how(self) -> str:
        return "mean" if self._pool == "auto" else self._pool

    def _output(self, outputs: Sequence[tuple[str, int]]) -> int:
        """Which output to take: sentences where the graph pools and may, else tokens."""
        tokens = next((i for i, (_, axes) in enumerate(outputs) if axes == 3), None)
        pooled = next(
            (i for i, (n, axes) in enumerate(outputs) if n in _POOLED and axes == 2), None
        )
        if self._pool == "auto" and pooled is not None:
            return pooled
        if tokens is not None:
            return tokens
        if self._pool != "auto":
            raise UsageError(f"{self.name}: the graph pools by itself; pool= cannot be chosen.")
        return next((i for i, (_, axes) in enumerate(outputs) if axes == 2), 0)


def open_onnx(spec: Spec) -> OnnxEncoder:
    """Open ``onnx:DIR?pool=…&file=model.onnx&tokenizer=DIR``."""
    check_options(spec, ["pool", "file", "tokenizer"])
    how = choice_option(spec, "pool", ("auto", *POOLS), "auto")
    if find_spec("onnxruntime") is None or find_spec("tokenizers") is None:
        raise MissingExtra("An encoder in ONNX (onnx:)", "onnx")
    folder = find_folder(spec.rest)
    model = _graph(folder, spec.options.get("file"))
    beside = folder if folder.is_dir() else folder.parent
    tokenizer = find_folder(spec.options.get("tokenizer", str(beside)))
    file = tokenizer / "tokenizer.json" if tokenizer.is_dir() else tokenizer
    if not file.is_file():
        raise SourceNotFound(f"There is no {file}: say where it is with ?tokenizer=FOLDER.")
    return OnnxEncoder(model, tokenizer, pool=how, name=spec.text)


def _graph(folder: Path, asked: str | None) -> Path:
    if folder.is_file():
        return folder
    if asked is not None:
        if not (folder / asked).is_file():
            raise SourceNotFound(f"There is no file {asked!r} in {folder}.")
        return folder / asked
    for place in ("model.onnx", "onnx/model.onnx"):
        if (folder / place).is_file():
            return folder / place
    graphs = sorted(folder.glob("*.onnx"))
    if len(graphs) == 1:
        return graphs[0]
    listed = join_first((quote_safe(path.name) for path in graphs), 10) or "none"
    raise SourceNotFound(f"{folder} holds these .onnx files: {listed}; say which with ?file=NAME.")
