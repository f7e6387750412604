"""JSON Schemas of the files that people write and read: tests, suites, policies, results, checks.

Editors use them to complete and check YAML. They describe the form of a file; what it names (tests,
seed sets, studies) is checked when it is read.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pydantic import TypeAdapter

from weatherglass.catalog import FactualTest, GroupsTest, Suite, Test
from weatherglass.errors import UsageError, did_you_mean, quote_safe
from weatherglass.measures import MEASURES, Result, result_class

from .gate import Check, Policy

Schema = dict[str, Any]

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_TEXT: Schema = {"type": ["string", "number", "boolean"]}
"""A scalar that is read as text: YAML parsers of editors make numbers of some."""

_RESULTS = (
    *("weat", "wefat", "seat", "ceat", "generalised-weat"),
    "rnd",  # the class of all other measures
)


_OWN_CLASS = ("weat", "generalised-weat")  # measures of word sets with a result class of their own


def json_schema(name: str) -> Schema:
    """Return the JSON Schema of a kind of file.

    Parameters
    ----------
    name
        ``tests``, ``suite``, ``policy``, ``results`` or ``check``.

    Examples
    --------
    >>> json_schema("policy")["title"]
    'A policy of Weatherglass'
    """
    if name not in SCHEMAS:
        known = ", ".join(SCHEMAS)
        raise UsageError(
            f"There is no schema {quote_safe(name)}.{did_you_mean(name, SCHEMAS)} "
            f"There are {known}."
        )
    title, build = SCHEMAS[name]
    schema = build()
    schema.pop("title", None)
    schema.pop("description", None)
    return {"$schema": _DIALECT, "title": title, **schema}


def _tests() -> Schema:
    """A test, a list of tests, or ``tests`` with a list or a mapping from id to test."""
    definitions: Schema = {}
    models = [_written_form(model, definitions) for model in (Test, FactualTest, GroupsTest)]
    definitions["AnyTest"] = {"anyOf": models}
    one: Schema = {"$ref": "#/$defs/AnyTest"}
    many: Schema = {"type": "array", "items": one, "minItems": 1}
    named: Schema = {"type": "object", "additionalProperties": one, "minProperties": 1}
    wrapped: Schema = {
        "type": "object",
        "properties": {"tests": {"anyOf": [many, named]}},
        "required": ["tests"],
        "additionalProperties": False,
    }
    return {"anyOf": [one, many, wrapped], "$defs": definitions}


def _written_form(
    model: type[Test] | type[FactualTest] | type[GroupsTest], definitions: Schema
) -> Schema:
    """Return the schema of a test as people write it: a set may be a plain list of words."""
    schema = model.model_json_schema(ref_template="#/$defs/{model}")
    definitions |= schema.pop("$defs", {})
    words: Schema = {"type": "array", "items": _word(), "minItems": 1}
    study: Schema = {"anyOf": [{"type": ["string", "null"]}, {"$ref": "#/$defs/Study"}]}
    plain = {
        "type": "object",
        "properties": {
            **definitions["WordSet"]["properties"],
            "source": study,
            "words": words,
            "category": {"type": "string"},
            "examples": words,
        },
        "anyOf": [{"required": ["words"]}, {"required": ["examples"]}],
        "additionalProperties": False,
    }
    definitions["WrittenSet"] = {"anyOf": [words, plain]}
    properties = schema["properties"]
    for name in ("x", "y", "a", "b", "targets"):
        if name in properties:
            properties[name] = {"$ref": "#/$defs/WrittenSet"}
    properties["study"] = study
    if model is Test:
        renamed = {"targ1": "x", "targ2": "y", "attr1": "a", "attr2": "b"}
        properties |= {new: properties[old] for new, old in renamed.items()}
        schema["anyOf"] = [{"required": list("xyab")}, {"required": list(renamed)}]
        schema.pop("required", None)
    elif model is GroupsTest:
        written: Schema = {"$ref": "#/$defs/WrittenSet"}
        for name, least in (("groups", 3), ("attributes", 1)):
            by_label = {"type": "object", "additionalProperties": written, "minProperties": least}
            listed = {"type": "array", "items": written, "minItems": least}
            properties[name] = {"anyOf": [by_label, listed]}
        properties |= {"a": written, "b": written}
        schema["required"] = ["groups"]
        schema["anyOf"] = [{"required": ["attributes"]}, {"required": ["a"]}]
    else:
        numbers = {"type": "array", "items": _number()}
        by_word = {"type": "object", "additionalProperties": True}
        properties["facts"] = {"anyOf": [numbers, by_word]}
        schema["required"] = ["a", "b", "facts"]
    return schema


def _word() -> Schema:
    return {"anyOf": [_TEXT, {"type": "object", "required": ["word"]}]}


def _number() -> Schema:
    return {"type": ["number", "string"]}


def _suite() -> Schema:
    schema = Suite.model_json_schema(ref_template="#/$defs/{model}")
    return _read_scalars_as_text(schema)


def _policy() -> Schema:
    schema = Policy.model_json_schema(ref_template="#/$defs/{model}")
    controls = schema["properties"]["controls"]
    schema["properties"]["controls"] = {
        "description": controls.get("description", ""),
        "anyOf": [{"$ref": "#/$defs/Controls"}, {"const": "none"}],
    }
    return _read_scalars_as_text(schema)


def _read_scalars_as_text(schema: Schema) -> Schema:
    """Return a schema in which options, mappings to text, also take numbers and truth values."""

    def relax(part: Any) -> Any:
        if isinstance(part, list):
            return [relax(item) for item in part]
        if not isinstance(part, dict):
            return part
        relaxed = {name: relax(value) for name, value in part.items()}
        if relaxed.get("additionalProperties") == {"type": "string"}:
            relaxed["additionalProperties"] = _TEXT
        return relaxed

    result: Schema = relax(schema)
    return result


def _results() -> Schema:
    """The schema of ``results.json``, and of ``--format json`` of the commands that run tests."""
    definitions: Schema = {}
    forms: list[Schema] = []
    for measure in _RESULTS:
        kind = result_class(measure)
        schema = TypeAdapter(kind).json_schema(ref_template="#/$defs/{model}")
        definitions |= schema.pop("$defs", {})
        schema["properties"] = _with_measure(schema["properties"], kind)
        schema["required"] = list(dict.fromkeys(["measure", *schema.get("required", ())]))
        schema["additionalProperties"] = False  # as when results are read
        definitions[kind.__name__] = schema
        forms.append({"$ref": f"#/$defs/{kind.__name__}"})
    _allow_fractions(definitions)
    return {
        "type": "object",
        "properties": {
            "weatherglass": {"type": "string"},
            "source": {"type": ["object", "null"]},
            "results": {"type": "array", "items": {"anyOf": forms}},
        },
        "required": ["weatherglass", "results"],
        "$defs": definitions,
    }


def _with_measure(properties: Schema, kind: type[Result]) -> Schema:
    """Return the fields as they are written: with the measure's name, and with the finding."""
    text: Schema = {"type": "string"}
    written = {**properties, "grade": text, "finding": text}
    if "measure" in properties:  # one class for all measures of word sets but WEAT
        return written | {
            "measure": {"enum": [name for name in MEASURES if name not in _OWN_CLASS]}
        }
    return {"measure": {"const": kind.measure}, **written}


def _allow_fractions(definitions: Schema) -> None:
    """A p-value that was not counted is written without its count."""
    if "PValue" in definitions:
        definitions["PValue"].pop("additionalProperties", None)


def _check() -> Schema:
    schema = TypeAdapter(Check).json_schema(ref_template="#/$defs/{model}")
    schema["properties"] = {
        "measure": {"const": Check.measure},
        "passed": {"type": "boolean"},
        "exit_code": {"enum": [0, 1, 3]},
        **schema["properties"],
    }
    schema["required"] = ["measure", "passed", "exit_code", *schema["required"]]
    return schema


SCHEMAS: dict[str, tuple[str, Callable[[], Schema]]] = {
    "tests": ("Tests of Weatherglass", _tests),
    "suite": ("A suite of Weatherglass", _suite),
    "policy": ("A policy of Weatherglass", _policy),
    "results": ("Results of Weatherglass", _results),
    "check": ("The record of a check by Weatherglass", _check),
}
"""The title of each schema, and the function that builds it."""
