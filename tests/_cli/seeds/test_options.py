"""Sources of the seed lab's commands: folders of trained models, and frequency control."""

import json
import random

import numpy as np
import pytest

import weatherglass as wg
from weatherglass._files import seal, unseal
from weatherglass.corpus import Document, open_models, train
from weatherglass.seedlab.models import Models
from weatherglass.seedlab.result import read_experiments

MEN, WOMEN = ["he", "king", "father", "son"], ["she", "queen", "mother", "daughter"]
FAIR, FOUL = ["sunny", "calm"], ["rainy", "stormy"]


@pytest.fixture(scope="session")
def corpus():
    """Documents with over a thousand words, some of them frequent, of two places."""
    rng = random.Random(0)
    others = [f"w{a}{b}{c}" for a in "abcdefghijk" for b in "abcdefghijk" for c in "abcdefghijk"]
    texts = []
    for k in range(1500):
        people = rng.choices(MEN if k % 2 else WOMEN, k=4)
        day = rng.choices([*FAIR, *FOUL, "good", "bad", "the", "and", "of"], k=10)
        rare = rng.choices(others, weights=[1 / (i + 5) for i in range(len(others))], k=26)
        words = [*people, *day, *rare]
        rng.shuffle(words)
        texts.append(Document(" ".join(words), {"place": "ab"[k % 3 % 2]}))
    return texts


@pytest.fixture(scope="session")
def folder(corpus, tmp_path_factory):
    path = tmp_path_factory.mktemp("whole") / "run"
    options = {"method": "ppmi-svd", "dim": 10, "min_count": 2, "workers": 1}
    train(corpus, path, bootstrap=2, **options)
    return path


@pytest.fixture(scope="session")
def divided(corpus, tmp_path_factory):
    path = tmp_path_factory.mktemp("parts") / "run"
    options = {"method": "ppmi-svd", "dim": 10, "min_count": 2, "workers": 1}
    train(corpus, path, bootstrap=1, by="place", min_size=10, **options)
    return path


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


@pytest.mark.slow
def test_multiverse_with_control_equals_that_of_controlled_vectors(run):
    command_line = ("seeds", "multiverse", "default", "--test", "weat7", "--samples", 2)
    ran = run(*command_line, "--control", "frequency", "--format", "json")
    assert ran.code == 0, ran.err
    result = wg.Multiverse.from_json(json.dumps(json.loads(ran.out)["multiverses"][0]))
    vectors, control = wg.control(wg.open_vectors("default"), "frequency")
    by_hand = wg.multiverse(vectors, "weat7", samples=2)
    assert result.specifications == by_hand.specifications
    assert result.source["fingerprint"] == vectors.fingerprint
    assert result.source["control"]["r2_before"] == control.r2_before
    page = run(*command_line, "--control", "auto").out
    assert page.startswith("weat7 on default without frequency: Math vs arts")
    assert "of other words with R² 0.91, 0.07 after the control." in page


def test_frequency_is_removed_from_every_bootstrap_sample(run, folder, own):
    command_line = (
        "seeds",
        "measure",
        folder,
        *pair(own),
        "--control",
        "frequency",
        "--format",
        "json",
    )
    ran = run(*command_line)
    assert ran.code == 0, ran.err
    (result,) = read_experiments(ran.out)
    samples = [model.vectors for model in open_models(folder) if not model.is_full]
    by_hand = wg.measure_pairs(
        [wg.control(vectors, "frequency")[0] for vectors in samples], wg.seed_pair(MEN, WOMEN)
    )
    assert result.pairs[0].similarity == by_hand.pairs[0].similarity
    assert result.pairs[0].coherence_weat == by_hand.pairs[0].coherence_weat
    assert result.source["control"]["by"] == "counts"
    assert result.source["name"] == f"{folder} without frequency"


def test_auto_control_decides_by_the_full_model_for_all_samples(folder):
    models = Models.of(open_models(folder))
    auto = models.controlled("auto")
    assert auto.control.method == ("frequency" if auto.control.r2_before > 0.25 else "none")
    assert len(auto.samples) == 2
    changed = [
        not np.array_equal(a.matrix, b.matrix)
        for a, b in zip(models.samples, auto.samples, strict=True)
    ]
    assert changed == [auto.control.method == "frequency"] * 2
    unchanged = models.controlled("none")
    assert unchanged.samples == models.samples
    assert unchanged.about()["control"]["method"] == "none"
    assert "control" not in models.about()


@pytest.mark.parametrize(
    "command",
    [
        ("variance", "--draws", "3", "--words", "200"),
        ("axis", "--top", "2"),
        ("coherence",),
    ],
)
def test_commands_on_pairs_remove_frequency_and_say_so(run, folder, own, command):
    name, *more = command
    command_line = ("seeds", name, folder, *pair(own), *more)
    plain, without = run(*command_line), run(*command_line, "--control", "frequency")
    assert without.code == 0, without.err
    assert f"{folder} without frequency" in without.out
    assert "after the control." in without.out
    assert "control" not in plain.out


def test_generated_and_concept_remove_frequency(run, folder, own):
    command_line = ("seeds", "generated", folder, "--sets", own / "sets.yaml", "--pairs", 5)
    ran = run(*command_line, "--ranks", 1, 500, "--size", 3, "--control", "frequency")
    assert (ran.code, "after the control." in ran.out) == (0, True)
    (own / "groups.yaml").write_text(
        f"seeds: [{{id: men, concept: people, words: {MEN}}}, {{id: fair, words: {FAIR}}}]\n"
    )
    sets = ("--sets", own / "groups.yaml", "--attribute", "fair")
    ran = run("seeds", "concept", folder, "people", *sets, "--control", "frequency")
    assert (ran.code, "after the control." in ran.out) == (0, True)


