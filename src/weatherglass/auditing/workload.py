"""What the encoders of an audit or of a policy would have to do, counted beforehand."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from os.path import isfile, join

from weatherglass.catalog import Suite, Test, load_suite
from weatherglass.encoders import Workload, count_work

from .gate import PolicyFile
from .run_folder import RUN
from .sources import Given, parse_sources
from .steps import chosen_tests


def count_suite_work(
    sources: Given | Sequence[Given], suite: str | PathLike[str] | Suite
) -> list[Workload]:
    """Count the sentences and requests of an audit, for every source that is an encoder."""
    chosen = suite if isinstance(suite, Suite) else load_suite(suite)
    steps = [chosen_tests(step, Test) for step in chosen.steps if step.run == "seat"]
    encoders = (source.encoder for source in parse_sources(sources) if source.is_encoder)
    return [count_work(encoder, steps) for encoder in encoders]


def count_policy_work(sources: Sequence[str], policy: PolicyFile) -> list[Workload]:
    """Count the sentences and requests of the rules of a policy, for sources that are encoders.

    Folders of audits are not measured again.
    """
    wanted = [test for tests in policy.rule_tests for test in tests]
    chosen = list({test.id: test for test in wanted if isinstance(test, Test)}.values())
    named = [name for name in sources if not isfile(join(name, RUN))]
    parsed = parse_sources(named) if named else []
    return [count_work(source.encoder, [chosen]) for source in parsed if source.is_encoder]
