"""Answers from files: pages, survey tools, Label Studio; damaged, duplicate and foreign ones."""

from __future__ import annotations

import dataclasses
import json
import multiprocessing
import os

import pytest

from weatherglass import import_crowd_answers, simulate_crowd
from weatherglass.crowd import Submission, append_line, read_answers, valid_submission
from weatherglass.crowd.task_page import group_names
from weatherglass.errors import BadContent, CannotMeasure, CannotWrite, UsageError


@pytest.fixture(scope="module")
def submissions(study):
    return simulate_crowd(study, {"perfect": 3, "good": 4})


def write_lines(path, submissions):
    path.write_text("".join(f"{s.to_json()}\n" for s in submissions))
    return path


def votes(result):
    return [(cell.item, cell.votes) for cell in result.cells]


def test_one_file_or_one_for_each_task_gives_the_same(study, submissions, tmp_path):
    whole = write_lines(tmp_path / "all.jsonl", submissions)
    single = []
    for number, submission in enumerate(submissions):
        single.append(tmp_path / f"{number}.json")
        single[-1].write_text(submission.to_json())
    listed = tmp_path / "list.json"
    listed.write_text(json.dumps([json.loads(s.to_json()) for s in submissions]))
    results = [import_crowd_answers(a, study) for a in (submissions, whole, single, listed)]
    assert results[0] == results[1] == results[2] == results[3]


def test_a_torn_last_line_is_skipped_and_noted(study, submissions, tmp_path):
    path = write_lines(tmp_path / "answers.jsonl", submissions)
    with path.open("a") as stream:
        stream.write(submissions[0].to_json()[:70])
    collected = read_answers([path], study)
    assert collected.submissions == submissions
    assert "1 damaged or incomplete lines were skipped" in collected.notes[0]


def long_rows(study, submissions, as_names):
    yield "worker,item,answer,seconds"
    for submission in submissions:
        task = study.task(submission.task)
        for item, answer in submission.answers.items():
            text = f'"{group_names(answer, study)}"' if as_names and task.kind != "rate" else answer
            yield f"{submission.worker},{item},{text},{submission.seconds / len(task.items):.3f}"


@pytest.mark.parametrize("as_names", [False, True])
def test_a_long_table_of_a_survey_tool_gives_the_same_votes(study, submissions, tmp_path, as_names):
    path = tmp_path / "answers.csv"
    path.write_text("\n".join(long_rows(study, submissions, as_names)))
    result, expected = (import_crowd_answers(a, study) for a in (path, submissions))
    assert votes(result) == votes(expected)
    assert [w.exam for w in result.workers] == [w.exam for w in expected.workers]
    assert result.workers[0].seconds_per_item == pytest.approx(
        expected.workers[0].seconds_per_item, abs=0.01
    )


def test_a_wide_table_of_a_survey_tool_gives_the_same_votes(study, submissions, tmp_path):
    items = [item.id for _, item in study.items()]
    rows = ["\t".join(["PROLIFIC_PID", "Duration (in seconds)", *items])]
    rows.append("\t".join(["text of the question", "", *["Which group?"] * len(items)]))
    for worker in dict.fromkeys(s.worker for s in submissions):
        answers = {k: v for s in submissions if s.worker == worker for k, v in s.answers.items()}
        rows.append("\t".join([worker, "900", *(answers[item] for item in items)]))
    path = tmp_path / "survey.tsv"
    path.write_text("\n".join(rows))
    result = import_crowd_answers(path, study)
    assert votes(result) == votes(import_crowd_answers(submissions, study))
    assert result.left_out == {"answers that name no option": len(items)}


def test_an_export_of_label_studio_gives_the_same_votes(study, submissions, tmp_path):
    annotated = {}
    for number, submission in enumerate(submissions):
        task = study.task(submission.task)
        for item, answer in submission.answers.items():
            value = {"choices": [group_names(answer, study)]}
            annotated.setdefault(item, []).append(
                {
                    "id": number,
                    "completed_by": {"email": submission.worker},
                    "lead_time": submission.seconds / len(task.items),
                    "result": [{"type": "choices", "from_name": "answer", "value": value}],
                }
            )
    path = tmp_path / "export.json"
    path.write_text(
        json.dumps([{"data": {"item": k}, "annotations": v} for k, v in annotated.items()])
    )
    result = import_crowd_answers(path, study)
    assert votes(result) == votes(import_crowd_answers(submissions, study))


