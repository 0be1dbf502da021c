"""Actions of the m,n,k-game (one a cell, row by row): which are legal, and what each does."""

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.compile import write_bits, write_word
from kozyr.envs.core import dispatch
from kozyr.envs.core.actions import Action, ActionLayout, Argument
from kozyr.envs.core.dispatch import implements
from kozyr.envs.core.quote import quote
from kozyr.envs.core.state import OVER
from kozyr.envs.mnk.board import FILLED, words_of
from kozyr.envs.mnk.rules import Variant, lay


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


class Actions(ActionLayout):
    """The only kind of action."""

    put = Action(
        "put a stone on the cell row × n + column",
        size=lambda v: v.m * v.n,
        argument=Argument(_cell, _number, _place),
        word="",
    )


split = Actions.split


@implements(dispatch.legal, Variant)
def legal(v: Variant, s: Any, mask: NDArray[np.int8]) -> None:
    """Mark the empty cells while the game is on (§2), but for those that are banned (§9)."""
    words, cells = words_of(v), v.m * v.n
    closed = (FILLED + v.bans) * words  # CLOSED is the plane behind
    on = 0 if s.turn == OVER else -1
    for i in range(cells >> 6):
        write_word(mask, i << 6, ~s.planes[closed + i] & on)
    if cells & 63:
        i = words - 1
        write_bits(mask, i << 6, cells & 63, ~s.planes[closed + i] & on)


@implements(dispatch.play, Variant)
def play(v: Variant, s: Any, a: int) -> None:
    """Put the mover's stone on a cell (§2 to §6, §9)."""
    lay(v, s, split(v, a)[1])
