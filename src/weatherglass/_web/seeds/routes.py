"""The routes of seed sets: show one, check it with lint, compare two. The Library lists them."""

from __future__ import annotations

from typing import Annotated, Any, Literal
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel
from starlette.responses import HTMLResponse, Response

from weatherglass.catalog import (
    Pairing,
    SeedSet,
    format_seeds,
    pairings,
    seed_sets,
    seed_sources,
    seeds,
)
from weatherglass.errors import CatalogError, WeatherglassError
from weatherglass.report import numbers
from weatherglass.seedlab import Finding, Lint

from ..jobs import Working
from ..rendering import download_headers, file_responses, render
from ..responses import (
    HTML_ROUTE,
    JOB_RESPONSES,
    error_status,
    error_text,
    html_response,
    record_model,
    render_part,
)
from ..session import CurrentSession, JobQuery, Session, SourceQuery
from ..word_sets import SetQuery
from .browse import (
    FilterQuery,
    SetComparison,
    compare_sets,
    format_origin,
    lint_sets,
    nearest_sets,
    read_seed_set,
    seed_title,
    sort_findings,
)

router = APIRouter()

SetIdQuery = Annotated[str, Query(max_length=200, description="The id of a seed set.")]
MATCH_DESCRIPTIONS = {
    "documented": "word by word",
    "parallel": "in parallel lists",
    "none": "as whole sets",
}
"""How a study matches the words of two sets."""

_TYPED_NAMES = ("first set", "second set")
_MEDIA_TYPES = {
    "yaml": "application/yaml",
    "json": "application/json",
    "csv": "text/csv",
    "txt": "text/plain; charset=utf-8",
}


# One set


@router.get("/seeds/set", **HTML_ROUTE, responses=html_response("The set."))
async def set_page(session: CurrentSession, id: SetIdQuery, source: SourceQuery = "") -> Response:
    """A seed set: its words, the study that used it, and where the words come from."""
    seed_set = seeds(id)
    descriptions = seed_sources()
    values = {
        "seed_set": seed_set,
        "title": seed_title,
        "title_of": lambda id: seed_title(seeds(id)),
        "nearest": nearest_sets(seed_set),
        "origins": [(name, format_origin(name), descriptions[name]) for name in seed_set.sources],
        "opposites": [
            (
                pairing.other(id),
                MATCH_DESCRIPTIONS[pairing.match],
                f"{pairing.study.short}, {pairing.place}",
            )
            for pairing in pairings(id)
        ],
        "same_concept": [other for other in seed_sets(concept=seed_set.concept) if other.id != id],
        "choices": [other for other in seed_sets() if other.words and other.id != id],
    }
    return HTMLResponse(render("seeds_set.html", **_source_values(session, source), **values))


def _source_values(session: Session, source: str) -> dict[str, Any]:
    """Return the values of the field in which a source is chosen."""
    chosen = session.sources.choose([source])
    return {
        "page_path": "/library",
        "sources": list(session.sources),
        "source": chosen[0].name if chosen else "",
        "query": urlencode,
    }


@router.get(
    "/seeds/lint", **HTML_ROUTE, responses={**html_response("Lint findings."), **JOB_RESPONSES}
)
async def lint_part(
    session: CurrentSession,
    request: Request,
    id: SetIdQuery,
    source: SourceQuery = "",
    job: JobQuery = "",
) -> Response:
    """Problems of a set that matter before you measure with it."""
    result = await lint_sets(session, seeds(id), None, source, job)
    values = {"lint": result, "findings": sort_findings(result), "show_sets": False}
    back = f"/seeds/set?{urlencode({'id': id})}", f"Back to {id}"
    return render_part(request, "seeds_lint.html", f"Before you use {id}", back, **values)


@router.get(
    "/seeds/download.{kind}",
    response_class=Response,
    responses=file_responses(_MEDIA_TYPES.values()),
)
async def download(
    session: CurrentSession, id: SetIdQuery, kind: Literal["yaml", "json", "csv", "txt"]
) -> Response:
    """A set as a file that you can edit and use as your own, with every word in full."""
    seed_set = seeds(id)
    if not seed_set.words and kind in ("csv", "txt"):
        raise CatalogError(f"{id} has no words, so the file would be empty.")
    content = format_seeds([seed_set], kind).encode()
    return Response(content, media_type=_MEDIA_TYPES[kind], headers=download_headers(id, kind))


# Two sets


@router.get(
    "/seeds/compare",
    **HTML_ROUTE,
    responses={**html_response("The comparison."), **JOB_RESPONSES},
)
async def compare_page(
    session: CurrentSession,
    one: SetQuery = "",
    other: SetQuery = "",
    source: SourceQuery = "",
    job: JobQuery = "",
) -> Response:
    """Compare two sets: shared words, similarity, lint findings."""
    status = 200
    values = _source_values(session, source) | {
        "texts": {"one": one, "other": other},
        "choices": [seed_set for seed_set in seed_sets() if seed_set.words],
        "title": lambda id: seed_title(seeds(id)),
    }
    try:
        if one.strip() and other.strip():
            values |= await _comparison_values(session, one, other, source, job)
    except Working as working:
        status = 202
        query = urlencode({"one": one, "other": other, "source": source, "job": working.job.id})
        values |= {"working": working.job, "again": f"/seeds/compared?{query}"}
    except WeatherglassError as error:
        status, values["error"] = error_status(error), error_text(error)
    return HTMLResponse(render("seeds_compare.html", **values), status)


