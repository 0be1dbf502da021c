"""The learner of the m,n,k-game's evaluation: lessons in batches, and Adam (Kingma and Ba 2015)."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kozyr.agents.mnk.board import CELLS, FREE, O, X, lines
from kozyr.agents.mnk.learned import HIDDEN, PATTERNS, POINT, SHAPES, WIDTH, K, patterns
from kozyr.agents.mnk.lines import fives, fours, set_up
from kozyr.agents.mnk.moves import doubles
from kozyr.envs.compile import jit
from kozyr.envs.mnk.rules import Variant
from kozyr.envs.mnk.view import Parts
from kozyr.training.mnk_evaluation.gradient import learn
from kozyr.training.mnk_evaluation.self_play import AREA, SIDE, SPOILT, Lessons

_BATCH, _RATE, _WARM, _LAST = 1024, 5e-3, 0.05, 0.002  # learning rate: its top, share of steps to it, share at the end
_MEAN, _SQUARE, _TINY = 0.9, 0.999, 1e-8
_RESULT = 0.7  # share of the game's result in what a position is worth; the search's value has the rest
_FORCED = 3000  # a search's values are no further from 0 here
_TESTED, _MOST_TESTED = 20, 20_000  # one position of so many is not learned from but tested on; and at most so many
_TELLING = 300  # steps between two points of the curve


class Numbers(NamedTuple):
    """The network, or a gradient of it; the shapes are `learned.SHAPES`."""

    vectors: NDArray[np.float32]
    empty: NDArray[np.float32]
    moves: NDArray[np.float32]
    first: NDArray[np.float32]
    first_bias: NDArray[np.float32]
    second: NDArray[np.float32]
    second_bias: NDArray[np.float32]


class Point(NamedTuple):
    """A point of the learning curve, on positions that are not learned from.

    Attributes:
        positions: learned from so far, with repetitions; of: how many it will be.
        value_loss: cross entropy of results, per position that is valued; moves_loss: of moves, per position.
        first, among: how often the search's move has the highest rating, and one of the eight highest.
    """

    positions: int
    of: int
    value_loss: float
    moves_loss: float
    first: float
    among: float


class _Batch(NamedTuple):
    near: NDArray[np.int16]  # [n, AREA, 8] patterns by side and direction, O's behind X's
    free: NDArray[np.int8]  # [n, AREA]
    valued: NDArray[np.int8]  # [n] whether a search would ask for its value
    rated: NDArray[np.int8]  # [n] whether it would ask for its moves
    head: NDArray[np.int64]  # [n]
    worth: NDArray[np.float32]  # [n] from 0 to 1
    best: NDArray[np.int64]  # [n]


def fresh(seed: int) -> Numbers:
    """Return a network that has not learned anything."""
    rng = np.random.default_rng(seed)
    spread = {"vectors": 0.15, "moves": 0.1, "first": 0.5 / WIDTH**0.5, "second": 0.5 / HIDDEN**0.5}
    arrays = {name: rng.normal(0, spread.get(name, 0.0), shape) for name, shape in SHAPES.items()}
    arrays["empty"] += 0.1
    return Numbers(**{name: array.astype(np.float32) for name, array in arrays.items()})


def fit(lessons: Lessons, epochs: float, seed: int) -> Iterator[tuple[Point, Numbers]]:
    """Learn from lessons; yield points of the curve with the network there, the last of which is the result.

    Args:
        lessons: the positions; epochs: how often each is learned from on average.
        seed: of the first numbers and of all that is drawn.
    """
    rng, n = np.random.default_rng(seed), len(lessons.side)
    learned = n - min(max(n // _TESTED, 1), _MOST_TESTED)  # the last games are tested on
    test, numbers = np.arange(learned, n), fresh(seed)
    means, squares = (Numbers(*map(np.zeros_like, numbers)) for _ in range(2))
    reader, steps = _Reader(), max(int(epochs * learned / _BATCH), 1)
    for i in range(steps):
        gradient, counts = Numbers(*map(np.zeros_like, numbers)), np.zeros(6)
        learn(reader.batch(lessons, rng.integers(learned, size=_BATCH)), numbers, gradient, *_room(), True, counts)
        _step(numbers, gradient, means, squares, i, steps)
        if i % _TELLING == _TELLING - 1 or i == steps - 1:
            yield _point(reader, lessons, test, numbers, (i + 1) * _BATCH, steps * _BATCH), numbers


def _step(numbers: Numbers, gradient: Numbers, means: Numbers, squares: Numbers, i: int, steps: int) -> None:
    """Change the numbers by one step of Adam, at a rate that rises and then falls by a cosine."""
    done = i / steps
    rate = _RATE * (min(done / _WARM, 1.0) * (1 + np.cos(np.pi * done)) / 2 + _LAST)
    for number, slope, mean, square in zip(numbers, gradient, means, squares, strict=True):
        slope /= _BATCH
        mean += (1 - _MEAN) * (slope - mean)
        square += (1 - _SQUARE) * (slope * slope - square)
        size = np.sqrt(square / (1 - _SQUARE ** (i + 1))) + _TINY
        number -= (rate / (1 - _MEAN ** (i + 1)) * mean / size).astype(np.float32)


def _point(reader: "_Reader", lessons: Lessons, test: NDArray[np.int64], numbers: Numbers, at: int, of: int) -> Point:
    counts, none = np.zeros(6), Numbers(*map(np.zeros_like, numbers))
    for first in range(0, len(test), _BATCH):
        batch = reader.batch(lessons, test[first : first + _BATCH], result=1.0)
        learn(batch, numbers, none, *_room(), False, counts)
    valued, rated = max(counts[1], 1.0), max(counts[3], 1.0)
    return Point(at, of, counts[0] / valued, counts[2] / rated, counts[4] / rated, counts[5] / rated)


def _room() -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
    """Return memory for cells' vectors, for cells' ratings, and for sums, units and slopes."""
    return np.zeros((AREA, WIDTH), np.float32), np.zeros(AREA, np.float32), np.zeros((4, HIDDEN), np.float32)


class _Reader:
    """Reader of the surroundings of cells."""

    def __init__(self) -> None:
        self._rules = [Variant(m=SIDE, n=SIDE, k=K, last_reply=reply, obstacles=1.0) for reply in (False, True)]
        self._boards = [lines(v) for v in self._rules]
        self._view = np.zeros(Parts(self._rules[0]).size, np.int8)  # parts that a board is not set up from stay 0

    def batch(self, lessons: Lessons, rows: NDArray[np.int64], result: float = _RESULT) -> _Batch:
        """Return some lessons; `result` is the share of the game's result in a position's worth."""
        columns: list[Any] = [column[rows] for column in lessons]
        some, n = Lessons(*columns), len(rows)
        value = 1 / (1 + np.exp(-np.clip(some.value, -_FORCED, _FORCED) / POINT))
        batch = _Batch(
            np.zeros((n, AREA, 8), np.int16),
            np.zeros((n, AREA), np.int8),
            np.zeros(n, np.int8),
            np.zeros(n, np.int8),
            2 * some.rule.astype(np.int64) + some.side,
            (result * (1 + some.result) / 2 + (1 - result) * value).astype(np.float32),
            some.best.astype(np.int64),
        )
        for rule in range(2):
            which = np.flatnonzero(some.rule == rule)
            look(self._rules[rule], self._boards[rule], self._view, patterns(), some.stones, some.side, which, batch)
        batch.valued[some.result == SPOILT] = 0
        return batch


@jit
def look(
    v: Variant,
    boards: NDArray[Any],
    view: NDArray[np.int8],
    pattern: NDArray[np.int16],
    stones: NDArray[np.int8],
    side: NDArray[np.int8],
    which: NDArray[np.int64],
    batch: Any,
) -> None:
    """Write the surroundings of the cells of some positions, all of one rule, into the batch."""
    b, at = boards[0], Parts(v)
    for i in which:
        view[at.x] = side[i] == X
        for a in range(AREA):
            view[at.mine + a] = stones[i, a] == 1 + side[i]
            view[at.theirs + a] = stones[i, a] == 2 - side[i]
            view[at.wall + a] = stones[i, a] == 3
        me = set_up(v, view, b)
        for a in range(AREA):
            batch.free[i, a] = b.stone[a] == FREE
            for s in range(2):
                for d in range(4):
                    batch.near[i, a, 4 * s + d] = s * PATTERNS + pattern[b.number[4 * (s * CELLS + a) + d]]
        batch.rated[i] = fives(b, X) + fives(b, O) == 0
        batch.valued[i] = batch.rated[i] and not ((me == O or not b.rule or fours(b, O) == 0) and doubles(b, me))
