"""What a result says in words: labels in sentences, and the direction of an association.

`weatherglass.findings` says how certain it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .generalised_result import GeneralisedResult
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


def groups_claim(result: GeneralisedResult) -> str:
    """Return how several groups differ, in words, with the pairs that differ (Holm)."""
    if result.effect is None or not result.pairs:
        count = "1 group" if len(result.parts) == 1 else f"{len(result.parts)} groups"
        return f"the generalised WEAT statistic of {count} is {result.g or 0.0:.3f}."
    groups = _listed([result.set_phrase(name) for name in result.groups])
    pairs = result.clear_pairs()
    if result.is_paired:
        own = _listed([result.set_phrase(f"A{name[1:]}") for name in result.groups])
        more = "less" if result.effect < 0 else "more"
        claim = (
            f"{groups}, compared in pairs, are on average each {more} strongly associated with "
            f"their own words ({own}), rather than the other's, than the other is"
        )
        differing = [f"{result.label(p.first)} and {result.label(p.second)}" for p in pairs]
        if not differing:
            return f"{claim}; no single pair of groups differs clearly."
        return f"{claim}; the pairs that differ are {', '.join(differing)}."
    weaker: dict[str, list[str]] = {}
    for pair in pairs:
        ends = (pair.first, pair.second) if (pair.effect or 0) > 0 else (pair.second, pair.first)
        weaker.setdefault(ends[0], []).append(result.set_phrase(ends[1]))
    orders = [
        f"{result.set_phrase(name)} more strongly than {_listed(weaker[name])}"
        for name in sorted(weaker, key=lambda name: -result.parts[name])
    ]
    claim = f"{groups} are not equally associated with {_attributes(result)}"
    if not orders:
        return f"{claim}; no single pair of groups differs clearly."
    return f"{claim}: {', and '.join(orders)}."


def groups_subject(result: GeneralisedResult) -> str:
    """Return what a test of several groups compares, without a direction."""
    groups = _listed([result.set_phrase(name) for name in result.groups])
    if not result.is_paired:
        return f"in how {groups} are associated with {_attributes(result)}"
    own = _listed([result.set_phrase(f"A{name[1:]}") for name in result.groups])
    return f"in how {groups} are associated with {own}"


def _attributes(result: GeneralisedResult) -> str:
    a = result.set_phrase("A")
    return f"{a} rather than {result.set_phrase('B')}" if "B" in result.labels else a


def _listed(names: list[str]) -> str:
    """Return names in a sentence.

    >>> _listed(["x", "y", "z"])
    'x, y and z'
    """
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


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
