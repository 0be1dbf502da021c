"""Failures in words: the difference, both values, the broken promise and the position."""

from typing import Any, NoReturn

import numpy as np
import pytest

from kozyr.envs.core import dispatch
from kozyr.envs.core.state import OVER

from .table import GARBAGE, Plain, Table

LEAK = "it shows what the seat cannot know, or `imagine` does not follow the view"
SAME_MOVES = "a seat's legal actions must follow from its view, or `imagine` does not follow the view"
SAME_GAME = "one seed and the same actions give one game; `observe` and `legal` write every entry, `start` every field"
SMALL = (
    "arithmetic on entries of small types gives other numbers: where s.field is an int8 of 11, `1 << s.field` is 2048 "
    "compiled and 0 uncompiled: write `1 << int(s.field)`"
)
NEAR = 1e-5  # payoffs that add up to a number may miss it by this much

Named = tuple[str, Any]  # where an array was found, in words, and the array


def assert_same_view(
    game: Any, v: Any, one: Named, other: Named, promise: str, table: Table | None = None, seat: int | None = None
) -> None:
    """Fail unless two views are equal, with the first part that differs; the position is a table's, if one is given."""
    __tracebackhide__ = True
    if said := view_difference(game, v, one, other, seat):
        fail(f"{said}: {promise}", table, seat)


def view_difference(game: Any, v: Any, one: Named, other: Named, seat: int | None = None) -> str:
    """Return the first part of two views that differs, with both values; else ""."""
    whose = "the view" if seat is None else f"seat {seat}'s view"
    (here, a), (there, b) = one, other
    if np.shape(a) != np.shape(b):
        return f"{whose} has {np.size(a)} entries in {here} and {np.size(b)} in {there}"
    differing = np.flatnonzero(np.asarray(a) != np.asarray(b))
    if not len(differing):
        return ""
    i = int(differing[0])
    return f"{part(game, v, i)} of {whose} is {a[i]} in {here} and {b[i]} in {there}"


def part(game: Any, v: Any, i: int) -> str:
    """Return the name of a view's entry, as "part `hand[3]`"."""
    for name, span in game.parts(v).spans().items():
        if span.start <= i < span.stop:
            place = f"[{i - span.start}]" if span.stop - span.start > 1 else ""
            return f"part `{name}{place}`"
    return f"entry {i}, which is beyond all of `{game.parts.__name__}`,"


def assert_same_mask(one: Named, other: Named, promise: str, table: Table | None = None) -> None:
    """Fail unless two masks are equal, with the first action that is not legal in both; the position is a table's."""
    __tracebackhide__ = True
    (here, a), (there, b) = one, other
    if np.shape(a) != np.shape(b):
        fail(f"there are {np.size(a)} actions in {here} and {np.size(b)} in {there}: {promise}", table)
    differing = np.flatnonzero(np.asarray(a) != np.asarray(b))
    if len(differing):
        i = int(differing[0])
        fail(f"{_action(i, table)} is {_legal(a[i])} in {here} and {_legal(b[i])} in {there}: {promise}", table)


def _legal(entry: Any) -> str:
    return {0: "illegal", 1: "legal"}.get(int(entry), f"neither legal nor illegal but {entry}")


def _action(action: int, table: Table | None) -> str:
    """Return an action's number, and its words where the game finds some."""
    if table is None:
        return f"action {action}"
    try:
        return f"action {action} ({table.game.text.say(table.v, table.s, action)})"
    except Exception:  # whatever somebody's unfinished game raises: the number says enough
        return f"action {action}"


def assert_view_within_bounds(table: Table, seat: int) -> None:
    """Fail where an entry of a view lies outside of what its part allows."""
    __tracebackhide__ = True
    view, high = table.view(seat), table.game.high(table.v)
    outside = np.flatnonzero((view < 0) | (view > high))
    if len(outside):
        i = int(outside[0])
        left = f"; {GARBAGE} stood there before, so `observe` may have left it as it was" if view[i] == GARBAGE else ""
        where = part(table.game, table.v, i)
        fail(f"{where} of seat {seat}'s view is {view[i]}, Parts allows 0 to {high[i]}{left}", table, seat)


def assert_legal_actions(table: Table) -> None:
    """Fail unless the seat to move has a legal action until the game is over, and nobody has one then."""
    __tracebackhide__ = True
    mask = table.mask()
    odd = np.flatnonzero((mask != 0) & (mask != 1))
    if len(odd):
        fail(f"`legal` writes {mask[odd[0]]} for {_action(int(odd[0]), table)}: write 0 or 1 for every action", table)
    if table.over and mask.any():
        fail(f"the game is over, but {_action(int(mask.argmax()), table)} is legal", table)
    if not table.over and not mask.any():
        fail(f"seat {table.turn} is to move and has no legal action", table)


def assert_plies(table: Table, plies: int) -> None:
    """Fail unless a state counts the plies played, which are no more than `bound`, and names the seat to move."""
    __tracebackhide__ = True
    most = table.game.bound(table.v)
    if table.s.ply != plies:
        fail(f"`ply` is {table.s.ply} after {plies} plies: `play` counts one for each action", table)
    if plies > most:
        fail(f"the game goes on after {most} plies, the most that `bound` allows", table)
    if not table.over and not 0 <= table.turn < table.seats:
        fail(f"`turn` is {table.turn}, seats are 0 to {table.seats - 1} and {OVER} ends the game", table)


def assert_sound(table: Table) -> None:
    """Fail where `sound` says no, or one thing compiled and another uncompiled."""
    __tracebackhide__ = True
    compiled = table.sound
    plain = bool(dispatch.sound(table.v, table.s)) if isinstance(table, Plain) else compiled
    if plain != compiled:
        fail(f"`sound` is {compiled} compiled and {plain} uncompiled: {SMALL}", table)
    if not plain:
        fail("`sound` says that this state cannot be: `start`, `play` or `imagine` is wrong, or `sound` is", table)


def assert_payoffs(table: Table) -> None:
    """Fail unless payoffs are zero until the end, then lie between -1 and 1 and add up to what the game declares."""
    __tracebackhide__ = True
    payoffs, due = table.payoffs, table.game.payoff_sum
    told = f"payoffs are {', '.join(f'{payoff:g}' for payoff in payoffs)}"
    if not table.over:
        if any(payoffs):
            fail(f"{told} before the game is over: write 0 until then", table)
        return
    if not all(-1 <= payoff <= 1 for payoff in payoffs):
        fail(f"{told}: each lies between -1 and 1", table)
    name, due = ("a cap ended the game, so the sum", 0.0) if table.s.truncated else ("payoff_sum", due)
    if abs(sum(payoffs) - due) > NEAR:
        fail(f"{told} and add up to {sum(payoffs):g}, {name} is {due:g}", table)


def fail(sentence: str, table: Table | None = None, seat: int | None = None) -> NoReturn:
    """Fail with a sentence and the position of a table, if one is given, as a seat or everybody sees it."""
    __tracebackhide__ = True
    pytest.fail(sentence if table is None else f"{sentence}\n{position(table, seat)}")


def position(table: Table, seat: int | None = None) -> str:
    """Return the ply, the options and the position in the game's words."""
    options = ", ".join(f"{name}={value!r}" for name, value in table.game.options(table.v).items())
    try:
        words = table.game.text.write(table.v, table.s, seat)
    except Exception as error:  # whatever somebody's unfinished game raises: what failed before matters more
        words = f"no text: `write` raises {type(error).__name__}: {error}"
    return f"Ply {table.s.ply} with {options or 'no options'}:\n{words}"
