"""A board of the m,n,k-game for search: its memory, and the table of shapes.

Each line of the board is three bit words (X, O, walls and what is off the board). The 2k − 1 bits round a cell tell
its shape by one table.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.core.jit import jit
from kozyr.envs.mnk.rules import MAX_SIDE, Variant

X, O = 0, 1  # noqa: E741 - the sides' names
FREE = -1
LONGEST = 7  # the highest k that a table of shapes is kept for
NOTHING, POOR_1, OPEN_1, POOR_2, OPEN_2, POOR_3, OPEN_3, FOUR, OPEN_4, FIVE = range(10)  # what a stone makes in a line
CELLS, PLIES = MAX_SIDE**2, 96  # cells at most, plies that a search may look ahead
LINE = 148  # rows, columns and diagonals of the largest board, and both sides' of them
_LOG = 16_000
_BUFFER = 12_000  # moves of all positions on the way to the one under search
ROOM = _BUFFER - 2 * CELLS  # beyond this place of the buffer nothing more is begun

_WORTH = (0, 0, 1, 2, 8, 8, 30, 20, 60, 0)  # of a position: sums over all free cells
_WIDTH, _TEMPO = 14, 20
_FOURS = 6, 40
FOURS_LONGEST = 40  # fours of a forced win

NODE: np.dtype[Any] = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("entry", np.int64),  # place in the table of positions
                ("depth", np.int32),
                ("deeper", np.int32),  # depth of what follows
                ("alpha", np.int32),
                ("beta", np.int32),
                ("low", np.int32),  # alpha, risen to the best value so far
                ("best", np.int32),
                ("best_move", np.int32),
                ("first", np.int32),  # of its moves in the buffer
                ("next", np.int32),  # of its moves to try
                ("until", np.int32),  # where the moves worth a try end
                ("end", np.int32),  # and all of them
                ("move", np.int32),  # under search
                ("whole", np.int32),  # 1 if the move is searched with the whole window
            ],
            align=True,
        ),
    )
)
ATTACK: np.dtype[Any] = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("next", np.int32),  # of the attacker's moves in the buffer
                ("end", np.int32),
                ("move", np.int32),  # that is tried, or FREE
                ("parry", np.int32),  # place of the parry to try next
                ("last", np.int32),  # where the parries end
            ],
            align=True,
        ),
    )
)
BOARD: np.dtype[Any] = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("key", np.uint64),  # of the position, by Zobrist
                ("stones", np.int64, 2 * LINE),  # bits of the stones, side by side; bit k − 1 is the first cell
                ("walls", np.int64, LINE),  # bits of walls and of all that is not on the board
                ("nodes", np.int64),  # positions entered
                ("limit", np.int64),  # and how many there may be
                ("fours_deep", np.int64),  # fours in a forced win that is looked for where the tree ends
                ("fours_nodes", np.int64),  # and nodes for it
                ("m", np.int32),
                ("n", np.int32),
                ("k", np.int32),
                ("cells", np.int32),
                ("rule", np.int32),  # 1 if O has a last reply
                ("left", np.int32),  # stones that may yet be put
                ("begun", np.int32),  # and that might at the position to decide
                ("width", np.int32),  # moves tried in a position, best first by shape
                ("tempo", np.int32),  # worth of being to move
                ("worth", np.int32, 10),  # of a shape on a free cell to its side
                ("stop", np.int32),  # 1 once the limit is reached
                ("age", np.int32),  # number of the decision, which tells its entries in the table of positions
                ("best", np.int32),  # cell that the search has chosen
                ("total", np.int32, 2),  # worth of all shapes by side
                ("score", np.int32, 2 * CELLS),  # value of each free cell by side
                ("count", np.int32, 4),  # cells in each list below
                ("listed", np.int16, 4 * CELLS),  # X's fours, X's fives, O's fours, O's fives
                ("place", np.int16, 2 * CELLS),  # where a cell stands in its list
                ("stone", np.int8, CELLS),  # X, O, WALL or FREE
                ("kind", np.uint8, 8 * CELLS),  # shape by cell, direction and side
                ("logged", np.int32),  # changes of shapes since the position to decide
                ("log", np.int32, _LOG),  # eight times the cell, two times the direction and the side; the old shape
                (
                    "marks",
                    np.int32,
                    PLIES + 2 * FOURS_LONGEST + 3,
                ),  # changes before each stone
                ("moves", np.int32, _BUFFER),  # value × 1024 + cell
                ("nodes_open", NODE, PLIES + 2),  # of the tree, on the way to the position under search
                ("attacks_open", ATTACK, FOURS_LONGEST + 1),  # of a forced win
                ("three", np.int32, 2 ** (2 * LONGEST - 1)),  # bits round a cell as digits of base 3, its own left out
                ("table", np.uint8, 3 ** (2 * LONGEST - 2)),  # shape by such digits: 1 own, 2 blocked
            ],
            align=True,
        ),
    )
)


def lines(v: Variant) -> NDArray[Any]:
    """Return the board for a variant as an array of one; needs k ≤ LONGEST."""
    boards = np.zeros(1, BOARD)
    b: Any = boards[0]
    b.worth[:], b.width, b.tempo = _WORTH, _WIDTH, _TEMPO
    b.fours_deep, b.fours_nodes = _FOURS
    tabulate(boards, v.k)
    return boards


@jit
def tabulate(boards: NDArray[Any], k: int) -> None:
    """Fill the table of shapes in: a shape follows from those with one more stone, which have higher numbers."""
    b, around = boards[0], 2 * k - 2
    for bits in range(2 ** (2 * k - 1)):
        b.three[bits], power = 0, 1
        for i in range(2 * k - 1):
            if i != k - 1:
                b.three[bits] += power * (bits >> i & 1)
                power *= 3
    for number in range(3**around - 1, -1, -1):
        b.table[number] = shape(b, number, k)


@jit
def shape(b: Any, number: int, k: int) -> int:
    """Return what a stone makes in a line that has these digits round it."""
    run, longest, fives, best, power, rest = 0, 0, 0, 0, 1, number
    for i in range(2 * k - 1):
        digit = 1 if i == k - 1 else rest % 3
        run = run + 1 if digit == 1 else 0
        longest = max(longest, run)
        if i != k - 1:
            if digit == 0:
                next_one = b.table[number + power]
                fives += next_one == FIVE
                best = max(best, next_one)
            rest //= 3
            power *= 3
    if longest >= k:
        return FIVE
    if fives:
        return OPEN_4 if fives > 1 else FOUR
    if best >= FOUR:
        return OPEN_3 if best == OPEN_4 else POOR_3
    if best >= POOR_3:
        return OPEN_2 if best == OPEN_3 else POOR_2
    if best >= POOR_2:
        return OPEN_1 if best == OPEN_2 else POOR_1
    return NOTHING
