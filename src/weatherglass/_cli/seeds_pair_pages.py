"""The tables of pairs of seed sets that were measured."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .output import table
from .seeds_asking import lines, missing_words, number

if TYPE_CHECKING:
    from weatherglass.seedlab.generated import GeneratedPairs
    from weatherglass.seedlab.measured import MeasuredPairs, PairMeasures

_NAMED = 4  # words of a set that a table names
_EXTREMES = 3  # generated pairs that are shown of each end, as in table 4
_REASONS = 3  # pairs that were not run, of which the reason is given


def measures_page(found: Sequence[MeasuredPairs]) -> str:
    """Every measure, a line for each pair."""
    text = ""
    for some in found:
        rows = []
        for one in some.pairs:
            if one.status == "not run":
                continue
            row = {
                "X": one.x,
                "Y": one.y,
                "pairs": one.pairs,
                "similarity": number(one.similarity, 2),
                "explained": number(one.explained[0], 2) if one.explained else "",
                "coherence PCA": number(one.coherence_pca),
                "coherence WEAT": number(one.coherence_weat),
                "WEAT effect": number(one.effect, 2),
                "statistic": number(one.statistic, 2),
            }
            if "p" in some.options["measures"]:
                row["p"] = str(one.p) if one.p else ""
            rows.append(row)
        attributes = " against ".join(", ".join(some.options[name][:5]) for name in ("a", "b"))
        text += table(rows, f"Seed pairs on {_source(some)}; WEAT with {attributes}")
    return text + _remarks(found)


def ranking_page(found: Sequence[MeasuredPairs], by: Any, show_slurs: bool) -> str:
    """Pairs by their coherence, with a few of their words."""
    text = ""
    for some in found:
        rows = [
            {
                "coherence": number(one.coherence(by)),
                "similarity": number(one.similarity, 2),
                "words": f"{len(one.x_words)}+{len(one.y_words)}",
                "X": _named(one.x, one.x_words, show_slurs),
                "Y": _named(one.y, one.y_words, show_slurs),
            }
            for one in some.pairs
            if one.coherence(by)
        ]
        text += table(rows, f"Coherence in the {by.upper()} subspace of {_source(some)}")
    return text + _remarks(found)


def generated_page(found: Sequence[GeneratedPairs]) -> str:
    """Gathered pairs by their similarity, and the generated ones at both ends."""
    text = ""
    remarks = []
    for some in found:
        rows = [
            {
                "gathered pair": one.name,
                "pairs": one.pairs,
                "similarity": number(one.similarity),
                some.against: number(some.value(one)),
            }
            for one in sorted(some.pairs, key=_similarity)
            if one.kind != "generated" and one.similarity and some.value(one)
        ]
        gone = sum(one.status == "not run" for one in some.pairs)
        if gone:
            count = "1 gathered pair was" if gone == 1 else f"{gone} gathered pairs were"
            where = some.source["name"]
            remarks.append(f"{count} not run on {where}: too many of their words are missing.")
        text += table(rows, f"Similarity and {some.against} on {_source(some)}")
        text += table(
            _extremes(some), f"Generated pairs with the highest and lowest {some.against}"
        )
        if some.correlation:
            from weatherglass.significance import format_p

            r, p, n = some.correlation.r, some.correlation.p, some.correlation.n
            remarks.append(
                f"{n} generated pairs on {some.source['name']}: r = {r:.2f} between similarity and "
                f"{some.against} (p {format_p(p)})."
            )
    return text + lines(remarks)


def _extremes(some: GeneratedPairs) -> list[dict[str, str]]:
    """The generated pairs at both ends."""
    from weatherglass.catalog import masked

    made = [(one, some.value(one)) for one in some.pairs if one.kind == "generated"]
    done = [(one, value) for one, value in made if value]
    done.sort(key=lambda both: -abs(both[1].mean))
    shown = done if len(done) <= 2 * _EXTREMES else done[:_EXTREMES] + done[-_EXTREMES:]
    return [
        {
            some.against: number(value),
            "similarity": number(one.similarity),
            "X": ", ".join(map(masked, one.x_words)),
            "Y": ", ".join(map(masked, one.y_words)),
        }
        for one, value in shown
    ]


def _similarity(one: PairMeasures) -> float:
    return one.similarity.mean if one.similarity else 0.0


def _named(id: str, words: Sequence[str], show_slurs: bool) -> str:
    from weatherglass.catalog import masked

    some = words[:_NAMED] if show_slurs else tuple(map(masked, words[:_NAMED]))
    more = ", …" if len(words) > _NAMED else ""
    return f"{id}: {', '.join(some)}{more}"


def _source(found: MeasuredPairs) -> str:
    samples = found.source["samples"]
    return str(found.source["name"]) + (f" (± over {samples} samples)" if samples else "")


def _remarks(found: Sequence[MeasuredPairs]) -> str:
    """Pairs that could not be measured, and words that are missing."""
    sentences = []
    for some in found:
        where = some.source["name"]
        not_run = [one for one in some.pairs if one.status == "not run"]
        for one in not_run[:_REASONS]:
            sentences.append(f"{one.name}: not run on {where}, {one.reason}.")
        if len(not_run) > _REASONS:
            more = len(not_run) - _REASONS
            sentences.append(f"{more} more pairs were not run on {where}; --format json says why.")
        gaps = [one for one in some.pairs if one.status == "done"]
        gaps = [one for one in gaps if one.x_missing or one.y_missing]
        if len(gaps) == 1:
            missing = (*gaps[0].x_missing, *gaps[0].y_missing)
            sentences += missing_words(gaps[0].name, missing, where)
        elif gaps:
            sentences.append(f"{len(gaps)} pairs lack words on {where}; --format json lists them.")
    return lines(sentences)
