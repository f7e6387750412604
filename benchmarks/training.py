"""Training: bootstrap samples by matrix factorisation compared with skip-gram.

    python benchmarks/training.py [CORPUS] [--every N] [--bootstrap 20] [--measured 2]

Takes every Nth document of a corpus (by default the English novels of ELTeC, if they are in
../shared/data), trains with both methods and the paper's settings, each in one process, and
compares CPU time. Matrix factorisation is the SVD of positive pointwise mutual information. All
bootstrap samples of skip-gram take the same time, so only a few are measured. The compiled kernels
are loaded before timing starts.
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
    """CPU time of a training run, and the part of it before training of the first model began."""
    start = time.process_time()
    read = 0.0

    def record(stage: str, done: int, total: int) -> None:
        nonlocal read
        if stage == "training" and done == 0:
            read = time.process_time() - start

    with tempfile.TemporaryDirectory() as folder:
        wg.train(
            texts, Path(folder) / "models", method=method, bootstrap=bootstrap, workers=1,
            progress=record,
        )  # fmt: skip
    return time.process_time() - start, read


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", nargs="?", default=str(NOVELS))
    parser.add_argument("--every", type=int, default=8)
    parser.add_argument("--bootstrap", type=int, default=20)
    parser.add_argument("--measured", type=int, default=2)
    options = parser.parse_args()
    if options.corpus == str(NOVELS) and not NOVELS.exists():
        print("benchmarks/training.py: skipped, because ../shared/data/corpora has no novels.")
        return
    texts = list(itertools.islice(wg.open_corpus(options.corpus), 0, None, options.every))
    tokens = sum(len(text.text.split()) for text in texts)
    print(f"{len(texts):,} documents, {tokens:,} words, {options.bootstrap} bootstrap samples")
    for method in ("ppmi-svd", "sgns"):
        seconds(texts[:500], method, 1)

    svd, svd_read = seconds(texts, "ppmi-svd", options.bootstrap)
    svd_single, _ = seconds(texts, "ppmi-svd", 0)
    sgns_measured, sgns_read = seconds(texts, "sgns", options.measured - 1)
    sgns_sample = (sgns_measured - sgns_read) / options.measured
    sgns = sgns_read + sgns_sample * (1 + options.bootstrap)
    svd_sample = (svd - svd_single) / options.bootstrap
    rows = [
        ("all models: skip-gram / SVD", sgns / svd),
        ("one more bootstrap sample: skip-gram / SVD", sgns_sample / svd_sample),
        (f"SVD: {options.bootstrap} bootstrap samples / full model alone", svd / svd_single),
        ("SVD: one more bootstrap sample / full model alone", svd_sample / svd_single),
        ("SVD: reading the corpus / full model alone", svd_read / svd_single),
    ]
    print(f"{'CPU time':<60}{'ratio':>8}")
    for name, ratio in rows:
        print(f"{name:<60}{ratio:>8.2f}")


if __name__ == "__main__":
    main()
