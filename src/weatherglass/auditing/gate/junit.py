"""The verdicts of a check as JUnit XML, which CI systems show as test cases."""

from __future__ import annotations

from xml.etree import ElementTree as xml

from .record import Check, Verdict

# Characters that XML 1.0 does not allow, not even escaped.
_NOT_XML = {code: "�" for code in range(0x20) if code not in (0x9, 0xA, 0xD)}
_NOT_XML |= dict.fromkeys([*range(0xD800, 0xE000), 0xFFFE, 0xFFFF], "�")


def junit(checked: Check) -> str:
    """Return JUnit XML with a test suite for each source and a case for each verdict."""
    root = xml.Element("testsuites", name="weatherglass check")
    for source in checked.sources:
        verdicts = [verdict for verdict in checked.verdicts if verdict.source == source["name"]]
        suite = xml.SubElement(
            root,
            "testsuite",
            name=_clean(source["name"]),
            tests=str(len(verdicts)),
            failures=str(sum(_kind(verdict) == "failure" for verdict in verdicts)),
            errors=str(sum(_kind(verdict) == "error" for verdict in verdicts)),
            skipped=str(sum(_kind(verdict) == "skipped" for verdict in verdicts)),
        )
        for verdict in verdicts:
            names = {
                "classname": _clean(f"{verdict.source}.{verdict.rule}"),
                "name": _clean(verdict.id),
            }
            case = xml.SubElement(suite, "testcase", names)
            if kind := _kind(verdict):
                about = {"message": _clean(verdict.message)}
                about |= {"type": "policy"} if kind == "failure" else {}
                xml.SubElement(case, kind, about)
    xml.indent(root)
    return xml.tostring(root, encoding="unicode", xml_declaration=False) + "\n"


def _kind(verdict: Verdict) -> str:
    """Return the element that a case gets; none if it passed."""
    if verdict.status == "passed":
        return ""
    if verdict.level == "error":
        return "failure" if verdict.status == "violated" else "error"
    return "skipped"


def _clean(text: str) -> str:
    return text.translate(_NOT_XML)
