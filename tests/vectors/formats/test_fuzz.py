"""A reader returns vectors or raises a `WeatherglassError`, whatever the file contains."""

from __future__ import annotations

import gzip
import json
import lzma
import struct
import tracemalloc
import zipfile

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from weatherglass._files import inputs
from weatherglass.errors import WeatherglassError
from weatherglass.vectors import Vectors, open_vectors
from weatherglass.vectors.formats.detect import format_for_writing

WORDS = ["the", "É", "a b", "x"]
ROWS = np.array([[1.5, -2], [0.1, 3e-30], [7, 0], [np.nan, 1]], dtype=np.float32)
FILES = [
    *(".txt", ".vec", ".bin", ".npy", ".npz", ".safetensors", ".parquet", ".arrow", ".h5"),
    *(".txt.gz", ".bin.xz", ".vec.zst", ".zip", ".ftb", ".key2row", ".strings", ".json"),
]
MAGIC = [
    b"2 2\n",
    b"\x1f\x8b\x08\0",
    b"\x28\xb5\x2f\xfd",
    b"\xfd7zXZ\0",
    b"PK\x03\x04",
    b"PAR1",
    b"ARROW1\0\0",
    b"\x93NUMPY\x01\0v\0{'descr': '<f4', ",
    b"\x89HDF\r\n\x1a\n",
    struct.pack("<2i", 793712314, 12),
    b"\x10\0\0\0\0\0\0\0{",
    b"\x80\x04\x95",
    b"\xef\xbb\xbf",
]


def fasttext_model():
    out = struct.pack("<2i12id", 793712314, 12, 2, 5, 5, 1, 5, 1, 1, 2, 3, 3, 6, 100, 1e-4)
    out += struct.pack("<3i2q", 2, 2, 0, 9, -1)
    out += b"the\0" + struct.pack("<qb", 7, 0) + b"x\0" + struct.pack("<qb", 7, 0)
    return out + struct.pack("<?2q", False, 5, 2) + np.arange(10, dtype="<f4").tobytes()


