"""Hostile clients: nobody crashes the server, plays another's move or keeps others from playing."""

import asyncio
import json
import random
import socket
import struct
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidMessage

from . import hostile
from .wire import ME, PERSON, Client, Made, Server, dial

FEW, SOME, ALL = 1000, 5000, 100_000  # messages
AT_ONCE = 20  # attackers
GROWTH = 80 * 2**20  # bytes that the server may hold more after a storm
# Codes that a server may close with; 1006: it did not wait for what was still being sent.
OURS = {4400, 4403, 4404, 4408, 4409, 4429, 1000, 1001, 1003, 1006, 1007, 1009}


async def honest(server: Server, done: asyncio.Event, seed: int = 1) -> list[str]:
    """Play games against a scripted player until told to stop, and return what was sent; check that nobody else did."""
    rng, sent = random.Random(seed), list[str]()
    while not (done.is_set() and sent):
        made = await asyncio.to_thread(server.make, "mnk", [ME, "random"], m=5, n=5, k=4)
        client = await Client.sit(server.address, made.table, made.seats[0])
        mine = 0
        while not client.mine:
            await asyncio.wait_for(client.until("state"), 20)
        while not client.over and not (done.is_set() and mine):
            assert client.mine
            before = client.state["ply"]
            action = rng.choice(client.state["choices"])[0]
            sent.append(json.dumps({"t": "play", "ply": before, "action": action}))
            answer = await asyncio.wait_for(client.play(action), 20)
            assert answer["t"] == "state"
            mine += 1
            await asyncio.sleep(0.03)  # faster than people, slower than what is refused
            while not client.over and not client.mine:
                await asyncio.wait_for(client.until("state"), 20)
            assert client.over or client.state["ply"] - before == 2
        assert mine
        await client.close()
    return sent


class Victim:
    """A table where a person waits for another, whom strangers try to be."""

    def __init__(self, made: Made, client: Client) -> None:
        self.made, self.client = made, client

    @classmethod
    async def begin(cls, server: Server) -> "Victim":
        made = await asyncio.to_thread(server.make, "durak", [ME, PERSON], seed=5)
        return cls(made, await Client.sit(server.address, made.table, made.seats[0]))

    async def assert_untouched(self, server: Server) -> None:
        """Look again, with a fresh window: not one action was played."""
        again = await Client.sit(server.address, self.made.table, self.made.seats[0])
        assert again.state["ply"] == 0
        assert not again.over
        await again.close()


async def attack(server: Server, table: str, messages: Iterator[Any], first: str | None, count: int) -> None:
    """Send so many messages, over as many connections as that takes; `first` is a message to begin each with."""
    left = count
    while left > 0:
        try:
            socket = await dial(server.address, table)
        except (InvalidHandshake, InvalidMessage, OSError, TimeoutError):
            left -= 1
            continue
        if first:
            await socket.send(first)
        for message in islice(messages, left):
            left -= 1
            if not await heard(socket, message):
                break
        await socket.close()
        assert socket.close_code in OURS, f"the server closed with {socket.close_code}"


async def heard(socket: Any, message: Any) -> bool:
    """Send a message and wait until the server has read it; False: it has closed."""
    try:
        await socket.send(message)
        await socket.send('{"t":"ping"}')
        while json.loads(await asyncio.wait_for(socket.recv(), 20))["t"] != "pong":
            pass
    except ConnectionClosed:
        return False
    return True


async def drain(socket: Any) -> int | None:
    """Read until the end and return the code that the server closed with."""
    try:
        async for _ in socket:
            pass
    except ConnectionClosed:
        pass
    return socket.close_code


