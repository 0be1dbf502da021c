"""The learner of the m,n,k-game's evaluation: gradients of `learned`'s network, and Adam (Kingma and Ba 2015)."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kozyr.agents.mnk.board import CELLS, FREE, O, X, lines
from kozyr.agents.mnk.games import AREA, SIDE, SPOILT, Lessons
from kozyr.agents.mnk.learned import AREA_UNIT, HIDDEN, PATTERNS, POINT, SHAPES, WIDTH, K, patterns
from kozyr.agents.mnk.lines import fives, fours, set_up
from kozyr.agents.mnk.moves import doubles
from kozyr.envs.core.compile import fast, jit
from kozyr.envs.mnk.rules import Variant
from kozyr.envs.mnk.view import Parts

_BATCH, _RATE, _WARM, _LAST = 1024, 5e-3, 0.05, 0.002  # learning rate: its top, share of steps to it, share at the end
_MEAN, _SQUARE, _TINY = 0.9, 0.999, 1e-8
_RESULT = 0.7  # share of the game's result in what a position is worth; the search's value has the rest
_MOVE = 0.5  # weight of the moves' loss beside the values'
_FORCED = 3000  # a search's values are no further from 0 here
_TESTED, _MOST_TESTED = 20, 20_000  # one position of so many is not learned from but tested on; and at most so many
# Loops over a network's numbers have lengths that the compiler does not know: known ones it unrolls, and is slower.
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
    made = {name: rng.normal(0, spread.get(name, 0.0), shape) for name, shape in SHAPES.items()}
    made["empty"] += 0.1
    return Numbers(**{name: array.astype(np.float32) for name, array in made.items()})


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
    """Reads what lies round the cells of positions."""

    def __init__(self) -> None:
        self._rules = [Variant(m=SIDE, n=SIDE, k=K, last_reply=reply, obstacles=1.0) for reply in (False, True)]
        self._boards = [lines(v) for v in self._rules]
        self._view = np.zeros(Parts(self._rules[0]).wall + AREA, np.int8)

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
    """Write what lies round the cells of some positions, all of one rule, into the batch."""
    b, at = boards[0], Parts(v)
    for i in which:
        view[:] = 0
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


@fast
def learn(
    batch: Any,
    numbers: Any,
    gradient: Any,
    cells: NDArray[np.float32],
    ratings: NDArray[np.float32],
    room: NDArray[np.float32],
    learning: bool,
    counts: NDArray[np.float64],
) -> None:
    """Add the gradient of a batch's loss, and count: values' loss and how many, moves' loss, how many, right, near."""
    sums, units, slopes, back = room[0, :WIDTH], room[1], room[2, :WIDTH], room[3, :WIDTH]
    for i in range(len(batch.head)):
        head = batch.head[i]
        add_up(batch.near[i], batch.free[i], numbers, cells, sums)
        slopes[:] = 0
        if batch.valued[i]:
            value = valued(numbers, head, sums, units)
            share = 1 / (1 + np.exp(-value))
            wanted = batch.worth[i]
            counts[0] -= wanted * np.log(share + 1e-9) + (1 - wanted) * np.log(1 - share + 1e-9)
            counts[1] += 1
            if learning:
                blame_value(numbers, gradient, head, sums, units, np.float32(share - wanted), slopes)
        ratings[:] = 0
        if batch.rated[i]:
            rate(numbers, head, batch.free[i], batch.best[i], cells, ratings, counts)
        if learning:
            blame_cells(batch.near[i], batch.free[i], numbers, gradient, head, cells, ratings, slopes, back)


@fast
def add_up(
    near: NDArray[np.int16], free: NDArray[np.int8], numbers: Any, cells: NDArray[np.float32], sums: NDArray[np.float32]
) -> None:
    """Write the positive parts of all cells' vectors and their sum."""
    sums[:], width = 0, len(numbers.empty)
    for a in range(AREA):
        mine = cells[a]
        for c in range(width):
            mine[c] = numbers.empty[c]
        for j in range(8):
            more = numbers.vectors[near[a, j]]
            for c in range(width):
                mine[c] += more[c]
        share = np.float32(free[a]) / np.float32(AREA_UNIT)
        for c in range(width):
            mine[c] = max(mine[c], np.float32(0))
            sums[c] += mine[c] * share


@fast
def valued(numbers: Any, head: int, sums: NDArray[np.float32], units: NDArray[np.float32]) -> Any:
    """Return a position's value as log odds, and write the hidden units."""
    total, width, hidden = numbers.second_bias[head], len(sums), len(units)
    for j in range(hidden):
        unit = numbers.first_bias[head, j]
        for c in range(width):
            unit += sums[c] * numbers.first[head, c, j]
        units[j] = max(unit, np.float32(0))
        total += units[j] * numbers.second[head, j]
    return total


@fast
def blame_value(
    numbers: Any,
    gradient: Any,
    head: int,
    sums: NDArray[np.float32],
    units: NDArray[np.float32],
    error: Any,
    slopes: NDArray[np.float32],
) -> None:
    """Add what a value's error says about the two layers, and write what it says about the cells' sum."""
    gradient.second_bias[head] += error
    width, hidden = len(sums), len(units)
    for j in range(hidden):
        gradient.second[head, j] += error * units[j]
        if units[j] > 0:
            back = error * numbers.second[head, j]
            gradient.first_bias[head, j] += back
            for c in range(width):
                gradient.first[head, c, j] += back * sums[c]
                slopes[c] += back * numbers.first[head, c, j] / np.float32(AREA_UNIT)


@fast
def rate(
    numbers: Any,
    head: int,
    free: NDArray[np.int8],
    best: int,
    cells: NDArray[np.float32],
    ratings: NDArray[np.float32],
    counts: NDArray[np.float64],
) -> None:
    """Write the moves' errors, count the loss."""
    top, width = np.float32(-1e9), len(numbers.empty)
    for a in range(AREA):
        rating = np.float32(0)
        for c in range(width):
            rating += cells[a, c] * numbers.moves[head, c]
        ratings[a] = rating if free[a] else np.float32(-1e9)
        top = max(top, ratings[a])
    total, better, own = np.float32(0), 0, ratings[best]
    for a in range(AREA):
        better += ratings[a] > own
        ratings[a] = np.exp(ratings[a] - top)
        total += ratings[a]
    counts[2] -= np.log(ratings[best] / total + 1e-12)
    counts[3] += 1
    counts[4] += better == 0
    counts[5] += better < 8
    for a in range(AREA):
        ratings[a] *= np.float32(_MOVE) / total
    ratings[best] -= np.float32(_MOVE)


@fast
def blame_cells(
    near: NDArray[np.int16],
    free: NDArray[np.int8],
    numbers: Any,
    gradient: Any,
    head: int,
    cells: NDArray[np.float32],
    ratings: NDArray[np.float32],
    slopes: NDArray[np.float32],
    back: NDArray[np.float32],
) -> None:
    """Add what the errors say about the moves' numbers and the patterns' vectors."""
    width = len(back)
    for a in range(AREA):
        if free[a]:
            for c in range(width):
                gradient.moves[head, c] += ratings[a] * cells[a, c]
                slope = ratings[a] * numbers.moves[head, c] + slopes[c]
                back[c] = slope if cells[a, c] > 0 else np.float32(0)
                gradient.empty[c] += back[c]
            for j in range(8):
                more = gradient.vectors[near[a, j]]
                for c in range(width):
                    more[c] += back[c]
