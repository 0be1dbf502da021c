"""Actions of the m,n,k-game (one a cell, row by row, and the choices of swap2): which are legal, what each does."""

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.compile import jit, write_bits, write_word
from kozyr.envs.core import dispatch
from kozyr.envs.core.actions import Action, ActionLayout, Argument
from kozyr.envs.core.dispatch import implements
from kozyr.envs.core.quote import quote
from kozyr.envs.core.state import OVER
from kozyr.envs.mnk.board import FILLED, words_of
from kozyr.envs.mnk.rules import Variant, lay
from kozyr.envs.mnk.swap2 import CHOICE, PLAY, SWAP2, add, choose, is_choice, lay_for_both

_ABSENT = "nobody chooses a side without opening_rule='swap2'"


def _cell(v: Variant, cell: int) -> str:
    """Return the column letter and the row number from the top, as "h8"."""
    return f"{chr(ord('a') + cell % v.n)}{cell // v.n + 1}"


def _number(v: Variant, text: str) -> int:
    """Return the cell that a text names, or raise ValueError."""
    match = re.fullmatch(r"([a-y])(\d{1,2})", text.strip().lower())
    if match:
        column, row = ord(match[1]) - ord("a"), int(match[2]) - 1
        if column < v.n and 0 <= row < v.m:
            return row * v.n + column
    raise ValueError(f"{quote(text)} names no cell: write a1 (top left) to {_cell(v, v.m * v.n - 1)}")


def _place(v: Variant, cell: int) -> dict[str, Any]:
    """Return row and column of a cell from 0, from the upper left corner, as the view counts them."""
    return {"row": cell // v.n, "column": cell % v.n}


def _choices(v: Variant) -> int:
    return int(v.opening_rule == SWAP2)


class Actions(ActionLayout):
    """The kinds of actions; only swap2 has others than stones (§10)."""

    put = Action(
        "put a stone on the cell row × n + column",
        size=lambda v: v.m * v.n,
        argument=Argument(_cell, _number, _place),
        word="",
    )
    take_o = Action("swap2: play O, whose move it is", size=_choices, word="take-o", absent=_ABSENT)
    take_x = Action("swap2: play X", size=_choices, word="take-x", absent=_ABSENT)
    two_more = Action("swap2: lay O and X; the other seat chooses", size=_choices, word="two-more", absent=_ABSENT)


PUT, TAKE_O, TAKE_X, TWO_MORE = Actions.kinds()
split = Actions.split


@implements(dispatch.legal, Variant)
def legal(v: Variant, s: Any, mask: NDArray[np.int8]) -> None:
    """Mark the empty cells while the game is on (§2), but for those that are banned (§9); or the choices (§10)."""
    words, cells = words_of(v), v.m * v.n
    closed = (FILLED + v.bans) * words  # CLOSED is the plane behind
    on = 0 if s.turn == OVER else -1
    for i in range(cells >> 6):
        write_word(mask, i << 6, ~s.planes[closed + i] & on)
    if cells & 63:
        i = words - 1
        write_bits(mask, i << 6, cells & 63, ~s.planes[closed + i] & on)
    if v.opening_rule:
        write_choices(v, s, mask)


@implements(dispatch.play, Variant)
def play(v: Variant, s: Any, a: int) -> None:
    """Put the mover's stone on a cell (§2 to §6, §9), or go on with the opening (§10)."""
    if v.opening_rule and s.stage != PLAY:
        go_on_opening(v, s, a)
    else:
        lay(v, s, a - Actions(v).put)


@jit
def write_choices(v: Variant, s: Any, mask: NDArray[np.int8]) -> None:
    """Mark the sides that may be chosen, and two more stones unless they are laid; no cell is legal then (§10)."""
    at = Actions(v)
    if is_choice(s):
        mask[: v.m * v.n] = 0
    mask[at.take_o], mask[at.take_x], mask[at.two_more] = is_choice(s), is_choice(s), s.stage == CHOICE


@jit
def go_on_opening(v: Variant, s: Any, a: int) -> None:
    """Lay a stone of the opening, or choose (§10)."""
    kind, cell = split(v, a)
    if kind == PUT:
        lay_for_both(v, s, cell)
    elif kind == TWO_MORE:
        add(s)
    else:
        choose(v, s, kind == TAKE_X)
