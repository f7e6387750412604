"""Encoders in which every sentence is like every other: a warning, and the centred numbers."""

import numpy as np
import pytest

import weatherglass as wg
from weatherglass.catalog import plain_items
from weatherglass.encoders.anisotropy import shared_part


class Shifted:
    """Another encoder's rows, of unit length, plus the same direction in all of them."""

    def __init__(self, encoder, shift):
        self.encoder, self.shift = encoder, shift
        self.name = self.fingerprint = f"shifted by {shift}"

    def encode(self, sentences):
        rows = np.array([self.encoder.row(text) for text in sentences], dtype=float)
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        return np.hstack([rows, np.full((len(rows), 1), self.shift)])


@pytest.fixture
def shifted(counting, cache):
    return lambda shift: Shifted(counting(dim=50), shift)


def test_the_mean_cosine_is_that_of_all_pairs():
    rows = np.random.default_rng(0).standard_normal((30, 5)) + 0.5
    units = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    pairs = (units @ units.T)[np.triu_indices(30, 1)]
    assert shared_part(rows).mean_cosine == pytest.approx(pairs.mean())
    assert shared_part(rows[:19]) is None


@pytest.mark.parametrize("test", ["weat6", "sent-weat6"])
def test_results_of_an_anisotropic_encoder_warn_and_have_centred_numbers(shifted, test):
    (plain,) = wg.seat(shifted(0.0), test)
    (result,) = wg.seat(shifted(4.0), test)
    assert plain.mean_cosine == pytest.approx(0, abs=0.05)
    assert (plain.warnings, plain.controls) == ((), ())
    assert result.mean_cosine == pytest.approx(16 / 17, abs=0.01)
    level = "words" if test == "weat6" else "sentences"
    assert f"unrelated {level} have a mean cosine similarity of 0.94" in result.warnings[0]
    (centred,) = result.controls
    assert centred.phrase == "without the mean"
    assert centred.effect == pytest.approx(plain.main_value, abs=0.15)
    assert result.row()["effect_center"] == centred.effect
    assert type(result).from_json(result.to_json()) == result


def test_centring_finds_an_effect_that_a_shared_direction_hides_in_another():
    """The shared direction is longer for some targets, which are then like everything."""
    test = wg.test("weat6")
    side = dict.fromkeys((*test.x.words, *test.a.words), 1.0)
    side |= dict.fromkeys((*test.y.words, *test.b.words), -1.0)

    class Hidden:
        name = fingerprint = "hidden"

        def encode(self, sentences):
            rng = [np.random.default_rng(list(text.encode())) for text in sentences]
            noise = [g.standard_normal(20) for g in rng]
            shift = [20 + 2 * g.standard_normal() for g in rng]
            lean = [3 * side.get(text, 0.0) for text in sentences]
            return np.column_stack([noise, lean, shift])

    (result,) = wg.seat(Hidden(), test, cache=False)
    assert result.mean_cosine > 0.9
    assert result.controls[0].effect > 1.5
    assert result.controls[0].p < 0.001


def test_an_encoder_that_knows_few_words_has_no_mean_cosine():
    vectors = wg.Vectors.of(["the", "amy", "john", "he", "she"], np.eye(5))
    from weatherglass.encoders.cbow import Cbow

    test = wg.Test(x=["amy", "he"], y=["john", "she"], a=["amy", "john"], b=["the"])
    (result,) = wg.seat(Cbow(vectors), test, allow_overlap=True)
    assert result.mean_cosine is None
    assert result.warnings == ()


def test_unrelated_items_are_forty_distinct_words_and_sentences():
    for level in ("word", "sentence"):
        assert len(set(plain_items(level))) == 40
    sets = [words for test in wg.tests("weat*", "sent-*") for words in test.sets.values()]
    tested = {word for words in sets for word in words.words}
    assert not tested & {*plain_items("word"), *plain_items("sentence")}
