"""The chart of names kept and dropped, and names weighted by population."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weatherglass as wg
from weatherglass.discovery import Cleaning
from weatherglass.discovery.clusters import cluster, means
from weatherglass.errors import CannotMeasure, UsageError

FEW: dict[str, Any] = {"groups": 4, "categories": 4, "words": 800, "rotations": 19}
FEW |= {"workers": 1, "control": "none"}
TABLE = "name,people,score\n" + "".join(
    f"{name},{people},{score}\n"
    for name, people, score in [
        ("Giovanni", 5000, 1),
        ("Francesca", 1, 2),
        ("Marco", 3000, 3),
        ("Hans", 900, 4),
        ("Greta", 50, 5),
        ("Klaus", 40, 6),
        ("Ivan", 20, 7),
        ("Olga", "", 8),
    ]
)


@pytest.fixture(scope="module")
def found(frequent: wg.Vectors) -> wg.Discovery:
    return wg.discover(frequent, **FEW)


def test_cleaning_lists_every_name_of_the_vocabulary_with_its_rank(
    frequent: wg.Vectors, found: wg.Discovery
) -> None:
    cleaning = found.cleaning
    assert cleaning is not None
    assert len(cleaning.names) == found.names["listed"] - found.names["missing"]
    assert sum(cleaning.is_kept) == found.names["used"]
    dropped = {
        name for name, kept in zip(cleaning.names, cleaning.is_kept, strict=True) if not kept
    }
    assert dropped == set(found.dropped)
    # The vectors are sorted by frequency: a rank is the position of the token.
    ranks = dict(zip(cleaning.names, cleaning.ranks, strict=True))
    assert frequent.words[ranks["michael"] - 1] == "michael"


def test_names_with_other_uses_are_below_the_power_law(found: wg.Discovery) -> None:
    cleaning = found.cleaning
    assert cleaning is not None
    assert cleaning.power_law.exponent < 0
    residuals = dict(zip(cleaning.names, cleaning.residuals, strict=True))
    assert residuals["tuesday"] < -1.5 < 0 < residuals["christopher"]
    assert {"tuesday", "china"} <= set(cleaning.outliers[:40])


def test_power_law_of_an_exact_law_is_found_with_r2_one() -> None:
    ranks = (10, 100, 1000, 10_000)
    people = tuple(1e6 * rank**-0.5 for rank in ranks)
    law = Cleaning(("a", "b", "c", "d"), ranks, people, (True,) * 4, 1e6).power_law
    assert law.exponent == pytest.approx(-0.5)
    assert law.r2 == pytest.approx(1)
    assert law.log_probability(100) == pytest.approx(-1)


def test_power_law_ignores_the_names_that_were_dropped() -> None:
    exact = Cleaning(("a", "b", "c"), (10, 100, 1000), (100, 10, 1), (True,) * 3, 200)
    kept = Cleaning(
        ("a", "b", "c", "x"), (10, 100, 1000, 5), (100, 10, 1, 1), (True, True, True, False), 200
    )
    assert kept.power_law == exact.power_law


def test_a_cleaning_of_too_few_names_has_no_power_law() -> None:
    with pytest.raises(CannotMeasure, match="needs 3 names"):
        Cleaning(("a", "b"), (1, 2), (5, 4), (True, True), 9).power_law.r2  # noqa: B018


def test_a_list_without_numbers_of_people_has_no_cleaning_chart(
    frequent: wg.Vectors, tmp_path: Any
) -> None:
    from weatherglass.report import plot_cleaning

    file = tmp_path / "names.txt"
    file.write_text("\n".join(line.split(",")[0] for line in TABLE.splitlines()[1:]))
    found = wg.discover(frequent, names=file, **FEW | {"groups": 2})
    assert found.cleaning is None
    with pytest.raises(CannotMeasure, match="does not state how many people"):
        plot_cleaning(found)


def test_a_row_of_weight_three_counts_like_three_equal_rows() -> None:
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((30, 4)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    weights = rng.integers(1, 4, 30).astype(float)
    repeated = np.repeat(np.arange(30), weights.astype(int))
    labels = np.arange(30) % 3
    assert means(rows, labels, 3, weights) == pytest.approx(
        means(rows[repeated], labels[repeated], 3), abs=1e-6
    )
    # K-means of the repeated rows ends at the same best clustering: three tight clusters.
    centres = np.eye(4, dtype=np.float32)[:3]
    tight = np.concatenate([centres + 0.05 * rows[:3], centres + 0.05 * rows[3:6]])
    tight /= np.linalg.norm(tight, axis=1, keepdims=True)
    assert cluster(tight, 3, "rows", 0, weights=np.full(6, 2.5)).tolist() in (
        [
            [*order, *order]
            for order in ([0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0])
        ]
    )


def test_equal_weights_give_the_facts_and_scores_of_names_counted_once(
    frequent: wg.Vectors, tmp_path: Any
) -> None:
    file = tmp_path / "names.csv"
    rows = [row.split(",") for row in TABLE.splitlines()[1:]]
    lines = [f"{name},7,{score},{'SNE'[k % 3]}" for k, (name, _, score) in enumerate(rows)]
    file.write_text("\n".join(["name,people,score,group", *lines]))
    options = FEW | {"names": file, "keep_names": 1.0}
    once = wg.discover(frequent, **options)
    weighted = wg.discover(frequent, weights="population", **options)
    assert [group.facts for group in weighted.groups] == [
        pytest.approx(group.facts) for group in once.groups
    ]
    assert all(group.people == 7 * group.size for group in weighted.groups)
    assert [cell.words for cell in weighted.cells] == [cell.words for cell in once.cells]
    scores = [cell.score for cell in weighted.cells]
    assert scores == pytest.approx([cell.score for cell in once.cells])


def test_weighted_facts_are_means_over_people(frequent: wg.Vectors, tmp_path: Any) -> None:
    file = tmp_path / "names.csv"
    file.write_text(TABLE)
    found = wg.discover(
        frequent, names=file, weights="population", keep_names=1, **FEW | {"groups": 2}
    )
    people = {"giovanni": 5000, "francesca": 1, "marco": 3000, "hans": 900, "greta": 50}
    people |= {"klaus": 40, "ivan": 20}
    score = {name: number for number, name in enumerate(people, 1)}
    assert found.names["without people"] == 1  # Olga has no number
    for group in found.groups:
        total = sum(people[name] for name in group.names)
        expected = sum(people[name] * score[name] for name in group.names) / total
        assert group.people == total
        assert group.facts == pytest.approx({"score": expected})


def test_weights_need_a_column_that_counts_people(frequent: wg.Vectors, tmp_path: Any) -> None:
    file = tmp_path / "names.csv"
    file.write_text(TABLE.replace("people", "how_many"))
    with pytest.raises(UsageError, match="does not state how many people"):
        wg.discover(frequent, names=file, weights="population", **FEW | {"groups": 2})
    with pytest.raises(UsageError, match="no numeric column 'age'"):
        wg.discover(frequent, names=file, weights="age", **FEW | {"groups": 2})
    named = wg.discover(frequent, names=file, weights="how_many", **FEW | {"groups": 2})
    assert "how_many" not in named.columns
    with pytest.raises(UsageError, match="have no weights"):
        wg.discover(frequent, names="auto", weights="population", **FEW)


def test_groups_of_people_are_split_by_gender_more_than_groups_of_names(
    frequent: wg.Vectors,
) -> None:
    """Footnote 4 of Swinger et al. (2019): weighted clusters are mostly split by gender and age."""
    few = FEW | {"groups": 12}
    spread = {}
    for weights in ("none", "population"):
        groups = wg.discover(frequent, weights=weights, **few).groups
        spread[weights] = np.std([group.facts["share_female"] for group in groups])
    assert spread["population"] > spread["none"]


def test_placebo_words_take_the_weights_of_names(frequent: wg.Vectors) -> None:
    found = wg.discover(frequent, weights="population", placebo=1, **FEW)
    assert found.placebos[0].names == found.names["used"]
