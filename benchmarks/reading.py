"""Reading vectors: time relative to `wc -l`, gensim and pyarrow's CSV reader; start-up time.

    python benchmarks/reading.py [--gigabytes 1] [--dim 300]

Generates a GloVe text file of the given size and reads it with each tool in a new process. Only the
ratios can be compared between machines. Needs the extras `default` (for the words) and `train` (for
gensim).
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

WORDS = ["the", "doctor", "nurse", "rose", "wasp", "salary", "wedding", "no-such-word"] * 20

# Runs in a new process; prints seconds, peak memory and a value to check.
PROBE = """
import json, resource, sys, time
path, words = sys.argv[1], json.loads(sys.argv[2])
{setup}
start = time.perf_counter()
result = {call}
seconds = time.perf_counter() - start
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps([seconds, peak, {check}]))
"""
# Loading numba and the compiled kernels takes half a second, whatever the file: done before timing.
OURS = """
import os, tempfile, weatherglass as wg
with tempfile.TemporaryDirectory() as folder:
    with open(folder + '/small.txt', 'w') as file: file.write('a 0.5\\nb 1.5\\n')
    wg.open_vectors(folder + '/small.txt'), wg.open_vectors(folder + '/small.txt', words=['a'])
"""
LOADED = "import weatherglass as wg; wg.open_vectors"
GENSIM = "from gensim.models import KeyedVectors"
ARROW = """
import pyarrow as pa, pyarrow.csv as csv
with open(path, 'rb') as file: fields = len(file.readline().split(b' '))
names = ['word', *(f'd{i}' for i in range(fields - 1))]
types = {name: pa.float32() for name in names[1:]} | {'word': pa.string()}
"""
ARROW_CALL = """csv.read_csv(path, csv.ReadOptions(column_names=names, block_size=16 << 20),
    csv.ParseOptions(delimiter=' ', quote_char=False), csv.ConvertOptions(column_types=types))"""


def probe(
    path: Path, cache: Path, setup: str, call: str, check: str
) -> tuple[float, float, object]:
    """Seconds, peak megabytes and a value to check, from a new process."""
    code = PROBE.format(setup=setup, call=call, check=check)
    process = subprocess.run(
        [sys.executable, "-c", code, str(path), json.dumps(WORDS)],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"WEATHERGLASS_CACHE_DIR": str(cache)},
    )
    seconds, peak, value = json.loads(process.stdout)
    return seconds, peak, value


def make_file(path: Path, size: int, dim: int) -> int:
    """Write a GloVe text file of real words and random five-digit numbers; return its rows."""
    import numpy as np

    import weatherglass as wg

    words = list(wg.open_vectors("default").words)
    rng = np.random.default_rng(0)
    numbers = [f"{value:.5g}".encode() for value in rng.normal(0, 0.4, 1 << 17)]
    written, row = 0, 0
    with open(path, "wb", buffering=1 << 20) as file:
        while written < size:
            copy, k = divmod(row, len(words))
            word = words[k] + (f"~{copy}" if copy else "")
            picked = rng.integers(0, len(numbers), dim).tolist()
            written += file.write(
                word.encode() + b" " + b" ".join([numbers[i] for i in picked]) + b"\n"
            )
            row += 1
    return row


def best_of(times: int, run: object) -> float:
    """Shortest time of several runs, which is the one least disturbed by other processes."""
    seconds = []
    for _ in range(times):
        start = time.perf_counter()
        run()  # type: ignore[operator]
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--gigabytes", type=float, default=1.0)
    parser.add_argument("--dim", type=int, default=300)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path, cache = folder / "vectors.txt", folder / "cache"
        rows = make_file(path, int(options.gigabytes * 1e9), options.dim)
        os.utime(path, (time.time() - 60, time.time() - 60))
        with_header = folder / "vectors.vec"
        with open(with_header, "wb") as file:
            file.write(f"{rows} {options.dim}\n".encode())
            with open(path, "rb") as body:
                while block := body.read(1 << 24):
                    file.write(block)
        print(f"{path.stat().st_size / 1e9:.2f} GB of GloVe text, {rows:,} rows of {options.dim}")
        compare(path, with_header, cache, rows, options.dim)


def compare(path: Path, with_header: Path, cache: Path, rows: int, dim: int) -> None:
    """Read with every tool and print the ratios."""
    empty = cache.parent / "empty"  # caches in new folders, so that nothing is cached
    wc = best_of(5, lambda: subprocess.run(["wc", "-l", path], capture_output=True, check=True))
    subset = min(
        probe(path, empty / str(i), OURS, "wg.open_vectors(path, words=words)", "len(result)")[0]
        for i in range(5)
    )
    print(f"rows of {len(set(WORDS))} words, relative to wc -l:  {subset / wc:6.2f} times its time")
    whole, peak, sample = min(
        (
            probe(path, cache / str(i), OURS, "wg.open_vectors(path)", SAMPLE.format("matrix"))
            for i in range(3)
        ),
        key=lambda run: run[0],
    )
    call = "KeyedVectors.load_word2vec_format(path)"
    gensim, _, theirs = probe(with_header, empty, GENSIM, call, SAMPLE.format("vectors"))
    print(f"whole file, relative to gensim:       {gensim / whole:6.1f} times as fast")
    print(f"  every 1,000th row is identical:     {sample == theirs}")
    arrow, _, _ = probe(path, empty, ARROW, ARROW_CALL, "0")
    print(f"whole file, relative to pyarrow CSV:  {arrow / whole:6.1f} times as fast")
    overhead = peak - rows * dim * 4 / 2**20
    print(f"peak memory of that process:          the float32 matrix plus {overhead:.0f} MiB")
    cached = min(
        probe(path, cache / "0", LOADED, "wg.open_vectors(path)", "0")[0] for _ in range(5)
    )
    print(f"opened from the cache: {1000 * cached:.1f} ms, {whole / cached:,.0f} times as fast")
    commands(path, cache / "0")


SAMPLE = "[row.tobytes().hex() for row in result.{}[::1000]]"


def commands(path: Path, cache: Path) -> None:
    """Print the start-up time of the command line, relative to importing numpy."""
    env = os.environ | {"WEATHERGLASS_CACHE_DIR": str(cache)}

    def seconds(*arguments: str) -> float:
        line = [sys.executable, *arguments]
        return best_of(7, lambda: subprocess.run(line, capture_output=True, check=True, env=env))

    numpy = seconds("-c", "import numpy")
    for line in (["--help"], ["vectors", "info", str(path)]):
        elapsed = seconds("-m", "weatherglass", *line)
        name = " ".join(line[:2])
        print(
            f"weatherglass {name:24} {1000 * elapsed:6.0f} ms, "
            f"{elapsed / numpy:.2f} times `python -c 'import numpy'`"
        )


if __name__ == "__main__":
    main()
