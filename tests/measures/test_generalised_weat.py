"""The generalised WEAT: the three lemmas of Swinger et al. (2019), and its edges."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weatherglass import Vectors, generalised_weat
from weatherglass.errors import CannotMeasure, UsageError

NAMES, WORDS = 12, 10


def random_vectors(seed: int) -> Vectors:
    rows = np.random.default_rng(seed).standard_normal((NAMES + WORDS, 6))
    return Vectors.of([f"x{k}" for k in range(NAMES)] + [f"a{k}" for k in range(WORDS)], rows)


def subsets(prefix: str, size: int, count: int = 1) -> st.SearchStrategy[list[list[str]]]:
    """Draw sets of names or words, none empty and none complete."""
    tokens = [f"{prefix}{k}" for k in range(size)]
    subset = st.lists(st.sampled_from(tokens), min_size=1, max_size=size - 1, unique=True)
    return st.lists(subset, min_size=count, max_size=count)


UNIVERSE = {
    "all_names": [f"x{k}" for k in range(NAMES)],
    "all_words": [f"a{k}" for k in range(WORDS)],
}


@settings(max_examples=40)
@given(st.integers(0, 99), st.permutations(range(NAMES)), st.integers(1, 6), subsets("a", WORDS, 2))
def test_generalised_weat_of_two_groups_is_the_statistic_of_weat(
    seed: int, order: list[int], size: int, words: list[list[str]]
) -> None:
    vectors = random_vectors(seed)
    x, y = ([f"x{k}" for k in part] for part in (order[:size], order[size : 2 * size]))
    a, b = words
    g = generalised_weat(vectors, [(x, a), (y, b)]).g
    difference = vectors.unit(a).mean(axis=0) - vectors.unit(b).mean(axis=0)
    s = (vectors.unit(x) @ difference).sum() - (vectors.unit(y) @ difference).sum()
    assert s == pytest.approx(2 * size * g, abs=1e-12)


@settings(max_examples=40)
@given(st.integers(0, 99), subsets("x", NAMES), subsets("a", WORDS))
def test_generalised_weat_of_one_group_compares_it_with_all_or_with_the_rest(
    seed: int, names: list[list[str]], words: list[list[str]]
) -> None:
    vectors, (x,), (a,) = random_vectors(seed), names, words
    rest_x = [name for name in UNIVERSE["all_names"] if name not in x]
    rest_a = [word for word in UNIVERSE["all_words"] if word not in a]
    g = generalised_weat(vectors, [(x, a)], **UNIVERSE).g
    with_all = generalised_weat(vectors, [(x, a), (UNIVERSE["all_names"], UNIVERSE["all_words"])]).g
    with_rest = generalised_weat(vectors, [(x, a), (rest_x, rest_a)]).g
    share = len(rest_x) / NAMES * len(rest_a) / WORDS
    assert g == pytest.approx(2 * with_all, abs=1e-12)
    assert g == pytest.approx(2 * share * with_rest, abs=1e-12)


@settings(max_examples=40)
@given(st.integers(0, 99), st.integers(2, 5), st.data())
def test_generalised_weat_is_the_sum_over_single_groups(
    seed: int, n: int, data: st.DataObject
) -> None:
    vectors = random_vectors(seed)
    names = data.draw(subsets("x", NAMES, n))
    words = data.draw(subsets("a", WORDS, n))
    g = generalised_weat(vectors, list(zip(names, words, strict=True))).g
    single = np.array(
        [[generalised_weat(vectors, [(x, a)], **UNIVERSE).g for a in words] for x in names]
    )
    assert g == pytest.approx(np.trace(single) - single.sum() / n, abs=1e-12)


def test_generalised_weat_is_that_worked_by_hand() -> None:
    """X̄₁ = (1, 0), X̄₂ = (0, 1), μ = (½, ½); Ā₁ = (1, 0), Ā₂ = (0, 1): two parts of ½."""
    vectors = Vectors.of(["x", "y", "a", "b"], [[2, 0], [0, 3], [5, 0], [0, 1]])
    result = generalised_weat(vectors, [(["x"], ["a"]), (["y"], ["b"])])
    assert result.g == pytest.approx(1.0)
    assert result.parts == pytest.approx({"X1": 0.5, "X2": 0.5})
    assert result.n == dict.fromkeys(["X1", "X2", "A1", "A2"], 1)


def test_generalised_weat_lists_missing_words_and_refuses_an_empty_group() -> None:
    vectors = random_vectors(0)
    pairs = [(["x0", "nobody"], ["a0"]), (["x1"], ["a1", "nothing"])]
    assert generalised_weat(vectors, pairs).missing == {
        "X1": ("nobody",),
        "X2": (),
        "A1": (),
        "A2": ("nothing",),
    }
    with pytest.raises(CannotMeasure, match="Group 2 has no names or no words"):
        generalised_weat(vectors, [(["x0"], ["a0"]), (["nobody"], ["a1"])])
    with pytest.raises(UsageError, match="no group"):
        generalised_weat(vectors, [])
    with pytest.raises(UsageError, match="give both"):
        generalised_weat(vectors, [(["x0"], ["a0"])])
