"""The pytest plug-in: a fixture that fails a test if a model violates a policy.

It is loaded by every run of pytest in an environment with Weatherglass, so it imports nothing until
the fixture is used.
"""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from weatherglass.auditing import Check

_SOURCE, _POLICY = "weatherglass_source", "weatherglass_policy"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the settings of the configuration file."""
    parser.addini(_SOURCE, "Default source of the fixture weatherglass_check.", default="")
    parser.addini(_POLICY, "Default policy of the fixture weatherglass_check.", default="")


@pytest.fixture
def weatherglass_check(request: pytest.FixtureRequest) -> Callable[..., Check]:
    """Return a function that checks a source against a policy, and fails the test if it must.

    It takes what `weatherglass.check` takes, and returns its result if the source passes. The
    settings ``weatherglass_source`` and ``weatherglass_policy`` of the configuration file are the
    defaults. Files are looked for in the working folder, then in the root folder of the tests.
    """
    config = request.config

    def check(source: Any = None, policy: Any = None, **options: Any) -> Check:
        import weatherglass

        # Hides this function from the traceback of an error; a failure has none.
        __tracebackhide__ = True
        given = _find(_choose(source, config, _SOURCE), config.rootpath)
        rules = _find(_choose(policy, config, _POLICY), config.rootpath)
        checked = weatherglass.check(given, rules, **options)
        # Reporters such as JUnit XML print the outcome beside the test.
        request.node.user_properties.append(("weatherglass", checked.sentence()))
        if not checked.passed:
            pytest.fail(_describe(checked), pytrace=False)
        return checked

    return check


def _choose(given: Any, config: pytest.Config, setting: str) -> Any:
    value = config.getini(setting) if given is None else given
    if isinstance(value, str) and not value:
        noun = setting.removeprefix("weatherglass_")
        pytest.fail(
            f"weatherglass_check needs a {noun}: give it one, or set {setting} in the "
            "configuration of pytest.",
            pytrace=False,
        )
    return value


def _find(given: Any, root: Path) -> Any:
    """Return the path of a file below the root folder, if there is none in the working folder."""
    if not isinstance(given, str | PathLike) or Path(given).exists():
        return given
    below = root / given
    return below if below.exists() else given


def _describe(checked: Check) -> str:
    """Return the outcome, and a line for each verdict that fails."""
    lines = [
        f"  {verdict.id} on {verdict.source}: {verdict.status}. {verdict.reason}"
        for verdict in checked.failures
    ]
    return "\n".join([checked.sentence(), *lines])
