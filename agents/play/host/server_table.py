"""A table as the server holds it: what has happened in words, what each who looks is shown, what may be taken back.

All that it takes and gives can be sent to another process, and back.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from secrets import randbits
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from kozyr import agents
from kozyr.agents.agent import Scripted
from kozyr.agents.play.host.seat_view import SIGHT, Look, Sight
from kozyr.agents.play.host.undo_rule import follows
from kozyr.agents.play.session import program_protocol as news
from kozyr.agents.play.session.log import Line, lines, outcomes
from kozyr.agents.programs import messages as told
from kozyr.envs.core import capabilities
from kozyr.envs.pictures.scene import SEES_ALL, SEES_PUBLIC
from kozyr.envs.table import record
from kozyr.envs.table.event import Event
from kozyr.envs.table.table import Table, TableInfo

_WORLDS = 16  # that are imagined to see whether a move has revealed something


class Shown(NamedTuple):
    """A table at a moment, after a change or without one.

    Attributes:
        ply, turn: as of the table; action: the last one, −1 before the first.
        looks: what is shown, by who sees it; lines: what has happened in words since the last moment, likewise.
        undo: whether my move may be taken back.
        left: seconds that each seat has left, or None; deadline: by `time.monotonic`, of the seat to move, or None.
        payoffs: a seat each, None until the game is over; truncated: whether a cap ended it.
        results: what came of it in words, a seat each; record: the whole game, once it is over.
    """

    ply: int
    turn: int
    action: int
    looks: dict[int, Look]
    lines: dict[int, list[Line]]
    undo: bool
    left: list[float] | None
    deadline: float | None
    payoffs: list[float] | None
    truncated: bool
    results: list[str]
    record: str | None


class Question(NamedTuple):
    """What the agent in a seat is asked.

    Attributes:
        seat: whose turn it is; ply: after how many actions; view: what it knows; mask: what it may do.
        deadline: when its time is up, or None.
        events: what has happened since it was asked last; heard: how many there were in all.
    """

    seat: int
    ply: int
    view: NDArray[Any]
    mask: NDArray[np.int8]
    deadline: float | None
    events: list[Event]
    heard: int


class Position:
    """A table with what the server needs of it; `sides` are seats, SEES_ALL or SEES_PUBLIC.

    Args:
        line: its record.
        bots: names of the scripted players, by seat.
        me: the seat of the only person, if there is only one.
        sight: what looks; no two threads may share one.
    """

    def __init__(self, line: str, bots: Mapping[int, str], me: int | None, sight: Sight = SIGHT) -> None:
        self.table = Table.resume(record.read(line, verify=False))
        self._events = self.table.events()
        self._me, self._sight = me, sight
        self._running = False
        self._bots = {seat: self._bot(seat, name) for seat, name in bots.items()}
        self._before: tuple[int, NDArray[Any]] | None = None  # my last move: its ply, and the state before
        self._undo: bool | None = None  # None: not yet known
        self._remember()

    def _bot(self, seat: int, name: str) -> Scripted:
        """Return a scripted player, whose choices nothing in the record foretells."""
        game = self.table.game
        bot = agents.load(name, game.name, **game.options(self.table.variant))
        bot.reset(seat, randbits(63))
        return cast(Scripted, bot)

    def play(self, action: int, sides: Sequence[int]) -> Shown:
        """Play for the seat to move.

        Raises:
            ValueError: for an illegal action, in words.
        """
        mine = self.table.turn == self._me
        before = self.table.state() if mine else None
        told = self.table.apply(action)
        if before is not None:
            self._before = (self.table.ply - 1, before)
        return self._after(told, sides)

    def answer(self, sides: Sequence[int]) -> Shown:
        """Let the scripted player whose turn it is play."""
        t = self.table
        return self.play(self._bots[t.turn].act(t.view(t.turn), t.mask), sides)

    def forfeit(self, seat: int, reason: str, sides: Sequence[int]) -> Shown:
        """Let a seat lose; "time" says that it was late."""
        return self._after(self.table.forfeit(seat, reason), sides)

    def _after(self, told: list[Event], sides: Sequence[int]) -> Shown:
        self._events += told
        self._undo = None
        return self.shown(sides, told)

    def run(self, sides: Sequence[int]) -> Shown:
        """Let the clocks run from now on."""
        self._running = True
        return self.shown(sides)

    def question(self, since: int) -> Question:
        """Return what to ask of the seat to move, which has heard the first `since` events."""
        t = self.table
        events = [event.for_seat(t.turn) for event in self._events[since:]]
        return Question(t.turn, t.ply, t.view(t.turn), t.mask, self._deadline(), events, len(self._events))

    def question_at(self, ply: int) -> Question:
        """Return the same of the seat that was to move after `ply` actions, which has heard nothing yet.

        Raises:
            ValueError: if none was.
        """
        t = self.table if ply == self.table.ply else self._then(ply)
        if t.over:
            raise ValueError("the game is over")
        events = [event.for_seat(t.turn) for event in self._events if event.ply <= ply]
        return Question(t.turn, ply, t.view(t.turn), t.mask, None, events, len(events))

    def hello(self) -> str:
        """Return what a program is told when it comes."""
        return told.Telling(self.table.game, self.table.variant).hello()

    def news(self, it: news.Asked) -> news.News:
        """Return what the program in a seat is told."""
        return news.news(self.table, self._events, self._deadline(), it)

    def say(self, ply: int, actions: Sequence[int]) -> list[str]:
        """Return actions of the seat that was to move after `ply` actions in words, as that seat says them."""
        t = self.table if ply == self.table.ply else self._then(ply)
        return [t.game.text.say(t.variant, t.states[0], action, t.turn) for action in actions]

    def info(self, seat: int) -> TableInfo:
        """Return what the player in a seat is told when it sits down."""
        return self.table.info(seat)

    def take_back(self, sides: Sequence[int]) -> Shown:
        """Undo my last move and all after it.

        Raises:
            ValueError: if that is not allowed.
        """
        if not self.undo or self._before is None:
            raise ValueError("this move cannot be taken back: it has shown something new")
        kept, ply = self.table.record, self._before[0]
        self.table = Table.resume(replace(kept, actions=kept.actions[:ply], payoffs=[]))
        self._events = self.table.events()
        self._remember()
        return self.shown(sides)

    def _remember(self) -> None:
        """Find my last move by playing the game again."""
        self._before = self._undo = None
        if self._me is None:
            return
        kept = self.table.record
        again = Table(kept.game, kept.variant, kept.seed, kept.starter)
        for ply, action in enumerate(kept.actions):
            if again.turn == self._me:
                self._before = (ply, again.state())
            again.play(action)

    @property
    def undo(self) -> bool:
        """Whether my last move may be taken back: it, and what came after it, has revealed nothing."""
        if self._undo is None:
            self._undo = self._may_undo()
        return self._undo

    def _may_undo(self) -> bool:
        t = self.table
        if self._before is None or self._me is None or t.over:
            return False
        if capabilities.perfect_information(t.variant):
            return True
        ply, states = self._before
        if t.ply > ply + 1 or t.turn != self._me:
            return False
        actions, views = np.array([t.last]), np.zeros((3, t.game.size(t.variant)), t.game.view_dtype)
        views[0] = t.view(self._me)
        return bool(follows(t.variant, states, self._me, actions, views, np.zeros_like(states), t.mask, _WORLDS))

    def shown(self, sides: Sequence[int], told: Sequence[Event] = ()) -> Shown:
        """Return the table as it is."""
        t = self.table
        over = t.over
        return Shown(
            t.ply,
            t.turn,
            t.last,
            {sees: self._sight.look(t, sees) for sees in sides},
            {sees: lines(told, sees) for sees in sides},
            self.undo,
            t.record.left if t.clock else None,
            self._deadline(),
            t.payoffs if over else None,
            over and t.truncated,
            outcomes(t) if over else [],
            record.write(t.record) if over else None,
        )

    def _deadline(self) -> float | None:
        """Return when the time of the seat to move is up, if the clocks run."""
        return self.table.start_clock() if self._running and not self.table.over else None

    def earlier(self, ply: int, sides: Sequence[int]) -> Shown:
        """Return the table as it was."""
        again = self._then(ply)
        looks = {sees: self._sight.look(again, sees) for sees in sides}
        nothing: dict[int, list[Line]] = {sees: [] for sees in sides}
        return Shown(ply, again.turn, again.last, looks, nothing, False, None, None, None, False, [], None)

    def _then(self, ply: int) -> Table:
        """Return the table as it was after `ply` actions."""
        kept = self.table.record
        again = Table(kept.game, kept.variant, kept.seed, kept.starter, names=kept.agents)
        for action in kept.actions[:ply]:
            again.play(action)
        return again

    def text(self, ply: int, sees: int) -> str:
        """Return what a side knew after `ply` actions, in words; those who see what everybody knows get none."""
        if sees == SEES_PUBLIC:
            return ""
        table = self.table if ply == self.table.ply else self._then(ply)
        return table.text(None if sees == SEES_ALL else sees)

    def log(self, sees: int) -> list[Line]:
        """Return all that has happened in words, as a seat may know it; below 0: as all may."""
        return lines(self._events, sees)

    def record(self) -> str:
        """Return the game so far."""
        return record.write(self.table.record)
