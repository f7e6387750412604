"""What all routes share: the session of the server, and the parameters that every page has."""

from __future__ import annotations

import gc
import os
import tempfile
import threading
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, NamedTuple

import numpy as np
from fastapi import APIRouter, Depends, Query, Request

from weatherglass._files import temporary_folder
from weatherglass.catalog import Test
from weatherglass.errors import WeatherglassError
from weatherglass.measures import weat
from weatherglass.report import can_draw, describe_chart, plot_words
from weatherglass.tasks import single_threaded_blas
from weatherglass.vectors import Vectors

from .jobs import Jobs
from .rendering import NAV, load_chart_libraries, static_file
from .settings import Settings
from .sources import CONTROLS, SourceReference, Sources
from .upload import Uploads


@dataclass(frozen=True, eq=False)
class Session:
    """The state of a running server; it ends with the process, and nothing is saved."""

    settings: Settings
    jobs: Jobs
    sources: Sources
    uploads: Uploads
    _resources: ExitStack = field(default_factory=ExitStack)
    _closing: threading.Lock = field(default_factory=threading.Lock)
    _own_folders: list[Path] = field(default_factory=list)

    @property
    def folders(self) -> tuple[Path, ...]:
        """The folders in which audits are found: those of the settings, and the session's own."""
        return (*self.settings.folders, *self._own_folders)

    def results_folder(self) -> Path:
        """Return the folder for new audits: the first that was named, if it can be written to.

        Otherwise it is a temporary folder, which is deleted with the session.
        """
        for folder in self.settings.folders[:1]:
            if os.access(folder, os.W_OK | os.X_OK):
                return folder
        with self._closing:
            if not self._own_folders:
                temporary = temporary_folder(Path(tempfile.gettempdir()), "audits")
                self._own_folders.append(self._resources.enter_context(temporary))
            return self._own_folders[0]

    def warm_up(self, report: Callable[..., None]) -> None:
        """Open the first source, compile the kernels and load Vega, before anybody waits for it."""
        first = next(iter(self.sources), None)
        if first is not None:
            with suppress(WeatherglassError):  # the page that needs the source shows the error
                self.sources.start_opening(first)
        if can_draw():
            load_chart_libraries()
        self.jobs.start_processes()
        if first is not None:
            with suppress(WeatherglassError):
                self.jobs.start(
                    ("fit controls", first.name),
                    "Fitting the frequency control",
                    lambda report: first.controls(CONTROLS, report, self.jobs),
                    is_long=True,
                )
        # Quick questions are small, and several run at the same time: with more threads they would
        # wait for each other. Libraries must be loaded before they are limited.
        import scipy.linalg  # noqa: F401

        self._resources.enter_context(single_threaded_blas())
        rng = np.random.default_rng(0)
        words = [f"w{k}" for k in range(80)]
        test = Test(x=words[:20], y=words[20:40], a=words[40:60], b=words[60:])
        result = weat(
            Vectors.of(words, rng.normal(size=(80, 8))),
            test,
            intervals=True,
            influence=True,
            workers=1,
        )
        if can_draw():
            describe_chart(plot_words([result]))
            static_file("charts.js")
        # Modules stay for good: without them, a garbage collection is short.
        gc.collect()
        gc.freeze()

    def close(self) -> None:
        """End all jobs, and delete everything that was uploaded.

        A server that is late in stopping calls it from a second thread, and then ends the process:
        that thread waits until the first one has deleted everything.
        """
        with self._closing:
            self.jobs.close()
            self.uploads.close()
            self._resources.close()


@dataclass(frozen=True)
class SharedContext:
    """What a process needs to render the same pages as the server."""

    settings: Settings
    sources: tuple[tuple[str, str, SourceReference | None], ...]
    navigation: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, session: Session) -> SharedContext | None:
        """Describe a session; None if it has uploads, which only their own processes open."""
        if any(source.is_upload for source in session.sources):
            return None
        sources = tuple(
            (source.name, source.spec, source.refer() if source.vectors else None)
            for source in session.sources
        )
        return cls(session.settings, sources, tuple(NAV))

    def open(self, report: Callable[..., None]) -> Session:
        """Return a session with the same sources, of which the same are open."""
        NAV[:] = self.navigation
        jobs = Jobs(self.settings, has_processes=False)
        sources = Sources(replace(self.settings, sources=(), folders=()), jobs)
        for name, spec, reference in self.sources:
            sources.add(spec, name, None if reference is None else reference.open(report))
        return Session(self.settings, jobs, sources, Uploads(self.settings))


async def _get_session(request: Request) -> Session:
    session: Session = request.app.state.session
    return session


CurrentSession = Annotated[Session, Depends(_get_session)]
"""The session, as an argument of a route: ``async def page(session: CurrentSession)``."""

JobQuery = Annotated[
    str, Query(max_length=40, description="The id of the job that you are waiting for.")
]
SourceQuery = Annotated[
    str, Query(max_length=200, description="A source by name; the first if there is none.")
]
SourcesQuery = Annotated[
    tuple[Annotated[str, Query(max_length=200)], ...],
    Query(max_length=50, description="Sources by name; the first if there is none."),
]


class Page(NamedTuple):
    """A page of the top bar: its name there, its path, and its routes."""

    name: str
    path: str
    router: APIRouter
