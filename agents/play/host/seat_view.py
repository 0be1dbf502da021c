"""Seat views: the scene of a table and the choices in it, as a seat or a spectator sees them."""

from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from kozyr.agents.play.session import messages
from kozyr.agents.play.session.host_protocol import SeatView
from kozyr.envs.compile import jit
from kozyr.envs.core import dispatch, input_spec, labels
from kozyr.envs.core.game import Game
from kozyr.envs.pictures import render_svg
from kozyr.envs.table.table import Table

_NONE = msgspec.Raw(b"[]")
_MOST_CACHES = 256  # games and names whose choices are cached
_MOST_CHOICES = 4096  # of one of them


@jit
def list_choices(v: Any, states: NDArray[Any], mask: NDArray[np.int8], rows: NDArray[np.int32]) -> None:
    """Write each legal action and how a person makes it: rows int32 [legal, 1 + ENTRIES], all zeros."""
    n = 0
    for action in range(len(mask)):
        if mask[action] and n < len(rows):
            rows[n, 0] = action
            dispatch.elements(v, states[0], action, rows[n, 1:])
            n += 1


class SeatViewRenderer:
    """Renders views of all tables of a process; the words of a game's choices are cached."""

    def __init__(self) -> None:
        self._encoders = dict[Any, ChoiceEncoder]()

    def render(self, table: Table, sees: int) -> SeatView:
        """Return a table as a seat, SEES_ALL or SEES_PUBLIC sees it."""
        states = table.state()  # compiled code would be compiled anew for the table's own, which are read-only
        rows = render_svg.rows(table.game, table.variant, states, sees, marked=False)
        return SeatView(rows, self._choices(table, states) if sees == table.turn and sees >= 0 else _NONE)

    def _choices(self, table: Table, states: NDArray[Any]) -> msgspec.Raw:
        mask = table.mask
        rows = np.zeros((int(mask.sum()), 1 + input_spec.ENTRIES), np.int32)
        list_choices(table.variant, states, mask, rows)
        key = (table.game.id, table.variant, table.names)
        encoder = self._encoders.get(key)
        if encoder is None:
            if len(self._encoders) >= _MOST_CACHES:
                self._encoders.clear()
            encoder = self._encoders[key] = ChoiceEncoder(table.game, table.variant, table.names)
        return encoder.encode(states[0], table.turn, rows)


class ChoiceEncoder:
    """The choices of a game in words, each encoded once."""

    def __init__(self, game: Game, variant: Any, names: tuple[str, ...] | None) -> None:
        self._game, self._variant, self._names = game, variant, names
        self._labels = game.labels
        self._cache = dict[bytes, bytes]()

    def encode(self, s: Any, turn: int, rows: NDArray[np.int32]) -> msgspec.Raw:
        """Return the choices of a state as JSON."""
        step, data, parts = rows.shape[1] * rows.itemsize, rows.tobytes(), list[bytes]()
        for i in range(len(rows)):
            key = data[i * step : (i + 1) * step]
            part = self._cache.get(key)
            parts.append(self._encode_one(s, turn, rows[i].tolist(), key) if part is None else part)
        return msgspec.Raw(b"[" + b",".join(parts) + b"]")

    def _encode_one(self, s: Any, turn: int, row: list[int], key: bytes) -> bytes:
        """Return one choice as JSON, and cache it if it is the same in every state."""
        action, entries = row[0], row[1:]
        label = self._labels.get(entries[input_spec.SAID])
        arguments = entries[input_spec.SAID_A : input_spec.SAID_C + 1]
        if label is None:
            phrase = self._game.text.say_phrase(self._variant, s, action, turn)
        else:
            phrase = (label, *arguments)
        words = labels.say(phrase, self._names)
        keys = entries[input_spec.KEYS : input_spec.KEYS + entries[input_spec.COUNT]]
        how, target = entries[input_spec.HOW], entries[input_spec.TARGET]
        choice: list[Any] = [action, words, how, arguments[0], target, keys]
        if labels.has_words(phrase[0]):
            choice.append([phrase[0] if label is None else entries[input_spec.SAID], *phrase[1:]])
        part = messages.write(choice)
        if label is not None and len(self._cache) < _MOST_CHOICES:
            self._cache[key] = part
        return part


RENDERER = SeatViewRenderer()
