"""Where float64 is kept, and where numbers are rounded to float32."""

import numpy as np
import pytest

import weatherglass as wg
from weatherglass import Vectors, open_vectors

WORDS = [f"x{i}" for i in range(6)] + [f"y{i}" for i in range(6)] + ["a1", "a2", "b1", "b2"]
TEST = wg.Test(x=WORDS[:6], y=WORDS[6:12], a=WORDS[12:14], b=WORDS[14:])
DOUBLE_FORMATS = [".npy", ".npz", ".safetensors", ".h5", ".parquet", ".arrow"]


def rows_with_multiples(seed: int, factor: float) -> np.ndarray:
    """Return rows in which three words of Y are multiples of three words of X."""
    rows = np.random.default_rng(seed).normal(size=(len(WORDS), 20))
    rows[6:9] = factor * rows[:3]
    return rows


def test_words_with_the_same_direction_are_tied_whatever_their_length():
    for seed in range(50):
        scaled, equal = (
            wg.weat(Vectors.of(WORDS, rows_with_multiples(seed, factor)), TEST)
            for factor in (3.7, 1.0)
        )
        assert scaled.p.count == equal.p.count


@pytest.mark.parametrize("ending", DOUBLE_FORMATS)
def test_files_of_float64_are_read_as_float64(ending, save, tmp_path):
    if ending == ".h5":
        pytest.importorskip("h5py", reason="HDF5 is read only where h5py is installed")
    vectors = Vectors.of(WORDS, rows_with_multiples(0, 3.7))
    assert vectors.matrix.dtype == np.float64
    path = save(vectors, tmp_path / f"vectors{ending}")
    for opened in (open_vectors(path, words=WORDS), open_vectors(path), open_vectors(path)):
        assert opened.matrix.dtype == np.float64
        assert np.array_equal(opened.matrix, vectors.matrix)
        assert wg.weat(opened, TEST).p == wg.weat(vectors, TEST).p


def test_duplicate_words_of_a_float64_file_are_dropped(tmp_path):
    rows = rows_with_multiples(1, 3.7)[:3]
    np.save(tmp_path / "m.npy", rows)
    (tmp_path / "m.vocab").write_text("a\nb\na\n")
    opened = open_vectors(tmp_path / "m.npy")
    assert opened.duplicates == 1
    assert np.array_equal(opened.matrix, rows[:2])


def test_numbers_in_text_are_rounded_to_float32(save, tmp_path):
    vectors = Vectors.of(WORDS, rows_with_multiples(0, 3.7))
    opened = open_vectors(save(vectors, tmp_path / "vectors.txt"))
    assert opened.matrix.dtype == np.float32
    assert np.array_equal(opened.matrix, vectors.matrix.astype(np.float32))


def test_an_array_that_float32_holds_exactly_is_kept_in_float32():
    rows = rows_with_multiples(0, 2.0).astype(np.float32)
    assert Vectors.of(WORDS, rows.astype(np.float64)).matrix.dtype == np.float32
    assert Vectors.of(WORDS, rows).fingerprint == Vectors.of(WORDS, rows.tolist()).fingerprint


def test_very_long_and_very_short_float64_rows_have_a_direction():
    vectors = Vectors.of(["far", "near", "zero"], [[3e200, 4e200], [3e-200, 4e-200], [0.0, 0.0]])
    assert vectors.unusable.tolist() == [2]
    np.testing.assert_allclose(vectors.unit(["far", "near"]), [[0.6, 0.8]] * 2, rtol=1e-15)
    assert vectors.neighbours("far", 1)[0] == ("near", pytest.approx(1.0))
