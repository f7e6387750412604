"""Task pages: one HTML file for each task, which needs no server and holds no key.

Templates escape everything, and a security policy lets the page run only its own script and fetch
nothing; in the lab mode it may send answers to the server that it came from.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from markupsafe import Markup

from weatherglass.catalog import mask_slurs
from weatherglass.errors import MissingExtra

from .study import CrowdStudy, Item, Task

CONSENT_FILE, WARNING_FILE = "consent.txt", "content-warning.txt"
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
_HARMLESS = "\u200c\u200d\xa0"
_TITLES = {"exam": "Sort names into groups", "match": "Match words to groups of names"}
_TITLES |= {"rate": "Rate stereotypes"}
_ITEM_HEADINGS = {"exam": "The names", "match": "The words", "rate": "The stereotypes"}
_MASKED, _IN_FULL = "Slurs are masked with asterisks.", "Slurs are shown in full."
_SAVING = (
    "Save the answers as a file and hand it in as you were told, with the code. Nothing was sent "
    "over the network."
)


def spell(word: str, *, show_slurs: bool = False) -> str:
    r"""Return a word for a page: phrases with spaces, invisible characters visible, slurs masked.

    >>> spell("cab_driver"), spell("mentally_retarded"), spell("a\u202eb")
    ('cab driver', 'mentally r*******', 'a\\u202eb')
    """
    text = word if show_slurs else mask_slurs(word)
    text = text.replace("_", " ") if text.strip("_ ") else text
    return "".join(c if c.isprintable() or c in _HARMLESS else repr(c)[1:-1] for c in text)


def item_text(item: Item, task: Task, study: CrowdStudy) -> str:
    """Return what an item asks: a name, words, or the instruction of an attention check."""
    show = study.options.show_slurs
    if item.check and task.kind == "rate":
        return f"This row checks your attention: please choose {item.check}"
    if item.check:
        first = spell(study.shown_names(item.group)[0], show_slurs=show)
        return f"This row checks your attention: please choose the group that starts with {first}"
    return ", ".join(spell(word, show_slurs=show) for word in item.words)


def group_names(group: str, study: CrowdStudy) -> str:
    """Return the names that stand for a group, as text."""
    show = study.options.show_slurs
    return ", ".join(spell(name, show_slurs=show) for name in study.shown_names(group))


def instructions(task: Task, study: CrowdStudy) -> list[str]:
    """Return the instructions of a task, as paragraphs."""
    if task.kind == "exam":
        return [
            "Each group on this page is shown by a few names that belong to it. Choose for each "
            "name below the group that it fits best. Groups can be used several times.",
            "If you do not know a name, choose the group that seems most likely.",
        ]
    if task.kind == "match":
        use = (
            "Use each group once."
            if study.options.one_to_one
            else "You may use a group several times, or not at all."
        )
        return [
            "Which words are, stereotypically, associated with which group of names? Choose for "
            f"each row the group that most people in your society would choose. {use}",
            "We ask about stereotypes that exist in society, not about your own opinion.",
        ]
    return [
        "Each row has some names and words that a stereotype connects with people of such names. "
        "How politically incorrect is it, from 1 (politically correct, inoffensive, or just "
        "random) to 7 (politically incorrect, possibly very offensive)?",
        "Rate the stereotype as people in your society would, not the words by themselves.",
    ]


def task_page(
    study: CrowdStudy, task: Task, texts: dict[str, str] | None = None, *, send: str = ""
) -> str:
    """Return a task as an HTML page.

    Parameters
    ----------
    study, task
        The study and one of its tasks.
    texts
        The texts of consent and warning, by the names of their files; those of the package by
        default.
    send
        The address that answers are sent to; empty for a page that saves them to a file.
    """
    values = _page_values(study, task, {**default_texts(), **(texts or {})}, send)
    text: str = _environment().get_template("task.html").render(**values)
    return text


def policy_of(send: str) -> str:
    """Return the content security policy of a task page."""
    digest = base64.b64encode(hashlib.sha256(_package_text("task.js").encode()).digest()).decode()
    connect = "; connect-src 'self'" if send else ""
    return f"{_POLICY}; script-src 'sha256-{digest}'{connect}"


def default_texts() -> dict[str, str]:
    """Return the texts to adapt, by the names of their files."""
    return {name: _package_text(name) for name in (CONSENT_FILE, WARNING_FILE)}


def _page_values(study: CrowdStudy, task: Task, texts: dict[str, str], send: str) -> dict[str, Any]:
    is_matching = task.kind != "rate"
    settings = {
        "study": study.id,
        "task": task.id,
        "kind": task.kind,
        "seed": study.options.rng,
        "oneToOne": study.options.one_to_one,
        "send": send,
    }
    number = task.id.rpartition("-")[2]
    of = len(study.of_kind(task.kind))
    heading = _TITLES[task.kind] + (f" ({int(number)} of {of})" if number.isdigit() else "")
    return {
        "policy": policy_of(send),
        "style": Markup(_package_text("task.css")),
        "script": Markup(_package_text("task.js")),
        "settings": Markup(_script_json(settings)),
        "heading": heading,
        "items_heading": _ITEM_HEADINGS[task.kind],
        "instructions": instructions(task, study),
        "consent": _paragraphs(texts[CONSENT_FILE]),
        "warning": _paragraphs(_state_masking(texts[WARNING_FILE], study)),
        "is_matching": is_matching,
        "options": [
            {"id": option, "names": group_names(option, study) if is_matching else ""}
            for option in task.options
        ],
        "items": [
            {
                "id": item.id,
                "text": item_text(item, task, study),
                "names": group_names(item.group, study),
                "is_check": bool(item.check),
            }
            for item in sorted(task.items, key=lambda item: item.id)
        ],
        "saving": _SAVING,
    }


def _state_masking(text: str, study: CrowdStudy) -> str:
    """Return the warning without a promise that the page does not keep."""
    return text.replace(_MASKED, _IN_FULL) if study.options.show_slurs else text


def _paragraphs(text: str) -> Sequence[str]:
    parts = (" ".join(part.split()) for part in text.split("\n\n"))
    return [part for part in parts if part]


def _script_json(value: Any) -> str:
    """Write JSON that cannot end the script element it is in."""
    text = json.dumps(value)
    for letter in "<>&":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return text


@cache
def _package_text(name: str) -> str:
    return files("weatherglass.crowd").joinpath("files", name).read_text(encoding="utf-8")


@cache
def _environment() -> Any:
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
    except ImportError:
        raise MissingExtra("Writing task pages", "web") from None
    return Environment(
        loader=PackageLoader("weatherglass.crowd", "files"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
