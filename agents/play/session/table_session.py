"""A room: one table, those who sit at it, and what they say. PROTOCOL.md is its interface."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from math import inf
from typing import Any

from kozyr.agents.play.host.server_table import Shown
from kozyr.agents.play.host.table_host import Engine
from kozyr.agents.play.pages.table_config import Setup
from kozyr.agents.play.session import messages
from kozyr.agents.play.session.connections import Company, Person
from kozyr.agents.play.session.desk import Desk
from kozyr.agents.play.session.link import Link
from kozyr.agents.play.session.log import Line
from kozyr.agents.play.session.messages import State
from kozyr.agents.play.session.state_messages import Teller
from kozyr.agents.play.session.tokens import Tokens
from kozyr.agents.player import RESIGNED
from kozyr.envs.core.state import OVER
from kozyr.envs.pictures.scene import SEES_ALL, SEES_PUBLIC
from kozyr.envs.table.table import TIME

_log = logging.getLogger(__name__)
_LATE = 0.05  # seconds after a deadline at which it is looked at
_AT_ONCE = 8  # answers of scripted players after which others have their turn


class Room:
    """One table.

    Args:
        desk: the house.
        id: of the table; number: in the store; tokens: who may do what.
        setup: what was agreed.
        engine: where the position is; now: how it stands.
        hints: names of agents that a person who plays only agents may ask.
        helped: whether a move was taken back or a hint asked for.
    """

    def __init__(
        self,
        desk: Desk,
        id: str,  # noqa: A002 - what a reader looks for
        number: int,
        tokens: Tokens,
        setup: Setup,
        engine: Engine,
        now: Shown,
        hints: Sequence[str] = (),
        helped: bool = False,
    ) -> None:
        self.desk, self.id, self.number, self.tokens, self.setup, self.engine = desk, id, number, tokens, setup, engine
        self.now, self.helped = now, helped
        self.game, self.variant = setup.variant()
        self.people, self._bots = setup.people(), setup.bots()
        self.company = Company(desk.post, self.people)
        self._hints = list(hints) if sum(self.people) == 1 else []
        self.teller = Teller(id, setup, tokens, self._hints)
        self._lock = asyncio.Lock()
        self._timer: asyncio.TimerHandle | None = None
        self._running = False  # the clocks
        self._asked: asyncio.Task[None] | None = None
        self.following: tuple[Room, int] | None = None  # the next game, and by how many seats all move for it
        self._advising: asyncio.Task[None] | None = None
        self._quiet_since = time.monotonic()
        self._does: dict[type, Callable[[Person, Any], Awaitable[None]]] = {
            messages.Play: self._play,
            messages.Undo: self._undo,
            messages.Resign: self._resign,
            messages.Again: self._again,
            messages.Hint: self._hint,
            messages.Pace: self._refuse_pace,
            messages.Step: self._refuse_pace,
            messages.Ask: self._tell_text,
            messages.Ping: self._ping,
        }

    async def sit(self, link: Link, token: str) -> bool:
        """Let a client in, if its token opens something here."""
        found = self.tokens.find(token)
        if found is None:
            return False
        seat, host = found
        public = seat is None and self.setup.sees == "public" and (any(self.people) or not host)
        person = Person(link, seat, host, seat if seat is not None else SEES_PUBLIC if public else SEES_ALL)
        async with self._lock:
            log: list[Line] = await self.engine.do("log", person.sees)
            shown = await self._seen([person.sees])
            self.company.enter(person)
            self.company.tell(link, self.teller.welcome(person, log))
            self.company.greet(person, self._state(shown, person.sees), shown)
            self.company.tell_who_is_here()
            await self._go_on()
        return True

    def leave(self, link: Link) -> None:
        """Let a client go."""
        self.company.leave(link)
        self._quiet_since = time.monotonic()

    def close(self) -> None:
        """Forget the table; whoever is here has to come again."""
        self._stop_asking()
        self.company.close()

    async def told(self, name: str, *args: Any) -> Any:
        """Return what a program is told: `hello` or `news` of `Position`."""
        async with self._lock:
            return await self.engine.do(name, *args)

    async def come_home(self) -> None:
        """Hold the position in this process."""
        async with self._lock:
            await self.engine.come_home()

    @property
    def ply(self) -> int:
        """The ply that is shown."""
        return self.now.ply

    @property
    def idle_since(self) -> float:
        """When the last one left; infinity while somebody is here or something runs."""
        return inf if self.company.persons or self._timer is not None or self._asked is not None else self._quiet_since

    async def hear(self, link: Link, said: Any) -> None:
        """Do what a client asks, or say why not."""
        async with self._lock:
            person = self.company.persons.get(link)
            if person is None:
                return
            try:
                await self._does[type(said)](person, said)
            except ValueError as error:
                self.company.tell(link, messages.Refused(str(error)))

    async def _play(self, person: Person, said: messages.Play) -> None:
        self._require_turn(person)
        if said.ply != self.now.ply:
            raise ValueError(
                f"this came too late or too early: {self.now.ply} actions have been played, not {said.ply}"
            )
        try:
            await self._change("play", said.action)
        except ValueError:
            raise ValueError("that is not legal now: choose something that is marked") from None
        person.link.forgive()

    def _require_turn(self, person: Person) -> None:
        if self.now.turn == OVER:
            raise ValueError("the game is over")
        if person.seat is None:
            raise ValueError("those who watch do not play")
        if person.seat != self.now.turn:
            raise ValueError("it is not your turn")

    async def _undo(self, person: Person, said: Any) -> None:
        if person.seat is None or not self.now.undo:
            raise ValueError("this move cannot be taken back: it has shown something new, or there is none")
        self._stop_asking()
        self.now = await self.engine.do("take_back", self.company.sides)
        self.engine.forget()
        self.helped = True
        self.desk.store.cut(self.number, self.now.ply)
        self._show(self.now)
        await self._go_on()

    async def _resign(self, person: Person, said: Any) -> None:
        if person.seat is None or self.now.turn == OVER:
            raise ValueError("there is nothing to give up")
        await self._change("forfeit", person.seat, RESIGNED)

    async def _again(self, person: Person, said: messages.Again) -> None:
        if person.seat is None and not person.host:
            raise ValueError("those who watch do not begin games")
        if self.now.turn != OVER:
            raise ValueError("this game is not over")
        for link, where in (await self.desk.again(self, said.how)).items():
            self.company.tell(link, messages.Moved(where))

    async def _hint(self, person: Person, said: messages.Hint) -> None:
        self._require_turn(person)
        if said.agent not in self._hints:
            raise ValueError(f"{said.agent!r} gives no hints at this table")
        if self._advising is not None and not self._advising.done():
            return  # the answer is on its way
        self.helped = True
        self.desk.store.help(self.number)
        self._advising = asyncio.create_task(self._advise(person.link, said.agent))

    async def _advise(self, link: Link, agent: str) -> None:
        try:
            self.company.tell(link, await self.engine.advise(agent, self.now.ply))
        except ValueError as error:
            self.company.tell(link, messages.Refused(str(error)))

    async def _refuse_pace(self, person: Person, said: Any) -> None:
        raise ValueError("only a table at which only agents play has a pace")

    async def _tell_text(self, person: Person, said: Any) -> None:
        text = await self.engine.do("text", self.ply, person.sees)
        self.company.tell(person.link, messages.Known(self.ply, text))

    async def _ping(self, person: Person, said: Any) -> None:
        self.company.tell(person.link, messages.Pong())

    async def _change(self, name: str, *args: Any) -> None:
        """Change the position, keep and show it, and go on."""
        now = await self.engine.do(name, *args, self.company.sides)
        self._stop_asking()
        self._keep(now)
        await self._go_on()

    def _keep(self, now: Shown) -> None:
        """Keep a new position, and show it once it is kept."""
        before, self.now = self.now, now
        if now.ply > before.ply:
            self.desk.store.move(self.number, now.ply, now.action, now.left)
        if now.record is not None:
            self.desk.store.end(self.number, now.record, now.payoffs or [])
            self.desk.finished(self, now.payoffs or [])
        self._show(now)

    async def _go_on(self) -> None:
        """Let those play who answer at once, ask those who do not, and let the clock run."""
        if self.setup.clock is not None and not self._running and self.company.complete:
            self._running = True
            self.now = await self.engine.do("run", self.company.sides)
            self._show(self.now)
        answers = 0
        while self.now.turn in self._bots and self.company.complete:
            answers += 1
            if answers % _AT_ONCE == 0:
                await asyncio.sleep(0)
            self._keep(await self.engine.do("answer", self.company.sides))
        if self.now.turn != OVER and self.company.complete:
            if not self.people[self.now.turn] and self._asked is None:
                self._asked = asyncio.create_task(self._ask())
            self._start_clock()

    async def _ask(self) -> None:
        """Ask an agent that takes its time, and play what it answers."""
        seat = self.now.turn
        try:
            answer = await self.engine.ask(seat)
            async with self._lock:
                await self._answered(seat, answer)
        except Exception:
            _log.exception("table %s has failed; whoever comes again finds it as it was kept", self.id)
            self.desk.forget(self)

    async def _answered(self, seat: int, answer: int | str) -> None:
        """Play what an agent has answered; a text says why it loses."""
        self._asked = None
        if isinstance(answer, str):
            await self._change("forfeit", seat, answer)
            return
        try:
            await self._change("play", answer)
        except ValueError:
            await self._change("forfeit", seat, "illegal action")

    def _stop_asking(self) -> None:
        asked, self._asked = self._asked, None
        if asked is not None and asked is not asyncio.current_task():
            asked.cancel()
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None

    def _start_clock(self) -> None:
        """Look when the time of the seat to move is up."""
        if self.now.deadline is not None and self._timer is None:
            wait = self.now.deadline - time.monotonic() + _LATE
            self._timer = asyncio.get_running_loop().call_later(max(wait, 0), self._ring, self.now.ply)

    def _ring(self, ply: int) -> None:
        self._timer = None
        self._ringing = asyncio.create_task(self._time_out(ply))  # what nobody holds may be collected

    async def _time_out(self, ply: int) -> None:
        async with self._lock:
            if self.now.turn != OVER and self.now.ply == ply:
                await self._change("forfeit", self.now.turn, TIME)

    # What they are shown

    async def _seen(self, sides: Sequence[int]) -> Shown:
        """Return the position that is shown."""
        return await self.engine.do("shown", sides)

    def _show(self, now: Shown) -> None:
        self.company.show(now, self._state)

    def _state(self, now: Shown, sees: int) -> State:
        """Return a position as a side sees it, its scene left out."""
        return self.teller.state(now, sees, None)
