"""Verdicts in the forms that CI systems read: JUnit XML, and JSON in the manner of SARIF."""

from __future__ import annotations

import json
from collections.abc import Sequence
from urllib.parse import quote
from xml.etree import ElementTree as xml

from weatherglass._version import __version__

from .policy import Verdict

# Characters that XML 1.0 cannot hold, in any form.
_BARRED = {code: "�" for code in range(0x20) if code not in (0x9, 0xA, 0xD)}
_BARRED |= dict.fromkeys([*range(0xD800, 0xE000), 0xFFFE, 0xFFFF], "�")


def junit(source: str, verdicts: Sequence[Verdict], failures: Sequence[Verdict]) -> str:
    """A test suite with a case for every verdict."""
    suite = xml.Element(
        "testsuite",
        name=_clean(f"weatherglass check {source}"),
        tests=str(len(verdicts)),
        failures=str(sum(one.status == "violated" for one in failures)),
        errors=str(sum(one.status == "not run" for one in failures)),
        skipped=str(sum(one.status == "not run" and one not in failures for one in verdicts)),
    )
    for one in verdicts:
        case = xml.SubElement(suite, "testcase", classname=_clean(source), name=_clean(one.test))
        if one.status == "not run":
            kind = "error" if one in failures else "skipped"
            xml.SubElement(case, kind, message=_clean(one.sentence))
        elif one in failures:
            xml.SubElement(case, "failure", message=_clean(one.sentence), type="policy")
    xml.indent(suite)
    return xml.tostring(suite, encoding="unicode", xml_declaration=False) + "\n"


def sarif(source: str, verdicts: Sequence[Verdict], failures: Sequence[Verdict]) -> str:
    """A SARIF 2.1.0 log with a result for every verdict that fails."""
    rules = {one.test: one.title for one in verdicts}
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
                        "ruleId": one.test,
                        "level": "error",
                        "message": {"text": one.sentence},
                        "locations": [{"physicalLocation": {"artifactLocation": {"uri": uri}}}],
                        "properties": {
                            "effect": one.effect,
                            "p": one.p,
                            "agreement": one.agreement,
                        },
                    }
                    for one in failures
                ],
            }
        ],
    }
    return json.dumps(log, indent=2) + "\n"


def _clean(text: str) -> str:
    return text.translate(_BARRED)
