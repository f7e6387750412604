"""Safetensors and model2vec folders."""

from __future__ import annotations

import json

import numpy as np
import pytest

from weatherglass.errors import BadContent, UsageError
from weatherglass.vectors import open_vectors

ROWS = np.array([[1.5, -2], [0.15625, 4], [5, 3e38]], dtype=np.float32)
HALVES = (ROWS.view(np.uint32) >> 16).astype("<u2")


def tensors(tables, **changes):
    """Return a file: length, JSON header, raw numbers."""
    header, body = {"__metadata__": {"format": "pt"}}, b""
    for name, (dtype, array) in tables.items():
        raw = np.ascontiguousarray(array).tobytes()
        offsets = [len(body), len(body) + len(raw)]
        header[name] = {
            "dtype": dtype,
            "shape": list(array.shape),
            "data_offsets": offsets,
        } | changes
        body += raw
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + body


@pytest.fixture
def model(tmp_path):
    """Return a function that writes a model2vec folder."""

    def write(content):
        (tmp_path / "model.safetensors").write_bytes(content)
        vocabulary = {"c": 2, "a": 0, "b": 1}
        (tmp_path / "tokenizer.json").write_text(json.dumps({"model": {"vocab": vocabulary}}))
        (tmp_path / "config.json").write_text("{}")
        return tmp_path

    return write


@pytest.mark.parametrize(
    ("dtype", "array", "expected"),
    [
        ("F32", ROWS, ROWS),
        ("F64", ROWS.astype("<f8"), ROWS),
        ("BF16", HALVES, (HALVES.astype(np.uint32) << 16).view(np.float32)),
        ("F16", ROWS[:, :1].astype("<f2"), ROWS[:, :1]),
        ("I8", np.array([[1, -2], [3, 4], [5, 6]], "i1"), np.array([[1, -2], [3, 4], [5, 6]])),
    ],
)
def test_a_model2vec_folder_is_read(dtype, array, expected, model):
    folder = model(tensors({"embeddings": (dtype, array)}))
    vectors = open_vectors(folder)
    assert list(vectors.words) == ["a", "b", "c"]
    np.testing.assert_array_equal(vectors.matrix, expected)
    np.testing.assert_array_equal(open_vectors(folder, words=["b"]).matrix, expected[[1]])
    assert open_vectors(folder / "model.safetensors").fingerprint == vectors.fingerprint


def test_the_tensor_option_chooses_one_of_several_tables(model):
    folder = model(
        tensors({"first": ("F32", ROWS), "second": ("F32", -ROWS), "one": ("F32", ROWS[0])})
    )
    with pytest.raises(UsageError, match=r"'first', 'second'; choose one with .*\?tensor=NAME"):
        open_vectors(folder)
    np.testing.assert_array_equal(open_vectors(f"{folder}?tensor=second").matrix, -ROWS)
    np.testing.assert_array_equal(open_vectors(f"{folder}?tensor=first").matrix, ROWS)


@pytest.mark.parametrize(
    "changes",
    [
        {"shape": [10**18, 2]},
        {"shape": [-3, -2]},
        {"shape": [0, 2]},
        {"shape": ["x", 2]},
        {"shape": ["3", "2"]},
        {"shape": [3.0, 2.0]},
        {"shape": [2.9, 2.9]},
        {"shape": [True, 6]},
        {"shape": 2},
        {"shape": None},
        {"data_offsets": [0.0, 24.0]},
        {"data_offsets": [8, 32]},
        {"dtype": "F8_E4M3"},
        {"dtype": ["F32"]},
        {"data_offsets": [0, 10**18]},
        {"data_offsets": [-24, 0]},
        {"data_offsets": 3},
        {"shape": [10**9, 2], "data_offsets": [0, 8 * 10**9]},
    ],
    ids=str,
)
def test_a_safetensors_header_that_does_not_match_the_file_is_refused(changes, model):
    with pytest.raises(BadContent, match="does not match its header"):
        open_vectors(model(tensors({"embeddings": ("F32", ROWS)}, **changes)))


@pytest.mark.parametrize("changes", [{"shape": [6]}, {"shape": [1, 2, 3]}], ids=str)
def test_a_tensor_that_is_not_a_table_is_ignored(changes, model):
    with pytest.raises(UsageError, match="these tables: none"):
        open_vectors(model(tensors({"embeddings": ("F32", ROWS)}, **changes)))


@pytest.mark.parametrize("size", [8, 9, 40, -8])
def test_a_truncated_safetensors_file_is_refused(size, model):
    with pytest.raises(BadContent, match=r"cut.off"):
        open_vectors(model(tensors({"embeddings": ("F32", ROWS)})[:size]))


def test_a_safetensors_header_of_terabytes_is_not_read(model):
    with pytest.raises(BadContent, match="damaged or cut-off safetensors file"):
        open_vectors(model((1 << 40).to_bytes(8, "little") + b'{"a": 1}'))


def header_of(entries):
    """Return the entries of a header as text, so that a name can be there twice."""
    text = "{" + ",".join(f'"{name}":{json.dumps(entry)}' for name, entry in entries) + "}"
    return len(text).to_bytes(8, "little") + text.encode()


def entry(first, last, shape, dtype="F32"):
    return {"dtype": dtype, "shape": shape, "data_offsets": [first, last]}


STRICT = {
    "duplicate name": ([("embeddings", entry(0, 24, [3, 2]))] * 2, 24),
    "overlap": ([("embeddings", entry(0, 24, [3, 2])), ("other", entry(16, 24, [2]))], 24),
    "gap": ([("embeddings", entry(8, 32, [3, 2]))], 32),
    "gap between": ([("embeddings", entry(0, 24, [3, 2])), ("other", entry(32, 40, [2]))], 40),
    "bytes after the last tensor": ([("embeddings", entry(0, 24, [3, 2]))], 32),
    "another tensor of the wrong size": (
        [("embeddings", entry(0, 24, [3, 2])), ("other", entry(24, 32, [3]))],
        32,
    ),
    "unknown type": (
        [("embeddings", entry(0, 24, [3, 2])), ("other", entry(24, 32, [2], "F33"))],
        32,
    ),
    "integers as text": ([("embeddings", entry(0, 24, ["3", "2"]))], 24),
    "fractions": ([("embeddings", entry(0, 24, [3.0, 2.0]))], 24),
}  # fmt: skip


@pytest.mark.parametrize("name", STRICT)
def test_what_the_reference_implementation_refuses_is_refused(name, model):
    entries, size = STRICT[name]
    content = header_of(entries) + bytes(range(1, size + 1))
    with pytest.raises(BadContent):
        open_vectors(model(content))
    reference = pytest.importorskip("safetensors", reason="the reference is a second opinion")
    if name != "duplicate name":  # the reference takes the last one; its format forbids it
        with pytest.raises(reference.SafetensorError):
            reference.deserialize(content)