@router.get(
    "/seeds/compared",
    **HTML_ROUTE,
    responses={**html_response("The comparison."), **JOB_RESPONSES},
)
async def compare_part(
    session: CurrentSession,
    one: SetQuery,
    other: SetQuery,
    source: SourceQuery = "",
    job: JobQuery = "",
) -> Response:
    """The comparison of two sets, as part of a page."""
    values = await _comparison_values(session, one, other, source, job)
    return HTMLResponse(render("seeds_compared.html", **values))


async def _compare_texts(
    session: Session, one: str, other: str, source: str, job: str
) -> SetComparison:
    first, second = (
        read_seed_set(text, session.settings, name)
        for text, name in zip((one, other), _TYPED_NAMES, strict=True)
    )
    return await compare_sets(session, first, second, source, job)


async def _comparison_values(
    session: Session, one: str, other: str, source: str, job: str
) -> dict[str, Any]:
    comparison = await _compare_texts(session, one, other, source, job)
    return {
        "comparison": comparison,
        "lint": comparison.lint,
        "findings": sort_findings(comparison.lint),
        "show_sets": True,
        "match_descriptions": MATCH_DESCRIPTIONS,
        "format_cosine": numbers.measure,
        "query": urlencode,
        "source": session.sources.choose([source])[0].name,
        "names": (_set_title(comparison.first), _set_title(comparison.second)),
        "texts_for_links": (_as_typed(comparison.first, one), _as_typed(comparison.second, other)),
    }


def _set_title(seed_set: SeedSet) -> str:
    return seed_set.id if seed_set.id in _TYPED_NAMES else seed_title(seed_set)


def _as_typed(seed_set: SeedSet, text: str) -> str:
    """The set as Ask and Explore read it."""
    return text if seed_set.id in _TYPED_NAMES else f"@{seed_set.id}"


# JSON

SeedSetAnswer = record_model(SeedSet, study=str, citation=str, flags=tuple[str, ...])
PairingAnswer = record_model(Pairing, id=str, study=str)


class SeedSetWithPairs(SeedSetAnswer):  # type: ignore[valid-type,misc]
    """A seed set, and the sets that studies contrast it with."""

    against: list[PairingAnswer]  # type: ignore[valid-type]


class LintAnswer(BaseModel):
    """What lint found; `not_run` lists checks by the reason why they were not run."""

    source: str
    fingerprint: str
    findings: tuple[Finding, ...]
    not_run: dict[str, tuple[str, ...]]


class ComparisonAnswer(LintAnswer):
    """Two sets: the words they share, the cosine of their means, and what lint found."""

    shared: list[str]
    similarity: float | None


@router.get("/api/seeds", response_model=list[SeedSetAnswer])  # type: ignore[valid-type]
async def list_json(seed_filter: FilterQuery) -> Any:
    """The seed sets that match a filter."""
    return [_set_values(seed_set) for seed_set in seed_filter.sets()]


@router.get("/api/seeds/set", response_model=SeedSetWithPairs)
async def set_json(id: SetIdQuery) -> Any:
    """One seed set."""
    opposites = [
        dict(pairing) | {"id": pairing.other(id), "study": pairing.study.short}
        for pairing in pairings(id)
    ]
    return _set_values(seeds(id)) | {"against": opposites}


def _set_values(seed_set: SeedSet) -> dict[str, Any]:
    study = seed_set.study
    return dict(seed_set) | {
        "study": study.key if study else "",
        "citation": study.citation if study else "",
        "flags": seed_set.flags,
    }


@router.get("/api/seeds/lint", responses={**JOB_RESPONSES})
async def lint_json(
    session: CurrentSession, set: SetQuery, source: SourceQuery = "", job: JobQuery = ""
) -> LintAnswer:
    """Check a set with lint."""
    seed_set = read_seed_set(set, session.settings, "set")
    result = await lint_sets(session, seed_set, None, source, job)
    return LintAnswer(**_lint_values(session, source, result))


@router.get("/api/seeds/compare", responses={**JOB_RESPONSES})
async def compare_json(
    session: CurrentSession,
    one: SetQuery,
    other: SetQuery,
    source: SourceQuery = "",
    job: JobQuery = "",
) -> ComparisonAnswer:
    """Compare two sets."""
    comparison = await _compare_texts(session, one, other, source, job)
    return ComparisonAnswer(
        **_lint_values(session, source, comparison.lint),
        shared=comparison.shared,
        similarity=comparison.similarity,
    )


def _lint_values(session: Session, source: str, result: Lint) -> dict[str, Any]:
    return {
        "source": session.sources.choose([source])[0].name,
        "fingerprint": str(result.source.get("fingerprint", "")),
        "findings": result.findings,
        "not_run": result.not_run,
    }
