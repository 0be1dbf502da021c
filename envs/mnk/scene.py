"""The scene of an m,n,k-board, which hides nothing, and how a person puts a stone."""

from string import ascii_lowercase
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.compile import jit
from kozyr.envs.core import dispatch, input_spec
from kozyr.envs.core.dispatch import implements
from kozyr.envs.core.labels import NAME, NUMBER, TO_MOVE
from kozyr.envs.core.state import OVER
from kozyr.envs.mnk.actions import PUT, TAKE_O, TAKE_X, split
from kozyr.envs.mnk.bans import is_closed
from kozyr.envs.mnk.board import EMPTY, MAX_SIDE, WALL, content, counts
from kozyr.envs.mnk.rules import NO_CELL, SEATS, Variant
from kozyr.envs.mnk.swap2 import PLAY, is_choice, stones_on_board
from kozyr.envs.pictures import scene, zones

COLUMN, MOVES, REPLY, WON, DRAWN, STOPPED, CELL, BANNED = range(1, 9)
LAYS, CHOOSES, SAY_O, SAY_X, SAY_MORE = range(9, 14)  # of swap2
LABELS = {
    COLUMN: "{0|" + "|".join(ascii_lowercase[:MAX_SIDE]) + "}",
    MOVES: "{0:seat} ({1|X|O}) to move",
    REPLY: "{0:seat} ({1|X|O}) has the last reply",
    WON: "{0:seat} ({1|X|O}) wins",
    DRAWN: "draw",
    STOPPED: "stopped",
    BANNED: "×",
    LAYS: "{0:seat} opens and lays {1|X|O}",
    CHOOSES: "{0:seat} chooses a side",
    SAY_O: "play O, and move",
    SAY_X: "play X",
    SAY_MORE: "lay O and X first",
    CELL: "{0|" + "|".join(ascii_lowercase[:MAX_SIDE]) + "}{1}",
}


@implements(dispatch.scene, Variant)
def board_scene(v: Variant, s: Any, seat: int, out: NDArray[np.int32]) -> None:
    """Draw both players with their stones, the board with its coordinates, and what happens."""
    zones.picture(out, scene.PAPER)
    for i in range(SEATS):
        player(s, max(seat, 0) ^ i, out)
    zones.zone(out, zones.MIDDLE)
    zones.zone(out, zones.BOARD, v.m, v.n)
    for c in range(v.n):
        zones.label(out, COLUMN, zones.FAINT, c)
        zones.at(out, c, -1)
    for r in range(v.m):
        zones.label(out, NUMBER, zones.FAINT, r + 1)
        zones.at(out, -1, r)
    if s.turn == OVER or s.reply:
        strikes(v, s, out)
    cells(v, s, out)
    status(s, out)


@jit
def player(s: Any, who: int, out: NDArray[np.int32]) -> None:
    """Write a seat with its stone."""
    zones.zone(out, zones.SEAT, who, 0, scene.TURN if s.turn == who else 0)
    zones.add(out, scene.CELL, 0, 0, scene.STONE_X if s.x == who else scene.STONE_O, 0)
    zones.label(out, NAME, scene.BOLD, who)
    if s.turn == who:
        zones.tag(out, TO_MOVE, scene.GOLD)


@jit
def strikes(v: Variant, s: Any, out: NDArray[np.int32]) -> None:
    """Write a band for every unbroken row of one seat's stones that is a line (§3)."""
    for a in range(v.m * v.n):
        held = content(v, s, a)
        if held != EMPTY and held != WALL:
            for way in range(4):
                strike(v, s, a, way, out)


@jit
def strike(v: Variant, s: Any, a: int, way: int, out: NDArray[np.int32]) -> None:
    """Write the band of a line that begins on `a`, if one does in this direction: →, ↓, ↘ or ↙."""
    down, right = int(way > 0), 0 if way == 1 else 1 if way < 3 else -1
    r, me = a // v.n, content(v, s, a)
    c = a - r * v.n
    if run(v, s, r, c, -down, -right, me) > 0:
        return
    more = run(v, s, r, c, down, right, me)
    before, behind = (r - down, c - right), (r + (more + 1) * down, c + (more + 1) * right)
    if not counts(v, more + 1, blocks(v, s, before, 1 - me) and blocks(v, s, behind, 1 - me)):
        return
    if v.bans and me == s.starter and more + 1 > v.k:  # it came with a line (§9)
        return
    zones.add(out, scene.STRIKE, 0, 0, stone_of(v, s, a), 0)
    zones.at(out, c, r, right * more, down * more)


@jit
def blocks(v: Variant, s: Any, place: tuple[int, int], other: int) -> bool:
    """Return True if the other side blocks a row on a place beside it; the newest stone, a last reply, is too late."""
    r, c = place
    a = r * v.n + c
    return 0 <= r < v.m and 0 <= c < v.n and content(v, s, a) == other and a != s.last


@jit
def run(v: Variant, s: Any, r: int, c: int, down: int, right: int, me: int) -> int:
    """Count the stones of `me` that follow a cell in one direction."""
    count = 0
    while True:
        r, c = r + down, c + right
        if not (0 <= r < v.m and 0 <= c < v.n) or content(v, s, r * v.n + c) != me:
            return count
        count += 1


@jit
def stone_of(v: Variant, s: Any, a: int) -> int:
    """Return the face of a cell: its stone, a wall or none."""
    held = content(v, s, a)
    if held == EMPTY:
        return scene.EMPTY_CELL
    if held == WALL:
        return scene.WALL_CELL
    return scene.STONE_X if held == s.x else scene.STONE_O


@jit
def cells(v: Variant, s: Any, out: NDArray[np.int32]) -> None:
    """Write the cells row by row, the newest stone and X's bans marked."""
    for a in range(v.m * v.n):
        last = scene.LAST if s.last != NO_CELL and a == s.last else 0
        zones.add(out, scene.CELL, a + 1, a + 1, stone_of(v, s, a), last)
        zones.at(out, a % v.n, a // v.n)
    if v.bans:
        for a in range(v.m * v.n):
            if is_closed(v, s, a) and content(v, s, a) == EMPTY:
                zones.label(out, BANNED, scene.TONE * scene.BAD)
                zones.at(out, a % v.n, a // v.n)


@jit
def status(s: Any, out: NDArray[np.int32]) -> None:
    """Write whose move it is, or how the game ended."""
    zones.zone(out, zones.LINES)
    if s.turn == OVER:
        winner = int(s.payoff[1] > s.payoff[0])
        label = STOPPED if s.truncated else DRAWN if s.payoff[0] == s.payoff[1] else WON
        zones.tag(out, label, scene.GOLD, winner, int(winner != s.x))
    elif s.stage != PLAY:
        zones.tag(out, CHOOSES if is_choice(s) else LAYS, 0, int(s.turn), stones_on_board(s) & 1)
    elif s.reply:
        zones.tag(out, REPLY, scene.BAD, int(s.turn), int(s.turn != s.x))
    else:
        zones.label(out, MOVES, 0, int(s.turn), int(s.turn != s.x))


@implements(dispatch.elements, Variant)
def cell_elements(v: Variant, s: Any, action: int, row: NDArray[np.int32]) -> None:
    """Name the cell that gets the stone; a choice of swap2 is a button."""
    kind = split(v, action)[0]
    if kind == PUT:
        input_spec.select(row, CELL, action % v.n, action // v.n + 1, key=action + 1)
    else:
        input_spec.press(row, SAY_O if kind == TAKE_O else SAY_X if kind == TAKE_X else SAY_MORE)
