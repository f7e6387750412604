"""Whatever a document says, a schema takes it, or says in a sentence what is wrong with it.

The schemas are found, not listed: every record of the catalogue and of audits, and every result.
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
from weatherglass.catalog.validation import complaint, problems
from weatherglass.errors import BadContent, CatalogError
from weatherglass.measures import result_set as kinds_of_results
from weatherglass.measures.result import from_json
from weatherglass.seedlab.result import Experiment

for _name in ("catalog", "auditing", "seedlab"):
    _package = importlib.import_module(f"weatherglass.{_name}")
    for _module in pkgutil.walk_packages(_package.__path__, f"weatherglass.{_name}."):
        importlib.import_module(_module.name)


def below(kind: type) -> list[type]:
    """A class's subclasses, and theirs."""
    return [one for sub in kind.__subclasses__() for one in (sub, *below(sub))]


# One that begins with an underscore is only there to be built on.
SCHEMAS = sorted({one for one in below(Record) if one.__name__[0] != "_"}, key=str)
RESULTS = [*kinds_of_results._KINDS.values(), kinds_of_results.MeasureResult]
RECORDS = sorted({*RESULTS, *Experiment.kinds.values()}, key=str)
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
    """Mappings with some of a schema's fields, and now and then one that it does not have."""
    return st.dictionaries(st.sampled_from([*names, "other"]), _value, max_size=len(names))


def test_the_schemas_are_found():
    names = {one.__name__ for one in SCHEMAS}
    assert {"Test", "FactualTest", "WordSet", "SeedSet", "Suite", "Step", "Policy", "Axis"} <= names
    assert len(RECORDS) > 8


@pytest.mark.parametrize("schema", SCHEMAS, ids=lambda one: one.__name__)
@pytest.mark.parametrize("examples", [3, pytest.param(150, marks=pytest.mark.slow)])
def test_a_schema_takes_a_document_or_says_what_is_wrong(schema, examples):
    @settings(_fuzz, max_examples=examples)
    @given(documents(list(schema.model_fields)))
    def check(document):
        try:
            made = schema.model_validate(document)
        except ValidationError as error:
            said = problems(complaint(error, "mine.yaml", schema.model_fields))
        except CatalogError as error:
            said = problems(error)
        else:
            assert schema.model_validate(made) == made
            return
        for message in said:
            check_message(str(CatalogError(message)))

    check()


@pytest.mark.parametrize("record", RECORDS, ids=lambda one: one.__name__)
@pytest.mark.parametrize("examples", [3, pytest.param(150, marks=pytest.mark.slow)])
def test_a_result_is_read_or_refused(record, examples):
    @settings(_fuzz, max_examples=examples)
    @given(documents([one.name for one in dataclasses.fields(record)]))
    def check(document):
        try:
            from_json(record, json.dumps(document), "result")
        except BadContent as error:
            check_message(str(error))

    check()


def test_every_public_result_that_reads_json_is_covered():
    named = [getattr(weatherglass, name) for name in weatherglass.__all__]
    readers = {one for one in named if isinstance(one, type) and hasattr(one, "from_json")}
    assert {one.__name__ for one in readers} <= {
        *(one.__name__ for one in RECORDS),
        *("Results", "Discovery", "Comparison", "Multiverse"),  # which have seeds
    }
