"""A file that another program makes shorter while it is read ends in a sentence, not in SIGBUS.

Each case runs in a process of its own, because a mapped file that shrinks kills its process.
"""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from weatherglass.vectors import Vectors
from weatherglass.vectors.formats.detect import format_for_writing

ENDINGS = [".npy", ".safetensors", ".parquet", ".arrow", ".bin", ".txt", ".ftb"]
# The file is cut after the first chunk, or before the first row of a search is read.
READ = """
import os, sys
from weatherglass._files import Input
from weatherglass.errors import WeatherglassError
from weatherglass.vectors.formats import WantedWords, find_format
from weatherglass.vectors.formats import arrow, fasttext, wordlist
from pathlib import Path

wordlist._CHUNK_NUMBERS = 1 << 10
arrow._BATCH_ROWS = 256
fasttext._CHUNK_ROWS = 256
path, wanted = sys.argv[1], sys.argv[2:]
source = Input(Path(path))
form = find_format(source)
source.total_size = source.size
try:
    chunks = form.read(source, WantedWords.of(wanted) if wanted else None, 1)
    if not wanted:
        next(chunks)
    os.truncate(path, 4096)
    for chunk in chunks:
        chunk.rows.sum()
except WeatherglassError as error:
    print("refused:", error)
else:
    print("read")
"""


def fasttext_model(words, rows):
    import struct

    dim = rows.shape[1]
    out = struct.pack("<2i12id", 793712314, 12, dim, 5, 5, 1, 5, 1, 1, 2, 0, 0, 0, 100, 1e-4)
    out += struct.pack("<3i2q", len(words), len(words), 0, 9, -1)
    out += b"".join(word.encode() + b"\0" + struct.pack("<qb", 7, 0) for word in words)
    return out + struct.pack("<?2q", False, *rows.shape) + rows.astype("<f4").tobytes()


@pytest.mark.parametrize("wanted", [[], ["w19999"]], ids=["all words", "one word"])
@pytest.mark.parametrize("ending", ENDINGS)
def test_a_file_that_shrinks_while_it_is_read_is_refused(ending, wanted, tmp_path):
    rows = np.random.default_rng(1).standard_normal((20_000, 64)).astype(np.float32)
    words = [f"w{i}" for i in range(len(rows))]
    path = tmp_path / f"v{ending}"
    if ending == ".ftb":
        path.write_bytes(fasttext_model(words, rows))
    else:
        format_for_writing(path).write(Vectors.of(words, rows), path)
    process = subprocess.run(
        [sys.executable, "-c", READ, str(path), *wanted],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert process.returncode == 0, process.stderr
    # Formats that are read in large pieces may be complete before the file is cut.
    assert process.stdout.startswith("refused:") or ending in (".parquet", ".bin", ".txt")
