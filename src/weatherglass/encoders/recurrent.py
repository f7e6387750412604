"""Published weight files of recurrent networks, opened as tensors only, and run by PyTorch."""

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
    """The tensors of a state_dict by their names, from safetensors or a PyTorch file."""
    import torch

    if not path.is_file():
        raise SourceNotFound(f"There is no file of weights {path}.")
    if path.suffix == ".safetensors":
        from safetensors.torch import load_file

        weights = load_file(path)
    else:
        try:
            weights = torch.load(path, map_location="cpu", weights_only=True)
        except Exception as error:  # the unpickler, the zip reader and torch each have their own
            raise pickle_refused(path) from error
    if not isinstance(weights, Mapping) or not all(map(torch.is_tensor, weights.values())):
        raise BadContent(f"{path} holds no state_dict: expected tensors by their names.")
    return {str(name): tensor.float() for name, tensor in weights.items()}


def recurrent(
    weights: Mapping[str, Any], prefix: str, kind: Literal["LSTM", "GRU"], path: Path
) -> Any:
    """PyTorch's LSTM or GRU of the size that the weights under `prefix` have."""
    import torch

    own = {k.removeprefix(prefix): v for k, v in weights.items() if k.startswith(prefix)}
    try:
        hidden = own["weight_hh_l0"].shape[1]
        if own["weight_hh_l0"].shape[0] != _GATES[kind] * hidden:
            raise ValueError(f"no {kind}")
        network = getattr(torch.nn, kind)(
            input_size=own["weight_ih_l0"].shape[1],
            hidden_size=hidden,
            num_layers=sum(name.startswith("weight_hh") and "rev" not in name for name in own),
            bidirectional="weight_hh_l0_reverse" in own,
            batch_first=True,
        )
        network.load_state_dict(own)
    except (KeyError, ValueError, RuntimeError, IndexError) as error:
        listed = join_first(map(quote_safe, sorted(weights)), 8)
        raise BadContent(
            f"{path} does not hold the weights of a {kind} under {prefix!r} ({listed}): "
            f"{str(error)[:200]}"
        ) from None
    return network.eval()


def run(
    network: Any, sequences: Sequence[Encodings], how: Literal["max", "mean", "last"]
) -> Encodings:
    """One row for each sequence of rows.

    ``max`` and ``mean`` go over the hidden states of the sequence's own steps, never its padding;
    ``last`` is the last hidden state of the top layer, backward before forward.
    """
    import torch

    rows = [torch.from_numpy(np.array(one, dtype=np.float32)) for one in sequences]
    packed = torch.nn.utils.rnn.pack_sequence(rows, enforce_sorted=False)
    with torch.inference_mode():
        states, last = network(packed)
        if how == "last":
            last = last[0] if isinstance(last, tuple) else last
            both = (last[-1], last[-2]) if network.bidirectional else (last[-1],)
            pooled = torch.cat(both, dim=1)
        else:
            fill = float("-inf") if how == "max" else 0.0
            padded, lengths = torch.nn.utils.rnn.pad_packed_sequence(
                states, batch_first=True, padding_value=fill
            )
            pooled = padded.amax(1) if how == "max" else padded.sum(1) / lengths[:, None]
    made: Encodings = pooled.numpy()
    return made
