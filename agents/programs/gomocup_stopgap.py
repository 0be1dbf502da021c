"""Moves of the Gomocup engine while its code is being compiled: plain NumPy, at once, and by no means strong.

A cell is worth what the windows of five through it hold: stones of one side alone, for either side.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.mnk.bans import FIVE

_WAYS = ((0, 1), (1, 0), (1, 1), (1, -1))  # rows and columns of a step
_OWN, _THEIRS = (1, 10, 100, 1000, 100_000), (1, 8, 80, 800, 50_000)  # worth of a window, by its stones
_REACH = 5  # cells to either side whose stones may ban one
_THREE, _TWO_FOURS = 2, 4  # X's other stones in a line without which one more makes no three, and no two fours
_NEAR = 2  # cells from the middle to the first stone, and from there to O's
_EVEN = FIVE - 1  # distance of X's stones at which neither side is ahead, see `kozyr.agents.mnk.swap2`

Board = NDArray[Any]
Cell = tuple[int, int]


def move(mine: Board, theirs: Board, bans: bool, rng: np.random.Generator) -> Cell | None:
    """Return a free cell [row, column], or None where it cannot be told that none of them is banned.

    Args:
        mine: cells with a stone of the side to move [height, width].
        theirs: cells with a stone of the other side.
        bans: whether X, whose stones are as many as O's when it is to move, may be banned from cells.
        rng: chooses among equal cells.
    """
    allowed = ~(mine | theirs)
    if bans and mine.sum() == theirs.sum():
        allowed &= ~_may_be_banned(mine)
    if not allowed.any():
        return None
    worth = np.where(allowed, _worth(mine, theirs) - 0.01 * _from_middle(mine.shape), -np.inf)
    return _choice(worth == worth.max(), rng)


def open_game(shape: tuple[int, ...], rng: np.random.Generator) -> list[Cell]:
    """Return the three stones of an opening that leaves neither side ahead, on a board of a shape."""
    stones = [_choice(_from_middle(shape) <= _NEAR, rng)]
    for low, high in ((1, _NEAR), (_EVEN, _EVEN)):
        away = _distance(shape, stones[0])
        free = np.ones(shape, np.bool_)
        free[tuple(zip(*stones, strict=True))] = False
        near = free & (low <= away) & (away <= high)
        stones.append(_choice(near if near.any() else free, rng))
    return stones


def takes_x(cells: list[Cell]) -> bool:
    """Return True if X is ahead after the stones of an opening, X's and O's in turn."""
    x, o = (sum(_closeness(a, b) for i, a in enumerate(own) for b in own[:i]) for own in (cells[::2], cells[1::2]))
    return x - o > FIVE - _EVEN


def _closeness(a: Cell, b: Cell) -> int:
    return max(FIVE - max(abs(a[0] - b[0]), abs(a[1] - b[1])), 0)


def _choice(cells: Board, rng: np.random.Generator) -> Cell:
    row, column = rng.choice(np.argwhere(cells))
    return int(row), int(column)


def _worth(mine: Board, theirs: Board) -> Board:
    """Return the worth of each cell by the windows of five through it."""
    total = np.zeros(mine.shape)
    height, width = mine.shape
    for down, right in _WAYS:
        first = (FIVE - 1) * (right < 0)  # column of the leftmost window's first cell
        rows, columns = height - (FIVE - 1) * down, width - (FIVE - 1) * abs(right)
        if rows <= 0 or columns <= 0:
            continue
        begins = [(i * down, first + i * right) for i in range(FIVE)]  # of a window's cells
        places = [(slice(y, y + rows), slice(x, x + columns)) for y, x in begins]
        own, other = (sum(side[place].astype(np.int64) for place in places) for side in (mine, theirs))
        own, other = np.minimum(own, FIVE - 1), np.minimum(other, FIVE - 1)
        windows = np.where(other == 0, np.take(_OWN, own), 0) + np.where(own == 0, np.take(_THEIRS, other), 0)
        for place in places:
            total[place] += windows
    return total


def _may_be_banned(own: Board) -> Board:
    """Return the cells where X may have two threes, two fours or six in a row, by the number of its stones alone."""
    lines, padded = np.zeros((len(_WAYS), *own.shape), np.int64), np.pad(own, _REACH)
    for line, (down, right) in zip(lines, _WAYS, strict=True):
        for i in (*range(-_REACH, 0), *range(1, _REACH + 1)):
            row, column = _REACH + i * down, _REACH + i * right
            line += padded[row : row + own.shape[0], column : column + own.shape[1]]
    return ((lines >= _THREE).sum(0) > 1) | (lines >= _TWO_FOURS).any(0)


def _distance(shape: tuple[int, ...], cell: Cell) -> Board:
    """Return the distance of each cell from one: the rows or the columns between them, whatever is more."""
    rows, columns = np.indices(shape)
    return np.maximum(abs(rows - cell[0]), abs(columns - cell[1]))


def _from_middle(shape: tuple[int, ...]) -> Board:
    return _distance(shape, (shape[0] // 2, shape[1] // 2))
