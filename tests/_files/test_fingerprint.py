"""A fingerprint tells contents apart."""

from __future__ import annotations

from weatherglass._files import fingerprint
from weatherglass._files.fingerprint import (
    block_digest,
    combine_digests,
    combine_fingerprints,
    file_fingerprint,
)


def test_a_fingerprint_combines_the_digests_of_the_blocks(tmp_path, small_blocks):
    for size in (0, 1, 63, 64, 65, 1000):
        content = bytes(i % 251 for i in range(size))
        (tmp_path / "file").write_bytes(content)
        digests = [block_digest(content[i : i + 64]) for i in range(0, size, 64)]
        assert file_fingerprint(tmp_path / "file", 2) == combine_digests(digests, size)


def test_changing_any_byte_changes_the_fingerprint(tmp_path, small_blocks):
    content = bytearray(range(200))
    path = tmp_path / "file"
    path.write_bytes(content)
    fingerprints = {file_fingerprint(path, 1)}
    for i in range(200):
        content[i] ^= 1
        path.write_bytes(content)
        fingerprints.add(file_fingerprint(path, 1))
        content[i] ^= 1
    for size in range(200):
        path.write_bytes(content[:size])
        fingerprints.add(file_fingerprint(path, 1))
    assert len(fingerprints) == 401


def test_the_number_of_threads_does_not_matter(tmp_path, small_blocks):
    (tmp_path / "file").write_bytes(bytes(10_000))
    assert len({file_fingerprint(tmp_path / "file", n) for n in (1, 2, 8)}) == 1


def test_the_fingerprint_depends_on_the_order_of_blocks_and_on_the_length(tmp_path):
    a, b = block_digest(b"a"), block_digest(b"b")
    assert combine_digests([a, b], 2) != combine_digests([b, a], 2)
    assert combine_digests([a], 1) != combine_digests([a], 2)


def test_the_fingerprint_of_several_files_depends_on_their_order():
    assert combine_fingerprints(["a"]) == "a"
    assert combine_fingerprints(["a", "b"]) != combine_fingerprints(["b", "a"])
    assert len(combine_fingerprints(["a", "b"])) == len(combine_digests([], 0)) == 32


def test_blocks_are_large_enough_for_speed():
    assert fingerprint.BLOCK_SIZE >= 1 << 20
