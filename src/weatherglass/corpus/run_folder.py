"""The folder of a training run: its options, and the state of each model.

`train.json` holds the options, the corpus and the state of each model. It is written atomically,
and a model counts as done when its own file exists and holds the key of the run; so a run that was
interrupted in any way resumes with the models that are left.
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

from weatherglass._files import lock_folder, report_write_errors, seal, write_text
from weatherglass._version import __version__
from weatherglass.errors import CannotWrite, UsageError, join_first, quote_safe

from .model_files import RECORD, SUFFIX, is_model, label_of, read_record
from .permutation import FOLDER as PERMUTED
from .permutation import Permuted, list_permuted
from .tokenizer import Tokenizer

Method = Literal["sgns", "ppmi-svd"]
DEFAULT_METHOD: Method = "ppmi-svd"
"""Needs nothing but the core packages, and is the faster one."""
VERSION = 2  # of the training algorithm; a run of another version is not resumed
_WORK = ".work"
_SGNS_OPTIONS = ("epochs", "negative", "sample")
_PPMI_OPTIONS = ("smoothing", "shift", "power")


@dataclass(frozen=True)
class Settings:
    """The options of a training run; see `train` for what they mean."""

    method: Method = DEFAULT_METHOD
    dim: int = 100
    window: int = 5
    min_count: int = 10
    epochs: int = 5
    by: str | None = None
    bins: str | None = None
    only: tuple[str, ...] = ()
    where: tuple[str, ...] = ()
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
            raise UsageError(f"method is {self.method!r}; it must be ppmi-svd or sgns.")
        for name in ("dim", "window", "min_count", "epochs", "negative"):
            if getattr(self, name) < 1:
                raise UsageError(f"{name} is {getattr(self, name)}; it must be at least 1.")
        for name in ("sample", "smoothing", "power", "seed", "min_size"):
            if not 0 <= getattr(self, name) < math.inf:
                raise UsageError(f"{name} is {getattr(self, name)}; it must be 0 or more.")
        if not 1 <= self.shift < math.inf:
            raise UsageError(f"shift is {self.shift}; it must be at least 1.")

    def relevant(self) -> dict[str, Any]:
        """Return the options that influence the models, without those of the other method."""
        unused = {*(_PPMI_OPTIONS if self.method == "sgns" else _SGNS_OPTIONS)}
        if self.by is None:
            unused.add("min_size")
        # The models of a group do not depend on which other groups were chosen.
        unused.add("only")
        unused |= {name for name in ("bins", "where") if not getattr(self, name)}
        return {name: value for name, value in asdict(self).items() if name not in unused}

    def key(self, fingerprint: str, label: str, groups: list[str]) -> str:
        """Return a key that identifies a model of these groups of a corpus."""
        content = json.dumps([VERSION, self.relevant(), fingerprint, label, groups], sort_keys=True)
        return hashlib.blake2b(content.encode(), digest_size=16).hexdigest()


class Run:
    """A training run in its folder.

    Parameters
    ----------
    folder
        Where the models are written; created if it does not exist.
    settings, bootstrap
        The options, and the number of bootstrap samples.
    corpus, fingerprint
        The name and the fingerprint of the corpus.
    permutations, against
        The number of permutations of every two groups, or of each group and `against`.

    Raises
    ------
    UsageError
        The folder holds something else, or a run with other options.
    """

    def __init__(
        self,
        folder: Path,
        settings: Settings,
        bootstrap: int,
        corpus: str,
        fingerprint: str,
        permutations: int = 0,
        against: str | None = None,
    ) -> None:
        self.folder, self._settings, self._fingerprint = folder, settings, fingerprint
        self._requested: dict[str, Any] = {
            "weatherglass": __version__,
            "version": VERSION,
            "corpus": {"source": corpus, "fingerprint": fingerprint},
            "options": settings.relevant(),
            "only": list(settings.only),
            "bootstrap": bootstrap,
        }
        self._permutations, self._against = permutations, against
        self._load()

    def __repr__(self) -> str:
        states = self.record["models"].values()
        done = sum(state == "done" for state in states)
        return f"<Run {self.folder}: {done:,} of {len(states):,} models done>"

    def _load(self) -> None:
        """Continue from the record of an earlier run, which must have the same options."""
        earlier = self._read_earlier()
        if earlier is not None:
            _check_same(self.folder, earlier, self._requested)
        state: dict[str, Any] = earlier or {"groups": {}, "notes": [], "models": {}}
        self.record = self._requested | {
            name: state[name] for name in ("groups", "notes", "models")
        }
        self.record["language"] = state.get("language")
        self._has_same_groups = state.get("only", []) == self.record["only"]
        # A folder may hold more permuted models than a later run asks for.
        self.record["permuted"] = state.get("permuted", {})

    def _read_earlier(self) -> dict[str, Any] | None:
        """Return the record of an earlier run in this folder, if it has a model."""
        if not self.folder.exists():
            return None
        if not self.folder.is_dir():
            raise UsageError(f"{self.folder} is a file; give a folder for the models.")
        if (self.folder / RECORD).exists():
            earlier = read_record(self.folder)
            has_models = any(self.path(label).exists() for label in earlier["models"])
            return earlier if has_models else None
        if any(not path.name.startswith(".") for path in self.folder.iterdir()):
            raise UsageError(
                f"{self.folder} is not empty, and its files are not from `weatherglass train`. "
                "Give a new folder."
            )
        return None

    @contextlib.contextmanager
    def locked(self) -> Iterator[Path]:
        """Lock the folder, and yield an empty folder inside it that is deleted at the end."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise CannotWrite(f"{self.folder} cannot be created: {error.strerror}.") from None
        with lock_folder(self.folder, "train"), report_write_errors(self.folder, reading=True):
            self._load()  # another run may have ended just now
            work = self.folder / _WORK
            self._remove_leftovers()
            work.mkdir()
            try:
                yield work
            finally:
                self._remove_leftovers()

    def finish_killed(self) -> None:
        """Record that all models are done, and clean up, if an earlier run was killed before."""
        states = [*self.record["models"].values()]
        states += [self.record["permuted"].get(label) for label in self.permuted()]
        if (self.folder / _WORK).exists() or any(state != "done" for state in states):
            with self.locked():
                self.record["models"] = dict.fromkeys(self.record["models"], "done")
                self.record["permuted"] |= dict.fromkeys(self.permuted(), "done")
                self.save()

    def _remove_leftovers(self) -> None:
        """Delete the temporary files of workers that were killed."""
        shutil.rmtree(self.folder / _WORK, ignore_errors=True)
        for path in self.folder.rglob(f".*{SUFFIX}.*"):
            path.unlink(missing_ok=True)

    def set_language(self, language: str | None) -> None:
        """Record the language of the corpus, if it is stated and was not before."""
        if language is not None and self.record["language"] != language:
            with self.locked():
                self.record["language"] = language
                self.save()

    def save(self) -> None:
        """Write the record."""
        write_text(self.folder / RECORD, seal(self.record, indent=1) + "\n")

    def plan(self, groups: dict[str, dict[str, Any]]) -> None:
        """Record the groups, and choose the folder and the models of those not left out."""
        used_names = {PERMUTED}
        self.record["groups"] = groups
        models: dict[str, str] = {}
        for name, group in groups.items():
            if "reason" in group:
                continue
            group["folder"] = folder_name(name, used_names) if self._settings.by is not None else ""
            used_names.add(group["folder"])
            # Each sample of a single document would be that document.
            count = self.record["bootstrap"] if group["documents"] > 1 else 0
            for sample in (None, *range(count)):
                models[label_of(group["folder"], sample)] = "waiting"
        permuted = self.record["permuted"] | dict.fromkeys(self.permuted(), "waiting")
        self.record |= {"models": models, "permuted": permuted}
        for states in (models, permuted):
            states |= {label: "done" for label in states if self.is_done(label)}
        self.save()

    def permuted(self) -> dict[str, Permuted]:
        """Return the permuted models that were requested, by label."""
        return list_permuted(self.record["groups"], self._permutations, self._against)

    def path(self, label: str) -> Path:
        """Return the file of a model."""
        return self.folder / f"{label}{SUFFIX}"

    def key(self, label: str) -> str:
        """Return the key that the file of a model of this run holds."""
        folder = label.rpartition("/")[0]
        names = {group.get("folder"): name for name, group in self.record["groups"].items()}
        if folder not in names:  # of two groups whose documents were exchanged
            folder = folder.removeprefix(f"{PERMUTED}/")
        groups = [names[part] for part in ([folder] if folder in names else folder.split("+"))]
        return self._settings.key(self._fingerprint, label, groups)

    def is_done(self, label: str) -> bool:
        """Return whether a model is trained."""
        return is_model(self.path(label), self.key(label))

    @property
    def is_complete(self) -> bool:
        """Whether no model is left to train, so that the corpus need not be read."""
        groups = [group for group in self.record["groups"].values() if "reason" not in group]
        per_group = 1 + self.record["bootstrap"]
        expected = sum(per_group if group["documents"] > 1 else 1 for group in groups)
        models = self.record["models"]
        if not self._has_same_groups or not groups or len(models) != expected:
            return False
        return all(map(self.is_done, [*models, *self.permuted()]))


