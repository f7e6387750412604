"""The reference of the library: every public name, from its signature and docstring."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import weatherglass as wg

from .docstrings import Docstring, prose, references

# What belongs together; within a section, what is used first comes first.
SECTIONS = {
    "Vectors": ["open_vectors", "Vectors", "control", "Control", "debias"],
    "Tests and seed sets": [
        "test", "tests", "Test", "FactualTest", "load_tests",
        "seeds", "seed_sets", "SeedSet", "load_seeds",
    ],
    "Measures": ["weat", "wefat", "measure", "generalised_weat", "permutation_p", "PValue"],
    "Sentence encoders": ["open_encoder", "seat", "ceat"],
    "Corpora": ["open_corpus", "train", "open_models", "compare"],
    "Seed lab": [
        "lint", "Lint", "multiverse", "Multiverse", "seed_pair", "gathered_pairs",
        "measure_pairs", "pair_variance", "seed_axis", "concept_cosines",
        "generate_seeds", "compare_generated",
    ],
    "Discovery": ["discover", "Discovery", "discover_both", "Comparison"],
    "Audits": ["audit", "query", "rank"],
    "Results and pictures": [
        "Results", "WeatResult", "WefatResult", "SeatResult", "CeatResult", "MeasureResult",
        "plot", "save_plot",
    ],
    "Version": ["__version__"],
}  # fmt: skip

WIDTH = 88


def page() -> str:
    """The whole reference."""
    placed = [name for names in SECTIONS.values() for name in names]
    if sorted(placed) != sorted(wg.__all__):
        raise SystemExit(
            f"docs/making/names.py places {sorted(set(placed) ^ set(wg.__all__))} "
            "and weatherglass.__all__ differently. Put each public name into one section."
        )
    parts = [
        "# Python\n\nEvery public name of `import weatherglass as wg`, from its docstring. "
        "The examples run in the tests.\n"
    ]
    for title, names in SECTIONS.items():
        parts.append(f"## {title}\n")
        parts += [entry(name, getattr(wg, name)) for name in names]
    return "\n".join(parts)


def entry(name: str, thing: Any) -> str:
    """A public name: what it is, its arguments, what it gives, an example."""
    if isinstance(thing, str):
        return f"### `{name}`\n\nThe version of the package, as text.\n"
    doc = Docstring.of(inspect.getdoc(thing) or "")
    if inspect.isclass(thing):
        parts = [f"### class {name}", prose(doc.text, linked)]
        parts += [*listed("Parameters", doc), *listed("Attributes", doc)]
        parts += [*inherited(thing), *methods(thing)]
    else:
        parts = [f"### {name}", f"```py\n{signature(name, thing)}\n```", prose(doc.text, linked)]
        parts += [*listed("Parameters", doc), returned(thing, doc), *listed("Raises", doc)]
    if "Notes" in doc.sections:
        parts.append("**Notes**\n\n" + prose(doc.sections["Notes"], linked))
    works = references(doc.sections.get("References", ""))
    if works:
        parts.append("**References**\n\n" + "\n".join(f"{n}. {w}" for n, w in enumerate(works, 1)))
    if "Examples" in doc.sections:
        parts.append(f"**Example**\n\n```pycon\n{doc.sections['Examples']}\n```")
    return "\n\n".join(part for part in parts if part) + "\n"


def listed(title: str, doc: Docstring) -> Iterator[str]:
    """The names under a heading, each with what is said of it."""
    entries = doc.entries(title)
    if entries:
        lines = []
        for name, text in entries:
            said = prose(text, linked).replace("\n", "\n    ")
            lines.append(f"- `{name}`: {said}" if said else f"- `{name}`")
        yield f"**{title}**\n\n" + "\n".join(lines)


def inherited(thing: type) -> Iterator[str]:
    """What a result shares with other results, from the docstrings of its bases."""
    for base in thing.__mro__[1:]:
        if base.__module__.startswith("weatherglass") and base.__doc__:
            doc = Docstring.of(inspect.cleandoc(base.__doc__))
            for text in listed("Attributes", doc):
                yield text.replace("Attributes", f"Attributes of every `{base.__name__}`", 1)


def methods(thing: type) -> Iterator[str]:
    """The methods and properties of a class, each with its first sentence."""
    rows = []
    for name, member in inspect.getmembers(thing):
        home = next((base for base in thing.__mro__ if name in vars(base)), thing)
        if name.startswith("_") or not home.__module__.startswith("weatherglass"):
            continue
        text = inspect.getdoc(member)
        if not text or not (inspect.isroutine(member) or isinstance(member, property)):
            continue
        first = prose(text.split("\n\n")[0], linked).replace("|", "\\|")
        call = arguments(member) if inspect.isroutine(member) else ""
        rows.append(f"| `{name}{call}` | {first} |")
    if rows:
        yield "\n".join(["| method | what it does |", "|---|---|", *rows])


def arguments(member: Any) -> str:
    """The names of a method's arguments, for a narrow column."""
    given = [
        {"VAR_POSITIONAL": "*", "VAR_KEYWORD": "**"}.get(one.kind.name, "") + one.name
        for one in inspect.signature(member).parameters.values()
        if one.name != "self"
    ]
    return f"({', '.join(given)})"


def returned(thing: Any, doc: Docstring) -> str:
    """What a function gives; its annotation, where the docstring has nothing to add."""
    text = doc.sections.get("Returns", "")
    kind = inspect.signature(thing).return_annotation
    if not text:
        return "" if kind == "None" else f"**Returns** {linked(kind)}"
    said = [
        f"- {linked(name)}" + (f": {prose(about, linked)}" if about else "")
        for name, about in doc.entries("Returns")
    ]
    return "**Returns**\n\n" + "\n".join(said)


def signature(name: str, function: Any) -> str:
    """A signature, with an argument on each line where it is long."""
    found = inspect.signature(function)
    given, starred = [], False
    for one in found.parameters.values():
        if one.kind is one.KEYWORD_ONLY and not starred:
            given.append("*")
        starred = starred or one.kind in (one.VAR_POSITIONAL, one.KEYWORD_ONLY)
        given.append(plain(one))
    whole = f"{name}({', '.join(given)}) -> {found.return_annotation}"
    if len(whole) <= WIDTH:
        return whole
    inside = "".join(f"    {one},\n" for one in given)
    return f"{name}(\n{inside}) -> {found.return_annotation}"


def plain(parameter: inspect.Parameter) -> str:
    """A parameter without the quotes that a postponed annotation has."""
    kept, default = str(parameter.annotation), parameter.default
    text = str(parameter.replace(annotation=parameter.empty, default=parameter.empty))
    text += f": {kept}" if parameter.annotation is not parameter.empty else ""
    return text if default is parameter.empty else f"{text} = {default!r}"


def linked(code: str) -> str:
    """Code, with a link where it is a public name."""
    name = code.removeprefix("weatherglass.").removeprefix("wg.")
    if name in wg.__all__ and not name.startswith("_"):
        place = f"class-{name}" if inspect.isclass(getattr(wg, name)) else name
        return f"[`{code}`](#{place.lower()})"
    return f"`{code}`"
