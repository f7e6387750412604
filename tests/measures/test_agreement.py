import numpy as np
import pytest

import weatherglass as wg
from weatherglass.errors import UsageError

WORDS = ["p", "q", "r", "s", "t", "u", "v", "w", "a", "b"]


def vectors(seed: int = 0, without: str = "", noise: float = 0.3) -> wg.Vectors:
    common = np.random.default_rng(99).normal(size=(len(WORDS), 6))
    rows = common + noise * np.random.default_rng(seed).normal(size=common.shape)
    kept = [i for i, word in enumerate(WORDS) if word not in without]
    return wg.Vectors.of([WORDS[i] for i in kept], rows[kept])


TEST = wg.Test(x=["p", "q", "r", "s"], y=["t", "u", "v", "w"], a=["a"], b=["b"])
FACTS = wg.FactualTest(
    a=["a"], b=["b"], facts={word: float(i) for i, word in enumerate("pqrstuvw")}
)


def test_associations_are_those_of_weat_and_wefat():
    first, second = vectors(1), vectors(2)
    agreement = wg.agree([first, second], TEST)
    for source, values, effect in zip(
        (first, second), agreement.associations, agreement.effects, strict=True
    ):
        result = wg.weat(source, TEST)
        assert values == pytest.approx((*result.associations["X"], *result.associations["Y"]))
        assert effect == pytest.approx(result.effect)
    pair = agreement.pairs[0]
    assert pair.pearson.value == pytest.approx(np.corrcoef(agreement.associations)[0, 1])
    test = wg.test("wefat1")
    default = wg.open_vectors("default", words=[*test.targets.words, *test.a.words, *test.b.words])
    agreement = wg.agree([default, default], test)
    assert agreement.associations[0] == pytest.approx(wg.wefat(default, test).associations)
    assert agreement.effects[0] == pytest.approx(wg.wefat(default, test).pearson)


@pytest.mark.parametrize("test", [TEST, FACTS, "weat6", "wefat1"])
def test_a_source_agrees_with_itself_completely(test):
    source = "default" if isinstance(test, str) else vectors()
    agreement = wg.agree([source, source], test)
    pair = agreement.pairs[0]
    assert pair.first != pair.second
    assert (pair.pearson.value, pair.pearson.low, pair.spearman.value) == (1.0, 1.0, 1.0)
    assert (pair.difference.difference, pair.difference.p.value) == (0.0, 1.0)


def test_rotating_and_scaling_a_source_changes_nothing():
    source = wg.open_vectors("default")
    turn = np.linalg.qr(np.random.default_rng(0).normal(size=(50, 50)))[0]
    test = wg.test("weat6")
    names = [word.lower() for part in test.sets.values() for word in part.words]
    rows = source.take(names).rows.astype(np.float64)
    turned = wg.Vectors.of(names, 37.0 * rows @ turn)
    pair = wg.agree([source, turned], test).pairs[0]
    assert pair.pearson.value == pytest.approx(1.0, abs=1e-9)
    assert pair.difference.difference == pytest.approx(0.0, abs=1e-6)
    assert pair.difference.p.value == 1.0
    other = wg.Vectors.of(names, rows + np.random.default_rng(1).normal(0, 2, rows.shape))
    plain = wg.agree([source, other], test).pairs[0]
    after = wg.agree([turned, other], test).pairs[0]
    assert after.pearson.value == pytest.approx(plain.pearson.value, abs=1e-6)
    assert after.difference.p.value == pytest.approx(plain.difference.p.value, rel=1e-3)


def test_the_order_of_sources_changes_only_the_sign_of_the_difference():
    first, second = vectors(1), vectors(2)
    forward, backward = (
        wg.agree(order, TEST).pairs[0] for order in ([first, second], [second, first])
    )
    assert backward.pearson.value == pytest.approx(forward.pearson.value)
    assert backward.difference.difference == pytest.approx(-forward.difference.difference)
    assert backward.difference.p == forward.difference.p


def test_a_word_that_one_source_lacks_is_dropped_in_all_and_named():
    names = ("whole", "part", "other")
    sources = dict(zip(names, (vectors(1), vectors(2, without="r"), vectors(3)), strict=True))
    agreement = wg.agree(sources, TEST, max_missing=0.5)
    assert agreement.words["X"] == ("p", "q", "s")
    assert agreement.missing["X"] == ("r",)
    assert agreement.absent == ((), ("r",), ())
    assert [pair.pearson.n for pair in agreement.pairs] == [7, 7, 7]
    assert len(agreement.associations[0]) == 7
    reduced = wg.agree(sources, TEST)
    assert reduced.status == "not run"
    assert "'r'" in reduced.reason


