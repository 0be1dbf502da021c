"""Batches of some games' players: threads, portions, and what goes wrong among them."""

import time
from typing import Any

import numpy as np
import pytest

from kozyr import agents, envs
from kozyr.agents.agent import Scripted
from kozyr.agents.search import Searcher
from kozyr.envs.core.rng import generators
from kozyr.envs.loops.tables import PORTION, choose_batch

ROWS = 2 * PORTION + 7
FEW = 12  # rows for search players
STEPS = 12


def test_an_error_leaves_nothing_to_the_other_threads() -> None:
    class Failing(Searcher):
        def search(self, view: Any, mask: Any, seed: int) -> int:
            if not self.twins:
                time.sleep(0.01)
                done.append(1)
                return 0
            raise KeyboardInterrupt

    done = list[int]()
    game = envs.game("mnk")
    twin = Failing(game, game.make_variant(m=3, n=3, k=3), 0, 1)
    player = Failing(game, twin.variant, 0, 1, twins=[twin])
    seen = envs.make_tables("mnk", 1000, m=3, n=3, k=3)
    with pytest.raises(KeyboardInterrupt):
        player.act_batch(seen.views, seen.masks)
    time.sleep(0.1)
    assert len(done) <= 2


def test_threads_change_no_action_of_a_solver_in_endgames() -> None:
    tables = envs.make_tables("durak", 64, seed=5, deck=36)
    usual = agents.load("durak:low", deck=36)
    alone, shared = (agents.load("durak:solver@2000", deck=36, threads=threads) for threads in (1, 3))
    ends = 0
    for _ in range(60):
        told = alone.act_batch(tables.views, tables.masks)
        assert (shared.act_batch(tables.views, tables.masks) == told).all()
        ends += sum(map(alone.solvable, tables.views))
        tables.step(usual.act_batch(tables.views, tables.masks))
    assert ends > 100


def test_each_portion_has_luck_of_its_own() -> None:
    player: Any = agents.load("mnk:random")
    actions = player.act_batch(*empty_boards(player, 2 * PORTION)).reshape(2, PORTION)
    assert (actions[0] == actions[1]).mean() < 0.1


def test_one_generator_serves_a_whole_batch() -> None:
    player: Any = agents.load("mnk:random")
    rngs, actions = generators(4, 3), np.zeros(ROWS, np.int64)
    beside = rngs[1:].copy()
    choose_batch(player.variant, player.level, *empty_boards(player, ROWS), rngs[:1], actions)
    assert len(set(actions.tolist())) > 100
    assert (rngs[1:] == beside).all()


def empty_boards(player: Scripted, n: int) -> tuple[Any, Any]:
    """Views and masks of boards without a stone."""
    game, v = player.game, player.variant
    return np.zeros((n, game.size(v)), game.view_dtype), np.ones((n, game.actions(v)), np.int8)


@pytest.mark.parametrize("name", ["durak:low", "durak:pimc", "mnk:ismcts-kept"])
@pytest.mark.parametrize("threads", [0, -1, 1.5, True, "two"])
def test_bad_numbers_of_threads_are_refused(name: str, threads: Any) -> None:
    with pytest.raises(ValueError, match="threads is a whole number of at least 1"):
        agents.load(name, threads=threads)
