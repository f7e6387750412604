import numpy as np

import weatherglass as wg

WORDS = [f"word{i}" for i in range(40)] + ["a", "b"]
TEST = wg.Test(id="t1", x=WORDS[:20], y=WORDS[20:40], a=["a"], b=["b"])
OTHER = wg.Test(id="t2", title="Another", x=WORDS[:10], y=WORDS[10:40], a=["a"], b=["b"])


def sources(count: int) -> list[wg.Vectors]:
    common = np.random.default_rng(0).normal(size=(len(WORDS), 8))
    parts = [np.random.default_rng(k).normal(size=common.shape) for k in range(1, count + 1)]
    return [wg.Vectors.of(WORDS, common + 0.5 * part) for part in parts]


def data_of(chart: object) -> str:
    return str(chart.to_dict())


def test_two_sources_are_drawn_word_by_word_with_the_most_different_words_named():
    agreement = wg.agree(sources(2), TEST)
    drawn = agreement.plot().to_dict()
    assert f"r = {agreement.pairs[0].pearson.value:.2f}" in drawn["title"]["text"]
    points, labels = (layer["data"]["values"] for layer in drawn["layer"][1:3])
    assert len(points) == 40
    far = {word for word, _ in agreement.most_different(agreement.pairs[0], 14)}
    assert {label["word"] for label in labels} <= far
    assert len(labels) >= 5


def test_several_sources_are_drawn_as_a_matrix_of_correlations():
    agreement = wg.agree(sources(3), TEST)
    text = data_of(agreement.plot())
    for pair in agreement.pairs:
        assert f"{pair.pearson.value:.2f}" in text
    assert "agreement of 3 sources" in text


def test_several_tests_on_two_sources_are_drawn_by_their_correlations():
    results = wg.Results.of([wg.agree(sources(2), test) for test in (TEST, OTHER)])
    text = data_of(wg.plot(results))
    assert "Another" in text
    assert "95 % intervals over words" in text
