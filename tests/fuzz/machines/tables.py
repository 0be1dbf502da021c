"""A table: one game in progress, with clocks, forfeits and records."""

import copy
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.stateful import initialize

from kozyr.envs.core.capabilities import stand_in
from kozyr.envs.table import record
from kozyr.envs.table.clock import Clock
from kozyr.envs.table.table import TIME, Table
from tests.contract.table import content
from tests.fuzz.errors import require
from tests.fuzz.machines.base import (
    BAD_SEATS,
    BAD_SEEDS,
    GAMES,
    KINDS,
    NO_NUMBERS,
    NUMBERS,
    VARIANTS,
    WHOLE,
    Machine,
    legal,
    pick,
    step,
)

_CLOCKS: list[dict[str, Any] | None] = [
    *(None, None, {"move": 5}, {"game": 20}, {"game": 10, "increment": 2}, {"move": 3, "game": 9}),
]
_BAD_CLOCKS: list[dict[str, Any]] = [
    *({}, {"move": 0}, {"move": -1}, {"move": "5"}, {"game": float("nan")}, {"game": float("inf")}, {"increment": 1}),
    *({"move": True}, {"move": 5, "increment": 1}, {"game": 5, "increment": -1}, {"game": [5]}, {"move": 10**400}),
]


class Hand:
    """A clock's hand that stands until it is moved."""

    def __init__(self) -> None:
        self.at = 100.0

    def __call__(self) -> float:
        return self.at


