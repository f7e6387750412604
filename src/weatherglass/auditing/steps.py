"""What each kind of step does with a source; a table, so that a new kind is one function."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from pydantic import TypeAdapter, ValidationError

from weatherglass.catalog import FactualTest, Test, tests
from weatherglass.catalog.suites import Step, Suite
from weatherglass.discovery import Discovery
from weatherglass.errors import UsageError
from weatherglass.measures import Results
from weatherglass.seedlab.findings import Lint
from weatherglass.seedlab.multiverse_record import Multiverse

from .sources import Source

Progress = Callable[[int, int], None]
Payload = Results | Discovery | Multiverse | Lint


@dataclass(frozen=True)
class Task:
    """One step on one source. A multiverse of several tests is a task for each."""

    step: Step
    source: Source
    suite: Suite
    test: str = ""

    @property
    def title(self) -> str:
        """The step's title, and the test where there is one for each."""
        return f"{self.step.title}: {self.test}" if self.test else self.step.title


def tasks(suite: Suite, sources: Iterable[Source]) -> list[Task]:
    """All that is to be done: sources one after another, steps in the order of the suite."""
    made = []
    for source in sources:
        for step in suite.steps:
            if (step.run == "seat") != source.is_encoder:
                continue
            split = [one.id for one in _chosen(step, Test)] if step.run == "multiverse" else [""]
            made += [Task(step, source, suite, test) for test in split]
    return made


def perform(task: Task, rng: int, workers: int | None, progress: Progress) -> Payload:
    """Do a task."""
    return _KINDS[task.step.run](task, {"rng": rng, "workers": workers, "progress": progress})


def _weat(task: Task, given: dict[str, Any]) -> Results:
    from weatherglass.measures.weat import weat

    return _each(task, _chosen(task.step, Test), weat, given)


def _wefat(task: Task, given: dict[str, Any]) -> Results:
    from weatherglass.measures.wefat import wefat

    return _each(task, _chosen(task.step, FactualTest), wefat, given)


def _each(
    task: Task, chosen: Sequence[Any], measure: Callable[..., Any], given: dict[str, Any]
) -> Results:
    options = _options(task.step, measure, given)
    if options.get("control") == "auto":
        options["control"] = task.source.controlled
    made = []
    for k, test in enumerate(chosen):
        given["progress"](k, len(chosen))
        made.append(measure(task.source.vectors, test, **options))
    return Results.of(made)


def _measure(task: Task, given: dict[str, Any]) -> Results:
    from weatherglass.catalog import seeds
    from weatherglass.measures.measuring import measure
    from weatherglass.measures.registry import measure_named

    step = task.step
    sets = {name: seeds(id) for name, id in step.sets.items()}
    made = []
    for k, name in enumerate(step.measures):
        given["progress"](k, len(step.measures))
        needed = {one.name for one in measure_named(name).needs}
        some = {side: words for side, words in sets.items() if side in needed}
        made.append(
            measure(task.source.vectors, name, some, test=_slug(step.title), title=step.title)
        )
    return Results.of(made)


def _slug(title: str) -> str:
    return "-".join(title.lower().split())


def _seat(task: Task, given: dict[str, Any]) -> Results:
    from weatherglass.encoders.seat import seat

    chosen = _chosen(task.step, Test)
    return seat(task.source.encoder, chosen, progress=given["progress"], rng=given["rng"])


def _multiverse(task: Task, given: dict[str, Any]) -> Multiverse:
    from weatherglass.seedlab.multiverse import multiverse

    return multiverse(task.source.vectors, task.test, **_options(task.step, multiverse, given))


def _discovery(task: Task, given: dict[str, Any]) -> Discovery:
    from weatherglass.discovery import Options
    from weatherglass.discovery.discover import discover

    try:
        options = TypeAdapter(Options).validate_python(task.step.options)
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(map(str, first["loc"]))
        raise UsageError(f"The option {name} of discovery is wrong: {first['msg']}.") from None
    return discover(task.source.vectors, **asdict(options) | given)


def _lint(task: Task, given: dict[str, Any]) -> Lint:
    from weatherglass.seedlab.lint import lint

    return lint(used_sets(task.suite), source=task.source.vectors, rng=given["rng"])


_KINDS: dict[str, Callable[[Task, dict[str, Any]], Payload]] = {
    "weat": _weat,
    "wefat": _wefat,
    "measure": _measure,
    "seat": _seat,
    "multiverse": _multiverse,
    "discovery": _discovery,
    "lint": _lint,
}


def used_sets(suite: Suite) -> list[Any]:
    """The seed sets of the catalogue that the steps of a suite measure with, each once."""
    from weatherglass.catalog import seed_sets, seeds

    words = {one.words: one for one in reversed(seed_sets()) if one.words}
    found: dict[str, Any] = {}
    for step in suite.steps:
        for id in step.sets.values():
            found[id] = seeds(id)
        for test in _chosen(step, Test) if step.tests else ():
            for one in test.sets.values():
                if one.words in words:
                    found[words[one.words].id] = words[one.words]
    return list(found.values())


def _chosen(step: Step, kind: type[Any]) -> list[Any]:
    return [one for one in tests(*step.tests) if isinstance(one, kind)]


def _options(step: Step, function: Callable[..., Any], given: dict[str, Any]) -> dict[str, Any]:
    """The options of a step for a function, with those of the audit that it takes."""
    taken = inspect.signature(function).parameters
    return {name: value for name, value in given.items() if name in taken} | _typed(
        step.options, function
    )


def _typed(options: dict[str, str], function: Callable[..., Any]) -> dict[str, Any]:
    """Options of a YAML file, where all is text, as the function's defaults are."""
    known = inspect.signature(function).parameters
    made: dict[str, Any] = {}
    for name, text in options.items():
        if name not in known:
            raise UsageError(f"The option {name} is not one of {', '.join(known)}.")
        default = known[name].default
        try:
            like = TypeAdapter(type(default)) if default is not None else TypeAdapter(str)
            made[name] = like.validate_python(text)
        except ValidationError:
            raise UsageError(
                f"The option {name} is {text!r}; something like {default!r} was expected."
            ) from None
    return made
