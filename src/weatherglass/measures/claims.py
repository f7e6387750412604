"""What a result says in words: labels in sentences, and the direction of an association.

`weatherglass.findings` says how certain it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .measurement import Measurement


def association_claim(result: Measurement) -> str:
    """Return which targets are more strongly associated with which attributes, in words."""
    x, y, a, b = (result.set_phrase(name) for name in "XYAB")
    if (result.main_value or 0.0) < 0:
        a, b = b, a
    return f"{x} are more strongly associated with {a}, rather than {b}, than {y} are."


def association_subject(result: Measurement) -> str:
    """Return what an association test compares, without a direction."""
    x, y, a, b = (result.set_phrase(name) for name in "XYAB")
    return f"in how {x} and {y} are associated with {a} rather than {b}"


def upper_first(text: str) -> str:
    """Return a text that begins with a capital."""
    return text[:1].upper() + text[1:]


def plural_label(label: str) -> str:
    """Return a set's label as the name of many words.

    >>> plural_label("Male names"), plural_label("Math")
    ('Male names', 'Math words')
    """
    label = label.partition(" (")[0].strip() or label
    return label if label.endswith(("s", "S")) else f"{label} words"


def label_in_text(label: str) -> str:
    """Return the same inside a sentence; proper names keep their capital.

    >>> label_in_text("Career"), label_in_text("European American names"), label_in_text("X")
    ('career words', 'European American names', 'X words')
    """
    return lower_first(plural_label(label))


def lower_first(text: str) -> str:
    """Return a text with its first letter in lower case, unless it begins with a proper name."""
    first, _, rest = text.partition(" ")
    is_plain = first[1:].islower() and not rest[:1].isupper()
    return text[:1].lower() + text[1:] if is_plain else text
