"""Published weights of recurrent networks, read as tensors only, and run by PyTorch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np

from weatherglass.errors import BadContent, SourceNotFound, join_first, quote_safe

from .encoder import Encodings
from .model_files import pickle_refused

_GATES = {"LSTM": 4, "GRU": 3}


def load_weights(path: Path) -> dict[str, Any]:
    """Return the tensors of a state_dict by name, from a safetensors or PyTorch file."""
    import torch

    if not path.is_file():
        raise SourceNotFound(f"There is no weights file {path}.")
    if path.suffix == ".safetensors":
        from safetensors.torch import load_file

        weights = load_file(path)
    else:
        try:
            weights = torch.load(path, map_location="cpu", weights_only=True)
        except Exception as error:  # the unpickler, the zip reader and torch raise many types
            raise pickle_refused(path) from error
    if not isinstance(weights, Mapping) or not all(map(torch.is_tensor, weights.values())):
        raise BadContent(f"{path} holds no state_dict: expected tensors with names.")
    return {str(name): tensor.float() for name, tensor in weights.items()}


def build_network(
    weights: Mapping[str, Any], prefix: str, kind: Literal["LSTM", "GRU"], path: Path
) -> Any:
    """Return an LSTM or GRU of PyTorch with the weights whose names start with `prefix`."""
    import torch

    own_weights = {k.removeprefix(prefix): v for k, v in weights.items() if k.startswith(prefix)}
    try:
        hidden = own_weights["weight_hh_l0"].shape[1]
        if own_weights["weight_hh_l0"].shape[0] != _GATES[kind] * hidden:
            raise ValueError(f"not a {kind}")
        network = getattr(torch.nn, kind)(
            input_size=own_weights["weight_ih_l0"].shape[1],
            hidden_size=hidden,
            num_layers=sum(
                name.startswith("weight_hh") and "rev" not in name for name in own_weights
            ),
            bidirectional="weight_hh_l0_reverse" in own_weights,
            batch_first=True,
        )
        network.load_state_dict(own_weights)
    except (KeyError, ValueError, RuntimeError, IndexError) as error:
        listed = join_first(map(quote_safe, sorted(weights)), 8)
        raise BadContent(
            f"{path} does not hold the weights of a {kind} under {prefix!r} ({listed}): "
            f"{str(error)[:200]}"
        ) from None
    return network.eval()


def run_network(
    network: Any, sequences: Sequence[Encodings], pooling: Literal["max", "mean", "last"]
) -> Encodings:
    """Return one row for each sequence of rows.

    ``max`` and ``mean`` are over the hidden states of the sequence's own steps, never its padding;
    ``last`` is the last hidden state of the top layer, backward before forward.
    """
    import torch

    rows = [torch.from_numpy(np.array(sequence, dtype=np.float32)) for sequence in sequences]
    packed = torch.nn.utils.rnn.pack_sequence(rows, enforce_sorted=False)
    with torch.inference_mode():
        states, last = network(packed)
        if pooling == "last":
            last = last[0] if isinstance(last, tuple) else last
            directions = (last[-1], last[-2]) if network.bidirectional else (last[-1],)
            pooled = torch.cat(directions, dim=1)
        else:
            padding = float("-inf") if pooling == "max" else 0.0
            padded, lengths = torch.nn.utils.rnn.pad_packed_sequence(
                states, batch_first=True, padding_value=padding
            )
            pooled = padded.amax(1) if pooling == "max" else padded.sum(1) / lengths[:, None]
    encodings: Encodings = pooled.numpy()
    return encodings
