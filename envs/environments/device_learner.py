"""Many tables on a GPU at which one seat learns and scripted players play the others inside the kernel."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from kozyr.envs.compile.cuda import on_device, seen, tensor
from kozyr.envs.core.game import Game
from kozyr.envs.core.rng import spread
from kozyr.envs.environments import check
from kozyr.envs.environments.device import Generators, OnDevice
from kozyr.envs.environments.external_players import level_of
from kozyr.envs.environments.learner import Mixture, mixed, require_one_each
from kozyr.envs.environments.single_thread import exclusive
from kozyr.envs.environments.vector import LearnerVectorEnv
from kozyr.envs.loops import kernels
from kozyr.envs.loops.episodes import Episodes, only_level
from kozyr.envs.loops.single_table import RUNNING


class DeviceLearnerTables(OnDevice):
    """N tables on a GPU with one learner each; `step` brings every table to the learner's next decision.

    The same seed gives the same bytes as `kozyr.envs.environments.learner.LearnerTables`.

    Attributes (tensors on the GPU, overwritten by each step; for reading only):
        views: [N, view] what the learner knows; masks: int8 [N, actions].
        rewards: float32 [N] the learner's reward of the last step, whatever the others did in it.
        ends: int8 [N] 0 went on, 1 terminated, 2 truncated.
        finals: [N, view] the learner's last view where `ends` is not 0.
        seats: int32 [N] the learner's seat.
        states: uint8 [N, bytes] the state records, hidden things too; see `host_states`.
        check_now: whether each step waits for the GPU and raises; if False, `require_legal` raises when asked.

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
        self.check_now = True
        n, seats = self.num_tables, game.seats(variant)
        self.opening = check.opening(opening, game, variant)
        self.seat = -1 if seat is None else check.seat("seat", seat, seats)
        self.finals, self.rewards = tensor(tuple(self.views.shape), game.view_dtype), tensor((n,), np.float32)
        self.ends, self.seats = tensor((n,), np.int8), tensor((n,), np.int32)
        self._occupants, self._waiting = tensor((n, seats), np.int32), tensor((n,), np.int32)
        self._acted = tensor((n,), np.int8)
        self._deals, self._rngs = Generators(n), Generators(n)
        self._episodes = Episodes(
            states=self._states,
            deals=self._deals.taken,
            rngs=self._rngs.taken,
            occupants=seen(self._occupants),
            seat=seen(self.seats),
            acted=seen(self._acted),
            waiting=seen(self._waiting),
            views=self._k_views,
            masks=self._k_masks,
            rewards=seen(self.rewards),
            ends=seen(self.ends),
            finals=seen(self.finals),
        )
        self._learning = dict[int, Callable[[], None]]()  # by the only level of the opponents
        self._seated = set[int]()  # levels of the players that may sit at a table now
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
        on_gpu = {"candidates": seen(on_device(mix.candidates)), "odds": seen(on_device(mix.odds))}
        self._opponent_mix, self._levels = mix._replace(**on_gpu), {*mix.candidates.tolist()}
        self._seated = self._seated | self._levels
        self._learning.clear()

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
        self._seated = self._levels
        kernels.open_rows(only_level(self._seated))(
            self.num_tables, self.variant, self._episodes, self._opponent_mix, deal, starter
        )

    @exclusive
    def step(self, actions: Any, check_now: bool | None = None) -> None:
        """Play the learner's action at every table and go on to its next decision, over the end of an episode too.

        With `check_now` False nothing waits, and after an illegal action no table moves until `require_legal` is asked.

        Args:
            actions: whole numbers [N], each legal at its table; best a tensor on the GPU.
            check_now: wait for the GPU and raise if one is illegal; None: as the attribute says.

        Raises:
            ValueError: naming the first table with an illegal action; no table has moved then.
        """
        self._take(actions)
        only = only_level(self._seated)
        if only not in self._learning:
            given = self.variant, self._episodes, self._opponent_mix, self._k_actions, self._k_bad
            self._learning[only] = kernels.learn(only).bound(self.num_tables, *given)
        self._learning[only]()
        if self.check_now if check_now is None else check_now:
            self.require_legal()


class DeviceVectorEnv(LearnerVectorEnv):
    """One learner a table, on a GPU; see `kozyr.envs.make_vec`.

    It is `LearnerVectorEnv` with tensors in place of arrays: observations, rewards float32 [N], terminations and
    truncations bool [N]. The last observation of an episode that has ended is a row of
    infos["final_obs"]["observation"] [N, view], where infos["_final_obs"] (bool [N]) is set.
    """

    def _made(self, game: Game, variant: Any, opponents: Any, seat: int | None, seed: int, threads: int) -> Any:
        return DeviceLearnerTables(game, variant, self.num_envs, opponents, seat, seed)

    def close(self, **kwargs: Any) -> None:
        """Do nothing: there are no threads."""

    def _rewards(self) -> Any:
        return self._kept(self.tables.rewards)

    def _kept(self, reused: Any) -> Any:
        return reused.clone() if self._copy else reused

    def _finals(self) -> dict[str, Any]:
        tables: Any = self.tables
        return {"final_obs": {"observation": self._kept(tables.finals)}, "_final_obs": tables.ends != RUNNING}
