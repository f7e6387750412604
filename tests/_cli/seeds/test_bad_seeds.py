"""The commands of the seed lab that measure seed sets: tables, files, charts and mistakes."""

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
    rng = random.Random(0)
    texts = []
    for k in range(600):
        who, role = (MEN, ["beard", "sword"]) if k % 2 else (WOMEN, ["gown", "ring"])
        place = rng.choice(["castle", "garden", "village", "harbour"])
        day = rng.choice(["sunny", "calm", "good", "bad", "rainy", "stormy"])
        words = [rng.choice(who), "wore", "a", rng.choice(role), "in", "the", place]
        text = " ".join([*words, "on", "a", day, "day", rng.choice(who), "said"])
        texts.append(Document(text, {"place": rng.choice("ab")}))
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


def test_a_folder_of_models_gives_standard_deviations_for_each_group(run, trained, own, plain):
    pair = ("--sets", own, "--pair", "men", "women")
    first, second, third = records(
        run("seeds", "measure", trained, plain, *pair, "--format", "json")
    )
    assert [result.source["name"] for result in (first, second)] == [
        f"{trained}: a",
        f"{trained}: b",
    ]
    assert (first.source["samples"], third.source["samples"]) == (2, 0)
    assert first.pairs[0].similarity.n == 2
    assert third.pairs[0].similarity.sd is None
    page = run("seeds", "measure", trained, *pair).out
    assert f"{trained}: a (± over 2 samples)" in page
    assert page.count("±") > 6


def test_measure_takes_attributes_and_gives_p_values(run, plain, own):
    pair = ("--sets", own, "--pair", "men", "women")
    (default,) = rows(run("seeds", "measure", plain, *pair, "--format", "tsv", "--p"))
    (reversed_,) = rows(
        run("seeds", "measure", plain, *pair, "--format", "tsv", "--a", "bad", "--b", "good, w1")
    )
    assert 0 < float(default["p"]) <= 1
    assert float(default["effect"]) != float(reversed_["effect"])
    assert reversed_["p"] == ""
    (by_id,) = records(
        run("seeds", "measure", plain, *pair, "--format", "json", "--a", "fair", "--b", "bad")
    )
    assert by_id.options["a"] == ["sunny", "calm"]


def test_a_file_with_two_sets_is_used_as_a_pair(run, plain, tmp_path):
    file = tmp_path / "two.csv"
    file.write_text("set,word\nmen,he\nmen,king\nwomen,she\nwomen,queen\n")
    (row,) = rows(run("seeds", "coherence", plain, "--sets", file, "--format", "tsv"))
    assert (row["x"], row["y"], row["kind"]) == ("men", "women", "own")


def test_variance_compares_ordered_shuffled_and_random_pairs(run, trained, own):
    command_line = ("seeds", "variance", f"{trained}", "--sets", own, "--pair", "men", "women")
    page = run(*command_line, "--draws", 20)
    assert page.code == 0, page.err
    assert all(order in page.out for order in ("ordered", "shuffled", "random"))
    assert "of 20 shuffles" in page.out
    assert (
        len(rows(run(*command_line, "--format", "tsv"))) == 2 * 3 * 4
    )  # groups, orders, components


def test_a_pair_that_cannot_be_measured_does_not_stop_the_others(run, plain, own):
    pairs = ("--pair", "men", "women", "--pair", "men", "rest")
    ran = run("seeds", "variance", plain, "--sets", own, *pairs)
    assert ran.code == 0
    assert "No pair of men / rest has two different words" in ran.out
    alone = run("seeds", "variance", plain, "--sets", own, "--pair", "men", "rest")
    assert alone.code == 3
    assert "missing: 'nobody'" in alone.err


def test_axis_lists_the_words_of_both_ends(run, trained, own):
    command_line = (
        "seeds",
        "axis",
        f"{trained}",
        "--sets",
        own,
        "--pair",
        "men",
        "women",
        "--top",
        3,
    )
    page = run(*command_line).out
    assert "ordered: X end" in page
    assert "Correlation of the axis between samples: ordered" in page
    words = rows(run(*command_line, "--format", "tsv"))
    ends = {row["word"] for row in words if row["arrangement"] == "ordered"}
    assert ends & {"beard", "sword", "gown", "ring", *MEN, *WOMEN}
    assert run(*command_line, "--seed", 1).out != page


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
    command_line = ("seeds", "axis", file, "--sets", sets, "--pair", "a", "b", "--top", 12)
    assert "b****" in run(*command_line).out
    assert "bitch" not in run(*command_line).out
    assert "bitch" in run(*command_line, "--show-slurs").out
    assert "bitch" in run(*command_line, "--format", "tsv").out


