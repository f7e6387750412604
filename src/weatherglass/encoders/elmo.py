"""``elmo:WEIGHTS``: a convolution over characters, and two LSTM language models.

Peters et al. 2018, from the published HDF5 file. As in section C of the SEAT supplement, a sentence
is the mean over its words of each layer, summed over the three layers. Every sentence starts from
an empty state; the authors' own program kept its state from batch to batch, so that its rows
depended on the sentences encoded before.
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

from weatherglass._files import check_data_sets, open_hdf5
from weatherglass.errors import (
    BadContent,
    EncoderError,
    MissingExtra,
    SourceNotFound,
    join_first,
    quote_safe,
)
from weatherglass.vectors import Spec, check_options

from .cbow import tokenize
from .encoder import Encodings, choice_option
from .model_files import files_fingerprint, hash_parts
from .token_states import pool

# The character ids are the bytes of UTF-8, and these.
_BEGIN_SENTENCE, _END_SENTENCE, _BEGIN_WORD, _END_WORD, _PADDING = 256, 257, 258, 259, 260
_MAX_QUOTED_CHARACTERS = 200  # an error may quote the whole file


@dataclass(frozen=True)
class Settings:
    """The settings that the weights do not contain; defaults: those of the published models."""

    characters: int = 50
    activation: str = "relu"
    cell_clip: float = 3.0
    proj_clip: float = 3.0
    skip: bool = True

    @classmethod
    def read(cls, path: Path) -> Settings:
        """Read the ``options.json`` that is published with the weights."""
        try:
            options = json.loads(path.read_text())
            cnn, lstm = options["char_cnn"], options["lstm"]
            settings = cls(
                characters=int(cnn["max_characters_per_token"]),
                activation=str(cnn["activation"]),
                cell_clip=float(lstm["cell_clip"]),
                proj_clip=float(lstm["proj_clip"]),
                skip=bool(lstm["use_skip_connections"]),
            )
        except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
            reason = f"{type(error).__name__}: {str(error)[:_MAX_QUOTED_CHARACTERS]}"
            raise BadContent(f"{path} does not hold ELMo's options ({reason}).") from None
        if settings.activation not in ("relu", "tanh") or settings.characters < 3:
            raise BadContent(f"{path} has options that ELMo does not have: {settings}.")
        return settings


class Elmo:
    """ELMo, from its published weights.

    Parameters
    ----------
    weights
        ``…_weights.hdf5``.
    options
        ``…_options.json``; default: the settings of the published models.
    pool
        ``mean`` or ``max`` over the words.
    layer
        ``sum`` or ``concat`` of the layers, or one of them: ``0``, ``1``, ``2``.
    """

    def __init__(
        self,
        weights: Path,
        options: Path | None = None,
        *,
        pool: str = "mean",
        layer: str = "sum",
        name: str = "",
    ) -> None:
        self._weights, self._options, self._pool, self._layer = weights, options, pool, layer
        self.name = name or f"elmo:{weights}"

    @functools.cached_property
    def fingerprint(self) -> str:
        """A hash of the weights, the settings, the pooling and the layers."""
        files = files_fingerprint([self._weights, *([self._options] if self._options else [])])
        return hash_parts("elmo", "ptb-1", files, self._pool, self._layer)

    @functools.cached_property
    def _network(self) -> Network:
        settings = Settings.read(self._options) if self._options else Settings()
        return Network(_read_weights(self._weights), settings, self._weights)

    def encode(self, sentences: Sequence[str]) -> Encodings:
        """Return one row per sentence, float32."""
        tokenized = [tokenize(sentence) for sentence in sentences]
        for sentence, words in zip(sentences, tokenized, strict=True):
            if not words:
                raise EncoderError(
                    f"{self.name} finds no word in the sentence {quote_safe(sentence)}."
                )
        layers, mask = self._network.layers(tokenized)
        pooled = [pool(layer, mask, self._pool) for layer in layers]
        if self._layer == "sum":
            total: Encodings = np.sum(pooled, axis=0)
            return total
        return np.hstack(pooled) if self._layer == "concat" else pooled[int(self._layer)]


class Network:
    """The forward pass, with the layout and the names of the published weights."""

    def __init__(self, weights: dict[str, Any], settings: Settings, path: Path) -> None:
        import torch

        self._torch, self._settings = torch, settings
        self._w = {name: torch.from_numpy(array) for name, array in weights.items()}
        self._filters = sum(name.startswith("CNN/W_cnn_") for name in weights)
        self._highways = len({n.split("/")[0] for n in weights if n.startswith("CNN_high_")})
        self._depth = len({n.split("/")[3] for n in weights if n.startswith("RNN_0/")})
        if not self._filters or not self._depth or "char_embed" not in weights:
            listed = join_first(map(quote_safe, sorted(weights)), 8)
            raise BadContent(f"{path} does not hold ELMo's weights: {listed}.")

    def layers(
        self, sentences: Sequence[Sequence[str]]
    ) -> tuple[list[Encodings], NDArray[np.bool_]]:
        """Return each layer as sentences × words × numbers, and a mask of where words are."""
        torch = self._torch
        with torch.inference_mode():
            token_rows: dict[str | int, int] = {_BEGIN_SENTENCE: 0, _END_SENTENCE: 1}
            for words in sentences:
                for word in words:
                    token_rows.setdefault(word, len(token_rows))
            characters = [character_ids(word, self._settings.characters) for word in token_rows]
            tokens = self._embed_tokens(torch.tensor(characters))
            lengths = torch.tensor([len(words) + 2 for words in sentences])
            ids = torch.zeros(len(sentences), int(lengths.max()), dtype=torch.long)
            for row, words in zip(ids, sentences, strict=True):
                row[: len(words) + 2] = torch.tensor([0, *(token_rows[w] for w in words), 1])
            x = tokens[ids]
            forward = self._run_direction(x, 0)
            reversed_x = _reverse(x, lengths, torch)
            backward = [_reverse(h, lengths, torch) for h in self._run_direction(reversed_x, 1)]
            layers = [torch.cat([x, x], dim=2)]
            layers += [torch.cat(pair, dim=2) for pair in zip(forward, backward, strict=True)]
        steps = np.arange(1, ids.shape[1] - 1)
        mask = steps[None, :] < (lengths.numpy() - 1)[:, None]
        return [layer[:, 1:-1].numpy() for layer in layers], mask

    def _embed_tokens(self, ids: Any) -> Any:
        """Return one vector per word from its characters: convolutions, highways, projection."""
        torch, w = self._torch, self._w
        x = w["char_embed"][ids].transpose(1, 2)
        activation = getattr(torch, self._settings.activation)
        features = []
        for i in range(self._filters):
            kernel = w[f"CNN/W_cnn_{i}"][0].permute(2, 1, 0)
            convolved = torch.nn.functional.conv1d(x, kernel, w[f"CNN/b_cnn_{i}"])
            features.append(activation(convolved.amax(dim=2)))
        y = torch.cat(features, dim=1)
        for i in range(self._highways):
            prefix = f"CNN_high_{i}/"
            carry = torch.sigmoid(y @ w[prefix + "W_carry"] + w[prefix + "b_carry"])
            transformed = torch.relu(y @ w[prefix + "W_transform"] + w[prefix + "b_transform"])
            y = carry * transformed + (1 - carry) * y
        return y @ w["CNN_proj/W_proj"] + w["CNN_proj/b_proj"] if "CNN_proj/W_proj" in w else y

    def _run_direction(self, x: Any, direction: int) -> list[Any]:
        """Return the layers of one language model, from the first step to the last."""
        layers = []
        for i in range(self._depth):
            h = self._run_lstm(x, f"RNN_{direction}/RNN/MultiRNNCell/Cell{i}/LSTMCell/")
            x = h + x if i and self._settings.skip else h
            layers.append(x)
        return layers

    def _run_lstm(self, x: Any, prefix: str) -> Any:
        """Run an LSTM with a projected state, both clipped; gates in TensorFlow's order i j f o."""
        torch, w, clip = self._torch, self._w, self._settings
        size = w[prefix + "W_P_0"].shape
        h, c = x.new_zeros(len(x), size[1]), x.new_zeros(len(x), size[0])
        states = []
        for t in range(x.shape[1]):
            gates = torch.cat([x[:, t], h], dim=1) @ w[prefix + "W_0"] + w[prefix + "B"]
            i, j, f, o = gates.chunk(4, dim=1)
            c = torch.sigmoid(f + 1.0) * c + torch.sigmoid(i) * torch.tanh(j)
            c = c.clamp(-clip.cell_clip, clip.cell_clip)
            h = (torch.sigmoid(o) * torch.tanh(c)) @ w[prefix + "W_P_0"]
            h = h.clamp(-clip.proj_clip, clip.proj_clip)
            states.append(h)
        return torch.stack(states, dim=1)


