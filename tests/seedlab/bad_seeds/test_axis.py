import numpy as np
import pytest

from weatherglass import Vectors, seed_axis, seed_pair
from weatherglass.errors import CannotMeasure, UsageError
from weatherglass.seedlab.bad_seeds.axis import SeedAxis
from weatherglass.seedlab.bad_seeds.subspaces import pair_components

X, Y = [f"x{i}" for i in range(12)], [f"y{i}" for i in range(12)]
PAIR = seed_pair(X, Y)


def words(entries) -> set[str]:
    return {entry.word for entry in entries}


def test_words_similar_to_a_side_are_at_its_end_of_the_axis(planted):
    ordered, shuffled, random = seed_axis(planted, PAIR, top=15).ends
    assert {"like_x0", "like_x1", "like_x2"} <= words(ordered.high[:3])
    assert {"like_y0", "like_y1", "like_y2"} <= words(ordered.low[:3])
    assert words(ordered.high[3:]) <= set(X) | {f"w{i}" for i in range(400)}
    assert not words(random.high) >= {"like_x0", "like_x1", "like_x2"}
    assert ordered.explained.mean > shuffled.explained.mean > random.explained.mean


def test_words_of_an_axis_are_sorted_by_their_cosine_with_the_component(planted):
    ordered = seed_axis(planted, PAIR, component=2, top=5).ends[0]
    axis = pair_components(planted.unit(X), planted.unit(Y)).axes[1]
    rows = planted.unit(list(planted.words)) @ axis
    assert [entry.cosine.mean for entry in ordered.high] == pytest.approx(sorted(rows)[::-1][:5])
    assert [entry.cosine.mean for entry in ordered.low] == pytest.approx(sorted(rows)[:5])


def test_seed_words_on_the_axis_are_marked_with_their_set(planted):
    marked = {
        entry.word: entry.seed
        for ends in seed_axis(planted, PAIR, top=400).ends
        for entry in (*ends.high, *ends.low)
    }
    assert (marked["x3"], marked["y3"], marked["like_x0"]) == ("X", "Y", "")


def test_shuffled_pairs_have_the_seed_words_and_random_pairs_others(planted):
    ordered, shuffled, random = seed_axis(planted, PAIR).ends
    assert ordered.pairs == PAIR.pairs
    assert [x for x, _ in shuffled.pairs] == X
    assert {y for _, y in shuffled.pairs} == set(Y)
    assert shuffled.pairs != ordered.pairs
    assert len(random.pairs) == 12
    assert len({word for pair in random.pairs for word in pair}) == 24


def test_only_the_most_frequent_words_are_on_the_axis():
    rng = np.random.default_rng(0)
    names = [f"w{i}" for i in range(50)]
    counts = np.arange(50)[::-1] + 1
    vectors = Vectors.of(names, rng.normal(size=(50, 5)), counts=counts[::-1])
    result = seed_axis(vectors, seed_pair(names[:3], names[3:6]), words=20, top=30)
    assert words(result.ends[0].high) == set(names[30:])  # the last have the highest counts


def test_samples_agree_on_a_strong_axis_and_cosines_are_their_means(samples):
    ordered, _, random = seed_axis(samples, PAIR, top=3).ends
    assert ordered.agreement > 0.95
    assert ordered.agreement > random.agreement
    best = ordered.high[0]
    assert best.cosine.n == 6
    assert best.cosine.low <= best.cosine.mean <= best.cosine.high
    assert seed_axis(samples.whole, PAIR).ends[0].agreement is None


def test_samples_with_a_reversed_axis_are_aligned_with_the_first(planted):
    # The same vectors, but the component's sign is open: mirrored, X is on the other side.
    mirrored = Vectors.of(list(planted.words), -np.array(planted.matrix))
    ordered = seed_axis([planted, mirrored], PAIR, component=2, top=3).ends[0]
    assert abs(ordered.agreement) == pytest.approx(1, abs=1e-6)
    assert ordered.high[0].cosine.sd == pytest.approx(0, abs=1e-6)


def test_the_random_seed_determines_the_axis_and_json_keeps_it(planted):
    result = seed_axis(planted, PAIR, rng=5)
    assert SeedAxis.from_json(result.to_json()) == result == seed_axis(planted, PAIR, rng=5)
    assert result.ends[2] != seed_axis(planted, PAIR).ends[2]
    row = result.to_rows()[0]
    assert (row["arrangement"], row["end"], row["place"]) == ("ordered", "high", 1)


def test_an_axis_of_equal_vectors_or_a_missing_component_is_refused(planted):
    same = Vectors.of(list(planted.words), np.ones((len(planted), 3)))
    with pytest.raises(CannotMeasure, match="there is no axis between them"):
        seed_axis(same, PAIR)
    with pytest.raises(CannotMeasure, match="you asked for component 3"):
        seed_axis(planted, seed_pair(X[:2], Y[:2]), component=3)
    with pytest.raises(CannotMeasure, match="No pair"):
        seed_axis(planted, seed_pair(["moon"], ["y0"]))
    with pytest.raises(UsageError, match="top is 0"):
        seed_axis(planted, PAIR, top=0)
