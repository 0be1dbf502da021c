"""Many learners at once as a `gymnasium.vector.VectorEnv`."""

from collections.abc import Sequence
from typing import Any

import gymnasium.vector
import numpy as np
from gymnasium.spaces import Discrete
from gymnasium.vector import VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from kozyr.envs.core.game import Game
from kozyr.envs.environments import argument_checks
from kozyr.envs.environments.learner import LearnerTables, opponents_for
from kozyr.envs.environments.observations import DICT, VIEW, Form
from kozyr.envs.environments.threads import Exclusive, exclusive
from kozyr.envs.loops.single_table import RUNNING, TERMINATED, TRUNCATED

# Gymnasium 1.0 has no name for the mode yet
_MODES = getattr(gymnasium.vector, "AutoresetMode", None)
SAME_STEP: Any = _MODES.SAME_STEP if _MODES else "SameStep"


class LearnerVectorEnv(Exclusive, VectorEnv):
    """One learner a table, the other seats played inside; see `kozyr.envs.make_vec`.

    Observations are {"observation": [N, view], "action_mask": int8 [N, actions]}, or in another form. The autoreset
    mode is SAME_STEP: the step that ends an episode returns the first observation of the next one. As in Gymnasium's
    own vectors infos["final_obs"] then holds the last observation of the ended one (an object array, None elsewhere,
    with the mask infos["_final_obs"]), and infos["final_info"] what a `SeatEnv` tells at the end, an array for each
    key: "action_mask" (zeros), "seat" (the seat that the reward is for), "illegal_move" and the game's own.
    """

    masks_in_infos = False  # in those of every reset and step, whatever the form of observations
    usual = DICT  # form of observations

    def __init__(
        self,
        game: Game,
        num_envs: int,
        opponents: Any,
        seat: int | None = None,
        seed: int = 0,
        threads: int = 1,
        copy: bool = True,
        observation: str | None = None,
        **options: Any,
    ) -> None:
        variant = game.make_variant(**options)
        self.num_envs = argument_checks.count("num_envs", num_envs)
        self._form = Form(self.usual if observation is None else observation, game, variant)
        mixtures = opponents_for(game.seats(variant), opponents)
        self.tables = self._make_tables(game, variant, mixtures, seat, seed, threads)
        self.metadata = {"autoreset_mode": SAME_STEP, "render_modes": [], "name": game.id}
        self.single_observation_space, self.single_action_space = self._form.space, Discrete(game.actions(variant))
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._copy, self._tells_masks = copy, self.masks_in_infos or self._form.word == VIEW
        self._all = np.ones(self.num_envs, bool)

    def _make_tables(self, game: Game, variant: Any, opponents: Any, seat: int | None, seed: int, threads: int) -> Any:
        """Return the tables."""
        return LearnerTables(game, variant, self.num_envs, opponents, seat, seed, threads)

    @exclusive
    def reset(
        self, *, seed: int | Sequence[int | None] | NDArray[Any] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin new episodes at every table.

        Args:
            seed: one for all tables, of which each gets games of its own; or one for each, where None draws one, and
                the first game of a table is that of `SeatEnv.reset(seed=…)`.
            options: {"starter": seat}.

        Raises:
            ValueError: for bad seeds, a list of another length, or bad options.
        """
        starter = argument_checks.starter(options, self.tables.game.seats(self.tables.variant))
        if isinstance(seed, (list, tuple)) or (isinstance(seed, np.ndarray) and seed.ndim):
            each = (int(self.np_random.integers(2**63)) if one is None else one for one in seed)
            numbers = argument_checks.seeds([*each], self.num_envs)
            self._np_random_seed, self._np_random = numbers[0], np.random.default_rng(numbers)
            self.tables.reset_each(numbers, starter=starter)
        elif seed is not None:
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
        seats = self._seats()
        tables.step(actions)
        return (
            self._observation(),
            self._rewards(),
            tables.ends == TERMINATED,
            tables.ends == TRUNCATED,
            {**self._infos(), **self._finals(seats)},
        )

    def close(self, **kwargs: Any) -> None:
        """End the threads, if there are some; a later step starts others."""
        super().close(**kwargs)
        if hasattr(self, "tables"):  # older releases of Gymnasium close what was never made
            self.tables.close()

    def _rewards(self) -> Any:
        return self.tables.rewards.astype(np.float64)

    def _seats(self) -> Any:
        """Return a copy of the learners' seats; the next step draws those of new episodes."""
        return self.tables.seats.copy()

    def _observation(self) -> Any:
        word, tables = self._form.word, self.tables
        if word == VIEW:
            return self._output(tables.views)
        if word == DICT:
            return {"observation": self._output(tables.views), "action_mask": self._output(tables.masks)}
        return self._form.show(tables.views, tables.masks)

    def _output(self, reused: NDArray[Any]) -> NDArray[Any]:
        """Return an array of the tables as the caller may have it."""
        return reused.copy() if self._copy else reused

    def _infos(self) -> dict[str, Any]:
        """Return the infos of every reset and step."""
        if not self._tells_masks:
            return {}
        infos = {"action_mask": self._output(self.tables.masks), "seat": self._output(self.tables.seats)}
        return {**infos, **{f"_{key}": self._all.copy() for key in infos}}

    def _finals(self, seats: NDArray[np.int32]) -> dict[str, Any]:
        """Return the last observations and infos of the episodes that have just ended.

        Args:
            seats: int32 [N] the learners had before the step.
        """
        ended = self.tables.ends != RUNNING
        if not ended.any():
            return {}
        tables, none = self.tables, np.zeros(self.tables.masks.shape, np.int8)
        finals = np.full(self.num_envs, None, object)
        for i in ended.nonzero()[0]:
            views, mask = tables.finals[i], none[i]
            usual = self._form.word == DICT
            finals[i] = {"observation": views.copy(), "action_mask": mask} if usual else self._form.show(views, mask)
        info: dict[str, Any] = {"action_mask": none, "illegal_move": np.zeros(self.num_envs, np.int64)}
        info["seat"] = np.multiply(seats, ended, dtype=np.int64)
        for key, values in tables.final_infos.items():
            info[key] = np.multiply(values, ended).astype(np.int64)
        info |= {f"_{key}": ended for key in info}
        return {"final_obs": finals, "_final_obs": ended, "final_info": info, "_final_info": ended}


class SeatVectorEnv(LearnerVectorEnv, VectorEnv):  # skrl 2.1 looks for Gymnasium's class among the direct bases
    """The same with the spaces of `SeatEnv`: observations are views [N, view], and masks are told in the infos.

    For libraries that read flat observations and look for masks in infos["action_mask"] (int8 [N, actions], of every
    reset and step), as AgileRL does; infos["seat"] is the learner's seat, int32 [N]. Unlike `SeatEnv` it raises on an
    illegal action.
    """

    masks_in_infos = True
    usual = VIEW
