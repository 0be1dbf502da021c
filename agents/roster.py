"""What plays one game, as its package declares it: see the group `kozyr.players` of `kozyr.envs.registry`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pkgutil import resolve_name
from typing import Any

from kozyr.envs import registry

RANDOM = "random"  # the first rung of every ladder; it needs no code


@dataclass(frozen=True)
class Players:
    """What plays one game. Modules and what is in them are named, as "package.module:name", and loaded when needed.

    Attributes:
        ladder: names of the scripted players, weakest first; the first one is "random".
        bots: the module whose `decide` plays the others.
        search: the class of each of the game's own search players by its name; a general one of that name gives way.
        worlds: the module that says what worlds a search imagines and how far it plays them on, if the game does.
        rungs: the search players that go on where the ladder of scripted ones ends, weakest first.
        lessons: the module that teaches a search to value positions, with what `kozyr.agents.mnk.lessons` has.
        responders: the class of each way of the game's own to answer players that are known, by its name; see
            `kozyr.agents.search.responders`.
        statistics: the function that counts the game's own figures, from a number of deals and a seed.
        about: what each player does and where it departs from its source, in Markdown, by its name. The text goes on
            after the name: "attacks with its cheapest card …". It is told on the game's page and by `kozyr agents`.

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
    """Return the players of a game; those of one whose package brings none play at random and search.

    Raises:
        ImportError: if the package is broken, naming it.
    """
    return registry.players(game) or Players()


def load_worlds(game: Any) -> None:
    """Load what a game says about the worlds of a search, without which its loops compile with what all games do."""
    its = of(game.name)
    if its.worlds:
        import_module(its.worlds)


def find(place: str) -> Any:
    """Return what is at "package.module:name"."""
    return resolve_name(place)
