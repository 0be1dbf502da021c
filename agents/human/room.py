"""A room: one table, who sits at it, and what they say and are told. PROTOCOL.md is its interface."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from math import inf
from typing import Any, Protocol

from kozyr.agents.human import link as links
from kozyr.agents.human import messages
from kozyr.agents.human.link import Link
from kozyr.agents.human.messages import Drawn, State
from kozyr.agents.human.position import Shown
from kozyr.agents.human.setup import Setup
from kozyr.agents.human.side import Side
from kozyr.agents.human.store import Store
from kozyr.agents.human.tokens import Tokens
from kozyr.agents.player import RESIGNED
from kozyr.envs.api.table import TIME
from kozyr.envs.core.scene import SEES_ALL, SEES_PUBLIC
from kozyr.envs.core.state import OVER

_LATE = 0.05  # seconds after a deadline at which it is looked at
_AT_ONCE = 8  # answers of scripted players after which others have their turn
_NO_SCENE = Drawn(0, 0, [])


class Engine(Protocol):
    """Where the position of a room is: here, or in another process."""

    async def do(self, name: str, *args: Any) -> Any:
        """Call a method of `Position`."""
        ...

    async def ask(self, seat: int) -> int | str:
        """Return the action of the agent in a seat whose turn it is, or why it loses."""
        ...

    def close(self) -> None:
        """Forget the table."""
        ...


class Desk(Protocol):
    """What a room needs of the house."""

    store: Store

    def post(self, to: Link, message: bytes) -> None:
        """Send a message once all that was kept before is written."""
        ...

    async def again(self, room: "Room", how: str) -> dict[Link, str]:
        """Open the next table, and return where each goes."""
        ...

    def finished(self, room: "Room", payoffs: Sequence[float]) -> None:
        """Hear how a game has ended."""
        ...

    async def advise(self, room: "Room", agent: str) -> messages.Advice:
        """Ask an agent what it would do in the seat to move."""
        ...


class Person:
    """One who is connected, and what he may do."""

    def __init__(self, link: Link, seat: int | None, host: bool, sees: int) -> None:
        self.link, self.seat, self.host, self.sees = link, seat, host, sees


class Room:
    """One table.

    Args:
        desk: the house.
        id: of the table; number: in the store; tokens: who may do what.
        setup: what was agreed.
        engine: where the position is; now: how it stands.
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
        helped: bool = False,
    ) -> None:
        self.desk, self.id, self.number, self.tokens, self.setup, self.engine = desk, id, number, tokens, setup, engine
        self.now, self.helped = now, helped
        self.game, self.variant = setup.variant()
        self.people, self._bots = setup.people(), setup.bots()
        self.persons = dict[Link, Person]()
        self._sides = dict[int, Side]()
        self._here: list[Link | None] = [None] * len(setup.seats)
        self._came = [not person for person in self.people]
        self._lock = asyncio.Lock()
        self._timer: asyncio.TimerHandle | None = None
        self._running = False
        self._asked: asyncio.Task[None] | None = None
        self.quiet_since = time.monotonic()
        self._does: dict[type, Callable[[Person, Any], Awaitable[None]]] = {
            messages.Play: self._play,
            messages.Undo: self._undo,
            messages.Resign: self._resign,
            messages.Again: self._again,
            messages.Hint: self._hint,
            messages.Pace: self._pace,
            messages.Step: self._pace,
            messages.Ping: self._ping,
        }

    # Who comes and goes

    async def sit(self, link: Link, said: messages.Sit) -> bool:
        """Let a client in, if its token opens something here."""
        found = self.tokens.find(said.token)
        if found is None:
            return False
        seat, host = found
        sees = seat if seat is not None else SEES_ALL if self.setup.sees == "all" else SEES_PUBLIC
        if seat is None and host and not any(self.people):
            sees = SEES_ALL
        async with self._lock:
            person = self.persons[link] = Person(link, seat, host, sees)
            if seat is not None:
                self._take(seat, link)
            side = self._sides.setdefault(sees, Side(sees))
            shown = await self.engine.do("shown", [sees])
            self._tell(link, self._welcome(person, await self.engine.do("log", sees)))
            self.desk.post(link, side.greet(link, self._state(shown, sees, []), shown.looks[sees].rows))
            self._tell_people()
            await self._go_on()
        return True

    def _take(self, seat: int, link: Link) -> None:
        """Give a seat to the window that came last."""
        before = self._here[seat]
        self._here[seat], self._came[seat] = link, True
        if before is not None:
            before.close(links.TAKEN)
            self._forget(before)

    def leave(self, link: Link) -> None:
        """Let a client go."""
        person = self.persons.get(link)
        if person is not None:
            if person.seat is not None and self._here[person.seat] is link:
                self._here[person.seat] = None
            self._forget(link)
            self._tell_people()
        self.quiet_since = time.monotonic()

    def _forget(self, link: Link) -> None:
        person = self.persons.pop(link, None)
        if person is not None:
            side = self._sides[person.sees]
            side.links.pop(link, None)
            if not side.links:
                del self._sides[person.sees]

    def _welcome(self, person: Person, log: list[Any]) -> messages.Welcome:
        setup = self.setup
        kinds = ["me" if k == person.seat else "person" if one else "agent" for k, one in enumerate(self.people)]
        return messages.Welcome(
            self.id,
            self.game.name,
            self.game.title,
            self.game.options(self.variant),
            len(setup.seats),
            person.seat,
            person.host,
            setup.names,
            kinds,
            dict(self.game.labels),
            log,
            self._hints(),
            setup.clock,
            self.tokens.links(self.id, setup) if person.host else None,
        )

    def _hints(self) -> list[str]:
        return []

    def _tell_people(self) -> None:
        here = [link is not None for link in self._here]
        told = messages.write(messages.People(here, sum(one.seat is None for one in self.persons.values())))
        for link in self.persons:
            self.desk.post(link, told)

    def _tell(self, link: Link, message: Any) -> None:
        self.desk.post(link, messages.write(message))

    # What they say

    async def hear(self, link: Link, said: Any) -> None:
        """Do what a client asks, or say why not."""
        person = self.persons.get(link)
        if person is None:
            return
        async with self._lock:
            try:
                await self._does[type(said)](person, said)
            except ValueError as error:
                self._tell(link, messages.Refused(str(error)))

    async def _play(self, person: Person, said: messages.Play) -> None:
        self._require_turn(person)
        if said.ply != self.now.ply:
            raise ValueError(f"{said.ply} moves are not what was played: {self.now.ply} were")
        await self._change("play", said.action)

    async def _undo(self, person: Person, said: Any) -> None:
        if person.seat is None or not self.now.undo:
            raise ValueError("this move cannot be taken back")
        self._stop_asking()
        self.now = await self.engine.do("take_back", list(self._sides))
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
            self._tell(link, messages.Moved(where))

    async def _hint(self, person: Person, said: messages.Hint) -> None:
        self._require_turn(person)
        if said.agent not in self._hints():
            raise ValueError(f"{said.agent!r} gives no hints at this table")
        self._tell(person.link, await self.desk.advise(self, said.agent))

    def close(self) -> None:
        """Forget the table; whoever is here has to come again."""
        self._stop_asking()
        for link in list(self.persons):
            link.close(links.GOING_AWAY)
        self.engine.close()

    @property
    def idle_since(self) -> float:
        """When the last one left; infinity while somebody is here or a clock runs."""
        return inf if self.persons or self._timer is not None or self._asked is not None else self.quiet_since

    async def _pace(self, person: Person, said: messages.Pace) -> None:
        raise ValueError("this table goes at the pace of its people")

    async def _ping(self, person: Person, said: Any) -> None:
        self._tell(person.link, messages.Pong())

    def _require_turn(self, person: Person) -> None:
        if self.now.turn == OVER:
            raise ValueError("the game is over")
        if person.seat is None:
            raise ValueError("those who watch do not play")
        if person.seat != self.now.turn:
            raise ValueError("it is not your turn")

    # What happens then

    async def _change(self, name: str, *args: Any) -> None:
        """Change the position, keep and show it, and go on."""
        self._stop_asking()
        self._keep(await self.engine.do(name, *args, list(self._sides)))
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
        if self.setup.clock is not None and not self._running and self._ready():
            self._running = True
            self.now = await self.engine.do("run", list(self._sides))
            self._show(self.now)
        answers = 0
        while self.now.turn != OVER and self._ready() and self.now.turn in self._bots:
            if answers and answers % _AT_ONCE == 0:
                await asyncio.sleep(0)
            answers += 1
            self._keep(await self.engine.do("answer", list(self._sides)))
        if self.now.turn == OVER or not self._ready():
            return
        if not self.people[self.now.turn] and self._asked is None:
            self._asked = asyncio.create_task(self._ask(self.now.turn))
        self._start_clock()

    def _ready(self) -> bool:
        """Whether everybody has been here."""
        return all(self._came) and bool(self.persons)

    async def _ask(self, seat: int) -> None:
        """Ask an agent that takes its time."""
        answer = await self.engine.ask(seat)
        async with self._lock:
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
        self._stop_clock()

    def _start_clock(self) -> None:
        """Look when the time of the seat to move is up."""
        if self.now.deadline is not None and self._timer is None:
            wait = self.now.deadline - time.monotonic() + _LATE
            self._timer = asyncio.get_running_loop().call_later(max(wait, 0), self._ring, self.now.ply)

    def _stop_clock(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None

    def _ring(self, ply: int) -> None:
        self._timer = None
        task = asyncio.create_task(self._time_out(ply))
        self._rings = task  # what nobody holds may be collected

    async def _time_out(self, ply: int) -> None:
        async with self._lock:
            if self.now.turn != OVER and self.now.ply == ply:
                await self._change("forfeit", self.now.turn, TIME)

    # What they are told

    def _show(self, now: Shown) -> None:
        """Show a position to all who are here."""
        for sees, side in self._sides.items():
            if sees in now.looks:
                state = self._state(now, sees, now.lines[sees])
                for link, message in side.tell(state, now.looks[sees].rows):
                    self.desk.post(link, message)

    def _state(self, now: Shown, sees: int, events: list[Any]) -> State:
        """Return a position as a side sees it, its scene left out."""
        look = now.looks[sees]
        over = None
        if now.payoffs is not None:
            over = messages.Over(now.payoffs, now.results, now.truncated, f"/tables/{self.id}/record")
        deadline = None if now.deadline is None else max(now.deadline - time.monotonic(), 0.0)
        undo = now.undo and sees >= 0 and self.people[sees]
        return State(
            now.ply, now.turn, 0, _NO_SCENE, look.choices, events, look.text, undo, now.left, deadline, over, None
        )
