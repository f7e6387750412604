"""The rules of the paper one by one, on cases worked by hand."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from weatherglass import Vectors
from weatherglass.catalog import NameList, load_names
from weatherglass.discovery.clusters import _starts, most_central
from weatherglass.discovery.discover import measure_indirect_bias
from weatherglass.discovery.names import clean, find, frequent_words, is_word, locate, place
from weatherglass.discovery.result import Category, Group
from weatherglass.discovery.rotations import Chosen, Null, Space, open_checkpoint, significant
from weatherglass.vectors.frequency import order_by_frequency


def plane(*words: str) -> Vectors:
    """Words on a circle."""
    angles = np.arange(len(words))
    return Vectors.of(words, np.stack([np.cos(angles), np.sin(angles)], axis=1))


def test_cleaning_drops_names_that_are_used_as_words(default: Vectors) -> None:
    names = find(default, load_names("ssa"))
    cleaned = clean(default, names, names.positions, 0.8, 0)
    assert {"may", "virginia", "will", "china", "april"} <= set(cleaned.dropped)
    kept = {default.words[int(at)] for at in cleaned.positions}
    assert {"mary", "maria", "ahmed", "carlos"} <= kept
    assert len(cleaned.positions) == round(0.8 * len(names.positions))


def test_words_and_phrases_consist_of_lower_case_letters() -> None:
    assert [is_word(token, "english") for token in ("cat", "new_york", "ice cream")] == [True] * 3
    for token in ("Cat", "x1", "café", "_a", "a__b", "", "it's"):
        assert not is_word(token, "english")
    assert is_word("café", "any")
    assert not is_word("Café", "any")


def test_a_token_more_frequent_with_a_capital_is_not_a_word() -> None:
    """ "John" stands before "john" in the file, "will" before "Will"."""
    vectors = plane("John", "john", "will", "Will", "New_York", "new_york", "NASA", "nasa", "cat")
    found = frequent_words(vectors, 10, np.empty(0, np.intp))
    assert [vectors.words[int(at)] for at in found] == ["will", "cat"]


def test_names_are_not_words_in_an_uncased_vocabulary() -> None:
    vectors = plane("john", "cat", "mary", "dog")
    found = frequent_words(vectors, 10, vectors.words.find(["john", "mary"]))
    assert [vectors.words[int(at)] for at in found] == ["cat", "dog"]


def test_frequent_words_follow_the_counts_of_the_file() -> None:
    vectors = Vectors.of(["a", "b", "c"], np.eye(3), counts=[1, 9, 5])
    assert order_by_frequency(vectors).tolist() == [1, 2, 0]
    found = frequent_words(vectors, 2, np.empty(0, np.intp))
    assert [vectors.words[int(at)] for at in found] == ["b", "c"]


def test_names_are_found_in_cased_and_uncased_vocabularies() -> None:
    cased = plane("Mary", "mary", "Ann", "the")
    assert locate(cased, ["mary", "ann"]).tolist() == [0, 2]  # a list without capitals
    assert locate(cased, ["Mary", "ann"]).tolist() == [0, -1]  # "ann" is another word then
    assert locate(plane("mary", "ann"), ["Mary", "ANN", "Zoe"]).tolist() == [0, 1, -1]


def test_a_list_in_a_single_case_is_capitalised() -> None:
    cased = plane("Anna", "anna", "Jean-Luc", "Mary_Ann", "the")
    assert locate(cased, ["ANNA", "JEAN-LUC", "MARY ANN"]).tolist() == [0, 2, 3]
    assert locate(cased, ["anna", "jean-luc", "mary_ann"]).tolist() == [0, 2, 3]
    assert locate(cased, ["mary ann", "Nobody"]).tolist() == [-1, -1]  # written with care


def test_names_are_recognised_by_capitals_of_any_script() -> None:
    """ "Анна" stands before "анна" in the file, "дом" before "Дом"."""
    vectors = plane("Анна", "анна", "дом", "Дом")
    found = frequent_words(vectors, 10, np.empty(0, np.intp), "any")
    assert [vectors.words[int(at)] for at in found] == ["дом"]


def test_out_of_vocabulary_names_are_listed() -> None:
    found = find(plane("Mary", "the"), NameList("x", "x", ("Mary", "Ann", "Zoe")))
    assert found.missing == ("Ann", "Zoe")


def test_kmeans_starts_from_rows_that_are_far_apart() -> None:
    """One of each of five heaps, whatever is drawn."""
    stream = np.random.default_rng(0)
    rows = np.repeat(np.eye(5), 40, axis=0) + 0.01 * stream.standard_normal((200, 5))
    rows = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    for seed in range(20):
        with ThreadPoolExecutor(1) as pool:
            starts = _starts(rows, 5, np.random.default_rng(seed), pool)
        assert sorted(starts.argmax(axis=1)) == [0, 1, 2, 3, 4]
        assert all((rows == start).all(axis=1).any() for start in starts)


def test_a_spelling_from_the_vocabulary_is_found_again() -> None:
    """Whatever the rest of the list looks like."""
    vectors = plane("naaa", "Naaa", "First")
    assert place(vectors, ["naaa"]).tolist() == [0]
    assert place(vectors, ["First", "naaa"]).tolist() == [2, 0]


def test_alternative_spellings_of_a_name_are_tried() -> None:
    names = NameList("x", "x", ("Obrien",), spellings={"Obrien": ("O'Brien",)})
    assert find(plane("cat", "O'Brien"), names).positions.tolist() == [1]


def test_example_names_are_chosen_so_that_their_average_is_central() -> None:
    """The mean points along (1, 0). The first is nearest to it; the second balances the first."""
    angles = np.radians([10, -12, 12, 60, -60, -10.5])
    rows = np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)
    assert most_central(rows, 2) == [0, 5]


def test_indirect_bias_counts_the_positive_products_of_equation_1() -> None:
    """Two groups, three categories of two words. In the third the words lie the other way round."""
    words = np.array([[1, 0], [-1, 0], [0.9, 0.1], [-0.9, 0.1], [-1, 0.2], [1, 0.2]], np.float32)
    space = Space(np.array([[1.0, 0], [-1.0, 0]]), words, np.array([0, 2, 4, 6]), 1)
    chosen = Chosen(np.array([[[0], [2], [4]], [[1], [3], [5]]]), np.ones((2, 3)))
    groups = [Group(id, (), 1, ()) for id in ("G1", "G2")]
    categories = [Category(id, "", 2) for id in ("C1", "C2", "C3")]
    null = Null(space, chosen.scores, rng=0)
    found = measure_indirect_bias(null, chosen, np.ones((2, 3), bool), "abcdef", groups, categories)
    assert (found.tuples, found.share) == (3, pytest.approx(1 / 3))
    best = found.strongest[0]
    assert (best.words, best.cosine) == (("a", "b"), pytest.approx(1.0))
    assert (best.carried, best.of) == (1, 2)


def test_p_values_add_one_to_numerator_and_denominator() -> None:
    """Of 19 rotations none reached the only cell: p = 1/20, which 0.05 just allows."""
    assert significant(np.array([[0]]), 19, 0.05).all()
    assert not significant(np.array([[0]]), 18, 0.05).any()


def test_a_checkpoint_belongs_to_a_single_search() -> None:
    words = np.eye(4, dtype=np.float32)
    space = Space(np.eye(4)[:2], words, np.array([0, 4]), 1)
    scores = np.ones((2, 1))
    paths = {
        open_checkpoint(Null(space, scores, 0).shared(), 100, False).path,
        open_checkpoint(Null(space, scores, 1).shared(), 100, False).path,
        open_checkpoint(Null(space, scores, 0).shared(), 200, False).path,
        open_checkpoint(Null(space, scores + 1, 0).shared(), 100, False).path,
        open_checkpoint(Null(replace(space, voronoi=False), scores, 0).shared(), 100, False).path,
    }
    assert len(paths) == 5


def test_a_cache_that_cannot_be_written_does_not_stop_a_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEATHERGLASS_CACHE_DIR", str(tmp_path))
    (tmp_path / "discovery").write_text("a file where the folder should be")
    space = Space(np.eye(4)[:2], np.eye(4, dtype=np.float32), np.array([0, 4]), 1)
    kept = open_checkpoint(Null(space, np.ones((2, 1)), 0).shared(), 100, True)
    kept.save(0, np.zeros((2, 1), np.int64))
    kept.remove()
    assert not kept.found
