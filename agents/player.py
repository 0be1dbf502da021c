"""Players at one table, who observe its events and may remember them, and the loop that plays a game.

    payoffs = play(Table(game, variant, seed=1), [agents.load("durak:low"), MyPlayer()])

An agent is asked in batches for many tables and remembers nothing; a player is at one. `as_player` seats an agent at a
table, `PlayerAgent` lets a player answer where an agent is asked.
"""

from collections.abc import Sequence
from secrets import randbits
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.core.game import Game
from kozyr.envs.core.rng import spread
from kozyr.envs.environments.agent_protocol import as_agent, refuse_class, refuse_many, require_methods
from kozyr.envs.environments.illegal import OnIllegal, judge
from kozyr.envs.table.event import Event
from kozyr.envs.table.record import Record
from kozyr.envs.table.table import TIME, Table, TableInfo

RESIGNED = "resigned"  # the reason of a forfeit by `Resign`
_METHODS = {"begin": ("info",), "see": ("event",), "act": ("view", "mask", "deadline"), "end": ("payoffs",)}


class Resign(Exception):  # noqa: N818 - it is no bug
    """Raised by a player's `act` to give up the game, with the reason if there is another one."""


@runtime_checkable
class Player(Protocol):
    """Player at one table, who may remember its events; an observer is never asked for an action.

    A player may also have `warm_up(view, mask)`. It is called before the player's first decision of a game with a
    clock, which does not run yet: slow preparation belongs there.
    """

    def begin(self, info: TableInfo) -> None:
        """Begin a game at a table."""
        ...

    def see(self, event: Event) -> None:
        """Observe an event, one's own actions too, as far as the seat may know it."""
        ...

    def act(self, view: NDArray[Any], mask: NDArray[np.int8], deadline: float | None) -> int:
        """Return a legal action for a view [view] and mask [actions].

        Args:
            view: of the seat; mask: of its legal actions.
            deadline: when its time is up, by the clock's `now`, which is `time.monotonic`; None without a clock.

        Raises:
            Resign: to give up the game.
        """
        ...

    def end(self, payoffs: Sequence[float]) -> None:
        """End the game with its payoffs, one number a seat."""
        ...


class AgentPlayer:
    """An agent as a player; it needs no events.

    Args:
        agent: the agent; a function act(view, mask) will do.
        seed: fixes its random choices in every game; None draws it anew for each.
    """

    def __init__(self, agent: Any, seed: int | None = None) -> None:
        self.agent, self._fixed_seed = as_agent(agent), seed

    def __repr__(self) -> str:
        return repr(self.agent)

    def begin(self, info: TableInfo) -> None:
        """Reset the agent with its seat and a seed."""
        self._seat = -1 if info.seat is None else info.seat
        self._seed = randbits(63) if self._fixed_seed is None else self._fixed_seed
        self.agent.reset(self._seat, self._seed)

    def see(self, event: Event) -> None:
        """Ignore the event."""

    def act(self, view: NDArray[Any], mask: NDArray[np.int8], deadline: float | None) -> int:
        """Return the agent's action."""
        return self.agent.act(view, mask)

    def end(self, payoffs: Sequence[float]) -> None:
        """Do nothing."""

    def warm_up(self, view: NDArray[Any], mask: NDArray[np.int8]) -> None:
        """Let the agent decide once without effect, so that the clock does not count the compiler, and reset it.

        An agent with several ways to decide, as a search player, has a method `warm` for this.
        """
        warm = getattr(self.agent, "warm", None)
        if warm is None:
            self.agent.act(view.copy(), mask.copy())
        else:
            warm()
        self.agent.reset(self._seat, self._seed)


def as_player(player: Any) -> Player:
    """Return a player: the object itself, or one for an agent or a function act(view, mask).

    An agent with `new_player`, as those that play by text, makes its own, which observes events.

    Raises:
        ValueError: for an object without `act`, with the alternatives.
    """
    refuse_class(player)
    if hasattr(player, "new_player"):
        return player.new_player()
    if not any(hasattr(player, name) for name in ("begin", "see", "end")):
        return AgentPlayer(player)
    require_methods(player, _METHODS, "see kozyr.agents.player.Player, or give an agent")
    return player


