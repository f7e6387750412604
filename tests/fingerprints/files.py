"""Sources of vectors and corpora: each file format, each way to compress it, each word list."""

from __future__ import annotations

import gzip
import json
import lzma
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from weatherglass.vectors import Vectors
from weatherglass.vectors.formats.detect import format_for_writing

from .changing import Source

WORDS = ("rose", "lily", "wasp", "gnat")


def words(seed: int) -> list[str]:
    """The words in another order."""
    return list(np.random.default_rng(seed).permutation(WORDS))


def rows(seed: int) -> Any:
    return np.random.default_rng(seed).uniform(0.1, 0.9, (len(WORDS), 3)).astype(np.float32)


def text(seed: int) -> bytes:
    pairs = zip(words(seed), rows(seed), strict=True)
    lines = (f"{w} {' '.join(f'{x:.4f}' for x in r)}\n" for w, r in pairs)
    return "".join(lines).encode()


def binary(seed: int) -> bytes:
    """Word2vec's binary format."""
    pairs = zip(words(seed), rows(seed), strict=True)
    return b"4 3\n" + b"".join(w.encode() + b" " + r.tobytes() + b"\n" for w, r in pairs)


def fasttext(seed: int) -> bytes:
    head = struct.pack("<2i12id", 793712314, 12, 3, 5, 5, 1, 5, 1, 1, 2, 2, 3, 6, 100, 1e-4)
    entries = (word.encode() + b"\0" + struct.pack("<qb", 7, 0) for word in words(seed))
    matrix = np.random.default_rng(seed).uniform(0.1, 0.9, (len(WORDS) + 2, 3)).astype("<f4")
    head += struct.pack("<3i2q", 4, 4, 0, 9, -1) + b"".join(entries)
    return head + struct.pack("<?2q", False, *matrix.shape) + matrix.tobytes()


def file(name: str, content: Callable[[int], bytes]) -> Callable[[Path, int], str]:
    """Write a single file."""

    def write(folder: Path, seed: int) -> str:
        (folder / name).write_bytes(content(seed))
        return str(folder / name)

    return write


def written(name: str) -> Callable[[Path, int], str]:
    """Write vectors as the package itself does."""

    def write(folder: Path, seed: int) -> str:
        form = format_for_writing(folder / name)
        assert form.write is not None
        form.write(Vectors.of(words(seed), rows(seed)), folder / name)
        return str(folder / name)

    return write


def in_zip(name: str, content: Callable[[int], bytes]) -> Callable[[int], bytes]:
    def pack(seed: int) -> bytes:
        import io

        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
            archive.writestr(zipfile.ZipInfo(name), content(seed))
        return out.getvalue()

    return pack


def zstd(content: bytes) -> bytes:
    import pyarrow as pa

    packed: bytes = pa.compress(content, "zstd", asbytes=True)
    return packed


def matrix_and_list(
    matrix: str, word_list: str, option: str = "", in_folder: bool = False
) -> Callable[[Path, int], str]:
    """Write numbers in one file and words in another."""

    def write(folder: Path, seed: int) -> str:
        path = folder / matrix
        if matrix.endswith(".npz"):
            np.savez(path, vectors=rows(seed))
        elif matrix.endswith(".npy"):
            np.save(path, rows(seed))
        else:
            entry = {"dtype": "F32", "shape": [4, 3], "data_offsets": [0, 48]}
            header = json.dumps({"embeddings": entry}).encode()
            path.write_bytes(len(header).to_bytes(8, "little") + header + rows(seed).tobytes())
        write_words(folder / word_list, words(seed))
        return str(folder) if in_folder else f"{path}{option}"

    return write


def write_words(path: Path, listed: list[str]) -> None:
    if path.suffix == ".parquet":
        write_parquet(path, {"word": listed})
    elif path.name == "tokenizer.json":
        vocabulary = {word: i for i, word in enumerate(listed)}
        path.write_text(json.dumps({"model": {"type": "WordLevel", "vocab": vocabulary}}))
    elif path.suffix == ".json":
        path.write_text(json.dumps(listed))
    else:
        path.write_text("\n".join(listed) + "\n")


