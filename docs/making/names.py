"""The Python reference: every public name, from its signature and docstring."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from functools import cached_property
from typing import Any

import weatherglass as wg

from .docstrings import Docstring, prose, references

# The sections of the page; within a section, names that are used first come first.
SECTIONS = {
    "Sources": [
        "as_source", "open_vectors", "Vectors", "AssociationTable", "control", "Control", "debias",
    ],
    "Tests and seed sets": [
        "test", "tests", "Test", "GroupsTest", "FactualTest", "load_tests",
        "seeds", "seed_sets", "SeedSet", "load_seeds",
    ],
    "Measures": [
        "weat", "wefat", "measure", "generalised_weat", "agree", "Agreement",
        "norms", "NormsResult", "measure_translations", "Translation", "TranslationResult",
        "permutation_p", "PValue",
    ],
    "Analogies": [
        "analogy", "Analogy", "analogous_pairs", "AnalogousPairs", "word_plane", "WordPlane",
    ],
    "Findings": ["finding", "Finding"],
    "Sentence encoders": ["open_encoder", "seat", "SeatTable", "ceat", "retrieve", "Retrieval"],
    "Sentiment": ["sentiment", "Sentiment", "SentimentResult"],
    "Corpora": [
        "open_corpus", "corpus_words", "corpus_context", "train", "open_models", "compare",
        "trajectory", "Trajectory", "compare_groups",
    ],
    "Seed lab": [
        "lint", "Lint", "multiverse", "Multiverse", "seed_pair", "gathered_pairs",
        "measure_pairs", "pair_variance", "seed_axis", "concept_cosines",
        "generate_seeds", "compare_generated", "survey_seeds", "seed_checklist", "Checklist",
    ],
    "Discovery": [
        "discover", "Discovery", "discover_both", "Comparison", "discover_each", "Discoveries",
        "group_scores", "GroupScores", "clean_list", "CleanedList",
    ],
    "Evaluation by people": [
        "export_crowd_study", "CrowdStudy", "import_crowd_answers", "CrowdResult", "simulate_crowd",
    ],
    "Audits": ["audit", "repeat_audit", "query", "rank", "check", "Check"],
    "Results and pictures": [
        "Results", "WeatResult", "WefatResult", "SeatResult", "CeatResult", "MeasureResult",
        "GeneralisedResult", "GroupDifference", "RetrievalResult",
        "plot", "save_plot",
    ],
    "Version": ["__version__"],
}  # fmt: skip

WIDTH = 88


def page() -> str:
    """Return the whole page as Markdown."""
    placed = [name for names in SECTIONS.values() for name in names]
    if sorted(placed) != sorted(wg.__all__):
        raise SystemExit(
            "docs/making/names.py and weatherglass.__all__ disagree about "
            f"{sorted(set(placed) ^ set(wg.__all__))}. Put each public name into one section."
        )
    parts = [
        "# Python\n\nEvery public name of `import weatherglass as wg`, from its docstring. "
        "The tests run the examples.\n"
    ]
    for title, names in SECTIONS.items():
        parts.append(f"## {title}\n")
        parts += [entry(name, getattr(wg, name)) for name in names]
    return "\n".join(parts)


def entry(name: str, thing: Any) -> str:
    """Return the entry of a public name: description, arguments, return value, example."""
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
    """Yield a section of a docstring as a list of names and descriptions."""
    entries = doc.entries(title)
    if entries:
        lines = []
        for name, text in entries:
            description = prose(text, linked).replace("\n", "\n    ")
            lines.append(f"- `{name}`: {description}" if description else f"- `{name}`")
        yield f"**{title}**\n\n" + "\n".join(lines)


def inherited(thing: type) -> Iterator[str]:
    """Yield the attributes that a class inherits, from the docstrings of its bases."""
    for base in thing.__mro__[1:]:
        if base.__module__.startswith("weatherglass") and base.__doc__:
            doc = Docstring.of(inspect.cleandoc(base.__doc__))
            for text in listed("Attributes", doc):
                yield text.replace("Attributes", f"Attributes of every `{base.__name__}`", 1)


def methods(thing: type) -> Iterator[str]:
    """Yield a table of the methods and properties of a class, with the first paragraph of each."""
    rows = []
    for name, member in inspect.getmembers(thing):
        home = next((base for base in thing.__mro__ if name in vars(base)), thing)
        if name.startswith("_") or not home.__module__.startswith("weatherglass"):
            continue
        text = inspect.getdoc(member)
        is_method = inspect.isroutine(member) and not isinstance(member, cached_property)
        if not text or not (is_method or isinstance(member, property | cached_property)):
            continue
        first = prose(text.split("\n\n")[0], linked).replace("|", "\\|")
        call = arguments(member) if is_method else ""
        rows.append(f"| `{name}{call}` | {first} |")
    if rows:
        yield "\n".join(["| method | what it does |", "|---|---|", *rows])


def arguments(member: Any) -> str:
    """Return a method's parameters without annotations, for a narrow column."""
    names = [
        {"VAR_POSITIONAL": "*", "VAR_KEYWORD": "**"}.get(parameter.kind.name, "") + parameter.name
        for parameter in inspect.signature(member).parameters.values()
        if parameter.name != "self"
    ]
    return f"({', '.join(names)})"


def returned(thing: Any, doc: Docstring) -> str:
    """Describe the return value: from the docstring, or else from the annotation."""
    text = doc.sections.get("Returns", "")
    kind = inspect.signature(thing).return_annotation
    if not text:
        return "" if kind == "None" else f"**Returns** {linked(kind)}"
    items = [
        f"- {linked(name)}" + (f": {prose(description, linked)}" if description else "")
        for name, description in doc.entries("Returns")
    ]
    return "**Returns**\n\n" + "\n".join(items)


def signature(name: str, function: Any) -> str:
    """Return a signature, with one parameter per line if it is long."""
    found = inspect.signature(function)
    parameters, starred = [], False
    for parameter in found.parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and not starred:
            parameters.append("*")
        starred = starred or parameter.kind in (parameter.VAR_POSITIONAL, parameter.KEYWORD_ONLY)
        parameters.append(plain(parameter))
    line = f"{name}({', '.join(parameters)}) -> {found.return_annotation}"
    if len(line) <= WIDTH:
        return line
    inside = "".join(f"    {parameter},\n" for parameter in parameters)
    return f"{name}(\n{inside}) -> {found.return_annotation}"


def plain(parameter: inspect.Parameter) -> str:
    """Return a parameter without the quotes of a postponed annotation."""
    annotation, default = str(parameter.annotation), parameter.default
    text = str(parameter.replace(annotation=parameter.empty, default=parameter.empty))
    text += f": {annotation}" if parameter.annotation is not parameter.empty else ""
    return text if default is parameter.empty else f"{text} = {default!r}"


def linked(code: str) -> str:
    """Return code in backticks, with a link if it is a public name."""
    name = code.removeprefix("weatherglass.").removeprefix("wg.")
    if name in wg.__all__ and not name.startswith("_"):
        anchor = f"class-{name}" if inspect.isclass(getattr(wg, name)) else name
        return f"[`{code}`](#{anchor.lower()})"
    return f"`{code}`"
