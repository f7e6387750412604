"""The matrix of mutual information, worked by hand, and its factors."""

import math

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg

from weatherglass.corpus import lanczos
from weatherglass.corpus.cooccurrence import count_pairs, open_pairs
from weatherglass.corpus.lanczos import Rows, leading_components
from weatherglass.corpus.ppmi import ppmi_matrix, ppmi_vectors

LOG2 = math.log(2)


@pytest.fixture
def matrix(number, tmp_path):
    """The matrix of some texts, as a table with its words."""

    def make(texts, window=1, smoothing=1.0, shift=1.0, kept=None):
        corpus = number(texts)
        count_pairs(corpus, window, tmp_path)
        pairs = open_pairs(tmp_path)
        mask = np.array([kept is None or word in kept for word in corpus.words])
        rows, transposed = ppmi_matrix(pairs, pairs.counts(), mask, smoothing, shift)
        assert np.array_equal(rows.dense().T, transposed.dense())
        return corpus.words, rows.dense()

    return make


def test_a_corpus_of_three_texts_worked_by_hand(matrix):
    # Pairs: a b twice, a c once; so contexts: a 3, b 2, c 1, of 6 in all.
    # PMI(a, b) = log (2/6 / (3/6 * 2/6)) = log 2, and PMI(a, c) = log (1/6 / (3/6 * 1/6)) = log 2.
    words, cells = matrix(["a b", "a b", "a c"])
    assert words == ["a", "b", "c"]
    assert cells == pytest.approx(LOG2 * np.array([[0, 1, 1], [1, 0, 0], [1, 0, 0]]), abs=1e-6)


def test_smoothing_raises_context_counts_to_a_power(matrix):
    _, cells = matrix(["a b", "a b", "a c"], smoothing=0.75)
    total = 3**0.75 + 2**0.75 + 1
    # As a word b has 2 contexts, both a; as a context a has the smoothed share 3^0.75 / total.
    assert cells[1, 0] == pytest.approx(math.log(1 / (3**0.75 / total)), abs=1e-6)
    assert cells[0, 1] == pytest.approx(math.log(2 / 3 / (2**0.75 / total)), abs=1e-6)


def test_the_shift_lowers_every_cell_and_cells_below_zero_are_zero(matrix):
    texts = ["a b", "a b", "a c"]
    _, cells = matrix(texts, shift=1.5)
    assert cells[0, 1] == pytest.approx(LOG2 - math.log(1.5), abs=1e-6)
    assert not matrix(texts, shift=2.1)[1].any()


def test_a_word_beside_itself_is_its_own_context_twice(matrix):
    # C(a, a) = 2, C(a, b) = 1: contexts a 3, b 1, of 4.
    _, cells = matrix(["a a b"])
    assert cells[0, 0] == 0  # log (2/4 / (3/4 * 3/4)) < 0
    assert cells[0, 1] == pytest.approx(math.log((1 / 4) / (3 / 4 * 1 / 4)), abs=1e-6)
    _, alone = matrix(["a a", "b b"])
    assert alone == pytest.approx(np.eye(2) * LOG2, abs=1e-6)


def test_words_that_are_not_kept_take_no_part(matrix):
    _, cells = matrix(["a b", "a b", "a c", "b c"], kept={"a", "b"})
    assert cells == pytest.approx(LOG2 * np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0]]), abs=1e-6)


def naive(texts, window, smoothing, shift):
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
def test_the_matrix_is_that_of_the_formula(matrix, weather, smoothing, shift):
    words, cells = matrix(weather, 3, smoothing, shift)
    plain, expected = naive(weather, 3, smoothing, shift)
    order = [plain.index(word) for word in words]
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
    return Rows(
        cells.indptr.astype(np.int64), cells.indices.astype(np.int32), cells.data.astype("f4")
    )


def test_products_are_those_of_scipy():
    cells = random_rows(700, 0)
    block = np.random.default_rng(1).standard_normal((700, 32)).astype(np.float32)
    assert as_rows(cells) @ block == pytest.approx(cells @ block, abs=1e-3)


@pytest.mark.parametrize("count", [5, 40])
def test_components_are_those_of_scipy(count):
    cells = random_rows(1200, 2)
    vectors, values = leading_components(
        as_rows(cells), as_rows(cells.T), count, np.random.default_rng(0)
    )
    exact = scipy.sparse.linalg.svds(cells.astype(float), count, random_state=0)[1][::-1]
    assert (values**2).sum() == pytest.approx((exact**2).sum(), rel=1e-3)
    assert values[0] == pytest.approx(exact[0], rel=1e-4)
    assert vectors.T @ vectors == pytest.approx(np.eye(count), abs=1e-3)


def test_where_the_iteration_starts_does_not_matter():
    cells = random_rows(1200, 3)
    ends = [
        leading_components(as_rows(cells), as_rows(cells.T), 10, np.random.default_rng(seed))
        for seed in (0, 1)
    ]
    first, second = (vectors * values for vectors, values in ends)
    # The same up to signs: so are all products of two rows.
    tolerance = 1e-3 * float(np.linalg.norm(first) ** 2)
    assert np.linalg.norm(first @ first.T - second @ second.T) < tolerance


def test_a_matrix_of_low_rank_has_no_more_components_than_its_rank(monkeypatch):
    monkeypatch.setattr(lanczos, "_DENSE", 100)
    rng = np.random.default_rng(0)
    left, right = rng.standard_normal((300, 3)), rng.standard_normal((3, 300))
    cells = sp.csr_matrix((left @ right).astype(np.float32))
    _, values = leading_components(as_rows(cells), as_rows(cells.T), 8, rng)
    exact = np.linalg.svd(left @ right, compute_uv=False)
    assert values[:3] == pytest.approx(exact[:3], rel=1e-3)
    assert (values[3:] < 1e-2 * values[0]).all()


def test_vectors_are_the_components_times_a_power_of_the_values(number, tmp_path, weather):
    corpus = number(weather)
    count_pairs(corpus, 3, tmp_path)
    pairs = open_pairs(tmp_path)
    kept = np.ones(len(corpus.words), dtype=bool)
    options = {"dim": 4, "smoothing": 0.75, "shift": 1.0, "rng": np.random.default_rng(0)}
    rows, _ = ppmi_matrix(pairs, pairs.counts(), kept, 0.75, 1.0)
    cells = rows.dense()
    left, values, _ = np.linalg.svd(cells)
    for power in (0.0, 0.5, 1.0):
        made = ppmi_vectors(pairs, pairs.counts(), kept, power=power, **options)
        expected = left[:, :4] * values[:4] ** power
        assert made @ made.T == pytest.approx(expected @ expected.T, abs=1e-4)
        assert (made.max(axis=0) == np.abs(made).max(axis=0)).all()


def test_more_numbers_than_words_are_zeros(number, tmp_path):
    corpus = number(["a b", "a b", "a c"])
    count_pairs(corpus, 1, tmp_path)
    pairs = open_pairs(tmp_path)
    made = ppmi_vectors(
        pairs,
        pairs.counts(),
        np.ones(3, dtype=bool),
        dim=10,
        smoothing=0.75,
        shift=1,
        power=0.5,
        rng=np.random.default_rng(0),
    )
    assert made.shape == (3, 10)
    assert not made[:, 3:].any()
