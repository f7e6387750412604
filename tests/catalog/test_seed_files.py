"""Users' own seed sets: all formats are read and written, and every mistake gets a sentence."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import weatherglass as wg
from weatherglass.catalog import SEED_FORMATS, SeedSet, format_seeds, load_seeds, seed_sets, seeds
from weatherglass.errors import CatalogError, UsageError


@pytest.fixture
def write(tmp_path: Path):
    def write(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


def words_by_id(path: Path) -> dict[str, str]:
    return {seed_set.id: " ".join(seed_set.words) for seed_set in load_seeds(path)}


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("f.txt", "no\n on \n\nnull\nno\n", {"f": "no on null no"}),
        ("f.yaml", "[no, on, null, 1e5, no]", {"f": "no on null 1e5 no"}),
        ("f.yml", "words: [no, on]", {"f": "no on"}),
        ("f.yaml", "{id: mine, words: [no]}", {"mine": "no"}),
        ("f.yaml", "p: [a, b]\nq: [c]", {"p": "a b", "q": "c"}),
        ("f.yaml", "p: {words: [a], concept: x}", {"p": "a"}),
        ("f.yaml", "seeds: {p: [a], q: {words: [b]}}", {"p": "a", "q": "b"}),
        ("f.yaml", "- {words: [a]}\n- {id: q, words: [b]}", {"f-1": "a", "q": "b"}),
        ("f.yaml", "seeds: [{id: p, words: [a]}]", {"p": "a"}),
        ("f.json", '{"p": ["a", "b"]}', {"p": "a b"}),
        ("f.json", '["a", "a"]', {"f": "a a"}),
        ("f.csv", "word\nno\non\n", {"f": "no on"}),
        ("f.csv", "set,word\nq,a\np,b\nq,a\n", {"q": "a a", "p": "b"}),
        ("f.tsv", "word\tset\tconcept\na\tp\tx\n", {"p": "a"}),
        ("f.CSV", '\ufeffword,more\n"New York",1\n', {"f": "New York"}),
    ],
)
def test_seed_sets_are_read_from_every_format(
    write, name: str, content: str, expected: dict[str, str]
) -> None:
    assert words_by_id(write(name, content)) == expected


def test_provenance_of_seed_sets_is_read(write) -> None:
    content = """
        id: boats
        concept: ships
        words: [brig, yawl]
        study: {authors: [A. Author], year: 2020, title: Boats}
        sources: [curated, corpus-derived]
        description: Kinds of boat.
        contains_names: yes
    """
    (seed_set,) = load_seeds(write("f.yaml", content))
    assert (seed_set.concept, seed_set.study.short, seed_set.contains_names) == (
        "ships",
        "Author 2020",
        True,
    )
    (seed_set,) = load_seeds(write("f.yaml", "{words: [a], study: garg2018}"))
    assert seed_set.study == seeds("islam-Garg_et_al_2018").study


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("f.doc", "a", "f.doc: its name must end in one of .yaml, .yml, .json, .csv, .tsv, .txt"),
        ("f.txt", " \n\n", "f.txt: the seed set 'f' has no words."),
        ("f.txt", b"a\n\xff\n", "f.txt, line 2: byte 3 is not UTF-8"),
        ("f.csv", "words\na\n", "f.csv, line 1: the header is 'words'; the columns word were"),
        ("f.csv", "set,word\np,a\np, \n", "f.csv, line 3: has no word."),
        (
            "f.csv",
            "set,concept,word\np,x,a\np,y,b\n",
            "f.csv, line 3: the set 'p' has the concept 'y' here and 'x' before.",
        ),
        ("f.csv", "word\n", "f.csv: has only a header; one word per line was expected."),
        ("f.yaml", "", "f.yaml: has 0 documents; one was expected."),
        ("f.yaml", "a\n---\nb", "f.yaml: has 2 documents; one was expected."),
        ("f.yaml", "no", "f.yaml: seed set 'f': is 'no'; a list of words was expected."),
        ("f.yaml", "p: no", "f.yaml: seed set 'p': is 'no'; a list of words was expected."),
        ("f.yaml", "words: no", "f.yaml: seed set 'f': words is the text 'no'; a list of words"),
        ("f.yaml", "[a, [b]]", "f.yaml: seed set 'f': words item 2 is a list of 1; text was"),
        ("f.yaml", "['']", "f.yaml: seed set 'f': words has an empty word"),
        ("f.yaml", "[]", "f.yaml: the seed set 'f' has no words."),
        ("f.yaml", "seeds: {}", "f.yaml: has no seed sets"),
        ("f.yaml", "{words: [a], sourcse: [curated]}", "Did you mean sources"),
        ("f.yaml", "{words: [a], sources: [curate]}", "sources has 'curate'; did you mean curated"),
        ("f.yaml", "{words: [a], sources: [hearsay]}", "one of borrowed-from-social-sciences, "),
        ("f.yaml", "{words: [a], study: garg2019}", "'garg2019' is not in the catalogue. Did you"),
        ("f.yaml", "{words: [a], id: ' '}", "id is ' '; visible characters on one line were"),
        ("f.yaml", "- {id: p, words: [a]}\n- {id: p, words: [b]}", "f.yaml: duplicate id 'p'."),
        ("f.json", "{", "f.json, line 1, column 2: not JSON"),
        ("f.json", "[1]", "f.json: seed set 'f': words item 1 is 1; text was expected."),
    ],
)
def test_mistakes_in_seed_files_are_plain_sentences(
    write, name: str, content: str | bytes, message: str
) -> None:
    with pytest.raises(CatalogError) as caught:
        load_seeds(write(name, content))
    assert message in str(caught.value)


def test_missing_seed_file_is_reported(tmp_path: Path) -> None:
    with pytest.raises(CatalogError, match=r"none\.txt: cannot be read"):
        load_seeds(tmp_path / "none.txt")
    (tmp_path / "folder.yaml").mkdir()
    with pytest.raises(CatalogError, match=r"folder\.yaml: cannot be read"):
        load_seeds(tmp_path / "folder.yaml")


def test_own_seed_sets_can_be_used_in_a_test(write) -> None:
    path = write("mine.yaml", "{stars: [sun, sirius], stones: [flint, slate]}")
    stars, stones = wg.load_seeds(path)
    test = wg.Test(x=stars, y=stones, a=["bright"], b=["dark"])
    assert test.title == "stars vs stones; bright vs dark"


@pytest.mark.parametrize("form", ["yaml", "json"])
def test_all_seed_sets_of_the_catalogue_round_trip_through_files(write, form: str) -> None:
    with_words = [seed_set for seed_set in seed_sets() if seed_set.words]
    assert load_seeds(write(f"all.{form}", format_seeds(with_words, form))) == tuple(with_words)


def test_formats_that_cannot_hold_seed_sets_are_refused() -> None:
    two_sets = [SeedSet(id="p", words=["a"]), SeedSet(id="q", words=["b"])]
    with pytest.raises(UsageError, match="holds one seed set, not 2"):
        format_seeds(two_sets, "txt")
    with pytest.raises(UsageError, match=r"'a\\nb' does not fit on a line"):
        format_seeds([SeedSet(id="p", words=["a\nb"])], "txt")
    with pytest.raises(UsageError, match="not valid Unicode, and yaml cannot hold it"):
        format_seeds([SeedSet(id="p", words=["\udcff"])], "yaml")
    with pytest.raises(UsageError, match="'xml'; one of yaml, json, csv, txt was expected"):
        format_seeds(two_sets, "xml")


quiet = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
texts = st.text(max_size=8).filter(str.strip)
ids = st.text(min_size=1, max_size=8).filter(lambda text: text.strip() and text.isprintable())
sets = st.builds(
    SeedSet,
    id=ids,
    concept=st.text(max_size=5),
    words=st.lists(texts, min_size=1, max_size=20),
    description=st.text(max_size=20),
    sources=st.lists(st.sampled_from(["curated", "re-used"]), max_size=2),
    contains_names=st.booleans(),
)


@quiet
@given(sets_written=st.lists(sets, min_size=1, max_size=3, unique_by=lambda seed_set: seed_set.id))
def test_seed_sets_round_trip_through_files(tmp_path: Path, sets_written: list[SeedSet]) -> None:
    for form in ("yaml", "json", "csv"):
        path = tmp_path / f"again.{form}"
        path.write_text(format_seeds(sets_written, form), encoding="utf-8", newline="")
        sets_read = load_seeds(path)
        assert [(seed_set.id, seed_set.words) for seed_set in sets_read] == [
            (seed_set.id, seed_set.words) for seed_set in sets_written
        ]
        if form != "csv":
            assert sets_read == tuple(sets_written)


@quiet
@given(words=st.lists(texts, min_size=1))
def test_plain_list_of_seeds_round_trips_or_is_refused(tmp_path: Path, words: list[str]) -> None:
    path = tmp_path / "again.txt"
    try:
        text = format_seeds([SeedSet(id="again", words=words)], "txt")
    except UsageError:
        assert any(word != word.strip() or len(word.splitlines()) > 1 for word in words)
        return
    path.write_text(text, encoding="utf-8", newline="")
    assert load_seeds(path)[0].words == tuple(words)


def outcome(path: Path) -> str:
    """Return the error message; empty if the file loads."""
    try:
        assert load_seeds(path)
    except CatalogError as error:
        return str(error)
    return ""


yamlish = st.text(st.sampled_from("abws:[]{},-'\"\n #&*!|>?0~\\ustudy"), max_size=80)


@quiet
@given(
    content=st.one_of(st.binary(max_size=200), yamlish.map(str.encode), st.text().map(str.encode)),
    suffix=st.sampled_from([*SEED_FORMATS, "tsv"]),
)
def test_any_bytes_are_seed_sets_or_refused(tmp_path: Path, content: bytes, suffix: str) -> None:
    path = tmp_path / f"any.{suffix}"
    for whole in (content, b"word,set,concept\n" + content, b"word\tset\n" + content):
        path.write_bytes(whole)
        assert outcome(path).isprintable()


values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["words", "seeds", "id", "key", "title"]), inner)
    ),
    max_leaves=6,
)


@quiet
@given(
    record=st.dictionaries(st.sampled_from([*SeedSet.model_fields, "seeds", "x"]), values),
    more=values,
)
def test_any_record_is_a_seed_set_or_refused(tmp_path: Path, record: object, more: object) -> None:
    path = tmp_path / "any.json"
    for document in (record, {"seeds": record}, [record, more], {"seeds": more}, more):
        path.write_text(json.dumps(document))
        assert outcome(path).isprintable()
