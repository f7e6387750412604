"""Training: bootstraps by factoring mutual information, against as many runs of skip-gram.

    python benchmarks/training.py [CORPUS] [--every N] [--bootstrap 20] [--measured 2]

Takes every Nth document of a corpus (by default of the English novels of ELTeC, if they are at
../shared/data), trains both methods with the paper's settings, each in one process, and compares
processor seconds. Of skip-gram's bootstraps, which all take as long, only some are measured. The
compiled code is loaded before the clock starts.
"""

from __future__ import annotations

import argparse
import itertools
import tempfile
import time
from pathlib import Path
from typing import Any

import weatherglass as wg

NOVELS = Path(__file__).parents[2] / "shared" / "data" / "corpora" / "eltec-eng.jsonl.gz"


def seconds(texts: Any, method: str, bootstrap: int) -> tuple[float, float]:
    """Processor seconds for everything, and those of them before the first model was begun."""
    start = time.process_time()
    read = 0.0

    def note(stage: str, done: int, total: int) -> None:
        nonlocal read
        if stage == "training" and done == 0:
            read = time.process_time() - start

    with tempfile.TemporaryDirectory() as folder:
        wg.train(
            texts, Path(folder) / "models", method=method, bootstrap=bootstrap, workers=1,
            progress=note,
        )  # fmt: skip
    return time.process_time() - start, read


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", nargs="?", default=str(NOVELS))
    parser.add_argument("--every", type=int, default=8)
    parser.add_argument("--bootstrap", type=int, default=20)
    parser.add_argument("--measured", type=int, default=2)
    asked = parser.parse_args()
    if asked.corpus == str(NOVELS) and not NOVELS.exists():
        print("benchmarks/training.py is left out: there are no novels at ../shared/data/corpora.")
        return
    texts = list(itertools.islice(wg.open_corpus(asked.corpus), 0, None, asked.every))
    tokens = sum(len(text.text.split()) for text in texts)
    print(
        f"{len(texts):,} documents, {tokens:,} words, full model and {asked.bootstrap} bootstraps"
    )
    for method in ("ppmi-svd", "sgns"):
        seconds(texts[:500], method, 1)

    whole, read = seconds(texts, "ppmi-svd", asked.bootstrap)
    one, _ = seconds(texts, "ppmi-svd", 0)
    few, sgns_read = seconds(texts, "sgns", asked.measured - 1)
    skipgram = (few - sgns_read) / asked.measured
    sgns = sgns_read + skipgram * (1 + asked.bootstrap)
    factored = (whole - one) / asked.bootstrap
    rows = [
        ("all models, skip-gram against mutual information", sgns / whole),
        ("one more bootstrap, skip-gram against mutual information", skipgram / factored),
        (f"mutual information: {asked.bootstrap} bootstraps against one run without", whole / one),
        ("mutual information: one more bootstrap against one run without", factored / one),
        ("mutual information: reading the corpus against one run without", read / one),
    ]
    print(f"{'what':<70}{'ratio':>8}")
    for what, ratio in rows:
        print(f"{what:<70}{ratio:>8.2f}")


if __name__ == "__main__":
    main()