def play(
    table: Table, players: Sequence[Any], observers: Sequence[Player] = (), on_illegal: OnIllegal = OnIllegal.RAISE
) -> list[float]:
    """Play a game to its end and return the payoffs, one a seat.

    Args:
        table: the game; one in progress goes on, and the players first observe its earlier events.
        players: one a seat: players, agents, or functions act(view, mask).
        observers: players who observe the public part of all events.
        on_illegal: consequence for a player that acts illegally or raises.

    Raises:
        ValueError: for players that cannot be asked, and for illegal actions if `on_illegal` says so; the table has
            not changed then.

    Example:
        >>> from kozyr import agents, envs
        >>> game = envs.game("war")
        >>> table = Table(game, game.make_variant(), seed=1)
        >>> payoffs = play(table, [agents.load("war:high_first"), lambda view, mask: int(mask.argmax())])
        >>> sum(payoffs)
        0.0
    """
    if len(players) != table.seats:
        raise ValueError(f"{len(players)} players for {table.seats} seats: give one for each")
    seated = [as_player(one) for one in players]
    audience: list[tuple[int | None, Player]] = [*enumerate(seated), *((None, one) for one in observers)]
    for seat, one in audience:
        one.begin(table.info(seat))
    _send(audience, table.events())
    cold = set(range(table.seats)) if table.clock else set[int]()
    while not table.over:
        seat = table.turn
        if seat in cold:
            cold.remove(seat)
            _warm_up(table, seated[seat])
        _send(audience, ask(table, seated[seat], on_illegal))
    for _, one in audience:
        one.end(table.payoffs)
    return table.payoffs


def _send(audience: Sequence[tuple[int | None, Player]], events: Sequence[Event]) -> None:
    """Send events to everybody, as far as each may know them."""
    for event in events:
        for seat, one in audience:
            one.see(event.for_seat(seat))


def _warm_up(table: Table, player: Player) -> None:
    """Let a player that can do so prepare for its decisions, before its clock runs."""
    warm_up = getattr(player, "warm_up", None)
    if warm_up is not None:
        warm_up(table.view(table.turn), table.mask)


def ask(table: Table, player: Player, on_illegal: OnIllegal = OnIllegal.RAISE) -> list[Event]:
    """Ask a player for the decision that a table waits for, start its clock, and return the events.

    Raises:
        ValueError: for an illegal action, and whatever the player raises, if `on_illegal` says so.
    """
    seat, view, mask = table.turn, table.view(table.turn), table.mask
    deadline = table.start_clock()
    try:
        action = player.act(view, mask.copy(), deadline)
    except Resign as resignation:
        return table.forfeit(seat, TIME if table.late else str(resignation) or RESIGNED)
    except (Exception, SystemExit):  # whatever a user's player raises costs it the game
        if on_illegal is not OnIllegal.FORFEIT:
            raise
        return table.forfeit(seat, TIME if table.late else "error")
    if on_illegal.forfeits(action) and not table.late and isinstance(judge(table.variant, action, mask), str):
        return table.forfeit(seat, "illegal action")
    try:
        return table.apply(action)
    except ValueError as error:
        raise ValueError(f"{player!r} {error}") from None


def play_game(game: Game, variant: Any, seed: int, starter: int, agents: Sequence[Any]) -> Record:
    """Play one game among agents and return its record.

    Args:
        game: the game; variant: its options.
        seed: fixes the deal and the agents' random choices.
        starter: the seat that begins, or −1 to let the seed draw it.
        agents: one a seat; functions act(view, mask) will do.

    Raises:
        ValueError: for an illegal action, with the position in words.

    Example:
        >>> from kozyr import agents, envs
        >>> from kozyr.envs.table import record
        >>> game = envs.game("war")
        >>> one = play_game(game, game.make_variant(), seed=1, starter=-1, agents=[agents.load("war:high_first")] * 2)
        >>> record.read(record.write(one)).actions == one.actions
        True
    """
    table = Table(game, variant, seed, starter)
    seeds = [spread(table.seed, 1 + seat) for seat in range(len(agents))]
    each = zip(agents, seeds, strict=True)
    play(table, [one if hasattr(one, "new_player") else AgentPlayer(one, seed) for one, seed in each])
    return table.record


class PlayerAgent:
    """A player as an agent, at one table and in one seat.

    An agent gets neither tables nor events: the player's `see` and `end` are never called, and `begin` is called each
    time that the agent is reset, which is when a new game is dealt in `make_seat`. As a view does not name its table,
    several tables are refused: in matches, in `make_vec` with more than one table, and in several seats. Play a player
    that remembers with `kozyr.agents.player.play`; one that does not is better written as an agent.

    Args:
        player: the player.
        game: the game; variant: its options.
    """

    one_seat = True  # it plays only one seat of one table

    def __init__(self, player: Player, game: Game, variant: Any) -> None:
        self.player, self._game, self._variant = as_player(player), game, variant

    def __repr__(self) -> str:
        return repr(self.player)

    def reset(self, seat: int, seed: int) -> None:
        """Begin a game; the player does not get the seed, nor a seat that is not known yet."""
        seats = self._game.seats(self._variant)
        self.player.begin(TableInfo(self._game, self._variant, seats, None if seat < 0 else seat))

    def act(self, view: NDArray[Any], mask: NDArray[np.int8]) -> int:
        """Return the player's action."""
        return self.player.act(view, mask, None)

    def act_batch(self, views: NDArray[Any], masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """Return the player's action for the only view.

        Raises:
            ValueError: for more views.
        """
        if len(views) != 1:
            refuse_many(self, f"{len(views)} decisions at once")
        return np.array([self.act(views[0], masks[0])])
