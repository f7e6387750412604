"""``weatherglass ceat``: association tests over the contexts of words in a corpus."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from .options import (
    cache_option,
    missing_option,
    output_options,
    overlap_option,
    seed_option,
    tests_options,
)
from .output import Output, progress_bar, source_title, table
from .run_tests import select_tests, write_results


@click.command()
@click.argument("encoder")
@click.option(
    "--corpus",
    type=click.Path(path_type=Path),
    required=True,
    help="Text with one sentence per line; may be compressed (.gz, .zst, .xz, .zip).",
)
@tests_options
@click.option(
    "--samples",
    type=click.IntRange(2),
    default=10_000,
    show_default=True,
    help="Number of samples; each draws a context for every word.",
)
@click.option(
    "--contexts",
    type=click.IntRange(1),
    default=1000,
    show_default=True,
    help="Maximum number of sentences per word.",
)
@missing_option()
@overlap_option
@seed_option
@cache_option
@output_options(paper=True)
def ceat(
    encoder: str,
    corpus: Path,
    ids: tuple[str, ...],
    files: tuple[Path, ...],
    samples: int,
    contexts: int,
    max_missing: float,
    allow_overlap: bool,
    seed: int,
    no_cache: bool,
    output: Output,
) -> None:
    """Run contextual association tests (CEAT) on ENCODER, with the sentences of a corpus.

    Words are matched as they are written in the test. The effect size is combined over samples
    with a random-effects model; the table also shows how much it varies between contexts.
    """
    from weatherglass.catalog import Test
    from weatherglass.encoders import ceat as measure
    from weatherglass.encoders import corpus_lines, open_encoder

    tests = select_tests(ids, files, Test, "weat[1-9]", "weat10")
    opened = open_encoder(encoder, cache=not no_cache)
    with progress_bar("encoding") as draw:
        results = measure(
            opened,
            tests,
            corpus_lines(corpus),
            contexts=contexts,
            samples=samples,
            rng=seed,
            max_missing=max_missing,
            allow_overlap=allow_overlap,
            progress=draw,
        )
    write_results(results, output, _table)


def _table(results: Sequence[Any]) -> str:
    from weatherglass.significance import format_p

    rows = [
        {
            "test": result.test,
            "effect": f"{result.effect:.2f}",
            "error": f"{result.error:.3f}",
            "p": format_p(result.p),
            "middle half": f"{result.quantiles['25%']:.2f} to {result.quantiles['75%']:.2f}",
            "95 %": f"{result.quantiles['2.5%']:.2f} to {result.quantiles['97.5%']:.2f}",
            "targets": f"{result.n['X']}+{result.n['Y']}",
            "contexts": sum(result.contexts.values()),
            "": result.title,
        }
        for result in results
        if result.status == "done"
    ]
    return table(rows, source_title("CEAT", results[0].source_name)) if rows else ""
