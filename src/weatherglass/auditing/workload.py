"""What the encoders of an audit or of a policy would have to do, counted beforehand."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike

from weatherglass.catalog import Suite, Test, load_suite, tests
from weatherglass.encoders import Workload, count_work

from .policy import Policy
from .sources import Given, Source, parse_sources
from .steps import chosen_tests


def count_suite_work(
    sources: Given | Sequence[Given], suite: str | PathLike[str] | Suite
) -> list[Workload]:
    """Count the sentences and requests of an audit, for every source that is an encoder."""
    chosen = suite if isinstance(suite, Suite) else load_suite(suite)
    steps = [chosen_tests(step, Test) for step in chosen.steps if step.run == "seat"]
    encoders = (source.encoder for source in parse_sources(sources) if source.is_encoder)
    return [count_work(encoder, steps) for encoder in encoders]


def count_policy_work(source: Source, policy: Policy) -> list[Workload]:
    """Count the sentences and requests of the association tests of a policy, for an encoder."""
    if not source.is_encoder:
        return []
    wanted = [test for rule in policy.rules for test in tests(*rule.tests)]
    chosen = list({test.id: test for test in wanted if isinstance(test, Test)}.values())
    return [count_work(source.encoder, [chosen])]
