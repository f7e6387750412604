"""Users' own tests: all formats are read, and every mistake gets a sentence."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from weatherglass import catalog
from weatherglass._files import records
from weatherglass.errors import CatalogError

TEST = "x: [yes, on]\ny: [no, off]\na: [null, ~, 1e5]\nb: ['0x1f', 1_000, 12:30, 2001-01-01]\n"
SENTENCE_TEST = {
    "targ1": {"category": "Flowers", "examples": ["This is a rose.", "That is a lily."]},
    "targ2": {"category": "Insects", "examples": ["This is an ant."]},
    "attr1": {"category": "Pleasant", "examples": ["love"]},
    "attr2": {"category": "Unpleasant", "examples": ["hate"]},
}


@pytest.fixture
def write(tmp_path: Path):
    def write(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


def problem(path: Path) -> str:
    with pytest.raises(CatalogError) as caught:
        catalog.load_tests(path)
    return str(caught.value)


def test_words_in_yaml_stay_text(write) -> None:
    (test,) = catalog.load_tests(write("mine.yaml", TEST))
    assert test.id == "mine"
    assert test.x.words == ("yes", "on")
    assert test.y.words == ("no", "off")
    assert test.a.words == ("null", "~", "1e5")
    assert test.b.words == ("0x1f", "1_000", "12:30", "2001-01-01")


@pytest.mark.parametrize(
    ("content", "ids"),
    [
        ("- {id: p, x: [a], y: [b], a: [c], b: [d]}\n- {x: [a], y: [b], a: [c], b: [d]}", "p f-2"),
        ("tests: [{x: [a], y: [b], a: [c], b: [d]}]", "f"),
        (
            "tests: {p: {x: [a], y: [b], a: [c], b: [d]}, q: {x: [a], y: [b], a: [c], b: [d]}}",
            "p q",
        ),
        ("{x: [a], y: [b], a: [c], b: [d]}\n---\n{x: [a], y: [b], a: [c], b: [d]}", "f-1 f-2"),
        ("\ufeff{x: [a], y: [b], a: [c], b: [d]}", "f"),
    ],
)
def test_tests_are_read_from_every_form_of_yaml(write, content: str, ids: str) -> None:
    assert [test.id for test in catalog.load_tests(write("f.yml", content))] == ids.split()


def test_json_of_the_sentence_bias_work_is_read(write) -> None:
    for text in (json.dumps(SENTENCE_TEST), json.dumps(SENTENCE_TEST, indent=2)):
        (test,) = catalog.load_tests(write("mine.jsonl", text))
        assert isinstance(test, catalog.Test)
        assert (test.id, test.x.label, test.title[:18]) == ("mine", "Flowers", "Flowers vs Insects")
        assert test.x.words == ("This is a rose.", "That is a lily.")
    lines = f"{json.dumps(SENTENCE_TEST)}\n\n{json.dumps(SENTENCE_TEST)}\n"
    assert [test.id for test in catalog.load_tests(write("m.jsonl", lines))] == ["m-1", "m-2"]


def test_catalogue_tests_round_trip_through_json_files(write) -> None:
    for test in catalog.tests():
        path = write("again.json", test.model_dump_json())
        assert catalog.load_tests(path) == (test,)


def test_folder_of_tests_is_read_in_natural_order(write, tmp_path: Path) -> None:
    for name in ("t10.yaml", "t9.json", "note.txt", ".hidden.yaml"):
        write(name, json.dumps(SENTENCE_TEST) if "t" in name[:1] else "x")
    assert [test.id for test in catalog.load_tests(tmp_path)] == ["t9", "t10"]
    write("other.yaml", f"id: t9\n{TEST}")
    assert "duplicate id 't9', also in" in problem(tmp_path)


def test_facts_are_read_from_a_file_in_the_same_folder(write) -> None:
    write("women.csv", "value,word,row\n90.1,nurse,1\n0.7,no,2\n")
    yaml = "{a: [she], b: [he], facts: {name: Women, unit: percent, file: women.csv}}"
    (test,) = catalog.load_tests(write("mine.yaml", yaml))
    assert isinstance(test, catalog.FactualTest)
    assert test.targets.words == ("nurse", "no")
    assert test.facts.values == (90.1, 0.7)
    assert test.facts.provenance == "women.csv"


def test_facts_outside_the_folder_are_refused(write, tmp_path: Path) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    write("women.csv", "word,value\nnurse,90.1\n")
    for name in ("../women.csv", str(tmp_path / "women.csv")):
        text = f"{{a: [she], b: [he], facts: {{file: {name}}}}}"
        assert "a CSV file in the same folder was expected" in problem(
            write("inside/mine.yaml", text)
        )


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("f.yaml", "x: [a\ny: b]: c", "f.yaml, line 2, column"),
        ("f.yaml", "x: &w [a]\ny: *w", "line 1, column 4: anchors and aliases"),
        ("f.yaml", "x: !!python/object:os.system [a]", "line 1, column 4: the tag"),
        ("f.yaml", "x: [a]\nx: [b]", "line 2, column 1: duplicate key 'x' in one mapping"),
        ("f.yaml", "? [a]\n: b", "a list or a mapping where a key was expected"),
        ("f.yaml", "[" * 10_000, "nested more than 24 deep"),
        ("f.yaml", 'x: ["\\U00110000"]', "not YAML"),
        ("f.yaml", "", "has no tests"),
        ("f.yaml", "tests: []", "has no tests"),
        ("f.yaml", "tests: no", "has no tests"),
        ("f.yaml", "tests: [no]", "test 'f': is 'no'; a mapping of fields was expected"),
        ("f.yaml", "{tests: [], other: 1}", "unexpected key 'other' next to 'tests'"),
        ("f.yaml", "x: [a]", "test 'f': y is missing. There are 2 more problems"),
        (
            "f.yaml",
            "x: [a]\ny: [b]\na: [c]\nb: [d]\nstudy: calskan2017",
            "Did you mean caliskan2017?",
        ),
        ("f.yaml", "{id: t, x: [a], y: [b], a: [c], b: [d], targ1: [e]}", "has a set twice"),
        ("f.yaml", b"x: [\xff]", "f.yaml, line 1: byte 5 is not UTF-8"),
        ("f.yaml", b"x: [\x00]", "not YAML"),
        ("f.json", '{"targ1": [', "f.json, line 1, column 12: not JSON"),
        ("f.json", "[" * 100_000, "f.json: nested too deep"),
        ("f.json", "9" * 10_000, "too many digits"),
        ("f.json", '{"x": 1, "x": 2}', "duplicate key 'x' in one object"),
        (
            "f.json",
            '{"x": [1], "y": ["b"], "a": ["c"], "b": ["d"]}',
            "x.words item 1 is 1; text was",
        ),
        ("f.json", '{"targets": ["a"], "a": ["c"], "b": ["d"], "facts": [NaN]}', "a finite number"),
        ("f.txt", TEST, "its name must end in .yaml, .yml, .json, .jsonl"),
    ],
)
def test_mistakes_in_test_files_are_plain_sentences(
    write, name: str, content: str | bytes, message: str
) -> None:
    assert message in problem(write(name, content))


@pytest.mark.parametrize("compiled", [True, False])
def test_yaml_is_read_the_same_without_the_compiled_parser(
    write, monkeypatch: pytest.MonkeyPatch, compiled: bool
) -> None:
    monkeypatch.setattr("yaml.__with_libyaml__", compiled and yaml.__with_libyaml__)
    (test,) = catalog.load_tests(write("mine.yaml", TEST))
    assert test.a.words == ("null", "~", "1e5")
    for bad in ("[" * 10_000, "x: [a", "\x07", "x: &w [a]", 'x: "\\U00110000"', "@", "\ufffe"):
        assert problem(write("bad.yaml", bad))


def test_duplicate_test_ids_are_refused(write) -> None:
    record = "{id: t, x: [a], y: [b], a: [c], b: [d]}"
    assert "f.yaml: duplicate id 't'." in problem(write("f.yaml", f"[{record}, {record}]"))


def test_missing_files_and_empty_folders_are_reported(tmp_path: Path) -> None:
    assert problem(tmp_path / "none.yaml").endswith("no such file or folder.")
    assert "has no file of tests" in problem(tmp_path)
    assert "a\\x00b.yaml: " in problem(Path("a\0b.yaml"))


def test_large_test_file_is_refused(write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "MAX_BYTES", 20)
    assert "larger than" in problem(write("f.yaml", TEST))


def test_check_returns_valid_tests_and_all_problems(write) -> None:
    text = "tests:\n  good: {x: [a], y: [b], a: [c], b: [d]}\n  bad: {x: [a], y: [b]}\n"
    checked = catalog.check_tests(write("f.yaml", text))
    assert [test.id for test in checked.tests] == ["good"]
    assert [problem.split(": ", 1)[1] for problem in checked.problems] == [
        "test 'bad': a is missing.",
        "test 'bad': b is missing.",
    ]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("word,value\nnurse,many\n", "line 2: value is 'many'; a number such as 12.5"),
        ("word,value\nnurse,1\nnurse,2\n", "line 3: duplicate 'nurse'"),
        ("word,value\nnurse,\n", "line 2: value is empty"),
        ("word,value\n ,1\n", "line 2: word is empty"),
        ("word,value\nnurse,nan\n", "line 2: value is 'nan'"),
        ("word,value\nnurse,1_0\n", "line 2: value is '1_0'"),
        ("word,value\nnurse,1,2\n", "line 2: has 3 columns; the first line has 2"),
        ("nurse,1\n", "line 1: the header is 'nurse,1'; the columns word, value were expected"),
        ("word,value\n", "has only a header"),
        ("", "line 1: the header is ''"),
        ('word,value\n"nurse,1\n', "line 2: not CSV"),
    ],
)
def test_mistakes_in_facts_files_are_reported_with_the_line(
    write, content: str, message: str
) -> None:
    with pytest.raises(CatalogError) as caught:
        catalog.load_facts(write("facts.csv", content))
    assert message in str(caught.value)


def test_facts_are_read_from_a_tsv_file(write) -> None:
    path = write("facts.tsv", "word\tvalue\n\nnurse\t9e1\nno\t-.5\n")
    assert catalog.load_facts(path) == {"nurse": 90.0, "no": -0.5}


def test_lone_surrogate_in_a_word_is_kept(write) -> None:
    # Vocabularies in no known encoding have such words; a test must be able to name them.
    text = '{"x": ["\\udcff"], "y": ["b"], "a": ["c"], "b": ["d"]}'
    (test,) = catalog.load_tests(write("f.json", text))
    assert test.x.words == ("\udcff",)
    assert json.loads(json.dumps(test.model_dump()))["x"]["words"] == ["\udcff"]


def outcome(load, path: Path) -> str:
    """Return the error message; empty if the file loads."""
    try:
        assert load(path)
    except CatalogError as error:
        return str(error)
    return ""


quiet = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
yamlish = st.text(st.sampled_from("xyab:[]{},-'\"\n #&*!|>?0~\\u\ud83dtarg1facts"), max_size=80)


@quiet
@given(
    content=st.one_of(st.binary(max_size=200), yamlish.map(lambda t: t.encode("utf-8", "replace"))),
    suffix=st.sampled_from(["yaml", "json", "jsonl"]),
)
def test_any_bytes_are_tests_or_refused(tmp_path: Path, content: bytes, suffix: str) -> None:
    path = tmp_path / f"any.{suffix}"
    path.write_bytes(content)
    assert outcome(catalog.load_tests, path).isprintable()


values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["label", "words", "values", "name", "file"]), inner)
    ),
    max_leaves=6,
)
fields = ["x", "y", "a", "b", "targets", "facts", "id", "title", "study", "published", "human"]


@quiet
@given(record=st.dictionaries(st.sampled_from(fields), values), more=values)
def test_any_record_is_a_test_or_refused(tmp_path: Path, record: object, more: object) -> None:
    path = tmp_path / "any.json"
    for document in (record, {"tests": record}, [record, more], {"tests": more}):
        path.write_text(json.dumps(document))
        assert outcome(catalog.load_tests, path).isprintable()


@quiet
@given(content=st.binary(max_size=200) | st.just(b"word,value\n") | st.text().map(str.encode))
def test_any_bytes_are_facts_or_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "any.csv"
    for whole in (content, b"word,value\n" + content):
        path.write_bytes(whole)
        assert outcome(catalog.load_facts, path).isprintable()


def test_a_third_target_set_is_written_as_groups(tmp_path):
    file = tmp_path / "three.yaml"
    file.write_text("{x: [a], y: [b], z: [c], a: [d], b: [e]}")
    with pytest.raises(CatalogError, match="three or more target sets as groups"):
        catalog.load_tests(file)
    file.write_text("{groups: {p: [a], q: [b], r: [c]}, a: [d], language: deu}")
    (test,) = catalog.load_tests(file)
    assert (test.kind, test.language, list(test.sets)) == ("groups", "de", ["X1", "X2", "X3", "A"])
    file.write_text("{x: [a], y: [b], a: [d], b: [e], language: Klingonish}")
    with pytest.raises(CatalogError, match=r"language .*'Klingonish' is no language"):
        catalog.load_tests(file)
