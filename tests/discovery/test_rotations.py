"""The rotational null: right, the same on any machine, and no d × d matrix."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ks_2samp, ortho_group

from weatherglass.discovery.rotations import (
    Null,
    Space,
    Tally,
    batches,
    choose,
    frames,
    is_settled,
    run,
    significant,
    verdicts,
)
from weatherglass.tasks import executor


def a_space(seed: int = 0, n: int = 4, d: int = 10, voronoi: bool = True) -> Space:
    stream = np.random.default_rng(seed)
    sizes = np.array([60, 25, 90])
    words = stream.standard_normal((sizes.sum(), d))
    words /= np.linalg.norm(words, axis=1, keepdims=True)
    centres = stream.standard_normal((n, d)) / 2
    starts = np.concatenate([[0], np.cumsum(sizes)])
    return Space(centres, words.astype(np.float32), starts, 3, voronoi)


def counted(null: Null, asked: int, workers: int = 2, stop_early: bool = False) -> Tally:
    with executor(workers, threads=True) as team:
        return run(null, asked, team, alpha=0.05, stop_early=stop_early)


@pytest.mark.parametrize("voronoi", [True, False])
@pytest.mark.parametrize(("n", "d"), [(4, 10), (2, 3), (5, 3), (12, 12)])
def test_the_compiled_pass_chooses_as_the_plain_one(n: int, d: int, voronoi: bool) -> None:
    space = a_space(n=n, d=d, voronoi=voronoi)
    scores = choose(space).scores
    null = Null(space, scores, rng=3)
    turned = null.rotated(0, 20)
    by_hand = np.zeros(scores.shape, np.int64)
    for r in range(20):
        by_hand += choose(replace(space, centres=turned[:, :, r].T.astype(float))).scores >= scores
    np.testing.assert_array_equal(null.count(0, 20), by_hand)


def test_rotated_centres_keep_their_lengths_and_angles() -> None:
    space = a_space(n=4, d=10)
    apart = space.centres - space.centres.mean(axis=0)
    turned = Null(space, choose(space).scores, rng=0).rotated(7, 5)
    for r in range(5):
        centres = turned[:, :, r].T
        np.testing.assert_allclose(centres @ centres.T, apart @ apart.T, atol=1e-5)


def test_frames_are_orthonormal() -> None:
    some = frames(np.random.default_rng(0), 9, 7, 3)
    np.testing.assert_allclose(
        some @ some.transpose(0, 2, 1), np.broadcast_to(np.eye(3), (9, 3, 3)), atol=1e-12
    )


def test_frames_and_whole_rotations_give_the_same_null() -> None:
    """Scores of every cell under n-frames and under d × d Haar matrices: one distribution."""
    space = a_space(n=3, d=6)
    draws = 1500
    turned = Null(space, choose(space).scores, rng=1).rotated(0, draws)
    by_frames = [
        choose(replace(space, centres=turned[:, :, r].T.astype(float))).scores.ravel()
        for r in range(draws)
    ]
    whole = ortho_group.rvs(6, size=draws, random_state=2)
    by_matrices = [choose(replace(space, centres=space.centres @ u)).scores.ravel() for u in whole]
    for one, other in zip(np.array(by_frames).T, np.array(by_matrices).T, strict=True):
        assert ks_2samp(one, other).pvalue > 1e-3 / len(by_frames[0])


def test_the_same_counts_for_any_number_of_workers() -> None:
    null = Null(space := a_space(), choose(space).scores, rng=5)
    one = counted(null, 3000, workers=1)
    many = counted(null, 3000, workers=5)
    np.testing.assert_array_equal(one.counts, many.counts)
    assert one.done == many.done == 3000


def test_batches_are_all_of_the_rotations_once() -> None:
    null = Null(space := a_space(), choose(space).scores, rng=5)
    some = list(batches(null, 3 * null.batch + 1))
    assert some == [(0, null.batch), (1, null.batch), (2, null.batch), (3, 1)]


def test_a_cell_without_words_has_p_one() -> None:
    space = replace(a_space(), per_cell=60)
    scores = choose(space).scores
    tally = counted(Null(space, scores, rng=0), 200)
    assert np.isneginf(scores).any()
    assert (tally.counts[np.isneginf(scores)] == 200).all()


@given(st.data())
def test_no_verdict_changes_once_it_is_settled(data: st.DataObject) -> None:
    """However the rotations that are left turn out, the verdicts after all are the same."""
    asked = data.draw(st.integers(20, 300))
    done = data.draw(st.integers(1, asked))
    counts = np.array(
        data.draw(st.lists(st.integers(0, done), min_size=2, max_size=6)), dtype=np.int64
    )
    rest = np.array(
        data.draw(
            st.lists(st.integers(0, asked - done), min_size=len(counts), max_size=len(counts))
        )
    )
    if is_settled(counts, done, asked, 0.05):
        now, _ = verdicts(Tally(counts, 1, done, "stopped"), asked, 0.05)
        np.testing.assert_array_equal(now, significant(counts + rest, asked, 0.05))


def test_it_stops_early_only_with_the_verdicts_of_all_rotations() -> None:
    """Nothing is planted, so that nothing can become significant after a few rotations."""
    null = Null(space := a_space(), choose(space).scores, rng=5)
    whole = counted(null, 20_000)
    early = counted(null, 20_000, stop_early=True)
    assert early.stopped
    assert early.done < whole.done == 20_000
    np.testing.assert_array_equal(
        verdicts(early, 20_000, 0.05)[0], verdicts(whole, 20_000, 0.05)[0]
    )
