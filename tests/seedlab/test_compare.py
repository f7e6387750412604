"""Corpora compared: a planted difference is found, a division by chance is not."""

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
    """Sentences, a document each, in which ships stand in bright ones and trees in dark ones, with
    the given share; good words stand in bright ones."""
    stream = np.random.default_rng(seed)
    made = []
    for _ in range(documents):
        ship = bool(stream.random() < 0.5)
        bright = ship if stream.random() < leaning else bool(stream.random() < 0.5)
        around = ["sun", "day", "light"] if bright else ["moon", "night", "cloud"]
        noun = stream.choice(SHIPS if ship else TREES)
        made.append(" ".join([around[0], str(noun), *stream.permutation(around)]))
        judged = stream.choice(GOOD if bright else BAD)
        made.append(" ".join([around[0], str(judged), *stream.permutation(around)]))
    return made


def turned(lines: list[str]) -> list[str]:
    """The same with ships for trees and trees for ships."""
    other = dict(zip([*SHIPS, *TREES], [*TREES, *SHIPS], strict=True))
    return [" ".join(other.get(word, word) for word in line.split()) for line in lines]


def test_a_difference_that_is_there_is_found(tmp_path: Path) -> None:
    corpora = {"bright": texts(0, 0.9), "dark": turned(texts(1, 0.9))}
    found = compare(corpora, [MINE], out=tmp_path, **TRAINING)
    bright, dark = found.effects
    assert bright.effect is not None
    assert bright.effect > 1.5
    assert dark.spread is not None
    assert len(dark.samples) == 10
    (apart,) = found.differences
    assert apart.corpora == ("bright", "dark")
    assert apart.difference > 3
    assert apart.p < 0.001
    assert apart.low > 2


def test_the_difference_is_tested_as_by_welch(tmp_path: Path) -> None:
    found = compare({"a": texts(0, 0.3), "b": texts(1, 0.3)}, [MINE], out=tmp_path, **TRAINING)
    one, other = found.effects
    assert one.effect is not None
    assert other.effect is not None
    (apart,) = found.differences
    # Welch's test of two means, with the variance of each mean that of the samples.
    sds = [np.std(some.samples, ddof=1) for some in (one, other)]
    n = len(one.samples)
    by_hand = ttest_ind_from_stats(
        one.effect, sds[0] * math.sqrt(n), n, other.effect, sds[1] * math.sqrt(n), n,
        equal_var=False,
    )  # fmt: skip
    assert apart.p == pytest.approx(by_hand.pvalue)
    assert apart.p > 0.05
    assert apart.se == pytest.approx(math.hypot(*sds))
    assert (apart.low + apart.high) / 2 == pytest.approx(apart.difference)
    assert apart.low < 0 < apart.high


@pytest.mark.parametrize("samples", [5, pytest.param(20, marks=pytest.mark.slow)])
def test_where_corpora_do_not_differ_one_in_twenty_differences_is_significant(samples: int) -> None:
    """Percentiles of so few samples would find one in twelve, and more."""
    stream = np.random.default_rng(samples)
    significant = enclosed = 0
    for _ in range(2000):
        effects = []
        for name in "ab":
            whole = stream.normal()
            drawn = tuple(stream.normal(whole, 1, samples).tolist())
            effects.append(CorpusEffect("t", name, whole, drawn, Spread.of(drawn)))
        (apart,), _ = _compare_corpora(effects)
        significant += apart.p <= 0.05
        enclosed += apart.low <= 0 <= apart.high
    assert 0.035 < significant / 2000 < 0.065
    assert enclosed == 2000 - significant


def test_what_training_left_out_is_told(tmp_path: Path) -> None:
    documents = [Document(text, {"kind": "x"}) for text in texts(0, 0.9)]
    documents += [Document(text, {"kind": "y"}) for text in texts(1, 0.0)]
    documents += [Document("sun ship", {"kind": "z"}), Document("moon oak", {})]
    options = TRAINING | {"min_size": 100, "bootstrap": 2}
    found = compare(documents, [MINE], out=tmp_path / "m", by="kind", **options)
    assert found.notes == (
        "1 documents have no value for kind and were left out",
        "kind 'z' was left out: 2 tokens, fewer than 100",
    )
    assert found.options["dim"] == 8
    assert "workers" not in found.options
    some = [one for one in documents if one.meta.get("kind") in ("x", "z")]
    with pytest.raises(UsageError, match=r"one corpus, x; two are needed to compare \(kind 'z'"):
        compare(some, [MINE], out=tmp_path / "n", by="kind", **options)