async def storm(server: Server, count: int) -> None:
    """Let attackers send so many messages while an honest person plays and another waits."""
    victim = await Victim.begin(server)
    other = await asyncio.to_thread(server.make, "durak", [ME, PERSON])
    host = await asyncio.to_thread(server.make, "durak", ["random", "random"])
    done = asyncio.Event()
    player = asyncio.create_task(honest(server, done))
    foreign = [*(one for one in other.seats if one), other.watch, host.host]
    replayed = [json.dumps({"t": "play", "ply": 0, "action": action}) for action in range(40)]
    watch = json.dumps({"t": "sit", "token": victim.made.watch, "ply": 0})
    before = server.memory()
    tasks = [
        attack(
            server,
            (victim.made.table, other.table, "nobody", host.table)[0 if i % 2 else i % 4],
            hostile.storm(i, foreign, replayed),
            watch if i % 3 == 0 else None,
            count // AT_ONCE,
        )
        for i in range(AT_ONCE)
    ]
    await asyncio.gather(*tasks)
    done.set()
    assert await player
    await victim.assert_untouched(server)
    await victim.client.close()
    assert server.memory() - before < GROWTH


@pytest.mark.parametrize("count", [FEW, pytest.param(SOME, marks=pytest.mark.long)])
def test_a_storm_of_bad_messages_touches_nobody(server: Server, count: int) -> None:
    asyncio.run(storm(server, count))


@pytest.mark.slow
def test_a_long_storm_of_bad_messages_touches_nobody(server: Server) -> None:
    asyncio.run(storm(server, ALL))


def test_the_holder_of_a_seat_can_play_nothing_but_legal_actions_in_turn(server: Server) -> None:
    async def run() -> None:
        made = await asyncio.to_thread(server.make, "durak", [ME, PERSON], seed=3)
        rng, me = random.Random(1), json.dumps({"t": "sit", "token": made.seats[0], "ply": 0})
        other = await Client.sit(server.address, made.table, made.seats[1])
        if not other.mine:  # it is the attacker's turn, whose legal actions may be played: let the other one be it
            await other.close()
            other = await Client.sit(server.address, made.table, made.seats[0])
            me = json.dumps({"t": "sit", "token": made.seats[1], "ply": 0})

        def nasty() -> Iterator[Any]:
            while True:
                yield rng.choice((hostile.malformed, hostile.out_of_turn))(rng)

        await attack(server, made.table, nasty(), me, 400)
        legal = [action for action, *_ in other.state["choices"]]
        await other.close()
        again = await Client.sit(server.address, made.table, made.seats[other.welcome["seat"]])
        assert again.state["ply"] == 0
        assert [action for action, *_ in again.state["choices"]] == legal
        illegal = next(action for action in range(10**6) if action not in legal)
        assert (await again.play(illegal))["t"] == "refused"
        await again.send({"t": "play", "ply": 7, "action": legal[0]})
        assert (await again.until("refused", "state"))["t"] == "refused"
        assert (await again.play(legal[0]))["ply"] == 1
        await again.send({"t": "play", "ply": 0, "action": legal[0]})  # the same message once more
        assert (await again.until("refused", "state"))["t"] == "refused"
        await again.close()

    asyncio.run(run())


def test_a_token_opens_its_own_seat_only(server: Server) -> None:
    async def run() -> None:
        one = await asyncio.to_thread(server.make, "durak", [ME, PERSON])
        two = await asyncio.to_thread(server.make, "durak", [ME, PERSON])
        for k, token in enumerate(one.seats):
            client = await Client.sit(server.address, one.table, token)
            assert client.welcome["seat"] == k
            await client.close()
        watcher = await Client.sit(server.address, one.table, one.watch)
        assert watcher.welcome["seat"] is None
        assert watcher.state["choices"] == []
        for action in range(30):
            await watcher.send({"t": "play", "ply": 0, "action": action})
            assert (await watcher.until("refused", "state"))["t"] == "refused"
        await watcher.close()
        for token in (*two.seats, two.watch, "", one.seats[0][:-1], one.seats[0] + "A"):
            assert await closed_with(server, one.table, token) == 4403
        assert await closed_with(server, "nowhere", one.seats[0]) == 4404

    asyncio.run(run())


