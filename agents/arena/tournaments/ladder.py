"""Ladders: every player of a game against the one below it, and against random play."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from kozyr import agents, envs
from kozyr.agents import search
from kozyr.agents.arena.matches.match import match
from kozyr.agents.arena.matches.result import MatchResult
from kozyr.agents.search import Searcher

RANDOM = "random"


@dataclass(frozen=True)
class Rung:
    """Result of one player of a ladder.

    Attributes:
        name: the player.
        below: the player below it; above_it: the match against that one, which fills all other seats.
        random: the match against random play; the same match where random is the player below.
    """

    name: str
    below: str
    above_it: MatchResult
    random: MatchResult

    def to_json(self) -> dict[str, Any]:
        """Return the result for `json.dumps`."""
        games = {"against_below": self.above_it.to_json(), "against_random": self.random.to_json()}
        return {"name": self.name, "below": self.below, **games}

    @property
    def ms_per_move(self) -> float | None:
        """Return the time of a decision of a search player; scripted ones play inside the compiled loop."""
        return self.above_it.agents[0].ms_per_move


def names(game: str) -> list[str]:
    """Return the players of a game's ladder, weakest first."""
    return [*agents.names(game), *search.rungs(envs.game(game))]


def climb(
    game: str,
    deals: int = 2000,
    search_deals: int = 200,
    seed: int = 0,
    workers: int = 1,
    progress: bool = False,
    move_limit: float | None = None,
    **variant: Any,
) -> Iterator[Rung]:
    """Play every rung against the one below it and against random play, and yield each as it is done.

    Args:
        game: its name.
        deals: duplicate deals of a match between scripted players.
        search_deals: of a match with a search player.
        seed: fixes the deals and all random choices.
        workers: processes that share the deals.
        progress: show a bar for each match on stderr.
        move_limit: seconds for each decision of a search player, or None.
        **variant: fields of the game's variant.

    Raises:
        ValueError: for unknown names, impossible variants and numbers.
    """
    ladder = names(game)

    def play(name: str, other: str) -> MatchResult:
        ahead = any(isinstance(agents.load(one, game, **variant), Searcher) for one in (name, other))
        number = search_deals if ahead else deals
        return match(game, [name, other], number, seed, workers, progress, move_limit=move_limit, **variant)

    for below, name in pairwise(ladder):
        above_it = play(name, below)
        yield Rung(name, below, above_it, above_it if below == RANDOM else play(name, RANDOM))