def _check_same(folder: Path, earlier: dict[str, Any], requested: dict[str, Any]) -> None:
    """Refuse to mix models of different options in one folder. Bootstraps can be added."""
    remedy = f"Give another folder, or delete {folder} to start again."
    if earlier.get("version") != requested["version"]:
        raise UsageError(f"{folder} was trained by another version of Weatherglass. {remedy}")
    old, new = earlier.get("options", {}), requested["options"]
    for name in dict.fromkeys((*new, *old)):
        value = json.loads(json.dumps(new.get(name)))
        if old.get(name) != value:
            option = name.replace("_", "-")
            raise UsageError(
                f"{folder} holds models that were trained with {option} "
                f"{_format_value(old.get(name))}, not {_format_value(value)}: give the same "
                f"{option} to use them, or another folder to train others."
            )
    if earlier.get("corpus", {}).get("fingerprint") != requested["corpus"]["fingerprint"]:
        raise UsageError(
            f"{folder} holds models of another corpus, or the corpus has changed. {remedy}"
        )
    if earlier.get("bootstrap", 0) > requested["bootstrap"]:
        raise UsageError(
            f"{folder} was trained with {earlier['bootstrap']} bootstraps, and now you ask for "
            f"{requested['bootstrap']}: you can add bootstraps, not remove them. {remedy}"
        )


def _format_value(value: Any) -> str:
    if isinstance(value, list):
        return join_first(map(quote_safe, value))
    return "none" if value is None else quote_safe(value) if isinstance(value, str) else str(value)


def folder_name(group: str, used_names: set[str]) -> str:
    r"""Return a name for the folder of a group that is valid on every file system.

    >>> folder_name("../F\x00", set()), folder_name("F", {"f"})
    ('F', 'F-2')
    """
    name = re.sub(r"[^\w.-]+", "_", group)[:60].strip("._- ") or "group"
    # Some file systems ignore case.
    used_lowered = {used.lower() for used in used_names}
    unique_name, number = name, 1
    while unique_name.lower() in used_lowered:
        number += 1
        unique_name = f"{name}-{number}"
    return unique_name
