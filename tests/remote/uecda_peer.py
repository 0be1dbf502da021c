"""A peer of the UECda wire, written from its description and the slow oracle alone: it shares no code with ours."""

import random
import socket
import struct
from typing import Any

from tests.oracles.daifugo_suits import JOKER, LONE, Card, Laid

ROWS = "SHDC"
Cells = list[list[int]]  # 8 × 15
WAIT = 20.0


def blank() -> Cells:
    return [[0] * 15 for _ in range(8)]


def pack(cells: Cells) -> bytes:
    """Return a table as it is sent."""
    return struct.pack(">120I", *(number for row in cells for number in row))


def unpack(data: bytes) -> Cells:
    numbers = struct.unpack(">120I", data)
    return [list(numbers[15 * row : 15 * row + 15]) for row in range(8)]


def profile(name: str) -> Cells:
    cells = blank()
    cells[0][0] = 20070
    cells[1][: len(name)] = map(ord, name)
    return cells


def hand_of(cells: Cells) -> set[Card]:
    """Return the hand in a table."""
    held = {(column, suit) for row, suit in enumerate(ROWS) for column in range(1, 14) if cells[row][column] == 1}
    return held | ({JOKER} if cells[4][1] == 2 else set())


def show_hand(cells: Cells, hand: set[Card]) -> None:
    for column, suit in hand - {JOKER}:
        cells[ROWS.index(suit)][column] = 1
    cells[4][1] = 2 if JOKER in hand else 0


def show_set(cells: Cells, it: Laid, upside: bool = False) -> None:
    """Write a set as it is submitted."""
    if it == LONE:
        cells[0][0 if upside else 14] = 2
    for column, suit in it.places:
        cells[4 if suit == "fifth" else ROWS.index(suit)][column] = 1 if (column, suit) in it.cards else 2


class Peer:
    """A connection to a server: what a client sends and reads."""

    def __init__(self, port: int, name: str) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), WAIT)
        self.socket.sendall(pack(profile(name)))
        self.number = self.integer()

    def read(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            more = self.socket.recv(size - len(data))
            if not more:
                raise ConnectionError("the other side has gone")
            data += more
        return data

    def table(self) -> Cells:
        return unpack(self.read(480))

    def integer(self) -> int:
        return struct.unpack(">I", self.read(4))[0]

    def send(self, cells: Cells) -> None:
        self.socket.sendall(pack(cells))

    def close(self) -> None:
        self.socket.close()


def strongest(hand: set[Card], count: int) -> set[Card]:
    """Return a hand's strongest cards: the joker, then by rank, and of one rank spades, hearts, diamonds, clubs."""
    order = sorted(hand, key=lambda card: (card == JOKER, card[0], -"SHDC".find(card[1])))
    return set(order[-count:]) if count else set()


class Accepted:
    """A connection that a client has made: what a server sends and reads."""

    def __init__(self, connection: socket.socket) -> None:
        self.socket = connection
        connection.settimeout(WAIT)

    read, table, send, close = Peer.read, Peer.table, Peer.send, Peer.close

    def integer(self, number: int) -> None:
        self.socket.sendall(struct.pack(">I", number))


def some(rng: random.Random, choices: Any) -> Any:
    """Return one of some sets, the same for the same luck."""
    return rng.choice(sorted(choices, key=repr))
