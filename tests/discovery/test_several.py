"""Several searches side by side, and lists that are cleaned."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weatherglass as wg
from weatherglass.discovery.several import compare_groups_of
from weatherglass.errors import CannotMeasure, UsageError
from weatherglass.report import discoveries_page

FEW: dict[str, Any] = {"groups": 3, "categories": 3, "words": 400, "rotations": 19}
FEW |= {"workers": 1, "control": "none"}


@pytest.fixture(scope="module")
def both(frequent: wg.Vectors) -> wg.Discoveries:
    return wg.discover_each({"a<b": frequent}, names=["ssa", "surnames"], **FEW)


def test_each_source_is_searched_with_each_list(both: wg.Discoveries) -> None:
    assert list(both.searches) == ["a<b, ssa", "a<b, surnames"]
    assert [found.options["names"] for found in both.searches.values()] == ["ssa", "surnames"]
    assert both.agreements == ()  # first names and surnames are not compared


def test_a_search_is_the_same_alone_and_among_others(
    frequent: wg.Vectors, both: wg.Discoveries
) -> None:
    assert both.searches["a<b, surnames"] == wg.discover(frequent, names="surnames", **FEW)


def test_discoveries_survive_json(both: wg.Discoveries) -> None:
    assert wg.Discoveries.from_json(both.to_json()) == both


def test_rows_have_a_line_for_each_group_with_its_facts(both: wg.Discoveries) -> None:
    rows = both.to_rows()
    assert len(rows) == 6
    assert [row["share_female"] is None for row in rows] == [False] * 3 + [True] * 3
    assert all(0 <= row["share_white"] <= 1 for row in rows)


def test_page_shows_groups_with_facts_and_escapes_labels(both: wg.Discoveries) -> None:
    page = discoveries_page(both)
    assert "a<b" not in page
    assert page.count('class="plain side-by-side"') == 2
    for found in both.searches.values():
        for group in found.groups:
            assert all(name in page for name in group.shown)
    assert "weatherglass discover default" in page
    assert "--names ssa" in page
    assert "--names surnames" in page
    ids = [part.split('"')[0] for part in page.split(' id="')[1:]]
    assert len(ids) == len(set(ids))  # each heading links to its own search
    links = {part.split('"')[0] for part in page.split('href="#')[1:]}
    assert links <= {*ids}


def test_agreement_is_one_with_itself_and_near_zero_with_shuffled_groups(
    both: wg.Discoveries,
) -> None:
    found = both.searches["a<b, ssa"]
    assert compare_groups_of({"x": found, "y": found})[0].rand == 1
    names = [name for group in found.groups for name in group.names]
    shuffled = np.random.default_rng(0).permutation(names).tolist()
    groups, start = [], 0
    for group in found.groups:
        part = tuple(shuffled[start : start + group.size])
        groups.append(type(group)(group.id, part[:5], group.size, part, group.facts))
        start += group.size
    other = type(found).from_dict(found.to_dict() | {"groups": [vars(group) for group in groups]})
    agreement = compare_groups_of({"x": found, "y": other})[0]
    assert agreement.shared == len(names)
    assert abs(agreement.rand) < 0.02


def test_a_source_without_the_names_is_reported_before_any_search(
    default: wg.Vectors, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = default.subset(["the", "of", "and", "to"])
    monkeypatch.setattr("weatherglass.discovery.several.discover", lambda *_, **__: 1 / 0)
    with pytest.raises(CannotMeasure, match="Only 0 names"):
        wg.discover_each({"all": default, "few": few}, **FEW)


def test_two_sources_of_the_same_name_need_labels(default: wg.Vectors) -> None:
    with pytest.raises(UsageError, match="Two sources are called"):
        wg.discover_each([default, default], **FEW)
    with pytest.raises(UsageError, match="nothing to search"):
        wg.discover_each({}, **FEW)
