"""A schema accepts any document or says in a sentence what is wrong with it.

The schemas are collected, not listed: all records of the catalogue and of audits, and all results.
"""

from __future__ import annotations

import dataclasses
import importlib
import json
import pkgutil

import pytest
from fuzz.targets import check_message
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

import weatherglass
from weatherglass.catalog.provenance import Record
from weatherglass.catalog.validation import list_problems, validation_error
from weatherglass.errors import BadContent, CatalogError
from weatherglass.measures.result import _HOMES, result_class

for _name in ("catalog", "auditing", "seedlab"):
    _package = importlib.import_module(f"weatherglass.{_name}")
    for _module in pkgutil.walk_packages(_package.__path__, f"weatherglass.{_name}."):
        importlib.import_module(_module.name)


def below(kind: type) -> list[type]:
    """Return the subclasses of a class, and theirs."""
    return [child for sub in kind.__subclasses__() for child in (sub, *below(sub))]


# A class whose name begins with an underscore is only a base class.
SCHEMAS = sorted({schema for schema in below(Record) if schema.__name__[0] != "_"}, key=str)
RECORDS = sorted(
    {
        *map(result_class, (*_HOMES, "rnd")),
        *(weatherglass.Check, weatherglass.Finding, weatherglass.CrowdStudy),
    },
    key=str,
)
_fuzz = settings(suppress_health_check=list(HealthCheck))
_text = st.sampled_from(
    ["", "rose", "1", "-1", "1e999", "< 1e-3", "nan", "\0", "\x1b[31m", "\u202e"]
)
_leaf = st.none() | st.booleans() | st.integers() | st.floats() | _text | st.text(max_size=8)
_value = st.recursive(
    _leaf,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            _text | st.sampled_from(["word", "words", "label", "kind"]), inner, max_size=3
        )
    ),
    max_leaves=6,
)


def documents(names: list[str]) -> st.SearchStrategy[dict[str, object]]:
    """Mappings with some of a schema's fields, and sometimes an unknown field."""
    return st.dictionaries(st.sampled_from([*names, "other"]), _value, max_size=len(names))


def test_all_schemas_and_results_are_collected():
    names = {schema.__name__ for schema in SCHEMAS}
    assert {"Test", "FactualTest", "WordSet", "SeedSet", "Suite", "Step", "Policy", "Axis"} <= names
    assert len(RECORDS) > 8


@pytest.mark.parametrize("schema", SCHEMAS, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("examples", [3, pytest.param(150, marks=pytest.mark.slow)])
def test_a_schema_accepts_a_document_or_says_what_is_wrong(schema, examples):
    @settings(_fuzz, max_examples=examples)
    @given(documents(list(schema.model_fields)))
    def check(document):
        try:
            record = schema.model_validate(document)
        except ValidationError as error:
            problems = list_problems(validation_error(error, "mine.yaml", schema.model_fields))
        except CatalogError as error:
            problems = list_problems(error)
        else:
            assert schema.model_validate(record) == record
            return
        for message in problems:
            check_message(str(CatalogError(message)))

    check()


@pytest.mark.parametrize("record", RECORDS, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("examples", [3, pytest.param(150, marks=pytest.mark.slow)])
def test_a_result_in_json_is_read_or_refused(record, examples):
    @settings(_fuzz, max_examples=examples)
    @given(documents([field.name for field in dataclasses.fields(record)]))
    def check(document):
        try:
            record.from_json(json.dumps(document))
        except BadContent as error:
            check_message(str(error))

    check()


def test_every_public_result_with_from_json_is_fuzzed():
    public = [getattr(weatherglass, name) for name in weatherglass.__all__]
    readers = {item for item in public if isinstance(item, type) and hasattr(item, "from_json")}
    assert {reader.__name__ for reader in readers} <= {
        *(record.__name__ for record in RECORDS),
        "Results",  # which has seeds
    }
