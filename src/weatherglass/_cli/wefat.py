"""``weatherglass wefat``: factual tests on a source of vectors."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from weatherglass.errors import UsageError

from .output import format_option, out_option, plot_option, table
from .run_tests import (
    chosen_tests,
    control_for,
    control_option,
    run_all,
    say,
    survival_columns,
    test_options,
)

if TYPE_CHECKING:
    from weatherglass.measures import WefatResult


@click.command()
@test_options
@click.option(
    "--facts",
    type=click.Path(path_type=Path),
    help="CSV with a word and a number a line: your own facts, for the attributes of the test "
    "named (wefat1: female and male terms).",
)
@control_option
@format_option
@out_option
@plot_option
def wefat(
    source: str,
    ids: tuple[str, ...],
    files: tuple[Path, ...],
    facts: Path | None,
    case: Any,
    max_missing: float,
    control: str,
    form: str,
    out: Path | None,
    picture: Path | None,
) -> None:
    """Run factual tests (WEFAT) on SOURCE: both of the Science paper, or those you name.

    Does the nearness of a word to A rather than B predict a fact about it, such as the share of
    women in an occupation? The table has the correlation beside the published one.
    """
    from weatherglass.catalog import FactualTest, load_facts
    from weatherglass.measures import wefat as measure

    if facts is not None and not ids and not files:
        ids = ("wefat1",)
    chosen = chosen_tests(ids, files, FactualTest, "wefat*")
    if facts is not None:
        if len(chosen) > 1:
            raise UsageError("--facts goes with one test, whose attributes it takes: name one.")
        about = {"id": facts.stem, "a": chosen[0].a, "b": chosen[0].b, "facts": load_facts(facts)}
        chosen = [FactualTest.model_validate(about)]
    vectors, controlled = control_for(source, chosen, control)
    results = run_all(
        chosen,
        lambda entry: measure(
            vectors, entry, case=case, max_missing=max_missing, control=controlled
        ),
    )
    say(results.correct(), form, out, picture, _table)


def _table(results: Sequence[Any]) -> str:
    rows = [_row(one) for one in results if one.status == "done"]
    return table(rows, f"WEFAT on {results[0].source['name']}") if rows else ""


def _row(one: WefatResult) -> dict[str, Any]:
    from weatherglass.significance import format_p

    assert one.pearson_p is not None
    assert one.spearman_p is not None
    printed = one.published or {}
    return {
        "test": one.test,
        "Pearson": f"{one.pearson:.2f}",
        **survival_columns(one),
        "published": f"{printed['correlation']:.2f}" if printed else "",
        "p": format_p(one.pearson_p),
        "published p": printed.get("p", ""),
        "Spearman": f"{one.spearman:.2f}",
        "Spearman p": format_p(one.spearman_p),
        "slope": f"{one.slope:.3g}",
        "targets": one.n["W"],
        "": one.title,
    }
