"""A folder of trained models as a source: effect, p-value over words, interval over documents."""

from __future__ import annotations

import statistics
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import t as student

import weatherglass as wg
from weatherglass.errors import BadContent, UsageError
from weatherglass.measures import WeatResult

SHIPS, TREES = ["ship", "boat", "sail"], ["oak", "elm", "fir"]
GOOD, BAD = ["fine", "kind"], ["foul", "grim"]
MINE = wg.Test(id="mine", title="Ships and trees", x=SHIPS, y=TREES, a=GOOD, b=BAD)
FACTS = wg.FactualTest(
    id="age", a=GOOD, b=BAD, facts={w: float(k) for k, w in enumerate(TREES + SHIPS)}
)


def sentences(seed: int, documents: int = 120) -> list[str]:
    """Return documents in which ships keep company with good words, and trees with bad ones."""
    rng = np.random.default_rng(seed)
    lines = []
    for _ in range(documents):
        nouns, adjectives = (SHIPS, GOOD) if rng.random() < 0.5 else (TREES, BAD)
        words = rng.choice([*nouns, *adjectives, "the", "a"], size=12)
        lines.append(" ".join(words.tolist()))
    return lines


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("models")
    options: dict[str, Any] = {"method": "ppmi-svd", "dim": 6, "min_count": 2, "workers": 1}
    wg.train(sentences(0), out, bootstrap=20, **options)
    return out


@pytest.fixture(scope="module")
def result(folder: Path) -> WeatResult:
    return wg.weat(wg.open_vectors(folder), MINE, baseline=False)


def test_a_trained_folder_gives_effect_p_over_words_and_interval_over_documents(
    folder: Path, result: WeatResult
) -> None:
    alone = wg.weat(wg.open_vectors(folder / "full.parquet"), MINE, baseline=False)
    assert (result.effect, result.p) == (alone.effect, alone.p)
    assert alone.document_samples is None
    documents = result.document_samples
    assert documents is not None
    models = wg.open_models(folder)[1:]
    values = [wg.weat(model.vectors, MINE, baseline=False).effect for model in models]
    assert list(documents.values) == values
    margin = student.ppf(0.975, 19) * statistics.stdev(values)  # type: ignore[type-var]
    assert documents.low == pytest.approx(result.effect - margin)
    assert documents.high == pytest.approx(result.effect + margin)


def test_the_interval_over_documents_is_evidence_of_the_finding(result: WeatResult) -> None:
    kinds = [item.kind for item in result.finding.evidence]
    assert "documents" in kinds
    assert "over resampled documents" in " ".join(result.finding.lines())


def test_the_interval_over_documents_survives_json_and_parquet(
    result: WeatResult, tmp_path: Path
) -> None:
    assert WeatResult.from_json(result.to_json()) == result
    results = wg.Results.of([result])
    results.to_parquet(tmp_path / "results.parquet")
    assert list(wg.Results.from_parquet(tmp_path / "results.parquet")) == [result]
    assert result.document_samples is not None
    assert result.row()["documents_low"] == result.document_samples.low


def test_wefat_and_measures_have_the_interval_over_documents(folder: Path) -> None:
    vectors = wg.open_vectors(folder)
    correlation = wg.wefat(vectors, FACTS)
    assert correlation.document_samples is not None
    assert len(correlation.document_samples.values) == 20
    mac = wg.measure(vectors, "mac", {"X": SHIPS, "A": GOOD})
    assert mac.document_samples is not None
    assert mac.document_samples.interval is not None
    # It is always above zero, so that an interval without zero is no evidence.
    assert mac.finding.grade == "not run"


def test_swapped_targets_mirror_the_interval_over_documents(
    folder: Path, result: WeatResult
) -> None:
    swapped = wg.Test(id="swapped", title="Trees and ships", x=TREES, y=SHIPS, a=GOOD, b=BAD)
    mirrored = wg.weat(wg.open_vectors(folder), swapped, baseline=False).document_samples
    assert mirrored is not None
    assert result.document_samples is not None
    assert mirrored.low == pytest.approx(-result.document_samples.high)