def test_submissions_that_do_not_count_are_counted(study, submissions):
    first = submissions[1]
    edited = dataclasses.replace(first, worker="x", answers={**first.answers})
    again = dataclasses.replace(first, started="2999", code="", answers={})
    foreign = dataclasses.replace(first, study="other")
    result = import_crowd_answers([*submissions, edited, again, foreign], study)
    assert result.left_out == {
        "of another study": 1,
        "changed after the code was shown": 1,
        "by a worker who had answered the task before": 1,
    }
    assert votes(result) == votes(import_crowd_answers(submissions, study))


def test_of_two_answers_to_a_task_the_earlier_counts(study, submissions):
    task = next(s for s in submissions if s.task == "match-01")
    changed = dict.fromkeys(task.answers, "G5")
    later = dataclasses.replace(task, started="2999", code="", answers=changed)
    assert votes(import_crowd_answers([later, *submissions], study)) == votes(
        import_crowd_answers(submissions, study)
    )


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("a.json", "", "no answers"),
        ("a.json", "[" * 5000, "no answers"),
        ("a.json", '{"x": 1}', "no answers of a crowd study"),
        ("a.json", '{"study": 1e999}', "no answers"),
        ("a.csv", "", "empty"),
        ("a.csv", "who,item,answer\nw,exam-01,G1\n", "no column of workers"),
        ("a.csv", "worker,x\nw,1\n", "neither the columns"),
        ("a.csv", "worker,item,answer\nw,exam-01\n", "has 2 columns"),
        ("a.csv", "worker\xff", "UTF-8"),
    ],
)
def test_files_without_answers_are_refused_with_a_sentence(study, tmp_path, name, text, why):
    (tmp_path / name).write_bytes(text.encode("latin-1"))
    with pytest.raises(BadContent, match=why):
        import_crowd_answers(tmp_path / name, study)


def test_answers_of_another_study_alone_cannot_be_evaluated(study, submissions):
    with pytest.raises(CannotMeasure, match="1 of another study"):
        import_crowd_answers([dataclasses.replace(submissions[0], study="x")], study)


@pytest.mark.parametrize(
    "change",
    [
        {"study": "x"},
        {"task": "match-99"},
        {"worker": " "},
        {"worker": "w" * 300},
        {"answers": {"exam-01": "G99"}},
        {"answers": {"exam-01": "G1"}},
        {"code": "0000-0000-0000"},
        {"code": ""},
        {"answers": 3},
        {"seconds": "soon"},
    ],
)
def test_the_lab_accepts_only_complete_answers_of_its_own_pages(study, submissions, change):
    record = json.loads(submissions[0].to_json())
    assert valid_submission(record, study) == submissions[0]
    with pytest.raises(UsageError):
        valid_submission(record | change, study)


def append_many(path, worker):
    for number in range(50):
        append_line(path, json.dumps({"worker": worker, "number": number, "text": "x" * 3000}))


def test_lines_that_processes_append_at_the_same_time_are_all_whole(tmp_path):
    path = tmp_path / "answers.jsonl"
    context = multiprocessing.get_context("fork")
    processes = [context.Process(target=append_many, args=(path, k)) for k in range(4)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert len(lines) == 200
    assert {(line["worker"], line["number"]) for line in lines} == {
        (k, n) for k in range(4) for n in range(50)
    }


def test_a_line_after_a_torn_one_is_whole(tmp_path):
    path = tmp_path / "answers.jsonl"
    path.write_text('{"first": 1}\n{"torn": ')
    append_line(path, '{"next": 2}')
    assert path.read_text() == '{"first": 1}\n{"torn": \n{"next": 2}\n'


def test_a_full_disk_leaves_the_file_as_it_was(tmp_path, monkeypatch):
    path = tmp_path / "answers.jsonl"
    append_line(path, "a")

    def fail(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(CannotWrite, match="No space left"):
        append_line(path, "b")
    assert path.read_text() == "a\n"


def test_a_submission_reads_back_from_its_line(submissions):
    record = json.loads(submissions[0].to_json())
    assert Submission(**record) == submissions[0]


@pytest.mark.parametrize("seconds", [float("nan"), float("inf"), -1.0])
def test_an_impossible_time_counts_as_unknown(seconds):
    assert Submission("s", "exam", "w", {}, seconds).seconds is None
