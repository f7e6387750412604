"""A study: the paper's protocol, its folder, and pages without the key."""

from __future__ import annotations

import csv
import json
from collections import Counter

import pytest

from weatherglass import CrowdStudy, export_crowd_study
from weatherglass.crowd import (
    make_ratings,
    presented_order,
    task_page,
    texts_to_adapt,
    write_study,
)
from weatherglass.errors import BadContent, CannotMeasure, CannotWrite, SourceNotFound, UsageError

from .conftest import make_discovery

pytest.importorskip("jinja2", reason="task pages need the extra 'web'")


def test_the_exam_has_three_names_of_each_of_twelve_groups_and_none_that_is_shown():
    study = export_crowd_study(make_discovery(groups=12))
    (exam,) = study.of_kind("exam")
    assert len(exam.items) == 36
    assert set(Counter(item.group for item in exam.items).values()) == {3}
    shown = {name for group in study.groups for name in group.shown}
    assert not shown & {item.words[0] for item in exam.items}
    assert study.options.pass_share == 0.5


def test_a_matching_task_has_the_significant_cells_of_a_category_and_their_groups(discovery, study):
    for task in study.of_kind("match"):
        cells = [c for c in discovery.cells if c.category == task.category and c.significant]
        assert {(item.group, item.words) for item in task.cells} == {
            (c.group, c.words) for c in cells
        }
        assert set(task.options) == {c.group for c in cells}
        assert sum(bool(item.check) for item in task.items) == 1


def test_numbers_of_tests_names_and_shown_names_are_options(discovery):
    study = export_crowd_study(discovery, tests=2, names=2, shown=3)
    assert [task.id for task in study.tasks] == ["exam", "match-01", "match-02"]
    assert len(study.task("exam").items) == 10
    assert {len(group.shown) for group in study.groups} == {3}


def test_the_same_seed_gives_the_same_study_and_another_seed_another(discovery):
    assert export_crowd_study(discovery, rng=1) == export_crowd_study(discovery, rng=1)
    assert export_crowd_study(discovery, rng=1).id != export_crowd_study(discovery, rng=2).id


def test_categories_with_a_single_significant_cell_are_skipped_and_noted():
    study = export_crowd_study(make_discovery(groups=4, categories=4))
    assert len(study.of_kind("match")) == 3
    assert "1 category has a single significant cell" in study.notes[0]
    with pytest.raises(CannotMeasure, match="two significant cells"):
        export_crowd_study(
            make_discovery(groups=2, categories=1, words=("a",)).__class__.from_json(
                make_discovery(groups=2, categories=1)
                .to_json()
                .replace('"significant": true', '"significant": false')
            )
        )


@pytest.mark.parametrize(
    "options", [{"tests": 0}, {"pass_share": 1.0}, {"offensive": 8.0}, {"min_seconds": -1.0}]
)
def test_options_out_of_range_are_refused(discovery, options):
    with pytest.raises(UsageError, match=next(iter(options))):
        export_crowd_study(discovery, **options)


def test_a_study_reads_back_from_its_folder_and_a_changed_key_is_noticed(discovery, tmp_path):
    study = export_crowd_study(discovery, tmp_path / "s")
    assert CrowdStudy.load(tmp_path / "s") == study
    path = tmp_path / "s" / "study.json"
    path.write_text(path.read_text().replace('"group": "G2"', '"group": "G3"', 1))
    with pytest.raises(BadContent, match="changed"):
        CrowdStudy.load(tmp_path / "s")
    with pytest.raises(SourceNotFound, match="crowd export"):
        CrowdStudy.load(tmp_path)


def test_exporting_again_takes_over_adapted_texts_and_refuses_another_study(discovery, tmp_path):
    export_crowd_study(discovery, tmp_path)
    (tmp_path / "consent.txt").write_text("Ask <Dr. Who> anything.\n\nThank you.")
    export_crowd_study(discovery, tmp_path)
    page = (tmp_path / "pages" / "exam.html").read_text()
    assert "<p>Ask &lt;Dr. Who&gt; anything.</p>" in page
    with pytest.raises(CannotWrite, match="another study"):
        export_crowd_study(discovery, tmp_path, rng=9)


def test_exporting_again_keeps_rating_tasks_and_new_ones_replace_old_pages(discovery, tmp_path):
    study = export_crowd_study(discovery, tmp_path)
    cells = [task.cells[0].id for task in study.of_kind("match")]
    write_study(make_ratings(study, cells), tmp_path)
    again = export_crowd_study(discovery, tmp_path)
    assert len(again.of_kind("rate")) == len(cells)
    write_study(make_ratings(study, cells[:1]), tmp_path)
    assert [p.name for p in (tmp_path / "pages").glob("rate-*")] == ["rate-01.html"]