def test_generated_pairs_are_listed_with_the_users_pair(run, plain, own, tmp_path):
    two = tmp_path / "two.yaml"
    two.write_text("{men: [he, king], women: [she, queen]}")
    command_line = ("seeds", "generated", plain, "--pairs", 12, "--ranks", 1, 70, "--size", 3)
    pairs = rows(run(*command_line, "--sets", two, "--format", "tsv"))
    assert [row["kind"] for row in pairs] == ["generated"] * 12 + ["own"]
    assert "12 generated pairs" in run(*command_line, "--sets", two).out
    again = run(*command_line, "--sets", two, "--against", "coherence-weat", "--format", "json")
    assert records(again)[0].against == "coherence-weat"
    assert run("seeds", "generated", plain, "--sets", own).code == 2  # four sets are no pair


def test_generated_sets_can_be_limited_to_a_part_of_speech(run, plain):
    pytest.importorskip("HanTa", reason="needs the extra 'pos'")
    ran = run("seeds", "generated", plain, "--ranks", 1, 14, "--part", "noun", "--pairs", 3)
    assert ran.code == 0, ran.err


def test_concept_measures_every_set_with_an_attribute(run, trained, own):
    command_line = (
        "seeds",
        "concept",
        f"{trained}",
        "people",
        "--sets",
        own,
        "--attribute",
        "fair",
    )
    page = run(*command_line).out
    assert "women" in page
    assert "with the choice of the set (2 sets)" in page
    assert "rest: not run" in page
    matching = rows(run(*command_line, "--format", "tsv", "--only", "wom*"))
    assert {row["set"] for row in matching} == {"women"}
    nothing = run(*command_line, "--only", "none*")
    assert nothing.code == 2
    assert "No seed set of the concept people matches none*" in nothing.err


def test_coherence_ranks_pairs_and_can_show_only_the_ends(run):
    (ranked,) = records(run("seeds", "coherence", "default", "--format", "json", "--words", 5000))
    values = [pair.coherence_weat.mean for pair in ranked.pairs if pair.coherence_weat]
    assert values == sorted(values, reverse=True)
    cut = run("seeds", "coherence", "default", "--words", 5000, "--top", 1, "--by", "pca").out
    assert "PCA subspace" in cut
    assert "names_black-Garg_et_al_2018" in cut


@pytest.mark.slow
@pytest.mark.parametrize("command", ["measure", "variance", "axis", "coherence", "generated"])
def test_every_seed_command_writes_json_and_a_chart(run, trained, own, command, tmp_path):
    pytest.importorskip("altair", reason="needs the extra 'plots'")
    two = tmp_path / "two.yaml"
    two.write_text("{men: [he, king, son], women: [she, queen, mother]}")
    chart, out = tmp_path / "picture.svg", tmp_path / "out.json"
    more = ("--pairs", 5, "--ranks", 1, 30, "--size", 3) if command == "generated" else ()
    command_line = ("seeds", command, f"{trained}", "--sets", two, *more, "--format", "json")
    ran = run(*command_line, "-o", out, "--plot", chart)
    assert (ran.code, ran.out) == (0, ""), ran.err
    assert len(read_experiments(out.read_text())) == 2
    assert "<svg" in chart.read_text()


def test_wrong_seed_commands_get_a_sentence_and_an_exit_code(run, plain, own):
    unknown = run("seeds", "measure", plain, "--pair", "female_9", "male_9")
    assert unknown.code == 2
    assert "no seed set 'female_9'" in unknown.err
    assert run("seeds", "measure", "no-such-file").code == 3
    missing = run("seeds", "measure", plain, "--sets", own, "--pair", "men", "rest")
    assert missing.code == 3
    assert "1 of the 1 words of rest is missing" in missing.err
    several = run("seeds", "variance", plain, "--sets", own)
    assert several.code == 2
    assert "have 4 seed sets; choose two with --pair X Y" in several.err
    none = run("seeds", "measure", plain, "--sets", own, "--pair", "men", "women", "--a", "evil")
    assert none.code == 3
    assert "attribute set A" in none.err
    assert run("seeds", "measure", plain, "--max-missing", "2").code == 2
    assert run("seeds", "generated", plain, "--ranks", 90, 10).code == 2
    assert run("seeds", "axis", plain, "--plot", "picture.gif").code == 2


def test_json_of_seed_commands_is_read_by_the_library(run, plain, own):
    pair = ("--sets", own, "--pair", "men", "women")
    ran = run("seeds", "variance", plain, *pair, "--format", "json", "--draws", 3)
    content = json.loads(ran.out)
    assert content["results"][0]["measure"] == "seed-variance"
    (result,) = records(ran)
    assert result.options == {"draws": 3, "words": 20_000, "case": "auto", "rng": 0}
