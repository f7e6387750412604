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


def test_a_case_worked_by_hand():
    # The mean of bad and ill points to (1, 1, 0) / √2.
    wet, grey = concept_cosines(VECTORS, [WET, GREY], BAD).sets
    half = 1 / np.sqrt(2)
    assert wet.cosines == pytest.approx((half, half))
    assert grey.cosines == pytest.approx((0.6 * half, 0))
    assert (wet.mean.mean, grey.mean.mean) == pytest.approx((half, 0.3 * half))
    assert (grey.words, grey.missing) == (("fog", "mist"), ("haze",))


def test_turning_and_scaling_the_space_change_nothing():
    turn = np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))[0]
    turned = Vectors.of(list(VECTORS.words), 5 * VECTORS.matrix @ turn)
    one, other = (concept_cosines(some, [WET, GREY], BAD) for some in (VECTORS, turned))
    for a, b in zip(one.sets, other.sets, strict=True):
        assert a.cosines == pytest.approx(b.cosines, abs=1e-6)


def test_samples_give_a_spread_of_the_answer(samples):
    sets = [SeedSet(id="x", words=["x0", "x1"])]
    found = concept_cosines(samples, sets, SeedSet(id="like", words=["like_x0"]))
    each = [
        concept_cosines(one, sets, SeedSet(id="like", words=["like_x0"])).sets[0].mean.mean
        for one in samples.samples
    ]
    assert found.sets[0].mean == Spread.of(each)
    assert np.mean(found.sets[0].cosines) == pytest.approx(found.sets[0].mean.mean)


def test_sets_of_one_concept_do_not_answer_alike():
    found = concept_cosines(open_vectors("default"), "female")
    done = {one.id: one.mean.mean for one in found.sets if one.mean}
    assert len(done) == 18
    assert found.attribute_words == seeds("unpleasantness-Caliskan_et_al_2017").words
    assert max(done.values()) > 3 * min(done.values()) > 0
    assert ConceptCosines.from_json(found.to_json()) == found
    assert [row["set"] for row in found.to_rows()] == [one.id for one in found.sets]


def test_a_set_that_is_not_there_is_not_run():
    gone = SeedSet(id="gone", words=["sleet", "rain", "snow"])
    empty = SeedSet(id="empty", words=[])
    first, second = concept_cosines(VECTORS, [gone, empty], BAD).sets
    assert (first.status, first.mean) == ("not run", None)
    assert "2 of the 3 words of gone are missing" in first.reason
    assert second.reason == "it has no words"
    assert concept_cosines(VECTORS, [gone], BAD, max_missing=0.7).sets[0].mean is not None


def test_what_cannot_be_asked():
    with pytest.raises(CannotMeasure, match="None of the words of nowhere"):
        concept_cosines(VECTORS, [WET], SeedSet(id="nowhere", words=["evil"]))
    opposite = Vectors.of(["rain", "up", "down"], [[1, 0], [0, 1], [0, -1]])
    with pytest.raises(CannotMeasure, match="cancel out"):
        concept_cosines(opposite, [WET], SeedSet(id="both", words=["up", "down"]), max_missing=1)
    with pytest.raises(UnknownEntry, match="fmale"):
        concept_cosines(VECTORS, "fmale")
    with pytest.raises(UsageError, match="no seed set"):
        concept_cosines(VECTORS, [])
