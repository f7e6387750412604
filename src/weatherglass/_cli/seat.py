"""``weatherglass seat``: association tests on sentence encoders."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from weatherglass.errors import CannotMeasure, EncoderError, UsageError, WeatherglassError

from .options import (
    alpha_option,
    alternative_option,
    batch_size_option,
    cache_option,
    dry_run_option,
    intervals_option,
    missing_option,
    output_options,
    overlap_option,
    seed_option,
    tests_options,
    worker_options,
)
from .output import Output, printable, progress_bar, table
from .run_tests import (
    interval_table,
    interval_text,
    select_tests,
    write_results,
    write_workload,
)

if TYPE_CHECKING:
    from weatherglass.encoders import SeatResult


@click.command()
@click.argument("encoders", nargs=-1, required=True, metavar="ENCODER...")
@tests_options
@click.option(
    "--level",
    type=click.Choice(["word", "sentence", "both"]),
    default="both",
    show_default=True,
    help="Only tests of single words, only tests of sentences, or both.",
)
@click.option("--sentences", is_flag=True, help="Convert word tests to sentence tests.")
@click.option(
    "--annotations",
    type=click.Path(path_type=Path),
    help="For --sentences: CSV with the columns word, kind and plural, for words that are not in "
    "the catalogue; `weatherglass catalog kinds` lists the kinds.",
)
@click.option(
    "--p",
    "method",
    type=click.Choice(["auto", "paper", "exact", "tilted", "bracket", "sample", "normal"]),
    default="auto",
    show_default=True,
    help="Method for the permutation p-value; paper: exact up to 100,000 partitions, else 99,999 "
    "samples.",
)
@alternative_option
@alpha_option(0.01, "Significance level at which Holm-corrected p-values are marked.")
@missing_option()
@overlap_option
@seed_option
@intervals_option("other words in all four sets and other templates")
@batch_size_option
@cache_option
@dry_run_option
@click.option(
    "--rotation", is_flag=True, help="Rotation p-values: how often random directions align so well."
)
@worker_options(
    "Threads for the tests; all processors by default. Encoders choose their own number.",
    "sentences are encoded there, the tests run here",
)
@output_options(plot=True)
def seat(
    encoders: tuple[str, ...],
    ids: tuple[str, ...],
    files: tuple[Path, ...],
    level: str,
    sentences: bool,
    annotations: Path | None,
    alpha: float,
    cluster: str | None,
    rotation: bool,
    no_cache: bool,
    dry_run: bool,
    output: Output,
    seed: int,
    **options: Any,
) -> None:
    """Run association tests (SEAT) on sentence encoders: all 46 published ones, or those you name.

    Effect, interval and p count each word once, by the mean over its sentences, and so does the
    finding; columns of their own have the paper's numbers, which count every sentence.

    An ENCODER is `cbow:SOURCE` (the mean of word vectors), `st:NAME` (sentence-transformers),
    `hf:NAME` (transformers) or another registered scheme. Encoded sentences are cached.
    """
    from weatherglass.encoders import count_work, open_encoder
    from weatherglass.measures import Results

    tests = _select(ids, files, level, sentences, annotations)
    names = list(dict.fromkeys(encoders))
    if dry_run:
        encoders_opened = (open_encoder(name) for name in names)
        work = [count_work(encoder, [tests], options["batch_size"]) for encoder in encoders_opened]
        write_workload(work, output)
        return
    options |= {"rng": seed, "cache": not no_cache}
    results, failed = _measure_all(names, tests, cluster, options)
    if not results:
        raise CannotMeasure("No encoder could be measured.")
    corrected = Results.of(results).correct()
    write_results(corrected, output, lambda rows: _table(rows, alpha, rotation), alpha)
    if failed:
        raise EncoderError(f"{failed} of {len(names)} encoders could not be measured.")


def _select(
    ids: Sequence[str],
    files: Sequence[Path],
    level: str,
    sentences: bool,
    annotations: Path | None,
) -> list[Any]:
    """The tests of a level; word tests as sentence tests if `sentences`."""
    from weatherglass.catalog import Test, load_annotations, to_sentences

    tests = select_tests(ids, files, Test, "*")
    if annotations and not sentences:
        raise UsageError("--annotations needs --sentences, which converts words to sentences.")
    if sentences:
        known = load_annotations(annotations) if annotations else None
        converted = [to_sentences(test, known) for test in tests]
        tests = list({test.id: test for test in converted}.values())
    tests = [test for test in tests if level in (test.level, "both")]
    if not tests:
        raise UsageError(f"None of the tests that you named is of level {level}.")
    return tests


def _measure_all(
    names: Collection[str], tests: list[Any], cluster: str | None, options: dict[str, Any]
) -> tuple[list[Any], int]:
    """Return the results of all encoders, and how many encoders failed.

    If one of several fails, its error is printed and the results of the others are kept.
    """
    from weatherglass.encoders import open_encoder
    from weatherglass.encoders import seat as measure
    from weatherglass.tasks import executor

    results: list[Any] = []
    failed = 0
    with contextlib.ExitStack() as stack:
        team = stack.enter_context(executor(options["workers"], cluster)) if cluster else None
        for name in names:
            try:
                encoder = open_encoder(name)
                with progress_bar(f"encoding with {name}") as draw:
                    results += measure(encoder, tests, cluster=team, progress=draw, **options)
            except WeatherglassError as error:
                if len(names) == 1:
                    raise
                failed += 1
                click.echo(f"weatherglass: {printable(error)}", err=True)
    return results, failed


def _table(results: Sequence[Any], alpha: float, rotation: bool) -> str:
    done = [result for result in results if result.status == "done"]
    if not done:
        return ""
    sweep = _sweep(done)
    if sweep:  # each test over all layers, not each layer by itself
        done = sorted(done, key=lambda result: result.test)
    is_centred = any(result.controls for result in done)
    title = (
        f"SEAT{f' on {sweep}' if sweep else ''}, each word counted once; columns from 'effect "
        "sentences' on are the paper's: one-sided, over sentences "
        f"(* marks Holm-corrected p ≤ {alpha:g})"
    )
    if any(result.options["alternative"] != "greater" for result in done):
        title = title.replace("one-sided, over sentences", "as tested, over sentences")
    rows = [_row(result, alpha, rotation, sweep, is_centred) for result in done]
    return table(rows, title) + interval_table(done)


def _row(
    result: SeatResult, alpha: float, rotation: bool, sweep: str, is_centred: bool
) -> dict[str, Any]:
    """The numbers of the finding first, then those of the paper, which counts sentences."""
    from weatherglass.significance import format_p

    assert result.p is not None
    assert result.p_holm is not None
    assert result.main_p_for_finding is not None
    words = result.n_words or result.n
    return {
        **({"layer": _layer(result)} if sweep else {"encoder": result.source["name"]}),
        "test": result.test,
        "effect": f"{result.main_value:.2f}",
        "interval": interval_text(result.main_interval),
        "p": format_p(result.main_p_for_finding),
        "p corrected": "" if result.p_finding is None else format_p(result.p_finding),
        "words": f"{words['X']}+{words['Y']}",
        **(_centred(result) if is_centred else {}),
        "grade": result.finding.grade,
        "effect sentences": f"{result.effect:.2f}",
        "p sentences": str(result.p),
        "by": result.p.method,
        "p Holm": format_p(result.p_holm) + (" *" if result.p_holm <= alpha else ""),
        **({"p rotation": str(result.p_rotation or "")} if rotation else {}),
        "targets": f"{result.n['X']}+{result.n['Y']}",
    }


def _layer(result: SeatResult) -> Any:
    return result.source.get("facts", {}).get("layer")


def _sweep(results: Sequence[SeatResult]) -> str:
    """The name of the encoder whose layers these are results of; empty for other results."""
    names = {result.source.get("facts", {}).get("encoder", "") for result in results}
    return str(next(iter(names))) if len(names) == 1 and len(set(map(_layer, results))) > 1 else ""


def _centred(result: SeatResult) -> dict[str, str]:
    """The numbers by word without the mean of unrelated sentences, where those are alike."""
    from weatherglass.significance import format_p

    control = next(iter(result.controls), None)
    if control is None or control.effect is None or control.p is None:
        return {"centred": "", "p centred": ""}
    both = None if result.is_declared else control.p_two_sided
    p = control.p if both is None else both
    return {"centred": f"{control.effect:.2f}", "p centred": format_p(p)}
