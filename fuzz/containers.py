"""Containers that are built from bytes: the input of the fuzzer chooses what is in them.

Mutating a valid file rarely gives a valid container with a link, a further column or a lie about a
size. Here every input gives one, and the right answer is known: these rows, or a refusal.
"""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from weatherglass.errors import WeatherglassError

WORDS = ["rose", "lily", "wasp"]
ROWS = np.array([[0.25, -1.5], [2.5, 0.125], [-3.5, 4.75]], dtype=np.float32)
SECRET = 77.0
_SIZES = (0, 1, 2, 3, 255, 2**16, 2**31 - 1, 2**31, 2**40, 2**62, 2**63, 10**25)
_T = TypeVar("_T")


class Choices:
    """Chooses by the bytes of the input; when they are used up, the first option."""

    def __init__(self, content: bytes) -> None:
        self._bytes = iter(content)

    def number(self, limit: int) -> int:
        return next(self._bytes, 0) % limit

    def one_of(self, options: tuple[_T, ...]) -> _T:
        return options[self.number(len(options))]


def read_linked(choices: Choices, folder: Path) -> None:
    """HDF5 with links, groups, external storage and virtual data sets."""
    import h5py

    (folder / "secret").write_bytes(np.full(64, SECRET, "<f4").tobytes())
    with h5py.File(folder / "other.h5", "w") as other:
        other["a"] = np.full(2, SECRET, np.float32)
    is_complete = True
    with h5py.File(folder / "l.h5", "w") as file:
        file["first"] = ROWS[2]
        for number in range(choices.number(6)):
            name = choices.one_of(("", "g/", "g/h/")) + str(number)
            kind = choices.one_of(("row", "hard", "soft", "link", "storage", "virtual"))
            is_complete &= kind in ("row", "hard")
            _add(file, name, kind, folder)
    rows = _rows(folder / "l.h5")
    assert (rows is not None) == is_complete
    assert rows is None or not (np.array(list(rows.values())) == SECRET).any()


def _add(file: Any, name: str, kind: str, folder: Path) -> None:
    import h5py

    if kind == "row":
        file[name] = ROWS[0]
    elif kind == "hard":
        file[name] = file["first"]
    elif kind == "soft":
        file[name] = h5py.SoftLink("/first")
    elif kind == "link":
        file[name] = h5py.ExternalLink(str(folder / "other.h5"), "/a")
    elif kind == "storage":
        file.create_dataset(name, (2,), "f4", external=[(str(folder / "secret"), 0, 8)])
    else:
        layout = h5py.VirtualLayout(shape=(2,), dtype="f4")
        layout[...] = h5py.VirtualSource(str(folder / "other.h5"), "a", shape=(2,))
        file.create_virtual_dataset(name, layout)


