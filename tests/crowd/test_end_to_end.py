"""A real discovery goes through export, 40 workers and import, and ends as a marked page."""

from __future__ import annotations

import re

import pytest

from weatherglass import (
    CrowdStudy,
    discover,
    export_crowd_study,
    import_crowd_answers,
    open_vectors,
    simulate_crowd,
)
from weatherglass.crowd import make_ratings, write_study
from weatherglass.report import discovery_page

pytest.importorskip("jinja2", reason="task pages need the extra 'web'")

KINDS = {"good": 27, "guessing": 4, "ignorant": 3, "careless": 2, "biased": 2, "duplicate": 2}


@pytest.mark.slow
def test_a_discovery_becomes_a_table_4_and_a_marked_page(tmp_path):
    discovery = discover(open_vectors("default"), rotations=999)
    study = export_crowd_study(discovery, tmp_path)
    assert len(study.of_kind("match")) == 12
    matched = import_crowd_answers(simulate_crowd(study, KINDS), tmp_path, bootstraps=200)
    assert len(matched.workers) == 40
    write_study(make_ratings(study, [cell.item for cell in matched.agreed]), tmp_path)
    rated = CrowdStudy.load(tmp_path)
    result = import_crowd_answers(simulate_crowd(rated, KINDS), rated, bootstraps=200)
    assert [w.reasons for w in result.workers if w.worker.startswith("perfect")] == []
    for worker in result.workers:
        kind = worker.worker.partition("-")[0]
        expected = {"ignorant": "failed exam", "careless": "failed exam", "biased": "one group"}
        if kind in expected:
            assert worker.reason == expected[kind]
        elif kind == "guessing":
            assert worker.reasons == ()
    row = result.table4()
    assert row["significant"] == len(discovery.significant)
    assert 0.55 < row["accurate"] < 0.85  # the simulated society shares 70 % of the cells
    assert 0 < row["offensive"] < row["accurate"]
    assert {cell.item for cell in result.rated} == {cell.item for cell in matched.agreed}
    assert result.alpha.low < result.alpha.value < result.alpha.high
    page = discovery_page(discovery, crowd=result)
    assert len(re.findall(r'class="in agreed"', page)) == len(result.agreed)
    assert f"<b>{row['accurate']:.0%}</b>" in page
    assert 'class="in agreed"' not in discovery_page(discovery)
