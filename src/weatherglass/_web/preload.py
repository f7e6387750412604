"""What the processes of long jobs need, imported before they are forked.

A small test is measured and its page rendered as well, because compiled code and templates take a
second to load. Nothing here may start threads, which a forked process would not have.
"""

from __future__ import annotations

import gc
from contextlib import suppress

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
from weatherglass.corpus import open_corpus, summarise, train  # noqa: F401
from weatherglass.discovery import discover, discover_both  # noqa: F401
from weatherglass.errors import WeatherglassError
from weatherglass.measures import weat
from weatherglass.seedlab import lint, multiverse  # noqa: F401
from weatherglass.vectors import Vectors, find_path, parse_spec

from . import app  # noqa: F401
from .ask import MeasuredTest, Question, render_answer_page
from .session import SharedContext
from .settings import Settings


def answer_once() -> None:
    """Measure a small test with everything that the pages ask for, and render its page."""
    words = [f"w{k}" for k in range(32)]
    sets = [words[8 * k : 8 * k + 8] for k in range(4)]
    vectors = Vectors.of(words, np.random.default_rng(0).normal(size=(32, 8)))
    x, y, a, b = map(", ".join, sets)
    question = Question(("w",), sets=(x, y, a, b))
    settings = Settings(sources=())
    session = SharedContext(settings, (), ()).open(lambda *progress: None)
    session.sources.add("w", vectors=vectors)
    test = question.build_test(settings)
    weat(vectors, test, intervals=True, influence=True, workers=1)
    answer = MeasuredTest(question, test).answer(lambda *progress: None, {"w": vectors})
    render_answer_page(session, answer)
    with suppress(WeatherglassError):  # the bundled vectors may not be installed
        find_path(parse_spec("default"))  # reads the metadata of all installed packages


answer_once()
# A collection would write to all of this memory, which forked processes share until then.
gc.freeze()
