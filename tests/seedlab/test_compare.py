"""Comparison of corpora: a planted difference is found, a random division is not."""

from __future__ import annotations

import importlib
import json
import math
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import t as student_t
from threadpoolctl import threadpool_limits

import weatherglass as wg
from weatherglass import Test, compare, plot
from weatherglass.corpus import Document, open_permuted
from weatherglass.errors import UsageError
from weatherglass.seedlab import CorpusComparison, CorpusEffect
from weatherglass.seedlab.measure_corpora import Value, _corpus_effect, _note_samples
from weatherglass.significance import holm
from weatherglass.vectors import Vectors

TRAINING: dict[str, Any] = {
    "method": "ppmi-svd",
    "dim": 8,
    "bootstrap": 10,
    "permutations": 10,
    "min_count": 2,
    "workers": 1,
}
SHIPS, TREES = ["ship", "boat", "sail"], ["oak", "elm", "fir"]
GOOD, BAD = ["fine", "kind"], ["foul", "grim"]
MINE = Test(id="mine", title="Ships and trees", x=SHIPS, y=TREES, a=GOOD, b=BAD)


def texts(seed: int, leaning: float, documents: int = 600) -> list[str]:
    """Return sentences, one per document, with good words in bright and bad words in dark contexts.

    With probability `leaning` ships are in bright contexts and trees in dark ones.
    """
    rng = np.random.default_rng(seed)
    lines = []
    for _ in range(documents):
        ship = bool(rng.random() < 0.5)
        bright = ship if rng.random() < leaning else bool(rng.random() < 0.5)
        context = ["sun", "day", "light"] if bright else ["moon", "night", "cloud"]
        noun = rng.choice(SHIPS if ship else TREES)
        lines.append(" ".join([context[0], str(noun), *rng.permutation(context)]))
        adjective = rng.choice(GOOD if bright else BAD)
        lines.append(" ".join([context[0], str(adjective), *rng.permutation(context)]))
    return lines


def swap_nouns(lines: list[str]) -> list[str]:
    """Exchange ships and trees."""
    partner = dict(zip([*SHIPS, *TREES], [*TREES, *SHIPS], strict=True))
    return [" ".join(partner.get(word, word) for word in line.split()) for line in lines]


def test_a_planted_difference_between_corpora_is_significant(tmp_path: Path) -> None:
    corpora = {"bright": texts(0, 0.9), "dark": swap_nouns(texts(1, 0.9))}
    comparison = compare(corpora, [MINE], out=tmp_path, **TRAINING)
    bright, dark = comparison.effects
    assert bright.effect is not None
    assert bright.effect > 1.5
    assert len(dark.samples) == 10
    (difference,) = comparison.differences
    assert difference.corpora == ("bright", "dark")
    assert difference.difference > 3
    # Exchanged documents cancel out, and effect sizes of weak associations vary widely; the
    # unstandardised difference has no such denominator.
    assert difference.p < 0.05
    assert difference.low > 0
    assert comparison.unstandardised[0].p < 0.001
    assert comparison.sentence() == (
        "1 of 1 differences of effect sizes and 1 of 1 differences of unstandardised effects "
        "between corpora have p ≤ 0.05 after Holm's correction over all of them."
    )


def measure_by_hand(vectors: Vectors) -> tuple[float, float]:
    """Return the effect size and the difference of mean associations on one model."""
    rows = {word: vectors.unit([word])[0] for words in MINE.sets.values() for word in words.words}
    good, bad = (np.mean([rows[word] for word in words], axis=0) for words in (GOOD, BAD))
    ships, trees = ([float(rows[w] @ (good - bad)) for w in words] for words in (SHIPS, TREES))
    numerator = np.mean(ships) - np.mean(trees)
    return float(numerator / np.std([*ships, *trees], ddof=1)), float(numerator)


