"""What the tests of the gate share: a part of the default vectors, and an audit of it."""

from __future__ import annotations

from pathlib import Path

import pytest

import weatherglass as wg
from weatherglass.vectors.formats.text import write_glove

SUITE = """
id: mine
title: Tests of gender, and controls
steps:
  - {run: weat, title: Association tests, tests: [weat1, weat2, weat6, weat7, weat8]}
  - {run: measure, title: Occupations, measures: [mac, rnd],
     sets: {X: careers-Caliskan_et_al_2017, A: definitional_male-Bolukbasi_et_al_2016,
            B: definitional_female-Bolukbasi_et_al_2016}}
"""


@pytest.fixture(scope="session")
def real() -> wg.Vectors:
    """The rows of `default` for the words of some tests, and its first three thousand."""
    default = wg.open_vectors("default")
    words = [
        word.lower()
        for id in ("weat1", "weat2", "weat6", "weat7", "weat8", "wefat1")
        for word_set in wg.test(id).sets.values()
        for word in word_set.words
    ]
    for id in (
        "careers-Caliskan_et_al_2017",
        "definitional_male-Bolukbasi_et_al_2016",
        "definitional_female-Bolukbasi_et_al_2016",
    ):
        words += wg.seeds(id).words
    part = default.subset([*default.words[:3000], *words])
    return wg.Vectors.of(list(part.words), part.matrix, source="real")


@pytest.fixture(scope="session")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("suite") / "suite.yaml"
    path.write_text(SUITE, encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def audited(tmp_path_factory: pytest.TempPathFactory, suite: Path, real: wg.Vectors) -> Path:
    """The folder of an audit of the same vectors."""
    folder = tmp_path_factory.mktemp("audits")
    write_glove(real, folder / "real.txt")
    wg.audit(folder / "real.txt", out=folder / "monday", suite=suite, workers=1)
    return folder / "monday"
