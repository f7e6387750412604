import numpy as np
import pytest

from weatherglass import SeedSet, Vectors, concept_cosines, open_vectors, seeds
from weatherglass.errors import CannotMeasure, UnknownEntry, UsageError
from weatherglass.seedlab.bad_seeds.concept import ConceptCosines
from weatherglass.seedlab.models import Spread

VECTORS = Vectors.of(
    ["rain", "hail", "fog", "mist", "bad", "ill"],
    [[1, 0, 0], [0, 1, 0], [3, 0, 4], [0, 0, 2], [1, 0, 0], [0, 1, 0]],
)
WET = SeedSet(id="wet", concept="weather", words=["rain", "hail"])
GREY = SeedSet(id="grey", concept="weather", words=["fog", "mist", "haze"])
BAD = SeedSet(id="bad", words=["bad", "ill"])


def test_cosines_of_a_concept_are_those_worked_by_hand():
    # The mean of bad and ill points to (1, 1, 0) / √2.
    wet, grey = concept_cosines(VECTORS, [WET, GREY], BAD).sets
    half = 1 / np.sqrt(2)
    assert wet.cosines == pytest.approx((half, half))
    assert grey.cosines == pytest.approx((0.6 * half, 0))
    assert (wet.mean.mean, grey.mean.mean) == pytest.approx((half, 0.3 * half))
    assert (grey.words, grey.missing) == (("fog", "mist"), ("haze",))


def test_rotating_and_scaling_the_space_changes_no_cosine():
    rotation = np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))[0]
    turned = Vectors.of(list(VECTORS.words), 5 * VECTORS.matrix @ rotation)
    plain, rotated = (concept_cosines(vectors, [WET, GREY], BAD) for vectors in (VECTORS, turned))
    for a, b in zip(plain.sets, rotated.sets, strict=True):
        assert a.cosines == pytest.approx(b.cosines, abs=1e-6)


def test_samples_give_the_spread_of_a_sets_mean_cosine(samples):
    sets = [SeedSet(id="x", words=["x0", "x1"])]
    result = concept_cosines(samples, sets, SeedSet(id="like", words=["like_x0"]))
    means = [
        concept_cosines(vectors, sets, SeedSet(id="like", words=["like_x0"])).sets[0].mean.mean
        for vectors in samples.samples
    ]
    assert result.sets[0].mean == Spread.of(means)
    assert np.mean(result.sets[0].cosines) == pytest.approx(result.sets[0].mean.mean)


def test_sets_of_one_concept_differ_by_a_factor_of_three():
    result = concept_cosines(open_vectors("default"), "female")
    means = {cosines.id: cosines.mean.mean for cosines in result.sets if cosines.mean}
    assert len(means) == 18
    assert result.attribute_words == seeds("unpleasantness-Caliskan_et_al_2017").words
    assert max(means.values()) > 3 * min(means.values()) > 0
    assert ConceptCosines.from_json(result.to_json()) == result
    assert [row["set"] for row in result.to_rows()] == [cosines.id for cosines in result.sets]


def test_a_set_with_too_many_missing_words_is_not_run():
    gone = SeedSet(id="gone", words=["sleet", "rain", "snow"])
    empty = SeedSet(id="empty", words=[])
    first, second = concept_cosines(VECTORS, [gone, empty], BAD).sets
    assert (first.status, first.mean) == ("not run", None)
    assert "2 of the 3 words of gone are missing" in first.reason
    assert second.reason == "it has no words"
    assert concept_cosines(VECTORS, [gone], BAD, max_missing=0.7).sets[0].mean is not None


def test_an_unusable_attribute_or_unknown_concept_is_refused():
    with pytest.raises(CannotMeasure, match="None of the words of nowhere"):
        concept_cosines(VECTORS, [WET], SeedSet(id="nowhere", words=["evil"]))
    opposite = Vectors.of(["rain", "up", "down"], [[1, 0], [0, 1], [0, -1]])
    with pytest.raises(CannotMeasure, match="cancel out"):
        concept_cosines(opposite, [WET], SeedSet(id="both", words=["up", "down"]), max_missing=1)
    with pytest.raises(UnknownEntry, match="fmale"):
        concept_cosines(VECTORS, "fmale")
    with pytest.raises(UsageError, match="no seed set"):
        concept_cosines(VECTORS, [])
