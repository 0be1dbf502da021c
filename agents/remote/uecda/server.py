"""Server of the contest's wire: programs join, agents of ours take the other seats, and points are reported.

A client that is late, has gone, or sends an unreadable message passes; nothing that a client does ends the server.
"""

import asyncio
import socket
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from kozyr import agents, envs
from kozyr.agents.player import AgentPlayer
from kozyr.agents.remote.guarded_player import GuardedPlayer
from kozyr.agents.remote.uecda import tables as wire
from kozyr.agents.remote.uecda.game import PLAYERS, deal_table, facts, field_table, hand_table
from kozyr.envs.core.rng import spread
from kozyr.envs.daifugo.round import PLAY
from kozyr.envs.daifugo.suited.rules import strength
from kozyr.envs.daifugo.suited.sets import CARDS, COLUMNS, PASS
from kozyr.envs.table import file_output, record
from kozyr.envs.table.table import Table

GAME = "daifugo"
REPORT = 100  # games after which the points are reported
CYCLE = 3 * REPORT  # games at a table: after so many, places are forgotten and seats are drawn, as at a new table
_JOINING = 2.5  # seconds that a client may be silent before its profile


@dataclass(frozen=True)
class Plan:
    """Settings of a server.

    Attributes:
        host, port: where it listens; port 0 takes a free one.
        agents: names of ours that take the last seats; games: how many.
        limit: seconds that a client has for an answer; seed: fixes the deals and the agents' luck.
        record: a file for the games, up to 300 a line, or None.
    """

    host: str = "127.0.0.1"
    port: int = wire.PORT
    agents: Sequence[str] = ()
    games: int = 1000
    limit: float = 3.0
    seed: int = 0
    record: Path | None = None


class Client:
    """A program at the other end of the wire.

    Attributes:
        name: of the client; gone: whether it has left, after which it passes for good.
        lost: the reason why it has gone, or ""; refused: the number of its illegal sets.
    """

    def __init__(self, name: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, limit: float) -> None:
        self.name, self.gone, self.lost, self.refused = name, False, "", 0
        self._reader, self._writer, self._limit = reader, writer, limit

    async def send(self, data: bytes) -> None:
        """Send bytes in one piece; a client that does not take them in time is let go."""
        if self.gone:
            return
        try:
            self._writer.write(data)
            async with asyncio.timeout(self._limit):
                await self._writer.drain()
        except (OSError, TimeoutError) as error:
            self.leave("takes nothing any more" if isinstance(error, TimeoutError) else "has gone")

    async def receive(self) -> wire.Table | None:
        """Return the table that the client sends, or None if it is late or has gone."""
        if self.gone:
            return None
        try:
            async with asyncio.timeout(self._limit):
                return wire.decode(await self._reader.readexactly(wire.BYTES))
        except TimeoutError:
            self.leave(f"did not answer in {self._limit:g} s")
        except (OSError, asyncio.IncompleteReadError):
            self.leave("has gone")
        return None

    def leave(self, why: str) -> None:
        """Let the client go: it passes from now on."""
        if not self.gone:
            self.gone, self.lost = True, why
            self._writer.close()

    async def close(self) -> None:
        """Close the connection."""
        self.gone = True
        self._writer.close()
        with suppress(OSError, TimeoutError):
            async with asyncio.timeout(1.0):
                await self._writer.wait_closed()


