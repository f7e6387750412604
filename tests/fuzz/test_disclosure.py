"""A file from somebody else leads to no other file: nothing outside of it is even opened.

Each case writes a file that refers to a secret beside it, in every way that its format has. The
secret's folder is watched, so that an opening by a compiled library is seen, too.
"""

from __future__ import annotations

import io
import json
import os
import stat
import zipfile
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fuzz.targets import seeds

from weatherglass.corpus import open_corpus
from weatherglass.encoders import open_encoder
from weatherglass.encoders.elmo import _read_weights
from weatherglass.encoders.onnx_graph import graph_files
from weatherglass.errors import WeatherglassError
from weatherglass.vectors import describe_source, open_vectors

from .opened_files import watch

SECRET = "correct-horse 0.25 0.5\nbattery-staple 0.75 1\n"
MARKS = ("correct-horse", "battery-staple")
Write = Callable[[Path, Path], Path]


def as_npy(rows: Any) -> bytes:
    out = io.BytesIO()
    np.save(out, rows)
    return out.getvalue()


def zip_of(folder: Path, name: str, members: dict[str, bytes], link: str = "") -> Path:
    path = folder / name
    with zipfile.ZipFile(path, "w") as archive:
        for member, content in members.items():
            entry = zipfile.ZipInfo(member)
            if link:  # unpacked by a careless program, the member becomes a link
                entry.external_attr = (stat.S_IFLNK | 0o777) << 16
                content = link.encode()
            archive.writestr(entry, content)
    return path


def hdf5(kind: str) -> Write:
    def write(folder: Path, secret: Path) -> Path:
        h5py = pytest.importorskip("h5py", reason="writes the file")
        with h5py.File(folder / "v.h5", "w") as file:
            file["a"] = np.ones(2, np.float32)
            if kind == "link":
                file["b"] = h5py.ExternalLink(str(secret.with_name("secret.h5")), "/a")
            elif kind == "storage":
                file.create_dataset("b", (2,), "f4", external=[(str(secret), 0, 8)])
            else:
                layout = h5py.VirtualLayout(shape=(2,), dtype="f4")
                other = str(secret.with_name("secret.h5"))
                layout[...] = h5py.VirtualSource(other, "a", shape=(2,))
                file.create_virtual_dataset("b", layout)
        return folder / "v.h5"

    return write


def zip_with_a_path(folder: Path, secret: Path) -> Path:
    return zip_of(folder, "v.zip", {os.path.relpath(secret, folder): b"a 1 2\n"})


def zip_with_a_link(folder: Path, secret: Path) -> Path:
    return zip_of(folder, "v.zip", {"v.txt": b""}, link=str(secret))


def npz_with_a_path(folder: Path, secret: Path) -> Path:
    members = {f"{secret}.npy": as_npy(np.eye(2)), "../w.npy": as_npy(np.array(["a", "b"]))}
    return zip_of(folder, "v.npz", members)


