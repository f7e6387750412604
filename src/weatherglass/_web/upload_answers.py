"""What becomes of a file that was sent: a source, a corpus, or vectors trained on it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from weatherglass.errors import UsageError, WeatherglassError
from weatherglass.vectors import Vectors, open_vectors

from .jobs import Cancelled
from .session import Session
from .sources import Source, without_path
from .upload_store import Upload, cached_copies

if TYPE_CHECKING:
    from weatherglass.corpus import Corpus

TOP = 10
TRAINED = "trained"


async def validated(here: Session, id: str, job: str = "") -> Upload:
    """A file, once the readers have looked at all of it; it says itself if it is of no use."""
    one = here.uploads.find(id)
    if one.status != "received":
        return one

    def work(report: Callable[..., None]) -> Upload:
        if one.status != "received":
            return one
        try:
            if one.kind == "vectors":
                one.source = _added(here, str(one.path), one.name, report).name
            else:
                from weatherglass.corpus.summary import summarise

                one.summary = summarise(corpus_of(one), top=TOP, progress=report)
        except Cancelled:
            here.uploads.refuse(one, "Reading it was cancelled.")
            raise
        except WeatherglassError as error:
            here.uploads.refuse(one, _told(one, error))
        return one

    what = f"Reading {one.name}"
    return await here.jobs.answer(("upload", id), what, work, is_long=True, job=job)


def _added(here: Session, spec: str, name: str, report: Callable[..., None]) -> Source:
    """Let vectors be asked on all pages."""
    before = cached_copies()
    vectors: Vectors = open_vectors(spec, progress=report)
    # The parsed copy goes with the session, as the file does; what is mapped stays readable.
    here.uploads.forget_later(
        {one for one in cached_copies() - before if one.name.startswith(vectors.fingerprint)}
    )
    return here.sources.add(spec, name, vectors, is_sent=True)


def corpus_of(one: Upload) -> Corpus:
    """A file as a corpus."""
    from weatherglass.corpus import open_corpus

    return open_corpus(one.path, text=one.column or None)


def _told(one: Upload, error: Exception) -> str:
    """A sentence that names the file as its sender does."""
    told = without_path(str(error), str(one.path), one.name)
    return told.replace(f"{one.name}?text=COLUMN", "name it above")


async def trained(
    here: Session, id: str, dim: int, window: int, min_count: int, job: str = ""
) -> str:
    """Train vectors on a corpus that was sent; the name of the source that they become."""
    one = await validated(here, id, job)
    if one.summary is None:
        raise UsageError(one.problem or f"{one.name} is a file of vectors, not a corpus.")

    def work(report: Callable[..., None]) -> str:
        from weatherglass.corpus.training import train

        def tell(what: str, done: int, total: int) -> None:
            report(done, total, {"reading": "Reading the corpus"}.get(what, "Training vectors"))

        made = f"{TRAINED}-{dim}-{window}-{min_count}"
        name = f"{one.name.partition('.')[0]} {dim}d"
        assert one.summary is not None
        out = here.uploads.make_room(one, made, 4 * dim * one.summary.types)
        try:
            train(
                corpus_of(one),
                out,
                method="ppmi-svd",
                dim=dim,
                window=window,
                min_count=min_count,
                bootstrap=0,
                workers=1,
                progress=tell,
            )
            return _added(here, str(out / "full.parquet"), name, report).name
        except Cancelled:
            here.uploads.drop_made(one, made)
            raise
        except WeatherglassError as error:
            here.uploads.drop_made(one, made)
            error.args = (_told(one, error),)
            raise

    key = ("train", id, dim, window, min_count)
    return await here.jobs.answer(key, "Reading the corpus", work, is_long=True, job=job)
