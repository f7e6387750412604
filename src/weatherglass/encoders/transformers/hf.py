"""``hf:NAME_OR_PATH``: models of transformers.

By default, BERT-like models give the top layer's vector of ``[CLS]``, and GPT-like models that of
the last token (SEAT supplement, section C). ``pooling=mean&layer=sum`` is the supplement's choice
for ELMo. ``layer=all`` is a sweep over all layers.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weatherglass.errors import EncoderError, MissingExtra, SourceNotFound, UsageError, quote_safe
from weatherglass.vectors import Spec, check_options

from ..encoder import Encodings, View, integer_option
from ..model_files import find_folder, model_fingerprint, refuse_unsafe_files
from ..token_states import pool
from .options import (
    SHARED,
    Served,
    count_tokens,
    load_error,
    load_strictly,
    pooling_option,
    read_prompts,
    served_options,
)

_LAYERS = ("sum", "mean", "concat")
ALL = "all"


class TransformerEncoder:
    """A model of transformers, loaded when the first sentence is encoded.

    Parameters
    ----------
    folder
        The model's folder.
    pooling
        ``cls``, ``mean``, ``max``, ``last``; or ``auto``: ``cls`` where the tokenizer has such a
        token, ``mean`` for encoder-decoders such as T5, otherwise ``last``.
    layer
        The index of a layer, 0 for the embeddings and -1 for the top; or ``sum``, ``mean`` or
        ``concat`` of all layers.
    served
        What is put before every sentence, and how many dimensions are kept. The tokens of a prompt
        count in the pooling.
    batch_size
        The number of sentences to encode at once.
    gguf_file
        The file in the folder, for weights in GGUF.
    device
        The PyTorch device; by default a GPU if there is one.
    """

    def __init__(
        self,
        folder: Path,
        *,
        pooling: str = "auto",
        layer: str = "-1",
        served: Served | None = None,
        batch_size: int | None = None,
        gguf_file: str | None = None,
        device: str | None = None,
        name: str = "",
    ) -> None:
        self.folder, self.name = folder, name or f"hf:{folder}"
        self._pooling, self._layer, self._device = pooling, layer, device
        self._served, self.batch_size = served or Served(), batch_size
        prompts = read_prompts(folder) if self._served.prompt_name else {}
        self._prompt = self._served.prompt or prompts.get(self._served.prompt_name or "", "")
        self._gguf = {"gguf_file": gguf_file} if gguf_file else {}

    @functools.cached_property
    def fingerprint(self) -> str:
        """A hash of the model's files and of the options that change its encodings."""
        return self._fingerprint_of(self._layer)

    def _fingerprint_of(self, layer: str) -> str:
        options = (self._gguf, self._pooling, layer, *self._served.fingerprint)
        return model_fingerprint(self.folder, "hf", *options)

    @functools.cached_property
    def _loaded(self) -> tuple[Any, Any, str]:
        """The model, its tokenizer and the pooling."""
        refuse_unsafe_files(self.folder)
        with load_strictly():
            import torch
            from transformers import AutoModel, AutoTokenizer

            local = {"local_files_only": True, "trust_remote_code": False, **self._gguf}
            try:
                tokenizer = AutoTokenizer.from_pretrained(str(self.folder), **local)
                model = AutoModel.from_pretrained(str(self.folder), **local)
            except Exception as error:  # the libraries raise various errors for a bad folder
                raise load_error(self.name, error) from error
        is_encoder_decoder = bool(model.config.is_encoder_decoder)
        if is_encoder_decoder:
            model = model.get_encoder()
        device = self._device or ("cuda" if torch.cuda.is_available() else "cpu")
        has_cls = getattr(tokenizer, "cls_token_id", None) is not None
        default = "mean" if is_encoder_decoder else "cls" if has_cls else "last"
        pooling = default if self._pooling == "auto" else self._pooling
        if not self._gguf:  # GGUF is read as float32, and does not accept a conversion
            model = model.float()
        return model.eval().to(device), tokenizer, pooling

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Return the number of tokens of each text, without those that mark its ends."""
        _, tokenizer, _ = self._loaded
        return count_tokens(tokenizer, texts)

    def encode(self, sentences: Sequence[str]) -> Encodings:
        """Return one row per sentence, float32."""
        _, _, pooling = self._loaded
        texts = [self._prompt + sentence for sentence in sentences]
        states, mask, _ = self._token_states(texts, offsets=False)
        return self._truncate(pool(states, mask, pooling))

    def _truncate(self, rows: Encodings) -> Encodings:
        return self._served.truncate(rows, self.name)

    def encode_words(self, sentences: Sequence[str], words: Sequence[str]) -> Encodings:
        """Return the mean over the tokens of the first ``words[i]`` in ``sentences[i]``.

        The layer matters here, the pooling does not.
        """
        if len(sentences) != len(words):
            raise UsageError(
                f"{len(words)} words for {len(sentences)} sentences; expected one for each."
            )
        shift = len(self._prompt)
        spans = [word_span(s, word) for s, word in zip(sentences, words, strict=True)]
        spans = [(start + shift, end + shift) for start, end in spans]
        texts = [self._prompt + sentence for sentence in sentences]
        states, mask, offsets = self._token_states(texts, offsets=True)
        rows = np.empty((len(sentences), states.shape[2]), dtype=states.dtype)
        for i, (start, end) in enumerate(spans):
            first, last = offsets[i, :, 0], offsets[i, :, 1]
            is_inside = mask[i] & (first < end) & (last > start) & (last > first)
            if not is_inside.any():
                raise EncoderError(
                    f"{self.name}: {quote_safe(words[i])} is beyond the model's maximum length in "
                    f"{quote_safe(sentences[i])}. Shorten the sentence."
                )
            rows[i] = states[i, is_inside].mean(axis=0)
        return self._truncate(rows)

    def _token_states(
        self, sentences: Sequence[str], offsets: bool
    ) -> tuple[Encodings, NDArray[np.bool_], NDArray[np.int64]]:
        """Return the hidden states of all tokens, their mask, and their offsets in the text."""
        import torch

        model, tokenizer, _ = self._loaded
        if offsets and not tokenizer.is_fast:
            raise EncoderError(
                f"{self.name}: its tokenizer does not report the positions of tokens."
            )
        max_length = min(
            tokenizer.model_max_length, getattr(model.config, "max_position_embeddings", 1 << 30)
        )
        tokens = tokenizer(
            list(sentences), truncation=True, max_length=max_length, return_offsets_mapping=offsets
        )
        ids: list[list[int]] = tokens["input_ids"]
        if not all(ids):  # a decoder's tokenizer returns no token for an empty sentence
            empty = sentences[next(i for i, row in enumerate(ids) if not row)]
            raise EncoderError(f"{self.name} has no token for the sentence {quote_safe(empty)}.")
        # Padded here, because tokenizers of decoders often have no padding token.
        shape = len(ids), max(map(len, ids))
        padded = np.full(shape, getattr(tokenizer, "pad_token_id", None) or 0, dtype=np.int64)
        mask, spans = np.zeros(shape, dtype=bool), np.zeros((*shape, 2), dtype=np.int64)
        for i, row in enumerate(ids):
            padded[i, : len(row)], mask[i, : len(row)] = row, True
            if offsets:
                spans[i, : len(row)] = tokens["offset_mapping"][i]
        with torch.inference_mode():
            output = model(
                input_ids=torch.from_numpy(padded).to(model.device),
                attention_mask=torch.from_numpy(mask.astype(np.int64)).to(model.device),
                output_hidden_states=True,
            )
            states = self._combine_layers(output.hidden_states, torch)
        return states.cpu().numpy(), mask, spans

    def _combine_layers(self, layers: Sequence[Any], torch: Any) -> Any:
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


class LayerSweep(TransformerEncoder):
    """All layers of a model in one row, of which each layer is a view.

    A sentence is encoded once for all layers, and each gives the same numbers as the encoder that
    is opened with its number.
    """

    def encode_words(self, sentences: Sequence[str], words: Sequence[str]) -> Encodings:
        """Refuse: the rows of words have no views."""
        raise UsageError(f"{self.name}: a sweep over layers gives no words in contexts.")

    def _truncate(self, rows: Encodings) -> Encodings:
        return rows  # each view is truncated

    @functools.cached_property
    def views(self) -> tuple[View, ...]:
        """The layers, from the embeddings (0) to the top."""
        from transformers import AutoConfig

        with load_strictly():
            config = AutoConfig.from_pretrained(
                str(self.folder), local_files_only=True, trust_remote_code=False, **self._gguf
            )
        dim = int(config.hidden_size)
        kept = self._served.truncate_dim or dim
        if kept > dim:
            raise UsageError(f"{self.name}: truncate_dim is {kept}, and a layer has {dim}.")
        return tuple(
            View(
                re.sub(r"(?<=[?&]layer=)all(?=&|$)", str(layer), self.name),
                self._fingerprint_of(str(layer)),
                slice(layer * dim, layer * dim + kept),
                {"layer": layer, "encoder": self.name},
            )
            for layer in range(int(config.num_hidden_layers) + 1)
        )


def word_span(sentence: str, word: str) -> tuple[int, int]:
    """Return the span of the first occurrence of a word in a sentence.

    A match of the same case comes before a match in another case.

    >>> word_span("Mann and man.", "man"), word_span("This is Amy.", "amy")
    ((9, 12), (8, 11))
    """
    # Whole words first: in "the rose-bush and the rose", rose is the second occurrence.
    whole = rf"(?<![\w'’-]){re.escape(word)}(?![\w’-])(?!'\w)"
    inside = rf"(?<!\w){re.escape(word)}(?!\w)"
    patterns = ((whole, 0), (inside, 0), (inside, re.IGNORECASE))
    match = next(
        filter(None, (re.search(pattern, sentence, flag) for pattern, flag in patterns)), None
    )
    if not word or not match:
        raise UsageError(
            f"The word {quote_safe(word)} is not in the sentence {quote_safe(sentence)}."
        )
    return match.span()


def open_hf(spec: Spec) -> TransformerEncoder:
    """Open ``hf:NAME_OR_PATH?pooling=…&layer=…&prompt=…&gguf_file=…``."""
    check_options(spec, (*SHARED, "pool", "gguf_file"))
    pooling = pooling_option(spec)
    layer = spec.options.get("layer", "-1")
    if layer not in (*_LAYERS, ALL) and not re.fullmatch(r"-?\d{1,4}", layer):
        raise UsageError(
            f"layer={quote_safe(layer)} in {quote_safe(spec.text)} is neither a number nor one of "
            f"{', '.join((*_LAYERS, ALL))}."
        )
    batch_size = integer_option(spec, "batch_size", low=1)
    if find_spec("torch") is None or find_spec("transformers") is None:
        raise MissingExtra("An encoder of transformers (hf:)", "transformers")
    folder = find_folder(spec.rest, spec.options.get("revision"))
    gguf = spec.options.get("gguf_file")
    if folder.is_file():
        if folder.suffix != ".gguf":
            raise SourceNotFound(f"{folder} is a file; give the folder of the model.")
        folder, gguf = folder.parent, folder.name
    if gguf:
        if not (folder / gguf).is_file():
            raise SourceNotFound(f"There is no file {quote_safe(gguf)} in {folder}.")
        if find_spec("gguf") is None or find_spec("accelerate") is None:
            raise MissingExtra("A model in GGUF", "gguf")
    kind = LayerSweep if layer == ALL else TransformerEncoder
    return kind(
        folder,
        pooling=pooling,
        layer="concat" if layer == ALL else layer,
        served=served_options(spec, folder),
        batch_size=batch_size,
        gguf_file=gguf,
        device=spec.options.get("device"),
        name=spec.text,
    )