def test_a_difference_is_compared_with_the_differences_of_permuted_documents(
    tmp_path: Path,
) -> None:
    corpora = {"a": texts(0, 0.3), "b": texts(1, 0.3, documents=400)}
    comparison = compare(corpora, [MINE], out=tmp_path, **TRAINING)
    (model_a, *_), (model_b, *_) = (wg.open_models(tmp_path, group=name) for name in "ab")
    by_hand = np.subtract(measure_by_hand(model_a.vectors), measure_by_hand(model_b.vectors))
    permuted = np.array(
        [
            np.subtract(measure_by_hand(first), measure_by_hand(second))
            for first, second in open_permuted(tmp_path, ("a", "b"), 10)
        ]
    )
    assert len(permuted) == 10
    for k, rows in enumerate((comparison.differences, comparison.unstandardised)):
        (row,) = rows
        assert row.difference == pytest.approx(by_hand[k], abs=1e-5)
        assert row.permuted == pytest.approx(permuted[:, k], abs=1e-5)
        assert row.expected == pytest.approx(permuted[:, k].mean(), abs=1e-5)
        se = permuted[:, k].std(ddof=1) * math.sqrt(1 + 1 / 10)
        assert row.se == pytest.approx(se, rel=1e-3)
        t = (by_hand[k] - permuted[:, k].mean()) / se
        assert row.p == pytest.approx(2 * student_t.sf(abs(t), 9), rel=1e-2)
        assert row.low < row.difference < row.high
    both = [comparison.differences[0].p, comparison.unstandardised[0].p]
    corrected = [comparison.differences[0].p_holm, comparison.unstandardised[0].p_holm]
    assert corrected == pytest.approx(holm(both).tolist())


def test_corpora_of_equal_size_are_expected_not_to_differ(tmp_path: Path) -> None:
    corpora = {"a": texts(0, 0.3), "b": texts(1, 0.3)}
    (row,) = compare(corpora, [MINE], out=tmp_path, **TRAINING).differences
    assert row.expected == 0
    assert row.se == pytest.approx(math.sqrt(np.mean(np.square(row.permuted))))
    assert row.p > 0.05


def test_swapping_the_corpora_changes_the_sign_of_the_difference_and_nothing_else(
    tmp_path: Path,
) -> None:
    corpora = {"a": texts(0, 0.5, 300), "b": texts(1, 0.2, 200)}
    forward = compare(corpora, [MINE], out=tmp_path / "m", **TRAINING)
    swapped = dict(reversed(corpora.items()))
    # The same folder: the order of the corpora is no part of what was trained.
    for folder in ("m", "n"):
        backward = compare(swapped, [MINE], out=tmp_path / folder, **TRAINING)
        assert backward.effects == tuple(reversed(forward.effects))
        for rows, others in (
            (forward.differences, backward.differences),
            (forward.unstandardised, backward.unstandardised),
        ):
            assert others[0].difference == -rows[0].difference
            assert others[0].p == pytest.approx(rows[0].p)
            assert others[0].low == pytest.approx(-rows[0].high)


def test_the_effect_is_inside_its_interval_where_percentiles_of_the_samples_miss_it() -> None:
    """Samples have fewer distinct documents, which shifts their effects."""
    samples = tuple(np.linspace(0.7, 1.1, 20).tolist())
    row = _corpus_effect("mine", "a", Value(1.14, 0.08), samples, "")
    assert row.effect == 1.14 > np.percentile(samples, 97.5)
    assert row.low is not None
    assert row.high is not None
    assert row.low < row.effect < row.high
    margin = student_t.ppf(0.975, 19) * np.std(samples, ddof=1)
    assert row.high - row.effect == pytest.approx(margin)
    assert row.is_shifted
    (note,) = _note_samples([row])
    assert note.startswith("mine: in 'a' the effect (1.14) is more than a standard deviation from")
    assert _note_samples([_corpus_effect("mine", "a", Value(1.0, 0.08), samples, "")]) == []


def test_fewer_than_twenty_samples_give_their_spread_and_no_interval(tmp_path: Path) -> None:
    corpora = {"a": texts(0, 0.5, 100), "b": texts(1, 0.5, 100)}
    comparison = compare(corpora, [MINE], out=tmp_path, **TRAINING | {"permutations": 0})
    for row in comparison.effects:
        assert row.sd == pytest.approx(np.std(row.samples, ddof=1))
        assert (row.low, row.high) == (None, None)
    assert any("fewer than 20 bootstrap samples" in note for note in comparison.notes)
    assert comparison.differences == comparison.unstandardised == ()
    assert "mine: the difference of 'a' and 'b' is not tested: documents were not permuted" in (
        comparison.notes
    )
    assert comparison.sentence() == "No difference between corpora was tested."


