"""The evaluation: a case worked by hand, exact p-values under guessing, tables 4 and 1."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from scipy import stats

from weatherglass import CrowdResult, export_crowd_study, import_crowd_answers, simulate_crowd
from weatherglass.crowd import Submission, make_ratings, poisson_binomial, rate
from weatherglass.crowd.import_answers import _all_guesses
from weatherglass.crowd.screening import group_by_worker
from weatherglass.errors import CannotMeasure
from weatherglass.measures import Result

from .conftest import make_discovery


def answer(study, worker, choose):
    """Submissions in which `choose` gives the answer of an item; the exam is right."""
    for task in study.tasks:
        answers = {
            item.id: item.check or (item.group if task.kind == "exam" else choose(task, item))
            for item in task.items
        }
        yield Submission(study.id, task.id, worker, answers, seconds=5.0 * len(answers))


@pytest.fixture(scope="module")
def two_groups():
    """One task: two cells, two groups."""
    return export_crowd_study(make_discovery(groups=2, categories=1))


def test_votes_p_values_and_ties_of_a_case_worked_by_hand(two_groups):
    """Four workers: for the first cell 3 of 4 agree, for the second 2 of 4, which is a tie."""
    first, second = two_groups.of_kind("match")[0].cells
    other = {"G1": "G2", "G2": "G1"}
    rows = [(1, 1), (1, 1), (1, 0), (0, 0)]
    submissions = [
        s
        for k, (hit, other_hit) in enumerate(rows)
        for s in answer(
            two_groups,
            f"w{k}",
            lambda task, item, hits={first.id: hit, second.id: other_hit}: (
                item.group if hits[item.id] else other[item.group]
            ),
        )
    ]
    result = import_crowd_answers(submissions, two_groups)
    cells = {cell.item: cell for cell in result.cells}
    assert cells[first.id].agrees
    assert cells[first.id].p.value == pytest.approx(5 / 16)
    assert not cells[second.id].agrees
    assert cells[second.id].p.value == pytest.approx(11 / 16)
    assert cells[first.id].p_corrected == pytest.approx(10 / 16)
    assert (result.hits, result.answers) == (5, 8)
    assert result.p.value == pytest.approx(stats.binom.sf(4, 8, 0.5))
    assert result.accurate_share == 0.5
    assert result.accurate_by_guessing == pytest.approx(5 / 16)


def test_perfect_workers_find_every_cell_and_alpha_is_one(study):
    result = import_crowd_answers(simulate_crowd(study, {"perfect": 6}), study)
    assert result.accurate_share == 1.0
    assert result.alpha.value == pytest.approx(1.0)
    for cell in result.cells:
        assert cell.p.value == pytest.approx(cell.choices**-6.0, rel=1e-10)


def test_accuracy_follows_what_the_simulated_society_believes():
    study = export_crowd_study(make_discovery(groups=8, categories=6))
    shares = []
    for agreement in (0.0, 0.5, 1.0):
        submissions = simulate_crowd(study, {"good": 13}, agreement=agreement)
        shares.append(import_crowd_answers(submissions, study, bootstraps=0).accurate_share)
    assert shares[0] == 0.0
    assert 0.25 < shares[1] < 0.75
    assert shares[2] == 1.0


@pytest.mark.slow
@pytest.mark.parametrize("one_to_one", [False, True])
def test_p_values_of_200_studies_of_guessing_workers_are_uniform(one_to_one):
    """Counts are discrete, so p is at most any level no more often than the level says; and p with
    its own probability mass randomised is uniform."""
    study = export_crowd_study(
        make_discovery(groups=5, categories=3), one_to_one=one_to_one, min_seconds=0.0
    )
    rng = np.random.default_rng(8)
    cell_p, cell_uniform, all_p, all_uniform = [], [], [], []
    for seed in range(200):
        submissions = simulate_crowd(study, {"guessing": 9}, rng=seed)
        result = import_crowd_answers(submissions, study, bootstraps=0)
        assert len(result.counted) >= 8  # screening is no excuse for a small p
        cell = result.cells[seed % len(result.cells)]
        cell_p.append(cell.p.value)
        mass = poisson_binomial(np.full(cell.workers, 1 / cell.choices))[cell.agreeing]
        cell_uniform.append(cell.p.value - rng.random() * mass)
        all_p.append(result.p.value)
        counted = {worker.worker for worker in result.counted}
        workers, _ = group_by_worker([s for s in submissions if s.worker in counted], study)
        mass = _all_guesses(workers, study)[result.hits]
        all_uniform.append(result.p.value - rng.random() * mass)
    for uniform in (cell_uniform, all_uniform):
        assert stats.kstest(uniform, "uniform").pvalue > 0.01
    for p in (cell_p, all_p):
        for level in (0.01, 0.05, 0.1, 0.25, 0.5):
            rejected = int((np.array(p) <= level).sum())
            assert stats.binomtest(rejected, 200, level, alternative="greater").pvalue > 0.001


def test_the_p_value_over_all_answers_depends_on_the_design(two_groups):
    """Two cells matched once each are both right or both wrong: five workers are five coins."""
    once = export_crowd_study(make_discovery(groups=2, categories=1), one_to_one=True)
    perfect = {"perfect": 5}
    result = import_crowd_answers(simulate_crowd(once, perfect), once, bootstraps=0)
    assert result.p.value == pytest.approx(2.0**-5)
    result = import_crowd_answers(simulate_crowd(two_groups, perfect), two_groups, bootstraps=0)
    assert result.p.value == pytest.approx(2.0**-10)


def test_a_mean_rating_has_students_interval_within_the_scale():
    rating = rate([3, 5, 4, 6, 2], 4.0)
    expected = stats.t.interval(0.95, 4, loc=4, scale=stats.sem([3, 5, 4, 6, 2]))
    assert (rating.low, rating.high) == pytest.approx(expected)
    assert rating.is_offensive
    assert rate([1, 1, 1, 7], 4.0).low == 1
    same = rate([7] * 13, 4.0)
    assert same.low == pytest.approx(7 - 6 * (1 - 0.025 ** (1 / 13)))
    assert same.high == 7
    assert rate([3], 4.0).low is None


@pytest.fixture(scope="module")
def rated(study):
    result = import_crowd_answers(simulate_crowd(study, {"good": 20}), study, bootstraps=0)
    second = make_ratings(study, [cell.item for cell in result.agreed])
    return import_crowd_answers(simulate_crowd(second, {"good": 20}), second, bootstraps=50)


def test_table_4_has_shares_of_all_matched_cells(rated):
    row = rated.table4()
    assert row["significant"] == 14
    assert row["accurate"] == len(rated.agreed) / len(rated.cells)
    offensive = [cell for cell in rated.rated if cell.rating.mean >= 4]
    assert row["offensive"] == len(offensive) / len(rated.cells)
    assert row["offensive"] <= row["accurate"]


def test_ratings_of_cells_that_people_no_longer_agree_on_are_not_in_the_tables(study):
    """Table 4 has offensive cells among the accurate ones, also if answers changed in between."""
    items = [item.id for _, item in study.items() if item.id.startswith("match")]
    second = make_ratings(study, [item for item in items if "check" not in item])
    submissions = list(simulate_crowd(second, {"guessing": 20}, ratings=6.5, rng=5))
    result = import_crowd_answers(submissions, second, bootstraps=0)
    assert 0 < len(result.rated) == len(result.agreed) < len(result.cells)
    assert len(result.rated_without_agreement) > 0
    assert result.table4()["offensive"] <= result.table4()["accurate"]
    ratings_only = [s for s in submissions if not s.task.startswith("match")]
    result = import_crowd_answers(ratings_only, second, bootstraps=0)
    assert result.offensive_share is None
    assert len(result.rated_without_agreement) == len(result.cells)


@pytest.mark.parametrize("one_to_one", [False, True])
def test_the_alpha_that_guessing_gives_is_stated(one_to_one):
    """Tasks offer different groups, so guesses agree more within an item than over all items."""
    study = export_crowd_study(
        make_discovery(groups=6, categories=5), one_to_one=one_to_one, min_seconds=0.0
    )
    values, stated = [], []
    for seed in range(20):
        result = import_crowd_answers(
            simulate_crowd(study, {"guessing": 25}, rng=seed), study, bootstraps=0
        )
        values.append(result.alpha.value)
        stated.append(result.alpha_by_guessing)
    assert min(stated) > 0.05
    assert np.mean(values) == pytest.approx(np.mean(stated), abs=0.01)


def test_answers_that_cannot_be_used_are_counted_by_reason(study):
    first = next(iter(simulate_crowd(study, {"perfect": 1})))
    changed = dataclasses.replace(first, code="0000-0000-0000")
    with pytest.raises(CannotMeasure, match="1 changed after the code was shown"):
        import_crowd_answers(changed, study)


def test_table_1_has_the_most_offensive_cell_of_each_group(rated):
    top = rated.table1(3)
    assert len({cell.group for cell in top}) == 3
    assert top[0].rating.mean == max(cell.rating.mean for cell in rated.rated)
    means = [cell.rating.mean for cell in top]
    assert means == sorted(means, reverse=True)


def test_only_agreed_cells_are_rated(rated):
    assert {cell.item for cell in rated.rated} == {cell.item for cell in rated.agreed}
    assert rated.alpha_ratings.level == "ordinal"


def test_simulated_answers_to_matching_do_not_change_when_ratings_are_added(study):
    second = make_ratings(study, [item.id for item in study.of_kind("match")[0].cells])
    before = simulate_crowd(study, {"good": 3})
    after = [s for s in simulate_crowd(second, {"good": 3}) if not s.task.startswith("rate")]
    assert before == after


def test_the_result_reads_back_from_json_and_has_a_row_for_each_cell(rated, tmp_path):
    assert CrowdResult.from_json(rated.to_json()) == rated
    assert Result.from_json(rated.to_json()) == rated
    assert len(rated.to_rows()) == len(rated.cells)
    rated.to_parquet(tmp_path / "r.parquet")
    assert "guessing would give" in rated.sentence()


def test_without_matching_answers_there_is_no_share_and_no_p_value(study):
    (exam,) = [s for s in simulate_crowd(study, {"perfect": 1}) if s.task == "exam"]
    result = import_crowd_answers(exam, study)
    assert (result.p, result.accurate_share, result.alpha) == (None, None, None)
    assert result.sentence() == "No matching answers count."
    assert CrowdResult.from_json(result.to_json()) == result
