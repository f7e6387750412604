"""The kinds of steps of an audit, in a table: a new kind is one function."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any

from pydantic import TypeAdapter, ValidationError

from weatherglass.catalog import FactualTest, GroupsTest, Step, Suite, Test, choose_tests
from weatherglass.discovery import Discovery
from weatherglass.encoders import Encoder, needed_texts
from weatherglass.errors import CatalogError, UsageError
from weatherglass.measures import Results
from weatherglass.seedlab import Lint, Multiverse

from .sources import Source

MEASURE_DEFAULTS = {
    "case": "auto",
    "max_missing": 0.2,
    "allow_overlap": False,
    "control": "none",
}
"""Options that every measure has, with defaults that show their types."""

ENCODER_STEPS = ("seat", "retrieve")
"""The kinds of steps that need an encoder; all others need word vectors."""

Progress = Callable[[int, int], None]
Payload = Results | Discovery | Multiverse | Lint


@dataclass(frozen=True)
class Task:
    """A step on a source. A multiverse of several tests is a task for each of them."""

    step: Step
    source: Source
    suite: Suite
    test: str = ""

    @property
    def title(self) -> str:
        """The step's title, with the test if the step has a task for each test."""
        return f"{self.step.title}: {self.test}" if self.test else self.step.title


def list_tasks(suite: Suite, sources: Iterable[Source]) -> list[Task]:
    """List all tasks of an audit: source by source, steps in the order of the suite."""
    return [
        Task(step, source, suite, test)
        for source in sources
        for step in suite.steps
        if (step.run in ENCODER_STEPS) == source.is_encoder
        for test in _split(step)
    ]


def _split(step: Step) -> list[str]:
    """The ids of the tests that are a task each; a single empty id for the whole step."""
    if step.run != "multiverse":
        return [""]
    try:
        return [test.id for test in chosen_tests(step, Test)]
    except (CatalogError, UsageError):  # a single task, which fails and says why
        return [""]


def perform(task: Task, rng: int, workers: int | None, progress: Progress) -> Payload:
    """Run a task."""
    return _KINDS[task.step.run](task, {"rng": rng, "workers": workers, "progress": progress})


def _weat(task: Task, shared: dict[str, Any]) -> Results:
    from weatherglass.measures import generalised_weat, weat

    chosen = chosen_tests(task.step, Test | GroupsTest)
    several = [test for test in chosen if isinstance(test, GroupsTest)]
    pairs = [test for test in chosen if isinstance(test, Test)]
    results = [*_run_tests(task, pairs, weat, shared)] if pairs else []
    if several:
        # The options of a step are those of WEAT; a test of several groups takes those it has.
        known = inspect.signature(generalised_weat).parameters
        options = {name: text for name, text in task.step.options.items() if name in known}
        step = task.step.model_copy(update={"options": options})
        again = Task(step, task.source, task.suite, task.test)
        results += _run_tests(again, several, generalised_weat, shared)
    position = {test.id: place for place, test in enumerate(chosen)}
    return Results.of(sorted(results, key=lambda result: position[result.test]))


def _wefat(task: Task, shared: dict[str, Any]) -> Results:
    from weatherglass.measures import wefat

    return _run_tests(task, chosen_tests(task.step, FactualTest), wefat, shared)


def _run_tests(
    task: Task, chosen: Sequence[Any], measure: Callable[..., Any], shared: dict[str, Any]
) -> Results:
    options = _options(task.step, measure, shared)
    if "influence" in inspect.signature(measure).parameters:
        options.setdefault("influence", True)  # leave-one-out is evidence of a finding
    options["control"] = task.source.controls(options.pop("control", None) or "none") or None
    results = []
    for number, test in enumerate(chosen):
        shared["progress"](number, len(chosen))
        results.append(measure(task.source.embedding, test, **options))
    return Results.of(results)


def _measure(task: Task, shared: dict[str, Any]) -> Results:
    from weatherglass.catalog import seeds
    from weatherglass.measures import measure, measure_named

    step = task.step
    measures = {name: measure_named(name) for name in step.measures}
    accepted = {name: chosen.options | MEASURE_DEFAULTS for name, chosen in measures.items()}
    for option in step.options:
        if not any(option in options for options in accepted.values()):
            raise UsageError(f"No measure of {', '.join(measures)} has the option {option}.")
    sets = {name: seeds(id) for name, id in step.sets.items()}
    label: dict[str, Any] = {"test": _slug(step.title), "title": step.title}
    results = []
    for number, (name, chosen) in enumerate(measures.items()):
        shared["progress"](number, len(measures))
        needed = {need.name for need in chosen.needs}
        used = {side: words for side, words in sets.items() if chosen.further or side in needed}
        given = {option: text for option, text in step.options.items() if option in accepted[name]}
        options = {"rng": shared["rng"]} if "rng" in chosen.options else {}
        options |= convert_options(given, accepted[name])
        options["control"] = task.source.controls(options.pop("control", "none")) or None
        results.append(measure(task.source.embedding, name, used, **label, **options))
    return Results.of(results)


def _slug(title: str) -> str:
    return "-".join(title.lower().split())


def _seat(task: Task, shared: dict[str, Any]) -> Results:
    from weatherglass.encoders import seat, seat_test

    options = _options(task.step, seat_test, shared)
    chosen = chosen_tests(task.step, Test)
    return seat(task.source.encoder, chosen, progress=shared["progress"], **options)


