"""Spectated tables: agents play, the host sets the pace and looks back, and spectators see the agents' advice."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Any

from kozyr.agents.play.session import messages
from kozyr.agents.play.session.connections import GOING_AWAY, Connection, Participant
from kozyr.agents.play.session.host_protocol import TableState
from kozyr.agents.play.session.messages import PlaybackState, State
from kozyr.agents.play.session.table_session import TableSession
from kozyr.envs.core.labels import PhraseError
from kozyr.envs.core.state import OVER
from kozyr.envs.pictures.scene import SEES_ALL

DELAY = 0.8  # seconds between two plies, at first
_MOST_STEPS = 100  # that one message may ask for beyond what has been played
_PATIENT = 0.25  # seconds between two plies below which no agent is asked for advice


class Playback:
    """The ply that is shown, and the pace at which the next ones are.

    Args:
        step: goes by some plies from the one that is shown, and returns whether there are more.

    Attributes:
        running: whether it goes on by itself; delay: seconds between two plies.
        ply: the one that is shown, which may be an earlier one.
    """

    def __init__(self, step: Callable[[int], Awaitable[bool]]) -> None:
        self._step = step
        self.running, self.delay, self.ply = True, DELAY, 0
        self._task: asyncio.Task[None] | None = None

    def state(self, plies: int) -> PlaybackState:
        """Return the pace as it is sent to clients."""
        return PlaybackState(self.running, self.delay, self.ply, plies)

    def set(self, running: bool, delay: float) -> None:
        """Go on, or pause; `run` has to be called then."""
        self.running, self.delay = running, delay
        self.stop()

    def run(self) -> None:
        """Go on, unless it is paused."""
        if self.running and self._task is None:
            self._task = asyncio.create_task(self._go())
            self._task.add_done_callback(self._done)

    def stop(self) -> None:
        """Stop for now."""
        task, self._task = self._task, None
        if task is not None and task is not asyncio.current_task():
            task.cancel()

    def _done(self, task: asyncio.Task[None]) -> None:
        if self._task is task:
            self._task = None

    async def _go(self) -> None:
        more = True
        while more:
            await asyncio.sleep(self.delay)
            more = await self._step(1)


class SpectatedTable(TableSession):
    """One table of agents; it takes the arguments of a `TableSession`."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._playback = Playback(self._step)
        self._playback.ply = self.state.ply
        self._thinking: asyncio.Task[None] | None = None
        self._opinions: dict[str, messages.Advice] = {}
        self._handlers |= {messages.Pace: self._set_pace, messages.Step: self._look_on}

    @property
    def ply(self) -> int:
        """The ply that is shown."""
        return min(self._playback.ply, self.state.ply)

    async def sit(self, connection: Connection, token: str, name: str = "") -> bool:
        """Let a client in, and send it the agents' advice on the position."""
        entered = await super().sit(connection, token, name)
        participant = self.connections.participants.get(connection)
        if entered and participant is not None and participant.sees == SEES_ALL:
            if not self._opinions:
                self._think()
            for one in self._opinions.values():
                self.connections.tell(connection, one)
        return entered

    def leave(self, connection: Connection) -> None:
        """Let a client go; nothing goes on while nobody watches."""
        super().leave(connection)
        if not self.connections.participants:
            self._playback.stop()
            self._stop_thinking()

    def close(self, code: int = GOING_AWAY) -> None:
        """Forget the table."""
        super().close(code)
        self._playback.stop()
        self._stop_thinking()

    async def _set_pace(self, participant: Participant, request: messages.Pace) -> None:
        self._require_host(participant)
        self._playback.set(request.running, request.delay)
        self._show(await self._visible_state(self.connections.sides))
        await self._go_on()

    async def _look_on(self, participant: Participant, request: messages.Step) -> None:
        self._require_host(participant)
        self._playback.set(running=False, delay=self._playback.delay)
        asyncio.get_running_loop().call_soon(self._step_on, request.by)

    def _step_on(self, by: int) -> None:
        self._stepping = asyncio.create_task(self._step(by))

    def _require_host(self, participant: Participant) -> None:
        if not participant.host:
            raise PhraseError("only the host of this table sets its pace")

    async def _go_on(self) -> None:
        if self.state.turn != OVER or self._playback.ply < self.state.ply:
            self._playback.run()

    async def _step(self, by: int) -> bool:
        """Show another ply, playing on where the game ends so far, and tell whether there are more."""
        playback = self._playback
        for _ in range(min(by, _MOST_STEPS) if by > 0 else 0):
            if playback.ply < self.state.ply or self.state.turn == OVER:
                break
            await self._play_one()
            by -= 1
        async with self._lock:
            ply = min(max(playback.ply + by, 0), self.state.ply)
            if ply != playback.ply:
                playback.ply = ply
                self._show(await self._visible_state(self.connections.sides))
            return playback.ply < self.state.ply or self.state.turn != OVER

    async def _play_one(self) -> None:
        """Let the agent whose turn it is play."""
        if self.state.turn in self._bots:
            async with self._lock:
                self._store(await self.host.play_scripted(self.connections.sides))
            return
        await self._ask()

    def _store(self, state: TableState) -> None:
        self._playback.ply = state.ply
        super()._store(state)

    async def _visible_state(self, sides: Sequence[int]) -> TableState:
        """Return the position that is shown, which is an earlier one where the host looks back."""
        if self._playback.ply < self.state.ply:
            return await self.host.earlier(self._playback.ply, sides)
        return await self.host.state(sides)

    def _message(self, state: TableState, sees: int) -> State:
        return self._messages.state(state, sees, self._playback.state(self.state.ply), self.helped)

    def _show(self, state: TableState) -> None:
        super()._show(state)
        self._think()

    # Advice on the position that is shown

    def _think(self) -> None:
        """Ask all agents at the table for advice, unless the next ply comes too soon for an answer."""
        self._stop_thinking()
        self._opinions = {}
        quick = self._playback.running and self._playback.delay < _PATIENT
        if SEES_ALL in self.connections.sides and not quick:
            self._thinking = asyncio.create_task(self._advise_all(self.ply))

    def _stop_thinking(self) -> None:
        if self._thinking is not None:
            self._thinking.cancel()
        self._thinking = None

    async def _advise_all(self, ply: int) -> None:
        """Send each agent's advice to those who see everything."""
        for agent in dict.fromkeys(self.config.seats):
            with suppress(ValueError):  # it has none
                advice = await self.host.advise(agent, ply)
                if ply != self.ply:
                    return
                self._opinions[agent] = advice
                for connection, one in self.connections.participants.items():
                    if one.sees == SEES_ALL:
                        self.connections.tell(connection, advice)
