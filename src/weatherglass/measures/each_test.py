"""One test or several: what every function that runs a test does with the tests it is given."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from os import PathLike
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar, overload

from weatherglass.catalog import AnyTest, NamedTest, choose_tests, names_one_test

from .measurement import Measurement
from .result_set import Results

P = ParamSpec("P")
SourceT = TypeVar("SourceT")
SourceT_contra = TypeVar("SourceT_contra", contravariant=True)
TestT = TypeVar("TestT")
ResultT = TypeVar("ResultT")
MeasuredT = TypeVar("MeasuredT", bound=Measurement)
ResultT_co = TypeVar("ResultT_co", covariant=True)
SetT_co = TypeVar("SetT_co", covariant=True)


class RunsTests(Protocol[SourceT_contra, P, ResultT_co, SetT_co]):
    """A function of a source and of one test, or several, with its options.

    A text is an id of the catalogue and gives one result, or names a file or pattern and gives
    several; only the call itself can tell.
    """

    @overload
    def __call__(
        self, source: SourceT_contra, test: AnyTest, /, *args: P.args, **options: P.kwargs
    ) -> ResultT_co: ...

    @overload
    def __call__(
        self, source: SourceT_contra, test: str, /, *args: P.args, **options: P.kwargs
    ) -> Any: ...

    @overload
    def __call__(
        self,
        source: SourceT_contra,
        test: PathLike[str] | Iterable[NamedTest],
        /,
        *args: P.args,
        **options: P.kwargs,
    ) -> SetT_co: ...


def correct_all(results: Iterable[Any]) -> Results:
    """Return a result set whose p-values are corrected over all of its tests."""
    return Results.of(results).correct()


def each_test(
    kind: Any,
) -> Callable[
    [Callable[Concatenate[SourceT, TestT, P], MeasuredT]],
    RunsTests[SourceT, P, MeasuredT, Results[MeasuredT]],
]:
    """Let a function that runs one test take anything that names tests of a kind.

    Its parameter ``test`` may then also be the id of a test in the catalogue, which gives one
    result, or several tests, a pattern or a file, which give a result set, corrected over its
    tests.
    """

    def decorate(
        run: Callable[Concatenate[SourceT, TestT, P], MeasuredT],
    ) -> RunsTests[SourceT, P, MeasuredT, Results[MeasuredT]]:
        runs: RunsTests[SourceT, P, MeasuredT, Results[MeasuredT]]
        runs = _run_each(run, kind, correct_all)
        return runs

    return decorate


def each_test_in_tuple(
    kind: Any,
) -> Callable[
    [Callable[Concatenate[SourceT, TestT, P], ResultT]],
    RunsTests[SourceT, P, ResultT, tuple[ResultT, ...]],
]:
    """Like `each_test`, for results that are not part of a result set: several are a tuple."""

    def decorate(
        run: Callable[Concatenate[SourceT, TestT, P], ResultT],
    ) -> RunsTests[SourceT, P, ResultT, tuple[ResultT, ...]]:
        runs: RunsTests[SourceT, P, ResultT, tuple[ResultT, ...]] = _run_each(run, kind, tuple)
        return runs

    return decorate


def _run_each(run: Callable[..., Any], kind: Any, combine: Callable[[list[Any]], Any]) -> Any:
    signature = inspect.signature(run)

    @functools.wraps(run)
    def run_each(*args: Any, **options: Any) -> Any:
        call = signature.bind(*args, **options)
        named = call.arguments["test"]
        results = []
        for test in choose_tests(named, kind):
            call.arguments["test"] = test
            results.append(run(*call.args, **call.kwargs))
        return results[0] if names_one_test(named) else combine(results)

    parameters = [
        parameter.replace(annotation="NamedTests") if name == "test" else parameter
        for name, parameter in signature.parameters.items()
    ]
    run_each.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    return run_each
