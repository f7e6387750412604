"""A folder of models that is being trained: what is asked for, what is done, what is left.

`train.json` holds the options, the corpus and the state of each model. It is written whole, and a
model counts as done when its own file is there and has the key of the run; so a run that was
stopped in any way goes on with what is left.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import re
import shutil
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

from weatherglass._files import lock_folder, report_write_errors, write_text
from weatherglass._version import __version__
from weatherglass.errors import CannotWrite, UsageError, quote_safe

from .model_files import RECORD, SUFFIX, is_model, label_of, read_record
from .tokenizer import Tokenizer

Method = Literal["sgns", "ppmi-svd"]
VERSION = 1  # of what training does; models of another version are not gone on with
_SGNS = ("epochs", "negative", "sample")
_PPMI = ("smoothing", "shift", "power")


@dataclass(frozen=True)
class Settings:
    """The options of a training run; see `train` for what they mean."""

    method: Method = "sgns"
    dim: int = 100
    window: int = 5
    min_count: int = 10
    epochs: int = 5
    by: str | None = None
    min_size: int = 10_000
    seed: int = 0
    negative: int = 5
    sample: float = 1e-3
    smoothing: float = 0.75
    shift: float = 1.0
    power: float = 0.5
    tokenizer: Tokenizer = field(default_factory=Tokenizer)

    def __post_init__(self) -> None:
        if self.method not in get_args(Method):
            raise UsageError(f"method is {self.method!r}; it must be sgns or ppmi-svd.")
        for name in ("dim", "window", "min_count", "epochs", "negative"):
            if getattr(self, name) < 1:
                raise UsageError(f"{name} is {getattr(self, name)}; it must be at least 1.")
        for name in ("sample", "smoothing", "power", "seed", "min_size"):
            if not 0 <= getattr(self, name) < math.inf:
                raise UsageError(f"{name} is {getattr(self, name)}; it must be 0 or more.")
        if not 1 <= self.shift < math.inf:
            raise UsageError(f"shift is {self.shift}; it must be at least 1.")

    def deciding(self) -> dict[str, Any]:
        """The options that decide what is trained: not those of the other method."""
        unused = {*(_PPMI if self.method == "sgns" else _SGNS)}
        if self.by is None:
            unused.add("min_size")
        return {name: value for name, value in asdict(self).items() if name not in unused}

    def key(self, fingerprint: str, label: str) -> str:
        """What tells a model of this run, on this corpus, from any other one."""
        told = json.dumps([VERSION, self.deciding(), fingerprint, label], sort_keys=True)
        return hashlib.blake2b(told.encode(), digest_size=16).hexdigest()


_WORK = ".work"


class Run:
    """One training run in its folder.

    Parameters
    ----------
    folder
        Where the models go. It is made if need be.
    settings, bootstrap
        What is asked for.
    corpus, fingerprint
        The name and the content of the corpus.

    Raises
    ------
    UsageError
        The folder holds something else, or a run with other options.
    """

    def __init__(
        self, folder: Path, settings: Settings, bootstrap: int, corpus: str, fingerprint: str
    ) -> None:
        self.folder, self._settings, self._fingerprint = folder, settings, fingerprint
        self._asked: dict[str, Any] = {
            "weatherglass": __version__,
            "version": VERSION,
            "corpus": {"source": corpus, "fingerprint": fingerprint},
            "options": settings.deciding(),
            "bootstrap": bootstrap,
        }
        self._take_up()

    def _take_up(self) -> None:
        """Begin with what an earlier run has left, if it is one of the same kind."""
        before = self._before()
        if before is not None:
            _check_same(self.folder, before, self._asked)
        known: dict[str, Any] = before or {"groups": {}, "notes": [], "models": {}}
        self.record = self._asked | {name: known[name] for name in ("groups", "notes", "models")}

    def _before(self) -> dict[str, Any] | None:
        if not self.folder.exists():
            return None
        if not self.folder.is_dir():
            raise UsageError(f"{self.folder} is a file; give a folder for the models.")
        if (self.folder / RECORD).exists():
            before = read_record(self.folder)
            begun = any(self.path(label).exists() for label in before["models"])
            return before if begun else None
        if any(not path.name.startswith(".") for path in self.folder.iterdir()):
            raise UsageError(
                f"{self.folder} is not empty, and what is in it was not trained by "
                "`weatherglass train`. Give a new folder."
            )
        return None

    @contextlib.contextmanager
    def working(self) -> Iterator[Path]:
        """Hold the folder, and give an empty one inside it that goes at the end."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise CannotWrite(f"{self.folder} cannot be made: {error.strerror}.") from None
        with lock_folder(self.folder, "train"), report_write_errors(self.folder, reading=True):
            self._take_up()  # another run may have ended just now
            work = self.folder / _WORK
            self._sweep()
            work.mkdir()
            try:
                yield work
            finally:
                self._sweep()

    def settle(self) -> None:
        """Of a run that was killed at its very end, note what is done and sweep up after it."""
        models = self.record["models"]
        if (self.folder / _WORK).exists() or any(state != "done" for state in models.values()):
            with self.working():
                self.record["models"] = dict.fromkeys(self.record["models"], "done")
                self.save()

    def _sweep(self) -> None:
        """Delete what workers that were killed have left behind."""
        shutil.rmtree(self.folder / _WORK, ignore_errors=True)
        for path in self.folder.rglob(f".*{SUFFIX}.*"):
            path.unlink(missing_ok=True)

    def save(self) -> None:
        """Write what is known."""
        write_text(self.folder / RECORD, json.dumps(self.record, indent=1) + "\n")

    def plan(self, groups: dict[str, dict[str, Any]]) -> None:
        """Note the groups; those that are not left out get their folder and their models."""
        taken: set[str] = set()
        self.record["groups"] = groups
        models: dict[str, str] = {}
        for name, about in groups.items():
            if "reason" in about:
                continue
            about["folder"] = folder_name(name, taken) if self._settings.by is not None else ""
            taken.add(about["folder"])
            # One document drawn from one document is no sample.
            count = self.record["bootstrap"] if about["documents"] > 1 else 0
            for sample in (None, *range(count)):
                models[label_of(about["folder"], sample)] = "waiting"
        self.record["models"] = models
        for label in models:
            if self.is_done(label):
                models[label] = "done"
        self.save()

    def path(self, label: str) -> Path:
        """The file of a model."""
        return self.folder / f"{label}{SUFFIX}"

    def key(self, label: str) -> str:
        """What its file must hold to be the model of this run."""
        return self._settings.key(self._fingerprint, label)

    def is_done(self, label: str) -> bool:
        """Whether a model is there."""
        return is_model(self.path(label), self.key(label))

    @property
    def complete(self) -> bool:
        """Whether nothing is left to train, so that the corpus need not be read."""
        groups = [one for one in self.record["groups"].values() if "reason" not in one]
        asked = 1 + self.record["bootstrap"]
        wanted = sum(asked if one["documents"] > 1 else 1 for one in groups)
        models = self.record["models"]
        return bool(groups) and len(models) == wanted and all(map(self.is_done, models))