def read_columns(choices: Choices, folder: Path) -> None:
    """Parquet or Arrow with words, vectors and any other columns, in any order."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    vector = choices.one_of(("vector", "embedding", "emb", "Vectors", "numbers"))
    columns: dict[str, Any] = {choices.one_of(("word", "Word", "token", "term", "name")): WORDS}
    if choices.number(2):
        prefix = choices.one_of(("d", "dim_", "", "V"))
        columns |= {f"{prefix}{i}": ROWS[:, i] for i in range(2)}
    else:
        columns[vector] = ROWS.tolist()
    further: tuple[tuple[str, Any], ...] = (
        *((name, [30, 20, 10]) for name in ("id", "count", "freq", "rank", "__index_level_0__")),
        *((name, [0.5, 0.25, 0.125]) for name in ("norm", "Score", "frequency")),
        *((name, ["a", "b", "c"]) for name in ("pos", "lemma", "language")),
        *((name, [[1, 2, 3]] * 3) for name in ("tokens", "senses")),
    )
    for _ in range(choices.number(5)):
        columns.setdefault(*choices.one_of(further))
    names = list(columns)
    order = [names.pop(choices.number(len(names))) for _ in range(len(names))]
    table = pa.table({name: columns[name] for name in order})
    path = folder / choices.one_of(("t.parquet", "t.arrow"))
    if path.suffix == ".parquet":
        pq.write_table(table, path)
    else:
        with pa.ipc.new_file(str(path), table.schema) as writer:
            writer.write_table(table)
    rows = _rows(path)
    if rows is not None:
        assert list(rows) == WORDS, order
        np.testing.assert_array_equal(list(rows.values()), ROWS, str(order))


def read_sizes(choices: Choices, folder: Path) -> None:
    """Headers that claim any size: NumPy, safetensors, text, fastText, GGUF, msgpack."""
    rows, width = choices.one_of(_SIZES), choices.one_of(_SIZES)
    kind = choices.one_of(("<f4", "|S0", "|S1", "<f2", "|i1", "<U1"))
    header = repr({"descr": kind, "fortran_order": False, "shape": (rows, width)}).encode() + b"\n"
    npy = b"\x93NUMPY\x01\0" + len(header).to_bytes(2, "little") + header + bytes(64)
    entry = {"dtype": "F32", "shape": [rows, width], "data_offsets": [0, choices.one_of(_SIZES)]}
    tensors = json.dumps({"embeddings": entry}).encode()
    name, content = choices.one_of(
        (
            ("v.npy", npy),
            ("v.safetensors", len(tensors).to_bytes(8, "little") + tensors + bytes(64)),
            ("v.txt", f"{rows} {width}\na 1 2\nb 3 4\n".encode()),
            ("v.bin", f"{rows} {width}\na ".encode() + bytes(8)),
            ("v.gguf", b"GGUF" + struct.pack("<I2Q", 3, rows % 2**64, width % 2**64) + bytes(40)),
            ("key2row", b"\xdf" + struct.pack(">I", rows % 2**32) + bytes(width % 64)),
        )
    )
    (folder / name).write_bytes(content)
    (folder / "v.vocab").write_bytes(b"a\nb\n")
    if name == "key2row":
        (folder / "vectors").write_bytes(npy)
        (folder / "strings.json").write_text('["a", "b"]')
        _rows(folder)
    else:
        _rows(folder / name)


def read_flipped(choices: Choices, folder: Path) -> None:
    """A parsed copy in the cache with one bit flipped: the numbers stay, or it is made again."""
    from weatherglass._files import cache

    source = folder / "kept.txt"
    source.write_text("".join(f"{w} {a} {b}\n" for w, (a, b) in zip(WORDS, ROWS, strict=True)))
    past = 1_700_000_000
    os.utime(source, (past, past))
    expected = _rows(source)
    # The same content in another folder, read before, has the same entry.
    (entry,) = (
        entry.folder for entry in cache.list_entries() if Path(entry.source).name == source.name
    )
    kept = [path for path in sorted(entry.iterdir()) if path.stat().st_size]
    path = kept[choices.number(len(kept))]
    before, content = path.stat(), bytearray(path.read_bytes())
    place = (choices.number(256) << 8 | choices.number(256)) % len(content)
    content[place] ^= 1 << choices.number(8)
    with open(path, "r+b") as file:
        file.write(content)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    found = _rows(source)
    assert found is not None
    assert expected is not None
    assert list(found) == list(expected)
    np.testing.assert_array_equal(list(found.values()), list(expected.values()), path.name)


def _rows(path: Path) -> dict[str, Any] | None:
    """Return the rows of a source by word, read in both ways; None if it is refused."""
    from weatherglass.vectors import open_vectors

    from .targets import check_message

    try:
        vectors = open_vectors(path)
        part = open_vectors(path, words=vectors.words[:5])
    except WeatherglassError as error:
        check_message(str(error))
        return None
    np.testing.assert_array_equal(part.matrix, vectors.matrix[: len(part)])
    return dict(zip(vectors.words[:], vectors.matrix.tolist(), strict=True))


READERS: dict[str, Callable[[Choices, Path], None]] = {
    "linked": read_linked,
    "columns": read_columns,
    "sizes": read_sizes,
    "flipped": read_flipped,
}


def read_container(kind: str, content: bytes, folder: Path) -> None:
    """Build a container from bytes, and read it."""
    READERS[kind.split(".")[0]](Choices(content), folder)
