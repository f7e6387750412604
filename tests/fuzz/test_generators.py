"""Generated containers: tables with any columns, HDF5 files with any links, lies about sizes.

Each generator knows the right answer: these rows, or a refusal.
"""

from __future__ import annotations

import contextlib
import io
import json
import tracemalloc
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from weatherglass.errors import BadContent, WeatherglassError
from weatherglass.vectors import open_vectors

WORDS = ["rose", "lily", "wasp"]
ROWS = np.array([[0.25, -1.5], [2.5, 0.125], [-3.5, 4.75]], dtype=np.float32)
_generate = settings(suppress_health_check=list(HealthCheck))
_words = st.sampled_from(["word", "Word", "token", "term", "name", "__index_level_0__"])
_other_texts = st.sampled_from(["pos", "lemma", "note", "language"])
_integers = st.sampled_from(["id", "count", "Count", "freq", "rank", "x", "__index_level_1__", "n"])
_facts = st.sampled_from(["freq", "norm", "Score", "__index_level_0__", "frequency"])
_lists = st.sampled_from(["tokens", "ids", "senses"])


@st.composite
def tables(draw: st.DrawFn) -> dict[str, object]:
    """A table with the words, the vectors as lists or columns, and anything beside them."""
    wide = draw(st.booleans())
    prefix = draw(st.sampled_from(["d", "dim_", "", "V"]))
    vector = draw(st.sampled_from(["vector", "Vectors", "embedding", "emb", "numbers"]))
    numbers: dict[str, object] = (
        {f"{prefix}{i}": ROWS[:, i] for i in range(2)} if wide else {vector: ROWS.tolist()}
    )
    others: dict[str, object] = {draw(_words): WORDS}
    for name in draw(st.lists(_other_texts, max_size=2, unique=True)):
        others.setdefault(name, ["a", "b", "c"])
    for name in draw(st.lists(_integers, max_size=3, unique=True)):
        others.setdefault(name, [30, 20, 10])
    for name in draw(st.lists(_facts, max_size=2, unique=True)):
        others.setdefault(name, [0.5, 0.25, 0.125])
    for name in draw(st.lists(_lists, max_size=1)):
        others.setdefault(name, [[1, 2, 3]] * 3)
    columns = others | numbers
    return {name: columns[name] for name in draw(st.permutations(list(columns)))}


@pytest.mark.parametrize("examples", [30, pytest.param(1500, marks=pytest.mark.slow)])
def test_any_table_gives_its_vectors_or_is_refused(examples, place):
    @settings(_generate, max_examples=examples)
    @given(tables())
    def check(columns: dict[str, object]) -> None:
        pq.write_table(pa.table(columns), place / "t.parquet")
        refusal = ""
        try:
            vectors = open_vectors(place / "t.parquet")
        except BadContent as error:
            refusal = str(error)
        if refusal:
            assert "?words=" in refusal or "?vector=" in refusal
            return
        assert list(vectors.words) == WORDS
        np.testing.assert_array_equal(vectors.matrix, ROWS)

    check()


_KINDS = ("row", "row", "row", "group", "hard", "soft", "external link", "external data", "virtual")


@pytest.mark.parametrize("examples", [25, pytest.param(800, marks=pytest.mark.slow)])
def test_any_hdf5_file_is_read_only_if_it_is_complete_in_itself(examples, place):
    h5py = pytest.importorskip("h5py", reason="writes the files")
    (place / "secret").write_bytes(np.full(64, 77, "<f4").tobytes())
    with h5py.File(place / "other.h5", "w") as other:
        other["a"] = np.full(2, 77, np.float32)

    def add(file: h5py.Group, name: str, kind: str) -> None:
        if kind == "row":
            file[name] = ROWS[0]
        elif kind == "group":
            file[f"{name}/inner"] = ROWS[1]
        elif kind == "hard":
            file[name] = file["first"]
        elif kind == "soft":
            file[name] = h5py.SoftLink("/first")
        elif kind == "external link":
            file[name] = h5py.ExternalLink(str(place / "other.h5"), "/a")
        elif kind == "external data":
            external = [(str(place / "secret"), 0, 8)]
            file.create_dataset(name, (2,), "f4", external=external)
        else:
            layout = h5py.VirtualLayout(shape=(2,), dtype="f4")
            layout[...] = h5py.VirtualSource(str(place / "other.h5"), "a", shape=(2,))
            file.create_virtual_dataset(name, layout)

    @settings(_generate, max_examples=examples)
    @given(st.lists(st.sampled_from(_KINDS), max_size=6), st.booleans())
    def check(kinds: list[str], in_group: bool) -> None:
        with h5py.File(place / "l.h5", "w") as file:
            file["first"] = ROWS[2]
            for number, kind in enumerate(kinds):
                add(file, f"{'g/' if in_group else ''}{number}", kind)
        is_complete = set(kinds) <= {"row", "group", "hard"}
        try:
            vectors = open_vectors(place / "l.h5")
        except BadContent:
            assert not is_complete
        else:
            assert is_complete
            assert not (vectors.matrix == 77).any()

    check()


_sizes = st.sampled_from([0, 1, 2, 3, 255, 2**16, 2**31 - 1, 2**31, 2**40, 2**62, 2**63, 10**25])


def _npy(shape: tuple[int, ...], kind: str) -> bytes:
    header = repr({"descr": kind, "fortran_order": False, "shape": shape}).encode() + b"\n"
    return b"\x93NUMPY\x01\0" + len(header).to_bytes(2, "little") + header + bytes(64)


def _tensors(shape: tuple[int, ...], last: int) -> bytes:
    entry = {"dtype": "F32", "shape": shape, "data_offsets": [0, last]}
    header = json.dumps({"embeddings": entry}).encode()
    return len(header).to_bytes(8, "little") + header + bytes(64)


def _npz(members: dict[str, bytes]) -> bytes:
    import zipfile

    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return out.getvalue()


def _write_lie(place: Path, name: str, content: bytes) -> Path:
    (place / name).write_bytes(content)
    (place / "lie.vocab").write_bytes(b"a\nb\n")
    return place / name


@pytest.mark.parametrize("examples", [30, pytest.param(1500, marks=pytest.mark.slow)])
def test_a_header_that_lies_about_sizes_takes_no_memory(examples, place):
    # Once before, because compiling and importing take memory as well.
    for name in ("lie.npz", "lie.txt"):
        with contextlib.suppress(WeatherglassError):
            open_vectors(_write_lie(place, name, b"2 2\na 1 2\nb 3 4\n"), words=["a"])

    @settings(_generate, max_examples=examples)
    @given(
        _sizes,
        _sizes,
        st.sampled_from(["<f4", "|S0", "<U0", "|V0", "|S1", "<f2", "|i1", "|O", "<c16"]),
        st.integers(0, 3),
    )
    def check(rows: int, width: int, kind: str, form: int) -> None:
        matrix = _npy((rows, width), kind)
        name, content = (
            ("lie.npy", matrix),
            ("lie.npz", _npz({"v.npy": matrix, "w.npy": _npy((rows,), kind)})),
            ("lie.safetensors", _tensors((rows, width), 4 * rows * width)),
            ("lie.txt", f"{rows} {width}\na 1 2\nb 3 4\n".encode()),
        )[form]
        path = _write_lie(place, name, content)
        for words in (None, ["a"]):
            tracemalloc.start()
            try:
                open_vectors(path, words=words)
            except WeatherglassError:
                pass
            finally:
                peak = tracemalloc.get_traced_memory()[1]
                tracemalloc.stop()
            assert peak < 50 << 20, (name, rows, width, kind)

    check()
