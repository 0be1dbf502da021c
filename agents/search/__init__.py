"""Players that look ahead, by name: those that play every game, and a game's own in the module of its name.

A name may carry a budget: "pimc@400" runs 400 simulations a decision, "pimc@50ms" as many as fit into 50 ms. And it may
carry a guide, an agent whose choice is improved on instead of the scripted player's: "pimc@50ms+policy". With two
signs, "pimc++policy", the guide also plays the seat's later moves in the worlds of a `Pimc`.
"""

from collections.abc import Callable
from typing import Any

from kozyr.agents.search.ismcts import Ismcts
from kozyr.agents.search.kept import KEPT, KeptIsmcts
from kozyr.agents.search.pimc import Pimc
from kozyr.agents.search.searcher import Searcher, Solver, own
from kozyr.envs.api import check
from kozyr.envs.core.capabilities import perfect_information
from kozyr.envs.core.game import Game

Maker = Callable[..., Searcher]


def rungs(game: Game) -> list[str]:
    """Return the players that go on where the ladder of scripted ones ends, weakest first."""
    return list(getattr(own(game), "LADDER", ("pimc",)))


def makers(game: Game) -> dict[str, Maker]:
    """Return what makes each player of a game that looks ahead, from (game, variant, level, …)."""
    open_games: dict[str, Maker] = {KEPT: KeptIsmcts} if perfect_information(game.agree()) else {}
    general: dict[str, Maker] = {"ismcts": Ismcts, "pimc": Pimc, **open_games, "openspiel-mcts": _openspiel}
    return {**general, **getattr(own(game), "PLAYERS", {})}


def _openspiel(*given: Any, **named: Any) -> Searcher:
    """Return OpenSpiel's player; its library is loaded only now."""
    from kozyr.agents.search.openspiel import Mcts

    return Mcts(*given, **named)


def make(game: Game, variant: Any, level: int, name: str, guide: Any = None, threads: int = 1) -> Searcher:
    """Return the player `name`, in whose worlds the scripted player `level` plays and whose usual choice is `guide`'s.

    Its batches are shared by `threads` threads where it `shares` them and has no guide, whose draws go by their order.

    Raises:
        ValueError: for a budget that is no number of simulations or milliseconds, no number of threads, and a guide
            of a player that asks none.
    """
    twins = check.count("threads", threads) - 1
    searching, plus, guided = name.partition("+")
    base, at, budget = searching.partition("@")
    made = makers(game)[base](game, variant, level, name=name, **(_budget(name, budget) if at else {}))
    if plus and not made.guided:
        raise ValueError(f"{name!r}: {base} asks no guide: leave out what follows {base}")
    made.guide = guide
    if plus and guided.startswith("+"):
        if not isinstance(made, Pimc):
            raise ValueError(f"{name!r}: the guide of {base} does not play in its worlds: write one +")
        made.rolling = True
    if guide is None and made.shares:
        made.twins = [make(game, variant, level, name) for _ in range(twins)]
    return made


def _budget(name: str, text: str) -> dict[str, Any]:
    """Read a budget: simulations, or time with the unit ms."""
    number = text.removesuffix("ms")
    if not number.isdecimal() or int(number) == 0:
        raise ValueError(f"{name!r}: the budget {text!r} is not allowed: write simulations as @400 or time as @50ms")
    return {"seconds": int(number) / 1000} if text.endswith("ms") else {"budget": int(number)}


__all__ = ["Ismcts", "Pimc", "Searcher", "Solver", "make", "makers", "rungs"]
