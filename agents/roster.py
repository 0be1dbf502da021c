"""Roster of a game's players, as its package declares it in the group `kozyr.players` of `kozyr.envs.registry`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pkgutil import resolve_name
from typing import Any

from kozyr.envs import registry

RANDOM = "random"  # the first rung of every ladder; it needs no code


@dataclass(frozen=True)
class Players:
    """Players of one game. Modules and their attributes are written "package.module:name" and loaded when needed.

    Attributes:
        ladder: names of the scripted players, weakest first; the first one is "random".
        bots: the module whose `decide` plays the others.
        search: the class of each of the game's own search players by its name; a general one of that name gives way.
        worlds: the module with the game's own `sample_world`, `is_cutoff` and `evaluate` of a search, if it has any.
        rungs: the search players that go on where the ladder of scripted ones ends, weakest first.
        lessons: the module that teaches a search to value positions, with the functions of
            `kozyr.training.mnk_evaluation`.
        responders: the class of each of the game's own responders to known players, by its name; see
            `kozyr.agents.search.responders`.
        statistics: the function that counts the game's own figures, from a number of deals and a seed.
        about: the strategy of each player, and its departures from its source, in Markdown, by its name. The text goes
            on after the name: "attacks with its cheapest card …". The game's page and `kozyr agents` show it.

    Example:
        >>> Players(("random", "tight"), bots="leduc.bots", search={"solver": "leduc.search:Solver"}).rungs
        ('pimc',)
    """

    ladder: tuple[str, ...] = (RANDOM,)
    bots: str = ""
    search: Mapping[str, str] = field(default_factory=dict[str, str])
    worlds: str = ""
    rungs: tuple[str, ...] = ("pimc",)
    lessons: str = ""
    responders: Mapping[str, str] = field(default_factory=dict[str, str])
    statistics: str = ""
    about: Mapping[str, str] = field(default_factory=dict[str, str])

    def __post_init__(self) -> None:
        if self.ladder[:1] != (RANDOM,):
            raise ValueError(f"ladder={self.ladder!r} is not allowed: its first player is {RANDOM!r}")
        if len(self.ladder) > 1 and not self.bots:
            raise ValueError(f"ladder={self.ladder!r} is not allowed without bots: name the module that decides")


def of(game: str) -> Players:
    """Return the players of a game; a game whose package declares none has random play and the general searches.

    Raises:
        ImportError: if the package is broken, naming it.
    """
    return registry.players(game) or Players()


def load_worlds(game: Any) -> None:
    """Load a game's own worlds of a search; without it the loops compile with the general ones."""
    players = of(game.name)
    if players.worlds:
        import_module(players.worlds)


def find(place: str) -> Any:
    """Return the object at "package.module:name"."""
    return resolve_name(place)
