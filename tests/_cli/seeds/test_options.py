"""What the commands of the seed lab measure on: training folders, and vectors without frequency."""

import json
import random

import numpy as np
import pytest

import weatherglass as wg
from weatherglass.corpus import Document, open_models, train
from weatherglass.seedlab.models import Models
from weatherglass.seedlab.result import read_experiments

MEN, WOMEN = ["he", "king", "father", "son"], ["she", "queen", "mother", "daughter"]
FAIR, FOUL = ["sunny", "calm"], ["rainy", "stormy"]


@pytest.fixture(scope="session")
def corpus():
    """Documents with over a thousand words, some of them frequent, of two places."""
    chance = random.Random(0)
    others = [f"w{a}{b}{c}" for a in "abcdefghijk" for b in "abcdefghijk" for c in "abcdefghijk"]
    texts = []
    for k in range(1500):
        people = chance.choices(MEN if k % 2 else WOMEN, k=4)
        day = chance.choices([*FAIR, *FOUL, "good", "bad", "the", "and", "of"], k=10)
        rare = chance.choices(others, weights=[1 / (i + 5) for i in range(len(others))], k=26)
        words = [*people, *day, *rare]
        chance.shuffle(words)
        texts.append(Document(" ".join(words), {"place": "ab"[k % 3 % 2]}))
    return texts


@pytest.fixture(scope="session")
def folder(corpus, tmp_path_factory):
    made = tmp_path_factory.mktemp("whole") / "run"
    options = {"method": "ppmi-svd", "dim": 10, "min_count": 2, "workers": 1}
    train(corpus, made, bootstrap=2, **options)
    return made


@pytest.fixture(scope="session")
def divided(corpus, tmp_path_factory):
    made = tmp_path_factory.mktemp("parts") / "run"
    options = {"method": "ppmi-svd", "dim": 10, "min_count": 2, "workers": 1}
    train(corpus, made, bootstrap=1, by="place", min_size=10, **options)
    return made


@pytest.fixture
def own(tmp_path):
    (tmp_path / "sets.yaml").write_text(f"seeds: [{{id: men, words: {MEN}}}, "
                                        f"{{id: women, words: {WOMEN}}}]\n")  # fmt: skip
    (tmp_path / "test.yaml").write_text(f"id: mine\nx: {MEN}\ny: {WOMEN}\na: {FAIR}\nb: {FOUL}\n")
    (tmp_path / "other.txt").write_text("king\nfather\nson\n")
    return tmp_path


def pair(own):
    return ("--sets", own / "sets.yaml", "--pair", "men", "women")


def mine(own):
    return ("--tests", own / "test.yaml", "--with", f"X={own / 'other.txt'}", "--samples", 0)


def test_a_multiverse_without_frequency_is_that_of_controlled_vectors(run):
    asked = ("seeds", "multiverse", "default", "--test", "weat7", "--samples", 2)
    ran = run(*asked, "--control", "frequency", "--format", "json")
    assert ran.code == 0, ran.err
    found = wg.Multiverse.from_json(json.dumps(json.loads(ran.out)["multiverses"][0]))
    vectors, control = wg.control(wg.open_vectors("default"), "frequency")
    by_hand = wg.multiverse(vectors, "weat7", samples=2)
    assert found.specifications == by_hand.specifications
    assert found.source["fingerprint"] == vectors.fingerprint
    assert found.source["control"]["r2_before"] == control.r2_before
    page = run(*asked, "--control", "auto").out
    assert page.startswith("weat7 on default without frequency: Math vs arts")
    assert "the vectors predict log rank with R² 0.88, 0.04 after the control." in page


