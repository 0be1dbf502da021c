"""The opening rule swap2: stones that one seat lays for both sides, and the choice of the sides (§10).

Who opens counts as X until a side is chosen. Whoever takes the other side gets its stones: those of the seats change
hands.
"""

from typing import Any

from kozyr.envs.compile import jit
from kozyr.envs.mnk.board import exchange, put

SWAP2 = 1  # the second choice of `opening_rule`
PLAY, OPENING, CHOICE, ADDITION, LAST_CHOICE = range(5)  # what a state's `stage` says; PLAY: the opening is over
STAGES = LAST_CHOICE  # stages of the opening
FIRST_STONES, STONES = 3, 5  # of an opening, and with two more
CHOICES = 2  # at most
SHORTEST = 4  # stones in a line of which no opening has enough
_ADDED = STONES + 1  # plies: the stones, and the choice before the last two


@jit
def is_choice(s: Any) -> bool:
    """Return True if the seat to move chooses."""
    return s.stage == CHOICE or s.stage == LAST_CHOICE


@jit
def stones_on_board(s: Any) -> int:
    """Return the number of stones on the board during the opening."""
    return s.ply - int(s.stage >= ADDITION)


@jit
def lay_for_both(v: Any, s: Any, a: int) -> None:
    """Lay the next stone of the opening, X's and O's in turn, whoever lays it."""
    put(v, s, int(s.x) if stones_on_board(s) & 1 == 0 else 1 - int(s.x), a)
    s.last = a
    s.ply += 1
    if s.ply >= (_ADDED if s.stage == ADDITION else FIRST_STONES):
        s.stage, s.turn = s.stage + 1, 1 - s.turn


@jit
def choose(v: Any, s: Any, takes_x: bool) -> None:
    """Give the seat to move a side and end the opening; O is to move."""
    pass_choice(s)
    if takes_x != (s.turn == s.x):
        exchange(v, s)
        s.x = 1 - s.x
    s.stage, s.turn = PLAY, 1 - int(s.x)


@jit
def add(s: Any) -> None:
    """Let the seat to move lay two more stones."""
    pass_choice(s)
    s.stage = ADDITION


@jit
def pass_choice(s: Any) -> None:
    """Count a choice as a ply, which takes no room from the stones."""
    s.ply += 1
    s.room += 1
