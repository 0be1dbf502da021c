"""Poker's stronger players act legally in every variant, on views alone, and win chips."""

import numpy as np
import pytest

from kozyr.agents import load
from kozyr.agents.arena import match
from kozyr.agents.draw_poker import LADDER
from kozyr.envs import registry
from kozyr.envs.core import dispatch
from kozyr.envs.core.rng import generators
from kozyr.envs.draw_poker import GAME
from kozyr.envs.loops.tables import choose_batch
from tests.contract.variants import drawn

registry.seat_bots(GAME)

PLAYERS = ("heuristic", "pimc@8")


def positions(v, seed=5, most=60):
    """Play at random or as the heuristic does, and give every position with its view and mask."""
    rngs, s = np.random.default_rng(seed), np.zeros(1, GAME.state)[0]
    view, mask = np.zeros(GAME.size(v), GAME.view_dtype), np.zeros(GAME.actions(v), np.int8)
    g, chosen = generators(seed, 1), np.zeros(1, np.int64)
    for n in range(most):
        if n == 0 or s.turn < 0:
            dispatch.start(v, s, int(rngs.integers(1 << 40)), -1)
        dispatch.legal(v, s, mask)
        dispatch.observe(v, s, s.turn, view)
        yield s, view, mask
        choose_batch(v, n % 3 and LADDER.index("heuristic"), view[None], mask[None], g, chosen)
        dispatch.play(v, s, int(chosen[0]))


def options(v):
    return GAME.options(v)


@pytest.mark.parametrize("v", drawn(GAME, 8), ids=str)
@pytest.mark.parametrize("name", PLAYERS)
def test_they_act_legally_everywhere_and_know_only_the_view(name, v):
    player, world = load(name, game=GAME.name, **options(v)), np.zeros(1, GAME.state)
    again, other = np.zeros(GAME.size(v), GAME.view_dtype), np.zeros(GAME.actions(v), np.int8)
    for s, view, mask in positions(v):
        player.reset(0, 3)
        action = player.act(view.copy(), mask.copy())
        assert mask[action]
        dispatch.imagine(v, view, 11, world[0])
        dispatch.observe(v, world[0], 0, again)
        dispatch.legal(v, world[0], other)
        player.reset(0, 3)
        assert player.act(again, other) == action, s


def test_the_heuristic_wins_chips_from_three_document_players():
    result = match(GAME.name, ["heuristic", "priority"], deals=1000)
    assert result.agents[0].interval[0] > 0


@pytest.mark.slow
def test_pimc_wins_chips_from_three_heuristics():
    result = match(GAME.name, ["pimc@100", "heuristic"], deals=1000)
    assert result.agents[0].interval[0] > 0
