"""``elmo:WEIGHTS``: characters, a convolution over them, and two LSTM language models.

Peters et al. 2018, from the published HDF5 file. As in section C of the SEAT supplement, a sentence
is the mean over its words of each layer, summed over the three layers. Every sentence starts from
an empty state; the authors' own program carried its state from batch to batch, so that its rows
depended on what was encoded before.
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

# The characters are bytes of UTF-8, and these.
_BEGIN_SENTENCE, _END_SENTENCE, _BEGIN_WORD, _END_WORD, _PADDING = 256, 257, 258, 259, 260
_SAID = 200  # characters of what a file holds that a complaint repeats


@dataclass(frozen=True)
class Settings:
    """What the weights themselves do not say; the published models' by default."""

    characters: int = 50
    activation: str = "relu"
    cell_clip: float = 3.0
    proj_clip: float = 3.0
    skip: bool = True

    @classmethod
    def read(cls, path: Path) -> Settings:
        """From the ``options.json`` that is published beside the weights."""
        try:
            options = json.loads(path.read_text())
            cnn, lstm = options["char_cnn"], options["lstm"]
            read = cls(
                characters=int(cnn["max_characters_per_token"]),
                activation=str(cnn["activation"]),
                cell_clip=float(lstm["cell_clip"]),
                proj_clip=float(lstm["proj_clip"]),
                skip=bool(lstm["use_skip_connections"]),
            )
        except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
            why = f"{type(error).__name__}: {str(error)[:_SAID]}"  # it may quote the whole file
            raise BadContent(f"{path} does not hold ELMo's options ({why}).") from None
        if read.activation not in ("relu", "tanh") or read.characters < 3:
            raise BadContent(f"{path} has options that are not ELMo's: {read}.")
        return read


class Elmo:
    """ELMo, from its published weights.

    Parameters
    ----------
    weights
        ``…_weights.hdf5``.
    options
        ``…_options.json``; without it, the published models' settings.
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
        """Of the weights, the settings, the pooling and the layers."""
        files = files_fingerprint([self._weights, *([self._options] if self._options else [])])
        return hash_parts("elmo", "ptb-1", files, self._pool, self._layer)

    @functools.cached_property
    def _network(self) -> Network:
        settings = Settings.read(self._options) if self._options else Settings()
        return Network(_read(self._weights), settings, self._weights)

    def encode(self, sentences: Sequence[str]) -> Encodings:
        """One row a sentence, float32."""
        cut = [tokenize(sentence) for sentence in sentences]
        for sentence, words in zip(sentences, cut, strict=True):
            if not words:
                raise EncoderError(
                    f"{self.name} has no word for the sentence {quote_safe(sentence)}."
                )
        layers, mask = self._network.layers(cut)
        pooled = [pool(layer, mask, self._pool) for layer in layers]
        if self._layer == "sum":
            total: Encodings = np.sum(pooled, axis=0)
            return total
        return np.hstack(pooled) if self._layer == "concat" else pooled[int(self._layer)]


class Network:
    """The forward pass, in the published weights' own layout and names."""

    def __init__(self, weights: dict[str, Any], settings: Settings, path: Path) -> None:
        import torch

        self._torch, self._settings = torch, settings
        self._w = {name: torch.from_numpy(array) for name, array in weights.items()}
        self._filters = sum(name.startswith("CNN/W_cnn_") for name in weights)
        self._highways = len({n.split("/")[0] for n in weights if n.startswith("CNN_high_")})
        self._depth = len({n.split("/")[3] for n in weights if n.startswith("RNN_0/")})
        if not self._filters or not self._depth or "char_embed" not in weights:
            raise BadContent(
                f"{path} does not hold ELMo's weights: {join_first(map(quote_safe, sorted(weights)), 8)}."
            )

    def layers(
        self, sentences: Sequence[Sequence[str]]
    ) -> tuple[list[Encodings], NDArray[np.bool_]]:
        """One table for each layer, sentences × words × numbers, and where there are words."""
        torch = self._torch
        with torch.inference_mode():
            places: dict[str | int, int] = {_BEGIN_SENTENCE: 0, _END_SENTENCE: 1}
            for words in sentences:
                for word in words:
                    places.setdefault(word, len(places))
            spelled = [character_ids(word, self._settings.characters) for word in places]
            tokens = self._tokens(torch.tensor(spelled))
            lengths = torch.tensor([len(words) + 2 for words in sentences])
            ids = torch.zeros(len(sentences), int(lengths.max()), dtype=torch.long)
            for row, words in zip(ids, sentences, strict=True):
                row[: len(words) + 2] = torch.tensor([0, *(places[w] for w in words), 1])
            x = tokens[ids]
            found = [torch.cat([x, x], dim=2)]
            ahead = self._direction(x, 0)
            back = [
                _turned(h, lengths, torch) for h in self._direction(_turned(x, lengths, torch), 1)
            ]
            found += [torch.cat(pair, dim=2) for pair in zip(ahead, back, strict=True)]
        steps = np.arange(1, ids.shape[1] - 1)
        mask = steps[None, :] < (lengths.numpy() - 1)[:, None]
        return [layer[:, 1:-1].numpy() for layer in found], mask

    def _tokens(self, ids: Any) -> Any:
        """Characters to one vector a word: convolutions, highways, projection."""
        torch, w = self._torch, self._w
        x = w["char_embed"][ids].transpose(1, 2)
        activation = getattr(torch, self._settings.activation)
        parts = []
        for i in range(self._filters):
            kernel = w[f"CNN/W_cnn_{i}"][0].permute(2, 1, 0)
            made = torch.nn.functional.conv1d(x, kernel, w[f"CNN/b_cnn_{i}"])
            parts.append(activation(made.amax(dim=2)))
        y = torch.cat(parts, dim=1)
        for i in range(self._highways):
            own = f"CNN_high_{i}/"
            carry = torch.sigmoid(y @ w[own + "W_carry"] + w[own + "b_carry"])
            changed = torch.relu(y @ w[own + "W_transform"] + w[own + "b_transform"])
            y = carry * changed + (1 - carry) * y
        return y @ w["CNN_proj/W_proj"] + w["CNN_proj/b_proj"] if "CNN_proj/W_proj" in w else y

    def _direction(self, x: Any, direction: int) -> list[Any]:
        """The layers of one language model, from the first step to the last."""
        made = []
        for i in range(self._depth):
            h = self._cell(x, f"RNN_{direction}/RNN/MultiRNNCell/Cell{i}/LSTMCell/")
            x = h + x if i and self._settings.skip else h
            made.append(x)
        return made

    def _cell(self, x: Any, own: str) -> Any:
        """An LSTM with a projected state, both clipped; gates in TensorFlow's order i, j, f, o."""
        torch, w, clip = self._torch, self._w, self._settings
        size = w[own + "W_P_0"].shape
        h, c = x.new_zeros(len(x), size[1]), x.new_zeros(len(x), size[0])
        made = []
        for t in range(x.shape[1]):
            gates = torch.cat([x[:, t], h], dim=1) @ w[own + "W_0"] + w[own + "B"]
            i, j, f, o = gates.chunk(4, dim=1)
            c = torch.sigmoid(f + 1.0) * c + torch.sigmoid(i) * torch.tanh(j)
            c = c.clamp(-clip.cell_clip, clip.cell_clip)
            h = (torch.sigmoid(o) * torch.tanh(c)) @ w[own + "W_P_0"]
            h = h.clamp(-clip.proj_clip, clip.proj_clip)
            made.append(h)
        return torch.stack(made, dim=1)


