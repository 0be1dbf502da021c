"""Messages of protocol "kozyr" 1 to and from a program; see docs/howto/process.md."""

import json
from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.core.game import Game
from kozyr.envs.loops import tables
from kozyr.envs.table.event import Event

VERSION = 1
PARTS = ("view", "words", "text", "events")  # that a program may ask for
USUAL = ("view", "words")
GREETING = f'{{"type":"hello","kozyr":{VERSION}}}'  # its shortest answer to hello


class MessageWriter:
    """Messages to a program in one game.

    Args:
        game: of the messages; variant: its options.

    Attributes:
        wants: parts of a question that the program asks for, of PARTS.
    """

    def __init__(self, game: Game, variant: Any) -> None:
        self.game, self.variant = game, variant
        self.wants = frozenset[str](USUAL)
        spans = game.parts(variant).spans()
        self._spans = [(name, span) for name, span in spans.items() if span.stop > span.start]
        self._states = np.zeros(1, game.layout(variant))

    def hello(self) -> str:
        """Return the first message, with all that stays the same."""
        game, v = self.game, self.variant
        return encode(
            {
                "type": "hello",
                "kozyr": VERSION,
                "game": game.name,
                "version": game.version,
                "options": game.options(v),
                "seats": game.seats(v),
                "actions": game.actions(v),
                "view": {name: {"size": last - first, "high": high} for name, first, last, high in game.declaration(v)},
            }
        )

    def act(self, number: int, seat: int, view: NDArray[Any], mask: NDArray[np.int8], left: float | None) -> str:
        """Return a question; the keys keep this order.

        Args:
            number: its id; seat: to move, −1: not known; view: of the seat; mask: of legal actions.
            left: seconds for the answer, or None.
        """
        game, v, legal = self.game, self.variant, np.flatnonzero(mask).tolist()
        message: dict[str, Any] = {"type": "act", "id": number, "left": left, "legal": legal}
        if "words" in self.wants:
            tables.guess(v, view, 0, self._states)
            message["words"] = [game.text.say(v, self._states[0], action, 0) for action in legal]
        if "view" in self.wants:
            message["view"] = {name: view[span].tolist() for name, span in self._spans}
        if "text" in self.wants:
            message["text"] = game.text.write_view(v, view, max(seat, 0))
        return encode(message)


def event(it: Event) -> str:
    """Return the message of an event."""
    message = {"type": "event", "kind": str(it.kind), "ply": it.ply, "seat": it.seat}
    return encode({**message, "action": it.action, "words": it.as_text().words})


def reset(seat: int, seed: int) -> str:
    """Return the message of the seat that a program has now, −1 for several, and its luck."""
    return encode({"type": "reset", "seat": seat, "seed": seed})


def result(seat: int, payoffs: Sequence[float]) -> str:
    """Return the message of a game's payoffs."""
    return encode({"type": "result", "seat": seat, "payoffs": list(payoffs)})


def wanted_parts(hello: Any) -> frozenset[str]:
    """Return the parts of a question that a program asks for in its hello.

    Raises:
        ValueError: if its greeting is none.
    """
    if not isinstance(hello, dict):
        raise ValueError(f"write {GREETING}")
    greeting = cast("dict[str, Any]", hello)
    if greeting.get("type") != "hello" or greeting.get("kozyr") != VERSION:
        raise ValueError(f"write {GREETING}")
    wants = greeting.get("wants", list(USUAL))
    if not isinstance(wants, list) or any(one not in PARTS for one in cast("list[Any]", wants)):
        raise ValueError(f"it may want a list of {', '.join(PARTS)}")
    return frozenset(cast("list[str]", wants))


def encode(message: Any) -> str:
    """Return a message as it is sent, without the end of its line."""
    return json.dumps(message, separators=(",", ":"), ensure_ascii=False)


def read(line: str) -> dict[str, Any] | None:
    """Return a message, or None for a text that is no JSON object."""
    try:
        message: Any = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return cast("dict[str, Any]", message) if isinstance(message, dict) else None