@pytest.fixture(scope="module")
def valid(tmp_path_factory):
    """Return the bytes of a valid file of each kind."""
    folder = tmp_path_factory.mktemp("valid")
    vectors = Vectors.of(WORDS, ROWS)
    contents = {}
    for ending in FILES[:12]:
        path = folder / f"v{ending}"
        form = format_for_writing(path)
        form.write(vectors.subset(["the", "É", "x"]) if ".bin" in ending else vectors, path)
        contents[ending] = path.read_bytes()
    with zipfile.ZipFile(folder / "v.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(folder / "v.txt", "v.txt")
    contents[".zip"] = (folder / "v.zip").read_bytes()
    contents[".ftb"] = fasttext_model()
    contents[".key2row"] = (
        b"\x82" + b"\xcf" + struct.pack(">Q", 8566208034543834098) + b"\x01\x02\x00"
    )
    contents[".strings"] = b'["", "apple", "coffee"]'
    contents[".json"] = json.dumps({w: i for i, w in enumerate(WORDS)}).encode()
    return contents


_number = st.sampled_from(
    [struct.pack("<q", n) for n in (-1, 0, 1, 2**31 - 1, 2**31, 2**40, 2**63 - 1, -(2**63))]
    + [struct.pack("<i", n) for n in (-1, 2**31 - 1, -(2**31))]
    + [b"999999999999999999", b"-1", b"1e999", b"nan", b"\n", b" ", b"\0", b"\r", b"{", b"["]
)
_place = st.floats(0, 1, exclude_max=True)
_change = st.one_of(
    st.tuples(st.just("set"), _place, st.binary(min_size=1, max_size=1) | _number),
    st.tuples(st.just("insert"), _place, st.binary(max_size=4) | _number),
    st.tuples(st.just("delete"), _place, _place),
    st.tuples(st.just("double"), _place, _place),
    st.tuples(st.just("cut"), _place, st.none()),
)
_changes = st.lists(_change, min_size=1, max_size=4)


def change(content, changes):
    for kind, place, value in changes:
        at = int(place * len(content))
        if kind == "set":
            content = content[:at] + value + content[at + len(value) :]
        elif kind == "insert":
            content = content[:at] + value + content[at:]
        elif kind == "cut":
            content = content[:at]
        else:
            low, high = sorted([at, int(value * len(content))])
            content = (
                content[:low]
                + (content[low:high] * 2 if kind == "double" else b"")
                + content[high:]
            )
    return content


def read_or_refuse(folder, ending, content, valid):
    """Open the content in every way; only a `WeatherglassError` may be raised."""
    source = folder / f"fuzz{ending}"
    if ending == ".npy":
        source = folder / "npy" / "v.npy"
    if ending in (".npy", ".safetensors", ".json"):
        place = folder / ending[1:]
        place.mkdir(exist_ok=True)
        for name in ("v.npy",) if ending != ".safetensors" else ("v.safetensors",):
            (place / name).write_bytes(valid["." + name.split(".")[1]])
        (place / "v.json").write_bytes(valid[".json"])
        source = place / ("v.safetensors" if ending == ".safetensors" else "v.npy")
        (place / f"v{ending}").write_bytes(content)
    elif ending in (".key2row", ".strings"):
        source = folder / ending[1:]
        source.mkdir(exist_ok=True)
        parts = {"vectors": ".npy", "key2row": ".key2row", "strings.json": ".strings"}
        for name, kind in parts.items():
            (source / name).write_bytes(content if kind == ending else valid[kind])
    else:
        source.write_bytes(content)
    for words in (None, ["the", "", "a b", "apple"]):
        try:
            vectors = open_vectors(source, words=words)
        except WeatherglassError:
            continue
        assert vectors.matrix.shape == (len(list(vectors.words)), vectors.dim)
        assert vectors.matrix.dtype == np.float32


@pytest.fixture(autouse=True, scope="module")
def _small_limits():
    """Lower the limit, so that a file of a few hundred bytes can be a decompression bomb."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(inputs, "MIN_UNPACK_LIMIT", 1 << 20)
        yield


_fuzz = settings(suppress_health_check=[HealthCheck.too_slow])


@pytest.mark.parametrize("ending", FILES)
def test_a_damaged_file_is_read_or_refused(ending, folder, valid):
    @settings(_fuzz, max_examples=40)
    @given(_changes)
    def check(changes):
        read_or_refuse(folder, ending, change(valid[ending], changes), valid)

    read_or_refuse(folder, ending, valid[ending], valid)
    check()


@settings(_fuzz, max_examples=200)
@given(st.sampled_from([b"", *MAGIC]), st.binary(max_size=300))
@example(b"", b"\0")
def test_arbitrary_bytes_as_vectors_are_read_or_refused(folder, valid, magic, content):
    read_or_refuse(folder, ".any", magic + content, valid)


@settings(_fuzz, max_examples=150)
@given(
    st.text("01 .-+en\t\r\nax\0", max_size=120).map(str.encode),
    st.sampled_from([b"", b"2 1\n", b"3 2\n", b"a 1 2\n"]),
    st.sampled_from([None, gzip.compress, lzma.compress]),
)
def test_random_text_with_numbers_is_read_or_refused(folder, valid, content, first, pack):
    content = first + content
    read_or_refuse(folder, ".any", pack(content) if pack else content, valid)


@pytest.mark.parametrize(
    ("ending", "content"),
    [
        (".txt", b"999999999999999999 999999999\na 1 2\n"),
        (".txt", b"1 4000000\na 1 2\n"),
        (".txt", b"999999999999999999 2\na 1 2\n"),
        (".txt", b"999999999999999999 999999999\n\0\0\0\0\0\0"),
        (".txt", b"999999999999999999 1000000\nword \0\0\0\0\0\0"),
        (
            ".txt",
            struct.pack("<2i12id3i2q", 793712314, 12, *[2**31 - 1] * 12, 0.0, *[2**31 - 1] * 5),
        ),
        (
            ".npy",
            b"\x93NUMPY\x01\0v\0{'descr': '<f4', 'fortran_order': False, 'shape': (10**18, 2), }",
        ),
        (".npy", b"\x93NUMPY\x01\0\xff\xff{'descr': '<f4'"),
        (".npy", b"\x93NUMPY\x02\0\xff\xff\xff\xff{'descr': '<f4'"),
        (".safetensors", b"\xff" * 6 + b"\0\0{"),
        (".key2row", b"\xdf\xff\xff\xff\xff"),
        (".key2row", b"\xc6\xff\xff\xff\xff"),
    ],
)
def test_a_header_that_claims_a_huge_size_takes_no_memory(ending, content, folder, valid):
    tracemalloc.start()
    try:
        read_or_refuse(folder, ending, content, valid)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 150 << 20
