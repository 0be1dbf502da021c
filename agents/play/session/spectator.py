"""A room in which only agents play: its host sets the pace, goes on and looks back, and sees what each would do."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from kozyr.agents.play.host.server_table import Shown
from kozyr.agents.play.session import messages
from kozyr.agents.play.session.connections import Person
from kozyr.agents.play.session.link import Link
from kozyr.agents.play.session.messages import State
from kozyr.agents.play.session.playback import Pace
from kozyr.agents.play.session.table_session import Room
from kozyr.envs.core.state import OVER
from kozyr.envs.pictures.scene import SEES_ALL

_MOST_STEPS = 100  # that one message may ask for beyond what has been played
_PATIENT = 0.25  # seconds between two plies below which nobody is asked what it thinks


class Watched(Room):
    """One table of agents; it takes what a `Room` takes."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._pace = Pace(self._step)
        self._pace.ply = self.now.ply
        self._thinking: asyncio.Task[None] | None = None
        self._opinions: dict[str, messages.Advice] = {}
        self._does |= {messages.Pace: self._set_pace, messages.Step: self._look_on}

    @property
    def ply(self) -> int:
        """The ply that is shown."""
        return min(self._pace.ply, self.now.ply)

    async def sit(self, link: Link, token: str) -> bool:
        """Let a client in, and tell it what has been thought of the position."""
        came = await super().sit(link, token)
        person = self.company.persons.get(link)
        if came and person is not None and person.sees == SEES_ALL:
            if not self._opinions:
                self._think()
            for one in self._opinions.values():
                self.company.tell(link, one)
        return came

    def leave(self, link: Link) -> None:
        """Let a client go; nothing goes on while nobody watches."""
        super().leave(link)
        if not self.company.persons:
            self._pace.stop()
            self._stop_thinking()

    def close(self) -> None:
        """Forget the table."""
        super().close()
        self._pace.stop()
        self._stop_thinking()

    async def _set_pace(self, person: Person, said: messages.Pace) -> None:
        self._require_host(person)
        self._pace.set(said.running, said.delay)
        self._show(await self._seen(self.company.sides))
        await self._go_on()

    async def _look_on(self, person: Person, said: messages.Step) -> None:
        self._require_host(person)
        self._pace.set(running=False, delay=self._pace.delay)
        asyncio.get_running_loop().call_soon(self._step_on, said.by)

    def _step_on(self, by: int) -> None:
        self._stepping = asyncio.create_task(self._step(by))

    def _require_host(self, person: Person) -> None:
        if not person.host:
            raise ValueError("only the host of this table sets its pace")

    async def _go_on(self) -> None:
        if self.now.turn != OVER or self._pace.ply < self.now.ply:
            self._pace.run()

    async def _step(self, by: int) -> bool:
        """Show another ply, playing on where the game ends so far, and tell whether there are more."""
        pace = self._pace
        for _ in range(min(by, _MOST_STEPS) if by > 0 else 0):
            if pace.ply < self.now.ply or self.now.turn == OVER:
                break
            await self._play_one()
            by -= 1
        async with self._lock:
            ply = min(max(pace.ply + by, 0), self.now.ply)
            if ply != pace.ply:
                pace.ply = ply
                self._show(await self._seen(self.company.sides))
            return pace.ply < self.now.ply or self.now.turn != OVER

    async def _play_one(self) -> None:
        """Let the agent whose turn it is play."""
        if self.now.turn in self._bots:
            async with self._lock:
                self._keep(await self.engine.do("answer", self.company.sides))
            return
        await self._ask()

    def _keep(self, now: Shown) -> None:
        self._pace.ply = now.ply
        super()._keep(now)

    async def _seen(self, sides: Sequence[int]) -> Shown:
        """Return the position that is shown, which is an earlier one where the host looks back."""
        if self._pace.ply < self.now.ply:
            return await self.engine.do("earlier", self._pace.ply, sides)
        return await self.engine.do("shown", sides)

    def _state(self, now: Shown, sees: int) -> State:
        return self.teller.state(now, sees, self._pace.told(self.now.ply))

    def _show(self, now: Shown) -> None:
        super()._show(now)
        self._think()

    # What the agents think of what is shown

    def _think(self) -> None:
        """Ask all agents at the table what they would do, unless the next ply comes too soon for an answer."""
        self._stop_thinking()
        self._opinions = {}
        quick = self._pace.told(0).running and self._pace.delay < _PATIENT
        if SEES_ALL in self.company.sides and not quick:
            self._thinking = asyncio.create_task(self._opine(self.ply))

    def _stop_thinking(self) -> None:
        if self._thinking is not None:
            self._thinking.cancel()
        self._thinking = None

    async def _opine(self, ply: int) -> None:
        """Tell those who see everything what each agent would do in the seat to move."""
        for agent in dict.fromkeys(self.setup.seats):
            with suppress(ValueError):  # it has nothing to say
                said = await self.engine.advise(agent, ply)
                if ply != self.ply:
                    return
                self._opinions[agent] = said
                for link, one in self.company.persons.items():
                    if one.sees == SEES_ALL:
                        self.company.tell(link, said)
