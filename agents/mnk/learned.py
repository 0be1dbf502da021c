"""A learned evaluation of the m,n,k-game with k = 5: vectors of what lies round each cell, kept up to date.

What a side has round a free cell in one direction is one of `PATTERNS` patterns: up to four cells to either side, as
far as the side sees. Mirrored ones are equal. Each pattern has a vector of `WIDTH` numbers. A cell's vector is the sum
of the eight of its two sides and four directions. Its positive part rates the cell as a move. The sum of these parts
over all free cells goes through a small layer and is the value of the position. So a stone changes the vectors of the
cells that see it and nothing else. The idea of line patterns whose sums are kept is that of Rapfi's networks
(arXiv 2503.13178). All numbers that are kept are whole, so that taking a stone back leaves what was there before.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.compile import jit, stack_array
from kozyr.envs.mnk.board import MAX_SIDE
from kozyr.envs.mnk.rules import Variant
from kozyr.envs.table import files

CELLS = MAX_SIDE**2
K, REACH = 5, 4  # stones in a row, and cells to either side of one that matter for it
WIDTH, HIDDEN = 32, 32
HEADS = 4  # by twice the rule of the last reply and the side to move
AREA_UNIT = 16  # the sum over all cells is divided by
POINT = 150  # of a search's values that log odds of 1 are worth
MOVES = 8  # tried in a position
_UNIT = 256  # whole numbers that a vector's 1 is kept as
_RATING_BITS, _RATING_SHIFT = 8, 4  # so 4,096 of a move's rating are log odds of 1
_MIDDLE = 2**19 - 1  # the rating of 0
_MOST = 20_000  # a value
_VALUE_SHIFT = 8  # bits behind the point while a value is added up
_NUMBERS = 3 ** (2 * REACH)
_MORE_NUMBERS = 9 * _NUMBERS  # where lines are exact, a cell more to either side, which the patterns leave out
_LARGEST = 1 << 20  # bytes of a file
FILE = Path(__file__).with_name("learned.npz")


def _pattern(number: int) -> tuple[int, ...]:
    """Return the digits of a number, all that lies behind a bar barred too, and mirrored so that equals are equal."""
    digits = [number // 3**i % 3 for i in range(2 * REACH)]
    left, right = digits[REACH - 1 :: -1], digits[REACH:]
    for side in (left, right):
        end = side.index(2) if 2 in side else REACH
        side[end:] = [2] * (REACH - end)
    if left.count(2) + right.count(2) > REACH:  # no room for a line
        return (2,) * (2 * REACH)
    return min((*left, *right), (*right, *left))


@cache
def patterns() -> NDArray[np.int16]:
    """Return the pattern of each number that `board` keeps for a cell, a side and a direction: [3^8]."""
    known: dict[tuple[int, ...], int] = {}
    return np.array([known.setdefault(_pattern(number), len(known)) for number in range(_NUMBERS)], np.int16)


PATTERNS = 471
SHAPES = {
    "vectors": (2 * PATTERNS, WIDTH),  # of X's patterns, then of O's
    "empty": (WIDTH,),  # what each cell's vector begins with
    "moves": (HEADS, WIDTH),  # a move's log odds from the positive part of its cell's vector
    "first": (HEADS, WIDTH, HIDDEN),
    "first_bias": (HEADS, HIDDEN),
    "second": (HEADS, HIDDEN),
    "second_bias": (HEADS,),
}
LEARNED: tuple[Any, ...] = (  # fields of a board
    ("learned", np.int32),  # 1 if positions are valued by the numbers below
    ("lanes", np.int32),  # WIDTH and HIDDEN as lengths that the compiler does not know: known ones it unrolls, and
    ("units", np.int32),  # what is unrolled is no longer done side by side
    ("sums", np.int32, WIDTH),  # of the positive parts of all free cells' vectors
    ("hidden", np.int16, WIDTH * CELLS),  # the cells' vectors
    ("vectors", np.int16, 2 * PATTERNS * WIDTH),
    ("empty", np.int16, WIDTH),
    ("rating", np.int16, HEADS * WIDTH),
    ("first", np.float32, HEADS * WIDTH * HIDDEN),
    ("first_bias", np.float32, HEADS * HIDDEN),
    ("second", np.float32, HEADS * HIDDEN),
    ("second_bias", np.int32, HEADS),
    ("pattern", np.int16, _MORE_NUMBERS),  # by what `number` says
)


def read(path: str | Path) -> dict[str, NDArray[np.float32]]:
    """Return the numbers in a file that `kozyr train-search mnk` has written.

    Raises:
        ValueError: if it is no such file; OSError: if there is none.
    """
    with files.opened(path) as file:
        try:
            files.require_small(file, _LARGEST, 2 * len(SHAPES))
            with np.load(file) as arrays:
                numbers = {name: np.asarray(arrays[name], np.float32) for name in SHAPES}
        except Exception as error:  # NumPy's reader of damaged headers raises whatever its parser does
            raise ValueError(f"{path} is no evaluation of the m,n,k-game: {error}") from None
    for name, shape in SHAPES.items():
        if numbers[name].shape != shape or not np.isfinite(numbers[name]).all():
            raise ValueError(f"{path} is no evaluation of this version of kozyr: {name} is not {shape} finite numbers")
    return numbers


@cache
def _bundled() -> dict[str, NDArray[np.float32]]:
    return read(FILE)


def bundled(variant: Variant) -> dict[str, NDArray[np.float32]]:
    """Return the numbers that come with kozyr; none where they do not fit the variant."""
    return _bundled() if variant.k == K else {}


def install(boards: NDArray[Any], numbers: Mapping[str, NDArray[np.float32]]) -> None:
    """Write an evaluation into a board of `board.lines`, an array of one, rounded to whole units."""
    b: Any = boards[0]
    b.pattern[:] = patterns()[np.arange(_MORE_NUMBERS) // (1 if b.half == REACH else 3) % _NUMBERS]
    b.vectors[:], b.empty[:] = _whole(numbers["vectors"], _UNIT), _whole(numbers["empty"], _UNIT)
    b.rating[:] = _whole(numbers["moves"], 1 << _RATING_BITS)
    b.first[:], b.first_bias[:] = numbers["first"].ravel() / (_UNIT * AREA_UNIT), numbers["first_bias"].ravel()
    b.second[:] = numbers["second"].ravel() * (POINT << _VALUE_SHIFT)
    b.second_bias[:] = np.rint(numbers["second_bias"] * POINT)
    b.learned, b.lanes, b.units, b.width = 1, WIDTH, HIDDEN, MOVES


def _whole(numbers: NDArray[np.float32], unit: int) -> NDArray[np.int16]:
    """Return numbers as whole ones that count units, in one row; numbers too large become the largest."""
    most = np.iinfo(np.int16).max
    return np.clip(np.rint(numbers * unit), -most, most).astype(np.int16).ravel()


@jit
def sum_up(b: Any, a: int) -> None:
    """Set the vector of a free cell up from its numbers and count it in."""
    mine = b.hidden[WIDTH * a : WIDTH * a + WIDTH]
    for c in range(WIDTH):
        mine[c] = b.empty[c]
    for s in range(2):
        for d in range(4):
            at = WIDTH * (s * PATTERNS + b.pattern[b.number[4 * (s * CELLS + a) + d]])
            for c in range(WIDTH):
                mine[c] += b.vectors[at + c]
    count(b, a, 1)


@jit
def count(b: Any, a: int, sign: int) -> None:
    """Count a cell into the sums, or out of them."""
    mine, sums = b.hidden[WIDTH * a : WIDTH * a + WIDTH], b.sums
    for c in range(WIDTH):
        sums[c] += sign * max(np.int32(mine[c]), np.int32(0))


@jit
def shift(b: Any, s: int, a: int, old: Any, new: Any) -> None:
    """Change a side's pattern round a free cell from one number to another."""
    before, after = b.pattern[old], b.pattern[new]
    if before != after:
        was, now = WIDTH * (s * PATTERNS + before), WIDTH * (s * PATTERNS + after)
        mine, sums = b.hidden[WIDTH * a : WIDTH * a + WIDTH], b.sums
        less, more = b.vectors[was : was + WIDTH], b.vectors[now : now + WIDTH]
        values, totals = stack_array(WIDTH, np.int16), stack_array(WIDTH, np.int32)
        for c in range(WIDTH):  # all is read before anything is written, so that the numbers go side by side
            values[c] = mine[c] + more[c] - less[c]
            totals[c] = sums[c] + max(values[c], np.int16(0)) - max(mine[c], np.int16(0))
        for c in range(WIDTH):
            mine[c] = values[c]
        for c in range(WIDTH):
            sums[c] = totals[c]


