"""Search players by name: those that play every game, and those that a game's `Players` name.

`kozyr.agents.agent_names` says how budgets and guides are written.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from kozyr.agents import roster
from kozyr.agents.agent import Agent
from kozyr.agents.agent_names import AgentName
from kozyr.agents.search.ismcts import TREE_REUSE, Ismcts, TreeReuseIsmcts
from kozyr.agents.search.pimc import Pimc
from kozyr.agents.search.positions import positions
from kozyr.agents.search.response import SearchResponder
from kozyr.agents.search.searcher import Searcher
from kozyr.agents.search.solver import Solver
from kozyr.envs.core.capabilities import perfect_information
from kozyr.envs.core.game import Game
from kozyr.envs.core.quote import quote
from kozyr.envs.environments import argument_checks

Maker = Callable[..., Searcher]
ABOUT = {  # of the players that play every game
    "pimc": (
        "compares the legal actions in imagined worlds. The strongest scripted player plays each world to its end. "
        "`pimc` leaves that player's action only for one that is clearly better. It imagines 100 worlds a move unless "
        "a budget says otherwise."
    ),
    "ismcts": (
        "is information set Monte Carlo tree search (Cowling, Powley and Whitehouse 2012). It grows one tree over all "
        "imagined worlds, and the strongest scripted player ends its simulations. It runs 1,000 simulations a move "
        "unless a budget says otherwise."
    ),
    TREE_REUSE: "is `ismcts`, but keeps the part of its tree that the moves since its last decision have led to.",
    "openspiel-mcts": "is OpenSpiel's tree search (extra `[openspiel]`). Where cards are hidden it searches 8 worlds.",
}


def rungs(game: Game) -> list[str]:
    """Return the players that go on where the ladder of scripted ones ends, weakest first."""
    return list(roster.of(game.name).rungs)


def makers(game: Game) -> dict[str, Maker]:
    """Return the maker of each search player of a game, called with (game, variant, level, …)."""
    open_games: dict[str, Maker] = {TREE_REUSE: TreeReuseIsmcts} if perfect_information(game.make_variant()) else {}
    general: dict[str, Maker] = {"ismcts": Ismcts, "pimc": Pimc, **open_games, "openspiel-mcts": _openspiel}
    return {**general, **{name: roster.find(place) for name, place in roster.of(game.name).search.items()}}


def responders(game: Game) -> dict[str, Callable[..., Any]]:
    """Return the maker of each responder to known players, called with (game, variant, known, level, simulations)."""
    return {
        "search": SearchResponder,
        **{name: roster.find(place) for name, place in roster.of(game.name).responders.items()},
    }


def _openspiel(*args: Any, **options: Any) -> Searcher:
    """Return OpenSpiel's player; its library is loaded only now."""
    from kozyr.agents.search.openspiel import Mcts

    return Mcts(*args, **options)


def make(
    game: Game, variant: Any, level: int, name: AgentName, guide: Agent | None = None, threads: int = 1
) -> Searcher:
    """Return a search player.

    Args:
        game: the game; variant: its options.
        level: the scripted player that plays in its worlds.
        name: a player from `makers`, with the budget and the guide.
        guide: the agent that the name calls so, or None.
        threads: how many threads share a batch, where the player can be shared and has no guide, whose draws go by
            their order.

    Raises:
        ValueError: for no number of threads, and a guide that the player would not ask.
    """
    helpers, maker = argument_checks.count("threads", threads) - 1, makers(game)[name.player]
    called = str(replace(name, game=""))
    if guide is not None and not getattr(maker, "guided", False):
        raise ValueError(f"{quote(called)}: {name.player} asks no guide: leave out what follows {name.player}")
    if name.rolls and not getattr(maker, "rolling", False):
        raise ValueError(f"{quote(called)}: the guide of {name.player} does not play in its worlds: write one +")
    options: dict[str, Any] = {"name": called}
    if name.budget:
        options |= {"seconds": name.milliseconds / 1000} if name.milliseconds else {"budget": name.simulations}
    if guide is not None:
        options |= {"guide": guide, "rolls": True} if name.rolls else {"guide": guide}
    elif getattr(maker, "shares", False):
        options["twins"] = [maker(game, variant, level, **options) for _ in range(helpers)]
    return maker(game, variant, level, **options)


__all__ = ["Ismcts", "Pimc", "Searcher", "Solver", "make", "makers", "positions", "responders", "rungs"]
