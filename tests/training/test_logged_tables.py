"""Tables that log their games: what they tell is taken up elsewhere and goes on alike, whoever sits there."""

from typing import Any

import numpy as np
import pytest

from kozyr import agents, envs
from kozyr.envs.environments.agent_protocol import Absent
from kozyr.envs.environments.logged_tables import GamesInProgress
from kozyr.training.learners.vec_env import TablesVecEnv
from tests.contract.table import Hashed

N = 16
GAMES: dict[str, tuple[dict[str, Any], str]] = {
    "durak": ({"players": 3, "deck": 36}, "low"),
    "daifugo": ({"rules": "uecda", "rounds": 2}, "low"),
    "draw_poker": ({"players": 4}, "priority"),
    "mnk": ({"m": 5, "n": 5, "k": 4}, "easy"),
    "war": ({"deck": 52, "pickup": "choice"}, "random"),
}
LEARNER = Hashed()


class Late(Hashed):
    """An agent that does not always answer."""

    def each(self, views: Any, masks: Any) -> Any:
        for view, mask in zip(views, masks, strict=True):
            yield Absent("late") if int(view.sum()) % 5 == 0 else self.act(view, mask)


def tables(name: str, players: list[Any], **more: Any) -> Any:
    """Return logged tables of a game, with random openings, a scripted player and others."""
    options, bot = GAMES[name]
    mixture = {agents.load(bot, name, **options): 1.0, **dict.fromkeys(players, 0.5)}
    env = TablesVecEnv(envs.game(name), N, mixture, seed=5, logged=True, opening=1, **more, **options)
    env.reset()
    return env


def play(env: Any, steps: int) -> None:
    for _ in range(steps):
        env.advance(LEARNER.act_batch(env.tables.views, env.tables.masks))


def assert_alike(one: Any, two: Any) -> None:
    """Compare all that tables are made of, but what the last step has left."""
    for name in ("states", "deals", "rngs", "occupants", "seat", "acted", "waiting", "views", "masks"):
        mine, other = (getattr(env.tables._episodes, name) for env in (one, two))
        np.testing.assert_array_equal(mine, other, err_msg=name)
    for mine, other in zip(one.games(), two.games(), strict=True):
        np.testing.assert_array_equal(mine, other)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("name", GAMES)
def test_games_go_on_elsewhere(name: str, threads: int) -> None:
    one, two = tables(name, [Hashed()], threads=threads), tables(name, [Hashed()])
    play(one, 90)
    play(two, 7)
    two.take_up(one.games())
    assert_alike(one, two)
    for env in (one, two):
        play(env, 100)
    assert_alike(one, two)


@pytest.mark.filterwarnings("ignore:the opponent")
def test_a_forfeited_game_leaves_nothing_behind() -> None:
    one, two = tables("durak", [Late()]), tables("durak", [Late()])
    play(one, 60)
    two.take_up(one.games())
    for env in (one, two):
        play(env, 60)
    assert_alike(one, two)


def test_games_that_cannot_be_told_are_refused() -> None:
    env = tables("durak", [])
    play(env, 3)
    with pytest.raises(ValueError, match="No table has moved"):
        env.advance(np.full(N, 0) + env.tables.masks.argmin(1))
    with pytest.raises(RuntimeError, match=r"cannot be told: a step has failed; call reset\(\)"):
        env.games()
    env.tables.reset(1, deal=3)
    with pytest.raises(RuntimeError, match="a first deal was asked for"):
        env.games()
    env.reset()
    assert isinstance(env.games(), GamesInProgress)


def test_tables_without_a_log_say_so() -> None:
    options, bot = GAMES["mnk"]
    env = TablesVecEnv(envs.game("mnk"), N, agents.load(bot, "mnk", **options), **options)
    with pytest.raises(RuntimeError, match="logged=True"):
        env.games()
    with pytest.raises(ValueError, match="logged=True"):
        env.take_up(tables("mnk", []).games())


def test_a_learner_that_sits_elsewhere_is_refused() -> None:
    with pytest.raises(ValueError, match="sits elsewhere"):
        tables("durak", [], seat=1).take_up(tables("durak", [], seat=0).games())