@jit
def worth(b: Any, me: int) -> int:
    """Return the value of a position for `me`, to move."""
    head, n = 2 * b.rule + me, b.units
    at = HIDDEN * head
    units, out = stack_array(HIDDEN, np.float32)[:n], stack_array(HIDDEN, np.int32)[:n]
    biases, second = b.first_bias[at : at + n], b.second[at : at + n]
    for j in range(n):
        units[j] = biases[j]
    for c in range(WIDTH):
        value, weights = np.float32(b.sums[c]), b.first[WIDTH * at + HIDDEN * c :][:n]
        for j in range(n):
            units[j] += value * weights[j]
    for j in range(n):
        out[j] = np.int32(max(units[j], np.float32(0)) * second[j])
    total = 0
    for j in range(n):
        total += out[j]
    return min(max((total >> _VALUE_SHIFT) + b.second_bias[head], -_MOST), _MOST)


@jit
def rating(b: Any, me: int, a: int) -> int:
    """Return the rating of a free cell as a move, from 0 to 2 × `_MIDDLE`."""
    at, n = WIDTH * (2 * b.rule + me), b.lanes
    mine, weights = b.hidden[WIDTH * a :][:n], b.rating[at:][:n]
    total: Any = np.int32(0)
    for c in range(n):
        total = np.int32(total + np.int32(weights[c]) * np.int32(max(mine[c], np.int16(0))))
    return min(max(total >> _RATING_SHIFT, -_MIDDLE), _MIDDLE) + _MIDDLE
