"""Daifugo with suits against the slow oracle: what is legal, whose turn it is and how rounds end, step by step."""

from typing import Any

import numpy as np
import pytest

from kozyr.envs.daifugo import GAME, text
from kozyr.envs.daifugo.round import IN, PLAY
from kozyr.envs.daifugo.suited.sets import COLUMNS, EVERY, JOKER_ROW, LONE, NOTHING, SEQUENCE, Set
from kozyr.envs.daifugo.suited.words import names
from kozyr.envs.table.table import Table
from tests.oracles import daifugo_suits as oracle

V = GAME.make_variant(rules="uecda", rounds=4)
FORGETS = V._replace(rounds=7, forget=3)


def told(it: Set) -> oracle.Laid | None:
    """Return a set of the engine as the oracle tells it."""
    if it.kind == NOTHING:
        return None
    if it.kind == LONE:
        return oracle.LONE
    cards = {(r + 1, oracle.SUITS[suit]) for suit in range(4) for r in range(COLUMNS) if it.cards[suit] >> r & 1}
    places = set(cards)
    if it.joker is not None:
        row, column = it.joker
        places.add((column, "fifth" if row == JOKER_ROW else oracle.SUITS[row]))
        cards.add(oracle.JOKER)
    return oracle.Laid("sequence" if it.kind == SEQUENCE else "group", frozenset(places), frozenset(cards))


TOLD = [told(it) for it in EVERY]


def hand(s: Any, seat: int) -> set[oracle.Card]:
    text = names(s.cards[seat])
    return set() if text == "-" else {oracle.card(word) for word in text.split()}


def follow(table: Table, rng: np.random.Generator, eager: float) -> int:
    """Play a round at random in both and compare; return the plies."""
    s: Any = table.states[0]
    order = [0]
    while len(order) < V.players:
        order.append(int(s.next_of[order[-1]]))
    slow = oracle.Round([hand(s, k) for k in range(V.players)], order, int(s.turn))
    assert (3 - 2, "D") in slow.hands[s.turn]
    begun, total, plies = s.rounds, s.total.copy(), 0
    while not slow.over:
        assert s.turn == slow.turn
        legal = np.flatnonzero(table.mask)
        assert {TOLD[a] for a in legal} == slow.legal()
        lays = legal[legal > 0]
        action = int(rng.choice(lays if len(lays) and rng.random() < eager else legal))
        table.apply(action)
        slow.act(TOLD[action])
        plies += 1
        if not slow.over:
            assert [hand(s, k) for k in range(V.players)] == slow.hands
            assert bool(s.upside) == slow.upside
            assert TOLD[s.lies] == slow.table
            assert (s.bound > 0) == (slow.lock is not None)
            assert {k for k in range(V.players) if s.passed[k]} == slow.passed
    ended = [int(k) for k in np.argsort((s.total - total)[: V.players])]
    assert ended[: len(slow.out)] == slow.out
    assert table.over or s.rounds == begun + 1
    return plies


def exchange(table: Table, rng: np.random.Generator) -> None:
    """Let the first two give cards at random and look at what changes hands."""
    s: Any = table.states[0]
    while s.phase != PLAY:
        giver, legal = s.turn, np.flatnonzero(table.mask)
        assert {TOLD[a] for a in legal} == {it for it in oracle.sets_of(hand(s, giver)) if len(it.cards) == 1}
        action = int(rng.choice(legal))
        mine, given = hand(s, giver), TOLD[action]
        assert given is not None
        taker = int(np.flatnonzero(s.before == V.players - 1 - s.before[giver])[0])
        theirs = hand(s, taker)
        table.apply(action)
        assert hand(s, giver) == mine - given.cards
        assert hand(s, taker) == theirs | given.cards


def test_s20_places_are_forgotten_after_so_many_rounds() -> None:
    rng, drawn = np.random.default_rng(9), set[int]()  # who gets the first card
    for seed in range(12):
        table = Table(GAME, FORGETS, seed)
        s: Any = table.states[0]
        while not table.over:
            follows = (s.rounds - 1) % 3 > 0
            assert (s.phase != PLAY) == follows
            assert sorted(s.before[: V.players]) == ([0, 1, 2, 3, 4] if follows else [IN] * 5)
            assert text.read(FORGETS, text.write(FORGETS, s))[0] == s
            exchange(table, rng)
            if not follows:
                more = {k for k in range(V.players) if s.count[k] == 11}
                (first,) = more - {int(s.next_of[k]) for k in more}
                drawn.add(first)
            begun = s.rounds
            while s.rounds == begun and not table.over:
                table.apply(int(rng.choice(np.flatnonzero(table.mask))))
        assert s.total.sum() == 7 * 10
    assert drawn == set(range(V.players))


@pytest.mark.parametrize("games", [3, pytest.param(15, marks=pytest.mark.long)])
@pytest.mark.parametrize("eager", [0.3, 0.9])
def test_rounds_agree_with_the_oracle(eager: float, games: int) -> None:
    rng = np.random.default_rng(7)
    plies = 0
    for seed in range(games):
        table = Table(GAME, V, seed)
        while not table.over:
            exchange(table, rng)
            plies += follow(table, rng, eager)
    assert plies > 200 * games


@pytest.mark.slow
def test_thousands_of_rounds_agree_with_the_oracle() -> None:
    rng = np.random.default_rng(8)
    for seed in range(1000):
        table = Table(GAME, V, 1_000 + seed)
        while not table.over:
            exchange(table, rng)
            follow(table, rng, rng.random())
