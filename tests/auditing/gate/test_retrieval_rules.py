"""Rules on retrieval audits: impact ratios and gaps of selection rates."""

from __future__ import annotations

from typing import Any

import pytest

import weatherglass as wg
from weatherglass.errors import WeatherglassError

NAMES = "name,race\nAmy,A\nAnn,A\nJoan,A\nLisa,A\nTodd,B\nNeil,B\nGreg,B\nBrad,B\n"


@pytest.fixture
def options(tmp_path: Any, cache_folder: Any) -> dict[str, str]:
    """Options of a small audit, in files as a policy names them."""
    (tmp_path / "names.csv").write_text(NAMES)
    (tmp_path / "docs.csv").write_text(
        "id,text\n1,nurse in a ward\n2,truck driver\n3,chef\n4,law office\n5,web developer\n"
    )
    return {
        "names": str(tmp_path / "names.csv"),
        "documents": str(tmp_path / "docs.csv"),
        "queries": str(tmp_path / "docs.csv"),
        "placebo": "false",
        "top": "0.25",
    }


def verdict(options: dict[str, str], source: str = "cbow:default", **rule: Any) -> Any:
    policy = {"rules": [{"retrieval": options, **rule}], "controls": "none"}
    return wg.check(source, policy).verdicts[-1]


def test_a_ratio_below_the_minimum_violates_the_rule(options: dict[str, str]) -> None:
    measured = verdict(options, min_impact_ratio=0)
    assert (measured.status, measured.test) == ("passed", "retrieval-race")
    ratio = measured.numbers["impact_ratio"]
    found = wg.retrieve("cbow:default", **{**options, "placebo": False, "top": 0.25})
    assert ratio == found.contrasts[0].impact_ratio < 1
    assert verdict(options, min_impact_ratio=ratio + 0.001).status == "violated"
    assert verdict(options, min_impact_ratio=ratio - 0.001).status == "passed"
    assert f"impact ratio {ratio:.2f}" in measured.sentence


def test_a_wide_gap_violates_the_rule(options: dict[str, str]) -> None:
    gap = verdict(options, max_impact_gap=1).numbers["impact_gap"]
    assert gap > 0
    assert verdict(options, max_impact_gap=gap / 2).status == "violated"
    assert verdict(options, max_impact_gap=gap + 0.001).status == "passed"


def test_with_judge_interval_the_whole_interval_must_be_below(options: dict[str, str]) -> None:
    high = verdict(options, min_impact_ratio=0, judge="interval").numbers["high"]
    limit = min(1.0, high - 0.001)
    assert verdict(options, min_impact_ratio=limit, judge="interval").status == "passed"


def test_an_audit_folder_is_not_measured_again(options: dict[str, str], tmp_path: Any) -> None:
    suite = tmp_path / "suite.yaml"
    lines = "".join(f"      {name}: '{value}'\n" for name, value in options.items())
    suite.write_text(
        f"id: mine\ntitle: Mine\nsteps:\n  - run: retrieve\n    title: Found\n    options:\n{lines}"
    )
    wg.audit("cbow:default", suite=str(suite), out=tmp_path / "run")
    folder = str(tmp_path / "run")
    direct = verdict(options, min_impact_ratio=0.5)
    assert verdict(options, folder, min_impact_ratio=0.5).numbers == direct.numbers
    other = verdict({**options, "top": "0.5"}, folder, min_impact_ratio=0.5)
    assert other.status == "not run"
    assert "another value of top" in other.sentence


def test_word_vectors_have_no_rankings(options: dict[str, str], real: wg.Vectors) -> None:
    policy = {"rules": [{"retrieval": options, "min_impact_ratio": 0.8}], "controls": "none"}
    (only,) = wg.check(real, policy).verdicts
    assert only.status == "not run"
    assert "needs an encoder" in only.sentence


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ({"retrieval": {}}, "has no limit"),
        ({"retrieval": {}, "effect": 0.5}, "does not take"),
        ({"retrieval": {"tpo": "0.1"}, "min_impact_ratio": 0.8}, "tpo"),
        ({"tests": ["weat6"], "min_impact_ratio": 0.8}, "does not take"),
    ],
)
def test_wrong_rules_are_refused(rule: dict[str, Any], message: str) -> None:
    with pytest.raises(WeatherglassError, match=message):
        wg.check("cbow:default", {"rules": [rule]})