def parquet_in_another_file(folder: Path, secret: Path) -> Path:
    """The footer says that the columns are in another file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = pa.table({"word": ["a", "b"], "vector": [[1.0], [2.0]], "text": ["x", "y"]})
    pq.write_table(rows, folder / "v.parquet")
    pq.write_table(rows, secret.with_name("secret.parquet"))
    metadata = pq.read_metadata(folder / "v.parquet")
    metadata.set_file_path(str(secret.with_name("secret.parquet")))
    metadata.write_metadata_file(folder / "v.parquet")
    return folder / "v.parquet"


def word_list_by_option(folder: Path, secret: Path) -> Path:
    """The name of the file itself looks like an option."""
    path = folder / f"v.npy?vocab={secret.name}"
    path.write_bytes(as_npy(np.eye(2)))
    return path


def safetensors_with_a_path(folder: Path, secret: Path) -> Path:
    entry = {"dtype": "F32", "shape": [1, 1], "data_offsets": [0, 4], "location": str(secret)}
    notes = {"vocab": str(secret), "tokenizer_file": str(secret)}
    header = json.dumps({"embeddings": entry, "__metadata__": notes}).encode()
    path = folder / "v.safetensors"
    path.write_bytes(len(header).to_bytes(8, "little") + header + bytes(4))
    return path


def text_with_paths(folder: Path, secret: Path) -> Path:
    path = folder / "v.txt"
    path.write_text(f"@{secret} 1 2\nfile://{secret} 1 3\n")
    return path


def tei(head: str, body: str = "") -> Write:
    def write(folder: Path, secret: Path) -> Path:
        path = folder / "c.xml"
        text = f"{head}<TEI xmlns:xi='http://www.w3.org/2001/XInclude'><text><p>x{body}</p></text></TEI>"
        path.write_text(text.replace("SECRET", secret.as_uri()).replace("PATH", str(secret)))
        return path

    return write


def table_with_a_path(folder: Path, secret: Path) -> Path:
    path = folder / "c.csv"
    path.write_text(f"text,about,file\nx,{secret},{secret}\n")
    return path


def json_with_a_path(folder: Path, secret: Path) -> Path:
    path = folder / "c.jsonl"
    path.write_text(json.dumps({"text": "x", "$ref": secret.as_uri(), "about": str(secret)}) + "\n")
    return path


VECTORS: dict[str, Write] = {
    "an HDF5 link": hdf5("link"),
    "HDF5 external storage": hdf5("storage"),
    "an HDF5 virtual data set": hdf5("virtual"),
    "a path in a zip file": zip_with_a_path,
    "a link in a zip file": zip_with_a_link,
    "a path in a .npz file": npz_with_a_path,
    "Parquet columns in another file": parquet_in_another_file,
    "a name like an option": word_list_by_option,
    "paths in safetensors": safetensors_with_a_path,
    "paths as words": text_with_paths,
}
CORPORA: dict[str, Write] = {
    "an XML entity": tei('<!DOCTYPE TEI [<!ENTITY a SYSTEM "SECRET">]>', "&a;"),
    "an XML parameter entity": tei('<!DOCTYPE TEI [<!ENTITY % a SYSTEM "SECRET">%a;]>'),
    "an XML document type": tei('<!DOCTYPE TEI SYSTEM "SECRET">'),
    "an XML document type by path": tei('<!DOCTYPE TEI PUBLIC "-//TEI" "PATH">'),
    "an XML inclusion": tei("", '<xi:include href="SECRET" parse="text"/>'),
    "an XML style sheet": tei('<?xml-stylesheet href="SECRET"?>'),
    "a path in a zip file": zip_with_a_path,
    "a link in a zip file": zip_with_a_link,
    "Parquet columns in another file": parquet_in_another_file,
    "paths in a table": table_with_a_path,
    "paths in JSON": json_with_a_path,
}


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """A file in a folder of its own, and the same as HDF5."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    (folder / "secret").write_text(SECRET)
    if _has("h5py"):
        import h5py

        with h5py.File(folder / "secret.h5", "w") as file:
            file["a"] = np.full(2, 77, np.float32)
    return folder / "secret"


def _has(*modules: str) -> bool:
    return all(find_spec(name) is not None for name in modules)


def shown(read: Callable[[], Any]) -> str:
    """Return what a reader gives or says."""
    try:
        return repr(read())
    except WeatherglassError as error:
        return str(error)


@pytest.mark.parametrize("kind", VECTORS)
def test_a_file_of_vectors_opens_no_other_file(kind, secret, tmp_path):
    folder = tmp_path / "own"
    folder.mkdir()
    path = VECTORS[kind](folder, secret)

    def read(words: Any = None) -> Any:
        vectors = open_vectors(path, words=words)
        return vectors.words[:], vectors.matrix.tolist()

    readers = [read, lambda: read(["a", *MARKS]), lambda: describe_source(path)]
    with watch(secret.parent) as opened:
        texts = [shown(reader) for reader in readers]
        if path.suffix == ".h5":
            texts.append(shown(lambda: _read_weights(path)))
    assert opened == []
    for text in texts:
        assert not any(mark in text for mark in (*MARKS, "77.0")), text


@pytest.mark.parametrize("kind", CORPORA)
def test_a_corpus_opens_no_other_file(kind, secret, tmp_path):
    folder = tmp_path / "own"
    folder.mkdir()
    path = CORPORA[kind](folder, secret)
    with watch(secret.parent) as opened:
        text = shown(lambda: [(d.text, d.meta) for d in open_corpus(path)])
    assert opened == []
    assert not any(mark in text for mark in MARKS), text


@pytest.mark.parametrize("where", ["../elsewhere/secret", "{}", "link", "a\0b"])
def test_an_onnx_graph_opens_no_file_outside_of_its_folder(where, secret, tmp_path):
    folder = tmp_path / "own"
    folder.mkdir()
    (folder / "link").symlink_to(secret)
    location = where.replace("{}", str(secret)).encode()
    graph = b"\x0a\x08location\x12" + bytes([len(location)]) + location
    for field in (13, 5, 7):
        graph = bytes([field << 3 | 2, len(graph) & 127 | 128, len(graph) >> 7]) + graph
    (folder / "model.onnx").write_bytes(graph)
    (folder / "tokenizer.json").write_bytes(seeds("encoders")["tokenizer.json"])
    with watch(secret.parent) as opened:
        text = shown(lambda: graph_files(folder / "model.onnx"))
        assert "outside of its folder" in text
        assert not any(mark in text for mark in MARKS)
        if _has("onnxruntime", "tokenizers"):
            refusal = shown(lambda: open_encoder(f"onnx:{folder}").encode(["a"]))
            assert "outside of its folder" in refusal
    assert opened == []


def test_a_file_that_is_opened_is_seen_by_the_watch(secret):
    with watch(secret.parent) as opened:
        secret.read_text()
    assert opened == ["secret"]
