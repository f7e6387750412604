"""Findings: grades, sentences and evidence of hand-worked cases and of `default`."""

import dataclasses
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import weatherglass as wg
from weatherglass.errors import BadContent
from weatherglass.findings import Finding, finding
from weatherglass.measures import ControlledValue, Influence, SeedChoices
from weatherglass.significance import Interval


@pytest.fixture(scope="module")
def default():
    return wg.open_vectors("default")


def names(prefix, count):
    return [f"{prefix}{k}" for k in range(count)]


def build(x, y, dim=6, seed=0):
    """Vectors whose X and Y words have these associations with A rather than B."""
    rng = np.random.default_rng(seed)
    rows, words = [], []
    for prefix, values in (("x", x), ("y", y)):
        for k, value in enumerate(values):
            noise = rng.normal(size=dim - 2)
            rest = np.sqrt(1 - value**2) * noise / np.linalg.norm(noise)
            rows.append([value, 0, *rest])
            words.append(f"{prefix}{k}")
    for prefix, sign in (("a", 1), ("b", -1)):
        for k in range(2):
            rows.append([sign, 0.1 * (k - 0.5), *np.zeros(dim - 2)])
            words.append(f"{prefix}{k}")
    test = wg.Test(
        x=names("x", len(x)), y=names("y", len(y)), a=names("a", 2), b=names("b", 2), title="made"
    )
    return wg.Vectors.of(words, np.array(rows)), test


def swapped(test, targets):
    sets = {"x": test.y, "y": test.x} if targets else {"a": test.b, "b": test.a}
    return test.model_copy(update=sets)


def reversed_names(vectors):
    """`default` with the rows of male and female names exchanged."""
    test = wg.test("weat6")
    words = [word.lower() for part in test.sets.values() for word in part.words]
    subset = vectors.subset(words)
    rows = {word: subset.matrix[subset.words.find([word])[0]] for word in subset.words}
    pairs = list(zip(test.x.words, test.y.words, strict=True))
    for male, female in pairs:
        first, second = male.lower(), female.lower()
        rows[first], rows[second] = rows[second], rows[first]
    return wg.Vectors.of(list(rows), np.array(list(rows.values())))


STRONG = [0.6, 0.62, 0.64, 0.66, 0.68], [-0.6, -0.62, -0.64, -0.66, -0.68]


def test_large_effect_that_holds_everywhere_is_clear():
    vectors, test = build(*STRONG)
    found = wg.weat(vectors, test, baseline=False, influence=True).finding
    assert found.grade == "clear"
    assert found.sentence == (
        "X0, x1… are more strongly associated with a0, a1, rather than b0, b1, than y0, y1… are."
    )
    assert [item.verdict for item in found.evidence] == ["pass"] * 3
    assert found.not_collected == ("seed choices", "frequency control", "anisotropy control")


def test_reversed_weat6_is_a_clear_finding_that_says_reverse(default):
    result = wg.weat(reversed_names(default), "weat6", baseline=False, influence=True)
    assert result.effect == pytest.approx(-1.708, abs=0.001)
    assert result.p.value == 1  # the published test is one-sided
    assert result.p_two_sided.fraction == "2/12870"
    assert result.finding.grade == "clear"
    assert result.finding.is_reversed
    assert result.finding.sentence == (
        "Male names are more strongly associated with family words, rather than career words, than "
        "female names are, the reverse of the published result."
    )


def test_tiny_effect_is_none_and_names_no_direction():
    vectors, test = build([0.1, -0.1, 0.2, -0.2, -0.005], [0.1, -0.1, 0.2, -0.2, 0.003])
    found = wg.weat(vectors, test, baseline=False).finding
    assert abs(found.result.effect) < 0.02
    assert (found.grade, found.direction) == ("none", 0)
    assert found.sentence.startswith("No clear difference")
    assert "could have detected 1.4 or more" in found.sentence
    assert "more strongly" not in found.sentence


@pytest.mark.parametrize("test", ["weat4", "weat5"])
def test_race_effects_of_default_are_mixed_because_of_anisotropy(default, test):
    found = wg.weat(default, test, influence=True).finding
    assert found.grade == "mixed"
    assert found.depends_on == (
        "fades when the mean and the first 2 principal components are removed",
    )
    (control,) = [item for item in found.evidence if item.kind == "anisotropy control"]
    assert control.verdict == "depends"
    assert found.sentence.endswith(f"; but this {control.phrase}.")


def test_sampled_anisotropy_control_is_close_to_that_of_all_words(default):
    controls = wg.control(default, "top:2")
    for test in ("weat4", "weat6", "weat8"):
        result = wg.weat(default, test, control=[controls])
        assert result.anisotropy.effect == pytest.approx(result.controls[0].effect, abs=0.15)
        kinds = [item.kind for item in result.finding.evidence]
        assert kinds.count("anisotropy control") == 1  # that of all words


def test_sampled_anisotropy_control_is_the_same_for_a_part_of_the_words(default):
    whole = wg.weat(default, "weat4").anisotropy
    words = [word for part in wg.test("weat4").sets.values() for word in part.words]
    words += [word.lower() for word in words]
    part = wg.open_vectors("default", words=words, sample=True)
    assert wg.weat(part, "weat4").anisotropy.effect == pytest.approx(whole.effect, abs=1e-6)


