"""A peer of the five-in-a-row wire, written from its description alone: it shares no code with ours."""

import random
from typing import Any

import zmq

WAIT = 20_000  # milliseconds


def varint(number: int) -> bytes:
    """Return a number as Protobuf writes it; one below 0 takes ten bytes."""
    number &= (1 << 64) - 1
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])


def field(number: int, value: int | str | bytes) -> bytes:
    """Return a field: a number, or a text or message with its length."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    body = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(body)) + body


def fields(message: bytes) -> dict[int, int | bytes]:
    """Return the fields of a message by their numbers."""
    found, at = dict[int, int | bytes](), 0

    def number() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if not byte & 0x80:
                return value if value < 1 << 63 else value - (1 << 64)

    while at < len(message):
        key = number()
        if key & 7 == 0:
            found[key >> 3] = number()
        else:
            assert key & 7 == 2, f"wire type {key & 7}"
            length = number()
            found[key >> 3] = message[at : at + length]
            at += length
    return found


def sub(message: dict[int, int | bytes], number: int) -> dict[int, int | bytes]:
    """Return the fields of a message inside a message."""
    inner = message[number]
    assert isinstance(inner, bytes)
    return fields(inner)


class Peer:
    """A client that joins, answers everything and plays an empty cell at random.

    Attributes:
        heard: the updates, as bytes; ends: 'X', 'O', 'draw' or 'dq X' a game; closed: whether the server said so.
    """

    def __init__(self, address: str, name: str = "", observes: bool = False, password: str = "", seed: int = 0) -> None:
        self.context = zmq.Context()
        self.socket = self.context.socket(zmq.REQ)
        self.socket.setsockopt(zmq.LINGER, 0)
        self.socket.connect(address)
        self.heard, self.ends, self.closed = list[bytes](), list[str](), False
        self.rng, self.moves, self.late = random.Random(seed), dict[tuple[int, int], int](), 0.0
        request = (field(1, 1) if observes else b"") + (field(2, name) if name else b"")
        self.answer = fields(self.ask(request + (field(3, password) if password else b"")))

    def ask(self, message: bytes) -> bytes:
        """Send bytes and return the answer."""
        self.socket.send(message)
        assert self.socket.poll(WAIT), "no answer"
        return self.socket.recv()

    @property
    def refused(self) -> int | None:
        """Why it was not let in, or None."""
        return int(sub(self.answer, 2).get(1, 0)) if 2 in self.answer else None

    def play(self) -> None:
        """Answer until the server closes."""
        answer = b""  # READY
        while True:
            update = self.ask(answer)
            self.heard.append(update)
            told = fields(update)
            if 5 in told:
                self.closed = True
                return
            answer = self.respond(told)

    def respond(self, told: dict[int, int | bytes]) -> bytes:
        """Return the answer to an update."""
        if 3 in told:
            options = sub(sub(told, 3), 1)
            self.rows, self.columns = int(options[1]), int(options[2])
            self.moves = {}
        elif 1 in told:
            self.see(sub(told, 1))
        elif 2 in told:
            return self.move()
        return b""

    def see(self, event: dict[int, int | bytes]) -> None:
        """Take in an event."""
        if 4 in event:
            move = sub(event, 4)
            self.moves[int(move[2]), int(move[3])] = int(move.get(1, 0))
        elif 5 in event:
            self.ends.append("XO"[int(sub(event, 5).get(1, 0))])
        elif 6 in event:
            self.ends.append("draw")
        elif 7 in event:
            self.ends.append("dq " + "XO"[int(sub(event, 7).get(1, 0))])

    def move(self) -> bytes:
        """Return a move."""
        free = [(x, y) for x in range(self.columns) for y in range(self.rows) if (x, y) not in self.moves]
        x, y = self.rng.choice(free)
        return field(2, x) + field(3, y)

    def close(self) -> None:
        """Leave without a word."""
        self.socket.close()
        self.context.term()

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