def test_parallel_corpora_are_resampled_independently(tmp_path: Path) -> None:
    """The same texts under two names are the same corpus, but their samples are not."""
    same = texts(0, 0.5, 100)
    options = TRAINING | {"permutations": 0}
    first, second = compare({"a": same, "b": same}, [MINE], out=tmp_path, **options).effects
    assert first.effect == pytest.approx(second.effect, abs=1e-4)
    assert not set(first.samples) & set(second.samples)


def test_one_statistic_can_be_chosen_and_is_then_corrected_alone(tmp_path: Path) -> None:
    corpora = {"a": texts(0, 0.6, 200), "b": texts(1, 0.2, 200)}
    both = compare(corpora, [MINE], out=tmp_path, **TRAINING)
    effect = compare(corpora, [MINE], out=tmp_path, statistic="effect", **TRAINING)
    assert effect.unstandardised == ()
    assert effect.differences[0].p_holm == effect.differences[0].p == both.differences[0].p
    other = compare(corpora, [MINE], out=tmp_path, statistic="unstandardised", **TRAINING)
    assert other.differences == ()
    assert other.unstandardised[0].p_holm == both.unstandardised[0].p
    with pytest.raises(UsageError, match="statistic"):
        compare(corpora, [MINE], out=tmp_path, statistic="d", **TRAINING)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="permutations is 1"):
        compare(corpora, [MINE], out=tmp_path, **TRAINING | {"permutations": 1})


def test_a_second_run_with_another_test_trains_nothing_and_measures_that_test(
    tmp_path: Path,
) -> None:
    corpora = {"a": texts(0, 0.6, 200), "b": texts(1, 0.2, 200)}
    other = Test(id="other", x=SHIPS, y=TREES, a=["sun", "day"], b=["moon", "night"])
    both = compare(corpora, [MINE, other], out=tmp_path / "m", **TRAINING)
    compare(corpora, [MINE], out=tmp_path / "n", **TRAINING)
    stages: set[str] = set()
    later = compare(
        corpora, [other], out=tmp_path / "n", progress=lambda stage, *_: stages.add(stage),
        **TRAINING,
    )  # fmt: skip
    assert stages == set()
    assert later.effects == both.effects[2:]
    assert later.differences[0].permuted == both.differences[1].permuted


def test_three_corpora_are_compared_pairwise_or_with_a_reference(tmp_path: Path) -> None:
    corpora = {name: texts(k, 0.4, 60) for k, name in enumerate("cab")}
    options = TRAINING | {"permutations": 2, "bootstrap": 0}
    every_two = compare(corpora, [MINE], out=tmp_path / "m", **options)
    assert [row.corpora for row in every_two.differences] == [("c", "a"), ("c", "b"), ("a", "b")]
    reference = compare(corpora, [MINE], out=tmp_path / "n", against="c", **options)
    assert [row.corpora for row in reference.differences] == [("a", "c"), ("b", "c")]
    assert reference.differences[0].permuted == tuple(
        -value for value in every_two.differences[0].permuted
    )


def test_a_word_that_is_too_rare_in_a_permuted_part_is_left_out_everywhere(tmp_path: Path) -> None:
    """It is not missing from a corpus, and the reader is told."""
    lines = {name: texts(k, 0.4, 100) for k, name in enumerate("ab")}
    for name in lines:  # in each corpus elm occurs in two documents, twice in each
        lines[name] = [text for text in lines[name] if "elm" not in text]
        lines[name] += ["sun elm elm day light"] * 2
    options = TRAINING | {"min_count": 4, "bootstrap": 0, "permutations": 8, "max_missing": 0.5}
    comparison = compare(lines, [MINE], out=tmp_path, **options)
    assert comparison.missing["mine"]["Y"] == ("elm",)
    assert any(
        "mine: 1 of its words are in every corpus, but too rare in some sample or permuted part, "
        "and are left out everywhere: 'elm'" in note
        for note in comparison.notes
    )
    assert len(comparison.differences[0].permuted) == 8


