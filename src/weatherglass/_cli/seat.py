"""``weatherglass seat``: association tests on sentence encoders."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from weatherglass.errors import CannotMeasure, EncoderError, UsageError, WeatherglassError

from .options import (
    alpha_option,
    alternative_option,
    batch_size_option,
    cache_option,
    check_plot,
    check_writable,
    dry_run_option,
    intervals_option,
    missing_option,
    output_options,
    overlap_option,
    seed_option,
    tests_options,
    worker_options,
)
from .output import Output, printable, progress_bar, remarks, table
from .paper_files import PaperFiles
from .run_tests import (
    interval_table,
    interval_text,
    select_tests,
    write_results,
    write_workload,
)

if TYPE_CHECKING:
    from weatherglass.encoders import SeatResult

_MAX_NAME = 24
"""Characters up to which the name of an encoder stands in every row."""


@click.command()
@click.argument("encoders", nargs=-1, metavar="ENCODER...")
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
@click.option(
    "--results-tsv",
    type=click.Path(dir_okay=False, path_type=Path),
    callback=check_writable,
    help="Also write the paper's nine columns to this file, as its results.tsv has them.",
)
@click.option(
    "--add-results",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    multiple=True,
    help="Rows of another results.tsv, such as the authors': they are part of --matrix and "
    "--results-tsv, and of the correction there. Repeatable; no ENCODER is needed then.",
)
@click.option(
    "--matrix",
    type=click.Path(dir_okay=False, path_type=Path),
    callback=check_plot,
    help="Also draw the paper's figure to this file: the results that are significant at --alpha "
    "after Holm's correction over all rows, each sentence counted.",
)
@output_options(plot=True, paper=True)
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
    results_tsv: Path | None,
    add_results: tuple[Path, ...],
    matrix: Path | None,
    **options: Any,
) -> None:
    """Run association tests (SEAT) on sentence encoders: all 46 published ones, or those you name.

    Effect, interval and p count each word once, by the mean over its sentences, and so does the
    finding; columns of their own have the paper's numbers, which count every sentence.

    An ENCODER is `st:NAME` (sentence-transformers), `hf:NAME` (transformers) or another registered
    scheme, or a source of word vectors, whose mean encodes a sentence: `default` is the same as
    `cbow:default`. Encoded sentences are cached.
    """
    from weatherglass.encoders import count_texts, needed_texts, source_encoder
    from weatherglass.measures import Results

    paper = PaperFiles(results_tsv, add_results, matrix, alpha)
    if not encoders:
        paper.write_alone(output)
        return
    tests = _select(ids, files, level, sentences, annotations)
    names = list(dict.fromkeys(encoders))
    if dry_run:
        size = options["batch_size"]
        encoders_opened = (source_encoder(name) for name in names)
        write_workload(
            [count_texts(e, [needed_texts(e, tests).all], size) for e in encoders_opened], output
        )
        return
    options |= {"rng": seed, "cache": not no_cache}
    results, failed = _measure_all(names, tests, cluster, options)
    if not results:
        raise CannotMeasure("No encoder could be measured.")
    corrected = Results.of(results).correct()
    write_results(corrected, output, lambda rows: _table(rows, alpha, rotation), alpha)
    paper.write(corrected)
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
    from weatherglass.encoders import seat as measure
    from weatherglass.encoders import source_encoder
    from weatherglass.tasks import executor

    results: list[Any] = []
    failed = 0
    with contextlib.ExitStack() as stack:
        team = stack.enter_context(executor(options["workers"], cluster)) if cluster else None
        for name in names:
            try:
                encoder = source_encoder(name)
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
    labels = {} if sweep else _label_encoders([result.source["name"] for result in done])
    only = sweep or ("" if labels else done[0].source["name"])
    title = (
        f"SEAT{f' on {only}' if only else ''}, each word counted once; columns from 'effect "
        "sentences' on are the paper's: one-sided, over sentences "
        f"(* marks Holm-corrected p ≤ {alpha:g})"
    )
    if any(result.options["alternative"] != "greater" for result in done):
        title = title.replace("one-sided, over sentences", "as tested, over sentences")
    rows = [_row(result, alpha, rotation, sweep, labels, is_centred) for result in done]
    shortened = [f"{label}: {name}" for name, label in labels.items() if label != name]
    return table(rows, title) + remarks(shortened) + interval_table(done)


def _label_encoders(names: Sequence[str]) -> dict[str, str]:
    """Return what a table calls encoders; empty if the title names the only one, which is long.

    A name that fills two lines of every row hides the numbers, so that long ones are shortened.
    """
    distinct = list(dict.fromkeys(names))
    if all(len(name) <= _MAX_NAME for name in distinct):
        return {name: name for name in distinct}
    if len(distinct) == 1:
        return {}
    half = _MAX_NAME // 2
    short = [n if len(n) <= _MAX_NAME else f"{n[: half - 1]}…{n[-half:]}" for n in distinct]
    if len(set(short)) < len(short):
        short = [f"encoder {number}" for number, _ in enumerate(distinct, 1)]
    return dict(zip(distinct, short, strict=True))


def _row(
    result: SeatResult,
    alpha: float,
    rotation: bool,
    sweep: str,
    labels: Mapping[str, str],
    is_centred: bool,
) -> dict[str, Any]:
    """The numbers of the finding first, then those of the paper, which counts sentences."""
    from weatherglass.significance import format_p

    assert result.p is not None
    assert result.p_holm is not None
    assert result.main_p_for_finding is not None
    words = result.n_words or result.n
    return {
        **({"layer": _layer(result)} if sweep else {}),
        **({"encoder": labels[result.source["name"]]} if labels else {}),
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
