"""The history of vectors stays with them, in their file or beside it, and is not taken on trust."""

import dataclasses
import json
import shutil

import numpy as np
import pytest

import weatherglass as wg
from weatherglass.vectors import Vectors, describe_history, format_for_writing, open_vectors
from weatherglass.vectors.history import history_path, new_entry, write_vectors

WORDS = ["he", "she", "man", "woman", "nurse", "pilot"]
ENDINGS = [".npz", ".safetensors", ".parquet", ".arrow", ".txt", ".txt.gz", ".vec", ".bin", ".npy"]


@pytest.fixture
def debiased():
    rows = np.random.default_rng(0).standard_normal((len(WORDS), 4)).astype(np.float32)
    vectors = Vectors.of(WORDS, rows, source="/home/me/secret folder/v.txt")
    return wg.debias(vectors, [["she", "he"], ["woman", "man"]])


def write(vectors, path):
    write_vectors(vectors, path, format_for_writing(path))


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("words", [None, ["nurse", "pilot"]])
def test_a_debiased_file_carries_its_history(debiased, tmp_path, monkeypatch, ending, words):
    monkeypatch.setenv("WEATHERGLASS_CACHE_DIR", str(tmp_path / "cache"))
    path = tmp_path / f"plain{ending}"
    write(debiased, path)
    for _ in range(2):  # parsed, and from the cache
        assert open_vectors(path, words=words).history == debiased.history
        open_vectors(path)
    (text,) = describe_history(open_vectors(path).history)
    assert text.startswith("Debiased from 'v.txt': pairs 'she/he', 'woman/man', hard debiasing")
    assert "secret" not in json.dumps(debiased.history)


@pytest.mark.parametrize("ending", ENDINGS)
def test_history_changes_no_number_and_the_same_history_gives_the_same_bytes(
    debiased, tmp_path, ending
):
    paths = [tmp_path / name / f"plain{ending}" for name in "ab"]
    for path in paths:
        path.parent.mkdir()
        write(debiased, path)
    assert paths[0].read_bytes() == paths[1].read_bytes()
    bare = dataclasses.replace(debiased, history=())
    write(bare, paths[1])
    first, second = map(open_vectors, paths)
    assert second.history == ()
    np.testing.assert_array_equal(first.matrix, second.matrix)


def test_history_is_found_after_a_move_with_its_file_and_the_fingerprint_stays(debiased, tmp_path):
    path, moved = tmp_path / "plain.txt", tmp_path / "elsewhere" / "other.txt"
    write(debiased, path)
    before = open_vectors(path)
    moved.parent.mkdir()
    shutil.move(path, moved)
    assert open_vectors(moved).history == ()
    shutil.move(history_path(path), history_path(moved))
    after = open_vectors(moved)
    assert (after.history, after.fingerprint) == (before.history, before.fingerprint)


def test_the_history_of_other_content_is_not_believed(debiased, tmp_path):
    path = tmp_path / "plain.txt"
    write(debiased, path)
    path.write_text(path.read_text().replace("pilot", "baker"))
    (text,) = describe_history(open_vectors(path).history)
    assert "not known: 'plain.txt.history is about other content'" in text
    history_path(path).write_text("{}")
    assert "is damaged" in describe_history(open_vectors(path).history)[0]


def test_writing_a_file_anew_replaces_the_history_of_the_old_one(debiased, tmp_path):
    path = tmp_path / "plain.txt"
    write(debiased, path)
    write(dataclasses.replace(debiased, history=()), path)
    assert not history_path(path).exists()


def test_hostile_history_is_printed_without_control_characters():
    entry = {"action": "\x1b[31mx", "from": "\x1b[2J", "weatherglass": "\x1b", "pairs": [["\x1b"]]}
    (text,) = describe_history([entry | {"method": "\x1b]0;"}])
    assert "\x1b" not in text


def test_results_say_that_their_source_was_debiased(debiased):
    sets = {"X": ["nurse", "pilot"], "A": ["she"], "B": ["he"]}
    result = wg.measure(debiased, "semaxis", sets)
    assert "Debiased from 'v.txt'" in result.history[0]
    again = type(result).from_json(result.to_json())
    assert again.history == result.history
    assert wg.measure(Vectors.of(WORDS, debiased.matrix), "semaxis", sets).history == ()


def test_sentence_tests_say_that_the_word_vectors_were_debiased(debiased):
    from weatherglass.encoders.cbow import Cbow

    test = wg.Test(x=["nurse", "he"], y=["pilot", "she"], a=["man"], b=["woman"])
    (result,) = wg.seat(Cbow(debiased), test)
    assert "Debiased" in result.history[0]


def test_a_conversion_adds_to_the_history(debiased):
    vectors = dataclasses.replace(
        debiased, history=(*debiased.history, new_entry("convert", debiased))
    )
    assert [entry["action"] for entry in vectors.history] == ["debias", "convert"]
    assert vectors.history[1]["fingerprint"] == debiased.fingerprint