def test_every_sample_loses_its_own_frequency(run, folder, own):
    asked = ("seeds", "measure", folder, *pair(own), "--control", "frequency", "--format", "json")
    ran = run(*asked)
    assert ran.code == 0, ran.err
    (found,) = read_experiments(ran.out)
    samples = [one.vectors for one in open_models(folder) if not one.is_full]
    by_hand = wg.measure_pairs(
        [wg.control(one, "frequency")[0] for one in samples], wg.seed_pair(MEN, WOMEN)
    )
    assert found.pairs[0].similarity == by_hand.pairs[0].similarity
    assert found.pairs[0].coherence_weat == by_hand.pairs[0].coherence_weat
    assert found.source["control"]["by"] == "counts"
    assert found.source["name"] == f"{folder} without frequency"


def test_the_whole_corpus_decides_for_all_samples(folder):
    models = Models.of(open_models(folder))
    auto = models.controlled("auto")
    assert auto.control.method == ("frequency" if auto.control.r2_before > 0.25 else "none")
    assert len(auto.samples) == 2
    changed = [
        not np.array_equal(a.matrix, b.matrix)
        for a, b in zip(models.samples, auto.samples, strict=True)
    ]
    assert changed == [auto.control.method == "frequency"] * 2
    left = models.controlled("none")
    assert left.samples == models.samples
    assert left.about()["control"]["method"] == "none"
    assert "control" not in models.about()


@pytest.mark.parametrize(
    "command",
    [
        ("variance", "--draws", "3", "--words", "200"),
        ("axis", "--top", "2"),
        ("coherence",),
    ],
)
def test_every_command_on_pairs_takes_frequency_out_and_says_so(run, folder, own, command):
    name, *more = command
    asked = ("seeds", name, folder, *pair(own), *more)
    plain, without = run(*asked), run(*asked, "--control", "frequency")
    assert without.code == 0, without.err
    assert f"{folder} without frequency" in without.out
    assert "after the control." in without.out
    assert "control" not in plain.out


def test_generated_and_concept_take_frequency_out(run, folder, own):
    asked = ("seeds", "generated", folder, "--sets", own / "sets.yaml", "--pairs", 5)
    ran = run(*asked, "--ranks", 1, 500, "--size", 3, "--control", "frequency")
    assert (ran.code, "after the control." in ran.out) == (0, True)
    (own / "groups.yaml").write_text(
        f"seeds: [{{id: men, concept: people, words: {MEN}}}, {{id: fair, words: {FAIR}}}]\n"
    )
    sets = ("--sets", own / "groups.yaml", "--attribute", "fair")
    ran = run("seeds", "concept", "people", folder, *sets, "--control", "frequency")
    assert (ran.code, "after the control." in ran.out) == (0, True)


def test_lint_looks_at_vectors_without_frequency(run, own):
    asked = ("seeds", "lint", "flowers-Caliskan_et_al_2017", "--format", "json")
    plain = json.loads(run(*asked, "--source", "default").out)
    without = json.loads(run(*asked, "--source", "default", "--control", "frequency").out)
    assert without["source"]["control"]["method"] == "frequency"
    assert "control" not in plain["source"]
    assert plain["neighbours"]["rose"] != without["neighbours"]["rose"]
    refused = run(*asked, "--control", "auto")
    assert (refused.code, "say which with --source" in refused.err) == (2, True)


def test_lint_lists_the_neighbours_of_every_word(run, tmp_path):
    (tmp_path / "mine.txt").write_text("rose\ntulip\nnosuchflower\n")
    asked = ("seeds", "lint", tmp_path / "mine.txt", "--neighbours")
    page = run(*asked, "--source", "default").out
    assert page.startswith("Nearest words in default\n")
    (rose,) = (line for line in page.splitlines() if line.startswith("  rose "))
    assert rose.split()[1:4:2] == ["fell", "climbed"]
    assert "nosuchflower" not in page.partition("number")[0]
    refused = run(*asked)
    assert (refused.code, "say which with --source" in refused.err) == (2, True)
    few = [f"{word} {k} 1" for k, word in enumerate(["rose", "tulip", "daisy"])]
    (tmp_path / "few.txt").write_text("\n".join(few) + "\n")
    assert run(*asked, "--source", tmp_path / "few.txt").out.startswith("No neighbours")