def _retrieve(task: Task, shared: dict[str, Any]) -> Results:
    from weatherglass.retrieval import retrieve

    options = {"seed": shared["rng"], **retrieval_options(task.step.options)}
    return retrieve(task.source.encoder, progress=shared["progress"], **options).results


def retrieval_options(given: Mapping[str, str]) -> dict[str, Any]:
    """Return options of a retrieval audit, from those of a YAML file, where everything is text."""
    from weatherglass.retrieval import retrieve

    parameters = inspect.signature(retrieve).parameters.values()
    known = {p.name: p.default for p in parameters if isinstance(p.default, str | float | bool)}
    return convert_options(given, known | {"template": None})


def step_texts(step: Step, encoder: Encoder, rng: int) -> list[str]:
    """Return the texts that a step encodes; none if it is not about encoders."""
    if step.run == "seat":
        return needed_texts(encoder, chosen_tests(step, Test)).all
    return ranked_texts(step.options, encoder, rng) if step.run == "retrieve" else []


def ranked_texts(given: Mapping[str, str], encoder: Encoder, rng: int) -> list[str]:
    """Return the texts that a retrieval audit encodes, from its options in a YAML file."""
    from weatherglass.retrieval import retrieval_texts

    options = {"seed": rng, **retrieval_options(given)}
    options.pop("cache", None)  # it does not change the texts
    return retrieval_texts(encoder, **options)


def _multiverse(task: Task, shared: dict[str, Any]) -> Multiverse:
    from weatherglass.seedlab import multiverse

    if not task.test:
        chosen_tests(task.step, Test)  # raises what `_split` has suppressed
    test = next(test for test in chosen_tests(task.step, Test) if test.id == task.test)
    result: Multiverse = multiverse(
        task.source.embedding, test, **_options(task.step, multiverse, shared)
    )
    return result


def _discovery(task: Task, shared: dict[str, Any]) -> Discovery:
    from weatherglass.discovery import discover

    return discover(task.source.embedding, **discovery_options(task.step.options) | shared)


def discovery_options(given: Mapping[str, str]) -> dict[str, Any]:
    """Return all options of a discovery, from those of a YAML file, where everything is text."""
    from weatherglass.discovery import Options

    try:
        return asdict(TypeAdapter(Options).validate_python(dict(given)))
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(map(str, first["loc"]))
        raise UsageError(f"The option {name} of discovery is wrong: {first['msg']}.") from None


def _lint(task: Task, shared: dict[str, Any]) -> Lint:
    from weatherglass.seedlab import lint

    options = _options(task.step, lint, shared)
    return lint(used_sets(task.suite), source=task.source.embedding, **options)


_KINDS: dict[str, Callable[[Task, dict[str, Any]], Payload]] = {
    "weat": _weat,
    "wefat": _wefat,
    "measure": _measure,
    "seat": _seat,
    "retrieve": _retrieve,
    "multiverse": _multiverse,
    "discovery": _discovery,
    "lint": _lint,
}


def used_sets(suite: Suite) -> list[Any]:
    """The seed sets that the steps of a suite measure with, without repeats.

    They are those of the catalogue, and the sets of the user's own tests.
    """
    from weatherglass.catalog import SeedSet, seed_sets, seeds

    by_words = {seed_set.words: seed_set for seed_set in reversed(seed_sets()) if seed_set.words}
    used: dict[str, Any] = {}
    for step in suite.steps:
        # A name that the catalogue does not have is reported by the step that uses it.
        for id in step.sets.values():
            with suppress(CatalogError):
                used[id] = seeds(id)
        with suppress(CatalogError, UsageError):
            for test in chosen_tests(step, Test) if step.tests or step.own_tests else ():
                for side, word_set in test.sets.items():
                    known = by_words.get(word_set.words)
                    if known is None and test in step.own_tests:
                        id = f"{test.id}.{side}"
                        known = SeedSet(id=id, words=word_set.words, description=word_set.label)
                    if known is not None:
                        used[known.id] = known
    return list(used.values())


def chosen_tests(step: Step, kind: Any) -> list[Any]:
    """The tests of a kind that a step names: the user's own first."""
    # Of either kind: `choose_tests` refuses a test of another kind that is named by its id.
    named = choose_tests([*step.own_tests, *step.tests])
    chosen = [test for test in named if isinstance(test, kind)]
    if not chosen:
        wanted = "a factual test" if kind is FactualTest else "an association test"
        raise UsageError(f"None of {', '.join(test.id for test in named)} is {wanted}.")
    return chosen


def _options(step: Step, function: Callable[..., Any], shared: dict[str, Any]) -> dict[str, Any]:
    """The options of a step for a function, with those of the audit that the function has."""
    parameters = inspect.signature(function).parameters.values()
    known = {p.name: p.default for p in parameters if p.kind is p.KEYWORD_ONLY}
    return {name: value for name, value in shared.items() if name in known} | convert_options(
        step.options, known
    )


def convert_options(options: Mapping[str, str], known: Mapping[str, Any]) -> dict[str, Any]:
    """Convert options of a YAML file, where everything is text, to the types of the defaults."""
    converted: dict[str, Any] = {}
    for name, text in options.items():
        if name not in known:
            raise UsageError(f"The option {name} is not one of {', '.join(known)}.")
        default = known[name]
        try:
            adapter = TypeAdapter(type(default)) if default is not None else TypeAdapter(str)
            converted[name] = adapter.validate_python(text)
        except ValidationError:
            raise UsageError(
                f"The option {name} is {text!r}; expected a value such as {default!r}."
            ) from None
    return converted
