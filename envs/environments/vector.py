"""Many learners at once as a `gymnasium.vector.VectorEnv`."""

from typing import Any, cast

import gymnasium.vector
import numpy as np
from gymnasium.spaces import Dict
from gymnasium.vector import VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from kozyr.envs.core.game import Game
from kozyr.envs.environments import argument_checks
from kozyr.envs.environments.aec import spaces_of
from kozyr.envs.environments.learner import LearnerTables, opponents_for
from kozyr.envs.environments.threads import Exclusive, exclusive
from kozyr.envs.loops.single_table import RUNNING, TERMINATED, TRUNCATED

# Gymnasium 1.0 has no name for the mode yet
_MODES = getattr(gymnasium.vector, "AutoresetMode", None)
SAME_STEP: Any = _MODES.SAME_STEP if _MODES else "SameStep"


class LearnerVectorEnv(Exclusive, VectorEnv):
    """One learner a table, the other seats played inside; see `kozyr.envs.make_vec`.

    Observations are {"observation": [N, view], "action_mask": int8 [N, actions]}. The autoreset mode is SAME_STEP:
    the step that ends an episode returns the first observation of the next one, and the last observation of the
    ended one in infos["final_obs"] (an object array, None elsewhere, with the mask infos["_final_obs"]).
    """

    def __init__(
        self,
        game: Game,
        num_envs: int,
        opponents: Any,
        seat: int | None = None,
        seed: int = 0,
        threads: int = 1,
        copy: bool = True,
        **options: Any,
    ) -> None:
        variant = game.make_variant(**options)
        self.num_envs = argument_checks.count("num_envs", num_envs)
        mixtures = opponents_for(game.seats(variant), opponents)
        self.tables = self._make_tables(game, variant, mixtures, seat, seed, threads)
        self.metadata = {"autoreset_mode": SAME_STEP, "render_modes": [], "name": game.id}
        self.single_observation_space, self.single_action_space = spaces_of(game, variant)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._copy = copy

    def _make_tables(self, game: Game, variant: Any, opponents: Any, seat: int | None, seed: int, threads: int) -> Any:
        """Return the tables."""
        return LearnerTables(game, variant, self.num_envs, opponents, seat, seed, threads)

    @exclusive
    def reset(
        self, *, seed: int | list[int] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin new episodes at every table; options: {"starter": seat}.

        Raises:
            ValueError: for a list of seeds (one seed makes all tables), bad seeds or options.
        """
        starter = argument_checks.starter(options, self.tables.game.seats(self.tables.variant))
        if seed is not None:
            number = self._np_random_seed = argument_checks.seed(seed)
            self._np_random = np.random.default_rng(number)
            self.tables.reset(number, starter=starter)
        else:
            self.tables.reset(int(self.np_random.integers(2**63)), starter=starter)
        return self._observation(), self._infos()

    @exclusive
    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[Any, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Play the learner's action at every table; each reward counts all that happened up to its next decision.

        Raises:
            ValueError: for an illegal action; no table has moved then.
            RuntimeError: if another thread is at it.
        """
        tables = self.tables
        tables.step(actions)
        return (
            self._observation(),
            self._rewards(),
            tables.ends == TERMINATED,
            tables.ends == TRUNCATED,
            {**self._infos(), **self._finals()},
        )

    def close(self, **kwargs: Any) -> None:
        """End the threads, if there are some; a later step starts others."""
        super().close(**kwargs)
        if hasattr(self, "tables"):  # older releases of Gymnasium close what was never made
            self.tables.close()

    def _rewards(self) -> Any:
        return self.tables.rewards.astype(np.float64)

    def _observation(self) -> Any:
        return {"observation": self._output(self.tables.views), "action_mask": self._output(self.tables.masks)}

    def _output(self, reused: NDArray[Any]) -> NDArray[Any]:
        """Return an array of the tables as the caller may have it."""
        return reused.copy() if self._copy else reused

    def _infos(self) -> dict[str, Any]:
        """Return the infos of every reset and step."""
        return {}

    def _finals(self) -> dict[str, Any]:
        """Return the last observations of the episodes that have just ended."""
        ended = self.tables.ends != RUNNING
        if not ended.any():
            return {}
        finals = np.full(self.num_envs, None, object)
        for i in np.flatnonzero(ended):
            finals[i] = self._final(int(i))
        return {"final_obs": finals, "_final_obs": ended}

    def _final(self, i: int) -> Any:
        """Return the last observation of the episode that has just ended at a table."""
        none = np.zeros(self.tables.masks.shape[1], np.int8)
        return {"observation": self.tables.finals[i].copy(), "action_mask": none}


class SeatVectorEnv(LearnerVectorEnv):
    """The same with the spaces of `SeatEnv`: observations are views [N, view], and masks are told in the infos.

    For libraries that read flat observations and look for masks in infos["action_mask"] (int8 [N, actions], of every
    reset and step), as AgileRL does; infos["seat"] is the learner's seat, int32 [N]. Unlike `SeatEnv` it raises on an
    illegal action.
    """

    def __init__(self, *args: Any, **arguments: Any) -> None:
        super().__init__(*args, **arguments)
        self.single_observation_space = cast(Dict, self.single_observation_space)["observation"]
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self._all = np.ones(self.num_envs, bool)

    def _observation(self) -> Any:
        return self._output(self.tables.views)

    def _final(self, i: int) -> Any:
        return self.tables.finals[i].copy()

    def _infos(self) -> dict[str, Any]:
        infos = {"action_mask": self._output(self.tables.masks), "seat": self._output(self.tables.seats)}
        return {**infos, **{f"_{key}": self._all.copy() for key in infos}}
