"""What the encoders of an audit or of a policy would have to do, counted beforehand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from os import PathLike
from os.path import isfile, join

from weatherglass.catalog import NamedTests, Suite, Test
from weatherglass.encoders import Encoder, Workload, count_texts, needed_texts
from weatherglass.measures import valence_words

from .gate import PolicyFile
from .health import health_sentences
from .own_tests import find_suite
from .run_folder import RUN
from .sources import Given, parse_sources
from .steps import ranked_texts, step_texts


def count_suite_work(
    sources: Given | Sequence[Given],
    suite: str | PathLike[str] | Suite,
    tests: NamedTests | None = None,
    *,
    rng: int = 0,
    cache: bool = True,
) -> list[Workload]:
    """Count the sentences and requests of an audit, for every source that is an encoder.

    The sentences and words that show whether a source is sound are encoded first, then the
    sentences of each step.
    """
    chosen = find_suite(suite, tests)
    about_source = [health_sentences(), valence_words()]
    work = []
    for encoder in _encoders(sources, cache):
        calls = [step_texts(step, encoder, rng) for step in chosen.steps]
        work.append(count_texts(encoder, [*about_source, *filter(None, calls)]))
    return work


def count_policy_work(
    sources: Sequence[str],
    policy: PolicyFile,
    *,
    rng: int = 0,
    cache: bool = True,
    batch_size: int | None = None,
) -> list[Workload]:
    """Count the sentences and requests of a check, for sources that are encoders.

    The tests of all rules and controls are encoded together; then come the texts of retrieval
    audits. Folders of audits are not measured again.
    """
    named = [name for name in sources if not isfile(join(name, RUN))]
    chosen = [test for test in policy.all_tests(is_encoder=True) if isinstance(test, Test)]
    controls = policy.policy.controls
    work = []
    for encoder in _encoders(named, cache) if named else ():
        calls = [needed_texts(encoder, chosen).all] if chosen else []
        if controls is not None:
            calls.append(health_sentences())
            calls += [valence_words()] if controls.valence is not None else []
        rankings = [r.retrieval for r in policy.policy.rules if r.retrieval is not None]
        distinct = {repr(sorted(options.items())): options for options in rankings}
        calls += [ranked_texts(options, encoder, rng) for options in distinct.values()]
        work.append(count_texts(encoder, calls, batch_size))
    return work


def _encoders(sources: Given | Sequence[Given], cache: bool) -> list[Encoder]:
    parsed = [replace(source, cache=cache) for source in parse_sources(sources)]
    return [source.encoder for source in parsed if source.is_encoder]
