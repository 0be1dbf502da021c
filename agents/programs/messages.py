"""The messages of protocol "kozyr" 1, as a program is told them; see docs/howto/process.md."""

import json
from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.core.game import Game
from kozyr.envs.loops import tables
from kozyr.envs.table.event import Event

VERSION = 1
PARTS = ("view", "words", "text", "events")  # what a program may want
USUAL = ("view", "words")
GREETING = f'{{"type":"hello","kozyr":{VERSION}}}'  # what it answers at least


class Telling:
    """What a program is told of one game.

    Args:
        game: what is played; variant: its options.

    Attributes:
        wants: what it wants to be told, of PARTS.
    """

    def __init__(self, game: Game, variant: Any) -> None:
        self.game, self.variant = game, variant
        self.wants = frozenset[str](USUAL)
        spans = game.parts(variant).spans()
        self._spans = [(name, span) for name, span in spans.items() if span.stop > span.start]
        self._states = np.zeros(1, game.layout(variant))

    def hello(self) -> str:
        """Return all that stays the same."""
        game, v = self.game, self.variant
        return written(
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
            number: its id; seat: whose turn it is, −1: not known; view: what it knows; mask: what it may do.
            left: seconds for the answer, or None.
        """
        game, v, legal = self.game, self.variant, np.flatnonzero(mask).tolist()
        told: dict[str, Any] = {"type": "act", "id": number, "left": left, "legal": legal}
        if "words" in self.wants:
            tables.guess(v, view, 0, self._states)
            told["words"] = [game.text.say(v, self._states[0], action, 0) for action in legal]
        if "view" in self.wants:
            told["view"] = {name: view[span].tolist() for name, span in self._spans}
        if "text" in self.wants:
            told["text"] = game.text.write_view(v, view, max(seat, 0))
        return written(told)


def event(it: Event) -> str:
    """Return what has happened."""
    told = {"type": "event", "kind": str(it.kind), "ply": it.ply, "seat": it.seat}
    return written({**told, "action": it.action, "words": it.words})


def reset(seat: int, seed: int) -> str:
    """Return the seat that a program has now, −1 for several, and its luck."""
    return written({"type": "reset", "seat": seat, "seed": seed})


def result(seat: int, payoffs: Sequence[float]) -> str:
    """Return what a game has brought."""
    return written({"type": "result", "seat": seat, "payoffs": list(payoffs)})


def wanted(hello: Any) -> frozenset[str]:
    """Return what a program wants, as it has greeted.

    Raises:
        ValueError: if its greeting is none.
    """
    if not isinstance(hello, dict):
        raise ValueError(f"write {GREETING}")
    said = cast("dict[str, Any]", hello)
    if said.get("type") != "hello" or said.get("kozyr") != VERSION:
        raise ValueError(f"write {GREETING}")
    wants = said.get("wants", list(USUAL))
    if not isinstance(wants, list) or any(one not in PARTS for one in cast("list[Any]", wants)):
        raise ValueError(f"it may want a list of {', '.join(PARTS)}")
    return frozenset(cast("list[str]", wants))


def written(message: Any) -> str:
    """Return a message as it is sent, without the end of its line."""
    return json.dumps(message, separators=(",", ":"), ensure_ascii=False)


def read(line: str) -> dict[str, Any] | None:
    """Return a message, or None for a text that is no JSON object."""
    try:
        found: Any = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return cast("dict[str, Any]", found) if isinstance(found, dict) else None