@pytest.mark.slow
def test_the_standard_error_of_a_difference_is_the_spread_of_null_differences(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """That of bootstrap samples is a fifth to two fifths larger on such corpora."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "benchmarks"))
    study: Any = importlib.import_module("studies.corpora")

    differences, variances, significant = [], [], 0
    with tempfile.TemporaryDirectory() as folder, threadpool_limits(limits=1):
        for trial in range(100):
            rng = np.random.default_rng([5, trial])
            population = study.Population.draw(np.random.default_rng([5, 1, trial % 4]))
            pool = study.make_pool(population.documents(75, rng), population.documents(75, rng))
            trainer = study.Trainer(population, study.PPMI, Path(folder))
            _, tests = study.compare_once(trainer, pool, rng)
            differences.append((tests[0].low + tests[0].high) / 2)
            variances.append(tests[0].se ** 2)
            significant += tests[0].p <= 0.05
    ratio = math.sqrt(np.mean(variances) / np.mean(np.square(differences)))
    assert 0.85 < ratio < 1.15
    assert 1 <= significant <= 12


def test_documents_that_training_left_out_are_noted(tmp_path: Path) -> None:
    documents = [Document(text, {"kind": "x"}) for text in texts(0, 0.9)]
    documents += [Document(text, {"kind": "y"}) for text in texts(1, 0.0)]
    documents += [Document("sun ship", {"kind": "z"}), Document("moon oak", {})]
    options = TRAINING | {"min_size": 100, "bootstrap": 0, "permutations": 2}
    comparison = compare(documents, [MINE], out=tmp_path / "m", by="kind", **options)
    assert comparison.notes == (
        "1 documents have no value for kind and were left out",
        "kind 'z' was left out: 2 tokens, fewer than 100",
        "groups that are too small to train on can be compared in one shared space: "
        "`weatherglass groups`, or compare_groups in Python",
    )
    assert comparison.options["dim"] == 8
    assert "workers" not in comparison.options
    one_group = [document for document in documents if document.meta.get("kind") in ("x", "z")]
    with pytest.raises(UsageError, match=r"one corpus, 'x'; two are needed to compare \(kind 'z'"):
        compare(one_group, [MINE], out=tmp_path / "n", by="kind", **options)


def test_a_corpus_of_one_document_has_an_effect_and_no_test(tmp_path: Path) -> None:
    corpora = {"a": texts(0, 0.5), "b": [" ".join(texts(1, 0.5))]}
    comparison = compare(corpora, [MINE], out=tmp_path, **TRAINING)
    assert comparison.effects[1].effect is not None
    assert comparison.effects[1].samples == ()
    assert comparison.differences == ()
    assert comparison.notes[0].startswith("corpus 'b' has one document")
    assert comparison.notes[1] == (
        "mine: the difference of 'a' and 'b' is not tested: one of them is a single document"
    )


def test_rows_of_a_comparison_have_effects_and_differences(tmp_path: Path) -> None:
    corpora = {"a": texts(0, 0.5, 100), "b": texts(1, 0.5, 100)}
    comparison = compare(corpora, [MINE], out=tmp_path, **TRAINING)
    first, second, difference, unstandardised = comparison.to_rows()
    assert (first["corpus"], second["corpus"], first["p"]) == ("a", "b", None)
    assert (difference["corpus"], difference["against"]) == ("a", "b")
    assert difference["effect"] == pytest.approx(first["effect"] - second["effect"])
    assert difference["p_holm"] == comparison.differences[0].p_holm
    assert first.keys() == difference.keys() == unstandardised.keys()
    assert unstandardised["effect"] is None
    apart = first["unstandardised"] - second["unstandardised"]
    assert unstandardised["unstandardised"] == pytest.approx(apart)
    assert (difference["samples"], difference["method"]) == (10, "t")


def test_one_corpus_is_divided_by_a_column(tmp_path: Path) -> None:
    documents = [Document(text, {"kind": "x"}) for text in texts(0, 0.9)]
    documents += [Document(text, {"kind": "y"}) for text in texts(1, 0.0)]
    options = TRAINING | {"min_size": 1}
    comparison = compare(documents, [MINE], out=tmp_path / "m", by="kind", **options)
    assert {effect.corpus for effect in comparison.effects} == {"x", "y"}
    again = compare(documents, [MINE], out=tmp_path / "m", by="kind", **options)
    assert again == comparison
    assert CorpusComparison.from_json(comparison.to_json()) == comparison


def test_words_that_one_model_lacks_are_missing_in_all(tmp_path: Path) -> None:
    corpora = {"a": texts(0, 0.5), "b": [text.replace("elm", "ash") for text in texts(1, 0.5)]}
    comparison = compare(corpora, [MINE], out=tmp_path, max_missing=0.5, **TRAINING)
    assert comparison.missing["mine"]["Y"] == ("elm",)
    assert comparison.effects[0].effect is not None
    strict = compare(corpora, [MINE], out=tmp_path, max_missing=0.1, **TRAINING)
    assert strict.effects[0].effect is None
    assert "1 of the 3 words of Y is missing" in strict.effects[0].reason
    assert strict.differences == ()


def test_comparing_one_corpus_or_no_test_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="two are needed"):
        compare({"a": texts(0, 0.5)}, [MINE], out=tmp_path / "a", **TRAINING)
    with pytest.raises(UsageError, match="no association or groups test"):
        compare({"a": texts(0, 0.5)}, [], out=tmp_path / "b", **TRAINING)
    with pytest.raises(UsageError, match="column that divides it"):
        compare(str(tmp_path), [MINE], out=tmp_path / "c", **TRAINING)


def test_the_chart_of_a_comparison_has_every_corpus(tmp_path: Path) -> None:
    pytest.importorskip("altair", reason="needs the extra 'plots'")
    corpora = {"a": texts(0, 0.5, 100), "b": texts(1, 0.5, 100)}
    options = TRAINING | {"bootstrap": 20, "permutations": 0}
    comparison = compare(corpora, [MINE], out=tmp_path, **options)
    drawn = json.dumps(plot(comparison).to_dict())
    assert '"corpus": "a"' in drawn
    assert '"corpus": "b"' in drawn
    assert "95 % interval over documents" in drawn
    low = comparison.effects[0].low
    assert f'"low": {low}' in drawn


def test_the_chart_of_a_divided_corpus_names_the_column_and_the_corpus(
    tmp_path: Path, monkeypatch: Any
) -> None:
    pytest.importorskip("altair", reason="needs the extra 'plots'")
    lines = [f"{text},{'FM'[k % 4 > 1]}" for k, text in enumerate(texts(0, 0.5, 200))]
    (tmp_path / "novels.csv").write_text("\n".join(["text,writer", *lines]) + "\n")
    monkeypatch.chdir(tmp_path)
    options = TRAINING | {"bootstrap": 0, "permutations": 0, "min_size": 0}
    comparison = compare("novels.csv", [MINE], out=tmp_path / "m", by="writer", **options)
    assert comparison.source_name == "novels.csv"
    drawn = plot(comparison).to_dict()
    assert drawn["title"]["text"] == "Effects by writer"
    assert drawn["title"]["subtitle"][-1].startswith("novels.csv. Weatherglass ")
    assert '"title": "writer"' in json.dumps(drawn)


def test_many_corpora_have_colours_of_a_continuous_scheme() -> None:
    pytest.importorskip("altair", reason="needs the extra 'plots'")
    effects = tuple(CorpusEffect("t", f"{1840 + 10 * k}", 0.1 * k) for k in range(8))
    comparison = CorpusComparison(
        effects=effects, differences=(), titles={"t": ""}, words={}, missing={}
    )
    drawn = json.dumps(plot(comparison).to_dict())
    assert '"scheme": "viridis"' in drawn


def test_the_command_compares_two_files(tmp_path: Path, run: Any) -> None:
    for name, leaning in (("left", 0.9), ("right", 0.0)):
        (tmp_path / f"{name}.txt").write_text("\n".join(texts(0, leaning)), encoding="utf-8")
    tests = tmp_path / "mine.yaml"
    tests.write_text(
        "id: mine\nx: [ship, boat, sail]\ny: [oak, elm, fir]\na: [fine, kind]\nb: [foul, grim]\n",
        encoding="utf-8",
    )
    corpora = [f"{tmp_path / name}.txt?documents=lines" for name in ("left", "right")]
    common = ["--tests", tests, "--models", tmp_path / "models", "--dim", 8, "--min-count", 2]
    common += ["--bootstrap", 5, "--permutations", 5, "--workers", 1]
    ran = run("compare", *corpora, *common)
    assert ran.code == 0, ran.err
    assert "left − right" in ran.out
    printed = json.loads(run("compare", *corpora, *common, "--format", "json").out)
    assert [row["corpus"] for row in printed["effects"]] == ["left", "right"]
    assert [row["corpora"] for row in printed["differences"]] == [["left", "right"]]
    lines = run("compare", *corpora, *common, "--format", "tsv").out.splitlines()
    assert len(lines) == 5  # a header, two effects, and their difference by both statistics
    assert run("compare", corpora[0], *common).code == 2
    assert run("compare", *corpora).code == 2
