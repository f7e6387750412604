"""Comparison of corpora: a planted difference is found, a random division is not."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import ttest_ind_from_stats

from weatherglass import Test, compare, plot
from weatherglass.corpus import Document
from weatherglass.errors import UsageError
from weatherglass.seedlab.compare import CorpusComparison, CorpusEffect, _compare_corpora
from weatherglass.seedlab.models import Spread

TRAINING: dict[str, Any] = {
    "method": "ppmi-svd",
    "dim": 8,
    "bootstrap": 10,
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
    assert dark.spread is not None
    assert len(dark.samples) == 10
    (difference,) = comparison.differences
    assert difference.corpora == ("bright", "dark")
    assert difference.difference > 3
    assert difference.p < 0.001
    assert difference.low > 2


def test_the_difference_of_two_corpora_is_tested_as_by_welch(tmp_path: Path) -> None:
    comparison = compare({"a": texts(0, 0.3), "b": texts(1, 0.3)}, [MINE], out=tmp_path, **TRAINING)
    first, second = comparison.effects
    assert first.effect is not None
    assert second.effect is not None
    (difference,) = comparison.differences
    # Welch's test of two means, with the variance of each mean that of the samples.
    sds = [np.std(effect.samples, ddof=1) for effect in (first, second)]
    n = len(first.samples)
    by_hand = ttest_ind_from_stats(
        first.effect, sds[0] * math.sqrt(n), n, second.effect, sds[1] * math.sqrt(n), n,
        equal_var=False,
    )  # fmt: skip
    assert difference.p == pytest.approx(by_hand.pvalue)
    assert difference.p > 0.05
    assert difference.se == pytest.approx(math.hypot(*sds))
    assert (difference.low + difference.high) / 2 == pytest.approx(difference.difference)
    assert difference.low < 0 < difference.high


@pytest.mark.parametrize("samples", [5, pytest.param(20, marks=pytest.mark.slow)])
def test_if_corpora_do_not_differ_one_in_twenty_differences_is_significant(samples: int) -> None:
    """Percentile intervals of so few samples would find one in twelve or more."""
    rng = np.random.default_rng(samples)
    significant = enclosed = 0
    for _ in range(2000):
        effects = []
        for name in "ab":
            whole = rng.normal()
            drawn = tuple(rng.normal(whole, 1, samples).tolist())
            effects.append(CorpusEffect("t", name, whole, drawn, Spread.of(drawn)))
        (difference,), _ = _compare_corpora(effects)
        significant += difference.p <= 0.05
        enclosed += difference.low <= 0 <= difference.high
    assert 0.035 < significant / 2000 < 0.065
    assert enclosed == 2000 - significant


def test_documents_that_training_left_out_are_noted(tmp_path: Path) -> None:
    documents = [Document(text, {"kind": "x"}) for text in texts(0, 0.9)]
    documents += [Document(text, {"kind": "y"}) for text in texts(1, 0.0)]
    documents += [Document("sun ship", {"kind": "z"}), Document("moon oak", {})]
    options = TRAINING | {"min_size": 100, "bootstrap": 2}
    comparison = compare(documents, [MINE], out=tmp_path / "m", by="kind", **options)
    assert comparison.notes == (
        "1 documents have no value for kind and were left out",
        "kind 'z' was left out: 2 tokens, fewer than 100",
    )
    assert comparison.options["dim"] == 8
    assert "workers" not in comparison.options
    one_group = [document for document in documents if document.meta.get("kind") in ("x", "z")]
    with pytest.raises(UsageError, match=r"one corpus, x; two are needed to compare \(kind 'z'"):
        compare(one_group, [MINE], out=tmp_path / "n", by="kind", **options)


def test_a_corpus_of_one_document_has_an_effect_and_no_test(tmp_path: Path) -> None:
    corpora = {"a": texts(0, 0.5), "b": [" ".join(texts(1, 0.5))]}
    comparison = compare(corpora, [MINE], out=tmp_path, **TRAINING)
    assert comparison.effects[1].effect is not None
    assert comparison.effects[1].spread is None
    assert comparison.differences == ()
    assert comparison.notes[0].startswith("b: the corpus is one document")
    assert "the difference of a and b is not tested" in comparison.notes[1]


def test_rows_of_a_comparison_have_effects_and_differences(tmp_path: Path) -> None:
    comparison = compare({"a": texts(0, 0.5), "b": texts(1, 0.5)}, [MINE], out=tmp_path, **TRAINING)
    first, second, difference = comparison.to_rows()
    assert (first["corpus"], second["corpus"], first["p"]) == ("a", "b", None)
    assert (difference["corpus"], difference["against"]) == ("a", "b")
    assert difference["effect"] == pytest.approx(first["effect"] - second["effect"])
    assert difference["p_holm"] == comparison.differences[0].p_holm
    assert first.keys() == difference.keys()


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
    assert "1 of the 3 words of Y are missing" in strict.effects[0].reason
    assert strict.differences == ()


def test_comparing_one_corpus_or_no_test_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="two are needed"):
        compare({"a": texts(0, 0.5)}, [MINE], out=tmp_path / "a", **TRAINING)
    with pytest.raises(UsageError, match="no test"):
        compare({"a": texts(0, 0.5)}, [], out=tmp_path / "b", **TRAINING)
    with pytest.raises(UsageError, match="column that divides it"):
        compare(str(tmp_path), [MINE], out=tmp_path / "c", **TRAINING)


def test_the_chart_of_a_comparison_has_every_corpus(tmp_path: Path) -> None:
    pytest.importorskip("altair", reason="needs the extra 'plots'")
    comparison = compare({"a": texts(0, 0.5), "b": texts(1, 0.5)}, [MINE], out=tmp_path, **TRAINING)
    drawn = json.dumps(plot(comparison).to_dict())
    assert '"corpus": "a"' in drawn
    assert '"corpus": "b"' in drawn


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
    common += ["--bootstrap", 5, "--workers", 1]
    ran = run("compare", *corpora, *common)
    assert ran.code == 0, ran.err
    assert "left − right" in ran.out
    printed = json.loads(run("compare", *corpora, *common, "--format", "json").out)
    assert [row["corpus"] for row in printed["effects"]] == ["left", "right"]
    assert [row["corpora"] for row in printed["differences"]] == [["left", "right"]]
    lines = run("compare", *corpora, *common, "--format", "tsv").out.splitlines()
    assert len(lines) == 4  # a header, two effects and their difference
    assert run("compare", corpora[0], *common).code == 2
    assert run("compare", *corpora).code == 2