def with_control(result, **fields):
    value = ControlledValue(name="frequency", asked="frequency", **fields)
    return dataclasses.replace(result, controls=(value,))


def test_sign_change_under_a_control_comes_first_in_the_sentence():
    vectors, test = build(*STRONG)
    result = wg.weat(vectors, test, baseline=False)
    influence = (Influence("X", "x0", result.effect / 2, 0.2, 0, 0.2),)
    changed = dataclasses.replace(
        with_control(result, effect=-0.4, survives=-0.2, p=0.8, p_two_sided=0.4),
        influence=influence,
    )
    found = changed.finding
    assert found.grade == "mixed"
    assert found.sentence.startswith(
        "Reverses when word frequency is removed; as measured, x0, x1…"
    )
    assert found.sentence.endswith("; it also hinges on 'x0'.")
    assert found.depends_on[0] == "reverses when word frequency is removed"


def test_control_that_holds_does_not_change_the_grade():
    vectors, test = build(*STRONG)
    result = wg.weat(vectors, test, baseline=False)
    held = with_control(result, effect=1.5, survives=0.9, p=0.01, p_two_sided=0.02)
    assert held.finding.grade == "clear"
    assert "frequency control" not in held.finding.not_collected


def test_word_without_which_the_sign_changes_is_named_first():
    vectors, test = build(*STRONG)
    result = dataclasses.replace(
        wg.weat(vectors, test, baseline=False),
        influence=(Influence("Y", "y1", -0.1, 0.6, -1.9, 0.9),),
    )
    found = result.finding
    assert found.grade == "mixed"
    assert found.sentence.startswith("Reverses without 'y1'; as measured,")


def test_small_test_does_not_hinge_on_words_it_cannot_do_without():
    # Four against four words have a two-sided p of 2/70; three against four at least 2/35.
    vectors, test = build([0.5, 0.6, 0.7, 0.8], [-0.5, -0.6, -0.7, -0.8])
    found = wg.weat(vectors, test, baseline=False, influence=True).finding
    assert found.grade == "clear"


def test_share_of_published_seed_lists_decides():
    vectors, test = build(*STRONG)
    result = wg.weat(vectors, test, baseline=False)
    mixed = finding(result, seed_choices=SeedChoices(share=0.4, reversed=0.0, of=10))
    assert mixed.grade == "mixed"
    assert mixed.depends_on == ("holds for 40 % of published seed lists",)
    assert finding(result, seed_choices=SeedChoices(0.9, 0.0, 10)).grade == "clear"
    reversing = finding(result, seed_choices=SeedChoices(0.3, 0.6, 10))
    assert reversing.sentence.startswith("Reverses for 60 % of published seed lists")


def test_multiverse_gives_its_share_as_evidence(default):
    result = wg.weat(default, "weat6", baseline=False)
    multiverse = wg.multiverse(default, "weat6", samples=0)
    choices = multiverse.seed_choices(result.effect)
    assert choices.of == len(multiverse.whole)
    assert multiverse.seed_choices(-result.effect).reversed == choices.share
    assert wg.finding(result, seed_choices=choices).not_collected[0] == "leave-one-out"


def test_interval_over_resampled_documents_decides():
    vectors, test = build(*STRONG)
    result = wg.weat(vectors, test, baseline=False)
    uncertain = finding(result, documents=Interval(-0.1, 1.5, 0.95, "runs"))
    assert uncertain.grade == "mixed"
    assert "over resampled documents" in uncertain.sentence
    assert finding(result, documents=Interval(0.4, 1.5, 0.95, "runs")).grade == "clear"


def test_published_figure_of_another_size_does_not_change_the_grade(default):
    found = wg.weat(default, "weat1").finding  # published 1.50, interval 0.62 to 1.37
    assert [i.verdict for i in found.evidence if i.kind == "published"] == ["depends"]
    assert found.grade == "clear"


def test_baseline_is_context_and_never_evidence(default):
    found = wg.weat(default, "weat3").finding
    assert found.context == "More aligned than 38 % of comparable word sets."
    assert "baseline" not in {item.kind for item in found.evidence}


def test_test_that_was_not_run_says_why(default):
    test = wg.Test(x=["qqx", "qqy"], y=["cat", "dog"], a=["good"], b=["bad"], title="Made up")
    found = wg.weat(default, test).finding
    assert found.grade == "not run"
    assert found.sentence.startswith("Made up was not run: ")


def test_declared_direction_uses_the_one_sided_p():
    vectors, test = build(*STRONG)
    declared = wg.weat(vectors, test, alternative="less", baseline=False).finding
    assert declared.grade == "none"
    assert "direction that was declared (negative)" in declared.sentence
    assert wg.weat(vectors, test, alternative="greater", baseline=False).finding.grade == "clear"


