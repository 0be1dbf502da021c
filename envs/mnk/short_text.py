"""Short text of a view, and the rules in short: the board with its columns above and its rows behind.

you O, last reply
abc
XOO 1
.X. 2
..X 3
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.core import text_lines
from kozyr.envs.mnk import GAME
from kozyr.envs.mnk.actions import Actions
from kozyr.envs.mnk.board import CARO, EXACT
from kozyr.envs.mnk.rules import Variant

STAGE_WORDS = ("", "opening", "choice", "two more", "last choice")  # by the stage of swap2
_SWAP2 = (
    "X is who begins and lays three stones, X O X (opening). The other one then chooses (choice): take-o, take-x, or "
    "two-more: it lays O and X, and who began takes a side (last choice). Then O is to move; in turn each puts a stone "
    "on an empty cell (.)."
)
_LETTERS = "abcdefghijklmnopqrstuvwxy"
_MARKS = np.array([".", "X", "O", "#", "!"])
_BANS = "But X needs exactly 5, and unless it makes 5 it may not make 6 or more, two fours or two threes (!)."


def write_short(v: Variant, view: NDArray[Any], seat: int) -> str:
    """Return a view of `seat` as a short text."""
    part = text_lines.parts_of(GAME, v, view)
    mine = 1 if part["x"][0] else 2
    board = part["mine"] * mine + part["theirs"] * (3 - mine)
    board[np.flatnonzero(part["wall"])] = 3
    board[np.flatnonzero(part["banned"])] = 4
    cells = "".join(_MARKS[board].tolist())
    rows = [f"{cells[r * v.n : (r + 1) * v.n]} {r + 1}" for r in range(v.m)]
    status = ", over" if part["over"][0] else "" if part["turn"][0] else f", {_MARKS[3 - mine]} to move"
    reply = ", last reply" if part["reply"][0] else ""
    word = STAGE_WORDS[stage_of(part["opening"])]
    stage = f", {word}" if word else ""
    return "\n".join([f"you {_MARKS[mine]}{status}{reply}{stage}", _LETTERS[: v.n], *rows])


def stage_of(opening: NDArray[Any]) -> int:
    """Return the stage of swap2 that a part of a view tells; 0 where there is none."""
    return 1 + int(np.argmax(opening)) if opening.any() else 0


def short_rules(v: Variant) -> str:
    """Return the rules of a variant in a few sentences, with rewards and how to read a short text."""
    last = Actions.say(v, None, v.m * v.n - 1)
    return " ".join(
        [
            f"m,n,k-game on {v.m}x{v.n} cells, a1 (top left) to {last}: column, then row.",
            _SWAP2 if v.opening_rule else "X begins; in turn each puts a stone on an empty cell (.).",
            *(["# is a wall."] if v.obstacles else []),
            f"{'Exactly' if v.line & EXACT else 'At least'} {v.k} of yours in a row, a column or a diagonal win.",
            *([_BANS] if v.bans else []),
            *([f"But just {v.k} between two stones of the other side do not."] if v.line & CARO else []),
            *(["If X makes a line first, O has one last reply: a line too is a draw."] if v.last_reply else []),
            *([f"After {v.max_moves} stones it is a draw."] if v.max_moves else []),
            "Win +1, loss -1, draw 0.",
        ]
    )


def short_actions(v: Variant, mask: NDArray[np.int8], words: Callable[[], list[str]]) -> str:
    """Return all legal actions in one line: every empty cell is one, but where a side is chosen."""
    return "any ." if mask[: v.m * v.n].any() else " ".join(words())
