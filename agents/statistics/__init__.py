"""Statistics of games for their pages and the comparison tables, counted over many deals.

A game's own figures come from the function in its `Players`; every game also gets the general ones.
"""

from kozyr import envs
from kozyr.agents import roster
from kozyr.agents.statistics.fact import Fact, facts
from kozyr.envs.environments import argument_checks


def measure(game: str, deals: int = 10_000, seed: int = 0) -> list[Fact]:
    """Count a game's figures over random deals.

    Args:
        game: its name.
        deals: number of deals for each figure.
        seed: fixes the deals and all random choices.

    Raises:
        ValueError: for an unknown game, and for a number of deals or a seed that is not allowed.
    """
    spec = envs.game(game)
    deals, seed = argument_checks.count("deals", deals), argument_checks.seed(seed)
    own = roster.of(spec.name).statistics
    special: list[Fact] = roster.find(own)(deals, seed) if own else []
    return [*special, *facts(spec, deals, seed)]


__all__ = ["Fact", "measure"]
