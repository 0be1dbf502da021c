"""Capabilities of the m,n,k-game, for networks, searches and matches: its board, which hides nothing."""

from typing import Any

from kozyr.envs.core import capabilities
from kozyr.envs.core.capabilities import Board
from kozyr.envs.core.labels import Phrase, phrase
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


_IN_WORDS = 12  # the highest number that is said in words


@capabilities.result_phrase.register(Variant)
def result_phrase(v: Variant, state: Any, seat: int) -> Phrase:
    """Return "won with five in a row", "lost" or "drew"."""
    if state.payoff[seat] > 0:
        if v.k > _IN_WORDS:
            return phrase("won with {0} in a row", v.k)
        return phrase("won with {0|zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve} in a row", v.k)
    return phrase("lost") if state.payoff[seat] < 0 else phrase("drew")