def _check_same(folder: Path, before: dict[str, Any], asked: dict[str, Any]) -> None:
    """Refuse to mix models of two kinds in one folder. More bootstraps can be added."""
    again = f"Give another folder, or delete {folder} to begin again."
    if before.get("version") != asked["version"]:
        raise UsageError(f"{folder} was trained by another version of Weatherglass. {again}")
    old, new = before.get("options", {}), asked["options"]
    for name, value in new.items():
        if old.get(name) != json.loads(json.dumps(value)):
            raise UsageError(
                f"{folder} holds models that were trained with {name} {_said(old.get(name))}, not "
                f"{_said(value)}. {again}"
            )
    if before.get("corpus", {}).get("fingerprint") != asked["corpus"]["fingerprint"]:
        raise UsageError(f"{folder} holds models of another corpus, or this one changed. {again}")
    if before.get("bootstrap", 0) > asked["bootstrap"]:
        raise UsageError(
            f"{folder} was asked for {before['bootstrap']} bootstraps, now for "
            f"{asked['bootstrap']}: there can be more later, not fewer. {again}"
        )


def _said(value: Any) -> str:
    return "none" if value is None else quote_safe(value) if isinstance(value, str) else str(value)


def folder_name(group: str, taken: set[str]) -> str:
    r"""A name for the folder of a group that no file system stumbles over.

    >>> folder_name("../F\x00", set()), folder_name("F", {"f"})
    ('F', 'F-2')
    """
    name = re.sub(r"[^\w.-]+", "_", group)[:60].strip("._- ") or "group"
    lowered = {one.lower() for one in taken}
    chosen, number = name, 1
    while chosen.lower() in lowered:
        number += 1
        chosen = f"{name}-{number}"
    return chosen
