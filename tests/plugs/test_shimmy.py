"""Shimmy's OpenSpiel games beside ours: the same loop and the same agents drive both.

Shimmy brings other libraries' environments to PettingZoo; none of its wrappers takes an environment that is in
PettingZoo already. What there is to hold, then: an environment made by Shimmy and one of ours are the same to whoever
drives them, and where OpenSpiel has a game of ours, both say the same about every position.
"""

from typing import Any

import numpy as np
import pytest

from tests.plugs.required import library

library("shimmy", "2.0")
library("open_spiel", "2.0")

from shimmy.openspiel_compatibility import OpenSpielCompatibilityV0

from kozyr import envs
from kozyr.envs.environments.aec import RawEnv

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
GAMES = 30
FOUR_PIGS = {"game_name": "pig", "config": {"players": 4, "winscore": 20}}  # it cuts OpenSpiel's games of cards short


class Drawn:
    """An agent that draws a legal action and asks for nothing but an observation and a mask."""

    def __init__(self, seed: int) -> None:
        self._rng = np.random.default_rng(seed)

    def act(self, view: Any, mask: Any) -> int:
        assert np.asarray(view).ndim >= 1
        return int(self._rng.choice(np.flatnonzero(mask)))


def seen(env: Any) -> tuple[Any, Any, float, bool]:
    """Return view, mask, reward and end as either of them tells its agent to act."""
    observation, reward, terminated, truncated, info = env.last()
    if isinstance(observation, dict):
        return observation["observation"], observation["action_mask"], reward, terminated or truncated
    return observation, info["action_mask"], reward, terminated or truncated


def played(env: Any, players: list[Drawn], seed: int) -> dict[str, float]:
    """Play a game and return what every agent won."""
    env.reset(seed=seed)
    won = dict.fromkeys(env.possible_agents, 0.0)
    seats = dict(zip(env.possible_agents, players, strict=True))
    for name in env.agent_iter():
        view, mask, reward, over = seen(env)
        won[name] += reward
        env.step(None if over else seats[name].act(view, mask))
    return won


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ({"game_name": "tic_tac_toe"}, {"name": "mnk", "m": 3, "n": 3, "k": 3}),
        ({"game_name": "leduc_poker"}, {"name": "draw_poker", "players": 2}),
        (FOUR_PIGS, {"name": "daifugo", "players": 4}),
        (FOUR_PIGS, {"name": "durak", "players": 4, "deck": 24}),
    ],
)
def test_one_loop_and_the_same_agents_play_both(theirs: dict[str, Any], ours: dict[str, Any]) -> None:
    name, *rest = ours.items()
    both = OpenSpielCompatibilityV0(**theirs), RawEnv(envs.game(name[1]), **dict(rest))
    players = [Drawn(seat) for seat in range(len(both[1].possible_agents))]
    for env in both:
        assert env.possible_agents == [f"player_{seat}" for seat in range(len(players))]
        for seed in range(3):
            won = played(env, players, seed)
            assert any(won.values()) or seed < 2


def test_tic_tac_toe_is_the_same_game_in_both() -> None:
    theirs: Any = OpenSpielCompatibilityV0(game_name="tic_tac_toe")
    ours: Any = RawEnv(envs.game("mnk"), m=3, n=3, k=3, last_reply=False)
    rng, ends = np.random.default_rng(0), set()
    for seed in range(GAMES):
        theirs.reset(seed=seed)
        ours.reset(seed=seed, options={"starter": 0})
        while True:
            (_, mask, _, over), (_, due, _, due_over) = seen(ours), seen(theirs)
            assert over == due_over
            if over:
                break
            assert ours.agent_selection == theirs.agent_selection
            np.testing.assert_array_equal(mask, due)
            action = int(rng.choice(np.flatnonzero(mask)))
            ours.step(action)
            theirs.step(action)
        assert ours.rewards == theirs.rewards
        assert ours.terminations == theirs.terminations
        ends.add(tuple(ours.rewards.values()))
    assert len(ends) == 3  # both have won, and a game was drawn


@pytest.mark.parametrize(
    ("name", "options"), [("mnk", {"m": 3, "n": 3, "k": 3}), ("durak", {"players": 4, "deck": 36})]
)
def test_our_games_as_openspiels_come_back_to_pettingzoo(name: str, options: dict[str, Any]) -> None:
    """Shimmy loads a game anew for each deal, by its short name: the variant goes into its `config`."""
    openspiel = pytest.importorskip("kozyr.envs.bridges.openspiel", reason="this kozyr has no games for OpenSpiel")
    game = openspiel.load(name, first=0, **options)  # who begins would be a deal that Shimmy counts as a ply
    env: Any = OpenSpielCompatibilityV0(env=game, config=game.get_parameters())
    players = [Drawn(seat) for seat in range(options.get("players", 2))]
    for seed in range(3):
        assert set(played(env, players, seed)) == {f"player_{seat}" for seat in range(len(players))}
        assert env.game_state.is_terminal()
