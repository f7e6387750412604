"""``hf:NAME_OR_PATH``: any encoder or decoder of transformers, pooled as the papers do.

By default BERT and its kin give the top layer's vector of ``[CLS]``, and GPT and its kin that of
the last token (SEAT supplement, section C). ``pool=mean&layer=sum`` is what the supplement does
with ELMo.
"""

from __future__ import annotations

import contextlib
import functools
import io
import re
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weatherglass.errors import EncoderError, MissingExtra, SourceNotFound, UsageError, quote_safe
from weatherglass.vectors import Spec, check_options

from .encoder import Encodings, choice
from .model_files import find_folder, model_fingerprint, refuse_pickles
from .token_states import POOLS, pool


class SentenceTransformerEncoder:
    """A model of sentence-transformers. It is loaded when the first sentence is encoded.

    Parameters
    ----------
    folder
        The model's folder.
    device
        Where to compute, as PyTorch names it; by default a graphics card where there is one.
    """

    def __init__(self, folder: Path, *, device: str | None = None, name: str = "") -> None:
        self.folder, self.name, self._device = folder, name or f"st:{folder}", device

    @functools.cached_property
    def fingerprint(self) -> str:
        """Of the model's files."""
        return model_fingerprint(self.folder, "st")

    @functools.cached_property
    def _model(self) -> Any:
        refuse_pickles(self.folder)
        with quiet():
            from sentence_transformers import SentenceTransformer

            try:
                model = SentenceTransformer(
                    str(self.folder), device=self._device, local_files_only=True
                )
            except Exception as error:  # whatever is wrong with the folder
                raise unloadable(self.name, error) from error
        return model.float().eval()

    def encode(self, sentences: Sequence[str]) -> Encodings:
        """One row a sentence, float32."""
        rows: Encodings = self._model.encode(
            list(sentences),
            batch_size=max(1, len(sentences)),
            show_progress_bar=False,
            convert_to_numpy=True,
        )
        return rows


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Loading a model prints nothing: no bars, no reports of weights that are not needed."""
    import transformers

    logging: Any = transformers.utils.logging
    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        with contextlib.redirect_stderr(io.StringIO()):  # GGUF's bar cannot be switched off
            yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()


def unloadable(name: str, error: Exception) -> EncoderError:
    """What to say of a model that its library cannot load."""
    reason = " ".join(str(error).split())[:300]
    return EncoderError(f"{name} cannot be loaded: {type(error).__name__}: {reason}")


def open_st(spec: Spec) -> SentenceTransformerEncoder:
    """Open ``st:NAME_OR_PATH?device=cpu``."""
    check_options(spec, ["device"])
    if find_spec("sentence_transformers") is None:
        raise MissingExtra("An encoder of sentence-transformers (st:)", "transformers")
    folder = find_folder(spec.rest)
    return SentenceTransformerEncoder(folder, device=spec.options.get("device"), name=spec.text)


_LAYERS = ("sum", "mean", "concat")


class TransformerEncoder:
    """A model of transformers. It is loaded when the first sentence is encoded.

    Parameters
    ----------
    folder
        The model's folder.
    pool
        ``cls``, ``mean``, ``max``, ``last``; or ``auto``: ``cls`` where the tokenizer has such a
        token, ``mean`` for encoder-decoders such as T5, otherwise ``last``.
    layer
        The number of a layer, 0 being the embeddings and -1 the top; or ``sum``, ``mean`` or
        ``concat`` of all of them.
    gguf_file
        The file in the folder, for weights in GGUF.
    device
        Where to compute, as PyTorch names it; by default a graphics card where there is one.
    """

    def __init__(
        self,
        folder: Path,
        *,
        pool: str = "auto",
        layer: str = "-1",
        gguf_file: str | None = None,
        device: str | None = None,
        name: str = "",
    ) -> None:
        self.folder, self.name = folder, name or f"hf:{folder}"
        self._pool, self._layer, self._device = pool, layer, device
        self._gguf = {"gguf_file": gguf_file} if gguf_file else {}

    @functools.cached_property
    def fingerprint(self) -> str:
        """Of the model's files, the pooling and the layer."""
        files = self.folder / self._gguf["gguf_file"] if self._gguf else self.folder
        return model_fingerprint(files, "hf", self._pool, self._layer)

    @functools.cached_property
    def _loaded(self) -> tuple[Any, Any, str]:
        """The model, its tokenizer, and the pooling."""
        refuse_pickles(self.folder)
        with quiet():
            import torch
            from transformers import AutoModel, AutoTokenizer

            local = {"local_files_only": True, "trust_remote_code": False, **self._gguf}
            try:
                tokenizer = AutoTokenizer.from_pretrained(str(self.folder), **local)
                model = AutoModel.from_pretrained(str(self.folder), **local)
            except Exception as error:  # whatever is wrong with the folder
                raise unloadable(self.name, error) from error
        both = bool(model.config.is_encoder_decoder)
        if both:
            model = model.get_encoder()
        device = self._device or ("cuda" if torch.cuda.is_available() else "cpu")
        first = getattr(tokenizer, "cls_token_id", None) is not None
        auto = "mean" if both else "cls" if first else "last"
        chosen = auto if self._pool == "auto" else self._pool
        if not self._gguf:  # which is read as float32, and refuses to be told so
            model = model.float()
        return model.eval().to(device), tokenizer, chosen

    def encode(self, sentences: Sequence[str]) -> Encodings:
        """One row a sentence, float32."""
        _, _, how = self._loaded
        states, mask, _ = self._states(sentences, offsets=False)
        return pool(states, mask, how)

    def encode_words(self, sentences: Sequence[str], words: Sequence[str]) -> Encodings:
        """The row of ``words[i]`` where it first stands in ``sentences[i]``: its tokens' mean.

        The pooling does not matter here; the layer does.
        """
        if len(sentences) != len(words):
            raise UsageError(f"{len(words)} words for {len(sentences)} sentences: one each.")
        spans = [word_span(s, word) for s, word in zip(sentences, words, strict=True)]
        states, mask, offsets = self._states(sentences, offsets=True)
        rows = np.empty((len(sentences), states.shape[2]), dtype=states.dtype)
        for i, (start, end) in enumerate(spans):
            first, last = offsets[i, :, 0], offsets[i, :, 1]
            inside = mask[i] & (first < end) & (last > start) & (last > first)
            if not inside.any():
                raise EncoderError(
                    f"{self.name}: {quote_safe(words[i])} lies beyond the tokens that the model takes "
                    f"of {quote_safe(sentences[i])}. Shorten the sentence."
                )
            rows[i] = states[i, inside].mean(axis=0)
        return rows

    def _states(
        self, sentences: Sequence[str], offsets: bool
    ) -> tuple[Encodings, NDArray[np.bool_], NDArray[np.int64]]:
        """The vectors of all tokens, where there are tokens, and where these stand in the text."""
        import torch

        model, tokenizer, _ = self._loaded
        if offsets and not tokenizer.is_fast:
            raise EncoderError(f"{self.name}: its tokenizer does not say where its tokens stand.")
        most = min(
            tokenizer.model_max_length, getattr(model.config, "max_position_embeddings", 1 << 30)
        )
        cut = tokenizer(
            list(sentences), truncation=True, max_length=most, return_offsets_mapping=offsets
        )
        ids: list[list[int]] = cut["input_ids"]
        if not all(ids):  # a decoder's tokenizer gives no token at all for an empty sentence
            empty = sentences[next(i for i, one in enumerate(ids) if not one)]
            raise EncoderError(f"{self.name} has no token for the sentence {quote_safe(empty)}.")
        # Padded here, because decoders' tokenizers often have no token for it.
        shape = len(ids), max(map(len, ids))
        padded = np.full(shape, getattr(tokenizer, "pad_token_id", None) or 0, dtype=np.int64)
        mask, places = np.zeros(shape, dtype=bool), np.zeros((*shape, 2), dtype=np.int64)
        for i, one in enumerate(ids):
            padded[i, : len(one)], mask[i, : len(one)] = one, True
            if offsets:
                places[i, : len(one)] = cut["offset_mapping"][i]
        with torch.inference_mode():
            made = model(
                input_ids=torch.from_numpy(padded).to(model.device),
                attention_mask=torch.from_numpy(mask.astype(np.int64)).to(model.device),
                output_hidden_states=True,
            )
            states = self._of_layers(made.hidden_states, torch)
        return states.cpu().numpy(), mask, places

    def _of_layers(self, layers: Sequence[Any], torch: Any) -> Any:
        if self._layer == "sum":
            return torch.stack(tuple(layers)).sum(dim=0)
        if self._layer == "mean":
            return torch.stack(tuple(layers)).mean(dim=0)
        if self._layer == "concat":
            return torch.cat(tuple(layers), dim=2)
        at = int(self._layer)
        if not -len(layers) <= at < len(layers):
            raise UsageError(
                f"{self.name} has layers 0 to {len(layers) - 1} (-{len(layers)} to -1 from the "
                f"top); there is no layer {at}."
            )
        return layers[at]


