"""The verdicts of a check as SARIF 2.1.0, which GitHub shows as alerts.

A location is the line of the rule in the policy, not the source: GitHub refuses a log with an
address that is not a file of the repository, such as ``st:minilm``.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any
from urllib.parse import quote

from .record import Check, Verdict

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_HELP = (
    "The policy of this repository limits this test. The message has the measured number and the "
    "limit; `weatherglass check` with the same policy repeats it."
)


def sarif(checked: Check) -> str:
    """Return a SARIF log with a result for each verdict that fails, warns or is waived."""
    reported = [verdict for verdict in checked.verdicts if verdict.level != "none"]
    ids = list(dict.fromkeys(verdict.id for verdict in checked.verdicts))
    titles = {verdict.id: verdict.title for verdict in checked.verdicts}
    closed = [source for source in checked.sources if source.get("reason")]
    run: dict[str, Any] = {
        "tool": {
            "driver": {
                "name": "weatherglass",
                "version": checked.version,
                "semanticVersion": checked.version,
                "rules": [_describe_rule(id, titles[id]) for id in ids],
            }
        },
        "columnKind": "unicodeCodePoints",
        "invocations": [
            {
                "executionSuccessful": not closed,
                "exitCode": checked.exit_code,
                "toolExecutionNotifications": [
                    {"level": "error", "message": {"text": _clean(f"{s['name']}: {s['reason']}")}}
                    for s in closed
                ],
            }
        ],
        "results": [_result(verdict, ids.index(verdict.id), checked) for verdict in reported],
        "properties": {"policySha256": checked.policy["sha256"], "seed": checked.seed},
    }
    log = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(log, indent=2) + "\n"


def _describe_rule(id: str, title: str) -> dict[str, Any]:
    text = _clean(title or id)
    return {
        "id": _clean(id),
        "shortDescription": {"text": text},
        "fullDescription": {"text": f"{text}. {_HELP}"},
        "help": {"text": _HELP},
        "defaultConfiguration": {"level": "error"},
        "properties": {"tags": ["bias", "embedding"]},
    }


def _result(verdict: Verdict, index: int, checked: Check) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": _clean(verdict.id),
        "ruleIndex": index,
        "level": verdict.level,
        "message": {"text": _clean(f"{verdict.source}: {verdict.message}")},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": policy_uri(checked), "uriBaseId": "%SRCROOT%"},
                    "region": {"startLine": verdict.line},
                }
            }
        ],
        "partialFingerprints": _fingerprints(verdict),
        "properties": {"source": _clean(verdict.source), **verdict.numbers},
    }
    if verdict.status == "waived":
        justification = _clean(verdict.waiver)
        result["suppressions"] = [{"kind": "external", "justification": justification}]
    return result


def _fingerprints(verdict: Verdict) -> dict[str, str]:
    """Return what makes an alert the same in the next run: source, rule and test, not numbers.

    GitHub reads ``primaryLocationLineHash`` only. Without it, all tests of a rule would be one
    alert, because they have the same line.
    """
    parts = json.dumps([verdict.source, verdict.rule, verdict.id]).encode()
    digest = hashlib.sha256(parts).hexdigest()
    return {"primaryLocationLineHash": f"{digest[:16]}:1", "weatherglassVerdict/v1": digest}


def policy_uri(checked: Check) -> str:
    """Return the path of the policy, relative to the working folder, which is the repository's."""
    name = checked.policy.get("file") or "policy.yaml"
    path = Path(os.path.abspath(name))
    inside = path.is_relative_to(Path.cwd())
    relative = path.relative_to(Path.cwd()).as_posix() if inside else path.name
    return quote(relative, safe="/", errors="backslashreplace")


def _clean(text: str) -> str:
    """Return a text that UTF-8 can hold."""
    return text.encode("utf-8", "backslashreplace").decode()
