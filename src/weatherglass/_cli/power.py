"""``weatherglass power``: which effects a test can find, and how many words it would need."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from weatherglass.errors import CannotMeasure, UsageError, quote_safe

from .options import alpha_option, check_share, output_options
from .output import Output, remarks, table
from .run_tests import open_rows

if TYPE_CHECKING:
    from weatherglass.significance import Power


@click.command()
@click.argument("test", required=False)
@click.argument("source", required=False)
@click.option(
    "--n",
    "sizes",
    metavar="N,M",
    help="Numbers of words in X and Y instead of a test; a single number for a correlation.",
)
@alpha_option(0.05, "Significance level. For several tests, divide it by their number.")
@click.option(
    "--power",
    "wanted",
    type=float,
    callback=check_share,
    default=0.8,
    show_default=True,
    help="The wanted probability of finding the effect.",
)
@click.option("--effect", type=float, help="An effect size, or a correlation, to be found.")
@click.option(
    "--alternative",
    type=click.Choice(["greater", "less", "two-sided"]),
    default="two-sided",
    show_default=True,
    help="Alternative hypothesis; findings use two-sided p-values.",
)
@output_options()
def power(
    test: str | None,
    source: str | None,
    sizes: str | None,
    alpha: float,
    wanted: float,
    effect: float | None,
    alternative: Any,
    output: Output,
) -> None:
    """Show which effects the test TEST can find in SOURCE, or a test of the sizes --n.

    The table has the smallest possible p-value and the smallest effect size that is found with the
    wanted power; with --effect also the power for that effect, and how many words each target set
    would need.
    """
    if (test is None) == (sizes is None):
        raise UsageError("Name a test and a source, or the numbers of words: --n 8,8.")
    if test is not None and source is None:
        raise UsageError(f"Name a source too, such as: weatherglass power {test} default.")
    detectable = (
        _from_sizes(_parse_sizes(sizes), alpha, wanted, alternative)
        if sizes is not None
        else _from_test(str(test), str(source), alpha, wanted, alternative)
    )
    record: dict[str, Any] = {} if test is None else {"test": test, "source": source}
    record |= detectable.to_dict() | ({} if effect is None else _about_effect(detectable, effect))
    if output.format != "table":
        row = record | {"sizes": "+".join(map(str, detectable.sizes))}
        output.write_rows([row], document=record)
        return
    sentence = str(detectable)
    row = _row(detectable, record)
    output.write(table([row]) + remarks([f"{sentence[:1].upper()}{sentence[1:]}."]))


def _parse_sizes(text: str) -> list[int]:
    try:
        sizes = [int(part) for part in text.replace("+", ",").split(",")]
    except ValueError:
        sizes = []
    if len(sizes) not in (1, 2):
        raise UsageError(f"--n is {quote_safe(text)}; expected two numbers such as 8,8, or one.")
    return sizes


def _from_sizes(sizes: list[int], alpha: float, wanted: float, alternative: Any) -> Power:
    from weatherglass.significance import correlation_power, effect_power

    if len(sizes) == 1:
        return correlation_power(sizes[0], alpha=alpha, power=wanted)
    n, m = sizes
    return effect_power(n, m, alpha=alpha, power=wanted, alternative=alternative)


def _from_test(name: str, source: str, alpha: float, wanted: float, alternative: Any) -> Power:
    from weatherglass.catalog import Test
    from weatherglass.catalog import test as catalogue_test
    from weatherglass.measures import WeatResult, WefatResult, weat, wefat

    entry = catalogue_test(name)
    vectors = open_rows(source, [entry])
    result: WeatResult | WefatResult = (
        # The p-value is not printed: `sample` is the method that is quick for any number of words.
        weat(vectors, entry, alternative=alternative, method="sample")
        if isinstance(entry, Test)
        else wefat(vectors, entry)
    )
    power = result.power_at(alpha, wanted)
    if power is None:
        raise CannotMeasure(f"{name} was not run: {result.reason}.")
    return power


def _about_effect(power: Power, effect: float) -> dict[str, Any]:
    """The power for an effect with these words, and the words that it would need."""
    from weatherglass.significance import (
        power_of_correlation,
        power_of_effect,
        words_for_correlation,
        words_needed,
    )

    alpha, wanted = power.alpha, power.power
    if power.kind == "correlation":
        (size,) = power.sizes
        return {
            "effect": effect,
            "power_of_effect": power_of_correlation(effect, size, alpha=alpha),
            "words_needed": words_for_correlation(effect, alpha=alpha, power=wanted),
        }
    n, m = power.sizes
    test: dict[str, Any] = {"alpha": alpha, "alternative": power.alternative}
    return {
        "effect": effect,
        "power_of_effect": power_of_effect(effect, n, m, **test),
        "words_needed": words_needed(effect, power=wanted, **test),
    }


def _row(power: Power, record: dict[str, Any]) -> dict[str, Any]:
    from weatherglass.significance import format_p

    row: dict[str, Any] = {"test": record["test"]} if "test" in record else {}
    row |= {
        "words": "+".join(map(str, power.sizes)),
        "alternative": power.alternative,
        "alpha": f"{power.alpha:g}",
        "smallest p": "" if power.smallest_p is None else format_p(power.smallest_p),
        f"detectable {power.kind}": "none"
        if power.detectable is None
        else f"{power.detectable:.2f}",
    }
    if power.difference is not None:
        row["difference of means"] = f"{power.difference:.3f}"
    if "effect" in record:
        row |= {
            f"power for {record['effect']:g}": f"{record['power_of_effect']:.0%}",
            f"words for {record['effect']:g}": _words_text(power, record["words_needed"]),
        }
    return row


def _words_text(power: Power, needed: int) -> str:
    return str(needed) if power.kind == "correlation" else f"{needed}+{needed}"
