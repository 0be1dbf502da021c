"""Many tables on a GPU at which one seat learns and scripted players play the others inside the kernel."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.vector import VectorEnv
from gymnasium.vector.utils import batch_space

from kozyr.envs.api import check
from kozyr.envs.api.aec import spaces_of
from kozyr.envs.api.device import Generators, OnDevice
from kozyr.envs.api.exclusive import exclusive
from kozyr.envs.api.learner import Mixture, mixed, opponents_for, require_one_each
from kozyr.envs.api.outside import level_of
from kozyr.envs.api.vector import SAME_STEP
from kozyr.envs.core import kernels
from kozyr.envs.core.compile.cuda import on_device, seen, tensor
from kozyr.envs.core.game import Game
from kozyr.envs.core.rng import spread
from kozyr.envs.core.row import TERMINATED, TRUNCATED


class DeviceLearnerTables(OnDevice):
    """N tables on a GPU with one learner each; `step` brings every table to the learner's next decision.

    The same seed gives the same bytes as `kozyr.envs.api.learner.LearnerTables`.

    Attributes (tensors on the GPU, overwritten by each step; for reading only):
        views: [N, view] what the learner knows; masks: int8 [N, actions].
        rewards: float32 [N] the learner's reward of the last step, whatever the others did in it.
        ends: int8 [N] 0 went on, 1 terminated, 2 truncated.
        finals: [N, view] the learner's last view where `ends` is not 0.
        seats: int32 [N] the learner's seat.
        states: uint8 [N, bytes] the state records, hidden things too; see `host_states`.

    Args:
        game: the game; variant: its options; num_tables: N.
        opponents: for each other seat, clockwise from the learner, which scripted players may sit there with which
            weight; drawn anew for each episode.
        seat: the learner's seat, or None to draw it for each episode.
        seed: table i depends on the seed and on i only.
        opening: random plies that begin every episode, whoever sits where; fewer than a game can have.
    """

    def __init__(
        self,
        game: Game,
        variant: Any,
        num_tables: int,
        opponents: Sequence[Mixture],
        seat: int | None = None,
        seed: int = 0,
        opening: int = 0,
    ) -> None:
        super().__init__(game, variant, num_tables)
        n, seats = self.num_tables, game.seats(variant)
        self.opening = check.opening(opening, game, variant)
        self.seat = -1 if seat is None else check.seat("seat", seat, seats)
        self.finals, self.rewards = tensor(tuple(self.views.shape), game.view_dtype), tensor((n,), np.float32)
        self.ends, self.seats = tensor((n,), np.int8), tensor((n,), np.int32)
        self._occupants, self._waiting = tensor((n, seats), np.int32), tensor((n,), np.int32)
        self._acted = tensor((n,), np.int8)
        self._deals, self._rngs = Generators(n), Generators(n)
        before = self._occupants, self.seats, self._acted, self._waiting, self.views, self.masks
        told = map(seen, (*before, self.rewards, self.ends, self.finals))
        self._arrays = self._states, self._deals.taken, self._rngs.taken, *told  # the fields of `Episodes`
        self.set_opponents(opponents)
        self.reset(seed)

    @exclusive
    def set_opponents(self, opponents: Sequence[Mixture]) -> None:
        """Say who may sit in the other seats; it holds from each table's next episode on.

        Raises:
            ValueError: for players that are not scripted ones of this game, and weights that are none.
        """
        require_one_each(opponents, self.game.seats(self.variant) - 1)
        mix = mixed(opponents, self._level, self.seat, True, self.opening)
        self._mix = mix.seat, seen(on_device(mix.candidates)), seen(on_device(mix.odds)), mix.opening

    def _level(self, player: Any) -> int:
        level = level_of(player, self.game)
        if level is None:
            raise ValueError(
                f"opponent {player!r} cannot play on the GPU: only scripted players do; for others leave out device"
            )
        return level

    @exclusive
    def reset(self, seed: int, deal: int = -1, starter: int = -1) -> None:
        """Begin new episodes everywhere.

        Args:
            seed: fixes all that follows.
            deal: the seed of the first deal at every table, or −1 to draw it.
            starter: who begins it, or −1.
        """
        self._deals.begin(spread(check.seed(seed), 0))
        self._rngs.begin(spread(seed, 1))
        self._bad.fill_(self.num_tables)
        kernels.open_rows(self.num_tables, self.variant, *self._arrays, *self._mix, deal, starter)

    @exclusive
    def step(self, actions: Any, check_now: bool = True) -> None:
        """Play the learner's action at every table and go on to its next decision, over the end of an episode too.

        Args:
            actions: whole numbers [N], each legal at its table; best a tensor on the GPU.
            check_now: wait for the GPU and raise if one is illegal; see `DeviceTables.step`.

        Raises:
            ValueError: naming the first table with an illegal action; no table has moved then.
        """
        self._take(actions)
        kernels.learn(self.num_tables, self.variant, *self._arrays, *self._mix, self._k_actions, self._k_bad)
        if check_now:
            self.require_legal()


class DeviceVectorEnv(VectorEnv):
    """One learner a table, on a GPU; see `kozyr.envs.make_vec`.

    Observations, rewards and ends are tensors there: {"observation": [N, view], "action_mask": int8 [N, actions]},
    rewards float32 [N], terminations and truncations bool [N]. The next step overwrites observations unless `copy` is
    set. The autoreset mode is SAME_STEP; the last observation of an episode that has ended is a row of
    infos["final_obs"]["observation"] [N, view], where infos["_final_obs"] (bool [N]) is set.
    """

    def __init__(
        self,
        game: Game,
        num_envs: int,
        opponents: Any,
        seat: int | None = None,
        seed: int = 0,
        copy: bool = True,
        check_now: bool = True,
        **options: Any,
    ) -> None:
        variant = game.make_variant(**options)
        self.num_envs = check.count("num_envs", num_envs)
        mixtures = opponents_for(game.seats(variant), opponents)
        self.tables = DeviceLearnerTables(game, variant, num_envs, mixtures, seat, seed)
        self.metadata = {"autoreset_mode": SAME_STEP, "render_modes": [], "name": game.id}
        self.single_observation_space, self.single_action_space = spaces_of(game, variant)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._copy, self._check_now = copy, check_now

    def reset(
        self, *, seed: int | list[int] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin new episodes at every table; options: {"starter": seat}.

        Raises:
            ValueError: for a list of seeds (one seed makes all tables), bad seeds or options.
        """
        starter = check.starter(options, self.tables.game.seats(self.tables.variant))
        if seed is not None:
            number = self._np_random_seed = check.seed(seed)
            self._np_random = np.random.default_rng(number)
        else:
            number = int(self.np_random.integers(2**63))
        self.tables.reset(number, starter=starter)
        return self._observation(), {}

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Play the learner's action at every table; each reward counts all that happened up to its next decision.

        Raises:
            ValueError: for an illegal action; no table has moved then.
        """
        tables = self.tables
        tables.step(actions, self._check_now)
        infos = {"final_obs": {"observation": self._kept(tables.finals)}, "_final_obs": tables.ends != 0}
        ends = tables.ends == TERMINATED, tables.ends == TRUNCATED
        return self._observation(), self._kept(tables.rewards), *ends, infos

    def _observation(self) -> Any:
        return {"observation": self._kept(self.tables.views), "action_mask": self._kept(self.tables.masks)}

    def _kept(self, reused: Any) -> Any:
        """Return a tensor of the tables as the caller may have it."""
        return reused.clone() if self._copy else reused