def test_a_corpus_of_one_document_has_an_effect_and_no_test(tmp_path: Path) -> None:
    corpora = {"a": texts(0, 0.5), "b": [" ".join(texts(1, 0.5))]}
    found = compare(corpora, [MINE], out=tmp_path, **TRAINING)
    assert found.effects[1].effect is not None
    assert found.effects[1].spread is None
    assert found.differences == ()
    assert found.notes[0].startswith("b: the corpus is one document")
    assert "the difference of a and b is not tested" in found.notes[1]


def test_rows_hold_effects_and_differences(tmp_path: Path) -> None:
    found = compare({"a": texts(0, 0.5), "b": texts(1, 0.5)}, [MINE], out=tmp_path, **TRAINING)
    first, second, apart = found.to_rows()
    assert (first["corpus"], second["corpus"], first["p"]) == ("a", "b", None)
    assert (apart["corpus"], apart["against"]) == ("a", "b")
    assert apart["effect"] == pytest.approx(first["effect"] - second["effect"])
    assert apart["p_holm"] == found.differences[0].p_holm
    assert first.keys() == apart.keys()


def test_one_corpus_is_divided_by_a_column(tmp_path: Path) -> None:
    documents = [Document(text, {"kind": "x"}) for text in texts(0, 0.9)]
    documents += [Document(text, {"kind": "y"}) for text in texts(1, 0.0)]
    options = TRAINING | {"min_size": 1}
    found = compare(documents, [MINE], out=tmp_path / "m", by="kind", **options)
    assert {one.corpus for one in found.effects} == {"x", "y"}
    again = compare(documents, [MINE], out=tmp_path / "m", by="kind", **options)
    assert again == found
    assert CorpusComparison.from_json(found.to_json()) == found


def test_words_that_one_model_lacks_are_missing_for_all(tmp_path: Path) -> None:
    corpora = {"a": texts(0, 0.5), "b": [text.replace("elm", "ash") for text in texts(1, 0.5)]}
    found = compare(corpora, [MINE], out=tmp_path, max_missing=0.5, **TRAINING)
    assert found.missing["mine"]["Y"] == ("elm",)
    assert found.effects[0].effect is not None
    strict = compare(corpora, [MINE], out=tmp_path, max_missing=0.1, **TRAINING)
    assert strict.effects[0].effect is None
    assert "1 of the 3 words of Y are missing" in strict.effects[0].reason
    assert strict.differences == ()


def test_what_cannot_be_compared_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="two are needed"):
        compare({"a": texts(0, 0.5)}, [MINE], out=tmp_path / "a", **TRAINING)
    with pytest.raises(UsageError, match="no test"):
        compare({"a": texts(0, 0.5)}, [], out=tmp_path / "b", **TRAINING)
    with pytest.raises(UsageError, match="column that divides it"):
        compare(str(tmp_path), [MINE], out=tmp_path / "c", **TRAINING)


def test_the_picture_has_every_corpus(tmp_path: Path) -> None:
    pytest.importorskip("altair", reason="needs the extra 'plots'")
    found = compare({"a": texts(0, 0.5), "b": texts(1, 0.5)}, [MINE], out=tmp_path, **TRAINING)
    drawn = json.dumps(plot(found).to_dict())
    assert '"corpus": "a"' in drawn
    assert '"corpus": "b"' in drawn


def test_more_corpora_than_named_colours_all_have_one_of_their_own() -> None:
    pytest.importorskip("altair", reason="needs the extra 'plots'")
    effects = tuple(CorpusEffect("t", f"{1840 + 10 * k}", 0.1 * k) for k in range(8))
    found = CorpusComparison(
        effects=effects, differences=(), titles={"t": ""}, words={}, missing={}
    )
    drawn = json.dumps(plot(found).to_dict())
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
    found = json.loads(run("compare", *corpora, *common, "--format", "json").out)
    assert [one["corpus"] for one in found["effects"]] == ["left", "right"]
    assert [one["corpora"] for one in found["differences"]] == [["left", "right"]]
    lines = run("compare", *corpora, *common, "--format", "tsv").out.splitlines()
    assert len(lines) == 4  # a header, two effects and their difference
    assert run("compare", corpora[0], *common).code == 2
    assert run("compare", *corpora).code == 2