def test_fewer_than_twenty_samples_give_no_interval_and_say_so(tmp_path: Path) -> None:
    wg.train(sentences(1), tmp_path, bootstrap=5, method="ppmi-svd", dim=6, min_count=2, workers=1)
    documents = wg.weat(wg.open_vectors(tmp_path), MINE, baseline=False).document_samples
    assert documents is not None
    assert documents.interval is None
    assert "needs 20 bootstrap samples; 5 could be measured" in documents.notes()[0]


def test_debiased_vectors_have_no_interval_of_samples_with_bias(folder: Path) -> None:
    debiased = wg.debias(wg.open_vectors(folder), [("fine", "foul"), ("kind", "grim")])
    assert wg.weat(debiased, MINE, baseline=False).document_samples is None


def test_bootstraps_are_part_of_the_fingerprint(folder: Path) -> None:
    full = wg.open_vectors(folder / "full.parquet")
    assert wg.open_vectors(folder).fingerprint != full.fingerprint
    words = wg.open_vectors(folder, words=SHIPS, sample=True)
    assert words.fingerprint == wg.open_vectors(folder).fingerprint
    assert words.sample is not None
    assert words.sample.fingerprint == words.fingerprint


def test_a_group_of_a_divided_corpus_is_chosen_by_name(tmp_path: Path) -> None:
    from weatherglass.corpus import Document

    texts = [Document(text, {"sea": "north"}) for text in sentences(2)]
    texts += [Document(text, {"sea": "south"}) for text in sentences(3)]
    options: dict[str, Any] = {"method": "ppmi-svd", "dim": 6, "min_count": 2, "workers": 1}
    wg.train(texts, tmp_path, bootstrap=2, by="sea", min_size=0, **options)
    with pytest.raises(UsageError, match=r"2 groups \('north', 'south'\); choose one"):
        wg.open_vectors(tmp_path)
    with pytest.raises(UsageError, match="Did you mean north"):
        wg.open_vectors(f"{tmp_path}?group=nort")
    chosen = wg.open_vectors(f"{tmp_path}?group=north")
    assert len(chosen.bootstraps) == 2
    assert wg.open_vectors(tmp_path / "north").fingerprint == chosen.fingerprint


def test_a_record_that_points_outside_the_folder_is_refused(folder: Path, tmp_path: Path) -> None:
    from weatherglass._files import seal

    record = {"models": {}, "groups": {"": {"documents": 2, "folder": f"../{folder.name}"}}}
    (tmp_path / "train.json").write_text(seal(record))
    with pytest.raises(BadContent, match="outside"):
        wg.open_vectors(tmp_path)


def test_the_command_prints_the_interval_over_documents(
    folder: Path, tmp_path: Path, run: Any
) -> None:
    (tmp_path / "mine.yaml").write_text(
        "tests:\n- {id: mine, title: Ships and trees, x: [ship, boat, sail], y: [oak, elm, fir],"
        " a: [fine, kind], b: [foul, grim]}\n"
    )
    ran = run("weat", folder, "--tests", tmp_path / "mine.yaml", "--no-baseline")
    assert ran.code == 0, ran.err
    assert "over documents" in ran.out


@pytest.mark.slow
def test_an_audit_of_a_trained_folder_has_the_interval_over_documents(tmp_path: Path) -> None:
    from weatherglass.catalog import Step, Suite

    test = wg.test("weat7")
    assert isinstance(test, wg.Test)
    rng = np.random.default_rng(4)
    x, y, a, b = (list(test.sets[name].words) for name in "XYAB")
    texts = []
    for k in range(150):
        nouns, words = (x, b) if k % 2 else (y, a)
        texts.append(" ".join(rng.choice([*nouns, *words, "the"], size=30).tolist()))
    models = tmp_path / "models"
    wg.train(texts, models, bootstrap=20, method="ppmi-svd", dim=8, min_count=2, workers=1)
    suite = Suite(
        id="mine",
        title="Mine",
        steps=(Step(run="weat", title="Gender", tests=("weat7",)),),
    )
    wg.audit(str(models), out=tmp_path / "audit", suite=suite, workers=1)
    (stored,) = wg.Results.from_parquet(tmp_path / "audit" / "results.parquet")
    assert stored.document_samples is not None  # type: ignore[attr-defined]
    assert len(stored.document_samples.values) == 20  # type: ignore[attr-defined]
    assert "resampled documents" in (tmp_path / "audit" / "report.html").read_text()
