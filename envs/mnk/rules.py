"""The m,n,k-game with a last reply: the rules and nothing else.

Cells are numbered row by row. § points to the paragraphs of RULES.md.
"""

from typing import Any, NamedTuple

import numpy as np

from kozyr.envs.compile import inlined, jit
from kozyr.envs.core import dispatch
from kozyr.envs.core.dispatch import implements
from kozyr.envs.core.rng import below
from kozyr.envs.core.state import OVER, layout
from kozyr.envs.core.variant import Field
from kozyr.envs.mnk.bans import FIVE, close
from kozyr.envs.mnk.board import CARO, MAX_SIDE, PLANES, SIDES, WAYS, clear, put, unblocked, wall_off
from kozyr.envs.mnk.swap2 import OPENING, PLAY, SHORTEST, STONES, SWAP2

SEATS = 2
_IN_A_ROW = {3: "Three", 4: "Four", 5: "Five", 6: "Six"}  # as players write it
NO_CELL = -1


class Variant(NamedTuple):
    """The options of the game."""

    m: int = 15
    n: int = 15
    k: int = 5
    last_reply: bool = True
    max_moves: int = 0
    obstacles: float = 0.0
    line: int = 0
    bans: int = 0
    opening_rule: int = 0


FIELDS = {
    "m": Field("rows", 2, MAX_SIDE),
    "n": Field("columns", 2, MAX_SIDE),
    "k": Field("stones in a winning line, at most the longer side (§3)", 1, MAX_SIDE),
    "last_reply": Field("O may answer a line of X with one more stone (§5)"),
    "max_moves": Field("stones after which the game is drawn; 0: the board decides (§6)", 0, MAX_SIDE**2),
    "obstacles": Field("share of the cells that are walled off (§7)", 0.0, 0.5),
    "line": Field(
        "which rows win: of k or more stones, or of exactly k; in caro no row of k that is blocked at both ends (§3)",
        choices=("free", "exact", "caro", "exact_caro"),
        later=True,
        static=True,
    ),
    "bans": Field(
        "what X may not do: renju bans six in a row, two fours and two threes (§9)",
        choices=("none", "renju"),
        later=True,
        static=True,
    ),
    "opening_rule": Field(
        "how a game begins: with a free stone of X, or by swap2 with stones of both sides and a choice of sides (§10)",
        choices=("free", "swap2"),
        later=True,
        static=True,
    ),
}

PRESETS = {  # as people play it, on the usual board unless told
    "freestyle": {"last_reply": False},
    "standard": {"last_reply": False, "line": "exact"},
    "caro": {"last_reply": False, "line": "caro"},
    "renju": {"last_reply": False, "bans": "renju"},
    "swap2": {"last_reply": False, "line": "exact", "opening_rule": "swap2"},
    "tic_tac_toe": {"m": 3, "n": 3, "k": 3, "last_reply": False},
}

