"""Screening: perfect, biased, careless, duplicate and guessing workers are recognised."""

from __future__ import annotations

import dataclasses

import pytest

from weatherglass import export_crowd_study, import_crowd_answers, simulate_crowd
from weatherglass.crowd import completion_code, make_ratings

from .conftest import make_discovery


@pytest.fixture(scope="module")
def large():
    """Eight groups and four tasks, with ratings: enough answers to know a worker by."""
    study = export_crowd_study(make_discovery(groups=8, categories=4))
    return make_ratings(study, [item.id for _, item in study.items()])


@pytest.fixture(scope="module")
def workers(large):
    kinds = {"perfect": 4, "good": 20, "guessing": 5, "ignorant": 3}
    kinds |= {"careless": 3, "biased": 3, "duplicate": 3}
    result = import_crowd_answers(simulate_crowd(large, kinds), large, bootstraps=0)
    by_kind = {}
    for worker in result.workers:
        by_kind.setdefault(worker.worker.partition("-")[0], []).append(worker)
    return by_kind


def test_perfect_workers_count_and_do_not_look_like_copies(workers):
    assert [worker.reasons for worker in workers["perfect"]] == [()] * 4
    assert all(worker.exam == 1 and worker.hits == worker.matched for worker in workers["perfect"])


def test_good_workers_count_if_they_pass_the_exam(workers):
    for worker in workers["good"]:
        assert worker.reasons == (() if worker.exam > 0.5 else ("failed exam",))


def test_guessing_workers_have_large_p_but_are_not_left_out(workers):
    """Leaving out those who disagree would make the agreement that is to be measured."""
    assert all(worker.reasons == () for worker in workers["guessing"])
    assert min(worker.guessing_p for worker in workers["guessing"]) > 0.01
    assert max(worker.guessing_p for worker in workers["perfect"]) < 1e-10


def test_workers_who_do_not_know_the_names_fail_the_exam(workers):
    assert all(worker.reasons == ("failed exam",) for worker in workers["ignorant"])
    assert min(worker.exam_p for worker in workers["ignorant"]) > 0.001


def test_careless_workers_are_recognised_by_time_checks_and_order(workers):
    for worker in workers["careless"]:
        assert {"failed exam", "attention", "too fast", "page order"} <= set(worker.reasons)


def test_biased_workers_are_recognised_by_their_group_and_ratings(workers):
    for worker in workers["biased"]:
        assert "one group" in worker.reasons
        assert worker.group_share > 0.5
        assert "rated everything 7" in worker.remarks


def test_all_but_the_first_of_duplicate_workers_are_copies(workers):
    first, *others = workers["duplicate"]
    assert first.reasons == ()
    assert [worker.reasons for worker in others] == [("copy",)] * 2
    assert {worker.copy_of for worker in others} == {first.worker}


@pytest.mark.parametrize("kind", ["perfect", "good", "careless", "duplicate"])
def test_workers_are_recognised_when_groups_can_be_used_once(kind):
    study = export_crowd_study(make_discovery(groups=8), one_to_one=True)
    submissions = simulate_crowd(study, {"good": 8, kind: 3 if kind != "good" else 11})
    for submission in submissions:
        task = study.task(submission.task)
        if task.kind == "match":
            chosen = [submission.answers[item.id] for item in task.cells]
            assert sorted(chosen) == sorted(task.options)
    result = import_crowd_answers(submissions, study, bootstraps=0)
    reasons = [w.reasons for w in result.workers if w.worker.startswith(kind) and w.exam > 0.5]
    expected = {"duplicate": [(), ("copy",), ("copy",)]}
    assert reasons == expected.get(kind, [()] * len(reasons))
    if kind == "careless":
        careless = [w for w in result.workers if w.worker.startswith(kind)]
        assert all("page order" in worker.reasons for worker in careless)


def test_matching_without_the_exam_does_not_count_but_rating_does(large):
    submissions = [s for s in simulate_crowd(large, {"perfect": 2}) if s.task != "exam"]
    result = import_crowd_answers(submissions, large)
    assert result.excluded() == {"no exam": 2}
    ratings = [s for s in submissions if s.task.startswith("rate")]
    result = import_crowd_answers(ratings, large)
    assert result.excluded() == {}
    assert result.rated_without_agreement[0].rating.raters == 2


def test_a_name_without_an_answer_in_the_exam_counts_as_wrong(large):
    (exam,) = [s for s in simulate_crowd(large, {"perfect": 1}) if s.task == "exam"]
    half = dict(list(exam.answers.items())[: len(exam.answers) // 2])
    code = completion_code(large.id, "exam", exam.worker, half)
    result = import_crowd_answers(dataclasses.replace(exam, answers=half, code=code), large)
    assert result.workers[0].exam == 0.5
    assert result.excluded() == {"failed exam": 1}


def test_the_bonus_counts_answers_of_the_majority_of_the_others(large):
    result = import_crowd_answers(simulate_crowd(large, {"perfect": 5, "guessing": 1}), large)
    *perfect, guessing = result.workers
    assert all(worker.with_majority == worker.matched for worker in perfect)
    assert guessing.with_majority == guessing.hits
