"""Policies: limits on the effects of a source, and the verdict of each test.

`junit` and `sarif` write verdicts in the formats that CI systems read.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote
from xml.etree import ElementTree as xml

from pydantic import Field, ValidationError

from weatherglass._files import read_text, read_yaml
from weatherglass._version import __version__
from weatherglass.catalog import FactualTest, Record, Test, Words, tests, validation_error
from weatherglass.encoders import Encoder
from weatherglass.errors import CatalogError
from weatherglass.measures import Results, weat, wefat
from weatherglass.report import corrected_p
from weatherglass.seedlab import multiverse
from weatherglass.significance import format_p
from weatherglass.vectors import Vectors

_NO_FACTS = "Not run: a factual test needs word vectors."

Share = Annotated[float, Field(ge=0, le=1)]


class Rule(Record):
    """A limit on the effects of tests. A test violates it if all of its conditions hold.

    Attributes
    ----------
    tests
        Ids and patterns of the catalogue.
    effect
        The absolute effect size (for factual tests, correlation) is larger than this …
    p
        … and its p-value, corrected over all tests of the policy, is at most this …
    agreement
        … and at least this share of all documented seed choices gives the same sign. Only
        association tests on word vectors are measured with other seed choices; for others the
        first two conditions decide, and the verdict says so.
    """

    tests: Words
    effect: Annotated[float, Field(ge=0)]
    p: Share = 1.0
    agreement: Share | None = None


class Policy(Record):
    """A list of rules; `not_run` says whether a test that cannot be run passes or fails."""

    rules: tuple[Rule, ...]
    not_run: str = Field(default="fail", pattern="^(fail|pass)$")


@dataclass(frozen=True)
class Verdict:
    """A test under a rule: ``passed``, ``violated`` or ``not run``, with a sentence."""

    test: str
    title: str
    status: str
    sentence: str
    effect: float | None = None
    p: float | None = None
    agreement: float | None = None


def load_policy(path: str | PathLike[str]) -> Policy:
    """Read a policy from a YAML file."""
    path = Path(path)
    documents: list[Any] = list(read_yaml(read_text(path), path.name))
    if len(documents) != 1 or not isinstance(documents[0], dict):
        raise CatalogError(f"{path.name}: expected one policy, with rules.")
    try:
        policy = Policy.model_validate(documents[0])
    except ValidationError as error:
        raise validation_error(error, f"policy in {path.name}", Policy.model_fields) from None
    if not policy.rules:
        raise CatalogError(f"{path.name}: the policy has no rules.")
    return policy


def judge(source: Vectors | Encoder, policy: Policy, *, rng: int = 0) -> tuple[Verdict, ...]:
    """Return a verdict for every test of every rule of a policy.

    Parameters
    ----------
    source
        Word vectors, or an encoder, which runs association tests of words and sentences.
    policy
        The rules.
    rng
        Random seed.
    """
    wanted = [(rule, test) for rule in policy.rules for test in _tests(rule)]
    distinct = {test.id: test for _, test in wanted}
    results = Results.of(_results(source, list(distinct.values()), rng)).correct()
    by_id = {result.test: result for result in results}
    return tuple(
        _verdict(source, rule, by_id[test.id], results, rng)
        if test.id in by_id
        else Verdict(test.id, test.title, "not run", _NO_FACTS)
        for rule, test in wanted
    )


def find_failures(policy: Policy, verdicts: tuple[Verdict, ...]) -> tuple[Verdict, ...]:
    """Return the verdicts that make a source fail the policy."""
    bad = {"violated"} | ({"not run"} if policy.not_run == "fail" else set())
    return tuple(verdict for verdict in verdicts if verdict.status in bad)


def _tests(rule: Rule) -> list[Any]:
    return [test for test in tests(*rule.tests) if isinstance(test, Test | FactualTest)]


def _results(source: Vectors | Encoder, chosen: list[Any], rng: int) -> list[Any]:
    if isinstance(source, Vectors):
        return [
            weat(source, test, rng=rng, baseline=False)
            if isinstance(test, Test)
            else wefat(source, test)
            for test in chosen
        ]
    from weatherglass.encoders import seat

    association_tests = [test for test in chosen if isinstance(test, Test)]
    return list(seat(source, association_tests, rng=rng)) if association_tests else []


def _verdict(
    source: Vectors | Encoder, rule: Rule, result: Any, results: Results, rng: int
) -> Verdict:
    value, p = result.main_value, corrected_p(result, results)
    if result.status == "not run" or value is None or p is None:
        return Verdict(result.test, result.title, "not run", f"Not run: {result.reason}.")
    noun = result.main_name
    measured = f"{noun} {value:.2f}, corrected p {format_p(p)}"
    is_violated = abs(value) > rule.effect and p <= rule.p
    agreement = None
    if is_violated and rule.agreement is not None:
        if result.section == "words" and isinstance(source, Vectors):
            agreement = multiverse(source, result.test, rng=rng).summary.same_sign["whole"].share
            measured += f", {agreement:.0%} of seed choices agree in sign"
            is_violated = agreement >= rule.agreement
        else:
            measured += ", other seed choices not tried"
    limit = f"the limit is {rule.effect:g}" + (f" at p ≤ {rule.p:g}" if rule.p < 1 else "")
    if agreement is not None:
        limit += f" and {rule.agreement:.0%} agreement"
    status = "violated" if is_violated else "passed"
    sentence = f"{measured}; {limit}."
    return Verdict(result.test, result.title, status, sentence, value, p, agreement)


# Characters that XML 1.0 does not allow, not even escaped.
_NOT_XML = {code: "�" for code in range(0x20) if code not in (0x9, 0xA, 0xD)}
_NOT_XML |= dict.fromkeys([*range(0xD800, 0xE000), 0xFFFE, 0xFFFF], "�")


def junit(source: str, verdicts: Sequence[Verdict], failures: Sequence[Verdict]) -> str:
    """Write a JUnit test suite with a case for every verdict."""
    suite = xml.Element(
        "testsuite",
        name=_clean(f"weatherglass check {source}"),
        tests=str(len(verdicts)),
        failures=str(sum(verdict.status == "violated" for verdict in failures)),
        errors=str(sum(verdict.status == "not run" for verdict in failures)),
        skipped=str(sum(v.status == "not run" and v not in failures for v in verdicts)),
    )
    for verdict in verdicts:
        names = {"classname": _clean(source), "name": _clean(verdict.test)}
        case = xml.SubElement(suite, "testcase", names)
        if verdict.status == "not run":
            kind = "error" if verdict in failures else "skipped"
            xml.SubElement(case, kind, message=_clean(verdict.sentence))
        elif verdict in failures:
            xml.SubElement(case, "failure", message=_clean(verdict.sentence), type="policy")
    xml.indent(suite)
    return xml.tostring(suite, encoding="unicode", xml_declaration=False) + "\n"


def sarif(source: str, verdicts: Sequence[Verdict], failures: Sequence[Verdict]) -> str:
    """Write a SARIF 2.1.0 log with a result for every verdict that fails."""
    rules = {verdict.test: verdict.title for verdict in verdicts}
    uri = quote(source, safe="/:?=&", errors="backslashreplace")
    log = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "weatherglass",
                        "version": __version__,
                        "rules": [
                            {"id": id, "shortDescription": {"text": title or id}}
                            for id, title in rules.items()
                        ],
                    }
                },
                "results": [
                    {
                        "ruleId": verdict.test,
                        "level": "error",
                        "message": {"text": verdict.sentence},
                        "locations": [{"physicalLocation": {"artifactLocation": {"uri": uri}}}],
                        "properties": {
                            "effect": verdict.effect,
                            "p": verdict.p,
                            "agreement": verdict.agreement,
                        },
                    }
                    for verdict in failures
                ],
            }
        ],
    }
    return json.dumps(log, indent=2) + "\n"


def _clean(text: str) -> str:
    return text.translate(_NOT_XML)
