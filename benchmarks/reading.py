"""Reading vectors: ratios against `wc -l`, gensim and pyarrow's CSV reader, in one run.

    python benchmarks/reading.py [--gigabytes 1] [--dim 300]

Makes a GloVe text file of the size asked for, and reads it in each way in a fresh process. Times
are on this machine and in this run; only the ratios are worth quoting. Needs the extras `default`
(for the words) and `train` (for gensim).
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

# Each is run in a process of its own, and prints its seconds and its peak memory.
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
# Loading the compiler and the compiled code takes the same half second for any file: done first.
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
    """Seconds, peak megabytes and a value to check, from a fresh process."""
    code = PROBE.format(setup=setup, call=call, check=check)
    done = subprocess.run(
        [sys.executable, "-c", code, str(path), json.dumps(WORDS)],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"WEATHERGLASS_CACHE_DIR": str(cache)},
    )
    seconds, peak, value = json.loads(done.stdout)
    return seconds, peak, value


def make_file(path: Path, size: int, dim: int) -> int:
    """A GloVe text file: real words, made-up numbers of five digits. Returns the rows."""
    import numpy as np

    import weatherglass as wg

    words = list(wg.open_vectors("default").words)
    rng = np.random.default_rng(0)
    numbers = [f"{value:.5g}".encode() for value in rng.normal(0, 0.4, 1 << 17)]
    written, row = 0, 0
    with open(path, "wb", buffering=1 << 20) as file:
        while written < size:
            again, k = divmod(row, len(words))
            word = words[k] + (f"~{again}" if again else "")
            picked = rng.integers(0, len(numbers), dim).tolist()
            written += file.write(
                word.encode() + b" " + b" ".join([numbers[i] for i in picked]) + b"\n"
            )
            row += 1
    return row


def best_of(times: int, run: object) -> float:
    """The shortest of several runs: the least disturbed one."""
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
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path, cache = folder / "vectors.txt", folder / "cache"
        rows = make_file(path, int(chosen.gigabytes * 1e9), chosen.dim)
        os.utime(path, (time.time() - 60, time.time() - 60))
        headed = folder / "vectors.vec"
        with open(headed, "wb") as file:
            file.write(f"{rows} {chosen.dim}\n".encode())
            with open(path, "rb") as body:
                while part := body.read(1 << 24):
                    file.write(part)
        print(f"{path.stat().st_size / 1e9:.2f} GB of GloVe text, {rows:,} rows of {chosen.dim}")
        compare(path, headed, cache, rows, chosen.dim)


def compare(path: Path, headed: Path, cache: Path, rows: int, dim: int) -> None:
    """Run every way of reading and print the ratios."""
    none = cache.parent / "no cache"  # a fresh folder for each: nothing is remembered
    count = best_of(5, lambda: subprocess.run(["wc", "-l", path], capture_output=True, check=True))
    some = min(
        probe(path, none / str(i), OURS, "wg.open_vectors(path, words=words)", "len(result)")[0]
        for i in range(5)
    )
    print(
        f"rows of {len(set(WORDS))} words, against wc -l:      {some / count:6.2f} times its time"
    )
    whole, peak, sample = min(
        (
            probe(path, cache / str(i), OURS, "wg.open_vectors(path)", SAMPLE.format("matrix"))
            for i in range(3)
        ),
        key=lambda run: run[0],
    )
    call = "KeyedVectors.load_word2vec_format(path)"
    gensim, _, theirs = probe(headed, none, GENSIM, call, SAMPLE.format("vectors"))
    print(f"whole file, against gensim:           {gensim / whole:6.1f} times as fast")
    print(f"  the same bits on every 1,000th row: {sample == theirs}")
    arrow, _, _ = probe(path, none, ARROW, ARROW_CALL, "0")
    print(f"whole file, against pyarrow's CSV:    {arrow / whole:6.1f} times as fast")
    over = peak - rows * dim * 4 / 2**20
    print(f"peak memory of that process:          the float32 matrix plus {over:.0f} MiB")
    again = min(probe(path, cache / "0", LOADED, "wg.open_vectors(path)", "0")[0] for _ in range(5))
    print(f"second opening: {1000 * again:.1f} ms, {whole / again:,.0f} times as fast as the first")
    commands(path, cache / "0")


SAMPLE = "[row.tobytes().hex() for row in result.{}[::1000]]"


def commands(path: Path, cache: Path) -> None:
    """Start-up of the command line, against importing numpy."""
    env = os.environ | {"WEATHERGLASS_CACHE_DIR": str(cache)}

    def seconds(*arguments: str) -> float:
        line = [sys.executable, *arguments]
        return best_of(7, lambda: subprocess.run(line, capture_output=True, check=True, env=env))

    numpy = seconds("-c", "import numpy")
    for line in (["--help"], ["vectors", "info", str(path)]):
        took = seconds("-m", "weatherglass", *line)
        name = " ".join(line[:2])
        print(
            f"weatherglass {name:24} {1000 * took:6.0f} ms, "
            f"{took / numpy:.2f} times `python -c 'import numpy'`"
        )


if __name__ == "__main__":
    main()
