import numpy as np
import pytest
from scipy.stats import pearsonr

from weatherglass import Vectors, compare_generated, generate_seeds, measure_pairs, seed_pair
from weatherglass.errors import CannotMeasure, UsageError
from weatherglass.seedlab.bad_seeds.generated import GeneratedPairs
from weatherglass.seedlab.models import Models


def clustered(seed: int = 0) -> Vectors:
    """Forty groups of five similar words; the groups are in random directions."""
    rng = np.random.default_rng(seed)
    centres = np.random.default_rng(1).normal(size=(40, 15))
    rows = np.repeat(centres, 5, axis=0) + 0.2 * rng.normal(size=(200, 15))
    words = [
        f"{'noun' if g % 2 else 'verb'}_{g}_{chr(97 + i)}" for g in range(40) for i in range(5)
    ]
    return Vectors.of(words, rows, counts=np.arange(200, 0, -1))


def tags(words):
    return {word: word.partition("_")[0].upper() for word in words}


def test_a_generated_set_is_a_word_and_its_nearest_neighbours():
    vectors = clustered()
    for seed_set in generate_seeds(vectors, 20, ranks=(1, 200)):
        target, *near = seed_set.words
        assert near == [word for word, _ in vectors.neighbours(target, 4)]
        assert len({word.rpartition("_")[0] for word in seed_set.words}) == 1


def test_generated_words_have_the_part_of_speech_and_frequency_band():
    vectors = clustered()
    for seed_set in generate_seeds(vectors, 20, ranks=(51, 150), part="NOUN", tags=tags):
        ranks = [vectors.words.index(word) + 1 for word in seed_set.words]
        assert all(51 <= rank <= 150 for rank in ranks)
        assert all(word.startswith("noun") for word in seed_set.words)


def test_generated_sets_start_with_different_words_while_there_are_enough():
    sets = generate_seeds(clustered(), 200, ranks=(1, 200))
    assert len({seed_set.words[0] for seed_set in sets}) == 200
    assert len(generate_seeds(clustered(), 450, ranks=(1, 200))) == 450


def test_without_counts_the_order_of_the_file_is_the_frequency_rank():
    vectors = clustered()
    plain = Vectors.of(list(vectors.words), vectors.matrix)
    assert generate_seeds(plain, 5, ranks=(20, 90)) == generate_seeds(vectors, 5, ranks=(20, 90))


def test_generated_sets_have_only_words_that_all_samples_have():
    whole, sample = clustered(), clustered(1)
    fewer = Vectors.of(list(sample.words)[:50], sample.matrix[:50])
    models = Models("models", whole, (sample, fewer))
    drawn = {
        word for seed_set in generate_seeds(models, 50, ranks=(1, 200)) for word in seed_set.words
    }
    assert drawn <= set(list(whole.words)[:50])


def test_sets_that_cannot_be_generated_are_refused_with_the_reason():
    with pytest.raises(CannotMeasure, match="3 words of rank 1 to 3, and a set needs 5"):
        generate_seeds(clustered(), 2, ranks=(1, 3))
    with pytest.raises(CannotMeasure, match=r"part of speech 'ADJ' .* There are "):
        generate_seeds(clustered(), 2, ranks=(1, 200), part="ADJ", tags=tags)
    with pytest.raises(UsageError, match="`tags`"):
        generate_seeds(clustered(), 2, part="NOUN")
    with pytest.raises(UsageError, match="ranks is 9 to 3"):
        generate_seeds(clustered(), 2, ranks=(9, 3))
    with pytest.raises(UsageError, match="at least 1"):
        generate_seeds(clustered(), 0)


def test_similar_generated_sets_explain_less_variance(planted):
    result = compare_generated(clustered(), count=80, ranks=(1, 200), gathered=())
    assert result.correlation.n == 80
    assert result.correlation.r < 0
    points = [(pair.similarity.mean, pair.explained[0].mean) for pair in result.pairs]
    assert result.correlation.r == pytest.approx(pearsonr(*zip(*points, strict=True)).statistic)


@pytest.mark.parametrize("against", ["coherence-pca", "coherence-weat", "effect"])
def test_similarity_can_be_compared_with_coherence_and_effect(against):
    options = {"count": 10, "ranks": (1, 200), "a": ["noun_1_a"], "b": ["verb_0_a"]}
    own = seed_pair(["noun_3_a", "noun_3_b"], ["verb_4_a", "verb_4_b"])
    result = compare_generated(clustered(), against=against, gathered=[own], **options)
    (mine,) = (pair for pair in result.pairs if pair.kind == "own")
    (known,) = measure_pairs(clustered(), own, a=["noun_1_a"], b=["verb_0_a"]).pairs
    expected = {
        "coherence-pca": known.coherence_pca,
        "coherence-weat": known.coherence_weat,
        "effect": known.effect,
    }
    assert result.value(mine) == expected[against]
    assert GeneratedPairs.from_json(result.to_json()) == result


def test_a_single_pair_of_words_has_no_explained_variance_to_compare():
    own = seed_pair(["noun_1_a"], ["verb_2_a"])
    result = compare_generated(clustered(), count=3, ranks=(1, 200), gathered=[own])
    assert result.value(result.pairs[-1]) is None
    same = Vectors.of(["a", "b", "c"], np.eye(3))
    assert compare_generated(same, count=5, size=1, ranks=(1, 3), gathered=()).correlation is None


def test_comparing_similarity_with_an_unknown_measure_is_refused():
    with pytest.raises(UsageError, match="against is 'cosine'"):
        compare_generated(clustered(), against="cosine")