def test_lint_uses_vectors_with_frequency_removed(run, own):
    command_line = ("seeds", "lint", "flowers-Caliskan_et_al_2017", "--format", "json")
    plain = json.loads(run(*command_line, "--source", "default").out)
    without = json.loads(run(*command_line, "--source", "default", "--control", "frequency").out)
    assert without["source"]["control"]["method"] == "frequency"
    assert "control" not in plain["source"]
    assert plain["neighbours"]["rose"] != without["neighbours"]["rose"]
    refused = run(*command_line, "--control", "auto")
    assert (refused.code, "name them with --source" in refused.err) == (2, True)


def test_lint_lists_the_neighbours_of_every_word(run, tmp_path):
    (tmp_path / "mine.txt").write_text("rose\ntulip\nnosuchflower\n")
    command_line = ("seeds", "lint", tmp_path / "mine.txt", "--neighbours")
    page = run(*command_line, "--source", "default").out
    assert page.startswith("Nearest words in default\n")
    (rose,) = (line for line in page.splitlines() if line.startswith("  rose "))
    assert rose.split()[1:4:2] == ["fell", "climbed"]
    assert "nosuchflower" not in page.partition("number")[0]
    refused = run(*command_line)
    assert (refused.code, "name them with --source" in refused.err) == (2, True)
    few = [f"{word} {k} 1" for k, word in enumerate(["rose", "tulip", "daisy"])]
    (tmp_path / "few.txt").write_text("\n".join(few) + "\n")
    assert run(*command_line, "--source", tmp_path / "few.txt").out.startswith("No neighbours")


def test_a_multiverse_on_a_training_folder_measures_the_full_model_of_each_group(
    run, folder, divided, own
):
    ran = run("seeds", "multiverse", folder, divided, *mine(own), "--format", "json")
    assert ran.code == 0, ran.err
    records = json.loads(ran.out)["multiverses"]
    results = [wg.Multiverse.from_json(json.dumps(record)) for record in records]
    assert [result.source["name"] for result in results] == [
        f"{folder}",
        f"{divided}: a",
        f"{divided}: b",
    ]
    (full,) = (model.vectors for model in open_models(folder) if model.is_full)
    by_hand = wg.weat(full, wg.Test(x=MEN, y=WOMEN, a=FAIR, b=FOUL))
    assert results[0].specifications[0].effect == pytest.approx(by_hand.effect)


def test_lint_on_a_training_folder_uses_its_full_model(run, folder, divided, own):
    sets = own / "sets.yaml"
    ran = run("seeds", "lint", sets, "--source", folder, "--format", "json")
    assert ran.code == 0, ran.err
    (full,) = (model.vectors for model in open_models(folder) if model.is_full)
    assert json.loads(ran.out)["source"]["fingerprint"] == full.fingerprint
    several = run("seeds", "lint", sets, "--source", divided)
    assert several.code == 2
    assert "has models of 2 groups" in several.err


def test_a_folder_without_a_finished_full_model_is_refused(run, folder, tmp_path, own):
    record = unseal((folder / "train.json").read_text())
    (tmp_path / "run").mkdir()
    for state in ("waiting", "done"):  # the file is not there
        record["models"]["full"] = state
        (tmp_path / "run" / "train.json").write_text(seal(record))
        ran = run("seeds", "multiverse", tmp_path / "run", *mine(own))
        assert ran.code == 3
        assert "no finished model of a whole corpus" in ran.err


def test_frequency_is_not_removed_from_too_few_words(run, tmp_path, own):
    rows = [f"{word} {k % 3} 1 {k}" for k, word in enumerate([*MEN, *WOMEN, "good", "bad"])]
    (tmp_path / "few.txt").write_text("\n".join(rows) + "\n")
    command_line = ("seeds", "measure", tmp_path / "few.txt", *pair(own))
    refused = run(*command_line, "--control", "frequency")
    assert refused.code == 3
    assert "at least 1,000 are needed" in refused.err
    auto = run(*command_line, "--control", "auto")
    assert auto.code == 0
    assert "Frequency: not removed; it has" in auto.out


def test_remarks_under_seed_tables_are_comments_in_latex(run, folder, own):
    for command_line in (
        ("seeds", "measure", folder, *pair(own), "--control", "frequency"),
        ("seeds", "multiverse", folder, *mine(own)),
        ("seeds", "lint", own / "sets.yaml"),
    ):
        ran = run(*command_line, "--format", "latex")
        assert ran.code == 0, ran.err
        _, *parts = ran.out.split("\\begin{table}")
        after = [part.partition("\\end{table}")[2] for part in parts]
        outside = [line for part in after for line in part.splitlines() if line]
        assert outside
        assert all(line.startswith("%") for line in outside)


def test_lint_uses_the_options_of_the_tokenizer(run, tmp_path):
    (tmp_path / "corpus.txt").write_text("the drawing-room of Ann\n" * 12)
    (tmp_path / "mine.txt").write_text("drawing-room\n")
    command_line = ("seeds", "lint", tmp_path / "mine.txt", "--corpus", tmp_path / "corpus.txt")

    def unseen(*more):
        findings = json.loads(run(*command_line, *more, "--format", "json").out)["findings"]
        return [f["value"] for f in findings if f["check"] == "unseen"]

    assert unseen() == [1.0]
    assert unseen("--hyphens") == []
    assert unseen("--hyphens", "--min-count", 13) == [1.0]
