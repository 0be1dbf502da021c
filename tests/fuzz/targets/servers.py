"""Whole games at our servers, with a client that nobody should let in: of ttt, and of the UECda contest."""

import asyncio
from collections import deque
from importlib.util import find_spec
from typing import Any, ClassVar
from unittest import mock

import numpy as np

from kozyr import envs
from tests.fuzz import mutate
from tests.fuzz.errors import require
from tests.fuzz.targets.target import Target, heard

_MOST = 200  # frames of a session; shorter ones are said again
_STORM, _PLAY = 0, 1  # beside two who play, and as a player


class _Pipe:
    """The hub's socket: it hears frames that are put in, and calls a function with those that it sends."""

    LAST: ClassVar["list[_Pipe]"] = []

    def __init__(self) -> None:
        self.frames, self.more, self.sent = deque[list[bytes]](), asyncio.Event(), lambda frames: None
        self.LAST[:] = [self]

    def setsockopt(self, *_: Any) -> None:
        pass

    def bind(self, address: str) -> None:
        pass

    def getsockopt(self, option: int) -> bytes:
        return b"tcp://127.0.0.1:1\0"

    async def recv_multipart(self) -> list[bytes]:
        while not self.frames:
            self.more.clear()
            await self.more.wait()
        return self.frames.popleft()

    async def send_multipart(self, frames: list[bytes]) -> None:
        self.sent(frames)

    def put(self, identity: bytes, payload: bytes) -> None:
        self.frames.append([identity, b"", payload])
        self.more.set()


class _Context:
    """The context of such a socket."""

    def socket(self, kind: int) -> _Pipe:
        return _Pipe()

    def destroy(self, *_: Any) -> None:
        pass


class _Table:
    """Who sits at the other ends of a hub's socket: two who play well, and one who says what is given.

    Attributes:
        rest: what the latter has still to say.
    """

    GOOD = (b"\0good", b"\0nice")
    BAD = (b"\0bad", b"bad", b"\0none")

    def __init__(self, pipe: _Pipe, mode: int, frames: list[bytes]) -> None:
        from kozyr.agents.remote.ttt import ttt_pb2 as wire

        self._wire, self._pipe, self.rest, self._taken = wire, pipe, frames[::-1], set[tuple[int, int]]()
        self._mode, self._ready, self._left = (
            mode,
            False,
            False,
        )  # the player that is let in says first that it is ready
        pipe.sent = self.hear
        for identity in self.GOOD if mode == _STORM else self.BAD[:1]:
            pipe.put(identity, wire.JoinRequest(name=identity[1:].decode()).SerializeToString())

    def hear(self, frames: list[bytes]) -> None:
        """Answer what the hub sends."""
        identity, _, payload = frames
        if identity in self.GOOD:
            self._pipe.put(identity, self._answer(payload))
            for _ in range(3):
                if self.rest:
                    heard()
                    self._pipe.put(self.BAD[len(self.rest) % 3], self.rest.pop())
        elif self._mode == _PLAY and identity == self.BAD[0] and not self._left:
            heard()
            self._left = self._ready and not self.rest
            kind = self._wire.DISCONNECT if self._left else self._wire.READY
            plain = self._wire.ClientResponse(type=kind).SerializeToString()
            self._pipe.put(identity, self.rest.pop() if self._ready and self.rest else plain)
            self._ready = True

    def _answer(self, payload: bytes) -> bytes:
        """Return the answer of one who plays well: the first free cell."""
        update, answer = self._wire.Update(), self._wire.ClientResponse()
        try:
            update.ParseFromString(payload)
        except Exception:
            return answer.SerializeToString()
        if update.HasField("new_game"):
            self._taken.clear()
        if update.HasField("event") and update.event.HasField("move"):
            self._taken.add((update.event.move.x, update.event.move.y))
        if update.HasField("move_request"):
            cells = ((x, y) for y in range(5) for x in range(5))
            answer.move_x, answer.move_y = next(one for one in cells if one not in self._taken)
        return answer.SerializeToString()


