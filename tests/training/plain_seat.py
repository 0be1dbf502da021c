"""The learner's seat as a plain Gymnasium environment, a loop in Python around PettingZoo's, to compare ours with."""

from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Box
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import DummyVecEnv

from kozyr import agents, envs
from tests.contract.reference import Told


class PlainSeat(gymnasium.Env[NDArray[Any], np.int64]):
    """One table; a cap pays nothing unless the seat has lost all its chips before, or `bootstrap` is off.

    Args:
        game: its name; options: of the variant.
        seed: of all tables; row: which of them this is.
        opponent: who sits in all other seats, or their name.
        everything: show the views of all seats, clockwise from the learner's.
        bootstrap: leave it to the critic what a game is worth that a cap has ended.
    """

    def __init__(
        self,
        game: str,
        options: dict[str, Any],
        seed: int,
        row: int,
        opponent: Any,
        everything: bool = False,
        bootstrap: bool = True,
    ) -> None:
        it = envs.game(game)
        v = it.make_variant(**options)
        player = agents.load(opponent, game, **options) if isinstance(opponent, str) else opponent
        self.tale = Told(it, v, seed, row, None, {player: 1.0})
        self.everything, self.bootstrap, self.ends_by_others = everything, bootstrap, 0
        space: Any = self.tale.env.observation_space("player_0")
        shown = space["observation"]
        self.observation_space = Box(0, np.tile(shown.high, it.seats(v) if everything else 1), dtype=shown.dtype)
        self.action_space: Any = self.tale.env.action_space("player_0")

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[NDArray[Any], dict[str, Any]]:
        """Begin the table's next episode in which the seat has something to decide."""
        while True:
            self.tale.begin()
            self._answer()
            if not self.tale.over():
                return self._shown(), {}

    def step(self, action: Any) -> tuple[NDArray[Any], float, bool, bool, dict[str, Any]]:
        """Play, and let the others play up to the seat's next decision or the end."""
        env, me = self.tale.env, self.tale.me
        env.step(int(action))
        self.ends_by_others += not self.tale.over() and self._answer() and self.tale.over()
        if not self.tale.over():
            return self._shown(), 0.0, False, False, {}
        reward, cut = env.rewards[me], env.truncations[me] and self.bootstrap and not self._broke()
        return self._shown(), 0.0 if cut else reward, not cut, cut, {"paid": reward}

    def action_masks(self) -> NDArray[np.bool_]:
        """Return what is legal, as sb3-contrib asks for it."""
        return self.tale.env.observe(self.tale.me)["action_mask"].astype(bool)

    def _broke(self) -> bool:
        """Tell whether the seat has left a tournament."""
        record = self.tale.env.state_record()
        return "chips" in record.dtype.names and record.chips[int(self.tale.me[7:])] == 0

    def _answer(self) -> bool:
        """Let the others play; return True."""
        while not self.tale.over() and self.tale.env.agent_selection != self.tale.me:
            self.tale.env.step(self.tale.answer())
        return True

    def _shown(self) -> NDArray[Any]:
        env, names = self.tale.env, self.tale.env.possible_agents
        me = names.index(self.tale.me)
        seats = [names[(me + j) % len(names)] for j in range(len(names) if self.everything else 1)]
        return np.concatenate([env.observe(name)["observation"] for name in seats])


def plain_tables(n: int, game: str, options: dict[str, Any], seed: int, opponent: str, **how: bool) -> DummyVecEnv:
    """Return SB3's own vector of plain tables that play what `TablesVecEnv` plays with the same seed."""
    return DummyVecEnv([lambda row=row: PlainSeat(game, options, seed, row, opponent, **how) for row in range(n)])
