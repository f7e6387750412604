"""What `train` was asked for, checked; and the part of it that decides what the vectors are."""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, get_args

from weatherglass.errors import UsageError

from .tokens import Tokenizer

Method = Literal["sgns", "ppmi-svd"]
VERSION = 1  # of what training does; models of another version are not gone on with
_SGNS = ("epochs", "negative", "sample")
_PPMI = ("smoothing", "shift", "power")


@dataclass(frozen=True)
class Settings:
    """The options of a training run; see `train` for what they mean."""

    method: Method = "sgns"
    dim: int = 100
    window: int = 5
    min_count: int = 10
    epochs: int = 5
    by: str | None = None
    min_size: int = 10_000
    seed: int = 0
    negative: int = 5
    sample: float = 1e-3
    smoothing: float = 0.75
    shift: float = 1.0
    power: float = 0.5
    tokenizer: Tokenizer = field(default_factory=Tokenizer)

    def __post_init__(self) -> None:
        if self.method not in get_args(Method):
            raise UsageError(f"method is {self.method!r}; it must be sgns or ppmi-svd.")
        for name in ("dim", "window", "min_count", "epochs", "negative"):
            if getattr(self, name) < 1:
                raise UsageError(f"{name} is {getattr(self, name)}; it must be at least 1.")
        for name in ("sample", "smoothing", "power", "seed", "min_size"):
            if not 0 <= getattr(self, name) < math.inf:
                raise UsageError(f"{name} is {getattr(self, name)}; it must be 0 or more.")
        if not 1 <= self.shift < math.inf:
            raise UsageError(f"shift is {self.shift}; it must be at least 1.")

    def deciding(self) -> dict[str, Any]:
        """The options that decide what is trained: not those of the other method."""
        unused = {*(_PPMI if self.method == "sgns" else _SGNS)}
        if self.by is None:
            unused.add("min_size")
        return {name: value for name, value in asdict(self).items() if name not in unused}

    def key(self, fingerprint: str, label: str) -> str:
        """What tells a model of this run, on this corpus, from any other one."""
        told = json.dumps([VERSION, self.deciding(), fingerprint, label], sort_keys=True)
        return hashlib.blake2b(told.encode(), digest_size=16).hexdigest()
