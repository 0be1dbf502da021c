"""A scripted player decides a batch the same way however many threads share it."""

from typing import Any

import numpy as np
import pytest

from kozyr import agents
from kozyr.envs.environments.tables import Tables
from kozyr.envs.loops.tables import PORTION

ROWS = 2 * PORTION + 7
FEW = 12  # rows for search players
STEPS = 12


@pytest.fixture
def positions(game: Any) -> Tables:
    """Tables some random moves into their games."""
    tables, rng = Tables(game, ROWS, seed=5), agents.load("random", game.name)
    for _ in range(STEPS):
        tables.step(rng.act_batch(tables.views, tables.masks))
    return tables


def test_threads_change_no_action(game: Any, positions: Tables) -> None:
    for name in agents.names(game.name):
        answers: list[Any] = []
        for threads in (1, 2, 5):
            player = agents.load(name, game.name, threads=threads)
            player.reset(-1, 3)
            answers.append([player.act_batch(positions.views, positions.masks).tolist() for _ in range(2)])
        assert answers[0] == answers[1] == answers[2]
        assert (np.take_along_axis(positions.masks, np.array(answers[0][0])[:, None], 1) == 1).all()


def test_threads_change_no_action_of_players_that_look_ahead(game: Any, positions: Tables) -> None:
    views, masks = positions.views[:FEW], positions.masks[:FEW]
    for name in agents.searchers(game.name):
        if name == "openspiel-mcts":
            continue  # needs another library, and keeps the interpreter to itself
        answers: list[Any] = []
        for threads in (1, 3):
            player = agents.load(f"{name}@4", game.name, threads=threads)
            player.reset(-1, 3)
            answers.append([player.act_batch(views, masks).tolist() for _ in range(2)])
            assert len(player.took) == 2 * int((masks.sum(1) > 1).sum())  # every search is timed, whoever did it
        assert answers[0] == answers[1]
        assert all(mask[action] for mask, action in zip(masks, answers[0][0], strict=True))


def test_the_first_portion_does_not_depend_on_what_follows(game: Any, positions: Tables) -> None:
    for name in agents.names(game.name):
        player: Any = agents.load(name, game.name)
        few, many = [], []
        for answers, rows in ((few, PORTION), (many, ROWS)):
            player.reset(-1, 3)
            answers += [player.act_batch(positions.views[:rows], positions.masks[:rows])[:PORTION] for _ in range(2)]
        assert (np.array(few) == np.array(many)).all()