STATES = {
    (side, bans): layout(
        SEATS,
        ("reply", np.int32),  # 1 while O plays the last reply
        ("room", np.int32),  # stones after which the game is over
        ("last", np.int32),  # cell of the newest stone, or NO_CELL
        ("lines", np.uint16 if side < 16 else np.uint32, SEATS * WAYS * side),  # each seat's stones, see `board`
        ("x", np.int16),  # seat that plays X: who began, unless swap2 has given the sides otherwise
        ("stage", np.int16),  # of the opening, see `swap2`
        ("planes", np.int64, (PLANES + bans) * -(-(side**2) // 64)),  # a bit for each cell, see `board` and `bans`
    )
    for side in SIDES
    for bans in (0, 1)
}


_APART: tuple[dict[str, Any], ...] = ({}, {"opening_rule": "swap2"}, {"last_reply": False, "bans": "renju"})
COMPILED_APART = tuple({"m": side, "n": side, **rules} for side in SIDES for rules in _APART)


def states(v: Variant) -> np.dtype[Any]:
    """Return the record of a board's states: a small board has a small one, and where there are bans it has them."""
    return next(STATES[side, v.bans] for side in SIDES if max(v.m, v.n) <= side)


def name_of(v: Variant) -> str:
    """Return the players' name of a variant."""
    if (v.m, v.n, v.k) == (3, 3, 3):
        return "Tic-tac-toe"
    return f"{_IN_A_ROW.get(v.k, v.k)} in a row"


def complaint(v: Variant) -> str:
    """Return the reason why a variant is impossible, or ""."""
    if v.k > max(v.m, v.n):
        return f"k={v.k} does not fit: on a {v.m}×{v.n} board k is at most {max(v.m, v.n)}"
    if v.bans and (v.k != FIVE or v.line):
        return "bans='renju' is a rule of five in a row: set k=5 and line='free'"
    return swap2_complaint(v) if v.opening_rule == SWAP2 else ""


def swap2_complaint(v: Variant) -> str:
    """Return the reason why swap2 is impossible in a variant, or "" (§10)."""
    if v.bans:
        return "opening_rule='swap2' and bans='renju' do not go together: leave one of them out"
    if v.k < SHORTEST:
        return f"opening_rule='swap2' lays three stones of X: set k={SHORTEST} or more, or the opening makes a line"
    if 0 < v.max_moves <= STONES:
        return f"opening_rule='swap2' lays up to {STONES} stones: set max_moves=0, or {STONES + 1} and more"
    if (free := v.m * v.n - count_walls(v)) <= STONES:
        return f"opening_rule='swap2' lays up to {STONES} stones, and {free} cells are free: set a larger m and n"
    return ""


@implements(dispatch.start, Variant)
def start(v: Variant, s: Any, seed: int, starter: int) -> None:
    """Clear the board and wall off cells (§1, §7); the starter plays X."""
    s.rng = np.uint64(seed)
    first = below(s, SEATS)
    s.starter = starter if starter >= 0 else first
    s.turn, s.ply, s.reply, s.truncated, s.last = s.starter, 0, 0, 0, NO_CELL
    s.x, s.stage = s.starter, OPENING if v.opening_rule else PLAY
    s.payoff[:] = 0.0
    clear(v, s)
    put_walls(v, s)
    if v.bans:
        close(v, s)


@jit
def put_walls(v: Variant, s: Any) -> None:
    """Wall off a share of the cells, every choice of cells equally likely (§7)."""
    cells, walls = v.m * v.n, count_walls(v)
    s.room = cells - walls if v.max_moves == 0 else min(v.max_moves, cells - walls)
    if walls == 0:
        return
    for a in range(cells):  # selection sampling: each cell takes its fair share of the walls left
        if below(s, cells - a) < walls:
            wall_off(v, s, a)
            walls -= 1


@jit
def count_walls(v: Variant) -> int:
    """Return the number of walls (§7)."""
    return int(v.obstacles * (v.m * v.n) + 0.5)


@jit
def lay(v: Variant, s: Any, a: int) -> None:
    """Put the mover's stone on cell `a` (§2 to §6, §9)."""
    if v.line & CARO | v.bans:
        lay_by_further_rules(v, s, a)
    else:
        go_on(v, s, a, put(v, s, s.turn, a))  # no line elsewhere can be new (§3)


@jit
def lay_by_further_rules(v: Variant, s: Any, a: int) -> None:
    """Put the mover's stone where rows may be blocked (§3) or X banned (§9): apart, so that other games are as fast."""
    me = s.turn
    line = put(v, s, me, a)
    if line and v.line & CARO:
        line = unblocked(v, s, me, a)
    go_on(v, s, a, line)
    if v.bans and not close(v, s):
        finish(s, OVER)  # no cell is left for X (§9)
        close(v, s)  # and nobody is banned any more


@inlined
def go_on(v: Variant, s: Any, a: int, line: bool) -> None:
    """Hand the turn on after a stone on cell `a`, or end the game; `line` if the stone made a line (§4 to §6)."""
    me = s.turn
    s.last = a
    s.ply += 1
    full = s.ply == s.room
    if s.reply:
        finish(s, OVER if line else 1 - me)
    elif line and v.last_reply and me == s.x and not full:
        s.reply, s.turn = 1, 1 - me
    elif line:
        finish(s, me)
    elif full:
        finish(s, OVER)
    else:
        s.turn = 1 - me


@jit
def finish(s: Any, winner: int) -> None:
    """End the game in favour of `winner`, or in a draw if that is OVER (§4)."""
    s.turn, s.reply = OVER, 0
    if winner != OVER:
        s.payoff[winner], s.payoff[1 - winner] = 1.0, -1.0
