"""One target under atheris, or where that is not installed under our own changes. See `__main__`.

An input is a byte that chooses the seed, and what is read in its place. What libFuzzer is not told
by coverage, such as that a file is JSON, our own changes know: half of all changes are ours.
"""

from __future__ import annotations

import argparse
import faulthandler
import resource
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from random import Random

HANG = 30  # seconds for one input
MEMORY = 2500  # MB
LONGEST = 40_000  # bytes of an input
# Numba compiles these from their bytecode, which must stay as it is.
KERNELS = ("vectors", "significance", "discovery", "corpus")


def main() -> None:
    """Run one target; the exit code is 0 only if nothing was found."""
    parser = argparse.ArgumentParser(prog="python -m fuzz.harness")
    parser.add_argument("target")
    parser.add_argument("--seconds", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--found", type=Path, default=Path("fuzz/found"))
    parser.add_argument("--replay", type=Path, help="read this input once, and nothing else")
    given = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="fuzz-"))
    given.found.mkdir(parents=True, exist_ok=True)
    atheris = None if given.replay else _atheris(given.target)
    if given.replay:
        _reader(given.target, folder)(given.replay.read_bytes())
        print(f"{given.replay} is read, or refused with a sentence.")
    elif atheris is None:
        _by_hand(given, folder)
    else:
        _by_atheris(atheris, given, folder)


def _atheris(target: str):  # type: ignore[no-untyped-def]
    try:
        import atheris
    except ImportError:
        return None
    kernels = [f"weatherglass.{name}.kernels" for name in KERNELS]
    kernels.append("weatherglass.significance.batch_kernels")
    with atheris.instrument_imports(include=["weatherglass"], exclude=kernels):
        from . import targets

        targets.warm_up(target)
    return atheris


def _reader(target: str, folder: Path) -> Callable[[bytes], None]:
    from .targets import check, seeds

    kinds = list(seeds(target))

    def read(data: bytes) -> None:
        if data:
            check(target, kinds[data[0] % len(kinds)], data[1:], folder)

    return read


def _inputs(target: str) -> list[bytes]:
    from .targets import seeds

    return [bytes([at]) + content for at, content in enumerate(seeds(target).values())]


def _changed(target: str, data: bytes, random: Random) -> bytes:
    from .mutate import mutated
    from .targets import seeds

    kinds = list(seeds(target))
    at = data[0] % len(kinds) if data else 0
    return bytes([at]) + mutated(data[1:], kinds[at], random)


def _by_atheris(atheris, given, folder: Path) -> None:  # type: ignore[no-untyped-def]
    corpus = folder / "corpus"
    corpus.mkdir()
    for at, data in enumerate(_inputs(given.target)):
        (corpus / str(at)).write_bytes(data)
    place = folder / "place"
    place.mkdir()

    def mutate(data: bytes, longest: int, seed: int) -> bytes:
        random = Random(seed)
        if random.random() < 0.5:
            return atheris.Mutate(data, longest)
        return _changed(given.target, data, random)[:longest]

    options = [
        f"-max_total_time={given.seconds}",
        f"-seed={given.seed}",
        f"-artifact_prefix={given.found}/{given.target}-",
        f"-timeout={HANG}",
        f"-rss_limit_mb={MEMORY}",
        f"-max_len={LONGEST}",
        "-print_final_stats=1",
        str(corpus),
    ]
    atheris.Setup([sys.argv[0], *options], _reader(given.target, place), custom_mutator=mutate)
    atheris.Fuzz()


def _by_hand(given: argparse.Namespace, folder: Path) -> None:
    """Without atheris: changes to the seeds, blind but many."""
    read, random = _reader(given.target, folder), Random(given.seed)
    end, runs, inputs = time.monotonic() + given.seconds, 0, _inputs(given.target)
    while time.monotonic() < end:
        data = _changed(given.target, inputs[runs % len(inputs)], random)
        runs += 1
        path = given.found / f"{given.target}-crash-{given.seed}-{runs}"
        path.write_bytes(data)  # before it is read, which may end the process
        faulthandler.dump_traceback_later(HANG, exit=True)
        try:
            read(data)
        except Exception:
            traceback.print_exc()
            print(f"The input is {path}.")
            sys.exit(1)
        finally:
            faulthandler.cancel_dump_traceback_later()
        path.unlink()
        if resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10 > MEMORY:
            sys.exit(f"After {runs} inputs more than {MEMORY} MB were in use.")
    print(f"Done {runs} runs.")


if __name__ == "__main__":
    main()
