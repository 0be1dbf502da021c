"""An illegal set that counts as a pass (§14)."""

from typing import Any

import numpy as np
import pytest

from kozyr import envs
from kozyr.agents.arena.matches.match import match
from kozyr.agents.player import play
from kozyr.envs.environments.illegal import OnIllegal
from kozyr.envs.table.table import Table

ILLEGAL = 10**6, 40, -1


def at_an_answer(**options: Any) -> Any:
    """Return an environment in which a set lies on the pile that 40, four twos, does not fit."""
    env = envs.make("daifugo", joker=False, **options)
    env.reset(seed=2)
    env.step(int(np.flatnonzero(env.observe(env.agent_selection)["action_mask"])[0]))
    mask = env.observe(env.agent_selection)["action_mask"]
    assert mask[0]
    assert not mask[40]
    return env


@pytest.mark.parametrize("action", ILLEGAL)
def test_a_bad_answer_is_a_pass(action: int) -> None:
    bad, passing = at_an_answer(illegal_set="pass"), at_an_answer(illegal_set="pass")
    bad.step(action)
    passing.step(0)
    assert bad.agent_selection == passing.agent_selection
    for name in bad.possible_agents:
        assert bad.observe(name)["observation"].tolist() == passing.observe(name)["observation"].tolist()
    assert not any(bad.terminations.values())


@pytest.mark.parametrize("action", ILLEGAL)
def test_without_the_option_it_disqualifies(action: int) -> None:
    env = at_an_answer()
    mover = env.agent_selection
    env.step(action)
    assert all(env.terminations.values())
    assert env.rewards[mover] == -1


def test_where_a_pass_is_no_move_it_disqualifies_all_the_same() -> None:
    env = envs.make("daifugo", illegal_set="pass")
    env.reset(seed=2)
    mover = env.agent_selection
    env.step(0)
    assert env.rewards[mover] == -1


def test_the_contest_plays_so_and_a_leader_may_pass_there() -> None:
    game = envs.game("daifugo")
    table = Table(game, game.make_variant(rules="uecda", rounds=2), 3)
    mover = table.turn
    table.play(2421)
    assert table.turn != mover
    with pytest.raises(ValueError, match="whole number"):
        table.play("3S")  # pyright: ignore[reportArgumentType]
    assert table.record.actions == [0]


def test_players_and_matches_and_seats_go_on() -> None:
    def wild(view: Any, mask: Any) -> int:
        return 40 if mask[0] else int(mask.argmax())

    options: Any = {"joker": False, "illegal_set": "pass"}
    assert match("daifugo", [wild, "random"], deals=5, **options).agents[0].errors == 0
    assert match("daifugo", [wild, "random"], deals=5, joker=False).agents[0].errors > 0
    game = envs.game("daifugo")
    table = Table(game, game.make_variant(**options), 1)
    play(table, [wild] * 5, on_illegal=OnIllegal.FORFEIT)
    assert not any("forfeits" in str(event) for event in table.events())
    seat: Any = envs.make_seat("daifugo", "random", **options)
    _, info = seat.reset(seed=1)
    over = False
    while not over:
        _, _, over, _, info = seat.step(wild(None, info["action_mask"]))
        assert not info["illegal_move"]
