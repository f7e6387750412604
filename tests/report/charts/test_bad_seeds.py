import json

import numpy as np
import pytest

import weatherglass as wg
from weatherglass.errors import CannotMeasure
from weatherglass.report.charts.papers.bad_seeds import pair_name, set_name
from weatherglass.seedlab.models import Models

pytest.importorskip("altair", reason="needs the extra 'plots'")

GENDER = ("definitional_female-Bolukbasi_et_al_2016", "definitional_male-Bolukbasi_et_al_2016")


@pytest.fixture(scope="module")
def vectors():
    return wg.open_vectors("default")


def drawn(record, tmp_path) -> str:
    path = tmp_path / "picture.svg"
    wg.save_plot(wg.plot(record), path)
    return path.read_text()


def data(record, tmp_path):
    path = tmp_path / "picture.json"
    wg.save_plot(wg.plot(record), path)
    return json.loads(path.read_text())


def test_variance_has_a_panel_for_each_pair_and_source(vectors, tmp_path):
    pairs = [
        wg.seed_pair(*GENDER),
        wg.seed_pair("career-Caliskan_et_al_2017", "family-Caliskan_et_al_2017"),
    ]
    experiment = [wg.pair_variance(vectors, pair, draws=3) for pair in pairs]
    text = drawn(experiment, tmp_path)
    assert "definitional female / definitional male" in text
    assert "Bolukbasi et al. 2016 · default" in text
    assert "beats 100% of shuffles" in text
    assert text.count("variance explained") >= 2


def test_the_ends_of_an_axis_are_named_and_slurs_masked(tmp_path):
    words = ["he", "she", "bitch", *(f"w{i}" for i in range(9))]
    rows = np.random.default_rng(0).normal(size=(12, 3))
    rows[2] = rows[0]
    experiment = wg.seed_axis(wg.Vectors.of(words, rows), wg.seed_pair(["he"], ["she"]), top=3)
    text = drawn(experiment, tmp_path)
    assert "he*" in text
    assert "b****" in text
    assert "bitch" not in text


def test_hostile_words_are_escaped_in_charts(tmp_path):
    words = ["he", "she", "</text><script>", *(f"w{i}" for i in range(9))]
    rows = np.random.default_rng(0).normal(size=(12, 3))
    rows[2] = rows[0]
    experiment = wg.seed_axis(wg.Vectors.of(words, rows), wg.seed_pair(["he"], ["she"]), top=3)
    assert "<script>" not in drawn(experiment, tmp_path)


def test_generated_pairs_are_drawn_and_the_papers_pairs_are_named(vectors, tmp_path):
    experiment = wg.compare_generated(vectors, count=20)
    text = drawn(experiment, tmp_path)
    assert "20 generated pairs: r = −" in text
    assert "white names / black names" in text
    assert "black roles / caucasian roles" in text
    assert "set similarity" in text


def test_a_concept_has_a_line_for_each_set_that_was_measured(vectors, tmp_path):
    experiment = wg.concept_cosines(vectors, "female")
    text = drawn(experiment, tmp_path)
    for word_set in experiment.sets:
        assert (set_name(word_set.id) in text) == (word_set.mean is not None)
    assert "cosine with the mean of unpleasantness (Caliskan et al. 2017)" in text


def test_coherence_is_ordered_by_rank_and_coloured_by_source(vectors, tmp_path):
    pairs = [pair for pair in wg.gathered_pairs() if "Garg" in pair.x]
    experiment = wg.measure_pairs(vectors, pairs, words=5000)
    order = [pair_name(pair.x, pair.y) for pair in experiment.ranked().pairs]
    text = drawn(experiment, tmp_path)
    assert sorted(order, key=text.index) == order
    named = [
        wg.measure_pairs(vectors, pairs[:2], words=500),
        wg.measure_pairs(
            wg.Vectors.of(
                list(vectors.words[:4000]), vectors.matrix[:4000], source="part/small.txt"
            ),
            pairs[:2],
            words=500,
        ),
    ]
    assert "small.txt" in drawn(named, tmp_path)
    colours = json.dumps(data(named, tmp_path))
    assert '"domain": ["default", "small.txt"]' in colours


def test_set_names_are_written_in_words():
    assert set_name("math_words-Gonen_&_Goldberg_2019") == "math words (Gonen & Goldberg 2019)"
    twice = "female_words_WikiText_2-Bordia_and_Bowman_2019-Bordia_and_Bowman_2019"
    assert set_name(twice) == "female words WikiText 2 (Bordia and Bowman 2019)"
    assert set_name("well-being") == "well-being"
    assert pair_name("a-May_2019", "b-Lee_2020") == "a (May 2019) / b (Lee 2020)"


def test_experiments_without_a_chart_are_refused(vectors):
    pair = wg.seed_pair(*GENDER)
    both = [wg.pair_variance(vectors, pair, draws=2), wg.seed_axis(vectors, pair)]
    with pytest.raises(CannotMeasure, match="of 2 kinds"):
        wg.plot(both)
    nowhere = wg.measure_pairs(
        vectors, wg.seed_pair(["qqqqqq"], ["zzzzzzzz"]), measures=["similarity"]
    )
    with pytest.raises(CannotMeasure, match="nothing to draw"):
        wg.plot(nowhere)


def test_long_source_names_are_not_cut(vectors, tmp_path):
    names = [f"novels-by-gender: {group} without frequency" for group in "FM"]
    experiment = [wg.concept_cosines(Models.of(vectors, name), "career") for name in names]
    text = drawn(experiment, tmp_path)
    assert all(f">{name}</text>" in text for name in names)
