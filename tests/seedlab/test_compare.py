"""Corpora compared: a planted difference is found, a division by chance is not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from weatherglass import Test, compare, plot
from weatherglass.corpus import Document
from weatherglass.errors import UsageError
from weatherglass.seedlab.compare import CorpusComparison

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


def test_a_difference_that_is_there_is_found(tmp_path: Path) -> None:
    corpora = {"leaning": texts(0, 0.9), "even": texts(1, 0.0)}
    found = compare(corpora, [MINE], out=tmp_path, **TRAINING)
    leaning, even = found.effects
    assert leaning.effect is not None
    assert leaning.effect > 1.5
    assert even.spread is not None
    assert len(even.samples) == 10
    (apart,) = found.differences
    assert apart.corpora == ("leaning", "even")
    assert apart.difference > 0.5
    assert apart.p <= 0.05
    assert apart.low > 0


def test_the_p_value_is_the_share_of_differences_on_the_other_side(tmp_path: Path) -> None:
    found = compare({"a": texts(0, 0.3), "b": texts(1, 0.3)}, [MINE], out=tmp_path, **TRAINING)
    one, other = found.effects
    apart = [x - y for x in one.samples for y in other.samples]
    smaller = min(sum(x <= 0 for x in apart), sum(x >= 0 for x in apart))
    assert found.differences[0].p == min(1.0, 2 * (smaller + 1) / (len(apart) + 1))
    assert found.differences[0].p > 0.05


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
    assert run("compare", corpora[0], *common).code == 2
    assert run("compare", *corpora).code == 2