def word_span(sentence: str, word: str) -> tuple[int, int]:
    """Where a word first stands in a sentence, whole, as it is spelled or else in any case.

    >>> word_span("Mann and man.", "man"), word_span("This is Amy.", "amy")
    ((9, 12), (8, 11))
    """
    # Whole first: the rose of "the rose-bush and the rose" is the second one.
    whole = rf"(?<![\w'’-]){re.escape(word)}(?![\w’-])(?!'\w)"
    inside = rf"(?<!\w){re.escape(word)}(?!\w)"
    tries = ((whole, 0), (inside, 0), (inside, re.IGNORECASE))
    found = next(
        filter(None, (re.search(pattern, sentence, flag) for pattern, flag in tries)), None
    )
    if not word or not found:
        raise UsageError(
            f"The word {quote_safe(word)} is not in the sentence {quote_safe(sentence)}."
        )
    return found.span()


def open_hf(spec: Spec) -> TransformerEncoder:
    """Open ``hf:NAME_OR_PATH?pool=…&layer=…&gguf_file=…&device=…``."""
    check_options(spec, ["pool", "layer", "gguf_file", "device"])
    how = choice(spec, "pool", ("auto", *POOLS), "auto")
    layer = spec.options.get("layer", "-1")
    if layer not in _LAYERS and not re.fullmatch(r"-?\d{1,4}", layer):
        raise UsageError(
            f"layer={quote_safe(layer)} in {quote_safe(spec.text)} is neither a number nor one of "
            f"{', '.join(_LAYERS)}."
        )
    if find_spec("torch") is None or find_spec("transformers") is None:
        raise MissingExtra("An encoder of transformers (hf:)", "transformers")
    folder, gguf = find_folder(spec.rest), spec.options.get("gguf_file")
    if folder.is_file():
        if folder.suffix != ".gguf":
            raise SourceNotFound(f"{folder} is a file: give the folder of the model.")
        folder, gguf = folder.parent, folder.name
    if gguf:
        if not (folder / gguf).is_file():
            raise SourceNotFound(f"There is no file {quote_safe(gguf)} in {folder}.")
        if find_spec("gguf") is None or find_spec("accelerate") is None:
            raise MissingExtra("A model in GGUF", "gguf")
    return TransformerEncoder(
        folder,
        pool=how,
        layer=layer,
        gguf_file=gguf,
        device=spec.options.get("device"),
        name=spec.text,
    )