async def closed_with(server: Server, table: str, token: str) -> int | None:
    """Return the code that the server closes with for a token."""
    try:
        socket = await dial(server.address, table)
    except InvalidHandshake:
        return 4404
    await socket.send(json.dumps({"t": "sit", "token": token, "ply": 0}))
    code = await asyncio.wait_for(drain(socket), 20)
    await socket.close()
    return code


def test_sockets_that_die_or_read_nothing_are_dropped(tmp_path: Path) -> None:
    async def run(server: Server) -> None:
        made = await asyncio.to_thread(server.make, "war", [ME, PERSON], seed=1, pickup="fixed")
        one, two = [await Client.sit(server.address, made.table, token) for token in made.seats]
        deaf = [Deaf(server, made.table, made.watch) for _ in range(20)]
        while one.people.get("watchers") != len(deaf):
            await asyncio.wait_for(one.read(), 20)
        for broken in deaf[::2]:
            broken.break_off()
        plies = 0
        while not one.over and (plies < 100 or one.people["watchers"]):
            mover, other = (one, two) if one.mine else (two, one)
            await asyncio.wait_for(mover.play(mover.state["choices"][0][0]), 20)
            while other.state["ply"] < mover.state["ply"]:
                await asyncio.wait_for(other.until("state"), 20)
            plies += 1
            visitor = await Client.sit(server.address, made.table, made.watch)  # all are told who comes and goes
            await visitor.close()
        while one.people["watchers"] and not one.over:
            await asyncio.wait_for(one.until("people"), 10)
        assert one.people["watchers"] == 0, f"those who read nothing are still here after {plies} plies"
        for still in deaf:
            still.close()
        await one.close()
        await two.close()

    with Server(tmp_path, rate=0, room=4096) as server:
        asyncio.run(run(server))


class Deaf:
    """A watcher that never reads what it is sent."""

    def __init__(self, server: Server, table: str, token: str) -> None:
        host, port = server.address.removeprefix("http://").split(":")
        self.socket = socket.socket()
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.socket.connect((host, int(port)))
        lines = (
            f"GET /tables/{table}/ws HTTP/1.1",
            f"Host: {host}:{port}",
            f"Origin: {server.address}",
            "Upgrade: websocket",
            "Connection: Upgrade",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
            "Sec-WebSocket-Version: 13",
        )
        self.socket.sendall("\r\n".join([*lines, "", ""]).encode())
        assert b"101" in self.socket.recv(200)
        text = json.dumps({"t": "sit", "token": token, "ply": 0}).encode()
        mask = b"\x01\x02\x03\x04"
        body = bytes(byte ^ mask[i % 4] for i, byte in enumerate(text))
        self.socket.sendall(bytes([0x81, 0x80 | len(text)]) + mask + body)

    def break_off(self) -> None:
        """End the connection without a word, as a machine does that loses its power."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()

    def close(self) -> None:
        self.socket.close()


def test_a_thousand_connections_keep_nobody_from_playing(server: Server) -> None:
    async def run() -> None:
        made = await asyncio.to_thread(server.make, "durak", [ME, PERSON])
        before, opened = server.memory(), list[Any]()
        for i in range(20):
            more = [dial(server.address, made.table) for _ in range(50)]
            found = await asyncio.gather(*more, return_exceptions=True)
            opened += [one for one in found if not isinstance(one, BaseException)]
            for one in found:
                if not isinstance(one, BaseException) and i % 2:
                    await one.send(json.dumps({"t": "sit", "token": made.watch, "ply": 0}))
        assert opened
        done = asyncio.Event()
        player = asyncio.create_task(honest(server, done))
        await asyncio.sleep(1)
        done.set()
        assert await asyncio.wait_for(player, 60)
        await asyncio.gather(*(one.close() for one in opened), return_exceptions=True)
        assert server.memory() - before < GROWTH

    asyncio.run(run())
