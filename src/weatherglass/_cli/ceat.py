"""``weatherglass ceat``: association tests over the contexts of words in a corpus."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from .output import format_option, out_option, progress_bar, table
from .run_tests import chosen_tests, ids_option, missing_option, own_tests_option, say, seed_option


@click.command()
@click.argument("encoder")
@click.option(
    "--corpus",
    type=click.Path(path_type=Path),
    required=True,
    help="Text with one sentence a line; may be packed (.gz, .zst, .xz, .zip).",
)
@ids_option
@own_tests_option
@click.option(
    "--samples",
    type=click.IntRange(2),
    default=10_000,
    show_default=True,
    help="How many times a context is drawn for every word.",
)
@click.option(
    "--contexts",
    type=click.IntRange(1),
    default=1000,
    show_default=True,
    help="The most sentences to use for a word.",
)
@missing_option
@seed_option
@format_option
@out_option
def ceat(
    encoder: str,
    corpus: Path,
    ids: tuple[str, ...],
    files: tuple[Path, ...],
    samples: int,
    contexts: int,
    max_missing: float,
    seed: int,
    form: str,
    out: Path | None,
) -> None:
    """Run contextual association tests (CEAT) on ENCODER, with the sentences of a corpus.

    Words are looked for as they are written in the test. The effect is combined over samples with
    a random-effects model; the table also shows how far it varies between contexts.
    """
    from weatherglass.catalog import Test
    from weatherglass.encoders import ceat as measure
    from weatherglass.encoders import corpus_lines, open_encoder

    chosen = chosen_tests(ids, files, Test, "weat[1-9]", "weat10")
    opened = open_encoder(encoder)
    with progress_bar("encoding") as draw:
        results = measure(
            opened,
            chosen,
            corpus_lines(corpus),
            contexts=contexts,
            samples=samples,
            rng=seed,
            max_missing=max_missing,
            progress=draw,
        )
    say(results, form, out, None, _table)


def _table(results: Sequence[Any]) -> str:
    from weatherglass.significance import format_p

    rows = [
        {
            "test": one.test,
            "effect": f"{one.effect:.2f}",
            "error": f"{one.error:.3f}",
            "p": format_p(one.p),
            "middle half": f"{one.quantiles['25%']:.2f} to {one.quantiles['75%']:.2f}",
            "95 %": f"{one.quantiles['2.5%']:.2f} to {one.quantiles['97.5%']:.2f}",
            "targets": f"{one.n['X']}+{one.n['Y']}",
            "contexts": sum(one.contexts.values()),
            "": one.title,
        }
        for one in results
        if one.status == "done"
    ]
    return table(rows, f"CEAT on {results[0].source['name']}") if rows else ""
