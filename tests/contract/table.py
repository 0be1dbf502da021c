"""One table, looked at through the five functions of its game."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from kozyr.envs.compile import jit
from kozyr.envs.core import dispatch
from kozyr.envs.core.rng import generators
from kozyr.envs.core.state import OVER
from kozyr.envs.loops import single_table as row
from kozyr.envs.loops import tables

GARBAGE = 77  # what arrays hold before a rules function writes them


class Content(bytes):
    """The bytes of all fields of one state or several, without the gaps between them; pytest tells which field differs.

    Attributes:
        rows: a copy of the states.
    """

    rows: Any

    def __new__(cls, states: Any) -> "Content":
        made = super().__new__(
            cls, b"".join(np.ascontiguousarray(states[name]).tobytes() for name in states.dtype.names)
        )
        made.rows = np.array(states).reshape(-1).copy()  # one record alone would share its memory
        return made


def content(states: Any) -> Content:
    """Return the content of one state or several."""
    return Content(states)


def difference(one: Any, other: Any) -> str:
    """Return the first difference of two contents, or lists or dictionaries of them: field and both values; else ""."""
    if isinstance(one, Content) and isinstance(other, Content):
        return _first_field(one.rows, other.rows)
    if isinstance(one, dict) and isinstance(other, dict):
        pairs = [(key, one[key], other[key]) for key in one if key in other]
    elif isinstance(one, list) and isinstance(other, list):
        pairs = [(i, *both) for i, both in enumerate(zip(one, other, strict=False))]
    else:
        return ""
    found = ((key, difference(first, second)) for key, first, second in pairs if first != second)
    return next((f"[{key!r}]: {said}" for key, said in found if said), "")


def _first_field(one: Any, other: Any) -> str:
    """Return the first field of some states that differs, the place in it, and both values."""
    if one.dtype != other.dtype or len(one) != len(other):
        return f"{len(one)} states of {one.dtype} and {len(other)} of {other.dtype}"
    for name in one.dtype.names:
        a, b = one[name], other[name]
        if a.tobytes() != b.tobytes():
            differing = np.argwhere(a != b)
            row, *inner = (int(i) for i in (differing[0] if len(differing) else [0]))
            place, which = "".join(f"[{i}]" for i in inner), f"state {row}: " if len(one) > 1 else ""
            return f"{which}field {name}{place} is {a[row, *inner]} in the first and {b[row, *inner]} in the second"
    return ""


@jit
def _start(v: Any, states: Any, seed: int, starter: int) -> None:
    dispatch.start(v, states[0], seed, starter)


@jit
def _sound(v: Any, states: Any) -> bool:
    return dispatch.sound(v, states[0])


class Table:
    """A game in progress, in compiled code."""

    def __init__(self, game: Any, v: Any, seed: int = 0, starter: int = -1) -> None:
        self.game, self.v = game, v
        self.states = np.zeros(1, game.layout(v))
        self.s: Any = self.states[0]
        self.deal(seed, starter)

    @classmethod
    def of(cls, game: Any, v: Any, states: Any) -> "Table":
        """Return a table that goes on from the state in `states`."""
        table = cls.__new__(cls)
        table.game, table.v, table.states = game, v, states
        table.s = states[0]
        return table

    def copy(self) -> "Table":
        return self.of(self.game, self.v, self.states.copy())

    def deal(self, seed: int, starter: int = -1) -> None:
        """Begin a new game, whatever was there before."""
        _start(self.v, self.states, seed, starter)

    def imagined(self, seat: int, seed: int) -> "Table":
        """Return a table imagined from a seat's view; that seat is its seat 0."""
        states = np.zeros(1, self.game.layout(self.v))
        self.imagine(self.view(seat), seed, states)
        return self.of(self.game, self.v, states)

    def imagine(self, view: Any, seed: int, states: Any) -> None:
        """Write a state that fits a view."""
        tables.guess(self.v, view, seed, states)

    @property
    def sound(self) -> bool:
        return bool(_sound(self.v, self.states))

    @property
    def seats(self) -> int:
        return self.game.seats(self.v)

    @property
    def turn(self) -> int:
        return int(self.s.turn)

    @property
    def over(self) -> bool:
        return self.turn == OVER

    @property
    def bytes(self) -> bytes:
        return content(self.states)

    @property
    def payoffs(self) -> list[float]:
        return self.s.payoff[: self.seats].tolist()

    def mask(self) -> Any:
        mask = np.full(self.game.actions(self.v), GARBAGE, np.int8)
        self.mark(mask)
        return mask

    def mark(self, mask: Any) -> None:
        """Write the legal actions."""
        tables.legal_all(self.v, self.states, mask[None])

    def view(self, seat: int) -> Any:
        view = np.full(self.game.size(self.v), GARBAGE, self.game.view_dtype)
        self.look(seat, view)
        return view

    def look(self, seat: int, view: Any) -> None:
        """Write what a seat knows."""
        tables.look(self.v, self.states, seat, view)

    def play(self, action: int) -> None:
        tables.play_all(self.v, self.states, np.array([action], np.int64))

    def play_out(self, seed: int) -> int:
        """Play at random to the end in compiled code and return the plies."""
        return row.playout(self.v, self.s, generators(seed, 1)[0], np.zeros(self.game.actions(self.v), np.int8))

    def walk(self, seed: int, plies: int = 10**9) -> Iterator[int]:
        """Play at random; give each action once it has been played."""
        rngs = np.random.default_rng(seed)
        while not self.over and plies > 0:
            action = int(rngs.choice(np.flatnonzero(self.mask())))
            self.play(action)
            plies -= 1
            yield action


class Plain(Table):
    """The same in plain Python, which is slow and notices an index that is out of range."""

    def deal(self, seed: int, starter: int = -1) -> None:
        dispatch.start(self.v, self.s, seed, starter)

    def imagine(self, view: Any, seed: int, states: Any) -> None:
        dispatch.imagine(self.v, view, seed, states[0])

    def mark(self, mask: Any) -> None:
        dispatch.legal(self.v, self.s, mask)

    def look(self, seat: int, view: Any) -> None:
        dispatch.observe(self.v, self.s, seat, view)

    def play(self, action: int) -> None:
        dispatch.play(self.v, self.s, int(action))


class Hashed:
    """An An agent without chance or memory: a view and a mask always get the same answer."""

    def reset(self, seat: int, seed: int) -> None:
        pass

    def act(self, view: Any, mask: Any) -> int:
        legal = np.flatnonzero(mask)
        weights = np.arange(1, len(view) + 1, dtype=np.int64)
        return int(legal[int((view * weights).sum() + len(legal)) % len(legal)])

    def act_batch(self, views: Any, masks: Any) -> Any:
        return np.array([self.act(view, mask) for view, mask in zip(views, masks, strict=True)], np.int64)


ACT = Hashed().act


def loop(env: Any, plies: int = 10**9) -> None:
    """Play on until all agents have left, or for so many plies."""
    while env.agents and plies:
        observation, _, terminated, truncated, _ = env.last()
        done = terminated or truncated
        env.step(None if done else ACT(observation["observation"], observation["action_mask"]))
        plies -= 1


def played_out(env: Any) -> bytes:
    """Play an environment to its end and return its last state; another process finds this by its name."""
    loop(env)
    return bytes(content(env.state_record()))
