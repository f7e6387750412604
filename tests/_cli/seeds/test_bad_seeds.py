"""The commands of the seed lab that measure: tables, files, pictures, and what is refused."""

import csv
import io
import json
import random

import numpy as np
import pytest

from weatherglass.corpus import Document, train
from weatherglass.seedlab.result import read_experiments

SETS = """
seeds:
  - {id: men, concept: people, words: [he, king, father, son]}
  - {id: women, concept: people, words: [she, queen, mother, daughter]}
  - {id: fair, concept: weather, words: [sunny, calm]}
  - {id: rest, concept: people, words: [nobody]}
"""
MEN, WOMEN = ["he", "king", "father", "son"], ["she", "queen", "mother", "daughter"]


@pytest.fixture(scope="session")
def trained(tmp_path_factory):
    """A folder of models with two bootstraps, for two groups of one small corpus."""
    chance = random.Random(0)
    texts = []
    for k in range(600):
        who, role = (MEN, ["beard", "sword"]) if k % 2 else (WOMEN, ["gown", "ring"])
        place = chance.choice(["castle", "garden", "village", "harbour"])
        day = chance.choice(["sunny", "calm", "good", "bad", "rainy", "stormy"])
        words = [chance.choice(who), "wore", "a", chance.choice(role), "in", "the", place]
        text = " ".join([*words, "on", "a", day, "day", chance.choice(who), "said"])
        texts.append(Document(text, {"place": chance.choice("ab")}))
    folder = tmp_path_factory.mktemp("seeds") / "run"
    options = {"method": "ppmi-svd", "dim": 8, "bootstrap": 2, "min_count": 2, "workers": 1}
    train(texts, folder, by="place", min_size=10, **options)
    return folder


@pytest.fixture(scope="session")
def own(tmp_path_factory):
    file = tmp_path_factory.mktemp("sets") / "sets.yaml"
    file.write_text(SETS)
    return file


@pytest.fixture(scope="session")
def plain(tmp_path_factory):
    """A file of vectors without bootstraps."""
    words = [*MEN, *WOMEN, "good", "bad", "sunny", "calm", *(f"w{i}" for i in range(60))]
    rows = np.random.default_rng(0).normal(size=(len(words), 6))
    file = tmp_path_factory.mktemp("vectors") / "plain.txt"
    lines = (
        f"{word} {' '.join(f'{x:.4f}' for x in row)}" for word, row in zip(words, rows, strict=True)
    )
    file.write_text("".join(f"{line}\n" for line in lines))
    return file


def records(ran):
    assert ran.code == 0, ran.err
    return read_experiments(ran.out)


def rows(ran):
    assert ran.code == 0, ran.err
    return list(csv.DictReader(io.StringIO(ran.out), delimiter="\t"))


def test_a_folder_of_models_gives_each_group_and_the_spread_of_its_samples(
    run, trained, own, plain
):
    pair = ("--sets", own, "--pair", "men", "women")
    first, second, third = records(
        run("seeds", "measure", trained, plain, *pair, "--format", "json")
    )
    assert [one.source["name"] for one in (first, second)] == [f"{trained}: a", f"{trained}: b"]
    assert (first.source["samples"], third.source["samples"]) == (2, 0)
    assert first.pairs[0].similarity.n == 2
    assert third.pairs[0].similarity.sd is None
    page = run("seeds", "measure", trained, *pair).out
    assert f"{trained}: a (± over 2 samples)" in page
    assert page.count("±") > 6


def test_measure_takes_attributes_and_gives_p_values(run, plain, own):
    pair = ("--sets", own, "--pair", "men", "women")
    (plainly,) = rows(run("seeds", "measure", plain, *pair, "--format", "tsv", "--p"))
    (turned,) = rows(
        run("seeds", "measure", plain, *pair, "--format", "tsv", "--a", "bad", "--b", "good, w1")
    )
    assert 0 < float(plainly["p"]) <= 1
    assert float(plainly["effect"]) != float(turned["effect"])
    assert turned["p"] == ""
    (by_id,) = records(
        run("seeds", "measure", plain, *pair, "--format", "json", "--a", "fair", "--b", "bad")
    )
    assert by_id.options["a"] == ["sunny", "calm"]


def test_two_sets_of_a_file_are_a_pair(run, plain, tmp_path):
    file = tmp_path / "two.csv"
    file.write_text("set,word\nmen,he\nmen,king\nwomen,she\nwomen,queen\n")
    (row,) = rows(run("seeds", "coherence", plain, "--sets", file, "--format", "tsv"))
    assert (row["x"], row["y"], row["kind"]) == ("men", "women", "own")


def test_variance_compares_three_orders(run, trained, own):
    asked = ("seeds", "variance", f"{trained}", "--sets", own, "--pair", "men", "women")
    page = run(*asked, "--draws", 20)
    assert page.code == 0, page.err
    assert all(order in page.out for order in ("ordered", "shuffled", "random"))
    assert "of 20 shuffles" in page.out
    assert len(rows(run(*asked, "--format", "tsv"))) == 2 * 3 * 4  # groups, orders, components


def test_a_pair_that_cannot_be_measured_does_not_stop_the_others(run, plain, own):
    pairs = ("--pair", "men", "women", "--pair", "men", "rest")
    ran = run("seeds", "variance", plain, "--sets", own, *pairs)
    assert ran.code == 0
    assert "No pair of men / rest has two different words" in ran.out
    alone = run("seeds", "variance", plain, "--sets", own, "--pair", "men", "rest")
    assert alone.code == 1
    assert "missing: 'nobody'" in alone.err