def test_own_words_are_two_sided_by_default(tmp_path):
    vectors, test = build(*STRONG)
    assert wg.weat(vectors, test, baseline=False).p.alternative == "two-sided"
    sets = {name: part.words for name, part in test.sets.items()}
    assert wg.measure(vectors, "weat", sets, baseline=False).p.alternative == "two-sided"
    sets.pop("Y")
    assert wg.measure(vectors, "sc-weat", sets).p.alternative == "two-sided"
    path = tmp_path / "own.yaml"
    record = {name.lower(): list(part.words) for name, part in test.sets.items()}
    path.write_text(json.dumps(record))
    (own,) = wg.load_tests(path)
    assert wg.weat(vectors, own, baseline=False).p.alternative == "two-sided"
    path.write_text(json.dumps(record | {"alternative": "greater"}))
    (own,) = wg.load_tests(path)
    result = wg.weat(vectors, own, baseline=False)
    assert (result.p.alternative, result.is_declared) == ("greater", True)


def test_published_tests_keep_the_one_sided_p_of_the_paper(default):
    result = wg.weat(default, "weat6", baseline=False)
    assert (result.p.alternative, result.p.fraction) == ("greater", "1/12870")
    assert not result.is_declared
    assert result.main_p_for_finding == result.p_two_sided.value == 2 / 12870


def test_finding_survives_json(default):
    for found in (
        wg.weat(default, "weat5", influence=True).finding,
        wg.wefat(default, "wefat1").finding,
        wg.weat(default, wg.Test(x=["a"], y=["b"], a=["c"], b=["d"])).finding,
    ):
        assert Finding.from_json(found.to_json()) == found
    with pytest.raises(BadContent, match="not a finding"):
        Finding.from_json("[]")


def test_result_sets_state_grade_and_finding(default):
    results = wg.Results.of(wg.weat(default, test) for test in ("weat5", "weat6")).correct()
    row = results.to_rows()[0]
    assert (row["grade"], row["finding"]) == ("mixed", results[0].finding.sentence)
    record = json.loads(results.to_json())["results"][1]
    assert (record["grade"], record["finding"]) == ("clear", results[1].finding.sentence)
    assert wg.Results.from_json(results.to_json()) == results
    assert wg.Results.from_delimited(results.to_delimited(record=True)) == results


def test_finding_is_corrected_for_all_tests_of_the_set(default):
    results = wg.Results.of(
        wg.weat(default, test, baseline=False) for test in ("weat6", "weat9", "weat10")
    ).correct()
    raw = [result.p_two_sided.value for result in results]
    assert [result.p_finding for result in results] == pytest.approx(
        [3 * raw[0], raw[1], 2 * raw[2]]
    )
    assert {result.family for result in results} == {3}
    assert "corrected for 3 tests" in results[0].finding.evidence[0].text


def test_notebook_shows_hostile_words_escaped():
    vectors, test = build(*STRONG)
    words = ["<b>x</b>", *list(vectors.words)[1:]]
    renamed = wg.Vectors.of(words, vectors.matrix)
    x = ["<b>x</b>", *test.x.words[1:]]
    found = wg.weat(renamed, test.model_copy(update={"x": test.x.model_copy(update={"words": x})}))
    assert "<b>x" not in found.finding._repr_html_()


effects = st.lists(st.floats(-0.9, 0.9).map(lambda v: round(v, 3)), min_size=3, max_size=5)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(x=effects, y=effects, shift=st.sampled_from([0.0, 0.5, 1.0]), targets=st.booleans())
def test_swapping_sets_swaps_the_sentence_and_keeps_grade_and_evidence(x, y, shift, targets):
    x = [min(0.95, value + shift) for value in x]
    vectors, test = build(x, y)
    found = wg.weat(vectors, test, baseline=False, influence=True).finding
    other = wg.weat(vectors, swapped(test, targets), baseline=False, influence=True).finding
    assert other.grade == found.grade
    assert other.direction == -found.direction
    for mine, theirs in zip(found.evidence, other.evidence, strict=True):
        assert (mine.kind, mine.verdict) == (theirs.kind, theirs.verdict)
        assert theirs.number == pytest.approx(mine.number, abs=1e-9)
    assert fact(other.sentence) == fact(found.sentence)
    # X is the subject, and the attributes that it is associated with come first. With X and Y
    # swapped the other group is the subject; with A and B swapped the same words are said of it.
    if found.direction:
        begins = [sentence.lower().index("x0") for sentence in (found.sentence, other.sentence)]
        assert (begins[0] < begins[1]) == targets
        assert (other.sentence == found.sentence) != targets
    if found.grade == "none":
        assert found.direction == 0
        assert other.sentence != found.sentence  # "in how X and Y are associated with A rather …"
        assert "more strongly" not in found.sentence


def fact(sentence):
    """Which targets a sentence associates with which attributes; None without a direction."""
    if "more strongly" not in sentence:
        return None
    text = sentence.lower()
    subject = "x" if text.index("x0") < text.index("y0") else "y"
    attribute = "a" if text.index("a0") < text.index("b0") else "b"
    # "X with A rather than B, than Y" and "Y with B rather than A, than X" are the same fact.
    return {("x", "a"): 1, ("y", "b"): 1, ("x", "b"): -1, ("y", "a"): -1}[subject, attribute]