class ATable(Machine):
    """A table and its twin, which share no clock."""

    @initialize(game=GAMES, number=st.integers(0, VARIANTS), clock=st.integers(0, 5), starter=st.integers(-2, 5))
    def begin(self, game: str, number: int, clock: int, starter: int) -> None:
        """Open the table and its twin."""
        self.note("begin", {"game": game, "number": number, "clock": clock, "starter": starter})
        self.choose(game, number)
        self.hands = [Hand(), Hand()]
        seats, times = self.game.seats(self.v), _CLOCKS[clock]
        first = None if starter == -2 else -1 if starter == -1 else starter % seats
        names = [f"agent {k}" for k in range(seats)] if number % 2 else None
        self.env, self.twin = (
            Table(self.game, self.v, number, first, Clock(**times, now=hand) if times else None, "an id", names)
            for hand in self.hands
        )
        self.ready = True

    @step(number=NUMBERS, quick=st.booleans())
    def play(self, number: int, quick: bool) -> None:
        """Play a legal action, told or quick."""
        env = self.env
        if env.over:
            self.refused(lambda: env.play(0) if quick else env.apply(0), RuntimeError)
            return
        action = legal(env.mask, number)
        if quick:
            env.play(pick(KINDS, number)(action))
            self.twin.play(action)
        else:
            events = [str(one) for one in env.apply(action)]
            require(events == [str(one) for one in self.twin.apply(action)], f"other events: {events}")

    @step(number=NUMBERS)
    def play_more(self, number: int) -> None:
        """Play some legal actions."""
        for i in range(number % 30):
            self.play.__wrapped__(self, number=number + 7 * i, quick=bool(number % 2))

    @step(number=NUMBERS, quick=st.booleans())
    def play_wrongly(self, number: int, quick: bool) -> None:
        """Play what is no legal action."""
        env = self.env
        action = pick([*NO_NUMBERS, None, *([] if stand_in(self.v) is not None else WHOLE)], number)
        if env.over:
            self.refused(lambda: env.play(action) if quick else env.apply(action), RuntimeError)
        elif quick or not env.late:
            self.refused(lambda: env.play(action) if quick else env.apply(action))

    @step(number=NUMBERS)
    def play_illegal(self, number: int) -> None:
        """Play an action of the game that is not legal."""
        others = np.flatnonzero(self.env.mask == 0).tolist()
        if others and not self.env.over and stand_in(self.v) is None:
            self.refused(lambda: self.env.play(others[number % len(others)]))

    @step(number=NUMBERS)
    def forfeit(self, number: int) -> None:
        """Let a seat give up."""
        seat = number % self.env.seats
        if self.env.over:
            self.refused(lambda: self.env.forfeit(seat, "tired"), RuntimeError)
        elif number % 3 == 0:
            reason = ("tired", "", TIME, "a\nb ☃")[number % 4]
            told = [str(one) for one in self.env.forfeit(seat, reason)]
            require(told == [str(one) for one in self.twin.forfeit(seat, reason)], f"other events: {told}")

    @step(number=NUMBERS)
    def forfeit_wrongly(self, number: int) -> None:
        """Let a seat give up that there is not."""
        self.refused(lambda: self.env.forfeit(pick(BAD_SEATS, number), "no"), ValueError, RuntimeError)

    @step(seconds=st.integers(0, 30))
    def wait(self, seconds: int) -> None:
        """Let the clock run for the seat to move."""
        if self.env.over:
            self.refused(self.env.start_clock, RuntimeError)
            return
        require(self.env.start_clock() == self.twin.start_clock(), "other deadlines")
        for hand in self.hands:
            hand.at += seconds / 4
        require(self.env.late == self.twin.late, "one is late")

    @step(number=NUMBERS)
    def look(self, number: int) -> None:
        """Look at everything, and write into what was given."""
        env, seat = self.env, number % (self.env.seats + 1)
        who = None if seat == env.seats else seat
        looks = [lambda: env.text(who), lambda: env.drawing(who), env.events, lambda: env.info(who), lambda: env.record]
        looks[number % 5]()
        for array in (env.mask, env.view(number % env.seats), env.state()):
            array.view(np.uint8)[...] = 3
        env.payoffs.append(3)

    @step(number=NUMBERS)
    def look_wrongly(self, number: int) -> None:
        """Look at what a seat sees that there is not."""
        self.refused(lambda: self.env.view(pick(BAD_SEATS, number)))

    @step(number=NUMBERS)
    def open_badly(self, number: int) -> None:
        """Open a table that there is not."""
        game, v = self.game, self.v
        calls = [
            *(lambda seed=seed: Table(game, v, seed) for seed in BAD_SEEDS),
            *(lambda seat=seat: Table(game, v, 1, seat) for seat in BAD_SEATS if seat is not None and seat is not True),
            *(lambda times=times: Clock(**times) for times in _BAD_CLOCKS),
            lambda: Table(game, v, 1, names=["one"] * 17),
        ]
        call = calls[number % len(calls)]
        if number % len(calls) == len(BAD_SEEDS):  # -1 lets the seed draw
            return
        self.refused(call)

    @step()
    def keep(self) -> None:
        """Go on with a table that is made of the record."""
        line = record.write(self.env.record)
        again = record.read(line)
        require(record.write(again) == line, "a record reads otherwise once written")
        other = Table.resume(again)
        require(content(other.state()) == content(self.env.state()), "a record makes another state")
        require(other.payoffs == self.env.payoffs and other.over == self.env.over, "a record makes another end")

    @step(how=NUMBERS)
    def clone(self, how: int) -> None:
        """Go on with a copy, and its own hand; a copy's clock stands, so that its twin is copied, too."""
        self.cloned(how)
        if self.env.clock is not None:
            self.twin = copy.deepcopy(self.twin)
            self.hands = [self.env.clock.now, self.twin.clock.now]

    def told(self, env: Any) -> dict[str, Any]:
        """Return all that can be seen of a table."""
        return {
            "state": content(env.state()),
            "turn": env.turn,
            "over": env.over,
            "payoffs": env.payoffs,
            "mask": env.mask.tobytes(),
            "views": [env.view(seat).tobytes() for seat in range(env.seats)],
            "record": record.write(env.record),
            "late": env.late,
        }

    def states(self, env: Any) -> Any:
        """Return the state."""
        require(bool(env.mask.any()) != env.over, "there are legal actions once the game is over, or none before")
        return [env.state()[0]]
