"""Table session: one table, the clients at it, and the messages of PROTOCOL.md between them."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import inf
from typing import Any

from kozyr.agents.play.pages.opponents import is_guest, tidy
from kozyr.agents.play.pages.table_config import TableConfig
from kozyr.agents.play.session import messages
from kozyr.agents.play.session.connections import GOING_AWAY, Connection, Connections, Participant
from kozyr.agents.play.session.host_protocol import HostProtocol, MoveStore, ProgramMessages, ProgramRequest, TableState
from kozyr.agents.play.session.messages import State
from kozyr.agents.play.session.review import Review
from kozyr.agents.play.session.state_messages import StateMessages, unique_names
from kozyr.agents.play.session.table_talk import RematchRequests, emote_limit, name_limit
from kozyr.agents.play.session.tokens import Tokens
from kozyr.agents.play.session.words import Line, refusal
from kozyr.agents.player import RESIGNED
from kozyr.envs.core.labels import PhraseError
from kozyr.envs.core.quote import quote
from kozyr.envs.core.state import OVER
from kozyr.envs.pictures.scene import SEES_ALL, SEES_PUBLIC
from kozyr.envs.table.table import TIME

_log = logging.getLogger(__name__)
_LATE = 0.05  # seconds after a deadline at which it is looked at
_MOST_BRANCHES = 30  # tables that go on from a finished game
_AT_ONCE = 8  # answers of scripted players after which others have their turn


@dataclass(frozen=True)
class Hooks:
    """The server's functions that a session calls.

    Attributes:
        store: keeps the game.
        post: sends a message once everything stored before it is on disk.
        next_game: returns the address of the next game for each client; the first call says how, and opens its table.
        branch: returns the address of a table that goes on from an earlier position, for a seat (None: the mover's).
        ratings: returns the rating of each name in a game.
        ended: takes the payoffs of a game that is over.
        forget: closes the session; it is made anew from its record when somebody comes.
    """

    store: MoveStore
    post: Callable[[Connection, bytes], None]
    next_game: "Callable[[TableSession, str], Awaitable[dict[Connection, str]]]"
    branch: "Callable[[TableSession, int | None, int], Awaitable[str]]"
    ratings: Callable[[str], Awaitable[dict[str, float]]]
    ended: "Callable[[TableSession, Sequence[float]], None]"
    forget: "Callable[[TableSession], None]"


class TableSession:
    """The clients of one table and their game.

    Args:
        hooks: of the server.
        id: of the table; number: in the store; tokens: its secrets; config: its game, seats and clock.
        host: holds the position; state: of the table now.
        hints: names of agents that a person who plays only agents may ask.
        helped: whether a move was taken back or a hint asked for.
        analyst: the agent that looks at a finished game, or "".
    """

    def __init__(
        self,
        hooks: Hooks,
        id: str,  # noqa: A002 - what a reader looks for
        number: int,
        tokens: Tokens,
        config: TableConfig,
        host: HostProtocol,
        state: TableState,
        hints: Sequence[str] = (),
        helped: bool = False,
        analyst: str = "",
    ) -> None:
        self._hooks, self.id, self.number, self.tokens, self.host = hooks, id, number, tokens, host
        self.config: TableConfig = config
        self.state, self.helped = state, helped
        self.game, self.variant = config.variant()
        self.people, self._bots = config.people(), config.bots()
        self.connections = Connections(hooks.post, self.people)
        self._hints = list(hints) if sum(self.people) == 1 else []
        self._messages = StateMessages(id, config, tokens, self._hints, analyst)
        self._review = Review(host, analyst, self.connections.tell) if analyst else None
        self._emotes, self._new_names, self._rematch = emote_limit(), name_limit(), RematchRequests()
        self._branches = 0
        self._naming = set[asyncio.Task[None]]()
        self._lock = asyncio.Lock()
        self._closed = False
        self._timer: asyncio.TimerHandle | None = None
        self._running = False  # the clocks
        self._question: asyncio.Task[None] | None = None  # to an agent
        self.following: tuple[TableSession, int] | None = None  # the next game, and by how many seats all move for it
        self._advice: asyncio.Task[None] | None = None
        self._quiet_since = time.monotonic()
        self._handlers: dict[type, Callable[[Participant, Any], Awaitable[None]]] = {
            messages.Play: self._play,
            messages.Undo: self._undo,
            messages.Resign: self._resign,
            messages.Again: self._again,
            messages.Hint: self._hint,
            messages.Name: self._name,
            messages.Signal: self._emote,
            messages.Review: self._look_back,
            messages.Branch: self._branch,
            messages.Pace: self._refuse_pace,
            messages.Step: self._refuse_pace,
            messages.Ask: self._tell_text,
            messages.Ping: self._ping,
        }

    async def sit(self, connection: Connection, token: str, name: str = "") -> bool:
        """Let a client in, if its token opens something here.

        Args:
            connection: of the client; token: its secret.
            name: that a person has chosen before; it takes the place of "Guest".
        """
        place = self.tokens.find(token)
        if place is None:
            return False
        seat, host = place
        public = seat is None and self.config.sees == "public" and (any(self.people) or not host)
        sees = seat if seat is not None else SEES_PUBLIC if public else SEES_ALL
        participant = Participant(connection, seat, host, sees)
        async with self._lock:
            if seat is not None and name and is_guest(self.config.names[seat], seat):
                with suppress(ValueError):  # somebody else has it
                    await self._rename(seat, name)
            log: list[Line] = await self.host.log(sees)
            state = await self._visible_state([sees])
            self.connections.enter(participant)
            self.connections.tell(connection, self._messages.welcome(participant, log))
            self.connections.greet(participant, self._message(state, sees), state)
            self.connections.announce()
            self._tell_names([connection])
            await self._go_on()
        return True

    def leave(self, connection: Connection) -> None:
        """Let a client go."""
        self.connections.leave(connection)
        if self._review is not None:
            self._review.leave(connection)
        self._quiet_since = time.monotonic()

    def close(self, code: int = GOING_AWAY) -> None:
        """Forget the table; clients that are here have to come again, and are told why by a code."""
        self._closed = True
        self._stop_waiting()
        if self._review is not None:
            self._review.stop()
        self.connections.close(code)

    async def program_hello(self) -> str:
        """Return the first message to a program."""
        async with self._lock:
            return await self.host.program_hello()

    async def program_news(self, request: ProgramRequest) -> ProgramMessages:
        """Return the new messages to a program."""
        async with self._lock:
            return await self.host.program_news(request)

    async def come_home(self) -> None:
        """Hold the position in this process."""
        async with self._lock:
            await self.host.come_home()

    @property
    def ply(self) -> int:
        """The ply that is shown."""
        return self.state.ply

    @property
    def idle_since(self) -> float:
        """The time when the last client left; infinity while somebody is here or something runs."""
        busy = self.connections.participants or self._timer is not None or self._question is not None
        return inf if busy else self._quiet_since

    async def hear(self, connection: Connection, request: Any) -> None:
        """Carry out a client's request, or send the reason why not."""
        async with self._lock:
            participant = self.connections.participants.get(connection)
            if participant is None:
                return
            try:
                await self._handlers[type(request)](participant, request)
            except ValueError as error:
                self.connections.tell(connection, refusal(error))

    async def _play(self, participant: Participant, request: messages.Play) -> None:
        self._require_turn(participant)
        ply = self.state.ply
        if request.ply != ply:
            raise PhraseError(
                "this came too late or too early: {0} actions have been played, not {1}", ply, request.ply
            )
        try:
            await self._apply(await self.host.play(request.action, self.connections.sides))
        except ValueError:
            raise PhraseError("that is not legal now: choose something that is marked") from None
        participant.connection.forgive()

    def _require_turn(self, participant: Participant) -> None:
        if self.state.turn == OVER:
            raise PhraseError("the game is over")
        if participant.seat is None:
            raise PhraseError("those who watch do not play")
        if participant.seat != self.state.turn:
            raise PhraseError("it is not your turn")

    async def _undo(self, participant: Participant, request: Any) -> None:
        if participant.seat is None or not self.state.undo:
            raise PhraseError("this move cannot be taken back: it has shown something new, or there is none")
        self._stop_waiting()
        self.state = await self.host.take_back(self.connections.sides)
        self.helped = True
        self._hooks.store.cut(self.number, self.state.ply)
        self._show(self.state)
        await self._go_on()

    async def _resign(self, participant: Participant, request: Any) -> None:
        if participant.seat is None or self.state.turn == OVER:
            raise PhraseError("there is nothing to give up")
        await self._forfeit(participant.seat, RESIGNED)

    async def _again(self, participant: Participant, request: messages.Again) -> None:
        if participant.seat is None and not participant.host:
            raise PhraseError("those who watch do not begin games")
        if self.state.turn != OVER:
            raise PhraseError("this game is not over")
        if not self._agreed(participant, request.how):
            seats = [seat in self._rematch.seats for seat in range(len(self.people))]
            self._tell_all(messages.Rematch(request.how, seats))
            return
        for connection, address in (await self._hooks.next_game(self, request.how)).items():
            self.connections.tell(connection, messages.NextTable(address))

    def _agreed(self, participant: Participant, how: str) -> bool:
        """Return True if the next game may begin, of which there is but one; several people have to want the same."""
        if participant.seat is None or sum(self.people) < 2 or self.following is not None:
            return True
        self._rematch.ask(participant.seat, how)
        here = self.connections.participants.values()
        present = {one.seat for one in here if one.seat is not None and not one.connection.automatic}
        host = next((one.seat for one in here if one.host), None)
        return self._rematch.agreed(present, host)

    async def _name(self, participant: Participant, request: messages.Name) -> None:
        if participant.seat is None:
            raise PhraseError("those who watch have no name here")
        if self.state.turn == OVER:
            raise PhraseError("the game is over, and has the names that it was played under")
        self._new_names.require(participant.seat)
        await self._rename(participant.seat, request.name)

    async def _rename(self, seat: int, name: str) -> None:
        """Call a seat by another name."""
        name, others = tidy(name), [one for k, one in enumerate(self.config.names) if k != seat]
        if not name:
            raise PhraseError("a name has at least one character that can be seen")
        if name in others:
            raise PhraseError("somebody at this table has that name: choose another one")
        names = [name if k == seat else one for k, one in enumerate(self.config.names)]
        self.config = self._messages.config = self.config.with_names(names)
        self.state = await self.host.rename(names, self.connections.sides)
        self._hooks.store.rename(self.number, self.config)
        self._tell_names(list(self.connections.participants))
        self._show(self.state)

    def _tell_names(self, connections: Sequence[Connection]) -> None:
        task = asyncio.create_task(self._send_names(connections))
        self._naming.add(task)  # a task that nobody holds may be collected
        task.add_done_callback(self._naming.discard)

    async def _send_names(self, connections: Sequence[Connection]) -> None:
        """Tell clients the names of the seats, and their ratings."""
        ratings = await self._hooks.ratings(self.game.id)
        names = self.config.names
        own = [None if is_guest(name, seat) else ratings.get(name) for seat, name in enumerate(names)]
        for connection in connections:
            self.connections.tell(connection, messages.Names(unique_names(names), own))

    async def _emote(self, participant: Participant, request: messages.Signal) -> None:
        if participant.seat is None or sum(self.people) < 2:
            raise PhraseError("emotes are for people who play with people")
        self._emotes.require(participant.seat)
        self._tell_all(messages.SignalShown(participant.seat, request.emote))

    def _tell_all(self, message: Any) -> None:
        for connection in self.connections.participants:
            self.connections.tell(connection, message)

    async def _look_back(self, participant: Participant, request: messages.Review) -> None:
        if self._review is None or self.state.turn != OVER:
            raise PhraseError("a game is looked at once it is over")
        if request.run:
            self._review.begin(participant.connection, participant.seat)
        else:
            self._review.leave(participant.connection)

    async def _branch(self, participant: Participant, request: messages.Branch) -> None:
        if self.state.turn != OVER:
            raise PhraseError("a game goes on from an earlier position once it is over")
        if self._branches >= _MOST_BRANCHES:
            raise PhraseError("{0} tables go on from this game already: use one of them", _MOST_BRANCHES)
        self._branches += 1
        address = await self._hooks.branch(self, participant.seat, request.ply)
        self.connections.tell(participant.connection, messages.NextTable(address))

    async def _hint(self, participant: Participant, request: messages.Hint) -> None:
        self._require_turn(participant)
        if request.agent not in self._hints:
            raise PhraseError("{0} gives no hints at this table", quote(request.agent))
        if self._advice is not None and not self._advice.done():
            return  # the answer is on its way
        self.helped = True
        self._hooks.store.help(self.number)
        self._advice = asyncio.create_task(self._advise(participant.connection, request.agent))

    async def _advise(self, connection: Connection, agent: str) -> None:
        try:
            self.connections.tell(connection, await self.host.advise(agent, self.state.ply))
        except ValueError as error:
            self.connections.tell(connection, refusal(error))

    async def _refuse_pace(self, participant: Participant, request: Any) -> None:
        raise PhraseError("only a table at which only agents play has a pace")

    async def _tell_text(self, participant: Participant, request: Any) -> None:
        text = await self.host.text(self.ply, participant.sees)
        self.connections.tell(participant.connection, messages.PositionText(self.ply, text))

    async def _ping(self, participant: Participant, request: Any) -> None:
        self.connections.tell(participant.connection, messages.Pong())

    async def _forfeit(self, seat: int, reason: str) -> None:
        await self._apply(await self.host.forfeit(seat, reason, self.connections.sides))

    async def _apply(self, state: TableState) -> None:
        """Store and show a position that has changed, and go on."""
        self._stop_waiting()
        self._store(state)
        await self._go_on()

    def _store(self, state: TableState) -> None:
        """Store a new position, and show it once it is on disk.

        Raises:
            RuntimeError: if the table was closed meanwhile: what is stored now would be missing a move.
        """
        if self._closed:
            raise RuntimeError(f"table {self.id} was closed while it was played at")
        before, self.state = self.state, state
        if state.ply > before.ply:
            self._hooks.store.move(self.number, state.ply, state.action, state.left)
        if state.record is not None:
            self._hooks.store.end(self.number, state.record, state.payoffs or [])
            self._hooks.ended(self, state.payoffs or [])
            self._tell_names(list(self.connections.participants))  # with new ratings
        self._show(state)

    async def _go_on(self) -> None:
        """Let those play who answer at once, ask those who do not, and let the clock run."""
        if self.config.clock is not None and not self._running and self.connections.complete:
            self._running = True
            self.state = await self.host.start_clocks(self.connections.sides)
            self._show(self.state)
        answers = 0
        while self.state.turn in self._bots and self.connections.complete:
            answers += 1
            if answers % _AT_ONCE == 0:
                await asyncio.sleep(0)
            self._store(await self.host.play_scripted(self.connections.sides))
        if self.state.turn != OVER and self.connections.complete:
            if not self.people[self.state.turn] and self._question is None:
                self._question = asyncio.create_task(self._ask())
            self._start_timer()

    async def _ask(self) -> None:
        """Ask an agent that takes its time, and play its answer."""
        seat = self.state.turn
        try:
            answer = await self.host.ask(seat)
            async with self._lock:
                await self._play_answer(seat, answer)
        except Exception:
            _log.exception("table %s has failed; whoever comes again finds it as it was kept", self.id)
            self._hooks.forget(self)

    async def _play_answer(self, seat: int, answer: int | str) -> None:
        """Play an agent's answer; a text is the reason why it loses."""
        self._question = None
        if isinstance(answer, str):
            await self._forfeit(seat, answer)
            return
        try:
            await self._apply(await self.host.play(answer, self.connections.sides))
        except ValueError:
            await self._forfeit(seat, "illegal action")

    def _stop_waiting(self) -> None:
        """Wait neither for an agent nor for the clock."""
        question, self._question = self._question, None
        if question is not None and question is not asyncio.current_task():
            question.cancel()
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None

    def _start_timer(self) -> None:
        """Look when the time of the seat to move is up."""
        if self.state.deadline is not None and self._timer is None:
            wait = self.state.deadline - time.monotonic() + _LATE
            self._timer = asyncio.get_running_loop().call_later(max(wait, 0), self._ring, self.state.ply)

    def _ring(self, ply: int) -> None:
        self._timer = None
        self._timeout = asyncio.create_task(self._time_out(ply))  # a task that nobody holds may be collected

    async def _time_out(self, ply: int) -> None:
        async with self._lock:
            if self.state.turn != OVER and self.state.ply == ply:
                await self._forfeit(self.state.turn, TIME)

    # The position that clients see

    async def _visible_state(self, sides: Sequence[int]) -> TableState:
        """Return the position that is shown."""
        return await self.host.state(sides)

    def _show(self, state: TableState) -> None:
        self.connections.show(state, self._message)

    def _message(self, state: TableState, sees: int) -> State:
        """Return a position as a side sees it, its scene left out."""
        return self._messages.state(state, sees, None, self.helped)
