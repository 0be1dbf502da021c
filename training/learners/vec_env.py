"""Stable-Baselines3's view of many tables: a `VecEnv` without an environment object per table."""

import time
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from gymnasium.spaces import Box, Discrete
from numpy.typing import NDArray
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices

from kozyr.envs.core.game import Game
from kozyr.envs.core.quote import quote
from kozyr.envs.core.rng import spread
from kozyr.envs.environments.learner import LearnerTables, opponents_for
from kozyr.envs.environments.logged_tables import GamesInProgress, LoggedTables
from kozyr.envs.environments.observations import VIEW, Form
from kozyr.envs.environments.threads import Exclusive, exclusive
from kozyr.envs.loops.single_table import RUNNING, TRUNCATED

_NOTHING: dict[str, Any] = {}  # the info of every table that goes on


class TablesVecEnv(Exclusive, VecEnv):
    """N tables with one learner each, as SB3 steps them.

    An observation is the learner's view [view], or another form of it; `action_masks` give what is legal, as
    sb3-contrib asks for them.
    The infos of finished tables hold "terminal_observation", "TimeLimit.truncated" and what SB3's Monitor
    would write, "episode": {"r", "l", "t"}, whose "r" is what the game has paid; the others share one empty dictionary.

    A model of one's own needs a `batch_size` that leaves no minibatch of one decision: N × n_steps modulo batch_size
    must not be 1, or MaskablePPO makes all weights NaN.

    Attributes:
        tables: the tables themselves; seconds: wall time spent in steps so far, opponents included.

    Args:
        game: the game to play.
        num_tables: N.
        opponents: a player, a {player: weight} mixture drawn per episode, or a list of either, clockwise.
        seat: the learner's seat, or None to draw it for each episode.
        seed: until `seed()` gives another.
        threads: threads that share the compiled part.
        everything: observations are the learner's view and after it the views of all other seats, clockwise, for a
            critic that may know what is hidden: [seats × view].
        opening: random plies that begin every episode, as they may in a match.
        bootstrap: let SB3 count what its critic expects where a cap ends a game; the reward is 0 then, whatever the
            game pays. A seat whose payoff was certain before, as that of a player who has left a tournament of poker,
            gets it as at any other end.
        logged: log the games, so that `games` can tell those in progress and `take_up` can go on with them.
        observation: "view", "dict", "float32" or "flat", as `Form` explains, for learners that do not ask for masks.
        **options: fields of the game's variant.

    Raises:
        ValueError: for another form, and for "everything" in any form but views.
    """

    METHODS: ClassVar[tuple[str, ...]] = ("action_masks",)  # what `env_method` calls at a table
    ATTRIBUTES: ClassVar[tuple[str, ...]] = ("render_mode", "observation_space", "action_space", "seat", *METHODS)

    def __init__(
        self,
        game: Game,
        num_tables: int,
        opponents: Any,
        seat: int | None = None,
        seed: int = 0,
        threads: int = 1,
        everything: bool = False,
        opening: int = 0,
        bootstrap: bool = True,
        logged: bool = False,
        observation: str = VIEW,
        **options: Any,
    ) -> None:
        variant = game.make_variant(**options)
        self._form = Form(observation, game, variant)
        if everything and observation != VIEW:
            raise ValueError(
                f"observation={quote(observation)} shows one seat: everything=True goes with {VIEW!r} only"
            )
        mixtures = opponents_for(game.seats(variant), opponents)
        begin: dict[str, Any] = {"opening": opening, "keep_others": everything}
        kind = LoggedTables if logged else LearnerTables
        self.tables = kind(game, variant, num_tables, mixtures, seat, seed, threads, **begin)
        space, others = self._form.space, (game.seats(variant) - 1) * everything
        self._others = np.zeros((num_tables, others, game.size(variant)), game.view_dtype)
        if everything:
            space = Box(0, np.tile(space.high, game.seats(variant)), dtype=space.dtype)
        self.seconds, self._bootstrap = 0.0, bootstrap
        self._next_seed, self._began = seed, time.perf_counter()
        self._returns = np.zeros(num_tables, np.float64)
        self._lengths = np.zeros(num_tables, np.int64)
        super().__init__(num_tables, space, Discrete(game.actions(variant)))

    @exclusive
    def reset(self) -> Any:
        """Begin new episodes at every table, from the last seed given or the next of a row of seeds."""
        own_seed = self._seeds[0]
        seed = self._next_seed if own_seed is None else own_seed
        self._next_seed = spread(seed, self.num_envs)
        self._reset_seeds()
        self._reset_options()
        self.tables.reset(seed)
        self._returns[:], self._lengths[:] = 0.0, 0
        return self.observations()

    def games(self) -> GamesInProgress:
        """Return the games in progress, in an environment that logs them.

        Raises:
            RuntimeError: if they cannot be told, as after a step that has failed.
        """
        if not isinstance(self.tables, LoggedTables):
            raise RuntimeError("the games are not logged: make the environment with logged=True")
        return self.tables.games()

    @exclusive
    def take_up(self, games: GamesInProgress) -> tuple[Any, NDArray[np.bool_]]:
        """Go on with games that were in progress, in an environment that logs them.

        Returns:
            Observations, and where the learner has not acted yet.

        Raises:
            ValueError: if they are no games of these tables, which must be reset then.
        """
        if not isinstance(self.tables, LoggedTables):
            raise ValueError("the games are not logged: make the environment with logged=True")
        self._lengths[:], self._returns[:] = self.tables.take_up(games), 0.0
        return self.observations(), self._lengths == 0

    def step_async(self, actions: NDArray[np.int64]) -> None:
        """Keep the actions for `step_wait`."""
        self._actions = actions

    @exclusive
    def step_wait(self) -> tuple[Any, NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Play the actions and go on to the learners' next decisions."""
        rewards, ended, cut = self.advance(self._actions)
        began = time.perf_counter()
        infos = self._infos(ended, cut)
        result = self.observations(), rewards, ended, infos
        self.seconds += time.perf_counter() - began
        return result

    def advance(self, actions: NDArray[np.int64]) -> tuple[NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_]]:
        """Play the actions; return rewards, where an episode has ended, and where the critic's value is to be added.

        It is `step` without observations and infos: see `observations`, `ended_episodes` and `last_observation`.
        """
        began, tables = time.perf_counter(), self.tables
        tables.step(actions)
        self._returns += tables.rewards
        self._lengths += 1
        ended, cut = tables.ends != RUNNING, self._cut()
        rewards = np.where(cut, np.float32(0), tables.rewards)
        self.seconds += time.perf_counter() - began
        return rewards, ended, cut

    def _cut(self) -> NDArray[np.bool_]:
        """Return the tables at which the critic's value replaces a payoff that is all paid at the end: bool [N]."""
        return (self.tables.ends == TRUNCATED) & (self.tables.final_results == 0) & self._bootstrap

    def observations(self) -> Any:
        """Return the observations of the learner, or its critic, at every table."""
        tables = self.tables
        if not self._others.shape[1]:
            return self._form.show(tables.views, tables.masks)
        tables.look_round(self._others)
        return np.concatenate([tables.views, self._others.reshape(self.num_envs, -1)], 1)

    def last_observation(self, i: int) -> Any:
        """Return the last observation of a table's episode, where the last step has ended it; no action is legal."""
        tables = self.tables
        if not self._others.shape[1]:
            return self._form.show(tables.finals[i], np.zeros(tables.masks.shape[1], np.int8))
        return np.append(tables.finals[i], tables.final_others[i])

    def ended_episodes(self, ended: NDArray[np.bool_]) -> list[dict[str, float]]:
        """Return the episodes that have ended as SB3's Monitor writes them, and begin to count anew there."""
        now = round(time.perf_counter() - self._began, 6)
        rows = np.flatnonzero(ended)
        both = zip(self._returns[rows].tolist(), self._lengths[rows].tolist(), strict=True)
        episodes = [{"r": r, "l": length, "t": now} for r, length in both]
        self._returns[rows], self._lengths[rows] = 0.0, 0
        return episodes

    def _infos(self, ended: NDArray[np.bool_], cut: NDArray[np.bool_]) -> list[dict[str, Any]]:
        """Return an info for every table and begin to count anew at those that have ended."""
        infos = [_NOTHING] * self.num_envs
        rows = np.flatnonzero(ended).tolist()
        for i, episode in zip(rows, self.ended_episodes(ended), strict=True):
            infos[i] = {
                "terminal_observation": self.last_observation(i),
                "TimeLimit.truncated": bool(cut[i]),
                "episode": episode,
            }
        return infos

    def action_masks(self) -> NDArray[np.int8]:
        """Return the masks of legal actions at every table: int8 [N, actions]."""
        return self.tables.masks.copy()

    def env_method(
        self, method_name: str, *method_args: Any, indices: VecEnvIndices = None, **method_kwargs: Any
    ) -> list[Any]:
        """Return the answer of each table; the only method is "action_masks"."""
        if method_name not in self.METHODS:
            raise AttributeError(
                f"a table has no method {quote(method_name)}: the methods are {', '.join(self.METHODS)}"
            )
        return self._of_each(self.action_masks(), indices)

    def has_attr(self, attr_name: str) -> bool:
        """Tell if a table has an attribute."""
        return attr_name in self.ATTRIBUTES

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """Return an attribute of each table."""
        if attr_name == "render_mode":
            return self._of_each([None] * self.tables.num_tables, indices)
        if attr_name == "seat":
            return self._of_each(self.tables.seats.tolist(), indices)
        if attr_name in self.ATTRIBUTES:
            return self._of_each([getattr(self, attr_name)] * self.num_envs, indices)
        raise AttributeError(f"a table has no attribute {quote(attr_name)}: it has {', '.join(self.ATTRIBUTES)}")

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Refuse: nothing about a table can be set."""
        raise AttributeError(f"{quote(attr_name)} of a table cannot be set: make a new TablesVecEnv")

    def env_is_wrapped(self, wrapper_class: type[Any], indices: VecEnvIndices = None) -> list[bool]:
        """Say yes to Monitor, whose "episode" infos are here, and no to every other wrapper."""
        return self._of_each([wrapper_class is Monitor] * self.num_envs, indices)

    def close(self) -> None:
        """End the threads of the tables."""
        self.tables.close()

    def _of_each(self, values: Sequence[Any] | NDArray[Any], indices: VecEnvIndices) -> list[Any]:
        """Return the values at the asked tables."""
        return list(values) if indices is None else [values[i] for i in self._get_indices(indices)]
