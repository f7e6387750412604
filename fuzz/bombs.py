"""Small files that describe far more than they contain, or that would open other files.

Each function writes one such file into a folder and returns its path. The files are honest lies:
valid enough that a library would believe them. ``tests/fuzz/test_bombs.py`` reads each of them in a
process of its own and limits time and memory; `make fuzz` mutates those in ``fuzz/seeds``.
"""

from __future__ import annotations

import gzip
import io
import json
import lzma
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

Bomb = Callable[[Path], Path]
BOMBS: dict[str, dict[str, Bomb]] = {"vectors": {}, "corpus": {}, "table": {}}


def bomb(target: str) -> Callable[[Bomb], Bomb]:
    """Add a file to the table, under the name of its function."""

    def add(function: Bomb) -> Bomb:
        BOMBS[target][function.__name__] = function
        return function

    return add


def npy(shape: tuple[int, ...], descr: str, body: bytes = b"") -> bytes:
    """An array in NumPy's format with any header."""
    out = io.BytesIO()
    header = {"descr": descr, "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(out, header)
    return out.getvalue() + body


def npz(folder: Path, **members: bytes) -> Path:
    """An archive of arrays."""
    path = folder / "b.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(f"{name}.npy", content)
    return path


def fasttext(word: bytes, dim: int = 1, min_length: int = 1, max_length: int = 6) -> bytes:
    """A fastText model with one word and one bucket."""
    options = (dim, 5, 5, 1, 5, 1, 1, 2, 1, min_length, max_length, 100)
    out = struct.pack("<2i12id", 793712314, 12, *options, 1e-4)
    out += struct.pack("<3i2q", 1, 1, 0, 9, -1) + word + b"\0" + struct.pack("<qb", 7, 0)
    return out + struct.pack("<?2q", False, 2, dim) + np.ones(2 * dim, "<f4").tobytes()


def parquet(folder: Path, columns: dict[str, Any], **options: Any) -> Path:
    """A Parquet file, compressed as well as possible."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = folder / "b.parquet"
    pq.write_table(pa.table(columns), path, compression="zstd", **options)
    return path


@bomb("vectors")
def npz_of_words_without_size(folder: Path) -> Path:
    return npz(folder, vectors=npy((1, 1), "<f4", bytes(4)), words=npy((2 * 10**9,), "|S0"))


@bomb("vectors")
def npz_of_many_short_words(folder: Path) -> Path:
    words = npy((60_000_000,), "|S1", bytes(60_000_000))
    return npz(folder, vectors=npy((1, 1), "<f4", bytes(4)), words=words)


@bomb("vectors")
def npz_of_zeros(folder: Path) -> Path:
    zeros = npy((10**6, 60), "|i1", bytes(60 * 10**6))
    return npz(folder, vectors=zeros, words=npy((1,), "|S1", b"a"))


@bomb("vectors")
def npz_that_claims_more_than_it_has(folder: Path) -> Path:
    return npz(folder, vectors=npy((10**9, 10**6), "<f8", bytes(8)), words=npy((1,), "|S1", b"a"))


@bomb("vectors")
def npy_with_deep_parentheses(folder: Path) -> Path:
    header = b"{'descr': '<f4', 'fortran_order': False, 'shape': " + b"(" * 9000 + b")" * 200 + b"}"
    path = folder / "b.npy"
    path.write_bytes(b"\x93NUMPY\x01\0" + struct.pack("<H", len(header)) + header)
    (folder / "b.vocab").write_text("a\n")
    return path


@bomb("vectors")
def npy_with_a_word_list_of_empty_lines(folder: Path) -> Path:
    path = folder / "b.npy"
    path.write_bytes(npy((1, 1), "<f4", bytes(4)))
    (folder / "b.vocab").write_bytes(b"\n" * 40_000_000)
    return path


@bomb("vectors")
def npy_with_nested_json_words(folder: Path) -> Path:
    path = folder / "b.npy"
    path.write_bytes(npy((1, 1), "<f4", bytes(4)))
    (folder / "b.json").write_bytes(b"[" + b"[]," * 3_000_000 + b"[]]")
    return path


@bomb("vectors")
def hdf5_of_many_empty_data_sets(folder: Path) -> Path:
    import h5py

    with h5py.File(folder / "b.h5", "w") as file:
        for number in range(600):
            file.create_dataset(f"w{number}", shape=(63 << 18,), dtype="f4", chunks=True)
    return folder / "b.h5"


@bomb("vectors")
def hdf5_with_a_chunk_of_gigabytes(folder: Path) -> Path:
    import h5py

    with h5py.File(folder / "b.h5", "w") as file:
        for number in range(3):
            data = file.create_dataset(
                f"w{number}", (4,), "f4", chunks=(400_000_000,), maxshape=(None,)
            )
            data.attrs["note"] = "allocated when it is written"
    return folder / "b.h5"


@bomb("vectors")
def hdf5_with_a_string_of_gigabytes(folder: Path) -> Path:
    import h5py

    with h5py.File(folder / "b.h5", "w") as file:
        file["embedding"] = np.ones((1, 2), np.float32)
        file.create_dataset("words_flatten", shape=(), dtype="S2000000000")
    return folder / "b.h5"


@bomb("vectors")
def parquet_with_a_row_of_millions_of_numbers(folder: Path) -> Path:
    import pyarrow as pa

    zeros = pa.array(np.zeros(100_000_000, np.float32))
    row = pa.LargeListArray.from_arrays([0, len(zeros)], zeros)
    return parquet(folder, {"word": ["a"], "vector": row})


@bomb("vectors")
def parquet_with_a_word_repeated_by_its_dictionary(folder: Path) -> Path:
    import pyarrow as pa

    words = pa.DictionaryArray.from_arrays(np.zeros(16384, np.int32), ["x" * (2 << 20)])
    return parquet(folder, {"word": words, "vector": [[0.5]] * 16384})


@bomb("vectors")
def parquet_with_words_that_share_a_prefix(folder: Path) -> Path:
    words = [f"{'x' * (64 << 10)}{number}" for number in range(4000)]
    encoding = {"word": "DELTA_BYTE_ARRAY"}
    options = {"use_dictionary": False, "column_encoding": encoding}
    return parquet(folder, {"word": words, "vector": [[0.5]] * 4000}, **options)


@bomb("vectors")
def parquet_of_equal_rows(folder: Path) -> Path:
    import pyarrow as pa

    flat = pa.array(np.zeros(30_000_000, np.float32))
    rows = pa.FixedSizeListArray.from_arrays(flat, 300)
    return parquet(folder, {"word": [f"{n}" for n in range(100_000)], "vector": rows})


@bomb("vectors")
def parquet_whose_footer_hides_a_long_row(folder: Path) -> Path:
    import pyarrow as pa

    zeros = pa.array(np.zeros(70_000_000, np.float32))
    row = pa.LargeListArray.from_arrays([0, len(zeros)], zeros)
    return hide_sizes(parquet(folder, {"word": ["a"], "vector": row}))


@bomb("corpus")
def parquet_whose_footer_hides_a_long_text(folder: Path) -> Path:
    return hide_sizes(parquet(folder, {"text": ["x " * (150 << 20)]}))


def hide_sizes(path: Path) -> Path:
    """Make the footer of a Parquet file claim one value of one byte in each column."""
    import pyarrow.parquet as pq

    metadata, content = pq.ParquetFile(path).metadata, path.read_bytes()
    length = int.from_bytes(content[-8:-4], "little")
    body, footer = content[: -8 - length], content[-8 - length :]
    for index in range(metadata.num_columns):
        column = metadata.row_group(0).column(index)
        for size in {column.num_values, column.total_uncompressed_size} - {1}:
            footer = footer.replace(varint(2 * size), varint(2, len(varint(2 * size))))
    path.write_bytes(body + footer)
    return path


def varint(value: int, length: int = 1) -> bytes:
    """An integer of variable length, padded to at least `length` bytes."""
    out = []
    while value > 127 or len(out) + 1 < length:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


@bomb("vectors")
def arrow_with_compressed_buffers(folder: Path) -> Path:
    import pyarrow as pa

    zeros = pa.array(np.zeros(300_000_000, np.float32))
    row = pa.LargeListArray.from_arrays([0, len(zeros)], zeros)
    table = pa.table({"word": ["a"], "vector": row})
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    with pa.ipc.new_file(str(folder / "b.arrow"), table.schema, options=options) as writer:
        writer.write_table(table)
    return folder / "b.arrow"


@bomb("vectors")
def arrow_with_a_word_repeated_by_its_dictionary(folder: Path) -> Path:
    import pyarrow as pa

    words = pa.DictionaryArray.from_arrays(np.zeros(16384, np.int32), ["x" * (2 << 20)])
    table = pa.table({"word": words, "vector": [[0.5]] * 16384})
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    with pa.ipc.new_file(str(folder / "b.arrow"), table.schema, options=options) as writer:
        writer.write_table(table)
    return folder / "b.arrow"


@bomb("vectors")
def gzip_of_rows_of_one_number(folder: Path) -> Path:
    return _gzip_of_rows(folder, b"a 1\nb 1\n")


@bomb("vectors")
def gzip_of_rows_after_a_header_that_says_none(folder: Path) -> Path:
    return _gzip_of_rows(folder, b"0 1\n1 1\n")


@bomb("vectors")
def gzip_of_short_rows_that_unpacks_to_little(folder: Path) -> Path:
    """Within the limit for compressed files, but a row takes far more memory than its text."""
    path, random = folder / "b.txt.gz", np.random.default_rng(0)
    with gzip.open(path, "wb", compresslevel=6) as file:
        for words in random.integers(100, 1000, (50_000, 8)).tolist():
            file.write(b"a 1\n" * 1000 + b"".join(b"%d 1\n" % word for word in words))
    return path


def _gzip_of_rows(folder: Path, rows: bytes) -> Path:
    path = folder / "b.txt.gz"
    with gzip.open(path, "wb", compresslevel=9) as file:
        for _ in range(400):
            file.write(rows * 130_000)
    return path


@bomb("vectors")
def xz_of_zeros(folder: Path) -> Path:
    path = folder / "b.txt.xz"
    path.write_bytes(
        lzma.compress(b"a" + b" 0" * 300 + b"\n" + (b"b" + b" 0" * 300 + b"\n") * 250_000)
    )
    return path


@bomb("vectors")
def gzip_of_a_fasttext_model(folder: Path) -> Path:
    path = folder / "b.bin.gz"
    path.write_bytes(gzip.compress(fasttext(b"a") + bytes(200 << 20)))
    return path


@bomb("vectors")
def fasttext_with_endless_ngrams(folder: Path) -> Path:
    path = folder / "b.bin"
    path.write_bytes(fasttext(b"x" * 400_000, max_length=2**31 - 1))
    return path


@bomb("vectors")
def fasttext_with_a_long_word(folder: Path) -> Path:
    path = folder / "b.bin"
    path.write_bytes(fasttext(b"x" * 4_000_000, dim=1000, max_length=64))
    return path


@bomb("vectors")
def fasttext_with_a_dictionary_of_billions(folder: Path) -> Path:
    content = bytearray(fasttext(b"a"))
    struct.pack_into("<3i2q", content, 64, 2**31 - 1, 2**31 - 1, 0, 9, 2**60)
    path = folder / "b.bin"
    path.write_bytes(content)
    return path


@bomb("vectors")
def text_with_a_header_of_billions(folder: Path) -> Path:
    path = folder / "b.txt"
    path.write_bytes(b"4000000000 1000000000\na 1 2\nb 3 4\n")
    return path


@bomb("vectors")
def word2vec_with_a_header_of_billions(folder: Path) -> Path:
    path = folder / "b.bin"
    path.write_bytes(b"4000000000 1000000000\na \0\0\x80\x3f\0\0\0\0\n")
    return path


@bomb("vectors")
def safetensors_with_a_huge_shape(folder: Path) -> Path:
    entry = {"dtype": "F32", "shape": [2**62, 2**62], "data_offsets": [0, 8]}
    header = json.dumps({"embeddings": entry}).encode()
    path = folder / "b.safetensors"
    path.write_bytes(len(header).to_bytes(8, "little") + header + bytes(8))
    (folder / "b.vocab").write_text("a\n")
    return path


def spacy(folder: Path, keys: bytes, strings: bytes, matrix: bytes) -> Path:
    """A folder of spaCy's vectors."""
    for name, content in (("key2row", keys), ("strings.json", strings), ("vectors", matrix)):
        (folder / name).write_bytes(content)
    return folder


@bomb("vectors")
def spacy_with_nested_msgpack(folder: Path) -> Path:
    keys = b"\xdd" + struct.pack(">I", 8_000_000) + b"\x90" * 8_000_000
    return spacy(folder, keys, b'["a"]', npy((1, 1), "<f4", bytes(4)))


@bomb("vectors")
def spacy_with_a_map_of_billions(folder: Path) -> Path:
    return spacy(folder, b"\xdf\xff\xff\xff\xff", b'["a"]', npy((1, 1), "<f4", bytes(4)))


@bomb("vectors")
def spacy_with_one_row_for_all_words(folder: Path) -> Path:
    from weatherglass.vectors.formats.kernels import murmur64
    from weatherglass.vectors.vocabulary import pack_words

    words = [b"%d" % number for number in range(20_000)]
    hashes = np.empty(len(words), np.uint64)
    murmur64(*pack_words(words), np.uint64(1), hashes)
    keys = b"".join(b"\xcf" + struct.pack(">Q", key) + b"\0" for key in hashes.tolist())
    keys = b"\xdf" + struct.pack(">I", len(words)) + keys
    strings = json.dumps([word.decode() for word in words]).encode()
    return spacy(folder, keys, strings, npy((1, 200_000), "<f4", bytes(800_000)))


@bomb("vectors")
def gguf_with_billions_of_tensors(folder: Path) -> Path:
    path = folder / "b.gguf"
    path.write_bytes(b"GGUF" + struct.pack("<I2Q", 3, 2**63 - 1, 2**63 - 1) + bytes(1000))
    return path


@bomb("corpus")
def tei_with_nested_elements(folder: Path) -> Path:
    path = folder / "b.xml"
    depth = 180_000
    path.write_text("<TEI><text>" + "<hi>" * depth + "a" + "</hi>" * depth + "</text></TEI>")
    return path


@bomb("corpus")
def tei_with_an_endless_comment(folder: Path) -> Path:
    path = folder / "b.xml.gz"
    path.write_bytes(gzip.compress(b"<TEI><!--" + b"x" * (180 << 20)))
    return path


@bomb("corpus")
def tei_with_a_header_of_a_million_fields(folder: Path) -> Path:
    path = folder / "b.xml.gz"
    fields = "".join(f"<f{number} key='1'/>" for number in range(200_000))
    text = "<p>a</p>" * 20_000
    path.write_bytes(
        gzip.compress(
            f"<TEI><teiHeader><textDesc>{fields}</textDesc></teiHeader><text>{text}</text>"
            "</TEI>".encode()
        )
    )
    return path


@bomb("corpus")
def json_lines_with_a_nested_line(folder: Path) -> Path:
    path = folder / "b.jsonl.gz"
    path.write_bytes(gzip.compress(b'{"text": "a", "x": [' + b"[]," * 50_000_000 + b"[]]}"))
    return path


@bomb("corpus")
def parquet_with_a_text_repeated_by_its_dictionary(folder: Path) -> Path:
    import pyarrow as pa

    texts = pa.DictionaryArray.from_arrays(np.zeros(16384, np.int32), ["x " * (1 << 20)])
    return parquet(folder, {"text": texts})


@bomb("corpus")
def parquet_with_texts_that_share_a_prefix(folder: Path) -> Path:
    texts = [f"{'x ' * (128 << 10)}{number}" for number in range(1000)]
    options = {"use_dictionary": False, "column_encoding": {"text": "DELTA_BYTE_ARRAY"}}
    return parquet(folder, {"text": texts}, **options)


@bomb("corpus")
def csv_with_an_endless_field(folder: Path) -> Path:
    path = folder / "b.csv.gz"
    path.write_bytes(gzip.compress(b'text\n"' + b"a\n" * (90 << 20)))
    return path


@bomb("vectors")
def parquet_with_thousands_of_columns(folder: Path) -> Path:
    columns = {f"d{number}": np.zeros(2) for number in range(15_000)}
    return parquet(folder, {"word": ["a", "b"], **columns})


@bomb("table")
def table_with_thousands_of_columns(folder: Path) -> Path:
    columns = {f"c{number}": np.zeros(2) for number in range(15_000)}
    return parquet(folder, {"word": ["a", "b"], **columns})


@bomb("table")
def table_with_a_text_repeated_by_its_dictionary(folder: Path) -> Path:
    import pyarrow as pa

    words = pa.DictionaryArray.from_arrays(np.zeros(2000, np.int32), ["x" * (4 << 20)])
    return parquet(folder, {"word": words, "a": np.zeros(2000)})


@bomb("table")
def table_with_a_value_for_each_of_many_words(folder: Path) -> Path:
    path = folder / "b.csv"
    rows = (f"r{number},c{number},1" for number in range(100_000))
    path.write_text("\n".join(["target,attribute,value", *rows]))
    return path


@bomb("table")
def csv_with_a_header_of_many_columns(folder: Path) -> Path:
    path = folder / "b.csv"
    header = ",".join(f"c{number}" for number in range(200_000))
    path.write_text(f"word,{header}\na{',1' * 200_000}\n")
    return path
