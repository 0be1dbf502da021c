"""Capabilities of the m,n,k-game, for networks, searches and matches: its board, which hides nothing."""

from typing import Any

from kozyr.envs.core import capabilities
from kozyr.envs.core.capabilities import Board
from kozyr.envs.mnk.rules import Variant


@capabilities.board.register(Variant)
def board(v: Variant) -> Board:
    """Return the places in a view of my stones, theirs, and walls if there are any."""
    reach = v.k - (v.line == 0)  # where a stone more makes a row too long, or blocks it
    return Board(2 + (v.obstacles > 0), v.m, v.n, reach)


@capabilities.opening_plies.register(Variant)
def opening_plies(v: Variant) -> int:
    """Return the number of random stones that begin a game of a match: 4, fewer on small boards; none in swap2."""
    return 0 if v.opening_rule else min(4, v.m * v.n // 16)


@capabilities.perfect_information.register(Variant)
def perfect_information(v: Variant) -> bool:
    """Nothing is hidden."""
    return True


_NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


@capabilities.result.register(Variant)
def result(v: Variant, state: Any, seat: int) -> str:
    """Return "won with five in a row", "lost" or "drew"."""
    if state.payoff[seat] > 0:
        return f"won with {_NUMBERS[v.k - 1] if v.k <= len(_NUMBERS) else v.k} in a row"
    return "lost" if state.payoff[seat] < 0 else "drew"
