"""Play an engine and its oracle side by side and compare them after every action."""

from typing import Any

import numpy as np

from kozyr.envs.core import tables
from kozyr.envs.durak.rules import DISCARD, NO_CARD, STOCK, TABLE
from kozyr.envs.mnk.rules import WALL
from tests.oracles.durak import Durak
from tests.oracles.mnk import Mnk


class Engine:
    """One table of a game in compiled code."""

    def __init__(self, game: Any, v: Any, seed: int, starter: int = -1) -> None:
        self.game, self.v, self.seats = game, v, game.seats(v)
        self.states = np.zeros(1, game.state)
        self.s: Any = self.states[0]
        self._view = np.zeros(game.size(v), game.view_dtype)
        self.mask = np.zeros(game.actions(v), np.int8)
        tables.deal_one(v, self.states, seed, starter, self._view, self.mask)

    def play(self, action: int) -> None:
        if tables.step_one(self.v, self.states, action, self._view, self.mask) < 0:
            self.mask[:] = 0

    def legal(self) -> list[int]:
        return np.flatnonzero(self.mask).tolist()

    def payoffs(self) -> list[float]:
        return self.s.payoff[: self.seats].tolist()


def durak_oracle(engine: Engine) -> Durak:
    """Return the oracle with the deal of a table that has just been dealt."""
    v, s = engine.v, engine.s
    options = engine.game.options(v)
    place, stock = s.place.tolist(), s.stock.tolist()
    return Durak(
        **{name: options[name] for name in ("players", "deck", "transfer", "pile_on", "open_trump", "refill")},
        starter_rule=options["starter"],
        max_rounds=v.max_rounds,
        hands=[[c for c in range(v.deck) if place[c] == seat] for seat in range(v.players)],
        stock=stock[int(s.drawn) : v.deck],
        trump=int(s.trump),
        starter=int(s.starter),
        bottom=stock[v.deck - 1],
    )


def assert_same_durak(engine: Engine, oracle: Durak) -> None:
    """Compare everything that both know."""
    v, s = engine.v, engine.s
    place = [-2] * v.deck
    laid = [(card, TABLE) for pair in oracle.table for card in pair if card != NO_CARD]
    for seat, hand in enumerate(oracle.hands):
        laid += [(card, seat) for card in hand]
    laid += [(card, STOCK) for card in oracle.stock] + [(card, DISCARD) for card in oracle.discard]
    for card, where in laid:
        assert place[card] == -2, "the oracle holds a card twice"
        place[card] = where
    assert s.place[: v.deck].tolist() == place
    assert np.flatnonzero(s.known[: v.deck]).tolist() == sorted(oracle.known)
    assert s.stock[int(s.drawn) : v.deck].tolist() == oracle.stock
    assert s.count[: v.players].tolist() == [len(hand) for hand in oracle.hands]
    assert np.flatnonzero(s.out).tolist() == sorted(oracle.out)
    assert int(s.turn) == oracle.turn
    assert engine.legal() == oracle.legal()
    assert np.allclose(engine.payoffs(), oracle.payoffs())
    if oracle.turn >= 0:
        pairs = list(zip(s.attack.tolist(), s.defence.tolist(), strict=True))[: int(s.laid)]
        assert pairs == [tuple(pair) for pair in oracle.table]
        roles = (int(s.attacker), int(s.defender), int(s.limit), int(s.rounds))
        assert roles == (oracle.attacker, oracle.defender, oracle.limit, oracle.rounds + 1)
    else:
        assert bool(s.truncated) == oracle.truncated


def mnk_oracle(engine: Engine) -> Mnk:
    """Return the oracle with the walls of a table that has just been dealt."""
    v, s = engine.v, engine.s
    walls = set(np.flatnonzero(s.board[: v.m * v.n] == WALL).tolist())
    return Mnk(v.m, v.n, v.k, v.last_reply, v.max_moves, walls, int(s.starter))


def assert_same_mnk(engine: Engine, oracle: Mnk) -> None:
    """Compare everything that both know."""
    v, s = engine.v, engine.s
    board = {a: mark for a, mark in enumerate(s.board[: v.m * v.n].tolist()) if mark in (0, 1)}
    assert board == oracle.board
    assert int(s.turn) == oracle.turn
    assert engine.legal() == oracle.legal()
    assert engine.payoffs() == oracle.payoffs()


PAIRS: dict[str, Any] = {"durak": (durak_oracle, assert_same_durak), "mnk": (mnk_oracle, assert_same_mnk)}


def play_both(game: Any, v: Any, seed: int, every: int = 1) -> int:
    """Play one game at random on both, comparing all after every so many plies and at the end; return the plies."""
    make, assert_same = PAIRS[game.name]
    engine = Engine(game, v, seed)
    oracle, luck, plies = make(engine), np.random.default_rng(seed), 0
    assert_same(engine, oracle)
    while oracle.turn >= 0:
        legal = oracle.legal()
        action = legal[int(luck.random() * len(legal))]
        assert engine.mask[action]
        engine.play(action)
        oracle.play(action)
        plies += 1
        if plies % every == 0 or oracle.turn < 0:
            assert_same(engine, oracle)
    return plies
