"""The PPMI matrix, worked by hand and by the formula, and its factors by block Lanczos."""

import math

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg

from weatherglass.corpus import lanczos
from weatherglass.corpus.lanczos import SparseRows, leading_components
from weatherglass.corpus.ppmi import count_pairs, open_pairs, ppmi_matrix, ppmi_vectors

LOG2 = math.log(2)


@pytest.fixture
def matrix(token_ids, tmp_path):
    """Return a function that makes the words and the PPMI matrix of texts."""

    def make(texts, window=1, smoothing=1.0, shift=1.0, frequent=None):
        corpus = token_ids(texts)
        count_pairs(corpus, window, tmp_path)
        pairs = open_pairs(tmp_path)
        is_frequent = np.array([frequent is None or word in frequent for word in corpus.words])
        rows, transposed = ppmi_matrix(pairs, pairs.counts(), is_frequent, smoothing, shift)
        assert np.array_equal(rows.dense().T, transposed.dense())
        return corpus.words, rows.dense()

    return make


def test_ppmi_of_three_texts_equals_the_values_worked_by_hand(matrix):
    # Pairs: a b twice, a c once; so contexts: a 3, b 2, c 1, of 6 in all.
    # PMI(a, b) = log (2/6 / (3/6 * 2/6)) = log 2, and PMI(a, c) = log (1/6 / (3/6 * 1/6)) = log 2.
    words, cells = matrix(["a b", "a b", "a c"])
    assert words == ["a", "b", "c"]
    assert cells == pytest.approx(LOG2 * np.array([[0, 1, 1], [1, 0, 0], [1, 0, 0]]), abs=1e-6)


def test_ppmi_smoothing_raises_context_counts_to_a_power(matrix):
    _, cells = matrix(["a b", "a b", "a c"], smoothing=0.75)
    total = 3**0.75 + 2**0.75 + 1
    # As a word b has 2 contexts, both a; as a context a has the smoothed share 3^0.75 / total.
    assert cells[1, 0] == pytest.approx(math.log(1 / (3**0.75 / total)), abs=1e-6)
    assert cells[0, 1] == pytest.approx(math.log(2 / 3 / (2**0.75 / total)), abs=1e-6)


def test_the_ppmi_shift_lowers_every_cell_and_negative_cells_become_zero(matrix):
    texts = ["a b", "a b", "a c"]
    _, cells = matrix(texts, shift=1.5)
    assert cells[0, 1] == pytest.approx(LOG2 - math.log(1.5), abs=1e-6)
    assert not matrix(texts, shift=2.1)[1].any()


def test_a_word_next_to_itself_is_its_own_context_twice(matrix):
    # C(a, a) = 2, C(a, b) = 1: contexts a 3, b 1, of 4.
    _, cells = matrix(["a a b"])
    assert cells[0, 0] == 0  # log (2/4 / (3/4 * 3/4)) < 0
    assert cells[0, 1] == pytest.approx(math.log((1 / 4) / (3 / 4 * 1 / 4)), abs=1e-6)
    _, alone = matrix(["a a", "b b"])
    assert alone == pytest.approx(np.eye(2) * LOG2, abs=1e-6)


def test_rare_words_are_neither_words_nor_contexts_of_the_ppmi_matrix(matrix):
    _, cells = matrix(["a b", "a b", "a c", "b c"], frequent={"a", "b"})
    assert cells == pytest.approx(LOG2 * np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0]]), abs=1e-6)


def ppmi_by_formula(texts, window, smoothing, shift):
    words = sorted({word for text in texts for word in text.split()})
    place = {word: i for i, word in enumerate(words)}
    counts = np.zeros((len(words), len(words)))
    for text in texts:
        tokens = text.split()
        for p, first in enumerate(tokens):
            for second in tokens[max(0, p - window) : p] + tokens[p + 1 : p + 1 + window]:
                counts[place[first], place[second]] += 1
    contexts = counts.sum(axis=1)
    shares = contexts**smoothing / (contexts**smoothing).sum()
    with np.errstate(divide="ignore"):
        cells = np.log(counts / contexts[:, None] / shares[None, :]) - math.log(shift)
    return words, np.maximum(cells, 0)


@pytest.mark.parametrize(("smoothing", "shift"), [(1.0, 1.0), (0.75, 1.0), (0.75, 5.0)])
def test_the_ppmi_matrix_equals_the_published_formula(matrix, weather, smoothing, shift):
    words, cells = matrix(weather, 3, smoothing, shift)
    expected_words, expected = ppmi_by_formula(weather, 3, smoothing, shift)
    order = [expected_words.index(word) for word in words]
    assert cells == pytest.approx(expected[np.ix_(order, order)], abs=1e-5)