def test_the_design_is_part_of_the_id_of_a_study(discovery):
    assert export_crowd_study(discovery).id != export_crowd_study(discovery, one_to_one=True).id
    assert export_crowd_study(discovery).id == export_crowd_study(discovery, raters=20).id


def test_nothing_that_workers_get_reveals_the_key(discovery, tmp_path):
    """The files are the same if the groups of all cells and names are exchanged."""
    study = export_crowd_study(discovery, tmp_path)
    record = json.loads(study.to_json())
    for task in record["tasks"]:
        groups = [item["group"] for item in task["items"] if not item["check"]]
        rotated = iter([*groups[1:], groups[0]])
        for item in task["items"]:
            item["group"] = item["group"] if item["check"] else next(rotated)
    record.pop("crowd_study")
    exchanged = CrowdStudy(**_revive(record))
    for task, other in zip(study.tasks, exchanged.tasks, strict=True):
        page = task_page(study, task).replace(study.id, exchanged.id)
        assert page == task_page(exchanged, other)
    table = (tmp_path / "tasks.csv").read_text() + (tmp_path / "label-studio.json").read_text()
    assert "key" not in table


def _revive(record):
    from weatherglass.measures import from_plain

    return vars(from_plain(CrowdStudy, record))


def test_item_ids_do_not_follow_the_order_of_groups():
    study = export_crowd_study(make_discovery(groups=10))
    task = study.of_kind("match")[0]
    order = [int(item.group[1:]) for item in sorted(task.cells, key=lambda item: item.id)]
    assert order != sorted(order)


def test_hostile_words_are_escaped_and_slurs_masked():
    words = ("</script><script>alert(1)</script>", "rednecks", "a\u202eb")
    discovery = make_discovery(words=words)
    for show, word in ((False, "r*******"), (True, "rednecks")):
        study = export_crowd_study(discovery, show_slurs=show)
        task = next(task for task, item in study.items() if item.words == words)
        page = task_page(study, task)
        assert "<script>alert" not in page
        assert page.count("<script") == 2  # the settings, and the script of the page
        assert word in page
        assert ("Slurs are masked" in page) != show
        assert "a\\u202eb" in page
        assert "\u202e" not in page


def test_the_table_for_survey_tools_has_a_row_for_each_item(study, discovery, tmp_path):
    export_crowd_study(discovery, tmp_path)
    with (tmp_path / "tasks.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert {row["item"] for row in rows} == {item.id for _, item in study.items()}
    first = next(row for row in rows if row["kind"] == "match")
    task = study.task(first["task"])
    listed = [first[f"option_{k + 1}_id"] for k in range(len(task.options))]
    assert tuple(listed) == task.options


def test_only_agreed_cells_get_rating_tasks_and_the_study_keeps_its_id(study):
    cells = [item.id for item in study.of_kind("match")[0].cells][:2]
    rated = make_ratings(study, cells)
    (task,) = rated.of_kind("rate")
    assert len(task.cells) == 2
    assert task.options == tuple("1234567")
    assert rated.id == study.id
    assert CrowdStudy.from_json(rated.to_json()) == rated


def test_every_worker_sees_another_order_and_each_position_is_equally_likely():
    ids = [f"match-01-{k:02}" for k in range(6)]
    counts = Counter(
        (presented_order(0, f"worker {w}", "match-01", ids).index(ids[0])) for w in range(3000)
    )
    expected = 500
    chi2 = sum((counts[k] - expected) ** 2 / expected for k in range(6))
    assert chi2 < 20.5  # 0.999 of chi-squared with 5 degrees of freedom
    pairs = Counter(tuple(presented_order(0, f"w{w}", "t", ids)[:2]) for w in range(6000))
    assert len(pairs) == 30
    assert max(pairs.values()) < 270  # 200 expected


def test_the_same_worker_sees_the_same_order_again():
    assert presented_order(3, "w", "t", "abcdef") == presented_order(3, "w", "t", "fedcba")


def test_texts_with_placeholders_are_named_until_they_are_adapted(discovery, tmp_path):
    export_crowd_study(discovery, tmp_path)
    assert texts_to_adapt(tmp_path) == ["consent.txt"]
    (tmp_path / "consent.txt").write_text("We ask about stereotypes.\n", encoding="utf-8")
    export_crowd_study(discovery, tmp_path)
    assert texts_to_adapt(tmp_path) == []
    assert "We ask about stereotypes." in (tmp_path / "pages" / "exam.html").read_text("utf-8")
