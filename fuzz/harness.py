"""Fuzz one target with atheris or, if that is not installed, with our own mutations.

The first byte of an input selects a seed file, and the rest is read in its place. Half of all
mutations are ours: they know what libFuzzer cannot learn from coverage, such as the syntax of JSON.
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

TIMEOUT = 30  # seconds for one input
MAX_MEMORY = 2500  # MB
MAX_LENGTH = 40_000  # bytes of an input
SOURCE = Path(__file__).parent.parent / "src"


def main() -> None:
    """Run one target; the exit code is 0 only if there were no failures."""
    parser = argparse.ArgumentParser(prog="python -m fuzz.harness")
    parser.add_argument("target")
    parser.add_argument("--seconds", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--failures", type=Path, default=Path("fuzz/failures"))
    parser.add_argument("--replay", type=Path, help="read only this input")
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="fuzz-"))
    options.failures.mkdir(parents=True, exist_ok=True)
    atheris = None if options.replay else _load_atheris(options.target)
    if options.replay:
        _reader(options.target, folder)(options.replay.read_bytes())
        print(f"{options.replay}: no failure. It was read, or rejected with an error message.")
    elif atheris is None:
        _fuzz_blind(options, folder)
    else:
        _fuzz_guided(atheris, options, folder)


def _load_atheris(target: str):  # type: ignore[no-untyped-def]
    try:
        import atheris
    except ImportError:
        return None
    with atheris.instrument_imports(include=["weatherglass"], exclude=compiled_modules()):
        from . import targets

        targets.warm_up(target)
    return atheris


def compiled_modules() -> list[str]:
    """The modules that are not instrumented, because numba compiles them from their bytecode."""
    paths = [path.relative_to(SOURCE).with_suffix("") for path in SOURCE.rglob("*kernels.py")]
    kernels = sorted(".".join(path.parts) for path in paths)
    # `batch_kernels` compiles functions of these as well.
    return [*kernels, "weatherglass.significance.tail", "weatherglass.significance.tilted"]


def _reader(target: str, folder: Path) -> Callable[[bytes], None]:
    from .targets import check, seeds

    kinds = list(seeds(target))

    def read(data: bytes) -> None:
        if data:
            check(target, kinds[data[0] % len(kinds)], data[1:], folder)

    return read


def _seed_inputs(target: str) -> list[bytes]:
    from .targets import seeds

    return [bytes([index]) + content for index, content in enumerate(seeds(target).values())]


def _mutate(target: str, data: bytes, random: Random) -> bytes:
    from .mutate import mutate
    from .targets import seeds

    kinds = list(seeds(target))
    index = data[0] % len(kinds) if data else 0
    return bytes([index]) + mutate(data[1:], kinds[index], random)


def _fuzz_guided(atheris, options, folder: Path) -> None:  # type: ignore[no-untyped-def]
    corpus = folder / "corpus"
    corpus.mkdir()
    for index, data in enumerate(_seed_inputs(options.target)):
        (corpus / str(index)).write_bytes(data)
    work_folder = folder / "work"
    work_folder.mkdir()

    def mutate(data: bytes, max_length: int, seed: int) -> bytes:
        random = Random(seed)
        if random.random() < 0.5:
            return atheris.Mutate(data, max_length)
        return _mutate(options.target, data, random)[:max_length]

    arguments = [
        f"-max_total_time={options.seconds}",
        f"-seed={options.seed}",
        f"-artifact_prefix={options.failures}/{options.target}-",
        f"-timeout={TIMEOUT}",
        f"-rss_limit_mb={MAX_MEMORY}",
        f"-max_len={MAX_LENGTH}",
        "-print_final_stats=1",
        str(corpus),
    ]
    atheris.Setup(
        [sys.argv[0], *arguments], _reader(options.target, work_folder), custom_mutator=mutate
    )
    atheris.Fuzz()


def _fuzz_blind(options: argparse.Namespace, folder: Path) -> None:
    """Fuzz without coverage guidance: read as many mutated seeds as time allows."""
    read, random = _reader(options.target, folder), Random(options.seed)
    end, runs, inputs = time.monotonic() + options.seconds, 0, _seed_inputs(options.target)
    while time.monotonic() < end:
        data = _mutate(options.target, inputs[runs % len(inputs)], random)
        runs += 1
        path = options.failures / f"{options.target}-crash-{options.seed}-{runs}"
        path.write_bytes(data)  # before reading it, which may crash the process
        faulthandler.dump_traceback_later(TIMEOUT, exit=True)
        try:
            read(data)
        except Exception:
            traceback.print_exc()
            print(f"The input is {path}.")
            sys.exit(1)
        finally:
            faulthandler.cancel_dump_traceback_later()
        path.unlink()
        if resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10 > MAX_MEMORY:
            sys.exit(f"More than {MAX_MEMORY} MB in use after {runs} inputs.")
    print(f"Done {runs} runs.")


if __name__ == "__main__":
    main()