def random_rows(size, seed):
    rng = np.random.default_rng(seed)
    cells = sp.random(size, size, 0.01, random_state=rng, dtype=np.float32, format="csr")
    cells += sp.diags((50 * 0.98 ** np.arange(size)).astype(np.float32))
    cells = cells.tocsr()
    cells.sort_indices()
    return cells


def as_rows(cells):
    cells = cells.tocsr()
    return SparseRows(
        cells.indptr.astype(np.int64), cells.indices.astype(np.int32), cells.data.astype("f4")
    )


def test_sparse_products_equal_those_of_scipy():
    cells = random_rows(700, 0)
    block = np.random.default_rng(1).standard_normal((700, 32)).astype(np.float32)
    assert as_rows(cells) @ block == pytest.approx(cells @ block, abs=1e-3)


@pytest.mark.parametrize("count", [5, 40])
def test_leading_singular_values_equal_those_of_scipy(count):
    cells = random_rows(1200, 2)
    vectors, values = leading_components(
        as_rows(cells), as_rows(cells.T), count, np.random.default_rng(0)
    )
    exact = scipy.sparse.linalg.svds(cells.astype(float), count, random_state=0)[1][::-1]
    assert (values**2).sum() == pytest.approx((exact**2).sum(), rel=1e-3)
    assert values[0] == pytest.approx(exact[0], rel=1e-4)
    assert vectors.T @ vectors == pytest.approx(np.eye(count), abs=1e-3)


def test_leading_components_do_not_depend_on_the_random_start():
    cells = random_rows(1200, 3)
    results = [
        leading_components(as_rows(cells), as_rows(cells.T), 10, np.random.default_rng(seed))
        for seed in (0, 1)
    ]
    first, second = (vectors * values for vectors, values in results)
    # Signs are arbitrary, so compare the products of all pairs of rows.
    tolerance = 1e-3 * float(np.linalg.norm(first) ** 2)
    assert np.linalg.norm(first @ first.T - second @ second.T) < tolerance


def test_a_matrix_of_low_rank_has_no_more_components_than_its_rank(monkeypatch):
    monkeypatch.setattr(lanczos, "_MAX_DENSE_ROWS", 100)
    rng = np.random.default_rng(0)
    left, right = rng.standard_normal((300, 3)), rng.standard_normal((3, 300))
    cells = sp.csr_matrix((left @ right).astype(np.float32))
    _, values = leading_components(as_rows(cells), as_rows(cells.T), 8, rng)
    exact = np.linalg.svd(left @ right, compute_uv=False)
    assert values[:3] == pytest.approx(exact[:3], rel=1e-3)
    assert (values[3:] < 1e-2 * values[0]).all()


def test_ppmi_vectors_are_components_times_a_power_of_the_singular_values(
    token_ids, tmp_path, weather
):
    corpus = token_ids(weather)
    count_pairs(corpus, 3, tmp_path)
    pairs = open_pairs(tmp_path)
    is_frequent = np.ones(len(corpus.words), dtype=bool)
    options = {"dim": 4, "smoothing": 0.75, "shift": 1.0, "rng": np.random.default_rng(0)}
    rows, _ = ppmi_matrix(pairs, pairs.counts(), is_frequent, 0.75, 1.0)
    cells = rows.dense()
    left, values, _ = np.linalg.svd(cells)
    for power in (0.0, 0.5, 1.0):
        vectors = ppmi_vectors(pairs, pairs.counts(), is_frequent, power=power, **options)
        expected = left[:, :4] * values[:4] ** power
        assert vectors @ vectors.T == pytest.approx(expected @ expected.T, abs=1e-4)
        assert (vectors.max(axis=0) == np.abs(vectors).max(axis=0)).all()


def test_ppmi_vectors_longer_than_the_vocabulary_end_in_zeros(token_ids, tmp_path):
    corpus = token_ids(["a b", "a b", "a c"])
    count_pairs(corpus, 1, tmp_path)
    pairs = open_pairs(tmp_path)
    vectors = ppmi_vectors(
        pairs,
        pairs.counts(),
        np.ones(3, dtype=bool),
        dim=10,
        smoothing=0.75,
        shift=1,
        power=0.5,
        rng=np.random.default_rng(0),
    )
    assert vectors.shape == (3, 10)
    assert not vectors[:, 3:].any()
