"""The scene of an m,n,k-board, which hides nothing, and how a person puts a stone."""

from string import ascii_lowercase
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.compile import jit
from kozyr.envs.core import dispatch, input_spec
from kozyr.envs.core.dispatch import implements
from kozyr.envs.core.state import OVER
from kozyr.envs.mnk.actions import PUT, TAKE_O, TAKE_X, split
from kozyr.envs.mnk.bans import is_closed
from kozyr.envs.mnk.board import EMPTY, MAX_SIDE, WALL, content, counts
from kozyr.envs.mnk.rules import NO_CELL, SEATS, Variant
from kozyr.envs.mnk.swap2 import PLAY, is_choice, stones_on_board
from kozyr.envs.pictures import scene
from kozyr.envs.pictures.scene import put, words

NAME, TO_MOVE, COLUMN, ROW, MOVES, REPLY, WON, DRAWN, STOPPED, CELL, BANNED = range(1, 12)
LAYS, CHOOSES, SAY_O, SAY_X, SAY_MORE = range(12, 17)  # of swap2
LABELS = {
    NAME: "{0:seat}",
    TO_MOVE: "TO MOVE",
    COLUMN: "{0|" + "|".join(ascii_lowercase[:MAX_SIDE]) + "}",
    ROW: "{0}",
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

MARGIN, HEAD, FOOT, EDGE = 200, 640, 480, 260  # EDGE: room for the coordinates
NARROWEST = 4800  # of a picture, so that two names fit
TAG_ROOM = 900  # of "TO MOVE" in a panel
PANEL_HIGH = 400


@implements(dispatch.scene, Variant)
def board_scene(v: Variant, s: Any, seat: int, out: NDArray[np.int32]) -> None:
    """Draw the board with its coordinates, both players above it and what happens below."""
    side = cell_side(v)
    wide = max(NARROWEST, v.n * side + 2 * (MARGIN + EDGE))
    left, top = (wide - v.n * side) // 2, HEAD + EDGE
    high = top + v.m * side + FOOT + MARGIN
    n = put(out, 0, scene.PICTURE, 0, 0, scene.PAPER, 0, 0, wide, high, 0, 0, 0, 0)
    for stone in range(SEATS):
        n = player(s, stone, wide, out, n)
    n = coordinates(v, side, left, top, out, n)
    n = put(out, n, scene.GRID, 0, 0, 0, left, top, v.n * side, v.m * side, 0, v.m, v.n, 0)
    if s.turn == OVER or s.reply:
        n = strikes(v, s, side, left, top, out, n)
    n = cells(v, s, side, left, top, out, n)
    status(s, wide, top + v.m * side + FOOT // 2 + 80, out, n)


@jit
def cell_side(v: Variant) -> int:
    """Return the side of a cell in units of the picture."""
    return min(640, max(260, 6000 // max(v.m, v.n)))


@jit
def player(s: Any, stone: int, wide: int, out: NDArray[np.int32], n: int) -> int:
    """Write who has the stones X (0) or O (1), X on the left."""
    who = int(s.x) if stone == 0 else 1 - s.x
    width = (wide - 2 * MARGIN - 120) // 2
    x, moves = MARGIN + stone * (width + 120), s.turn == who
    n = put(out, n, scene.PANEL, 0, 0, 0, x, 160, width, PANEL_HIGH, scene.TURN if moves else 0, who, 0, 0)
    n = put(out, n, scene.CELL, 0, 0, scene.STONE_X + stone, x + 70, 210, 300, 300, 0, 0, 0, 0)
    room = width - 500 - (TAG_ROOM if moves else 0)
    n = words(out, n, scene.LABEL, NAME, x + 440, 410, 110, scene.BOLD, who, 0, 0, room)
    if moves:
        at = x + width - TAG_ROOM // 2 - 20
        n = words(out, n, scene.TAG, TO_MOVE, at, 360, 80, scene.MIDDLE + scene.TONE * scene.GOLD)
    return n


@jit
def coordinates(v: Variant, side: int, left: int, top: int, out: NDArray[np.int32], n: int) -> int:
    """Write the letters of the columns above the board and the numbers of the rows left of it."""
    high, faint = min(110, max(80, side // 4)), scene.TONE * scene.FAINT
    for c in range(v.n):
        x = left + c * side + side // 2
        n = words(out, n, scene.LABEL, COLUMN, x, top - 90, high, faint + scene.MIDDLE, c)
    for r in range(v.m):
        y = top + r * side + (side + high) // 2
        n = words(out, n, scene.LABEL, ROW, left - 90, y, high, faint + scene.END, r + 1)
    return n


@jit
def strikes(v: Variant, s: Any, side: int, left: int, top: int, out: NDArray[np.int32], n: int) -> int:
    """Write a band for every unbroken row of one seat's stones that is a line (§3)."""
    for a in range(v.m * v.n):
        held = content(v, s, a)
        if held != EMPTY and held != WALL:
            for way in range(4):
                n = strike(v, s, a, way, side, left, top, out, n)
    return n


@jit
def strike(v: Variant, s: Any, a: int, way: int, side: int, left: int, top: int, out: NDArray[np.int32], n: int) -> int:
    """Write the band of a line that begins on `a`, if one does in this direction: →, ↓, ↘ or ↙."""
    down, right = int(way > 0), 0 if way == 1 else 1 if way < 3 else -1
    r, me = a // v.n, content(v, s, a)
    c = a - r * v.n
    if run(v, s, r, c, -down, -right, me) > 0:
        return n
    more = run(v, s, r, c, down, right, me)
    before, behind = (r - down, c - right), (r + (more + 1) * down, c + (more + 1) * right)
    if not counts(v, more + 1, blocks(v, s, before, 1 - me) and blocks(v, s, behind, 1 - me)):
        return n
    if v.bans and me == s.starter and more + 1 > v.k:  # it came with a line (§9)
        return n
    x, y, stone = left + c * side + side // 2, top + r * side + side // 2, stone_of(v, s, a)
    long = more * side
    return put(out, n, scene.STRIKE, 0, 0, stone, x, y, right * long, down * long, 0, side * 18 // 25, 0, 0)


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
def cells(v: Variant, s: Any, side: int, left: int, top: int, out: NDArray[np.int32], n: int) -> int:
    """Write the cells row by row, the newest stone and X's bans marked."""
    for a in range(v.m * v.n):
        r = a // v.n
        x, y = left + (a - r * v.n) * side, top + r * side
        last = scene.LAST if s.last != NO_CELL and a == s.last else 0
        n = put(out, n, scene.CELL, a + 1, a + 1, stone_of(v, s, a), x, y, side, side, last, 0, 0, 0)
    if v.bans:
        for a in range(v.m * v.n):
            if is_closed(v, s, a) and content(v, s, a) == EMPTY:
                r = a // v.n
                x, y = left + (a - r * v.n) * side + side // 2, top + r * side + side * 2 // 3
                n = words(out, n, scene.LABEL, BANNED, x, y, side // 2, scene.MIDDLE + scene.TONE * scene.BAD)
    return n


@jit
def status(s: Any, wide: int, y: int, out: NDArray[np.int32], n: int) -> int:
    """Write whose move it is, or how the game ended."""
    x, room = wide // 2, wide - 2 * MARGIN - 200
    if s.turn != OVER:
        o = int(s.turn != s.x)
        if s.stage != PLAY:
            label, side = CHOOSES if is_choice(s) else LAYS, stones_on_board(s) & 1
            return words(out, n, scene.TAG, label, x, y, 110, scene.MIDDLE, int(s.turn), side, 0, room)
        if s.reply:
            tone = scene.MIDDLE + scene.TONE * scene.BAD
            return words(out, n, scene.TAG, REPLY, x, y, 110, tone, int(s.turn), o, 0, room)
        return words(out, n, scene.LABEL, MOVES, x, y + 50, 110, scene.MIDDLE, int(s.turn), o, 0, room)
    winner = int(s.payoff[1] > s.payoff[0])
    label = STOPPED if s.truncated else DRAWN if s.payoff[0] == s.payoff[1] else WON
    gold = scene.MIDDLE + scene.TONE * scene.GOLD
    return words(out, n, scene.TAG, label, x, y, 130, gold, winner, int(winner != s.x), 0, room)


@implements(dispatch.elements, Variant)
def cell_elements(v: Variant, s: Any, action: int, row: NDArray[np.int32]) -> None:
    """Name the cell that gets the stone; a choice of swap2 is a button."""
    kind = split(v, action)[0]
    if kind != PUT:
        input_spec.press(row)
        row[input_spec.SAID] = SAY_O if kind == TAKE_O else SAY_X if kind == TAKE_X else SAY_MORE
        return
    row[input_spec.HOW], row[input_spec.SAID], row[input_spec.TARGET] = input_spec.SELECT, CELL, 0
    row[input_spec.SAID_A], row[input_spec.SAID_B] = action % v.n, action // v.n + 1
    row[input_spec.COUNT], row[input_spec.KEYS] = 1, action + 1