def _reverse(x: Any, lengths: Any, torch: Any) -> Any:
    """Return each sequence in reverse, with its padding still on the right."""
    steps = torch.arange(x.shape[1])[None, :]
    order = torch.where(steps < lengths[:, None], lengths[:, None] - 1 - steps, steps)
    return x.gather(1, order[:, :, None].expand_as(x))


def character_ids(word: str | int, length: int) -> list[int]:
    """Return the character ids of a word; an integer is the id of a sentence mark.

    >>> character_ids("né", 8)
    [258, 110, 195, 169, 259, 260, 260, 260]
    """
    content = [word] if isinstance(word, int) else list(word.encode("utf-8", "ignore"))
    ids = [_BEGIN_WORD, *content[: length - 2], _END_WORD]
    return ids + [_PADDING] * (length - len(ids))


def _read_weights(path: Path) -> dict[str, NDArray[np.float32]]:
    data_sets: dict[str, Any] = {}

    def visit(name: str, item: Any) -> None:
        if hasattr(item, "dtype"):
            data_sets[name] = item

    with open_hdf5(path) as file:
        file.visititems(visit)
        for name, item in data_sets.items():
            if item.shape is None or item.dtype.kind not in "fiu":
                raise BadContent(f"{path}: {quote_safe(name)} contains no numbers.")
        check_data_sets(path, path.stat().st_size, data_sets.values())
        return {name: np.asarray(item[()], dtype=np.float32) for name, item in data_sets.items()}


def open_elmo(spec: Spec) -> Elmo:
    """Open ``elmo:WEIGHTS.hdf5?options=FILE&pool=mean|max&layer=sum|concat|0|1|2``."""
    check_options(spec, ["options", "pool", "layer"])
    pooling = choice_option(spec, "pool", ("mean", "max"), "mean")
    layer = choice_option(spec, "layer", ("sum", "concat", "0", "1", "2"), "sum")
    if find_spec("torch") is None:
        raise MissingExtra("ELMo (elmo:)", "transformers")
    if find_spec("h5py") is None:
        raise MissingExtra("ELMo's weights", "formats")
    weights = Path(spec.rest).expanduser()
    if not weights.is_file():
        raise SourceNotFound(f"There is no weights file {weights}.")
    published = weights.with_name(weights.name.replace("weights.hdf5", "options.json"))
    options = published if published != weights and published.is_file() else None
    if spec.options.get("options"):
        options = Path(spec.options["options"])
    if options is not None and not options.is_file():
        raise SourceNotFound(f"There is no options file {options}.")
    return Elmo(weights, options, pool=pooling, layer=layer, name=spec.text)