def _turned(x: Any, lengths: Any, torch: Any) -> Any:
    """Each sequence back to front, its padding left behind."""
    steps = torch.arange(x.shape[1])[None, :]
    order = torch.where(steps < lengths[:, None], lengths[:, None] - 1 - steps, steps)
    return x.gather(1, order[:, :, None].expand_as(x))


def character_ids(word: str | int, length: int) -> list[int]:
    """The characters of a word as ELMo numbers them; a number stands for a mark of its own.

    >>> character_ids("né", 8)
    [258, 110, 195, 169, 259, 260, 260, 260]
    """
    inside = [word] if isinstance(word, int) else list(word.encode("utf-8", "ignore"))[: length - 2]
    ids = [_BEGIN_WORD, *inside, _END_WORD]
    return ids + [_PADDING] * (length - len(ids))


def _read(path: Path) -> dict[str, NDArray[np.float32]]:
    import h5py

    found: dict[str, NDArray[np.float32]] = {}

    def visit(name: str, item: Any) -> None:
        if isinstance(item, h5py.Dataset):
            found[name] = np.asarray(item[()], dtype=np.float32)

    try:
        with h5py.File(path, "r") as file:
            file.visititems(visit)
    except Exception as error:  # damage shows itself in many ways
        raise BadContent(
            f"{path} is a damaged or foreign HDF5 file ({str(error)[:200]})."
        ) from None
    return found


def open_elmo(spec: Spec) -> Elmo:
    """Open ``elmo:WEIGHTS.hdf5?options=FILE&pool=mean|max&layer=sum|concat|0|1|2``."""
    check_options(spec, ["options", "pool", "layer"])
    how = choice_option(spec, "pool", ("mean", "max"), "mean")
    layer = choice_option(spec, "layer", ("sum", "concat", "0", "1", "2"), "sum")
    if find_spec("torch") is None:
        raise MissingExtra("ELMo (elmo:)", "transformers")
    if find_spec("h5py") is None:
        raise MissingExtra("ELMo's weights", "formats")
    weights = Path(spec.rest).expanduser()
    if not weights.is_file():
        raise SourceNotFound(f"There is no file of weights {weights}.")
    beside = weights.with_name(weights.name.replace("weights.hdf5", "options.json"))
    asked = spec.options.get("options")
    options = Path(asked) if asked else beside if beside != weights and beside.is_file() else None
    if options is not None and not options.is_file():
        raise SourceNotFound(f"There is no file of options {options}.")
    return Elmo(weights, options, pool=how, layer=layer, name=spec.text)
