"""``--log mlflow:URI``: the numbers of an audit or a check as runs of MLflow."""

from __future__ import annotations

import contextlib
import math
import os
import re
import time
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from weatherglass._version import __version__
from weatherglass.auditing import Check
from weatherglass.errors import CannotWrite, MissingExtra, UsageError, quote_safe
from weatherglass.report import AuditResult

EXPERIMENT = "weatherglass"
_EXPERIMENT_VARIABLE = "MLFLOW_EXPERIMENT_NAME"
_ARTIFACTS = ("report.html", "run.json", "results.json", "results.tsv", "results.parquet")
_MAX_PARAM = 500  # characters; older servers refuse more
_MAX_BATCH = 1000  # metrics in a request
# MLflow 3 refuses a folder unless this is set; whoever names a folder here wants one. Its default
# of seven retries keeps a CI job waiting for minutes if the server is down.
_SETTINGS = {"MLFLOW_ALLOW_FILE_STORE": "true", "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "2"}


@dataclass(frozen=True)
class MlflowLog:
    """A tracking server, database or folder of MLflow.

    Attributes
    ----------
    uri
        The tracking URI: ``http://host:5000``, ``sqlite:///mlflow.db``, a folder; empty for that
        of the environment variable ``MLFLOW_TRACKING_URI``.
    """

    uri: str

    def check(self) -> None:
        """Raise an error if nothing could be logged, before anything is measured."""
        if find_spec("mlflow") is None:
            raise MissingExtra("--log mlflow", "mlflow")
        with self._client() as client:
            _experiment(client)

    def log_audit(self, audited: AuditResult, folder: Path) -> int:
        """Log a run for each source, below a parent run if there are several; return how many.

        The report and the results are artifacts of the first run.
        """
        sources = audited.about["sources"]
        params = _audit_params(audited)
        files = [folder / name for name in _ARTIFACTS if (folder / name).is_file()]
        with self._client() as client:
            parent = None
            if len(sources) > 1:
                title = f"audit of {len(sources)} sources"
                parent = _log_run(client, title, {}, params, files=files)
                files = []
            for source in sources:
                own = params | {"source": source["name"], "fingerprint": source["fingerprint"]}
                metrics = _audit_metrics(audited, source["name"])
                _log_run(client, source["name"], metrics, own, files=files, parent=parent)
        return len(sources) + (parent is not None)

    def log_check(self, checked: Check) -> int:
        """Log a run for each source of a check, with the record as an artifact; return how many."""
        policy = checked.policy.get("path") or ""
        with self._client() as client:
            for source in checked.sources:
                params = {
                    "weatherglass": checked.version,
                    "source": source["name"],
                    "fingerprint": source.get("fingerprint", ""),
                    "policy": policy,
                    "seed": checked.seed,
                }
                metrics = _check_metrics(checked, source["name"])
                texts = {"check.json": checked.to_json()}
                _log_run(client, source["name"], metrics, params, texts=texts)
        return len(checked.sources)

    @property
    def _absolute_uri(self) -> str | None:
        """The URI for MLflow, which would keep using a relative folder after a change of it."""
        is_folder = bool(self.uri) and ":" not in self.uri and self.uri != "databricks"
        return os.path.abspath(self.uri) if is_folder else self.uri or None

    @contextlib.contextmanager
    def _client(self) -> Iterator[Any]:
        """Give a client; turn the errors of MLflow and of the network into ours."""
        with _settings(), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # deprecations of MLflow's own dependencies
            from mlflow.tracking import MlflowClient

            try:
                yield MlflowClient(tracking_uri=self._absolute_uri)
            except Exception as error:  # MLflow lets through those of every library it uses
                reason = _without_password(" ".join(str(error).split()))[:300]
                place = quote_safe(_without_password(self.uri) or "MLFLOW_TRACKING_URI")
                raise CannotWrite(f"MLflow at {place} cannot be used: {reason}") from None


def _without_password(text: str) -> str:
    """Remove the user and the password from URLs.

    >>> _without_password("http://me:secret@host:5000/api failed")
    'http://host:5000/api failed'
    """
    return re.sub(r"//[^/@\s]+@", "//", text)


def parse_log(target: str) -> MlflowLog:
    """Return where ``--log`` points to.

    >>> parse_log("mlflow:sqlite:///runs.db")
    MlflowLog(uri='sqlite:///runs.db')
    """
    scheme, colon, uri = target.partition(":")
    if scheme != "mlflow" or not colon:
        raise UsageError(
            f"--log is {quote_safe(target)}; expected mlflow:URI, such as mlflow:http://host:5000, "
            "mlflow:sqlite:///mlflow.db or mlflow:FOLDER."
        )
    return MlflowLog(uri)


@contextlib.contextmanager
def _settings() -> Iterator[None]:
    """Set environment variables of MLflow that the user has not set, and remove them again."""
    added = {name: value for name, value in _SETTINGS.items() if name not in os.environ}
    os.environ.update(added)
    try:
        yield
    finally:
        for name in added:
            os.environ.pop(name, None)


def _experiment(client: Any) -> str:
    """Return the id of the experiment, which is created if it does not exist."""
    name = os.environ.get(_EXPERIMENT_VARIABLE) or EXPERIMENT
    experiment = client.get_experiment_by_name(name)
    return str(experiment.experiment_id if experiment else client.create_experiment(name))


def _log_run(
    client: Any,
    name: str,
    metrics: Mapping[str, float | None],
    params: Mapping[str, object],
    *,
    files: Iterable[Path] = (),
    texts: Mapping[str, str] | None = None,
    parent: str | None = None,
) -> str:
    """Log one run, and return its id."""
    from mlflow.entities import Metric, Param

    tags = {} if parent is None else {"mlflow.parentRunId": parent}
    run = client.create_run(_experiment(client), run_name=name, tags=tags)
    id, now = str(run.info.run_id), int(1000 * time.time())
    numbers = [
        Metric(_metric_name(key), float(value), now, 0)
        for key, value in metrics.items()
        if value is not None and math.isfinite(value)
    ]
    described = [Param(key, str(value)[:_MAX_PARAM]) for key, value in params.items()]
    client.log_batch(id, params=described)
    for start in range(0, len(numbers), _MAX_BATCH):
        client.log_batch(id, metrics=numbers[start : start + _MAX_BATCH])
    for path in files:
        client.log_artifact(id, str(path))
    for file, text in (texts or {}).items():
        client.log_text(id, text, file)
    client.set_terminated(id)
    return id


def _metric_name(name: str) -> str:
    """Replace characters that MLflow does not allow in the name of a metric.

    >>> _metric_name("my test?_effect")
    'my_test__effect'
    """
    return re.sub(r"[^A-Za-z0-9_.-]", "_", name)[:250]


def _audit_params(audited: AuditResult) -> dict[str, object]:
    about = audited.about
    suite = about.get("suite") or {}
    return {
        "weatherglass": about.get("weatherglass", __version__),
        "suite": suite.get("id", ""),
        "seed": about["options"].get("rng", 0),
        "command": about.get("command", ""),
    }


def _audit_metrics(audited: AuditResult, source: str) -> dict[str, float | None]:
    """Return the value, the interval and the p-values of every result on a source."""
    metrics: dict[str, float | None] = {}
    for result in audited.results:
        if result.source_name != source or not result.is_done:
            continue
        # A test is its own name, the same as in training; a measure of word sets has its own too.
        is_measure = result.section == "measures"
        name = f"{result.measure}_{result.test}" if is_measure else result.test
        interval = result.main_interval
        numbers = {
            "value" if is_measure else result.main_name.replace(" ", "_"): result.main_value,
            "p": result.main_p_for_finding,
            "p_corrected": result.p_finding,
            "low": interval.low if interval else None,
            "high": interval.high if interval else None,
        }
        metrics |= {f"{name}_{key}": value for key, value in numbers.items()}
    return metrics


def _check_metrics(checked: Check, source: str) -> dict[str, float | None]:
    """Return whether a source passed, and the numbers behind its verdicts."""
    verdicts = [verdict for verdict in checked.verdicts if verdict.source == source]
    metrics: dict[str, float | None] = {
        "passed": float(not any(verdict.level == "error" for verdict in verdicts))
    }
    for verdict in verdicts:
        metrics |= {f"{verdict.id}_{name}": value for name, value in verdict.numbers.items()}
    return metrics
