"""Chart of gathered seed sets: sizes and sources (figure 1 of Antoniak and Mimno 2021)."""

from __future__ import annotations

from typing import Any

from weatherglass.seedlab import Quartiles, SeedSurvey

from .style import DEEP_ACCENT, INK, LIGHT, SOFT, Values, import_altair, quiet_axis

_WIDTH, _ROW = 360, 30
_SOURCES_WIDTH = 180


def plot_survey(survey: SeedSurvey) -> Any:
    """Draw the sizes of seed sets, and how many studies use each kind of source.

    Parameters
    ----------
    survey
        The result of `weatherglass.survey_seeds`.

    Returns
    -------
    altair.HConcatChart
        Left, box plots of the number of words in a set, for all sets and by source; the axis ends
        at the longest whisker, and larger sets are counted at the right. Right, the number of
        studies that use each kind of source, with the published number as a diamond.

    Examples
    --------
    >>> import weatherglass as wg
    >>> chart = plot_survey(wg.survey_seeds())
    >>> len(chart.hconcat)
    2
    """
    alt = import_altair()
    return (
        alt.hconcat(_draw_sizes(survey), _draw_sources(survey), spacing=24)
        .properties(
            background="white",
            title=alt.TitleParams(
                f"{len(survey.sets):,} seed sets of {len(survey.studies):,} studies",
                subtitle=[
                    "Box: quartiles and median of the number of words; whiskers: 1.5 interquartile "
                    "ranges. A set of several kinds of source counts for each.",
                ],
                subtitleColor=SOFT,
                anchor="start",
                offset=10,
            ),
        )
        .configure_view(strokeWidth=0)
    )


def _draw_sizes(survey: SeedSurvey) -> Any:
    alt = import_altair()
    boxes = {"all sets": survey.sizes, **survey.sizes_by_source()}
    end = max(box.whisker for box in boxes.values())
    rows = [_box(survey, name, box, end) for name, box in boxes.items()]
    base = alt.Chart(alt.Data(values=rows))
    scale = alt.Scale(domain=[0, 1.02 * end], nice=False)
    axis = quiet_axis(title="words in a set")
    y = alt.Y("name:N", sort=list(map(_title, boxes)), axis=quiet_axis(title=None, labelLimit=240))
    tooltip = ["name:N", "count:Q", "lower:Q", "median:Q", "upper:Q", "maximum:Q"]

    def x(column: str) -> Any:
        return alt.X(f"{column}:Q", scale=scale, axis=axis)

    layers = [
        base.mark_rule(color=INK).encode(x("from"), y, alt.X2("to:Q")),
        base.mark_bar(size=14, color=LIGHT[3]).encode(
            x("lower"), y, alt.X2("upper:Q"), tooltip=tooltip
        ),
        base.mark_tick(color=DEEP_ACCENT, thickness=2.5, size=18).encode(x("median"), y),
        base.mark_text(align="right", dx=-2, dy=-10, fontSize=9.5, color=SOFT).encode(
            y, alt.Text("beyond:N"), x=alt.value(_WIDTH)
        ),
    ]
    return alt.layer(*layers).properties(width=_WIDTH, height=_ROW * len(rows))


def _box(survey: SeedSurvey, name: str, box: Quartiles, end: float) -> dict[str, Any]:
    beyond = [
        entry.words
        for entry in survey.sets
        if entry.words > end and (name == "all sets" or name in entry.sources)
    ]
    larger = f"{len(beyond)} larger, to {max(beyond):,} →" if beyond else ""
    low = max(box.minimum, box.lower - 1.5 * (box.upper - box.lower))
    return {
        "name": _title(name),
        "count": box.count,
        "from": low,
        "to": box.whisker,
        "lower": box.lower,
        "median": box.median,
        "upper": box.upper,
        "maximum": box.maximum,
        "beyond": larger,
    }


def _title(source: str) -> str:
    return source.replace("-", " ").replace("re used", "re-used")


def _draw_sources(survey: SeedSurvey) -> Any:
    alt = import_altair()
    rows: Values = [
        {
            "name": _title(entry.source),
            "studies": len(entry.studies),
            "sets": entry.sets,
            "published": entry.published,
        }
        for entry in survey.sources
    ]
    names = [row["name"] for row in rows]
    largest = max(max(row["studies"], row["published"] or 0) for row in rows)
    scale = alt.Scale(domain=[0, max(1, largest) + 0.4], nice=False)
    base = alt.Chart(alt.Data(values=rows))
    y = alt.Y("name:N", sort=names, axis=quiet_axis(title=None, labelLimit=240))
    axis = quiet_axis(title=f"studies, of {len(survey.studies)}", format="d", tickMinStep=1)
    x = alt.X("studies:Q", scale=scale, axis=axis)
    layers = [
        base.mark_bar(size=14, color=LIGHT[3]).encode(
            x, y, tooltip=["name:N", "studies:Q", "sets:Q", "published:Q"]
        ),
    ]
    if any(row["published"] is not None for row in rows):
        layers.append(
            base.mark_point(shape="diamond", filled=True, size=80, color=DEEP_ACCENT).encode(
                alt.X("published:Q", scale=scale, axis=axis), y
            )
        )
    title = alt.TitleParams("Diamond: published", fontSize=10, fontWeight="normal", color=SOFT)
    return alt.layer(*layers).properties(width=_SOURCES_WIDTH, height=_ROW * len(rows), title=title)
