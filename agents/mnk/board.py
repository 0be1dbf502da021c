"""A board of the m,n,k-game for search: its memory, and the table of shapes.

Each line of the board is two bit words, one for each side: where that side can have no stone. What a cell has round it
in a line is, for each side, a number of base 3, which one table turns into a shape; a stone adds to the numbers of the
cells in its reach. Digits behind the first that bars the side tell nothing and are not kept up to date. Where lines are
exact, a stone is seen from one cell further: there it would make a row too long.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.agents.mnk.learned import LEARNED
from kozyr.envs.compile import jit
from kozyr.envs.mnk.board import CARO, EXACT, MAX_SIDE
from kozyr.envs.mnk.rules import Variant

X, O = 0, 1  # noqa: E741 - the sides' names
FREE = -1
LONGEST = 7  # the highest k that a table of shapes is kept for; where lines are exact, one less
NOTHING, POOR_1, OPEN_1, POOR_2, OPEN_2, POOR_3, OPEN_3, FOUR, OPEN_4, FIVE = range(10)  # what a stone makes in a line
CELLS, PLIES = MAX_SIDE**2, 96  # cells at most, plies that a search may look ahead
LINE = 148  # rows, columns and diagonals of the largest board, and both sides' of them
_FIRST = np.array([0, 25, 50, 99], np.int64)  # of the rows, columns, diagonals and counter-diagonals
_BUFFER = 12_000  # moves of all positions on the way to the one under search
ROOM = _BUFFER - 2 * CELLS  # beyond this place of the buffer nothing more is begun

SPAN = 16  # bits for a direction among the cells near a stone
NEAR = 4 * SPAN  # and for all of them
_MOVES, _TEMPO = 14, 20
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
                ("end", np.int32),  # where they end
                ("left", np.int32),  # how many are yet to be tried, the one under search among them
                ("picked", np.int32),  # the one under search, with its value
                ("move", np.int32),  # and without
                ("whole", np.int32),  # 1 if the move is searched with the whole window
                ("quiet", np.int32),  # 1 if late moves are searched less deep
                ("tried", np.int32),  # moves that are done with
                ("cut", np.int32),  # plies that the move is searched less deep, as long as it looks no better
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
                ("nodes_open", NODE, PLIES + 2),  # of the tree on the way down; first, to be aligned
                ("key", np.uint64),  # of the position, by Zobrist
                ("barred", np.int64, 2 * LINE),  # bits by side: stones of the other, walls, all that is off the board
                ("near", np.int64, 2 * (PLIES + 2 * FOURS_LONGEST + 3)),  # cells that a stone touched, by ply and side
                ("total", np.int64, 2),  # scores of all free cells by side
                ("score", np.int64, 2 * CELLS),  # of a cell by side; with TAKEN added where it is not free
                ("nodes", np.int64),  # positions entered
                ("limit", np.int64),  # and how many there may be
                ("pause", np.int64),  # and after how many the search pauses
                ("fours_deep", np.int64),  # fours in a forced win that is looked for where the tree ends
                ("fours_nodes", np.int64),  # and nodes for it
                ("m", np.int32),
                ("n", np.int32),
                ("half", np.int32),  # cells to either side of one that matter for it
                ("cells", np.int32),
                ("rule", np.int32),  # 1 if O has a last reply
                ("left", np.int32),  # stones that may yet be put
                ("begun", np.int32),  # and that might at the position to decide
                ("width", np.int32),  # moves tried in a position, best first by shape
                ("tempo", np.int32),  # worth of being to move
                ("stop", np.int32),  # 1 once the limit is reached
                ("stage", np.int32),  # of the root move under search, see `tree.deepen`
                ("root", np.int32),  # its place among the root moves
                ("most", np.int32),  # the best value at the root so far
                ("level", np.int32),  # of the stack where the search pauses
                ("age", np.int32),  # number of the decision, which tells its entries in the table of positions
                ("best", np.int32),  # cell that the search has chosen
                ("count", np.int32, 4),  # cells in each list below
                ("listed", np.int16, 4 * CELLS),  # X's fours, X's fives, O's fours, O's fives
                ("place", np.int16, 2 * CELLS),  # where a cell stands in its list
                ("stone", np.int8, CELLS),  # X, O, WALL or FREE
                ("line", np.uint16, 4 * CELLS),  # through a cell by direction; bit `half` is its first cell
                ("along", np.uint8, 4 * CELLS),  # number of the cell on it
                ("window", np.uint16),  # 2 half + 1 bits
                ("reach", np.uint16, 2 ** (2 * LONGEST - 1)),  # cells that see a stone, by what bars a side round it
                ("away", np.int16, NEAR),  # four times the way from a stone to a cell near it, and the direction
                ("step", np.int32, 4 * NEAR),  # of its number: own stone put, other's put, own taken, other's taken
                ("number", np.uint32, 8 * CELLS),  # by side, cell and direction; digits: 1 own, 2 barred
                ("moves", np.int32, _BUFFER),  # value × 1024 + cell
                ("attacks_open", ATTACK, FOURS_LONGEST + 1),  # of a forced win
                ("three", np.uint32, 2 ** (2 * LONGEST - 1)),  # bits round a cell as digits of base 3, its own left out
                ("table", np.uint8, 3 ** (2 * LONGEST - 2)),  # shape by such a number
                *LEARNED,
            ],
            align=True,
        ),
    )
)


def fits(v: Variant) -> bool:
    """Return True if the table of shapes has room for the lines of a variant, and tells all that bars them.

    It does not tell a stone of the other side from an edge, as caro does, and knows no bans.
    """
    return half_of(v) < LONGEST and not v.line & CARO and not v.bans


@jit
def half_of(v: Variant) -> int:
    """Return the number of cells to either side of one that matter for its lines."""
    return v.k - 1 + (v.line == EXACT)


def lines(v: Variant) -> NDArray[Any]:
    """Return the board for a variant that `fits` as an array of one."""
    boards = np.zeros(1, BOARD)
    b: Any = boards[0]
    b.width, b.tempo = _MOVES, _TEMPO
    b.fours_deep, b.fours_nodes = _FOURS
    tabulate(v, boards)
    lay_out(v, boards)
    return boards


@jit
def lay_out(v: Variant, boards: NDArray[Any]) -> None:
    """Write the places of each cell on its lines, and the effect of a stone on the cells near it."""
    b, half = boards[0], half_of(v)
    b.m, b.n, b.half, b.cells, b.rule, b.window = v.m, v.n, half, v.m * v.n, v.last_reply, 2 ** (2 * half + 1) - 1
    for a in range(b.cells):
        r, c = a // v.n, a % v.n
        for d in range(4):
            line = r if d == 0 else c if d == 1 else r - c + v.n - 1 if d == 2 else r + c
            b.line[4 * a + d], b.along[4 * a + d] = _FIRST[d] + line, r if d == 1 else c
    for d in range(4):
        stride = 1 if d == 0 else v.n if d == 1 else v.n + 1 if d == 2 else 1 - v.n
        for i in range(2 * half + 1):
            one = 3 ** (2 * half - i - (i < half))  # the stone's place as seen from the cell
            b.away[SPAN * d + i] = 4 * (i - half) * stride + d
            for j in range(4):
                b.step[NEAR * j + SPAN * d + i] = (one, 2 * one, -one, -2 * one)[j]
    for bits in range(2 ** (2 * half + 1)):
        b.reach[bits] = visible_cells(bits, v.k, half)


@jit
def visible_cells(bits: int, k: int, half: int) -> int:
    """Return the bits of the cells between the bars next to the middle, or none where there is no room for a line."""
    low, high = half, half
    while low > 0 and not bits >> (low - 1) & 1:
        low -= 1
    while high < 2 * half and not bits >> (high + 1) & 1:
        high += 1
    return (2 << high) - (1 << low) - (1 << half) if high - low >= k - 1 else 0


@jit
def tabulate(v: Variant, boards: NDArray[Any]) -> None:
    """Fill the table of shapes in: a shape follows from those with one more stone, which have higher numbers."""
    b, half = boards[0], half_of(v)
    for bits in range(2 ** (2 * half + 1)):
        b.three[bits], power = 0, 1
        for i in range(2 * half + 1):
            if i != half:
                b.three[bits] += power * (bits >> i & 1)
                power *= 3
    for number in range(3 ** (2 * half) - 1, -1, -1):
        b.table[number] = shape(v, b, number, half)


@jit
def shape(v: Variant, b: Any, number: int, half: int) -> int:
    """Return the shape that a stone makes in a line that has these digits round it."""
    run, longest, fives, best, power, rest = 0, 0, 0, 0, 1, number
    for i in range(2 * half + 1):
        digit = 1 if i == half else rest % 3
        run = run + 1 if digit == 1 else 0
        longest = max(longest, run)
        if i != half:
            if digit == 0:
                next_one = b.table[number + power]
                fives += next_one == FIVE
                best = max(best, next_one)
            rest //= 3
            power *= 3
    if longest >= v.k:  # no such row can lie beside the middle
        return FIVE if longest == v.k or v.line != EXACT else NOTHING
    if fives:
        return OPEN_4 if fives > 1 else FOUR
    if best >= FOUR:
        return OPEN_3 if best == OPEN_4 else POOR_3
    if best >= POOR_3:
        return OPEN_2 if best == OPEN_3 else POOR_2
    if best >= POOR_2:
        return OPEN_1 if best == OPEN_2 else POOR_1
    return NOTHING
