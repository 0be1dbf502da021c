"""Server tables: a game in progress with its log, the views of all sides and undo.

Arguments and results of all methods can be sent to another process, and back.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from secrets import randbits
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from kozyr import agents
from kozyr.agents.agent import Scripted
from kozyr.agents.play.host.seat_view import RENDERER, SeatViewRenderer
from kozyr.agents.play.session.host_protocol import Decision, ProgramMessages, ProgramRequest, TableState, news
from kozyr.agents.play.session.words import Line, lines, outcomes
from kozyr.agents.programs.messages import MessageWriter
from kozyr.envs.compile import jit
from kozyr.envs.core import capabilities, dispatch
from kozyr.envs.core.labels import Phrase, PhraseError
from kozyr.envs.core.state import OVER
from kozyr.envs.pictures.scene import SEES_ALL, SEES_PUBLIC
from kozyr.envs.table import record
from kozyr.envs.table.event import Event
from kozyr.envs.table.table import Table, TableInfo

_WORLDS = 16  # that are imagined to see whether a move has revealed something


class Question(NamedTuple):
    """A decision for the agent in a seat.

    Attributes:
        seat: to move; ply: actions so far; view: of the seat; mask: of legal actions.
        deadline: of the answer, or None.
        events: since its last decision; event_count: of all events so far.
    """

    seat: int
    ply: int
    view: NDArray[Any]
    mask: NDArray[np.int8]
    deadline: float | None
    events: list[Event]
    event_count: int


class ServerTable:
    """A table on the server; `sides` are seats, SEES_ALL or SEES_PUBLIC.

    Args:
        line: its record.
        bots: names of the scripted players, by seat.
        me: the seat of the only person, if there is only one.
        first: actions that were played before the table was opened; they are not taken back.
        renderer: of the views; no two threads may share one.
    """

    def __init__(
        self,
        line: str,
        bots: Mapping[int, str],
        me: int | None,
        first: int = 0,
        renderer: SeatViewRenderer = RENDERER,
    ) -> None:
        self.table = Table.resume(record.read(line, verify=False))
        self._events = self.table.events()
        self._me, self._first, self._renderer = me, first, renderer
        self._running = False
        self._bots = {seat: self._bot(seat, name) for seat, name in bots.items()}
        self._before: tuple[int, NDArray[Any]] | None = None  # my last move: its ply, and the state before
        self._undo: bool | None = None  # None: not yet known
        self._find_last_move()

    def _bot(self, seat: int, name: str) -> Scripted:
        """Return a scripted player, whose choices nothing in the record foretells."""
        game = self.table.game
        bot = agents.load(name, game.name, **game.options(self.table.variant))
        bot.reset(seat, randbits(63))
        return cast(Scripted, bot)

    def play(self, action: int, sides: Sequence[int]) -> TableState:
        """Play for the seat to move.

        Raises:
            ValueError: for an illegal action, in words.
        """
        mine = self.table.turn == self._me
        before = self.table.state() if mine else None
        events = self.table.apply(action)
        if before is not None:
            self._before = (self.table.ply - 1, before)
        return self._after(events, sides)

    def play_scripted(self, sides: Sequence[int]) -> TableState:
        """Let the scripted player whose turn it is play."""
        t = self.table
        return self.play(self._bots[t.turn].act(t.view(t.turn), t.mask), sides)

    def forfeit(self, seat: int, reason: str, sides: Sequence[int]) -> TableState:
        """Let a seat lose; "time" says that it was late."""
        return self._after(self.table.forfeit(seat, reason), sides)

    def _after(self, events: list[Event], sides: Sequence[int]) -> TableState:
        self._events += events
        self._undo = None
        return self.state(sides, events)

    def rename(self, names: Sequence[str], sides: Sequence[int]) -> TableState:
        """Call the seats by other names."""
        self.table.names = tuple(names)
        return self.state(sides)

    def start_clocks(self, sides: Sequence[int]) -> TableState:
        """Let the clocks run from now on."""
        self._running = True
        return self.state(sides)

    def question(self, since: int) -> Question:
        """Return the decision of the seat to move, which knows the first `since` events."""
        t = self.table
        events = [event.for_seat(t.turn) for event in self._events[since:]]
        return Question(t.turn, t.ply, t.view(t.turn), t.mask, self._deadline(), events, len(self._events))

    def question_at(self, ply: int) -> Question:
        """Return the decision of the seat that was to move after `ply` actions, which knows no events yet.

        Raises:
            ValueError: if none was.
        """
        t = self.table if ply == self.table.ply else self._table_at(ply)
        if t.over:
            raise PhraseError("the game is over")
        events = [event.for_seat(t.turn) for event in self._events if event.ply <= ply]
        return Question(t.turn, ply, t.view(t.turn), t.mask, None, events, len(events))

    def program_hello(self) -> str:
        """Return the first message to a program."""
        return MessageWriter(self.table.game, self.table.variant).hello()

    def program_news(self, request: ProgramRequest) -> ProgramMessages:
        """Return the new messages to the program in a seat."""
        return news(self.table, self._events, self._deadline(), request)

    def say(self, ply: int, actions: Sequence[int]) -> list[Phrase]:
        """Return actions of the seat that was to move after `ply` actions in words, as its buttons have them."""
        t = self.table if ply == self.table.ply else self._table_at(ply)
        return [t.game.text.table_phrase(t.variant, t.states[0], action, t.turn) for action in actions]

    def info(self, seat: int) -> TableInfo:
        """Return a seat's description of the table at the beginning."""
        return self.table.info(seat)

    def take_back(self, sides: Sequence[int]) -> TableState:
        """Undo my last move and all after it.

        Raises:
            ValueError: if that is not allowed.
        """
        if not self.undo or self._before is None:
            raise PhraseError("this move cannot be taken back: it has shown something new")
        before, ply = self.table.record, self._before[0]
        self.table = Table.resume(replace(before, actions=before.actions[:ply], payoffs=[]))
        self._events = self.table.events()
        self._find_last_move()
        return self.state(sides)

    def _find_last_move(self) -> None:
        """Find my last move by playing the game again."""
        self._before = self._undo = None
        if self._me is None:
            return
        it = self.table.record
        again = Table(it.game, it.variant, it.seed, it.starter)
        for ply, action in enumerate(it.actions):
            if again.turn == self._me and ply >= self._first:
                self._before = (ply, again.state())
            again.play(action)

    @property
    def undo(self) -> bool:
        """True if my last move may be taken back: it and the moves since have revealed nothing."""
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
        worlds = np.zeros_like(states)
        return bool(reveals_nothing(t.variant, states, self._me, actions, views, worlds, t.mask, _WORLDS))

    def state(self, sides: Sequence[int], events: Sequence[Event] = ()) -> TableState:
        """Return the table as it is; `events` go into the log of the state."""
        t = self.table
        over = t.over
        return TableState(
            t.ply,
            t.turn,
            t.last,
            {sees: self._renderer.render(t, sees) for sees in sides},
            {sees: lines(events, sees) for sees in sides},
            self.undo,
            t.record.left if t.clock else None,
            self._deadline(),
            t.payoffs if over else None,
            over and t.truncated,
            outcomes(t) if over else [],
            record.write(t.record) if over else None,
        )

    def _deadline(self) -> float | None:
        """Return the deadline of the seat to move, if the clocks run."""
        return self.table.start_clock() if self._running and not self.table.over else None

    def earlier(self, ply: int, sides: Sequence[int]) -> TableState:
        """Return the table as it was."""
        again = self._table_at(ply)
        views = {sees: self._renderer.render(again, sees) for sees in sides}
        nothing: dict[int, list[Line]] = {sees: [] for sees in sides}
        return TableState(ply, again.turn, again.last, views, nothing, False, None, None, None, False, [], None)

    def _table_at(self, ply: int) -> Table:
        """Return the table as it was after `ply` actions."""
        it = self.table.record
        again = Table(it.game, it.variant, it.seed, it.starter, names=it.agents)
        for action in it.actions[:ply]:
            again.play(action)
        return again

    def decisions(self) -> list[Decision]:
        """Return all choices among several actions so far."""
        it, choices = self.table.record, list[Decision]()
        again = Table(it.game, it.variant, it.seed, it.starter, names=it.agents)
        for ply, action in enumerate(it.actions):
            if again.mask.sum() > 1:
                words = it.game.text.table_phrase(it.variant, again.state()[0], action, again.turn)
                choices.append(Decision(ply, again.turn, action, words))
            again.play(action)
        return choices

    def text(self, ply: int, sees: int) -> str:
        """Return the knowledge of a side after `ply` actions, in words; spectators of public views get none."""
        if sees == SEES_PUBLIC:
            return ""
        table = self.table if ply == self.table.ply else self._table_at(ply)
        return table.text(None if sees == SEES_ALL else sees)

    def log(self, sees: int) -> list[Line]:
        """Return the whole log, as a seat may know it; below 0: as all may."""
        return lines(self._events, sees)

    def record(self) -> str:
        """Return the game so far."""
        return record.write(self.table.record)


@jit
def reveals_nothing(
    v: Any,
    states: NDArray[Any],
    me: int,
    actions: NDArray[np.int64],
    views: NDArray[Any],
    world: NDArray[Any],
    mask: NDArray[np.int8],
    worlds: int,
) -> bool:
    """Return True if `actions` lead from each world that I could imagine in `states` to my view now, views[0].

    Then they have shown nothing new, and may be taken back.

    Args:
        v: the variant.
        states: [1] before the first of `actions`.
        me: my seat.
        actions: since then.
        views: [3, view], the first of which is my view now; the others, world: [1] states and mask: [actions]
            are written to.
        worlds: how many to imagine.
    """
    dispatch.observe(v, states[0], me, views[1])
    for seed in range(worlds):
        dispatch.imagine(v, views[1], seed, world[0])
        for i in range(len(actions)):
            if world[0].turn == OVER:
                return False
            dispatch.legal(v, world[0], mask)
            if not mask[actions[i]]:
                return False
            dispatch.play(v, world[0], actions[i])
        dispatch.observe(v, world[0], 0, views[2])
        for i in range(views.shape[1]):
            if views[0, i] != views[2, i]:
                return False
    return True
