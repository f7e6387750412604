"""What all tasks need goes to a worker once, not with every task."""

from __future__ import annotations

import pickle
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from weatherglass.discovery.rotations import Null, Space, batches, choose, count_batch
from weatherglass.tasks import Shared, executor, run
from weatherglass.tasks.state import SharedMissing
from weatherglass.tasks.workers import run_with_ticket


def itself(rows: NDArray[Any]) -> NDArray[Any]:
    return rows


def large_null() -> Null:
    stream = np.random.default_rng(0)
    words = stream.standard_normal((20_000, 100)).astype(np.float32)
    words /= np.linalg.norm(words, axis=1, keepdims=True)
    space = Space(stream.standard_normal((12, 100)), words, np.arange(0, 20_001, 2000), 3)
    return Null(space, choose(space).scores, 0)


def test_a_task_is_small_however_large_the_search_is() -> None:
    null = large_null()
    shared = null.shared()
    assert sum(array.nbytes for array in shared.arrays.values()) > 8_000_000
    with shared.on_disk() as ticket:
        for item in batches(null, 10_000):
            task = pickle.dumps((run_with_ticket, count_batch, ticket, None, item))
            assert len(task) < 1000


def test_a_worker_that_can_read_the_folder_maps_it_into_memory() -> None:
    null = large_null()
    with null.shared().on_disk() as ticket:
        again = ticket.load()
        assert isinstance(again.space.words, np.memmap)
        assert not again.space.words.flags.writeable
        np.testing.assert_array_equal(again.count(3, 16), null.count(3, 16))
        assert ticket.load() is again


def test_shared_arrays_are_deleted_after_the_run(own_cache: Path) -> None:
    shared = Shared.of(itself, {"rows": np.arange(5.0)}, {})
    with shared.on_disk() as ticket:
        assert Path(ticket.folder).is_dir()
    assert not Path(ticket.folder).exists()


def test_a_worker_without_the_folder_uses_the_arrays_it_is_sent() -> None:
    shared = Shared.of(itself, {"rows": np.arange(7.0)}, {})
    with shared.on_disk() as ticket:
        pass
    with pytest.raises(SharedMissing):
        ticket.load()
    np.testing.assert_array_equal(ticket.load(shared.arrays), np.arange(7.0))


def test_a_folder_with_another_digest_is_refused() -> None:
    mine, other = (Shared.of(itself, {"rows": np.arange(k)}, {}) for k in (3.0, 4.0))
    with mine.on_disk() as ticket, other.on_disk() as elsewhere:
        (Path(ticket.folder) / "about.json").write_bytes(
            (Path(elsewhere.folder) / "about.json").read_bytes()
        )
        with pytest.raises(SharedMissing):
            ticket.load()


def test_the_digest_covers_values_types_shapes_and_options() -> None:
    def digest(rows: Any, **plain: Any) -> str:
        return Shared(None, itself, {"rows": np.asarray(rows)}, plain).digest

    ways = [([1.0, 2.0], {}), ([1, 2], {}), ([[1.0, 2.0]], {}), ([1.0, 2.0], {"rng": 1})]
    assert len({digest(rows, **plain) for rows, plain in ways}) == 4


@pytest.mark.parametrize(("workers", "threads"), [(1, True), (2, True), (2, False)])
def test_every_kind_of_worker_receives_the_shared_object(
    strange: ModuleType, workers: int, threads: bool
) -> None:
    shared = Shared.of(itself, {"rows": np.arange(4.0)}, {})
    with executor(workers, threads=threads) as team:
        assert list(run(strange.summed, range(3), team, shared=shared)) == [6.0, 7.0, 8.0]