def _frames() -> list[bytes]:
    """Return sessions of a client, each frame behind its length, behind a byte for what it does there."""
    from kozyr.agents.remote.ttt import ttt_pb2 as wire

    ready, joins = wire.ClientResponse(), wire.JoinRequest(name="c", password="x")
    watches = wire.JoinRequest(join_type=wire.OBSERVER, name="w")
    moves = [wire.ClientResponse(move_x=k % 5, move_y=k // 5) for k in range(12)]
    leaves = wire.ClientResponse(type=wire.DISCONNECT)
    storms = [[joins, ready, *moves, leaves], [watches, *[ready] * 20], [*moves, joins, watches, leaves, ready]]
    plays = [[ready] * 5 + [one for move in moves for one in (move, ready, ready)], [ready, ready, leaves]]
    return [
        bytes([mode]) + b"".join(_framed(one.SerializeToString()) for one in some)
        for mode, sessions in ((_STORM, storms), (_PLAY, plays))
        for some in sessions
    ]


def _framed(data: bytes) -> bytes:
    return len(data).to_bytes(2, "big") + data


def visit(data: bytes) -> None:
    """Let a client say things at a server of ttt, beside two who play or against an agent of ours."""
    mode, at, frames = data[:1] == bytes([_PLAY]), 1, list[bytes]()
    while at + 2 <= len(data) and len(frames) < _MOST:
        size = int.from_bytes(data[at : at + 2], "big")
        frames.append(data[at + 2 : at + 2 + size])
        at += 2 + size
    again = frames * (_MOST // len(frames)) if frames else frames
    with mock.patch("zmq.asyncio.Context", _Context):
        asyncio.run(_visited(int(mode), again))


async def _visited(mode: int, frames: list[bytes]) -> None:
    from kozyr.agents.remote.ttt import hub, server

    variant = envs.game("mnk").make_variant(m=5, n=5, k=4)
    ours = () if mode == _STORM else ("random",)
    plan = server.Plan("tcp://127.0.0.1:*", variant, ours, clients=2 - len(ours), games=1, limit=0.5)
    said = list[str]()
    it = server.Server(plan, said.append)
    others = _Table(_Pipe.LAST[0], mode, frames)
    with mock.patch.object(hub, "_FAREWELL", 0.01), mock.patch.object(hub, "_CATCH_UP", 0.01):
        async with asyncio.timeout(60):
            outcomes = await it.run(it.play_all)
    others.rest.clear()
    require(len(outcomes) == 1, f"{len(outcomes)} games are played of one")
    if mode == _STORM:
        require(set(outcomes[0].names) == {"good", "nice"}, f"{outcomes[0].names} have played")
        require(not outcomes[0].reason, f"a good client has lost by {outcomes[0].reason}")
    require(all(line.isprintable() for line in said), f"a line that cannot be shown: {said}")


# The contest


class _Writer:
    """A stream that takes all."""

    def write(self, data: bytes) -> None:
        pass

    async def drain(self) -> None:
        pass

    def close(self) -> None:
        pass

    async def wait_closed(self) -> None:
        pass

    def get_extra_info(self, name: str) -> Any:
        return mock.MagicMock()


class _Reader(asyncio.StreamReader):
    """A client's stream, of which tables are counted as they are read."""

    async def readexactly(self, n: int) -> bytes:
        heard()
        return await super().readexactly(n)


def _contests() -> list[bytes]:
    """Return what clients send in two games: a profile, then sets and gifts."""
    from kozyr.agents.remote.uecda import tables as wire
    from kozyr.envs.daifugo.suited.sets import EVERY

    rng, found = np.random.default_rng(4), list[bytes]()
    for luck in range(4):
        sent = [wire.profile("guest")]
        for _ in range(30):
            table = wire.blank()
            wire.write_set(table, int(rng.integers(1, 60 if luck < 2 else len(EVERY))))
            sent.append(table if rng.random() < 0.8 else wire.blank())
        found.append(b"".join(map(wire.encode, sent)))
    return found


def contest(data: bytes) -> None:
    """Let four clients, who say the same from another place on, play two games of the contest with an agent of ours."""
    asyncio.run(_contest(data))


async def _contest(data: bytes) -> None:
    from kozyr.agents.remote.uecda.server import Plan, Server
    from kozyr.agents.remote.uecda.tables import BYTES

    said = list[str]()
    it = Server(Plan(agents=("low",), games=2, limit=5.0), said.append)
    profile, rest = data[:BYTES], data[BYTES:]
    for k in range(4):
        reader, at = _Reader(), k * BYTES
        reader.feed_data(profile + rest[at:] + rest[:at])
        reader.feed_eof()
        streams: Any = reader, _Writer()
        await it._join(*streams)
    if it._missing:
        return
    it.names = [one.name for one in it._clients] + list(it.plan.agents)
    async with asyncio.timeout(60):
        await it._play_all()
    require(all(len(one) == 2 for one in it.points), f"not all games were played: {it.points}")
    require(sorted(sum(one) for one in zip(*it.points, strict=True)) == [15, 15], f"points are {it.points}")
    require(not any(one.failures for one in it._ours), "an agent of ours has failed")
    require(all(line.isprintable() for line in said), f"a line that cannot be shown: {said}")


def targets() -> list[Target]:
    """Return the targets that the libraries here allow."""
    contests = ("kozyr.agents.remote.uecda.server", "kozyr.agents.remote.uecda.tables")
    made = [Target("uecda-client", mutate.BYTES, _contests, contest, (), contests)]
    if find_spec("zmq") and find_spec("google.protobuf"):
        hubs = tuple(f"kozyr.agents.remote.ttt.{name}" for name in ("hub", "seat", "server"))
        made.append(Target("ttt-client", mutate.BYTES, _frames, visit, (), hubs))
    return made