class Server:
    """A server while it runs.

    Args:
        plan: its settings; tell: called with each line of output.

    Attributes:
        points: a list for each player, a number a game: 5 for the first place to 1 for the last.
        names: of the players, once all are there.

    Raises:
        ValueError: for agents that do not play, or too many of them.
    """

    def __init__(self, plan: Plan, tell: Callable[[str], None]) -> None:
        if len(plan.agents) > PLAYERS:
            raise ValueError(f"{len(plan.agents)} agents for {PLAYERS} seats: name at most {PLAYERS}")
        self.plan, self._tell = plan, tell
        self.game = envs.game(GAME)
        self.variant = self.game.make_variant(rules="uecda", rounds=CYCLE, history=True)
        options = self.game.options(self.variant)
        self._ours = [
            GuardedPlayer(name, AgentPlayer(agents.load(name, game=GAME, **options), spread(plan.seed, k)), tell)
            for k, name in enumerate(plan.agents)
        ]
        for one in self._ours:
            _warm(one.player, self.game, self.variant)
        self._clients, self._strangers = list[Client](), set[Client]()
        self._full = asyncio.Event()
        self.names, self.points = list[str](), [list[int]() for _ in range(PLAYERS)]
        self.port = plan.port

    async def run(self) -> None:
        """Let clients in, play, and close.

        Raises:
            ValueError: if the address cannot be used.
        """
        plan = self.plan
        try:
            server = await asyncio.start_server(self._join, plan.host, plan.port)
        except OSError as error:
            raise ValueError(f"{plan.host}:{plan.port} cannot be used ({error.strerror or error})") from None
        self.port = server.sockets[0].getsockname()[1]
        self._tell(f"listening at {plan.host}:{self.port}")
        try:
            if self._missing:
                self._tell(f"waiting for {self._missing} to play")
                await self._full.wait()
            server.close()
            self.names = [one.name for one in self._clients] + list(plan.agents)
            await self._play_all()
        finally:
            server.close()
            for one in [*self._clients, *self._strangers]:
                await one.close()

    @property
    def _missing(self) -> int:
        return PLAYERS - len(self._ours) - len(self._clients)

    async def _join(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Take a profile and answer with the player's number; strangers and those who come too late are let go."""
        writer.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        stranger = Client("", reader, writer, _JOINING)
        self._strangers.add(stranger)
        table = await stranger.receive()
        if table is None or table[0, 0] != wire.PROTOCOL or self._missing <= 0:
            await stranger.close()
            self._strangers.remove(stranger)
            return
        self._strangers.remove(stranger)
        number = len(self._clients)
        client = Client(wire.name_of(table) or f"player {number}", reader, writer, self.plan.limit)
        self._clients.append(client)
        await client.send(wire.integer(number))
        self._tell(f"{client.name} has come as player {number}")
        if self._missing == 0:
            self._full.set()

    async def _play_all(self) -> None:
        """Play all games, CYCLE at a table, for which the agents were made; the last one may be left before."""
        left, number = self.plan.games, 0
        while left > 0:
            table = Table(self.game, self.variant, spread(self.plan.seed, number), names=tuple(self.names))
            for k, one in enumerate(self._ours):
                one.begin(table.info(PLAYERS - len(self._ours) + k))
            try:
                for _ in range(min(left, CYCLE)):
                    left -= 1
                    await self._play_one(table, last=left == 0)
            finally:
                self._keep(table)
            number += 1

    async def _play_one(self, table: Table, last: bool) -> None:
        """Play one game and write down its points."""
        s: Any = table.states[0]
        round_, before = int(s.rounds), s.total.copy()
        await self._all(lambda k: deal_table(s, k))
        while s.phase != PLAY:
            await self._exchange(table)
        while not table.over and s.rounds == round_:
            await self._all(lambda k: hand_table(s, k))
            player, was = int(s.turn), facts(s)
            action = await self._ask(table, player)
            table.apply(action)
            over = table.over or s.rounds > round_
            message = wire.encode(field_table(was, player, action))
            state = wire.GOES_ON if not over else wire.ALL_OVER if last else wire.GAME_OVER
            for one in self._clients:
                await one.send(message)
                await one.send(wire.integer(state))
        places = s.total - before
        for k in range(PLAYERS):
            self.points[k].append(PLAYERS - int(places[k]))
        if len(self.points[0]) % REPORT == 0:
            self._tell(f"{len(self.points[0])} games: " + self.standing())

    async def _all(self, table: Callable[[int], wire.Table]) -> None:
        for k, one in enumerate(self._clients):
            await one.send(wire.encode(table(k)))

    async def _ask(self, table: Table, player: int) -> int:
        """Return the action of the player on turn; a set that is not legal is a pass."""
        if player >= len(self._clients):
            return await self._decide(table, player)
        client, s = self._clients[player], table.states[0]
        sent = await client.receive()
        action = PASS if sent is None else wire.read_set(sent)
        good = action is not None and bool(table.mask[action]) and (action != PASS or s.lies == PASS)
        client.refused += not good and action != PASS
        await client.send(wire.integer(wire.ACCEPTED if good else wire.REFUSED))
        return action if good and action is not None else PASS

    async def _decide(self, table: Table, player: int) -> int:
        """Return the action of an agent of ours; one that fails passes, or gives its first card away."""
        one, mask = self._ours[player - len(self._clients)], table.mask
        action = await asyncio.to_thread(one.act, table.view(player), mask)
        return int(mask.argmax()) if action is None else action

    async def _exchange(self, table: Table) -> None:
        """Let the player on turn give his cards; a client that sends wrong ones gives its strongest."""
        s: Any = table.states[0]
        player, count = int(s.turn), int(s.gives)
        if player >= len(self._clients):
            for _ in range(count):
                table.apply(await self._decide(table, player))
            return
        sent = await self._clients[player].receive()
        cards = [] if sent is None else wire.read_gift(sent)
        hand = [card for card in range(CARDS) if s.cards[player, card // COLUMNS] >> card % COLUMNS & 1]
        if len(cards) != count or not set(cards) <= set(hand):
            cards = sorted(hand, key=strength)[-count:]
        for card in cards:
            table.apply(1 + card)

    def _keep(self, table: Table) -> None:
        """Write the games at a table into the file."""
        if self.plan.record is not None and table.ply:
            file_output.append(self.plan.record, record.write(replace(table.record, clock=None, left=None)) + "\n")

    def standing(self) -> str:
        """Return everybody's points a game."""
        means = [np.mean(one) if one else 0.0 for one in self.points]
        return ", ".join(f"{name} {mean:.2f}" for name, mean in zip(self.names, means, strict=True))

    def lost(self) -> list[str]:
        """Return a sentence for each client that has gone before the end, and each agent of ours that has failed."""
        gone = [f"{one.name} {one.lost}" for one in self._clients if one.lost]
        return gone + [f"{one.name} has failed {one.failures} times" for one in self._ours if one.failures]

    @property
    def refused(self) -> list[int]:
        """The number of each player's illegal sets; of ours, the number of failures."""
        return [one.refused for one in self._clients] + [one.failures for one in self._ours]


def _warm(one: AgentPlayer, game: Any, variant: Any) -> None:
    """Let an agent decide once in vain, so that no client waits for a compiler."""
    table = Table(game, variant, 1)
    one.begin(table.info(table.turn))
    one.warm_up(table.view(table.turn), table.mask)
