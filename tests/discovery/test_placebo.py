"""Placebo searches: random ordinary words in place of the names."""

from __future__ import annotations

import numpy as np
import pytest

from weatherglass import Discovery, Vectors, control, discover, discover_both
from weatherglass.catalog import load_names
from weatherglass.discovery import names as naming
from weatherglass.discovery.placebo import draw_words
from weatherglass.discovery.prepare import Options
from weatherglass.errors import CannotMeasure, UsageError
from weatherglass.report import discovery_page

SMALL = {"groups": 3, "categories": 4, "words": 1000, "rotations": 99, "rng": 3}


@pytest.fixture(scope="module")
def found(default: Vectors) -> Discovery:
    return discover(default, **SMALL, placebo=2)


def test_placebo_words_are_as_frequent_as_the_names_and_none_is_a_name_or_drawn_twice(
    default: Vectors,
) -> None:
    known = naming.find(default, load_names("ssa")).positions
    names = known[:1500]
    draws = draw_words(default, names, known, Options(**SMALL, placebo=3))
    assert [len(drawn) for drawn in draws] == [1500] * 3
    together = np.concatenate(draws)
    assert len(np.unique(together)) == 4500
    assert not np.isin(together, known).any()
    assert all(word.isalpha() and word.islower() for word in default.words.at(draws[0]))
    for drawn in draws:  # the default vectors are in the order of frequency
        for share in (0.1, 0.5, 0.9):
            expected = np.quantile(np.log(names + 1), share)
            assert np.quantile(np.log(drawn + 1), share) == pytest.approx(expected, abs=0.1)
    again = draw_words(default, names, known, Options(**SMALL, placebo=3))
    assert all(np.array_equal(a, b) for a, b in zip(draws, again, strict=True))
    other = draw_words(default, names, known, Options(**SMALL | {"rng": 4}, placebo=3))
    assert not np.array_equal(draws[0], other[0])


def test_a_discovery_counts_the_cells_of_its_placebos(found: Discovery, default: Vectors) -> None:
    assert len(found.placebos) == 2
    for placebo in found.placebos:
        assert placebo.names == found.names["used"]
        assert 0 < placebo.significant <= placebo.cells <= 12
        assert 0 < placebo.threshold <= 0.05
        assert placebo.rotations == 99
        assert len(placebo.examples) == 3
    assert found.options["placebo"] == 2
    without_placebo = discover(default, **SMALL)
    assert without_placebo.placebos == ()
    assert without_placebo.cells == found.cells


def test_random_words_in_place_of_names_have_significant_cells(found: Discovery) -> None:
    """Significance does not separate names from other words."""
    assert all(placebo.significant >= placebo.cells / 4 for placebo in found.placebos)


def test_placebos_survive_json_and_parquet_and_are_told(found: Discovery, tmp_path) -> None:
    assert Discovery.from_json(found.to_json()) == found
    found.to_parquet(tmp_path / "found.parquet")
    assert Discovery.from_parquet(tmp_path / "found.parquet") == found
    first, second = (f"{placebo.significant} of {placebo.cells}" for placebo in found.placebos)
    sentence = f"With random words in place of names, {first} and {second} cells are significant."
    assert sentence in found.sentence()
    assert sentence in discovery_page(found)
    assert "--placebo 2" in discovery_page(found)


def test_the_command_prints_placebos_below_the_table(run) -> None:
    options = ["--groups", "3", "--categories", "4", "--words", "500", "--rotations", "49"]
    ran = run("discover", "default", *options, "--placebo", "1")
    assert ran.code == 0
    assert "Placebo: With random words in place of names, " in ran.out
    refused = run("discover", "--compare", "default", "default", "--placebo", "1")
    assert refused.code == 2
    assert "--placebo needs one SOURCE" in refused.err


def test_placebos_of_a_comparison_and_of_a_small_vocabulary_are_refused(default: Vectors) -> None:
    few = default.subset(default.words[:3000])
    with pytest.raises(UsageError, match="one embedding"):
        discover_both(few, few, **SMALL, placebo=1)
    with pytest.raises(UsageError, match="placebo is -1"):
        discover(few, placebo=-1)
    options = SMALL | {"categories": 2, "words": 300, "control": "none"}
    with pytest.raises(CannotMeasure, match="too few for 40 placebo searches"):
        discover(few, **options, placebo=40)


@pytest.mark.slow
def test_the_frequency_control_applies_to_placebos_too(found: Discovery, default: Vectors) -> None:
    controlled, _ = control(default, "frequency")
    same = discover(controlled, **SMALL, control="none", placebo=2)
    assert [p.significant for p in same.placebos] == [p.significant for p in found.placebos]
