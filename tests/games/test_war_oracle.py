"""The compiled War plays as the oracle does, and its views tell what everybody at the table knows."""

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kozyr.envs.core import dispatch
from kozyr.envs.war import GAME
from kozyr.envs.war.view import Parts
from tests.contract import variants
from tests.games.lockstep import Engine, play_both, seeds
from tests.oracles.war import War, assert_same, dealt


@pytest.mark.parametrize("seed", seeds(4))
def test_random_games_over_random_variants_agree(seed: int) -> None:
    rng = random.Random(seed)
    for i in range(250):
        v = variants.one(GAME, rng)
        play_both(GAME, v._replace(max_turns=min(v.max_turns, 30 if v.deck > 24 else 150)), 1000 * seed + i)


@pytest.mark.parametrize("pickup", ["fixed", "random", "choice"])
def test_whole_games_with_52_cards_agree(pickup: str) -> None:
    for seed in range(4):
        play_both(GAME, GAME.make_variant(pickup=pickup), seed, every=7)


@given(v=variants.strategy(GAME), seed=st.integers(0, 2**63 - 1))
@settings(max_examples=30, deadline=None)
def test_any_variant_and_any_deal_agree(v: Any, seed: int) -> None:
    play_both(GAME, v, seed, every=10)


@pytest.mark.slow
def test_many_random_games_over_random_variants_agree() -> None:
    rng = random.Random(99)
    for i in range(3000):
        play_both(GAME, variants.one(GAME, rng), i, every=3)


@pytest.mark.parametrize("pickup", ["fixed", "random", "choice"])
@pytest.mark.parametrize("deck", [8, 20, 52])
def test_views_say_which_cards_each_place_may_hold(pickup: str, deck: int) -> None:
    v = GAME.make_variant(deck=deck, pickup=pickup, max_turns=60)
    for seed in range(6):
        engine, rng = Engine(GAME, v, seed), random.Random(seed)
        oracle = dealt(engine)
        while oracle.turn >= 0:
            action = rng.choice(oracle.legal())
            engine.play(action)
            oracle.play(action)
            for seat in (0, 1):
                assert told(engine, seat) == known(oracle, seat)


def known(oracle: War, seat: int) -> list[list[set[int]]]:
    """List what each place of both lines may hold, the seat's own line first."""
    return [[slot.may_be for slot in [*oracle.rows[k], *oracle.decks[k]]] for k in (seat, 1 - seat)]


def told(engine: Engine, seat: int) -> list[list[set[int]]]:
    """List the same from nothing but a view: blocks fill the first free places, unseen cards the rest."""
    v, view = engine.v, np.zeros(GAME.size(engine.v), GAME.view_dtype)
    dispatch.observe(v, engine.s, seat, view)
    at, lines = Parts(v), list[list[set[int]]]()
    unseen = {c for c in range(v.deck) if not view[at.mine + c] and not view[at.theirs + c]}
    for k, begin in enumerate((at.mine, at.theirs)):
        first = view[begin : begin + v.deck].tolist()
        blocks = {place: {c for c in range(v.deck) if first[c] == place} for place in first if place}
        line = [unseen] * int(view[at.laid + k] + view[at.sizes + k])
        free = set(range(1, len(line) + 1))
        for place in sorted(blocks, key=lambda place: len(blocks[place]) > 1):
            for spot in sorted(spot for spot in free if spot >= place)[: len(blocks[place])]:
                line[spot - 1] = blocks[place]
                free.remove(spot)
        lines.append(line)
    return lines


def test_the_oracle_notices_a_difference() -> None:
    v = GAME.make_variant()
    engine, other = Engine(GAME, v, 1), Engine(GAME, v, 2)
    with pytest.raises(AssertionError):
        assert_same(engine, dealt(other))