def write_parquet(path: Path, columns: dict[str, Any]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    options: dict[str, Any] = {"compression": "none", "use_dictionary": False}
    pq.write_table(pa.table(columns), path, write_statistics=False, **options)


def parquet_vectors(folder: Path, seed: int) -> str:
    columns = {"word": words(seed), "vector": rows(seed).tolist(), "count": [9, 5, 2, 1 + seed % 2]}
    write_parquet(folder / "v.parquet", columns)
    return str(folder / "v.parquet")


def hdf5_rows(folder: Path, seed: int) -> str:
    import h5py

    with h5py.File(folder / "v.h5", "w") as out:
        for word, row in zip(WORDS, rows(seed), strict=True):
            out[word] = row
    return str(folder / "v.h5")


def spacy(folder: Path, seed: int) -> str:
    import msgpack

    from weatherglass.vectors.formats.kernels import murmur64
    from weatherglass.vectors.vocabulary import pack_words

    # A string that is not among the keys: its word is gone.
    strings = [word if i != seed % 4 or not seed else word[::-1] for i, word in enumerate(WORDS)]
    keys = np.empty(len(WORDS), np.uint64)
    murmur64(*pack_words([word.encode() for word in WORDS]), np.uint64(1), keys)
    order = np.random.default_rng(seed).permutation(len(WORDS)).tolist()
    place = folder / "vocab"
    place.mkdir()
    (place / "key2row").write_bytes(msgpack.packb(dict(zip(keys.tolist(), order, strict=True))))
    (place / "strings.json").write_text(json.dumps(strings))
    with open(place / "vectors", "wb") as out:
        np.save(out, rows(seed))
    return str(folder)


NUMPY_LISTS = ("v.vocab", "v.npy.vocab", "v.words", "v.txt", "v.json", "words.json", "v.parquet")
VECTORS = [
    Source("text", file("v.txt", text)),
    Source("text", file("v.txt.gz", lambda s: gzip.compress(text(s), 0, mtime=0)), "gzip"),
    Source("text", file("v.txt.xz", lambda s: lzma.compress(text(s))), "xz"),
    Source("text", file("v.txt.zst", lambda s: zstd(text(s))), "zstd"),
    Source("text", file("v.zip", in_zip("v.txt", text)), "zip"),
    Source("text with header", file("v.vec", lambda s: b"4 3\n" + text(s))),
    Source("word2vec binary", file("v.bin", binary)),
    Source("word2vec binary", file("v.bin.gz", lambda s: gzip.compress(binary(s), 0)), "gzip"),
    Source("fastText binary", file("v.bin", fasttext)),
    Source("fastText binary", file("v.bin.gz", lambda s: gzip.compress(fasttext(s), 0)), "gzip"),
    Source("Arrow or Parquet", parquet_vectors, "Parquet"),
    Source("Arrow or Parquet", written("v.arrow"), "Arrow"),
    Source("HDF5", written("v.h5"), "matrix", needs=("h5py",)),
    Source("HDF5", hdf5_rows, "rows", needs=("h5py",)),
    *(Source("NumPy .npy", matrix_and_list("v.npy", name), name) for name in NUMPY_LISTS),
    Source("NumPy .npy", matrix_and_list("v.npy", "w.txt", "?vocab=w.txt"), "?vocab="),
    Source("NumPy .npy", matrix_and_list("v.npy", "w.txt", in_folder=True), "folder"),
    Source("NumPy .npz", written("v.npz"), "words inside"),
    Source("NumPy .npz", matrix_and_list("v.npz", "v.npz.vocab"), "list beside it"),
    Source("NumPy .npz", matrix_and_list("v.npz", "w.json", "?vocab=w.json"), "?vocab="),
    Source("safetensors", matrix_and_list("v.safetensors", "v.vocab"), "list beside it"),
    Source("safetensors", matrix_and_list("v.safetensors", "w.json", "?vocab=w.json"), "?vocab="),
    Source(
        "safetensors",
        matrix_and_list("model.safetensors", "tokenizer.json", in_folder=True),
        "model2vec folder",
    ),
    Source("spaCy folder", spacy, needs=("msgpack",)),
]


def sentence(seed: int) -> str:
    return " ".join(words(seed))


def csv(seed: int, delimiter: str = ",") -> bytes:
    lines = ("text", "year"), (sentence(seed), 1800 + seed), (sentence(seed + 1), 1900)
    return "".join(f"{a}{delimiter}{b}\n" for a, b in lines).encode()


def json_lines(seed: int) -> bytes:
    records = ({"text": sentence(seed + i), "year": 1800 + seed} for i in range(2))
    return "".join(json.dumps(record) + "\n" for record in records).encode()


def tei(seed: int) -> bytes:
    author = f"<author>A. {words(seed)[0]}</author>"
    header = f"<teiHeader><fileDesc><titleStmt>{author}</titleStmt></fileDesc></teiHeader>"
    return f"<TEI>{header}<text><p>{sentence(seed)}</p></text></TEI>".encode()


def corpus_parquet(folder: Path, seed: int) -> str:
    write_parquet(folder / "c.parquet", {"text": [sentence(seed)], "year": [1800 + seed]})
    return str(folder / "c.parquet")


def corpus_folder(folder: Path, seed: int) -> str:
    """A folder of files of several formats with a table about them."""
    inside = folder / "letters"
    (inside / "more").mkdir(parents=True)
    (inside / "1.txt").write_text(sentence(seed))
    (inside / "more" / "2.txt.gz").write_bytes(gzip.compress(sentence(seed).encode(), 0, mtime=0))
    (inside / "3.xml").write_bytes(tei(seed))
    names = ("1.txt", "more/2.txt.gz", "3.xml")
    table = "".join(f"{name},{1800 + seed}\n" for name in names)
    (folder / "about.csv").write_text(f"file,year\n{table}")
    return f"{inside}?about={folder / 'about.csv'}"


CORPORA = [
    Source("text", file("c.txt", lambda s: sentence(s).encode())),
    Source("text", file("c.txt.xz", lambda s: lzma.compress(sentence(s).encode())), "xz"),
    Source("text", file("c.zip", in_zip("c.txt", lambda s: sentence(s).encode())), "zip"),
    Source("text", corpus_folder, "folder with a table"),
    Source("csv", file("c.csv", csv)),
    Source("tsv", file("c.tsv", lambda s: csv(s, "\t"))),
    Source("jsonl", file("c.jsonl", json_lines)),
    Source("jsonl", file("c.jsonl.zst", lambda s: zstd(json_lines(s))), "zstd"),
    Source("parquet", corpus_parquet),
    Source("tei", file("c.xml", tei)),
]
