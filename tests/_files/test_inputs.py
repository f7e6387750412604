"""Input files: compressed, damaged, truncated, and decompression bombs."""

from __future__ import annotations

import gzip
import lzma
import os
import zipfile

import numpy as np
import pyarrow as pa
import pytest

from weatherglass._files import cache, fingerprint, inputs
from weatherglass._files.inputs import Input, map_in_order
from weatherglass.errors import BadContent, SourceError, SourceNotFound, TooLarge, UnknownFormat
from weatherglass.vectors import Vectors, open_vectors


def zstd(content):
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as stream:
        stream.write(content)
    return sink.getvalue().to_pybytes()


COMPRESSORS = {"gzip": gzip.compress, "xz": lzma.compress, "zstd": zstd}


@pytest.fixture
def text():
    rng = np.random.default_rng(1)
    rows = rng.standard_normal((2000, 5)).astype(np.float32)
    return "".join(f"w{i} {' '.join(map(str, row))}\n" for i, row in enumerate(rows)).encode()


@pytest.fixture(params=COMPRESSORS)
def compression(request):
    return request.param


def test_the_error_names_a_file_that_does_not_exist(tmp_path):
    with pytest.raises(SourceNotFound, match=r"no file or folder .*absent\.txt"):
        open_vectors(tmp_path / "absent.txt")
    with pytest.raises(SourceNotFound, match="no file or folder"):
        Input(tmp_path / "absent.txt")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_a_named_pipe_is_refused_without_waiting(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(BadContent, match="neither a file nor a folder"):
        open_vectors(tmp_path / "pipe")


def test_progress_counts_the_compressed_bytes(compression, tmp_path):
    noise = np.random.default_rng(1).bytes(1 << 21)
    path = tmp_path / "packed"
    path.write_bytes(COMPRESSORS[compression](noise + bytes(6 << 20)))  # zeros take no space
    source = Input(path)
    with source.stream() as stream:
        stream.read(1 << 20)
        assert 0.3 * source.size < source.bytes_read < 0.7 * source.size
        stream.read(1 << 30)
        assert source.bytes_read == source.size


@pytest.mark.parametrize("words", [None, ["w1999", "w7"]])
@pytest.mark.parametrize("block", [64, 1000, 1 << 22])
def test_a_compressed_file_reads_as_the_uncompressed_one(
    compression, words, block, text, tmp_path, monkeypatch
):
    (tmp_path / "plain").write_bytes(text)
    (tmp_path / "packed").write_bytes(COMPRESSORS[compression](text))
    monkeypatch.setattr(fingerprint, "BLOCK_SIZE", block)
    plain = open_vectors(tmp_path / "plain", words=words)
    packed = open_vectors(tmp_path / "packed", words=words)
    assert list(packed.words) == list(plain.words)
    assert packed.matrix.tobytes() == plain.matrix.tobytes()
    assert packed.fingerprint == fingerprint.file_fingerprint(tmp_path / "packed", 1)


def test_concatenated_compressed_streams_are_one_file(compression, text, tmp_path):
    pack = COMPRESSORS[compression]
    (tmp_path / "packed").write_bytes(pack(text[:5000]) + pack(text[5000:]))
    assert len(open_vectors(tmp_path / "packed")) == 2000


@pytest.mark.parametrize("words", [None, ["w7"]])
@pytest.mark.parametrize("share", [0.02, 0.5, 0.999])
def test_a_truncated_compressed_file_is_refused(
    compression, words, share, text, tmp_path, cache_folder, monkeypatch
):
    # With small blocks, rows are written before the damage is reached.
    monkeypatch.setattr(fingerprint, "BLOCK_SIZE", 1000)
    content = COMPRESSORS[compression](text)
    (tmp_path / "packed").write_bytes(content[: int(share * len(content))])
    with pytest.raises(BadContent, match=rf"the {compression} stream is damaged or cut off after"):
        open_vectors(tmp_path / "packed", words=words)
    assert not list(cache.vectors_dir().glob("*"))
    assert not list(cache.vectors_dir().glob(".*"))


def test_a_damaged_zip_file_is_refused(text, tmp_path):
    with zipfile.ZipFile(tmp_path / "packed.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("vectors.txt", text)
    content = bytearray((tmp_path / "packed.zip").read_bytes())
    (tmp_path / "cut.zip").write_bytes(content[: len(content) // 2])
    with pytest.raises(BadContent, match="damaged or cut-off zip file"):
        open_vectors(tmp_path / "cut.zip")
    content[len(content) // 2] ^= 0xFF
    (tmp_path / "flipped.zip").write_bytes(content)
    with pytest.raises(BadContent, match="the zip stream is damaged"):
        open_vectors(tmp_path / "flipped.zip")


def test_a_zip_file_with_a_wrong_checksum_is_refused(text, tmp_path):
    with zipfile.ZipFile(tmp_path / "packed.zip", "w") as archive:
        archive.writestr("vectors.txt", text)
    content = (tmp_path / "packed.zip").read_bytes()
    (tmp_path / "packed.zip").write_bytes(content.replace(b"w1999 ", b"w1998 ", 1))
    with pytest.raises(BadContent, match="the zip stream is damaged"):
        open_vectors(tmp_path / "packed.zip")


@pytest.mark.parametrize("words", [None, ["w7"]])
def test_a_decompression_bomb_is_refused(compression, words, tmp_path, monkeypatch, cache_folder):
    monkeypatch.setattr(inputs, "MIN_UNPACK_LIMIT", 1 << 16)
    monkeypatch.setattr(inputs, "MAX_UNPACK_RATIO", 3)
    monkeypatch.setattr(fingerprint, "BLOCK_SIZE", 1 << 12)
    (tmp_path / "bomb").write_bytes(COMPRESSORS[compression](b"a 0 0 0\n" * (1 << 15)))
    with pytest.raises(TooLarge, match="unpacks to more than 65,536 bytes"):
        open_vectors(tmp_path / "bomb", words=words)
    assert not list(cache.vectors_dir().glob("*"))
    assert not list(cache.vectors_dir().glob(".*"))


def test_a_decompression_bomb_without_line_breaks_is_refused(compression, tmp_path):
    (tmp_path / "bomb").write_bytes(COMPRESSORS[compression](bytes(80 << 20)))
    with pytest.raises(SourceError):
        open_vectors(tmp_path / "bomb")


def test_a_compressed_file_inside_a_compressed_file_is_refused(tmp_path, text):
    for inner in COMPRESSORS:
        (tmp_path / "twice").write_bytes(gzip.compress(COMPRESSORS[inner](text)))
        with pytest.raises((UnknownFormat, BadContent)):
            open_vectors(tmp_path / "twice")


def test_a_file_that_shrinks_while_it_is_read_is_an_error(tmp_path, text, monkeypatch):
    (tmp_path / "vectors.txt").write_bytes(text)
    monkeypatch.setattr(fingerprint, "BLOCK_SIZE", 1000)
    source = Input(tmp_path / "vectors.txt")
    blocks = list(source.blocks(0))
    (tmp_path / "vectors.txt").write_bytes(text[:1990])
    with pytest.raises(BadContent, match="became shorter"):
        blocks[5]()
    with pytest.raises(BadContent, match="became shorter"):
        blocks[1]()


@pytest.mark.parametrize("skip", [0, 1, 50, 64, 65, 130, 200])
@pytest.mark.parametrize("block", [1, 7, 64, 1000])
def test_blocks_contain_every_line_exactly_once(skip, block, tmp_path, monkeypatch):
    lines = [b"x" * (skip - 1) + b"\n"] if skip else []
    lines += [b"%d" % i * (i % 40) + b"\n" for i in range(60)]
    (tmp_path / "lines").write_bytes(b"".join(lines))
    monkeypatch.setattr(fingerprint, "BLOCK_SIZE", block)
    source = Input(tmp_path / "lines")
    loaded = b""
    for load in source.blocks(skip):
        loaded_block = load()
        loaded += loaded_block.data[: loaded_block.size].tobytes()
    assert loaded == b"".join(lines)[skip:]
    starts = range(0, source.size, block)
    combined = fingerprint.combine_digests((source.digests[start] for start in starts), source.size)
    assert combined == fingerprint.file_fingerprint(source.path, 1)


def test_threaded_results_come_in_the_order_of_the_items():
    assert list(map_in_order(lambda x: x * x, range(100), 4)) == [x * x for x in range(100)]


def test_an_error_in_a_thread_is_raised_to_the_caller():
    def fail(x):
        if x == 5:
            raise BadContent("five")
        return x

    with pytest.raises(BadContent, match="five"):
        list(map_in_order(fail, range(10**9), 2))


def test_reading_vectors_leaves_no_file_open(plain, save, tmp_path):
    before = set(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else None
    if before is None:
        pytest.skip("the system does not list open files")
    for ending in (".txt", ".vec.gz", ".bin", ".bin.xz", ".txt.zst", ".npz", ".parquet", ".arrow"):
        path = save(plain, tmp_path / f"vectors{ending}")
        assert isinstance(open_vectors(path, words=["the"]), Vectors)
    assert len(os.listdir("/proc/self/fd")) <= len(before) + 1
