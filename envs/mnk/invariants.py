"""The m,n,k-game: stones are as many as actions, X's at most one more than O's, and nobody goes on beside a line."""

from typing import Any

from kozyr.envs.compile import count_bits, jit
from kozyr.envs.core import dispatch
from kozyr.envs.core.dispatch import implements
from kozyr.envs.core.state import OVER
from kozyr.envs.mnk.bans import is_banned, is_closed
from kozyr.envs.mnk.board import FILLED, WAYS, counts, through, words_of
from kozyr.envs.mnk.rules import Variant


@implements(dispatch.sound, Variant)
def stones_are_counted(v: Variant, s: Any) -> bool:
    """Return True if the board holds the stones that were played, in turn, one on a cell, and the lines the same."""
    words = words_of(v)
    for i in range(words):
        x, o, filled = s.planes[i], s.planes[words + i], s.planes[FILLED * words + i]
        if x & o or (x | o) & ~filled:
            return False
    x, o = stones(v, s, s.starter), stones(v, s, 1 - s.starter)
    if s.turn != OVER and (s.ply == s.room or (s.turn == s.starter) != (x == o)):
        return False
    if s.turn != OVER and (has_line(v, s, s.starter) != (s.reply == 1) or has_line(v, s, 1 - s.starter)):
        return False
    if v.bans and not bans_hold(v, s):
        return False
    lined = lines_hold(v, s, 0) and lines_hold(v, s, 1)
    return x + o == s.ply and x - o in (0, 1) and x + o <= s.room and lined


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
