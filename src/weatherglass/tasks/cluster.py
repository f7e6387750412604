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

from .state import Shared, SharedMissing, Ticket
from .workers import Submit, Workers, run_with_ticket

SCHEMES = ("tcp", "tls", "ws", "wss", "ucx")
_CONNECT_SECONDS = 30.0  # for the scheduler to answer, and for the first worker to appear
_COUNT_SECONDS = 2.0  # between two counts of the workers
_CANCEL_SECONDS = 15.0  # until a worker has certainly reported that a task was cancelled
_MAX_SECONDS_WITHOUT_WORKERS = 300.0


@contextlib.contextmanager
def connected(name: str, workers: int | None = None) -> Iterator[Workers]:
    """Connect to a Dask cluster; `workers` applies to a local one."""
    spec = parse_spec(name)
    check_options(spec, ["limit"])
    limit = _parse_limit(spec.options.get("limit"))
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
                    # Whoever reaches a scheduler can run code: listen on this machine only.
                    host="127.0.0.1",
                    dashboard_address="127.0.0.1:0",
                    silence_logs=logging.ERROR,
                )
            )
        try:
            client = distributed.Client(place, timeout=_CONNECT_SECONDS, set_as_default=False)
        except OSError:
            raise WeatherglassError(
                f"No Dask scheduler answers at {quote_safe(address)}. Start one with "
                "`dask scheduler`, and workers with `dask worker`."
            ) from None
        with contextlib.closing(client):
            yield _Cluster(client, address, limit)


def _parse_limit(text: str | None) -> float | None:
    try:
        limit = None if text is None else float(text)
    except ValueError:
        limit = 0.0
    if limit is not None and not limit > 0:
        raise UsageError(
            f"The limit of the cluster is {quote_safe(str(text))}; expected a number of seconds."
        )
    return limit


class _Cluster(Workers):
    """The workers of a Dask scheduler, which may come and go."""

    def __init__(self, client: Any, address: str, limit: float | None) -> None:
        self._client, self._address, self.limit = client, address, limit
        self._pool = client.get_executor(pure=False)  # a retried task is a new task
        self._threads: dict[str, int] = {}
        self._counted_at, self._workers_seen_at = 0.0, time.monotonic()
        self._keys: WeakKeyDictionary[Future[Any], str] = WeakKeyDictionary()
        self._busy: dict[str, float] = {}  # workers that still run a cancelled task
        self._sent: Any = None
        self._must_send = False
        try:
            client.wait_for_workers(1, timeout=_CONNECT_SECONDS)
        except TimeoutError:
            raise WeatherglassError(
                f"The cluster at {quote_safe(address)} has no workers after "
                f"{_CONNECT_SECONDS:g} seconds. Start one with `dask worker {address}`."
            ) from None

    @property
    def slots(self) -> int:
        if time.monotonic() - self._counted_at > _COUNT_SECONDS:
            self._counted_at = time.monotonic()
            with contextlib.suppress(Exception):  # a restarting scheduler does not answer
                self._threads = self._client.nthreads()
                self._busy = self._still_busy()
            if self._threads:
                self._workers_seen_at = self._counted_at
        return max(1, sum(self._free().values()))

    def _free(self) -> dict[str, int]:
        return {
            worker: threads for worker, threads in self._threads.items() if worker not in self._busy
        }

    def _still_busy(self) -> dict[str, float]:
        if not self._busy:
            return {}
        known = self._client.scheduler_info(n_workers=-1)["workers"]
        return {
            worker: since
            for worker, since in self._busy.items()
            if worker in known
            and (
                known[worker]["last_seen"] < since + _CANCEL_SECONDS
                or _is_fully_busy(known[worker])
            )
        }

    def cancel(self, future: Future[Any]) -> None:
        """Cancel a task, and send nothing to its worker until the task has really ended.

        Dask cannot stop a running task, yet counts its worker as free: a task sent there would wait
        for the cancelled one.
        """
        with contextlib.suppress(Exception):  # a restarting scheduler does not answer
            key, known = self._keys[future], self._client.scheduler_info(n_workers=-1)["workers"]
            for worker, keys in self._client.processing().items():
                if key in keys:
                    self._busy[worker] = known[worker]["last_seen"]
        future.cancel()

    def check(self) -> None:
        if self._client.status in ("closing", "closed"):
            raise self._lost_error("the scheduler does not answer")
        if self.slots and time.monotonic() - self._workers_seen_at > _MAX_SECONDS_WITHOUT_WORKERS:
            raise self._lost_error(
                f"it has had no workers for {_MAX_SECONDS_WITHOUT_WORKERS:g} seconds"
            )

    def _lost_error(self, reason: object) -> WorkersLost:
        return WorkersLost(
            f"The cluster at {quote_safe(self._address)} is lost: {reason}. "
            "Completed tasks are kept."
        )

    @contextlib.contextmanager
    def holding(self, shared: Shared[Any] | None) -> Iterator[Submit]:
        if shared is None:
            yield lambda call, item: self._submit(call, None, None, item)
            return
        with shared.on_disk() as ticket:
            readable = self._client.run(_can_load, ticket, on_error="return")
            self._sent = None
            self._must_send = not all(answer is True for answer in readable.values())

            def submit(call: Callable[..., Any], item: Any) -> Future[Any]:
                if self._must_send and self._sent is None:
                    [self._sent] = self._client.scatter([shared.arrays])
                return self._submit(call, ticket, self._sent, item)

            yield submit
            self._sent = None

    def _submit(self, *task: Any) -> Future[Any]:
        key, where = f"weatherglass-{uuid4().hex}", {}
        if self._busy and (free := self._free()):
            where = {"workers": list(free), "allow_other_workers": True}
        try:
            future: Future[Any] = self._pool.submit(_run_task, __version__, *task, key=key, **where)
        except Exception as error:  # the client raises various errors for a lost connection
            raise self._lost_error(error) from None
        self._keys[future] = key
        return future

    def lost(self, error: BaseException) -> str:
        from distributed import KilledWorker
        from distributed.comm import CommClosedError

        if isinstance(error, ModuleNotFoundError) and str(error.name).startswith("weatherglass"):
            raise WeatherglassError(
                f"Weatherglass is not installed on a worker of the cluster at "
                f"{quote_safe(self._address)}. Install it there."
            )
        if isinstance(error, SharedMissing):
            self._must_send = True
            return "its worker could not read the shared data"
        if isinstance(error, KilledWorker | CancelledError | CommClosedError):
            self._sent = None  # may be lost with the worker: send it again
            return "its worker died"
        return ""


def _is_fully_busy(worker: Mapping[str, Any]) -> bool:
    """Return whether all threads of a worker run cancelled tasks."""
    cancelled, threads = worker["metrics"]["task_counts"].get("cancelled", 0), worker["nthreads"]
    return int(cancelled) >= int(threads)


def _can_load(ticket: Ticket[Any]) -> bool:
    try:
        ticket.load()
    except SharedMissing:
        return False
    return True


def _run_task(version: str, *task: Any) -> Any:
    """Run a task in a worker, if it has the same version and so gives the same numbers."""
    if version != __version__:
        raise WeatherglassError(
            f"A worker of the cluster has Weatherglass {__version__}, but this is {version}; their "
            "numbers may differ. Install the same version there."
        )
    return run_with_ticket(*task)
