"""People who play as fast as they are answered: `python -m tests.benchmarks.load`, told what to do on its input.

The input is JSON: the server's `address`, `seconds`, and `groups`, {name: [[table, token], …]}. So is the output,
of each group: `milliseconds` from each action to the next picture, `games` that were finished and `lost` actions.
"""

from __future__ import annotations

import asyncio
import json
import random
import re
import sys
import time
from typing import Any
from urllib.parse import urlsplit

import msgspec
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Origin

WAIT = 30.0  # seconds after which an action counts as lost
ACTION = re.compile(rb'\[(\d+),"')  # the beginning of a choice


class Message(msgspec.Struct):
    """What a person needs of a message; the rest is looked at by nobody here."""

    t: str
    ply: int = 0
    turn: int = -1
    seat: int | None = None
    choices: msgspec.Raw = msgspec.Raw(b"[]")
    to: str = ""
    why: str = ""


decode = msgspec.json.Decoder(Message).decode


class Group:
    """What some players have seen."""

    def __init__(self) -> None:
        self.milliseconds, self.games, self.lost, self.why = list[float](), 0, 0, dict[str, int]()

    def lose(self, why: str) -> None:
        self.lost += 1
        self.why[why] = self.why.get(why, 0) + 1


async def person(address: str, table: str, token: str, seed: int, until: float, group: Group) -> None:
    """Play game after game at a table and those that follow it."""
    rng = random.Random(seed)
    try:
        while time.perf_counter() < until:
            place = f"ws{address.removeprefix('http')}/tables/{table}/ws"
            async with connect(place, origin=Origin(address), max_size=None, compression=None) as socket:
                await socket.send(json.dumps({"t": "sit", "token": token, "ply": 0}))
                table, token = await game(socket, rng, until, group)
    except ConnectionClosed as closed:
        group.lose(f"closed with {closed.rcvd.code if closed.rcvd else None}")
    except (OSError, TimeoutError) as error:
        group.lose(type(error).__name__)


async def game(socket: ClientConnection, rng: random.Random, until: float, group: Group) -> tuple[str, str]:
    """Play one game, and return the table and the token of the next."""
    seat, sent, played = -1, 0.0, -1
    while True:
        message = decode(await asyncio.wait_for(socket.recv(), WAIT))
        if message.t == "welcome":
            seat = message.seat
        elif message.t == "refused":
            group.lose(message.why)
            return await following(socket)
        elif message.t == "state":
            now, ply, turn = time.perf_counter(), message.ply, message.turn
            if sent and ply > played:
                group.milliseconds.append(1000 * (now - sent))
                sent = 0.0
            if now > until:
                return "", ""
            if turn < 0:
                group.games += 1
                return await following(socket)
            if turn == seat and not sent:
                action = int(rng.choice(ACTION.findall(bytes(message.choices))))
                played, sent = ply, time.perf_counter()
                await socket.send(f'{{"t":"play","ply":{ply},"action":{action}}}')


async def following(socket: ClientConnection) -> tuple[str, str]:
    """Ask for another game, and return its table and token."""
    await socket.send('{"t":"again","how":"again"}')
    while True:
        message = decode(await asyncio.wait_for(socket.recv(), WAIT))
        if message.t == "moved":
            to = urlsplit(message.to)
            return to.path.split("/")[2], to.fragment


async def main() -> None:
    """Let everybody play."""
    given = json.loads(sys.stdin.read())
    found, people, seed = dict[str, Group](), list[Any](), 0
    until = time.perf_counter() + given["seconds"]
    for name, tables in given["groups"].items():
        found[name] = Group()
        for table, token in tables:
            seed += 1
            people.append(person(given["address"], table, token, seed, until, found[name]))
    await asyncio.gather(*people)
    print(json.dumps({name: vars(group) for name, group in found.items()}))


if __name__ == "__main__":
    try:
        import uvloop

        uvloop.run(main())
    except ModuleNotFoundError:
        asyncio.run(main())