def test_a_multiverse_on_a_training_folder_measures_the_full_model_of_each_group(
    run, folder, divided, own
):
    ran = run("seeds", "multiverse", folder, divided, *mine(own), "--format", "json")
    assert ran.code == 0, ran.err
    found = [wg.Multiverse.from_json(json.dumps(one)) for one in json.loads(ran.out)["multiverses"]]
    assert [one.source["name"] for one in found] == [f"{folder}", f"{divided}: a", f"{divided}: b"]
    (full,) = (one.vectors for one in open_models(folder) if one.is_full)
    by_hand = wg.weat(full, wg.Test(x=MEN, y=WOMEN, a=FAIR, b=FOUL))
    assert found[0].specifications[0].effect == pytest.approx(by_hand.effect)


def test_lint_on_a_training_folder_uses_its_full_model(run, folder, divided, own):
    sets = own / "sets.yaml"
    ran = run("seeds", "lint", sets, "--source", folder, "--format", "json")
    assert ran.code == 0, ran.err
    (full,) = (one.vectors for one in open_models(folder) if one.is_full)
    assert json.loads(ran.out)["source"]["fingerprint"] == full.fingerprint
    several = run("seeds", "lint", sets, "--source", divided)
    assert several.code == 2
    assert "holds models of 2 groups" in several.err


def test_a_folder_without_a_finished_full_model_says_so(run, folder, tmp_path, own):
    record = json.loads((folder / "train.json").read_text())
    (tmp_path / "run").mkdir()
    for state in ("waiting", "done"):  # the file is not there
        record["models"]["full"] = state
        (tmp_path / "run" / "train.json").write_text(json.dumps(record))
        ran = run("seeds", "multiverse", tmp_path / "run", *mine(own))
        assert ran.code == 1
        assert "no finished model of a whole corpus" in ran.err


def test_too_few_words_to_take_frequency_out_of(run, tmp_path, own):
    rows = [f"{word} {k % 3} 1 {k}" for k, word in enumerate([*MEN, *WOMEN, "good", "bad"])]
    (tmp_path / "few.txt").write_text("\n".join(rows) + "\n")
    asked = ("seeds", "measure", tmp_path / "few.txt", *pair(own))
    refused = run(*asked, "--control", "frequency")
    assert refused.code == 1
    assert "at least 1,000 are needed" in refused.err
    left = run(*asked, "--control", "auto")
    assert left.code == 0
    assert "too few words to say how much of it is in the vectors; left in." in left.out


def test_sentences_beside_a_table_are_comments_in_latex(run, folder, own):
    for asked in (
        ("seeds", "measure", folder, *pair(own), "--control", "frequency"),
        ("seeds", "multiverse", folder, *mine(own)),
        ("seeds", "lint", own / "sets.yaml"),
    ):
        ran = run(*asked, "--format", "latex")
        assert ran.code == 0, ran.err
        _, *parts = ran.out.split("\\begin{table}")
        after = [part.partition("\\end{table}")[2] for part in parts]
        outside = [line for part in after for line in part.splitlines() if line]
        assert outside
        assert all(line.startswith("%") for line in outside)


def test_lint_cuts_a_corpus_into_words_as_it_is_told(run, tmp_path):
    (tmp_path / "corpus.txt").write_text("the drawing-room of Ann\n" * 12)
    (tmp_path / "mine.txt").write_text("drawing-room\n")
    asked = ("seeds", "lint", tmp_path / "mine.txt", "--corpus", tmp_path / "corpus.txt")

    def unseen(*more):
        findings = json.loads(run(*asked, *more, "--format", "json").out)["findings"]
        return [one["value"] for one in findings if one["check"] == "unseen"]

    assert unseen() == [1.0]
    assert unseen("--hyphens") == []
    assert unseen("--hyphens", "--min-count", 13) == [1.0]