def test_an_attribute_that_one_source_lacks_is_dropped_in_all():
    test = wg.Test(x=["p", "q", "r"], y=["t", "u", "v"], a=["a", "s"], b=["b"])
    first, second = vectors(1), vectors(2, without="s")
    agreement = wg.agree([first, second], test, max_missing=0.5)
    assert agreement.words["A"] == ("a",)
    without = wg.Test(x=["p", "q", "r"], y=["t", "u", "v"], a=["a"], b=["b"])
    assert agreement.associations == wg.agree([first, second], without).associations


def test_a_lower_case_source_is_compared_with_a_cased_one_by_word(glove840b):
    agreement = wg.agree(["default", glove840b], "weat6")
    assert agreement.is_done
    assert agreement.words["X"][0] == "John"
    assert agreement.pairs[0].pearson.n == 16


def test_occupations_agree_in_two_glove_embeddings_about_as_was_published(glove840b):
    agreement = wg.agree(["default", glove840b], "wefat1")
    pair = agreement.pairs[0]
    assert agreement.published_agreement["pearson"] == 0.88
    assert agreement.published_agreement["spearman"] == 0.86
    assert f"{pair.pearson.value:.2f}" == "0.81"
    assert f"{pair.spearman.value:.2f}" == "0.77"
    assert pair.pearson.low < 0.88 < pair.pearson.high
    word, size = agreement.most_different(pair, 1)[0]
    assert (word, round(size, 1)) == ("planner", -1.4)


@pytest.mark.parametrize(
    ("test", "reason"),
    [
        (wg.Test(x=["p"], y=["t", "u"], a=["a"], b=["b"]), "1 word"),
        (wg.FactualTest(a=["a"], b=["b"], facts={"p": 1.0, "q": 2.0, "r": 3.0}), "at least 4"),
        (wg.FactualTest(a=["a"], b=["b"], facts=dict.fromkeys("pqrst", 1.0)), "same fact"),
        (wg.Test(x=["p", "q"], y=["t", "u"], a=["a"], b=["zzz"]), "missing"),
    ],
)
def test_an_agreement_that_cannot_be_computed_gives_the_reason(test, reason):
    agreement = wg.agree([vectors(1), vectors(2)], test)
    assert agreement.status == "not run"
    assert reason in agreement.reason
    assert agreement.pairs == ()
    assert "not run" in agreement.sentence()
    assert (
        wg.Results.from_delimited(wg.Results.of([agreement]).to_delimited(record=True))[0]
        == agreement
    )


def test_constant_associations_are_not_correlated():
    same = wg.Vectors.of(WORDS, [[1.0, 1.0]] * 8 + [[1.0, 0.0], [0.0, 1.0]])
    agreement = wg.agree([vectors(1), same], TEST)
    assert agreement.status == "not run"
    assert "same association" in agreement.reason


def test_agreement_needs_two_sources():
    for sources in ([], [vectors()], "default", vectors()):
        with pytest.raises(UsageError, match="two sources"):
            wg.agree(sources, TEST)


def test_results_survive_json_tsv_and_parquet(tmp_path):
    results = wg.Results.of(
        [wg.agree([vectors(1), vectors(2), vectors(3)], test) for test in (TEST, FACTS)]
    )
    assert wg.Results.from_json(results.to_json()) == results
    assert wg.Results.from_delimited(results.to_delimited(record=True)) == results
    results.to_parquet(tmp_path / "r.parquet")
    assert wg.Results.from_parquet(tmp_path / "r.parquet") == results
    rows = results.to_rows()
    assert len(rows) == 6
    assert all(row["p_holm"] >= row["p_value"] for row in rows)
    assert results[0].row()["pearson"] == results[0].value == min(r["pearson"] for r in rows[:3])


def test_notebooks_escape_hostile_names(monkeypatch):
    monkeypatch.setattr(wg.Agreement, "_svg", lambda agreement: "")
    hostile = "<script>alert(1)</script>"
    shown = wg.agree({hostile: vectors(1), "other": vectors(2)}, TEST)._repr_html_()
    assert "&lt;script&gt;" in shown
    assert "<script>" not in shown
