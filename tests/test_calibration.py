"""The rates on the calibration page are measured, and stay within their bands."""

import importlib
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
BENCHMARKS = ROOT / "benchmarks"
MODULES = sorted(
    path.stem
    for path in (BENCHMARKS / "studies").glob("*.py")
    if path.stem not in ("__init__", "study")
)


@pytest.fixture
def calibration(monkeypatch):
    """The script, imported as it imports itself."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    yield importlib.import_module("calibration")
    for name in [
        name for name in sys.modules if name.partition(".")[0] in ("studies", "calibration")
    ]:
        del sys.modules[name]


def test_the_calibration_page_shows_the_stored_results_of_every_study(calibration):
    studies = calibration.all_studies()
    stored = {path.stem for path in calibration.RESULTS.glob("*.json")}
    assert stored == set(studies)
    assert calibration.PAGE.read_text() == calibration.write_page(studies)


def test_every_module_of_studies_is_on_the_page(calibration):
    assert sorted(importlib.import_module("studies.study").MODULES) == MODULES


def test_a_rate_beyond_chance_is_outside_its_band(calibration):
    def is_in_band(hits, trials):
        return calibration.Cell("row", "column", hits, trials, 0.03, 0.07).is_in_band

    assert is_in_band(5, 100)
    assert is_in_band(12, 100)  # chance explains it
    assert not is_in_band(120, 1000)
    assert not is_in_band(5, 1000)


@pytest.mark.slow
@pytest.mark.parametrize("module", MODULES)
def test_rates_stay_within_the_bands_that_the_docs_state(calibration, module):
    for study in importlib.import_module(f"studies.{module}").STUDIES:
        cells = study.run(study.quick_trials, 0)
        assert cells
        outside = [cell for cell in cells if not cell.is_in_band]
        assert not outside
