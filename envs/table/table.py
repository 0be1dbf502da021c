"""A table: one game in progress that waits for one seat."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.core.game import Game
from kozyr.envs.core.state import OVER
from kozyr.envs.environments import argument_checks
from kozyr.envs.environments.illegal import OnIllegal, forfeited, settle
from kozyr.envs.environments.readonly_arrays import read_only
from kozyr.envs.environments.threads import Exclusive, exclusive
from kozyr.envs.loops import tables
from kozyr.envs.table import event
from kozyr.envs.table.clock import Clock, Watch
from kozyr.envs.table.event import Event, Kind
from kozyr.envs.table.record_format import Record

TIME = "time"  # the reason of a forfeit by the clock


@dataclass(frozen=True)
class TableInfo:
    """Table description for a player or an observer that sits down.

    Attributes:
        game: what is played; variant: its options; seats: how many there are.
        seat: whose player this is, or None for an observer.
        table: the table's id; names: who plays, a seat each; clock: how long they may think. None where there is none.
    """

    game: Game
    variant: Any
    seats: int
    seat: int | None
    table: str | None = None
    names: tuple[str, ...] | None = None
    clock: Clock | None = None


class Table(Exclusive):
    """One game in progress.

    Args:
        game: what is played; variant: the game's options.
        seed: fixes every chance event of the game, 0 ≤ seed < 2⁶³; tell it to no player.
        starter: the seat that begins; None or −1 lets the seed draw it.
        clock: how long the seats may think, or None.
        id: what the table is called, or None.
        names: who plays, a seat each, or None.

    Raises:
        ValueError: for a bad seed or starter.

    Example:
        >>> from kozyr import envs
        >>> game = envs.game("mnk")
        >>> table = Table(game, game.make_variant(m=3, n=3, k=3), seed=1, starter=0)
        >>> [str(event) for event in table.apply(4)]
        ['player_0: b2']
        >>> table.turn, int(table.mask.sum())
        (1, 8)
    """

    def __init__(
        self,
        game: Game,
        variant: Any,
        seed: int,
        starter: int | None = None,
        clock: Clock | None = None,
        id: str | None = None,  # noqa: A002 - what a reader looks for
        names: Sequence[str] | None = None,
    ) -> None:
        self.game, self.variant, self.seed, self.id, self.clock = game, variant, argument_checks.seed(seed), id, clock
        self.seats = game.seats(variant)
        random = starter is None or (argument_checks.is_whole(starter) and int(starter) == -1)
        first = -1 if random else argument_checks.seat("starter", starter, self.seats)
        if names is not None and len(names) != self.seats:
            raise ValueError(f"{len(names)} names for {self.seats} seats: name one for each")
        self.names = None if names is None else tuple(names)
        self._states = np.zeros(1, game.layout(variant))
        self._view = np.zeros(game.size(variant), game.view_dtype)
        self._mask = np.zeros(game.actions(variant), np.int8)
        self._actions: list[int] = []
        self._lost: tuple[int, str] | None = None  # who forfeited, and why
        self._watch = None if clock is None else Watch(clock, self.seats)
        tables.deal_one(variant, self._states, self.seed, first, self._view, self._mask)
        self.starter = int(self._states[0].starter)

    @classmethod
    def resume(cls, record: Record, now: Callable[[], float] | None = None) -> "Table":
        """Return the table that a record was made of, finished or not; a clock goes on when it is started again.

        Args:
            record: as `Table.record` gave it.
            now: what tells the clock's time, if not the system.

        Raises:
            ValueError: for an action that the rules do not allow.
        """
        clock = record.clock and (record.clock if now is None else replace(record.clock, now=now))
        table = cls(record.game, record.variant, record.seed, record.starter, clock, record.id, record.agents)
        for action in record.actions:
            table.play(action)
        if record.forfeit is not None:
            table.forfeit(record.forfeit, record.reason or "")
        if clock is not None:
            table._watch = Watch(clock, table.seats, record.left or ())
        return table

    def __reduce__(self) -> tuple[Any, ...]:
        return Table.resume, (self.record, self.clock and self.clock.now)

    @property
    def turn(self) -> int:
        """The seat that the table waits for, or −1 (OVER)."""
        return OVER if self._lost else int(self._states["turn"][0])

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.turn == OVER

    @property
    def ply(self) -> int:
        """How many actions have been played."""
        return len(self._actions)

    @property
    def last(self) -> int:
        """The last action, −1 before the first."""
        return self._actions[-1] if self._actions else -1

    @property
    def mask(self) -> NDArray[np.int8]:
        """The legal actions: int8 [actions], all 0 once the game is over."""
        return np.zeros_like(self._mask) if self.over else self._mask.copy()

    @property
    def payoffs(self) -> list[float]:
        """A payoff each seat, zeros until the game is over."""
        return forfeited(self.seats, self._lost[0]) if self._lost else self._states[0].payoff[: self.seats].tolist()

    @property
    def truncated(self) -> bool:
        """Whether a cap ended the game."""
        return bool(self._states[0].truncated)

    @property
    def record(self) -> Record:
        """All that has happened; `Table.resume` makes the same table of it."""
        lost, reason = self._lost or (None, "")
        return Record(
            self.game,
            self.variant,
            self.seed,
            self.starter,
            list(self._actions),
            self.payoffs if self.over else [],
            self.truncated,
            None if self.names is None else list(self.names),
            lost,
            reason=reason or None,
            id=self.id,
            clock=self.clock,
            left=list(self._watch.left) if self._watch and self._watch.left else None,
        )

    def info(self, seat: int | None = None) -> TableInfo:
        """Return the description for the player in a seat when it sits down; None: for an observer."""
        return TableInfo(self.game, self.variant, self.seats, seat, self.id, self.names, self.clock)

    def view(self, seat: int) -> NDArray[Any]:
        """Return the view of a seat, to move or not: [view]."""
        argument_checks.seat("seat", seat, self.seats)
        if seat == self.turn:  # it is there already
            return self._view.copy()
        view = np.zeros_like(self._view)
        tables.look(self.variant, self._states, seat, view)
        return view

    def text(self, seat: int | None = None) -> str:
        """Return the position as text, as a seat knows it; None: all of it."""
        if seat is None:
            return self.game.text.write(self.variant, self._states[0])
        return self.game.text.write_view(self.variant, self.view(seat), seat)  # `write`, with a view that is compiled

    def drawing(self, seat: int | None = None) -> str:
        """Return the position as SVG, as a seat knows it; None: all of it."""
        return self.game.draw(self.variant, self._states[0], seat)

    @property
    def states(self) -> NDArray[Any]:
        """The whole state itself, hidden things too: a read-only record array [1], which `apply` and `play` change."""
        return read_only(self._states)

    def state(self) -> NDArray[Any]:
        """Return a copy of the whole state, hidden things too: a record array [1]."""
        memory = bytearray(self._states.tobytes())  # NumPy's own copy leaves what it finds between aligned fields
        return np.frombuffer(memory, self._states.dtype)

    def start_clock(self) -> float | None:
        """Let the clock run for the seat to move, and return when its time is up, by `clock.now`; None: no clock.

        Whoever asks a player calls this when the player is ready to be asked; a clock that runs is left alone.
        """
        self._require_running()
        return None if self._watch is None else self._watch.start(self.turn)

    @property
    def late(self) -> bool:
        """Whether the seat to move is out of time."""
        return self._watch is not None and not self.over and self._watch.late

    @exclusive
    def apply(self, action: int) -> list[Event]:
        """Play the action of the seat to move and return what happened; too late, it forfeits instead.

        Raises:
            RuntimeError: if the game is over, or another thread is at it.
            ValueError: for an action that is no whole number, out of range or illegal; nothing has changed then.
        """
        self._require_running()
        if self.late:
            return self._lose(self.turn, TIME)
        number = self._checked(action)
        events = [event.moved(self.game, self.variant, self._states[0], number)]
        self._play(number)
        return events + self._ended()

    def play(self, action: int) -> None:
        """Do the same, with the same errors, and tell nothing, which is quicker; no clock is looked at."""
        if self.in_use:
            self.refuse_second()
        self.in_use = True
        try:
            self._require_running()
            self._play(self._checked(action))
        finally:
            self.in_use = False

    @exclusive
    def forfeit(self, seat: int, reason: str) -> list[Event]:
        """Let a seat lose the game, to move or not: it gets −1, the others share the win. Return what happened.

        Args:
            seat: who loses.
            reason: a few words, told to everybody, as "illegal action"; TIME if the clock says so.

        Raises:
            RuntimeError: if the game is over.
            ValueError: if there is no such seat.
        """
        self._require_running()
        return self._lose(argument_checks.seat("seat", seat, self.seats), reason)

    def events(self) -> list[Event]:
        """Return all that has happened since the game began, for those who come later."""
        again = Table(self.game, self.variant, self.seed, self.starter)
        past = [Event(Kind.BEGAN, 0, self.starter)]
        for action in self._actions:
            past += again.apply(action)
        return [*past, self._forfeit(), *self._ended()] if self._lost else past

    def _lose(self, seat: int, reason: str) -> list[Event]:
        self._lost = (seat, reason)
        return [self._forfeit(), *self._ended()]

    def _forfeit(self) -> Event:
        """Return the event of the forfeit that there was."""
        seat, reason = self._lost or (OVER, "")
        return Event(Kind.TIMED_OUT if reason == TIME else Kind.FORFEITED, self.ply, seat, None, reason)

    def _ended(self) -> list[Event]:
        """Return the event of the end, if the game is over."""
        return [Event(Kind.ENDED, self.ply, payoffs=tuple(self.payoffs), truncated=self.truncated)] if self.over else []

    def _checked(self, action: Any) -> int:
        """Return the action as an int, or raise in words."""
        it, seat = self._states[0], self.turn
        return cast(int, settle(OnIllegal.RAISE, self.game, self.variant, it, action, self._mask, seat))

    def _play(self, number: int) -> None:
        """Play a legal action."""
        if self._watch is not None:
            self._watch.stop(self.turn)
        tables.step_one(self.variant, self._states, number, self._view, self._mask)
        self._actions.append(number)

    def _require_running(self) -> None:
        if self.over:
            raise RuntimeError(f"{self.game.id}: the game is over after {self.ply} actions")
