"""Learner of the m,n,k-game's evaluation: its lessons, its gradient and its curve."""

from pathlib import Path

import numpy as np
import pytest

from kozyr.agents.mnk.tree import SURE
from kozyr.training.mnk_evaluation import gradient, learner, self_play


def some_lessons() -> self_play.Lessons:
    return self_play.play(4, 3, 40, None)


def test_the_gradient_is_the_slope_of_the_loss() -> None:
    found, reader = some_lessons(), learner._Reader()  # pyright: ignore[reportPrivateUsage]
    batch = reader.batch(found, np.arange(40))
    numbers = learner.fresh(1)

    def loss() -> float:
        counts, none = np.zeros(6), learner.Numbers(*map(np.zeros_like, numbers))
        gradient.learn(batch, numbers, none, *learner._room(), False, counts)  # pyright: ignore[reportPrivateUsage]
        return counts[0] + gradient.MOVE * counts[2]

    slopes = learner.Numbers(*map(np.zeros_like, numbers))
    gradient.learn(batch, numbers, slopes, *learner._room(), True, np.zeros(6))  # pyright: ignore[reportPrivateUsage]
    rng = np.random.default_rng(2)
    for number, slope in zip(numbers, slopes, strict=True):
        steepest = np.argsort(np.abs(slope).ravel())[-5:]
        for at in [*steepest, *rng.integers(number.size, size=3)]:
            kept, step = number.flat[at], np.float32(2e-3)
            number.flat[at] = kept + step
            above = loss()
            number.flat[at] = kept - step
            below = loss()
            number.flat[at] = kept
            assert (above - below) / (2 * step) == pytest.approx(slope.flat[at], rel=0.06, abs=0.06)


def test_lessons_are_positions_of_whole_games_with_their_results() -> None:
    found = some_lessons()
    again = some_lessons()
    for one, other in zip(found, again, strict=True):
        np.testing.assert_array_equal(one, other)
    assert len(found.side) > 30
    stones = [(row == 1).sum() - (row == 2).sum() for row in found.stones]
    np.testing.assert_array_equal(stones, found.side)  # X has one more when O is to move
    assert (found.stones[np.arange(len(found.best)), found.best] == 0).all()
    clean = found.result != self_play.SPOILT
    assert set(found.result[clean]) <= {-1, 0, 1}
    assert 0 < clean.mean() < 1
    won = clean & (found.value > SURE)
    assert found.result[won].mean() > 0.5


def test_learning_lowers_the_loss_and_ends_with_the_last_point() -> None:
    found = self_play.play(12, 5, 40, None)
    points = [point for point, _ in learner.fit(found, 60, 0)]
    assert points[-1].positions == points[-1].of
    assert points[-1].moves_loss < 4.5 < np.log(self_play.AREA / 2)
    first = [numbers.vectors for _, numbers in learner.fit(found, 2, 0)][-1]
    np.testing.assert_array_equal(first, [numbers.vectors for _, numbers in learner.fit(found, 2, 0)][-1])


def test_damaged_games_are_named(tmp_path: Path) -> None:
    path = tmp_path / "games-0000.npz"
    path.write_bytes(b"torn")
    with pytest.raises(ValueError, match="delete it, and its games are played once more"):
        self_play.read_games(path)
