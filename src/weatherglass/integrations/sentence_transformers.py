"""`BiasEvaluator`: association tests while a sentence-transformers model is trained."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from weatherglass._files import delimited_text
from weatherglass._log import get_logger
from weatherglass._version import __version__
from weatherglass.catalog import NamedTests, Test, choose_tests
from weatherglass.encoders import Encodings, SeatResult, seat
from weatherglass.errors import MissingExtra, WeatherglassError

try:
    # Before sentence-transformers 6, all evaluators were in one folder.
    try:
        from sentence_transformers.sentence_transformer.evaluation import SentenceEvaluator
    except ModuleNotFoundError:
        from sentence_transformers.evaluation import SentenceEvaluator
except ModuleNotFoundError:
    raise MissingExtra("BiasEvaluator", "transformers") from None

_LOGGER = get_logger(__name__)

# Names of white and black Americans, men and women (three tests), young and old people.
DEFAULT_TESTS = ("sent-weat5", "sent-weat6", "sent-weat7", "sent-weat8", "sent-weat10")
LARGEST = "max_abs_effect"
CONTROL = "control_effect"


class BiasEvaluator(SentenceEvaluator):  # type: ignore[misc]
    """Run association tests on a model each time it is evaluated.

    The metrics of each test are its effect size and its two-sided p-value, with each word counted
    once (``sent-weat6_effect``, ``sent-weat6_p``). ``max_abs_effect``, the largest absolute effect
    size, is the primary metric, and smaller is better. ``control_effect`` is the effect of a test
    in which every useful model has a large one, flowers and insects: if it falls together with the
    others, the model has not become fairer but knows less.

    Parameters
    ----------
    tests
        Tests of the catalogue by id, or your own.
    control
        The test behind ``control_effect``; None for none.
    name
        Comes before every metric and in the name of the CSV file.
    batch_size
        How many sentences are encoded at a time.
    prompt, prompt_name
        The prompt that the model is used with, as in ``SentenceTransformer.encode``.
    truncate_dim
        Measure only this many dimensions, for models that are used truncated.
    write_csv
        Whether to append the metrics to ``bias_evaluation_NAME_results.csv`` in the output folder.

    Notes
    -----
    A metric of a training run is not an audit: the seed words, the correction for many tests and
    the other evidence are missing. Audit the checkpoint that you keep.

    Do not choose the checkpoint with the smallest effect. A number that is optimised no longer
    measures what it did before.
    """

    def __init__(
        self,
        tests: NamedTests = DEFAULT_TESTS,
        *,
        control: str | Test | None = "weat1",
        name: str = "bias",
        batch_size: int = 64,
        prompt: str | None = None,
        prompt_name: str | None = None,
        truncate_dim: int | None = None,
        write_csv: bool = True,
    ) -> None:
        super().__init__()
        self.tests = list(choose_tests(tests, Test))
        self.control = None if control is None else choose_tests(control, Test)[0]
        self.name, self.batch_size, self.write_csv = name, batch_size, write_csv
        self.prompt, self.prompt_name, self.truncate_dim = prompt, prompt_name, truncate_dim
        self.greater_is_better = False
        self.primary_metric = LARGEST
        self.csv_file = f"bias_evaluation{f'_{name}' if name else ''}_results.csv"

    @property
    def csv_headers(self) -> list[str]:
        """The columns of the CSV file."""
        by_test = [f"{test.id}_{number}" for test in self.tests for number in ("effect", "p")]
        control = [] if self.control is None else [CONTROL]
        return ["epoch", "steps", LARGEST, *control, *by_test]

    def __call__(
        self, model: Any, output_path: str | None = None, epoch: int = -1, steps: int = -1
    ) -> dict[str, float]:
        """Measure a model; a test that cannot be run has no metric.

        Parameters
        ----------
        model
            A ``SentenceTransformer``.
        output_path
            The folder of the CSV file.
        epoch, steps
            When in the training the model is evaluated.
        """
        metrics = self._measure(model)
        if output_path is not None and self.write_csv:
            self._append_row(Path(output_path), epoch, steps, metrics)
        prefixed: dict[str, float] = self.prefix_name_to_metrics(metrics, self.name)
        self.store_metrics_in_model_card_data(model, prefixed, epoch, steps)
        return prefixed

    def get_config_dict(self) -> dict[str, Any]:
        """Return what the model card says about how the metrics were measured."""
        config: dict[str, Any] = {
            "tests": [test.id for test in self.tests],
            "control": None if self.control is None else self.control.id,
            "alternative": "two-sided",
            "weatherglass": __version__,
        }
        given: dict[str, Any] = {"prompt": self.prompt, "prompt_name": self.prompt_name}
        given["truncate_dim"] = self.truncate_dim
        return config | {name: value for name, value in given.items() if value is not None}

    def _measure(self, model: Any) -> dict[str, float]:
        wanted = [*self.tests, *([] if self.control is None else [self.control])]
        prompts = {"prompt": self.prompt, "prompt_name": self.prompt_name}
        encoder = _ModelInMemory(model, prompts, self.truncate_dim)
        try:
            results = seat(encoder, wanted, batch_size=self.batch_size, alternative="two-sided")
        except WeatherglassError as error:
            # A model whose training diverged gives no numbers. That is for the training to stop.
            _LOGGER.warning("The model could not be measured: %s", error)
            return {LARGEST: math.nan}
        *tested, last = results
        metrics = _metrics([*tested, *([last] if self.control is None else [])])
        if self.control is not None and last.main_value is not None:
            metrics = {LARGEST: metrics.pop(LARGEST), CONTROL: last.main_value, **metrics}
        return metrics

    def _append_row(self, folder: Path, epoch: int, steps: int, metrics: dict[str, float]) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        path, headers = folder / self.csv_file, self.csv_headers
        is_new = not path.is_file()
        with path.open("a", newline="", encoding="utf-8") as file:
            row = [epoch, steps, *(metrics.get(name, "") for name in headers[2:])]
            file.write(delimited_text([headers, row] if is_new else [row]))


def _metrics(results: Sequence[SeatResult]) -> dict[str, float]:
    """Return the metrics of tests, the largest absolute effect first."""
    numbers: dict[str, float] = {}
    for result in results:
        if result.main_value is None:
            _LOGGER.warning("%s was not run: %s", result.test, result.reason)
            continue
        numbers[f"{result.test}_effect"] = result.main_value
        if result.main_p_for_finding is not None:
            numbers[f"{result.test}_p"] = result.main_p_for_finding
    effects = [abs(value) for name, value in numbers.items() if name.endswith("_effect")]
    return {LARGEST: max(effects, default=math.nan)} | numbers


class _ModelInMemory:
    """A model that may change between evaluations, so that nothing of it is cached."""

    stored = True  # keeps encodings out of the cache on disk

    def __init__(self, model: Any, options: dict[str, Any], dim: int | None) -> None:
        self.name = "model in training"
        self._model, self._dim = model, dim
        self._options = {name: value for name, value in options.items() if value is not None}
        self._digest = hashlib.blake2b(digest_size=16)

    @property
    def fingerprint(self) -> str:
        """A hash of everything that the model has returned so far."""
        return self._digest.hexdigest()

    def encode(self, sentences: Sequence[str]) -> Encodings:
        """Return one row per sentence, float32."""
        rows = self._model.encode(
            list(sentences),
            batch_size=max(1, len(sentences)),
            show_progress_bar=False,
            convert_to_numpy=True,
            **self._options,
        )
        encodings: Encodings = np.asarray(rows, dtype=np.float32)[:, : self._dim]
        self._digest.update(encodings.tobytes())
        return encodings
