"""``weatherglass seat``: association tests on sentence encoders."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from weatherglass.errors import CannotMeasure, EncoderError, UsageError, WeatherglassError

from .options import spread_options
from .output import format_option, out_option, plot_option, printable, progress_bar, table
from .run_tests import (
    a_share,
    alternative_option,
    chosen_tests,
    ids_option,
    missing_option,
    own_tests_option,
    say,
    seed_option,
)


@click.command()
@click.argument("encoders", nargs=-1, required=True, metavar="ENCODER...")
@ids_option
@own_tests_option
@click.option(
    "--level",
    type=click.Choice(["word", "sentence", "both"]),
    default="both",
    show_default=True,
    help="Tests of single words, of sentences, or both.",
)
@click.option("--sentences", is_flag=True, help="Make sentence tests of word tests.")
@click.option(
    "--annotations",
    type=click.Path(path_type=Path),
    help="For --sentences: CSV with columns word, kind and plural, for words that the catalogue "
    "does not know (`weatherglass catalog kinds`).",
)
@click.option(
    "--p",
    "method",
    type=click.Choice(["auto", "paper", "exact", "tilted", "bracket", "sample", "normal"]),
    default="auto",
    show_default=True,
    help="How the permutation p-value is found; paper: exact up to 100,000 partitions, else "
    "99,999 samples.",
)
@alternative_option
@click.option(
    "--alpha",
    type=float,
    callback=a_share,
    default=0.01,
    show_default=True,
    help="Level at which Holm-corrected p-values are marked.",
)
@missing_option
@seed_option
@click.option("--batch-size", type=click.IntRange(1), default=64, show_default=True)
@spread_options(
    "Threads for the tests; all processors by default. An encoder uses what it likes.",
    "sentences are encoded there, the tests run here",
)
@format_option
@out_option
@plot_option
def seat(
    encoders: tuple[str, ...],
    ids: tuple[str, ...],
    files: tuple[Path, ...],
    level: str,
    sentences: bool,
    annotations: Path | None,
    method: str,
    alternative: Any,
    alpha: float,
    max_missing: float,
    seed: int,
    batch_size: int,
    workers: int | None,
    cluster: str | None,
    form: str,
    out: Path | None,
    picture: Path | None,
) -> None:
    """Run association tests (SEAT) on sentence encoders: all 46 published ones, or those you name.

    An ENCODER is `cbow:SOURCE` (the mean of word vectors), `st:NAME` (sentence-transformers),
    `hf:NAME` (transformers) or another that is registered. Each sentence is encoded once and kept.
    """
    from weatherglass.catalog import Test, load_annotations, to_sentences
    from weatherglass.encoders import open_encoder
    from weatherglass.encoders import seat as measure
    from weatherglass.measures import Results
    from weatherglass.tasks import executor

    chosen = chosen_tests(ids, files, Test, "*")
    if annotations and not sentences:
        raise UsageError("--annotations goes with --sentences, which makes sentences of words.")
    if sentences:
        known = load_annotations(annotations) if annotations else None
        converted = [to_sentences(entry, known) for entry in chosen]
        chosen = list({entry.id: entry for entry in converted}.values())
    chosen = [entry for entry in chosen if level in (entry.level, "both")]
    if not chosen:
        raise UsageError(f"None of the tests asked for is of level {level}.")
    made: list[Any] = []
    failed: list[str] = []
    with contextlib.ExitStack() as stack:
        team = stack.enter_context(executor(workers, cluster)) if cluster else None
        for name in dict.fromkeys(encoders):
            try:
                encoder = open_encoder(name)
                with progress_bar(f"encoding with {name}") as draw:
                    made += measure(
                        encoder,
                        chosen,
                        method=method,
                        alternative=alternative,
                        rng=seed,
                        max_missing=max_missing,
                        batch_size=batch_size,
                        workers=workers,
                        cluster=team,
                        progress=draw,
                    )
            except WeatherglassError as error:
                if len(set(encoders)) == 1:
                    raise
                failed.append(name)  # what the other encoders give is not lost
                click.echo(f"weatherglass: {printable(error)}", err=True)
    if not made:
        raise CannotMeasure("No encoder could be measured.")
    results = Results.of(made)
    say(results.correct(), form, out, picture, lambda some: _table(some, alpha), alpha)
    if failed:
        raise EncoderError(f"{len(failed)} of {len(set(encoders))} encoders could not be measured.")


def _table(results: Sequence[Any], alpha: float) -> str:
    from weatherglass.significance import format_p

    rows = [
        {
            "encoder": one.source["name"],
            "test": one.test,
            "effect": f"{one.effect:.2f}",
            "p": str(one.p),
            "by": one.p.method,
            "p Holm": format_p(one.p_holm) + (" *" if one.p_holm <= alpha else ""),
            "p by word": str(one.p_by_word) if one.p_by_word else "",
            "p rotation": str(one.p_rotation),
            "targets": f"{one.n['X']}+{one.n['Y']}",
        }
        for one in results
        if one.status == "done"
    ]
    return table(rows, f"SEAT; * marks Holm-corrected p of at most {alpha:g}") if rows else ""
