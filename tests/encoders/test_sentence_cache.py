"""Encodings on disk outlive interruption, damage and company."""

import os
import signal
import subprocess
import sys

import numpy as np
import pytest

from weatherglass.encoders import encode_all
from weatherglass.encoders.sentence_cache import SentenceCache, clear, entries

TEXTS = [f"sentence {i}" for i in range(40)]


def shards(cache):
    return sorted(cache.glob("encodings/*/*.npz"))


def test_a_completed_run_leaves_a_single_shard(counting, cache, monkeypatch):
    monkeypatch.setattr(
        "weatherglass.encoders.sentence_cache._FLUSH_SECONDS", -1
    )  # a piece every batch
    encode_all(counting(), TEXTS, batch_size=7)
    assert len(shards(cache)) == 1
    encode_all(counting(), [*TEXTS, "one more"], batch_size=7)
    assert len(shards(cache)) == 2
    assert not list(cache.glob("encodings/*/.*"))


def test_large_caches_are_not_merged(counting, cache, monkeypatch):
    monkeypatch.setattr("weatherglass.encoders.sentence_cache._FLUSH_BYTES", 0)
    monkeypatch.setattr("weatherglass.encoders.sentence_cache._MERGE_BYTES", 100)
    encode_all(counting(), TEXTS, batch_size=20)
    assert len(shards(cache)) == 2


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit])
def test_an_interrupted_run_resumes_from_the_sentence_cache(counting, cache, stop):
    class Stopped(counting):
        def encode(self, sentences):
            if len(self.batches) == 3:
                raise stop
            return super().encode(sentences)

    first, second = Stopped(), counting()
    with pytest.raises(stop):
        encode_all(first, TEXTS, batch_size=5)
    encode_all(second, TEXTS, batch_size=5)
    assert len(first.asked) == 15
    assert sorted(first.asked + second.asked) == sorted(TEXTS)


SLOW = """
import signal, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell in the background ignores it
import numpy as np
import weatherglass.encoders.sentence_cache as memory
from weatherglass.encoders import encode_all
memory._FLUSH_SECONDS = 0.0
class Slow:
    name, fingerprint, asked = "slow", "counting", 0
    def encode(self, sentences):
        self.asked += 1
        if self.asked == 4:
            print("three done", flush=True)
            time.sleep(600)
        return np.ones((len(sentences), 4), dtype=np.float32)
encode_all(Slow(), [f"sentence {i}" for i in range(40)], batch_size=5)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals as on Unix")
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_killed_run_resumes_from_the_sentence_cache(counting, cache, how):
    process = subprocess.Popen(
        [sys.executable, "-c", SLOW], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    with process:
        assert process.stdout.readline() == b"three done\n"
        process.send_signal(how)
    again = counting()
    encode_all(again, TEXTS)
    assert len(again.asked) == 25


@pytest.mark.parametrize("spoil", ["cut", "flip", "empty", "foreign", "pickle"])
def test_a_damaged_shard_is_ignored(counting, cache, spoil):
    rows = encode_all(counting(), TEXTS)
    (shard,) = shards(cache)
    raw = bytearray(shard.read_bytes())
    if spoil == "cut":
        shard.write_bytes(raw[: len(raw) // 2])
    elif spoil == "flip":
        at = raw.find(rows.tobytes()[-64:])  # inside the rows
        raw[at if at >= 0 else len(raw) // 2] ^= 1
        shard.write_bytes(raw)
    elif spoil == "empty":
        shard.write_bytes(b"")
    elif spoil == "foreign":
        np.savez(shard, keys=np.zeros((3, 16), np.uint8), other=np.zeros(2))
    else:
        np.savez(shard, keys=np.array([None, {}], dtype=object), rows=np.zeros((2, 4)))
    again = counting()
    np.testing.assert_array_equal(encode_all(again, TEXTS), rows)
    assert len(again.asked) == len(TEXTS)


def test_a_flipped_byte_in_a_shard_is_harmless(counting, cache):
    texts = TEXTS[:3]
    rows = encode_all(counting(), texts)
    (shard,) = shards(cache)
    raw = shard.read_bytes()
    memory = SentenceCache("counting")
    for at in range(0, len(raw), 3):
        shard.write_bytes(raw[:at] + bytes([raw[at] ^ 0x55]) + raw[at + 1 :])
        for text, row in memory.load(texts).items():
            np.testing.assert_array_equal(row, rows[texts.index(text)])


def test_several_processes_can_write_the_sentence_cache_at_once(counting, cache):
    code = SLOW.replace("== 4", "== 1000")
    many = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(4)]
    assert [process.wait() for process in many] == [0] * 4
    again = counting()
    encode_all(again, TEXTS)
    assert again.asked == []


@pytest.mark.skipif(sys.platform == "win32", reason="file rights as on Unix")
def test_encoding_works_when_the_cache_cannot_be_written(counting, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("WEATHERGLASS_CACHE_DIR", str(tmp_path / "file"))
    encoder = counting()
    assert len(encode_all(encoder, TEXTS)) == len(TEXTS)
    assert len(encode_all(encoder, TEXTS)) == len(TEXTS)
    assert len(encoder.asked) == 2 * len(TEXTS)


def test_the_cache_folder_names_the_encoder_but_holds_no_sentence(counting, cache):
    encode_all(counting(), ["a secret sentence"])
    (about,) = cache.glob("encodings/*/about.json")
    assert '"encoder": "counting"' in about.read_text()
    assert all(b"secret" not in path.read_bytes() for path in cache.rglob("*") if path.is_file())


def test_rows_of_two_widths_are_never_mixed(counting, cache):
    encode_all(counting(dim=4), TEXTS[:20])
    odd = SentenceCache("counting")
    odd.add({text: np.ones(3, np.float32) for text in TEXTS[20:]})
    odd.flush()
    widths = {len(row) for row in SentenceCache("counting").load(TEXTS).values()}
    assert len(widths) == 1


def test_sentences_that_differ_in_surrogates_have_different_keys(counting, cache):
    encoder = counting()
    encode_all(encoder, ["caf\udce9", "café", os.fsdecode(b"\xff")])
    encode_all(encoder, ["caf\udce9", "café", os.fsdecode(b"\xff")])
    assert len(encoder.asked) == 3


def test_the_sentence_cache_can_be_listed_and_cleared(counting, cache):
    assert (list(entries()), clear()) == ([], 0)
    encode_all(counting(), TEXTS)
    (entry,) = entries()
    assert (entry.encoder, entry.size) == ("counting", clear())
    assert list(entries()) == []
