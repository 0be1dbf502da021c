"""War's search player: every order is played out in imagined worlds, with `high_first` from then on.

What an order does shows when its cards come up, about a deck later. Beyond that a world goes on as if by chance: to
play it to its end tells less than what the cards in the decks are worth then.
"""

from typing import Any

from kozyr.agents.search import determinization
from kozyr.agents.search.pimc import Pimc
from kozyr.envs.compile import jit
from kozyr.envs.core.dispatch import implements
from kozyr.envs.core.game import Game
from kozyr.envs.core.state import OVER
from kozyr.envs.war.rules import RANK, SUITS, WRAP, Variant

_TURNS = 30  # that a world is played on; 15 are too few, and from 60 on more of it is chance


class Lookahead(Pimc):
    """Choose the order of the pool that is worth most when the unseen first cards are sampled."""

    def __init__(self, game: Game, variant: Any, level: int, budget: int = 100, **settings: Any) -> None:
        super().__init__(game, variant, level, budget, z=0.0, **settings)


@implements(determinization.is_cutoff, Variant)
def is_cutoff(v: Variant, s: Any, root: Any) -> bool:
    """Return True if the game is over or enough turns have been played."""
    return s.turn == OVER or s.turns - root.turns >= _TURNS


@implements(determinization.evaluate, Variant)
def evaluate(v: Variant, s: Any, root: Any, seat: int) -> float:
    """Return a seat's payoff or, while the game goes on, the lead of its deck in worth over the other's."""
    if s.turn == OVER:
        return 1.0 * s.payoff[seat]
    mine, theirs = worth(v, s, seat), worth(v, s, 1 - seat)
    return (mine - theirs) / max(mine + theirs, 1.0)


@jit
def worth(v: Variant, s: Any, seat: int) -> float:
    """Return the sum of the squared ranks in a seat's deck: high cards win the others."""
    total = 0.0
    for i in range(s.top[seat], s.end[seat]):
        rank = (RANK[v.deck, s.line[seat, i & WRAP]] + 1.0) / (v.deck // SUITS)
        total += rank * rank
    return total
