"""What each kind of step does with a source; a table, so that a new kind is one function."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any

from pydantic import TypeAdapter, ValidationError

from weatherglass.catalog import FactualTest, Step, Suite, Test, tests
from weatherglass.discovery import Discovery
from weatherglass.errors import CatalogError, UsageError
from weatherglass.measures import Results
from weatherglass.seedlab import Lint, Multiverse

from .sources import Source

_ANY_MEASURE = {"case": "auto", "max_missing": 0.2}

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
            made += [Task(step, source, suite, test) for test in _split(step)]
    return made


def _split(step: Step) -> list[str]:
    """The tests that are a task each."""
    if step.run != "multiverse":
        return [""]
    try:
        return [one.id for one in chosen_tests(step, Test)]
    except (CatalogError, UsageError):  # one task, which fails and says why
        return [""]


def perform(task: Task, rng: int, workers: int | None, progress: Progress) -> Payload:
    """Do a task."""
    return _KINDS[task.step.run](task, {"rng": rng, "workers": workers, "progress": progress})


def _weat(task: Task, given: dict[str, Any]) -> Results:
    from weatherglass.measures import weat

    return _each(task, chosen_tests(task.step, Test), weat, given)


def _wefat(task: Task, given: dict[str, Any]) -> Results:
    from weatherglass.measures import wefat

    return _each(task, chosen_tests(task.step, FactualTest), wefat, given)


def _each(
    task: Task, chosen: Sequence[Any], measure: Callable[..., Any], given: dict[str, Any]
) -> Results:
    options = _options(task.step, measure, given)
    method = options.pop("control", "none")
    if method != "none":
        options["control"] = task.source.controlled(method)
    made = []
    for k, test in enumerate(chosen):
        given["progress"](k, len(chosen))
        made.append(measure(task.source.vectors, test, **options))
    return Results.of(made)


def _measure(task: Task, given: dict[str, Any]) -> Results:
    from weatherglass.catalog import seeds
    from weatherglass.measures import measure, measure_named

    step = task.step
    known = {name: measure_named(name) for name in step.measures}
    takes = {name: one.options | _ANY_MEASURE for name, one in known.items()}
    for name in step.options:
        if not any(name in some for some in takes.values()):
            raise UsageError(f"The option {name} is none of those of {', '.join(known)}.")
    sets = {name: seeds(id) for name, id in step.sets.items()}
    called: dict[str, Any] = {"test": _slug(step.title), "title": step.title}
    made = []
    for k, (name, one) in enumerate(known.items()):
        given["progress"](k, len(known))
        needed = {need.name for need in one.needs}
        some = {side: words for side, words in sets.items() if one.further or side in needed}
        own = {option: text for option, text in step.options.items() if option in takes[name]}
        options = {"rng": given["rng"]} if "rng" in one.options else {}
        options |= _typed(own, takes[name])
        made.append(measure(task.source.vectors, name, some, **called, **options))
    return Results.of(made)


def _slug(title: str) -> str:
    return "-".join(title.lower().split())


def _seat(task: Task, given: dict[str, Any]) -> Results:
    from weatherglass.encoders import seat
    from weatherglass.measures import seat_test

    options = _options(task.step, seat_test, given)
    chosen = chosen_tests(task.step, Test)
    return seat(task.source.encoder, chosen, progress=given["progress"], **options)


def _multiverse(task: Task, given: dict[str, Any]) -> Multiverse:
    from weatherglass.seedlab import multiverse

    if not task.test:
        chosen_tests(task.step, Test)  # raises
    return multiverse(task.source.vectors, task.test, **_options(task.step, multiverse, given))


def _discovery(task: Task, given: dict[str, Any]) -> Discovery:
    from weatherglass.discovery import Options, discover

    try:
        options = TypeAdapter(Options).validate_python(task.step.options)
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(map(str, first["loc"]))
        raise UsageError(f"The option {name} of discovery is wrong: {first['msg']}.") from None
    return discover(task.source.vectors, **asdict(options) | given)


def _lint(task: Task, given: dict[str, Any]) -> Lint:
    from weatherglass.seedlab import lint

    options = _options(task.step, lint, given)
    return lint(used_sets(task.suite), source=task.source.vectors, **options)


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
        # What a step names and the catalogue does not have is told by that step.
        for id in step.sets.values():
            with suppress(CatalogError):
                found[id] = seeds(id)
        with suppress(CatalogError, UsageError):
            for test in chosen_tests(step, Test) if step.tests else ():
                for one in test.sets.values():
                    if one.words in words:
                        found[words[one.words].id] = words[one.words]
    return list(found.values())


def chosen_tests(step: Step, kind: type[Any]) -> list[Any]:
    """The tests of a kind that a step names."""
    found = [one for one in tests(*step.tests) if isinstance(one, kind)]
    if not found:
        wanted = "an association test" if kind is Test else "a factual test"
        raise UsageError(f"None of {', '.join(step.tests)} is {wanted}.")
    return found


def _options(step: Step, function: Callable[..., Any], given: dict[str, Any]) -> dict[str, Any]:
    """The options of a step for a function, with those of the audit that it takes."""
    taken = inspect.signature(function).parameters.values()
    known = {one.name: one.default for one in taken if one.kind is one.KEYWORD_ONLY}
    shared = {name: value for name, value in given.items() if name in known}
    return shared | _typed(step.options, known)


def _typed(options: dict[str, str], known: dict[str, Any]) -> dict[str, Any]:
    """Options of a YAML file, where all is text, as the defaults of the known ones are."""
    made: dict[str, Any] = {}
    for name, text in options.items():
        if name not in known:
            raise UsageError(f"The option {name} is not one of {', '.join(known)}.")
        default = known[name]
        try:
            like = TypeAdapter(type(default)) if default is not None else TypeAdapter(str)
            made[name] = like.validate_python(text)
        except ValidationError:
            raise UsageError(
                f"The option {name} is {text!r}; something like {default!r} was expected."
            ) from None
    return made
