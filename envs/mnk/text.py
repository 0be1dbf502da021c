"""Positions, views and actions as text: diagrams of `X`, `O`, `#` (wall), `!` (a ban) and `.`, cells as in chess.

A view has the marks of the seats, the turn, and the board. Nothing is hidden in this game:

    player_1 (you): O
    player_0: X
    O to move (last reply)
    X O O
    . X .
    . . X

The stages of swap2's opening stand where the last reply does: (opening), (choice), (two more) and (last choice).
"""

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.core import text_lines
from kozyr.envs.core.state import OVER
from kozyr.envs.mnk import GAME
from kozyr.envs.mnk.actions import Actions
from kozyr.envs.mnk.bans import close
from kozyr.envs.mnk.board import EMPTY, WALL, contents, put, wall_off
from kozyr.envs.mnk.invariants import is_opening
from kozyr.envs.mnk.rules import NO_CELL, Variant
from kozyr.envs.mnk.rules import states as states_of
from kozyr.envs.mnk.short_text import STAGE_WORDS, short_actions, short_rules, stage_of, write_short
from kozyr.envs.mnk.swap2 import ADDITION, OPENING, PLAY, pass_choice

__all__ = [
    "parse",
    "read",
    "read_view",
    "say",
    "short_actions",
    "short_rules",
    "write",
    "write_short",
    "write_view",
]

_MARKS, _BANNED = "XO#.", "!"
_ROLES = ("X", "O")
_REPLY = "last reply"
_NOTE = rf"(?: \((?P<note>{'|'.join([_REPLY, *STAGE_WORDS[1:]])})\))?"
_VIEW_STATUS = re.compile(rf"(?:(?P<mover>[XO]) to move|over){_NOTE}")
_STATUS = re.compile(
    rf"player_(?P<x>[01]) is X, (?:(?P<mover>[XO]) to move{_NOTE}|draw|player_(?P<winner>[01]) won)"
    r"(?:, last (?P<last>\w+))?"
)


say, parse = Actions.say, Actions.parse


def write(v: Variant, s: Any, seat: int | None = None) -> str:
    """Return the position as a diagram under one line that says whose turn it is, or a seat's view."""
    if seat is not None:
        return write_view(v, GAME.view(v, s, seat), seat)
    marks = {EMPTY: ".", WALL: "#", int(s.x): "X", 1 - int(s.x): "O"}
    board = [marks[one] for one in contents(v, s)]
    for a in np.flatnonzero(text_lines.parts_of(GAME, v, GAME.view(v, s, 0))["banned"]).tolist():
        board[a] = _BANNED
    rows = [" ".join(board[r * v.n : (r + 1) * v.n]) for r in range(v.m)]
    return "\n".join([_status(v, s), *rows])


def _status(v: Variant, s: Any) -> str:
    """Return the line of the player of X, the turn or the end of the game, and the newest stone."""
    last = "" if s.last == NO_CELL else f", last {say(v, s, int(s.last))}"
    if s.turn != OVER:
        mark = "X" if s.turn == s.x else "O"
        state = f"{mark} to move{_bracketed(int(s.reply), int(s.stage))}"
    else:
        state = "draw" if not s.payoff.any() else f"player_{int(np.argmax(s.payoff))} won"
    return f"player_{int(s.x)} is X, {state}{last}"


def _bracketed(reply: int, stage: int) -> str:
    """Return the note in brackets behind "to move", or ""."""
    note = _REPLY if reply else STAGE_WORDS[stage]
    return f" ({note})" if note else ""


