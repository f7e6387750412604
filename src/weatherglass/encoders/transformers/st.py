"""``st:NAME_OR_PATH``: models of sentence-transformers, as they are served."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from weatherglass.errors import EncoderError, MissingExtra, UsageError
from weatherglass.vectors import Spec, check_options

from ..encoder import Encodings, integer_option
from ..model_files import find_folder, model_fingerprint, refuse_unsafe_files
from .options import (
    SHARED,
    Served,
    count_tokens,
    load_error,
    load_strictly,
    pooling_option,
    served_options,
)

_POOLING_NAMES = {"last": "lasttoken"}  # where the library has another name


class SentenceTransformerEncoder:
    """A model of sentence-transformers, loaded when the first sentence is encoded.

    Parameters
    ----------
    folder
        The model's folder.
    served
        What is put before every sentence, and how many dimensions are kept.
    pooling
        ``cls``, ``mean``, ``max`` or ``last`` in place of the model's own pooling; ``auto`` for
        that.
    layer
        The layer whose token states are pooled, 0 for the embeddings; by default the top.
    batch_size
        The number of sentences to encode at once.
    device
        The PyTorch device; by default a GPU if there is one.
    """

    def __init__(
        self,
        folder: Path,
        *,
        served: Served | None = None,
        pooling: str = "auto",
        layer: int | None = None,
        batch_size: int | None = None,
        device: str | None = None,
        name: str = "",
    ) -> None:
        self.folder, self.name, self._device = folder, name or f"st:{folder}", device
        self._served, self._pooling, self._layer = served or Served(), pooling, layer
        self.batch_size = batch_size

    @functools.cached_property
    def fingerprint(self) -> str:
        """A hash of the model's files and of the options that change its encodings."""
        options: list[object] = [*self._served.fingerprint]
        if self._pooling != "auto" or self._layer is not None:
            options.append({"pooling": self._pooling, "layer": self._layer})
        return model_fingerprint(self.folder, "st", *options)

    @functools.cached_property
    def _model(self) -> Any:
        refuse_unsafe_files(self.folder)
        with load_strictly():
            from sentence_transformers import SentenceTransformer

            try:
                model = SentenceTransformer(
                    str(self.folder), device=self._device, local_files_only=True
                )
            except Exception as error:  # the libraries raise various errors for a bad folder
                raise load_error(self.name, error) from error
        model = model.float().eval()
        if self._layer is not None:
            self._choose_layer(model, self._layer)
        if self._pooling != "auto":
            self._replace_pooling(model)
        return model

    def _choose_layer(self, model: Any, layer: int) -> None:
        """Let the first module pass on the token states of a layer in place of the top one's."""
        first = model[0]
        inner = getattr(first, "auto_model", None) or getattr(first, "model", None)
        if inner is None or not hasattr(inner, "config"):
            raise UsageError(f"{self.name} has no layers to choose from.")
        inner.config.output_hidden_states = True

        def pass_layer(module: Any, arguments: Any, features: Any) -> Any:
            states = features.get("all_layer_embeddings")
            if states is None:
                raise EncoderError(f"{self.name} does not give the states of its layers.")
            if not -len(states) <= layer < len(states):
                raise UsageError(
                    f"{self.name} has layers 0 to {len(states) - 1}; there is no layer {layer}."
                )
            return {**features, "token_embeddings": states[layer]}

        first.register_forward_hook(pass_layer)

    def _replace_pooling(self, model: Any) -> None:
        for position, module in model._modules.items():
            kind = type(module)  # the library has moved the class, and may do so again
            if kind.__name__ == "Pooling":
                config = module.get_config_dict()
                dimension = config.get("embedding_dimension") or config["word_embedding_dimension"]
                mode = _POOLING_NAMES.get(self._pooling, self._pooling)
                model._modules[position] = kind(
                    dimension, pooling_mode=mode, include_prompt=module.include_prompt
                )
                return
        raise UsageError(f"{self.name} has no pooling to replace.")

    @property
    def similarity(self) -> str:
        """How the model's encodings are meant to be compared."""
        return "dot" if self._model.similarity_fn_name == "dot" else "cosine"

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Return the number of tokens of each text, without those that mark its ends."""
        return count_tokens(self._model.tokenizer, texts)

    def encode(self, sentences: Sequence[str]) -> Encodings:
        """Return one row per sentence, float32."""
        rows: Encodings = self._model.encode(
            list(sentences),
            prompt=self._served.prompt,
            prompt_name=self._served.prompt_name,
            batch_size=max(1, len(sentences)),
            show_progress_bar=False,
            convert_to_numpy=True,
        )
        return self._served.truncate(rows, self.name)


def open_st(spec: Spec) -> SentenceTransformerEncoder:
    """Open ``st:NAME_OR_PATH?prompt=…&truncate_dim=…``."""
    check_options(spec, SHARED)
    pooling = pooling_option(spec)
    layer = integer_option(spec, "layer")
    batch_size = integer_option(spec, "batch_size", low=1)
    if find_spec("sentence_transformers") is None:
        raise MissingExtra("An encoder of sentence-transformers (st:)", "transformers")
    folder = find_folder(spec.rest, spec.options.get("revision"))
    return SentenceTransformerEncoder(
        folder,
        served=served_options(spec, folder),
        pooling=pooling,
        layer=layer,
        batch_size=batch_size,
        device=spec.options.get("device"),
        name=spec.text,
    )