def test_axis_lists_the_words_of_both_ends(run, trained, own):
    asked = ("seeds", "axis", f"{trained}", "--sets", own, "--pair", "men", "women", "--top", 3)
    page = run(*asked).out
    assert "ordered: X end" in page
    assert "How far the samples agree" in page
    found = rows(run(*asked, "--format", "tsv"))
    ends = {row["word"] for row in found if row["arrangement"] == "ordered"}
    assert ends & {"beard", "sword", "gown", "ring", *MEN, *WOMEN}
    assert run(*asked, "--seed", 1).out != page


def test_axis_masks_slurs_until_asked(run, tmp_path):
    words = ["he", "she", "bitch", *(f"w{i}" for i in range(9))]
    table = np.random.default_rng(0).normal(size=(12, 3))
    table[2] = table[0]
    file = tmp_path / "vectors.txt"
    file.write_text(
        "".join(f"{w} {r[0]} {r[1]} {r[2]}\n" for w, r in zip(words, table, strict=True))
    )
    sets = tmp_path / "sets.yaml"
    sets.write_text("{a: [he], b: [she]}")
    asked = ("seeds", "axis", file, "--sets", sets, "--pair", "a", "b", "--top", 12)
    assert "b****" in run(*asked).out
    assert "bitch" not in run(*asked).out
    assert "bitch" in run(*asked, "--show-slurs").out
    assert "bitch" in run(*asked, "--format", "tsv").out


def test_generated_sets_stand_beside_the_gathered_ones(run, plain, own, tmp_path):
    two = tmp_path / "two.yaml"
    two.write_text("{men: [he, king], women: [she, queen]}")
    asked = ("seeds", "generated", plain, "--pairs", 12, "--ranks", 1, 70, "--size", 3)
    found = rows(run(*asked, "--sets", two, "--format", "tsv"))
    assert [row["kind"] for row in found] == ["generated"] * 12 + ["own"]
    assert "12 generated pairs" in run(*asked, "--sets", two).out
    again = run(*asked, "--sets", two, "--against", "coherence-weat", "--format", "json")
    assert records(again)[0].against == "coherence-weat"
    assert run("seeds", "generated", plain, "--sets", own).code == 2  # four sets are no pair


def test_a_part_of_speech_needs_a_tagger_or_has_one(run, plain):
    pytest.importorskip("HanTa", reason="needs the extra 'pos'")
    ran = run("seeds", "generated", plain, "--ranks", 1, 14, "--part", "noun", "--pairs", 3)
    assert ran.code == 0, ran.err


def test_concept_holds_every_set_against_an_attribute(run, trained, own):
    asked = ("seeds", "concept", "people", f"{trained}", "--sets", own, "--attribute", "fair")
    page = run(*asked).out
    assert "women" in page
    assert "with the choice of the set (2 sets)" in page
    assert "rest: not run" in page
    found = rows(run(*asked, "--format", "tsv", "--only", "wom*"))
    assert {row["set"] for row in found} == {"women"}
    nothing = run(*asked, "--only", "none*")
    assert nothing.code == 2
    assert "No seed set of the concept people matches none*" in nothing.err


def test_coherence_ranks_and_cuts(run):
    (ranked,) = records(run("seeds", "coherence", "default", "--format", "json", "--words", 5000))
    values = [one.coherence_weat.mean for one in ranked.pairs if one.coherence_weat]
    assert values == sorted(values, reverse=True)
    cut = run("seeds", "coherence", "default", "--words", 5000, "--top", 1, "--by", "pca").out
    assert "PCA subspace" in cut
    assert "names_black-Garg_et_al_2018" in cut


@pytest.mark.slow
@pytest.mark.parametrize("command", ["measure", "variance", "axis", "coherence", "generated"])
def test_each_can_be_drawn_and_written(run, trained, own, command, tmp_path):
    pytest.importorskip("altair", reason="needs the extra 'plots'")
    two = tmp_path / "two.yaml"
    two.write_text("{men: [he, king, son], women: [she, queen, mother]}")
    picture, out = tmp_path / "picture.svg", tmp_path / "out.json"
    more = ("--pairs", 5, "--ranks", 1, 30, "--size", 3) if command == "generated" else ()
    asked = ("seeds", command, f"{trained}", "--sets", two, *more, "--format", "json")
    ran = run(*asked, "-o", out, "--plot", picture)
    assert (ran.code, ran.out) == (0, ""), ran.err
    assert len(read_experiments(out.read_text())) == 2
    assert "<svg" in picture.read_text()


def test_what_is_refused(run, plain, own):
    unknown = run("seeds", "measure", plain, "--pair", "female_9", "male_9")
    assert unknown.code == 2
    assert "no seed set 'female_9'" in unknown.err
    assert run("seeds", "measure", "no-such-file").code == 1
    missing = run("seeds", "measure", plain, "--sets", own, "--pair", "men", "rest")
    assert missing.code == 1
    assert "1 of the 1 words of rest are missing" in missing.err
    several = run("seeds", "variance", plain, "--sets", own)
    assert several.code == 2
    assert "hold 4 seed sets; say with --pair" in several.err
    none = run("seeds", "measure", plain, "--sets", own, "--pair", "men", "women", "--a", "evil")
    assert none.code == 1
    assert "attribute set A" in none.err
    assert run("seeds", "measure", plain, "--max-missing", "2").code == 2
    assert run("seeds", "generated", plain, "--ranks", 90, 10).code == 2
    assert run("seeds", "axis", plain, "--plot", "picture.gif").code == 2


def test_json_is_what_the_library_reads(run, plain, own):
    pair = ("--sets", own, "--pair", "men", "women")
    ran = run("seeds", "variance", plain, *pair, "--format", "json", "--draws", 3)
    content = json.loads(ran.out)
    assert content["results"][0]["measure"] == "seed-variance"
    (found,) = records(ran)
    assert found.options == {"draws": 3, "words": 20_000, "case": "auto", "rng": 0}
