"""The m,n,k-game: stones are as many as plies, X's at most one more than O's, and nobody goes on beside a line."""

from typing import Any

from kozyr.envs.compile import count_bits, jit
from kozyr.envs.core import dispatch
from kozyr.envs.core.dispatch import implements
from kozyr.envs.core.state import OVER
from kozyr.envs.mnk.bans import is_banned, is_closed
from kozyr.envs.mnk.board import FILLED, WAYS, counts, through, words_of
from kozyr.envs.mnk.rules import Variant, count_walls
from kozyr.envs.mnk.swap2 import ADDITION, CHOICE, FIRST_STONES, LAST_CHOICE, OPENING, PLAY, STONES


@implements(dispatch.sound, Variant)
def stones_are_counted(v: Variant, s: Any) -> bool:
    """Return True if the board holds the stones that were played, in turn, one on a cell, and the lines the same."""
    words = words_of(v)
    for i in range(words):
        x, o, filled = s.planes[i], s.planes[words + i], s.planes[FILLED * words + i]
        if x & o or (x | o) & ~filled:
            return False
    x, o = stones(v, s, s.x), stones(v, s, 1 - s.x)
    if s.turn != OVER and s.ply == s.room:
        return False
    if s.stage != PLAY:
        if not v.opening_rule or not is_opening(v, s):
            return False
    elif s.turn != OVER and (s.turn == s.x) != (x == o):
        return False
    if not v.opening_rule and s.x != s.starter:
        return False
    if s.turn != OVER and (has_line(v, s, s.x) != (s.reply == 1) or has_line(v, s, 1 - s.x)):
        return False
    if v.bans and not bans_hold(v, s):
        return False
    lined = lines_hold(v, s, 0) and lines_hold(v, s, 1)
    plies = s.ply - choices_made(v, s)
    return x + o == plies and x - o in (0, 1) and s.ply <= s.room and lined


@jit
def choices_made(v: Variant, s: Any) -> int:
    """Return the number of choices of swap2 among the plies: each made room for one more."""
    free = v.m * v.n - count_walls(v)
    return s.room - (free if v.max_moves == 0 else min(v.max_moves, free))


@jit
def is_opening(v: Variant, s: Any) -> bool:
    """Return True if stones, plies and the seat to move are those of a stage of swap2's opening (§10)."""
    x, o = stones(v, s, s.x), stones(v, s, 1 - s.x)
    choices = 1 if s.stage == ADDITION or s.stage == LAST_CHOICE else 0
    if s.turn == OVER or s.reply or s.ply != x + o + choices or x - o not in (0, 1):
        return False
    if (s.turn == s.x) != (s.stage == OPENING or s.stage == LAST_CHOICE):
        return False
    if s.stage == OPENING:
        return x + o < FIRST_STONES
    if s.stage == ADDITION:
        return FIRST_STONES <= x + o < STONES
    return x + o == (FIRST_STONES if s.stage == CHOICE else STONES)


@jit
def stones(v: Variant, s: Any, seat: int) -> int:
    """Return the number of stones that a seat has on the board."""
    words, count = words_of(v), 0
    for i in range(words):
        count += count_bits(s.planes[seat * words + i])
    return count


@jit
def bans_hold(v: Variant, s: Any) -> bool:
    """Return True if those cells are closed that are filled or, with X to move, banned (§9)."""
    words = words_of(v)
    for a in range(v.m * v.n):
        filled = s.planes[FILLED * words + (a >> 6)] >> (a & 63) & 1 == 1
        closed = filled or (s.turn == s.starter and is_banned(v, s, a))
        if closed != is_closed(v, s, a):
            return False
    return True


@jit
def lines_hold(v: Variant, s: Any, seat: int) -> bool:
    """Return True if a seat's lines have a bit for each of its stones, and no other."""
    long, count = max(v.m, v.n), 0
    first = seat * WAYS * long
    for i in range(WAYS * long):
        count += count_bits(int(s.lines[first + i]))
    for a in range(v.m * v.n):
        if s.planes[seat * words_of(v) + (a >> 6)] >> (a & 63) & 1:
            r, c, falling, at_falling, rising, at_rising = through(v, a)
            straight = s.lines[first + r] >> c & s.lines[first + long + c] >> r & 1
            slanting = (
                s.lines[first + 2 * long + falling] >> at_falling & s.lines[first + 3 * long + rising] >> at_rising
            )
            if not straight & slanting:
                return False
    return count == WAYS * stones(v, s, seat)


@jit
def has_line(v: Variant, s: Any, seat: int) -> bool:
    """Return True if a seat has a line (§3), counted stone by stone."""
    long = max(v.m, v.n)
    for i in range(WAYS * long):
        bits, others, row = int(s.lines[seat * WAYS * long + i]), int(s.lines[(1 - seat) * WAYS * long + i]), 0
        before, last = 0, 0  # whether the other seat has a stone before the row, and on the place that was looked at
        while bits or row:
            if bits & 1:
                before = before if row else last
                row += 1
            else:
                if row and counts(v, row, before & others & 1 == 1):
                    return True
                row = 0
            last = others & 1
            bits, others = bits >> 1, others >> 1
    return False
