"""What routes share: the settings, the sources and the jobs of the server they run in."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated, NamedTuple

import numpy as np
from fastapi import APIRouter, Depends, Request

from weatherglass.catalog import Test
from weatherglass.errors import WeatherglassError
from weatherglass.measures import weat
from weatherglass.report import can_draw, describe_chart, draw_strips, group_by_test
from weatherglass.vectors import Vectors

from .jobs import Jobs
from .rendering import static_file
from .settings import Settings
from .sources import Sources
from .upload import Uploads


@dataclass(frozen=True, eq=False)
class Session:
    """A running server; it ends with the process, and nothing of it is kept."""

    settings: Settings
    jobs: Jobs
    sources: Sources
    uploads: Uploads

    def warm_up(self, report: Callable[..., None]) -> None:
        """Do before the first question what only the first question waits for."""
        first = next(iter(self.sources), None)
        if first is not None:
            with suppress(WeatherglassError):  # the page that needs it says what is wrong
                first.open(report)
        rng = np.random.default_rng(0)
        words = [f"w{k}" for k in range(80)]
        test = Test(x=words[:20], y=words[20:40], a=words[40:60], b=words[60:])
        result = weat(Vectors.of(words, rng.normal(size=(80, 8))), test, intervals=True, workers=1)
        if can_draw():
            describe_chart(draw_strips(group_by_test([result])[0], {"memory": "memory"}))
            static_file("pictures.js")


async def _get_session(request: Request) -> Session:
    found: Session = request.app.state.session
    return found


CurrentSession = Annotated[Session, Depends(_get_session)]
"""The server, as an argument of a route: ``async def page(here: Here)``."""


class Page(NamedTuple):
    """A page of the top bar: what it is called there, where it is, and its routes."""

    name: str
    path: str
    router: APIRouter
