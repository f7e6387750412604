"""What the processes of long jobs need, imported before they are forked.

A small test is measured as well, because compiled code takes a second to load. Nothing here may
start threads, which a forked process would not have.
"""

from __future__ import annotations

import numpy as np
import pyarrow  # noqa: F401
import scipy.sparse
import scipy.stats  # noqa: F401
import sklearn.cluster  # noqa: F401
import threadpoolctl  # noqa: F401

import weatherglass.corpus.kernels
import weatherglass.discovery.kernels
import weatherglass.significance.batch_kernels
import weatherglass.significance.cluster_kernels
import weatherglass.significance.kernels
import weatherglass.vectors.formats.kernels  # noqa: F401
from weatherglass.auditing import open_audit  # noqa: F401
from weatherglass.catalog import Test
from weatherglass.corpus import open_corpus, summarise, train  # noqa: F401
from weatherglass.discovery import discover, discover_both  # noqa: F401
from weatherglass.measures import weat
from weatherglass.seedlab import lint, multiverse  # noqa: F401
from weatherglass.vectors import Vectors

from . import app  # noqa: F401


def measure_once() -> None:
    """Run a small test with everything that the pages ask for."""
    words = [f"w{k}" for k in range(32)]
    sets = {side: words[8 * k : 8 * k + 8] for k, side in enumerate("xyab")}
    vectors = Vectors.of(words, np.random.default_rng(0).normal(size=(32, 8)))
    weat(vectors, Test(**sets), intervals=True, influence=True, workers=1)


measure_once()
