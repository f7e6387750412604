"""`check`: judge sources by a policy."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from os import PathLike, fspath
from os.path import isfile, join
from pathlib import Path
from typing import Any

from weatherglass.catalog import NamedTests
from weatherglass.errors import (
    PolicyError,
    UsageError,
    WeatherglassError,
    quote_safe,
)
from weatherglass.measures import Source as AnySource
from weatherglass.report import AuditResult

from ..run_folder import RUN, open_audit
from ..sources import Source, list_sources, parse_sources
from .controls import judge_controls
from .policy import Policy, Rule
from .policy_file import PolicyFile, as_policy_file
from .record import Check, Level, Status, Verdict
from .rules import Judgement, judge_rule
from .subjects import AuditedSource, OpenSource, Subject, UnopenedSource
from .wording import finding_text, waiver_clause

Checked = AnySource | Mapping[str, Any]
Progress = Callable[[int, int, str], None]


def check(
    sources: Checked | Sequence[Checked],
    policy: str | PathLike[str] | Mapping[str, Any] | Policy | PolicyFile,
    *,
    tests: NamedTests = (),
    baseline: str | PathLike[str] | None = None,
    rng: int = 0,
    workers: int | None = None,
    batch_size: int | None = None,
    cluster: str | None = None,
    cache: bool = True,
    today: datetime.date | None = None,
    progress: Progress | None = None,
) -> Check:
    """Check sources against a policy.

    Parameters
    ----------
    sources
        One source or several, of any kind (see `as_source`); and folders of audits, whose results
        are judged without measuring anything again.
    policy
        A YAML file with rules, or the same as a mapping.
    tests
        Tests of your own, which the rules name by their ids: files, tests, or several of these.
    baseline
        The folder of the audit that relative rules compare with; by default the one that the
        policy names.
    rng
        Random seed.
    cache
        Whether the sentences of encoders are read from the cache and saved there.
    workers, batch_size, cluster
        Threads, sentences per call of an encoder, and the Dask cluster that encodes sentences, as
        for `weatherglass.seat`.
    today
        The date that decides which waivers have expired; today's by default.
    progress
        Called with the number of sources done, their total, and the name of the next.

    Returns
    -------
    Check
        The verdicts, and everything that is needed to repeat them. A source that cannot be opened
        has verdicts, too: ``not run``, with the reason.

    Raises
    ------
    PolicyError
        The policy is wrong.

    Examples
    --------
    >>> import weatherglass as wg
    >>> policy = {"rules": [{"tests": ["weat6"], "effect": 1.8, "p": 0.05}]}
    >>> checked = wg.check("default", policy)
    >>> checked.passed
    True
    >>> print(checked.verdicts[-1].sentence)
    effect 1.71, two-sided p 1.6e-04; the limit is 1.8 in either direction with p ≤ 0.05.
    """
    file = as_policy_file(policy, tests)
    measuring = {
        "rng": rng,
        "workers": workers,
        "batch_size": batch_size,
        "cluster": cluster,
    }
    openers = _list_sources(sources, measuring, cache)
    reference = _open_baseline(file, baseline)
    verdicts: list[Verdict] = []
    described: list[dict[str, Any]] = []
    for number, (name, opener, is_encoder) in enumerate(openers):
        if progress is not None:
            progress(number, len(openers), name)
        subject, description = _open(name, opener, is_encoder)
        described.append(description)
        before = _find_source(reference, name, len(openers)) if reference else None
        verdicts += _judge(file, subject, before, today or datetime.date.today())
    return Check(
        tuple(verdicts),
        tuple(described),
        {
            "file": fspath(file.path) if file.path else "",
            "sha256": file.sha256,
            "tests": dict(file.own_files),
            "content": file.policy.model_dump(mode="json"),
        },
        _describe_baseline(reference),
        rng,
        datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
    )


Opener = Callable[[], Subject]


def _list_sources(
    given: Checked | Sequence[Checked], measuring: Mapping[str, Any], cache: bool
) -> list[tuple[str, Opener, bool]]:
    """Return the name of each source, a function that opens it, and whether it is an encoder."""
    items = list_sources(given)
    named: list[tuple[str, Opener, bool]] = []
    for item in items:
        if isinstance(item, str | PathLike) and isfile(join(item, RUN)):
            named += _audited(open_audit(item), Path(item))
        else:
            parsed = [replace(source, cache=cache) for source in parse_sources([item])]
            named += [(s.name, _opener(s, measuring), s.is_encoder) for s in parsed]
    names = [name for name, *_ in named]
    duplicate = next((name for name in names if names.count(name) > 1), None)
    if duplicate is not None:
        raise UsageError(f"Name each source once: {quote_safe(duplicate)} is a duplicate.")
    if not named:
        raise UsageError("Name at least one source.")
    return named


def _audited(audited: AuditResult, folder: Path) -> list[tuple[str, Opener, bool]]:
    def opener(name: str) -> Opener:
        return lambda: AuditedSource(name, audited, folder)

    return [
        (source["name"], opener(source["name"]), source.get("kind") == "encoder")
        for source in audited.about["sources"]
    ]


def _opener(source: Source, measuring: Mapping[str, Any]) -> Opener:
    def open_it() -> Subject:
        opened = source.encoder if source.is_encoder else source.embedding
        return OpenSource(source.name, opened, **measuring)

    return open_it


def _open(name: str, opener: Opener, is_encoder: bool) -> tuple[Subject, dict[str, Any]]:
    """Open a source and describe it, which is when an endpoint is asked for the first time."""
    try:
        subject = opener()
        return subject, subject.describe()
    except UsageError:
        raise
    except WeatherglassError as error:
        unopened = UnopenedSource(name, str(error), is_encoder)
    except OSError as error:
        unopened = UnopenedSource(name, f"{error.strerror or error}", is_encoder)
    return unopened, unopened.describe()


def _open_baseline(file: PolicyFile, given: str | PathLike[str] | None) -> list[Subject]:
    """Return the sources of the baseline audit; none if no rule needs it."""
    if not file.policy.is_relative:
        return []
    if given is None and file.policy.baseline:
        folder = file.path.parent if file.path else Path()
        given = folder / file.policy.baseline
    if given is None:
        raise PolicyError(
            f"{file.name}: a rule limits the increase over a baseline, but there is none. Name the "
            "folder of an audit as baseline."
        )
    try:
        audited = open_audit(given)
    except WeatherglassError as error:
        raise PolicyError(f"{file.name}: the baseline cannot be read. {error}") from None
    return [opener() for _, opener, _ in _audited(audited, Path(given))]


def _find_source(baseline: Sequence[Subject], name: str, sources: int) -> Subject | None:
    """Return the source of the baseline with this name; single sources are always compared."""
    if len(baseline) == sources == 1:
        return baseline[0]
    return next((subject for subject in baseline if subject.name == name), None)


def _describe_baseline(baseline: Sequence[Subject]) -> dict[str, Any]:
    return {"sources": [subject.describe() for subject in baseline]} if baseline else {}


def _judge(
    file: PolicyFile, subject: Subject, baseline: Subject | None, today: datetime.date
) -> list[Verdict]:
    """Return the verdicts on one source: its controls first, then each rule."""
    _run_together(file, subject)
    verdicts = []
    for judgement in judge_controls(file, subject):
        limits = file.policy.controls.model_dump(mode="json") if file.policy.controls else {}
        verdict = _verdict(judgement, subject, "controls", file.controls_line, limits)
        # A control that cannot be run has shown nothing, so it never passes.
        level: Level = "none" if judgement.status == "passed" else "error"
        verdicts.append(verdict | {"kind": "control", "level": level})
    for number, rule in enumerate(file.policy.rules):
        name, line = file.policy.name(number), file.lines[number]
        limits = _limits(rule)
        for judgement in judge_rule(file, number, subject, baseline):
            verdict = _verdict(judgement, subject, name, line, limits)
            verdict["finding"] = finding_text(judgement.result)
            verdicts.append(verdict | _consequence(file.policy, verdict, subject, today))
    return [Verdict(**fields) for fields in verdicts]


def _run_together(file: PolicyFile, subject: Subject) -> None:
    """Measure all tests at once, so that an encoder gets each sentence once."""
    try:
        subject.run_tests(file.all_tests(subject.is_encoder))
    except UsageError:
        raise
    except WeatherglassError:
        pass  # each test says why it cannot be run


def _verdict(
    judgement: Judgement, subject: Subject, rule: str, line: int, limits: dict[str, Any]
) -> dict[str, Any]:
    return {
        "source": subject.name,
        "rule": rule,
        "test": judgement.test,
        "title": judgement.title or judgement.test,
        "status": judgement.status,
        "sentence": judgement.sentence,
        "line": line,
        "numbers": judgement.numbers,
        "limits": limits,
        "evidence": judgement.evidence,
    }


def _limits(rule: Rule) -> dict[str, Any]:
    """Return what a rule states, without what it is about."""
    about = {"id", "description", "tests", "measure", "sets", "options", "discovery", "retrieval"}
    return rule.model_dump(mode="json", exclude_none=True, exclude=about)


_NOT_RUN_LEVELS: dict[str, Level] = {"fail": "error", "warn": "warning", "pass": "none"}


def _consequence(
    policy: Policy, verdict: Mapping[str, Any], subject: Subject, today: datetime.date
) -> dict[str, Any]:
    """Return the level of a verdict, and its status and remark under a waiver."""
    status: Status = verdict["status"]
    if status == "not run":
        # A source that cannot be opened has no numbers at all.
        is_closed = isinstance(subject, UnopenedSource)
        return {"level": "error" if is_closed else _NOT_RUN_LEVELS[policy.not_run]}
    if status == "passed":
        return {"level": "none"}
    expired = ""
    for waiver in policy.waivers:
        if waiver.covers(verdict["rule"], verdict["test"], verdict["source"]):
            clause = waiver_clause(waiver.reason, waiver.until, waiver.until < today)
            if waiver.until >= today:
                return {"status": "waived", "level": "note", "waiver": clause}
            expired = clause
    return {"level": "error", "waiver": expired}
