"""``onnx:DIR``: an ONNX model with its tokenizer; needs only onnxruntime and tokenizers."""

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
from .onnx_graph import graph_files
from .token_states import POOLS, load_tokenizer, pool, token_table

# Names of the output of a graph that pools its token states itself.
_POOLED_OUTPUTS = ("sentence_embedding", "sentence_embeddings", "embeddings", "pooled")


class OnnxEncoder:
    """An ONNX model; loaded when the first sentence is encoded.

    Parameters
    ----------
    model
        The ``.onnx`` file.
    tokenizer
        ``tokenizer.json``, or the folder that holds it.
    pool
        ``cls``, ``mean``, ``max`` or ``last`` over the tokens; or ``auto``: the graph's own pooling
        if it has one, otherwise ``mean``.
    """

    def __init__(self, model: Path, tokenizer: Path, *, pool: str = "auto", name: str = "") -> None:
        self._model, self._pool = model, pool
        self._tokenizer = tokenizer / "tokenizer.json" if tokenizer.is_dir() else tokenizer
        self.name = name or f"onnx:{model.parent}"

    @functools.cached_property
    def fingerprint(self) -> str:
        """A hash of the graph, its external weights, the tokenizer and the pooling."""
        files = [*graph_files(self._model), self._tokenizer]
        return hash_parts("onnx", files_fingerprint(files), self._pool)

    @functools.cached_property
    def _loaded(self) -> tuple[Any, Any]:
        graph_files(self._model)  # refuses weights outside of the folder
        tokenizer = load_tokenizer(self._tokenizer)
        import onnxruntime

        try:
            session = onnxruntime.InferenceSession(
                str(self._model), providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # onnxruntime raises many types for a damaged model
            raise EncoderError(f"{self._model} cannot be loaded: {str(error)[:300]}") from error
        return session, tokenizer

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Return the number of tokens of each text, without those that mark its ends."""
        _, tokenizer = self._loaded
        return [len(tokenizer.encode(text, add_special_tokens=False).ids) for text in texts]

    def encode(self, sentences: Sequence[str]) -> Encodings:
        """Return one row per sentence, float32."""
        session, tokenizer = self._loaded
        ids, mask = token_table(tokenizer, sentences)
        available = {
            "input_ids": ids,
            "attention_mask": mask.astype(np.int64),
            "token_type_ids": np.zeros_like(ids),
        }
        names = [node.name for node in session.get_inputs()]
        if not available.keys() >= set(names) or "input_ids" not in names:
            raise EncoderError(
                f"{self.name}: the graph has the inputs {', '.join(names)}; expected input_ids, "
                "and optionally attention_mask and token_type_ids."
            )
        outputs = session.get_outputs()
        chosen = self._choose_output([(node.name, len(node.shape or ())) for node in outputs])
        inputs = {name: available[name] for name in names}
        rows: Encodings = np.asarray(session.run([outputs[chosen].name], inputs)[0])
        if rows.ndim == 2:
            return rows
        return pool(rows, mask, "mean" if self._pool == "auto" else self._pool)

    def _choose_output(self, outputs: Sequence[tuple[str, int]]) -> int:
        """Return the position of the output to use: pooled sentences if allowed, else tokens.

        `outputs` are pairs of a name and a number of axes.
        """
        tokens = next((i for i, (_, axes) in enumerate(outputs) if axes == 3), None)
        pooled = next(
            (i for i, (n, axes) in enumerate(outputs) if n in _POOLED_OUTPUTS and axes == 2), None
        )
        if self._pool == "auto" and pooled is not None:
            return pooled
        if tokens is not None:
            return tokens
        if self._pool != "auto":
            raise UsageError(f"{self.name}: the graph pools by itself; leave out pool=.")
        return next((i for i, (_, axes) in enumerate(outputs) if axes == 2), 0)


def open_onnx(spec: Spec) -> OnnxEncoder:
    """Open ``onnx:DIR?pool=…&file=model.onnx&tokenizer=DIR``."""
    check_options(spec, ["pool", "file", "tokenizer"])
    pooling = choice_option(spec, "pool", ("auto", *POOLS), "auto")
    if find_spec("onnxruntime") is None or find_spec("tokenizers") is None:
        raise MissingExtra("An encoder in ONNX (onnx:)", "onnx")
    folder = find_folder(spec.rest)
    model = _find_graph(folder, spec.options.get("file"))
    default = folder if folder.is_dir() else folder.parent
    tokenizer = find_folder(spec.options.get("tokenizer", str(default)))
    file = tokenizer / "tokenizer.json" if tokenizer.is_dir() else tokenizer
    if not file.is_file():
        raise SourceNotFound(f"There is no {file}: name its folder with ?tokenizer=FOLDER.")
    return OnnxEncoder(model, tokenizer, pool=pooling, name=spec.text)


def _find_graph(folder: Path, name: str | None) -> Path:
    """Return the graph with a name in a folder, or its only one; or the path if it is a file."""
    if folder.is_file():
        return folder
    if name is not None:
        if not (folder / name).is_file():
            raise SourceNotFound(f"There is no file {name!r} in {folder}.")
        return folder / name
    for usual_name in ("model.onnx", "onnx/model.onnx"):
        if (folder / usual_name).is_file():
            return folder / usual_name
    graphs = sorted(folder.glob("*.onnx"))
    if len(graphs) == 1:
        return graphs[0]
    listed = join_first((quote_safe(path.name) for path in graphs), 10) or "none"
    raise SourceNotFound(f"{folder} holds these .onnx files: {listed}. Choose one with ?file=NAME.")