def read(v: Variant, text: str) -> NDArray[Any]:
    """Return the position in a diagram as an array of one state; the inverse of `write`.

    Raises:
        ValueError: if the text is no diagram of this variant.
    """
    status, *rows = text.strip().splitlines() or [""]
    match = _STATUS.fullmatch(status.strip())
    cells, marks = [row.split() for row in rows], _MARKS + _BANNED * v.bans
    if not match or len(cells) != v.m or any(len(row) != v.n or set(row) - set(marks) for row in cells):
        raise ValueError(
            f"not a position of {v.m}×{v.n}: write a line as 'player_0 is X, O to move' "
            f"and {v.m} rows of {v.n} marks . X O #"
        )
    states = np.zeros(1, states_of(v))
    s: Any = states[0]
    s.starter = s.x = int(match["x"])
    s.reply, s.stage = _read_note(v, match["note"])
    s.last = parse(v, match["last"]) if match["last"] else NO_CELL
    seats = {"X": int(s.x), "O": 1 - int(s.x)}
    for a, mark in enumerate(mark for row in cells for mark in row):
        if mark == "#":
            wall_off(v, s, a)
        elif mark not in (".", _BANNED):  # the bans follow from the stones
            put(v, s, seats[mark], a)
    mover = match["mover"]
    _finish_reading(v, s, mover, match["winner"])
    if s.turn != OVER and s.ply >= s.room:
        raise ValueError(f"{mover} cannot be to move: {s.ply} stones are laid, and there is room for {s.room}")
    if v.bans and not close(v, s):
        raise ValueError("X cannot be to move: it is banned from every cell that is left")
    if s.stage != PLAY and not is_opening(v, s):
        raise ValueError(f"this is no {match['note']} of swap2: stones are laid X O X, and two more O X")
    return states


def _read_note(v: Variant, note: str | None) -> tuple[int, int]:
    """Return the last reply, 1 or 0, and the stage of the opening that a note in brackets tells."""
    stage = STAGE_WORDS.index(note) if note and note != _REPLY else PLAY
    if stage != PLAY and not v.opening_rule:
        raise ValueError(f"there is no {note} without opening_rule='swap2': leave the brackets out")
    return int(note == _REPLY), stage


def _finish_reading(v: Variant, s: Any, mover: str | None, winner: str | None) -> None:
    """Fill in what follows from the board and the status line."""
    held = contents(v, s)
    s.ply = held.count(0) + held.count(1)
    free = len(held) - held.count(WALL)
    s.room = free if v.max_moves == 0 else min(v.max_moves, free)
    s.turn = OVER if mover is None else int(s.x) if mover == "X" else 1 - int(s.x)
    if s.stage >= ADDITION:
        pass_choice(s)
    if winner is not None:
        s.payoff[int(winner)], s.payoff[1 - int(winner)] = 1.0, -1.0


def write_view(v: Variant, view: NDArray[Any], seat: int) -> str:
    """Return a view of `seat` as text."""
    part = text_lines.parts_of(GAME, v, view)
    mine, theirs = _ROLES if part["x"][0] else _ROLES[::-1]
    board = np.full(v.m * v.n, ".")
    for name, mark in (("mine", mine), ("theirs", theirs), ("wall", "#"), ("banned", _BANNED)):
        board[np.flatnonzero(part[name])] = mark
    state = "over" if part["over"][0] else f"{mine if part['turn'][0] else theirs} to move"
    status = state + _bracketed(int(part["reply"][0]), stage_of(part["opening"]))
    rows = [" ".join(row) for row in board.reshape(v.m, v.n).tolist()]
    return text_lines.tell(seat, [mine, theirs], [status, *rows])


def read_view(v: Variant, text: str) -> NDArray[Any]:
    """Return the view that the text of a seat tells; the inverse of `write_view`.

    Raises:
        ValueError: if it is no text of a seat in this variant.
    """
    told = text_lines.read_told(text, 2, below=1 + v.m)
    status, *rows = told.rest
    match = _VIEW_STATUS.fullmatch(status)
    if not match or sorted(told.seats) != sorted(_ROLES):
        raise ValueError("not what a seat knows: one seat plays X, the other O, and below them stands 'X to move'")
    mine, theirs = told.seats
    marks = {mine: "mine", theirs: "theirs", ".": "", **({"#": "wall"} if v.obstacles > 0 else {})}
    if v.bans:
        marks[_BANNED] = "banned"
    cells = [row.split() for row in rows]
    if len(rows) != v.m or any(len(row) != v.n or set(row) - set(marks) for row in cells):
        raise ValueError(f"not a board of {v.m}×{v.n}: write {v.m} rows of {v.n} marks {' '.join(marks)}")
    view, part = text_lines.blank(GAME, v)
    for a, mark in enumerate(mark for row in cells for mark in row):
        if mark != ".":
            part[marks[mark]][a] = 1
    part["x"][0] = mine == "X"
    part["reply"][0], stage = _read_note(v, match["note"])
    if stage != PLAY:
        part["opening"][stage - OPENING] = 1
    part["turn"][0], part["over"][0] = match["mover"] == mine, match["mover"] is None
    return text_lines.finished(GAME, v, view)
