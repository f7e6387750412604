"""Retrieval audits: how often a text is encoded, and how much of the time is the encoder's.

    python benchmarks/retrieval.py [ENCODER]

Runs the audit of 20 résumés with 36 names for 20 jobs twice, starting with an empty cache, without
and with the placebo. The model and the compiled kernels are loaded before timing starts.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time

from seat import Timed, default_encoder


def main() -> None:
    """Run the audits, and print a row for each."""
    import weatherglass as wg

    spec = sys.argv[1] if len(sys.argv) > 1 else default_encoder()
    with tempfile.TemporaryDirectory() as cache:
        os.environ["WEATHERGLASS_CACHE_DIR"] = cache
        encoder = Timed(wg.open_encoder(spec))
        encoder.encode(["A first sentence loads the model."])
        wg.retrieve("cbow:default", placebo=False)
        for run, placebo in (("first", False), ("second", False), ("with placebo", True)):
            encoder.seconds, encoder.sentences = 0.0, 0
            start = time.perf_counter()
            wg.retrieve(encoder, placebo=placebo)
            seconds = time.perf_counter() - start
            row = {
                "run": run,
                "texts encoded": encoder.sentences,
                "seconds": round(seconds, 1),
                "share of the encoder": round(encoder.seconds / seconds, 3),
            }
            print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
