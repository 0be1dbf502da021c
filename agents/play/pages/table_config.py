"""Table configuration: game, options, seats and clock, before a table is opened."""

import secrets
from collections.abc import Sequence
from typing import Annotated, Any, Literal

import msgspec

from kozyr import agents, envs
from kozyr.agents import search
from kozyr.agents.agent_names import POLICY, AgentName, Name, parse
from kozyr.agents.play.pages.opponents import GUEST, ME, MILLISECONDS, MOST_BUDGET, PERSON, SIMULATIONS
from kozyr.envs.core.game import Game
from kozyr.envs.core.quote import quote
from kozyr.envs.environments import argument_checks as check
from kozyr.envs.table import record
from kozyr.envs.table.clock import Clock
from kozyr.envs.table.record_format import Record
from kozyr.envs.table.table import Table

LONGEST_NAME = 60  # characters of a seat's name
PEOPLE = (ME, PERSON)


class Times(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Thinking time of each seat, in seconds, as `kozyr.envs.table.clock.Clock` has it."""

    move: float | None = None
    game: float | None = None
    increment: float = 0.0

    def clock(self) -> Clock:
        """Return the clock.

        Raises:
            ValueError: for impossible times.
        """
        return Clock(self.move, self.game, self.increment)


class TableConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A table before the deal.

    Attributes:
        game: its name; options: the fields of its variant that are not as usual.
        seats: the occupant of each: ME, PERSON, or the name of an agent, as `kozyr.agents.load` takes it.
        names: of the seats.
        clock: thinking times; None: no limit.
        seed: of the deal; None: drawn. starter: the seat that begins; None: the seed draws it.
        sees: the view of spectators: public knowledge, or everything.
        begun: actions of another game that were played before the table was opened.
    """

    game: str
    options: dict[str, Any] = {}
    seats: list[str]
    names: list[str]
    clock: Times | None = None
    seed: int | None = None
    starter: int | None = None
    sees: Literal["public", "all"] = "public"
    begun: Annotated[int, msgspec.Meta(ge=0)] = 0

    def variant(self) -> tuple[Game, Any]:
        """Return the game and its variant.

        Raises:
            ValueError: for an unknown game or option.
        """
        game = envs.game(self.game)
        return game, game.make_variant(**self.options)

    def check(self, allow: Sequence[str] = ()) -> None:
        """Raise ValueError, in a sentence, unless the table can be opened; agents are loaded to see it.

        Args:
            allow: agents that the host named on the command line; no other file and no other class is opened.
        """
        self.require_sound(allow)
        for name in self._agents():
            agents.load(name, self.game, **self.options)

    def require_sound(self, allow: Sequence[str] = ()) -> None:
        """Raise ValueError, in a sentence, unless all parts go together; no agent is loaded to see it.

        Args:
            allow: as for `check`.
        """
        game, variant = self.variant()
        seats = game.seats(variant)
        if len(self.seats) != seats or len(self.names) != seats:
            raise ValueError(f"{game.title} has {seats} seats: say who takes each, and what each is called")
        if any(not 0 < len(name) <= LONGEST_NAME or not name.isprintable() for name in self.names):
            raise ValueError(f"a seat is called by 1 to {LONGEST_NAME} characters that can be seen")
        if self.seats.count(ME) > 1:
            raise ValueError("you can take one seat only: give the others to people with a link, or to agents")
        if self.clock is not None:
            self.clock.clock()
        check.starter({"starter": self.starter}, seats)
        if self.seed is not None:
            check.seed(self.seed)
        for name in self._agents():
            require_allowed(name, game, allow)

    def _agents(self) -> list[str]:
        """Return the agents that take seats, each once."""
        return list(dict.fromkeys(one for one in self.seats if one not in PEOPLE))

    def people(self) -> list[bool]:
        """Return for each seat whether a person takes it."""
        return [one in PEOPLE for one in self.seats]

    def bots(self) -> dict[int, str]:
        """Return the scripted players, which answer at once, by seat."""
        game = envs.game(self.game)
        return {k: one for k, one in enumerate(self.seats) if one.rpartition(":")[2] in agents.names(game.name)}

    def with_deal(self, seed: int | None, starter: int | None) -> "TableConfig":
        """Return the same table with another deal, from its beginning."""
        return msgspec.structs.replace(self, seed=seed, starter=starter, begun=0)

    def with_names(self, names: Sequence[str]) -> "TableConfig":
        """Return the table with other names of the seats."""
        return msgspec.structs.replace(self, names=list(names))

    def branch(self, game: Record, ply: int, me: int) -> "TableConfig":
        """Return a table at which one person goes on from an earlier position; others' seats get agents, no clock runs.

        Args:
            game: the record of the game; ply: of the position.
            me: the person's seat.
        """
        usual, seats, names = agents.names(envs.game(self.game).name)[-1], list[str](), list[str]()
        for seat, (one, name) in enumerate(zip(self.seats, self.names, strict=True)):
            person = one in PEOPLE
            seats.append(ME if seat == me else usual if person else one)
            names.append(name if person == (seat == me) else GUEST if seat == me else usual)
        changes = {"seats": seats, "names": names, "clock": None}
        return msgspec.structs.replace(self, **changes, seed=game.seed, starter=game.starter, begun=ply)

    def rotated(self) -> "TableConfig":
        """Return the table with everybody one seat on."""
        seats, names = ([*row[-1:], *row[:-1]] for row in (self.seats, self.names))
        return msgspec.structs.replace(self, seats=seats, names=names)


def deal(table: str, config: TableConfig, actions: Sequence[int] = ()) -> str:
    """Return the record of a new table.

    Args:
        table: its id; config: its game, seats and clock.
        actions: that have been played already.

    Raises:
        ValueError: for an action that the rules do not allow.
    """
    game, variant = config.variant()
    seed = secrets.randbits(63) if config.seed is None else config.seed
    clock = None if config.clock is None else config.clock.clock()
    it = Table(game, variant, seed, config.starter, clock, table, config.names)
    for action in actions:
        it.play(action)
    return record.write(it.record)


def require_allowed(text: str, game: Game, allow: Sequence[str]) -> None:
    """Raise ValueError unless an agent is one of the game's own, within the budgets, or one that the host named."""
    if text in allow:
        return
    try:
        _require_own(parse(text), game, allow)
    except ValueError as error:
        raise ValueError(f"{quote(text)} cannot sit here: {error}") from None


def _require_own(name: Name, game: Game, allow: Sequence[str]) -> None:
    """Raise ValueError unless a name means a player of the game whose budget is not too big."""
    if not isinstance(name, AgentName):
        raise ValueError("files and classes play only if `kozyr play` was started with them")
    if name.player not in (*agents.names(game.name), *search.makers(game), POLICY):
        raise ValueError(f"its players are {', '.join([*agents.names(game.name), *search.makers(game), POLICY])}")
    if name.milliseconds > MOST_BUDGET[MILLISECONDS] or name.simulations > MOST_BUDGET[SIMULATIONS]:
        most = f"{MOST_BUDGET[MILLISECONDS]:,} milliseconds or {MOST_BUDGET[SIMULATIONS]:,} simulations"
        raise ValueError(f"a search may take at most {most} a move")
    if name.guide is not None and str(name.guide) not in allow:
        _require_own(name.guide, game, allow)
