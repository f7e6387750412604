"""The workers of a Dask cluster, elsewhere or on this machine."""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import CancelledError, Future
from typing import Any
from uuid import uuid4
from weakref import WeakKeyDictionary

from weatherglass._files import cpu_count
from weatherglass._version import __version__
from weatherglass.errors import MissingExtra, UsageError, WeatherglassError, WorkersLost, quote_safe
from weatherglass.vectors import check_options, parse_spec

from .state import NotSeen, Shared, Ticket
from .workers import Submit, Workers, done_by_ticket

SCHEMES = ("tcp", "tls", "ws", "wss", "ucx")
_PATIENCE = 30.0  # seconds for the scheduler to answer, and for a first worker
_LOOK = 2.0  # seconds between two counts of the workers
_TOLD = 15.0  # seconds after which a worker surely has heard, and said, that a task was given up
_DESERTED = 300.0  # seconds without any, after which nobody will come


@contextlib.contextmanager
def connected(name: str, workers: int | None = None) -> Iterator[Workers]:
    """The workers of the cluster of that name; `workers` is for one on this machine."""
    spec = parse_spec(name)
    check_options(spec, ["limit"])
    limit = _limit(spec.options.get("limit"))
    address = name.partition("?")[0]
    if address != "local" and spec.scheme not in SCHEMES:
        raise UsageError(
            f"The cluster is {quote_safe(name)}; expected the address of a Dask scheduler, such as "
            "tcp://host:8786, or local."
        )
    try:
        import distributed
    except ImportError:
        raise MissingExtra("A cluster", "cluster") from None
    with contextlib.ExitStack() as stack:
        place: Any = address
        if address == "local":
            place = stack.enter_context(
                distributed.LocalCluster(
                    n_workers=workers or cpu_count(),
                    threads_per_worker=1,
                    processes=True,
                    dashboard_address=":0",
                    silence_logs=logging.ERROR,
                )
            )
        try:
            client = distributed.Client(place, timeout=_PATIENCE, set_as_default=False)
        except OSError:
            raise WeatherglassError(
                f"No Dask scheduler answers at {quote_safe(address)}. Start one with `dask scheduler`, "
                "and workers with `dask worker`."
            ) from None
        with contextlib.closing(client):
            yield _Cluster(client, address, limit)


def _limit(text: str | None) -> float | None:
    try:
        limit = None if text is None else float(text)
    except ValueError:
        limit = 0.0
    if limit is not None and not limit > 0:
        raise UsageError(
            f"The limit of the cluster is {quote_safe(str(text))}; seconds were expected."
        )
    return limit


class _Cluster(Workers):
    """Workers that a Dask scheduler knows. They may come and go."""

    def __init__(self, client: Any, address: str, limit: float | None) -> None:
        self._client, self._address, self.limit = client, address, limit
        self._pool = client.get_executor(pure=False)  # a task that is run again is a new one
        self._threads: dict[str, int] = {}
        self._counted, self._seen = 0.0, time.monotonic()
        self._keys: WeakKeyDictionary[Future[Any], str] = WeakKeyDictionary()
        self._held: dict[str, float] = {}
        self._sent: Any = None
        self._sending = False
        try:
            client.wait_for_workers(1, timeout=_PATIENCE)
        except TimeoutError:
            raise WeatherglassError(
                f"The cluster at {quote_safe(address)} has no workers after {_PATIENCE:g} seconds. "
                f"Start one with `dask worker {address}`."
            ) from None

    @property
    def slots(self) -> int:
        if time.monotonic() - self._counted > _LOOK:
            self._counted = time.monotonic()
            with contextlib.suppress(Exception):  # a scheduler that starts again cannot tell
                self._threads = self._client.nthreads()
                self._held = self._still_held()
            if self._threads:
                self._seen = self._counted
        return max(1, sum(self._free().values()))

    def _free(self) -> dict[str, int]:
        return {one: threads for one, threads in self._threads.items() if one not in self._held}

    def _still_held(self) -> dict[str, float]:
        if not self._held:
            return {}
        known = self._client.scheduler_info(n_workers=-1)["workers"]
        return {
            one: since
            for one, since in self._held.items()
            if one in known and (known[one]["last_seen"] < since + _TOLD or _all_held(known[one]))
        }

    def give_up(self, future: Future[Any]) -> None:
        """Dask cannot stop a task that runs, and takes its worker for free: a task that is sent
        there waits for the one that was given up. So nothing is sent there until that has ended."""
        with contextlib.suppress(Exception):  # as above
            key, known = self._keys[future], self._client.scheduler_info(n_workers=-1)["workers"]
            for one, keys in self._client.processing().items():
                if key in keys:
                    self._held[one] = known[one]["last_seen"]
        future.cancel()

    def check(self) -> None:
        if self._client.status in ("closing", "closed"):
            raise self._gone("the scheduler does not answer")
        if self.slots and time.monotonic() - self._seen > _DESERTED:
            raise self._gone(f"it has had no workers for {_DESERTED:g} seconds")

    def _gone(self, why: object) -> WorkersLost:
        return WorkersLost(
            f"The cluster at {quote_safe(self._address)} is lost: {why}. What was finished is kept."
        )

    @contextlib.contextmanager
    def holding(self, shared: Shared[Any] | None) -> Iterator[Submit]:
        if shared is None:
            yield lambda call, item: self._submit(call, None, None, item)
            return
        with shared.on_disk() as ticket:
            seen = self._client.run(_sees, ticket, on_error="return")
            self._sent, self._sending = None, not all(one is True for one in seen.values())

            def submit(call: Callable[..., Any], item: Any) -> Future[Any]:
                if self._sending and self._sent is None:
                    [self._sent] = self._client.scatter([shared.arrays])
                return self._submit(call, ticket, self._sent, item)

            yield submit
            self._sent = None

    def _submit(self, *task: Any) -> Future[Any]:
        key, where = f"weatherglass-{uuid4().hex}", {}
        if self._held and (free := self._free()):
            where = {"workers": list(free), "allow_other_workers": True}
        try:
            future: Future[Any] = self._pool.submit(_done, __version__, *task, key=key, **where)
        except Exception as error:  # whatever the client says of a connection that is gone
            raise self._gone(error) from None
        self._keys[future] = key
        return future

    def lost(self, error: BaseException) -> str:
        from distributed import KilledWorker
        from distributed.comm import CommClosedError

        if isinstance(error, ModuleNotFoundError) and str(error.name).startswith("weatherglass"):
            raise WeatherglassError(
                f"A worker of the cluster at {quote_safe(self._address)} has no Weatherglass. Install "
                "it there."
            )
        if isinstance(error, NotSeen):
            self._sending = True
            return "its worker could not read what it needs"
        if isinstance(error, KilledWorker | CancelledError | CommClosedError):
            self._sent = None  # may be lost with the worker, and is sent again
            return "its worker ended"
        return ""


def _all_held(worker: Mapping[str, Any]) -> bool:
    """Whether all threads of a worker are at tasks that were given up."""
    held, threads = worker["metrics"]["task_counts"].get("cancelled", 0), worker["nthreads"]
    return int(held) >= int(threads)


def _sees(ticket: Ticket[Any]) -> bool:
    try:
        ticket.made()
    except NotSeen:
        return False
    return True


def _done(version: str, *task: Any) -> Any:
    """Do a task, in a worker that would give the same numbers as we."""
    if version != __version__:
        raise WeatherglassError(
            f"A worker of the cluster has Weatherglass {__version__}, and this is {version}: their "
            "numbers may differ. Install the same version there."
        )
    return done_by_ticket(*task)
