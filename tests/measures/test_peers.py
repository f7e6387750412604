"""The numbers equal those that other packages print for the same vectors.

The vectors are the embedded default (GloVe 6B 50d), the words those of figure 1 of Garg et al.
(2018) and the ten gender pairs of Bolukbasi et al. (2016), which the catalogue has.

- R's sweater: its functions `rnd`, `ect`, `mac`, `nas` and `semaxis`, run in R 4.2.2
  with purrr 1.0.1 and proxy 0.4-27 on these rows. The package itself was not installed.
- responsibly 0.1.2: `BiasWordEmbedding` with the direction of its own principal component
  analysis, on gensim 4 and scikit-learn 1.x; it keeps vectors in single precision.
- WEFE 1.0.1: `RND`, `ECT`, `MAC` and `RIPA`, in single precision.
"""

import pytest

import weatherglass as wg
from weatherglass.catalog import axis

GARG = {
    "X": "occuptations_1950_professional-Garg_et_al_2018",
    "A": "male_pairs-Garg_et_al_2018",
    "B": "female_pairs-Garg_et_al_2018",
}
SINGLE = 2e-6  # relative error of single precision


@pytest.fixture(scope="module")
def vectors():
    return wg.open_vectors("default")


def scores_of(result, *words):
    return tuple(dict(result.ranked())[word] for word in words)


def test_rnd_equals_that_of_sweater(vectors):
    result = wg.measure(vectors, "rnd", GARG)
    assert result.value == pytest.approx(-29.1638664777, rel=1e-11)
    printed = (0.542447753211, -0.742930666453)
    assert scores_of(result, "nurse", "engineer") == pytest.approx(printed, rel=1e-11)
    unit = wg.measure(vectors, "rnd", GARG, unit=True)
    assert unit.value == pytest.approx(-5.00394578873, rel=1e-11)
    printed = (0.108002198407, -0.140229614703)
    assert scores_of(unit, "nurse", "engineer") == pytest.approx(printed, rel=1e-11)


def test_ect_equals_that_of_sweater(vectors):
    result = wg.measure(vectors, "ect", GARG)
    assert result.value == pytest.approx(0.883062200957, rel=1e-11)
    nurse = result.words["X"].index("nurse")
    cosines = [result.columns[name]["X"][nurse] for name in ("with A", "with B")]
    assert cosines == pytest.approx([0.614828499911, 0.725273225795], rel=1e-11)


def test_mac_equals_that_of_sweater(vectors):
    result = wg.measure(vectors, "mac", {"X": GARG["X"], "A": GARG["A"]})
    assert result.value == pytest.approx(0.294029714861, rel=1e-11)
    printed = (0.466247894301, 0.439636555688)
    assert scores_of(result, "nurse", "carpenter") == pytest.approx(printed, rel=1e-11)


def test_nas_and_semaxis_equal_those_of_sweater(vectors):
    printed = {
        "nas": (0.307415471579, -0.835503300966, 0.664496302606),
        "semaxis": (0.0997970429708, -0.300537280374, 0.283614868586),
    }
    for name, (mean, nurse, engineer) in printed.items():
        result = wg.measure(vectors, name, GARG)
        assert result.value == pytest.approx(mean, rel=1e-11)
        scores = scores_of(result, "nurse", "engineer")
        assert scores == pytest.approx((nurse, engineer), rel=1e-11)


def test_rnd_ect_mac_and_ripa_equal_those_of_wefe(vectors):
    assert wg.measure(vectors, "rnd", GARG).details["mean"] == pytest.approx(
        -0.38373497912758275, rel=SINGLE
    )
    unit = wg.measure(vectors, "rnd", GARG, unit=True)
    assert unit.details["mean"] == pytest.approx(-0.06584141285795915, rel=SINGLE)
    assert wg.measure(vectors, "ect", GARG).value == pytest.approx(0.8830622009569379)
    # WEFE's MAC is the paper's, a mean of cosine distances over both attribute sets.
    mac = wg.measure(vectors, "mac", GARG)
    assert mac.details["distance"] == pytest.approx(0.7295047727684449, rel=SINGLE)
    ripa = wg.measure(vectors, "ripa", {"X": GARG["X"], "A": ["she"], "B": ["he"]})
    assert ripa.value == pytest.approx(-0.034466628, abs=1e-6)


GENDER = {name: [pair[k] for pair in axis("gender").pairs] for k, name in enumerate("AB")}


def test_the_bias_subspace_equals_that_of_responsibly(vectors):
    printed = (0.49410527486, 0.37090337794, 0.04949967119, 0.03018852562, 0.01668858726)
    result = wg.measure(vectors, "subspace", GENDER, components=5)
    shares = [result.details[f"component {k}"] for k in range(1, 6)]
    assert shares == pytest.approx(printed, rel=1e-5)
    assert result.words["A"][-1] == "mary"


def test_direct_bias_equals_that_of_responsibly(vectors):
    sets = {"X": GARG["X"], **GENDER}
    result = wg.measure(vectors, "direct-bias", sets)
    assert result.value == pytest.approx(0.16614825620669593, rel=SINGLE)
    assert scores_of(result, "nurse") == pytest.approx((0.2619752572328587,), rel=SINGLE)
    stricter = wg.measure(vectors, "direct-bias", sets, c=0.5)
    assert stricter.value == pytest.approx(0.3823665410805693, rel=SINGLE)


@pytest.mark.parametrize(
    ("word", "other", "printed"),
    [
        ("softball", "receptionist", -0.026753719372961157),
        ("football", "programmer", 0.328671161108296),
        ("softball", "nurse", -0.029005250160313557),
    ],
)
def test_indirect_bias_equals_that_of_responsibly(vectors, word, other, printed):
    result = wg.measure(vectors, "indirect-bias", {"X": [word], "Y": [other], **GENDER})
    assert result.value == pytest.approx(printed, abs=1e-5)
