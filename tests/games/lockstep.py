"""Play an engine and its oracle side by side and compare them after every action."""

import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from kozyr.envs.loops import tables
from tests.oracles import daifugo, draw_poker, durak, mnk, war

ORACLES: dict[str, Any] = {"daifugo": daifugo, "draw_poker": draw_poker, "durak": durak, "mnk": mnk, "war": war}


def seeds(count: int) -> list[Any]:
    """Return so many seeds for a test; `make test` takes the first two, `make test-long` the others."""
    return [*range(2), *(pytest.param(seed, marks=pytest.mark.long) for seed in range(2, count))]


class Engine:
    """One table of a game in compiled code."""

    def __init__(self, game: Any, v: Any, seed: int, starter: int = -1) -> None:
        self.game, self.v, self.seats = game, v, game.seats(v)
        self.states = np.zeros(1, game.layout(v))
        self.s: Any = self.states[0]
        self.view = np.zeros(game.size(v), game.view_dtype)
        self.mask = np.zeros(game.actions(v), np.int8)
        tables.deal_one(v, self.states, seed, starter, self.view, self.mask)

    def play(self, action: int) -> None:
        if tables.step_one(self.v, self.states, action, self.view, self.mask) < 0:
            self.mask[:] = 0

    def legal(self) -> list[int]:
        return np.flatnonzero(self.mask).tolist()

    def payoffs(self) -> list[float]:
        return self.s.payoff[: self.seats].tolist()


def known(game: Any, v: Any) -> bool:
    """Tell whether the oracle of a game knows a variant."""
    return getattr(ORACLES[game.name], "knows", lambda v: True)(v)


def play_led(game: Any, v: Any, seed: int, players: Sequence[Any]) -> None:
    """Play one game on both, every action by a player that is drawn at random, comparing all after each."""
    beside = ORACLES[game.name]
    engine, rng = Engine(game, v, seed), random.Random(seed)
    oracle = beside.dealt(engine)
    while oracle.turn >= 0:
        action = rng.choice(players).act(engine.view, engine.mask)
        engine.play(action)
        oracle.play(action)
        beside.assert_same(engine, oracle)


def play_both(game: Any, v: Any, seed: int, every: int = 1) -> int:
    """Play one game at random on both, comparing all after every so many plies and at the end; return the plies."""
    beside = ORACLES[game.name]
    engine = Engine(game, v, seed)
    oracle, rng, plies = beside.dealt(engine), np.random.default_rng(seed), 0
    beside.assert_same(engine, oracle)
    while oracle.turn >= 0:
        legal = oracle.legal()
        action = legal[int(rng.random() * len(legal))]
        assert engine.mask[action]
        engine.play(action)
        oracle.play(action)
        plies += 1
        if plies % every == 0 or oracle.turn < 0:
            beside.assert_same(engine, oracle)
    return plies
