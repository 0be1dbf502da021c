"""Tables on a GPU: with every seat played from outside, or with a learner among scripted players."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs import registry
from kozyr.envs.compile.cuda import keep, kernel_array, on_device, records, rows, tensor, whole_numbers
from kozyr.envs.core.game import Game
from kozyr.envs.core.rng import GENERATOR, generators, spread
from kozyr.envs.environments import argument_checks
from kozyr.envs.environments.agent_protocol import level_of
from kozyr.envs.environments.illegal import at_table
from kozyr.envs.environments.learner import Mixture, mixed, require_one_each
from kozyr.envs.environments.observations import FLOAT32
from kozyr.envs.environments.threads import Exclusive, exclusive
from kozyr.envs.environments.vector import LearnerVectorEnv
from kozyr.envs.loops import kernels
from kozyr.envs.loops.episodes import Episodes, only_level
from kozyr.envs.loops.single_table import RUNNING

_MOST = 100_000_000  # tables: beyond what the memory of a GPU of today holds
_WORD = 8  # bytes: a state has an odd number of words, so that threads of a block use different banks of its memory
_HEAVY = "Tables are not copied or pickled while they are on a GPU: make others with the same seed, and step them alike"


class OnDevice(Exclusive):
    """Base of tables on a GPU: states, and the note of an illegal action.

    Kernels run in PyTorch's current stream. The GPU that was current when the tables were made must be so whenever they
    are used. `require_legal` and `host_states` wait for the GPU, and so do numbers that come from the host.

    Args:
        game: the game; variant: its options.
        num_tables: N.
    """

    def __init__(self, game: Game, variant: Any, num_tables: int) -> None:
        argument_checks.device("cuda")
        registry.seat_bots(game)
        self.game, self.variant = game, variant
        n = self.num_tables = argument_checks.count("num_tables", num_tables, most=_MOST)
        self._layout = game.layout(variant)
        self.states, self._states = records(n, padded(self._layout))
        self.views, self.masks = rows(n, (game.size(variant),), game.view_dtype), rows(n, (self._limit,), np.int8)
        self._actions, self._bad = tensor((n,), np.int64), tensor((1,), np.int64)
        self._bad.fill_(n)
        tensors = self.views, self.masks, self._actions, self._bad
        self._k_views, self._k_masks, self._k_actions, self._k_bad = map(kernel_array, tensors)  # as kernels take them
        self._find_illegal = kernels.find_illegal.bound(n, self._k_masks, self._k_actions, self._k_bad)

    @property
    def _limit(self) -> int:
        return self.game.actions(self.variant)

    def __reduce__(self) -> Any:
        raise TypeError(_HEAVY)

    def require_legal(self) -> None:
        """Wait for the GPU, and raise if a step since the last call was given an illegal action.

        Raises:
            ValueError: naming the first table with an illegal action; the next step may be another one.
        """
        bad = int(self._bad[0])
        if bad < self.num_tables:
            self._bad.fill_(self.num_tables)
            action, mask = int(self._actions[bad]), self.masks[bad].cpu().numpy()
            raise ValueError(at_table(self.game, bad, action, mask, "", "No table has moved"))

    def host_states(self, first: int = 0, last: int | None = None) -> NDArray[Any]:
        """Return the states of some tables as on the CPU: [last − first] records, for texts and drawings."""
        some = self.states[first:last].contiguous().cpu().numpy()
        return some[:, : self._layout.itemsize].copy().reshape(-1).view(self._layout)

    def _take(self, actions: Any) -> None:
        """Note the actions of a step: a tensor, or anything that makes one, whole numbers [N]."""
        keep(self._actions, self._one_each("actions", actions), self._bad >= self.num_tables)
        self._find_illegal()

    def _one_each(self, name: str, values: Any) -> Any:
        """Return whole numbers [N] as a tensor int64, or raise ValueError."""
        try:
            numbers = whole_numbers(values)
        except ValueError as error:
            raise ValueError(f"{name} are not as they must be: {error}") from None
        if tuple(numbers.shape) != (self.num_tables,):
            raise ValueError(f"{name} have shape {tuple(numbers.shape)}: one a table makes shape ({self.num_tables},)")
        return numbers


class DeviceTables(OnDevice):
    """N tables of one game on a GPU, stepped at once; finished tables are dealt anew within the same step.

    The same seed gives the same bytes as `kozyr.envs.environments.tables.Tables`.

    Attributes (tensors on the GPU, overwritten by each step; for reading only):
        views: [N, view] what the seat to move knows at each table.
        masks: int8 [N, actions] its legal actions.
        turns: int32 [N] the seat to move.
        payoffs: float32 [N, seats] rewards of the last step: zeros but for games that it ended.
        ends: int8 [N] what the last step did: 0 went on, 1 ended the game, 2 truncated it.
        states: uint8 [N, bytes] the state records, hidden things too; see `host_states`.

    Args:
        game: the game to play.
        num_tables: N.
        seed: table i depends on the seed and on i only, not on N.
        **options: fields of the game's variant.
    """

    def __init__(self, game: Game, num_tables: int, seed: int = 0, **options: Any) -> None:
        variant = game.make_variant(**options)
        super().__init__(game, variant, num_tables)
        n = self.num_tables
        self.turns, self.ends = tensor((n,), np.int32), tensor((n,), np.int8)
        self.payoffs = tensor((n, game.seats(variant)), np.float32)
        self._k_turns, self._k_payoffs, self._k_ends = map(kernel_array, (self.turns, self.payoffs, self.ends))
        self._rngs, self._choosers = Generators(n), Generators(n)
        arrays = self._k_views, self._k_masks
        bound: Any = variant, self._states, *arrays
        self._deal = kernels.deal.bound(n, *bound, self._rngs.records, self._k_turns)
        moved = self._k_actions, self._rngs.records, self._k_turns, self._k_payoffs, self._k_ends, self._k_bad
        self._step = kernels.step.bound(n, *bound, *moved)
        self._actions_out = tensor((n,), np.int64)
        self._chooses: Any = variant, *arrays, self._choosers.records, kernel_array(self._actions_out)
        self._choosing = dict[int, Callable[[], None]]()  # by level
        self.reset(seed)

    @exclusive
    def reset(self, seed: int) -> None:
        """Deal every table anew; the seed fixes all that follows but the actions."""
        self._rngs.begin(argument_checks.seed(seed))
        self._choosers.begin(spread(seed, 0))
        for one in (self.payoffs, self.ends):
            one.zero_()
        self._bad.fill_(self.num_tables)
        self._deal()

    @exclusive
    def step(self, actions: Any, check_now: bool = True) -> None:
        """Play one action at every table.

        Args:
            actions: whole numbers [N], each legal at its table; best a tensor on the GPU.
            check_now: wait for the GPU and raise if one is illegal. Without it nothing waits, and after an illegal
                action no table moves until `require_legal` is asked, which then raises.

        Raises:
            ValueError: naming the first table with an illegal action; no table has moved then.
        """
        self._take(actions)
        self._step()
        if check_now:
            self.require_legal()

    @exclusive
    def decide(self, level: int = 0) -> Any:
        """Return the actions of a scripted player for every table: a tensor int64 [N].

        Args:
            level: its place in the game's ladder; 0 chooses among the legal actions at random.

        Raises:
            ValueError: for a level that the game has not.
        """
        its = registry.players(self.game.name)
        argument_checks.count("level", level, 0, 0 if its is None else len(its.ladder) - 1)
        if level not in self._choosing:
            self._choosing[level] = kernels.decide_rows(level).bound(self.num_tables, *self._chooses)
        self._choosing[level]()
        return self._actions_out.clone()

    @exclusive
    def look(self, seats: Any) -> Any:
        """Return the view of a seat of each table, to move or not: views [N, view], given seats [N].

        Raises:
            ValueError: for seats that the game has not.
        """
        which, seats_there = self._one_each("seats", seats), self.game.seats(self.variant)
        if bool(((which < 0) | (which >= seats_there)).any()):
            raise ValueError(f"seats are not as they must be: a seat is a whole number from 0 to {seats_there - 1}")
        views = tensor(tuple(self.views.shape), self.game.view_dtype)
        kernels.look(self.num_tables, self.variant, self._states, kernel_array(which), kernel_array(views))
        return views


def padded(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return a record type with bytes behind its fields: an odd number of words."""
    fields: Any = dtype.fields
    size = (-(-dtype.itemsize // _WORD) | 1) * _WORD
    names = list(dtype.names or ())
    formats, offsets = ([fields[name][part] for name in names] for part in (0, 1))
    parts: Any = {"names": names, "formats": formats, "offsets": offsets, "itemsize": size}
    return np.dtype((np.record, np.dtype(parts, align=True)))


class Generators:
    """The generators of N tables on the GPU; kernels get `taken`, which stays in its place."""

    def __init__(self, n: int) -> None:
        self._n = n
        self._memory, self.records = records(n, GENERATOR)

    def begin(self, seed: int) -> None:
        """Seed them anew."""
        self._memory.copy_(on_device(generators(seed, self._n).view(np.uint8).reshape(self._n, -1)))


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
        self.opening = argument_checks.opening(opening, game, variant)
        self.seat = -1 if seat is None else argument_checks.seat("seat", seat, seats)
        self.finals, self.rewards = tensor(tuple(self.views.shape), game.view_dtype), tensor((n,), np.float32)
        self.ends, self.seats = tensor((n,), np.int8), tensor((n,), np.int32)
        self._occupants, self._waiting = tensor((n, seats), np.int32), tensor((n,), np.int32)
        self._acted = tensor((n,), np.int8)
        self._deals, self._rngs = Generators(n), Generators(n)
        self._episodes = Episodes(
            states=self._states,
            deals=self._deals.records,
            rngs=self._rngs.records,
            occupants=kernel_array(self._occupants),
            seat=kernel_array(self.seats),
            acted=kernel_array(self._acted),
            waiting=kernel_array(self._waiting),
            views=self._k_views,
            masks=self._k_masks,
            rewards=kernel_array(self.rewards),
            ends=kernel_array(self.ends),
            finals=kernel_array(self.finals),
        )
        self._learning = dict[int, Callable[[], None]]()  # by the only level of the opponents
        self._seated = set[int]()  # levels of the players that may sit at a table now
        self.set_opponents(opponents)
        self.reset(seed)

    @exclusive
    def set_opponents(self, opponents: Sequence[Mixture]) -> None:
        """Set the opponents for the other seats; they hold from each table's next episode on.

        Raises:
            ValueError: for players that are not scripted ones of this game, and weights that are none.
        """
        require_one_each(opponents, self.game.seats(self.variant) - 1)
        mix = mixed(opponents, self._level, self.seat, True, self.opening)
        on_gpu = {"candidates": kernel_array(on_device(mix.candidates)), "odds": kernel_array(on_device(mix.odds))}
        self._opponent_mix, self._levels = mix._replace(**on_gpu), {*mix.candidates.tolist()}
        self._seated = self._seated | self._levels
        self._learning.clear()

    def reset_each(self, seeds: Sequence[int], starter: int = -1) -> None:
        """Raise ValueError: on a GPU one seed makes all tables."""
        raise ValueError('a list of seeds is for the processor: with device="cuda" one seed makes all tables')

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
        seed = argument_checks.seed(seed)
        self._deals.begin(spread(seed, 0))
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
            arguments = self.variant, self._episodes, self._opponent_mix, self._k_actions, self._k_bad
            self._learning[only] = kernels.learn(only).bound(self.num_tables, *arguments)
        self._learning[only]()
        if self.check_now if check_now is None else check_now:
            self.require_legal()


class DeviceVectorEnv(LearnerVectorEnv):
    """One learner a table, on a GPU; see `kozyr.envs.make_vec`.

    It is `LearnerVectorEnv` with tensors in place of arrays: observations, rewards float32 [N], terminations and
    truncations bool [N]. The last observation of an episode that has ended is a row of
    infos["final_obs"]["observation"] [N, view], where infos["_final_obs"] (bool [N]) is set, and
    infos["final_info"]["seat"] (int32 [N]) is the seat that the reward is for.
    """

    def _make_tables(self, game: Game, variant: Any, opponents: Any, seat: int | None, seed: int, threads: int) -> Any:
        return DeviceLearnerTables(game, variant, self.num_envs, opponents, seat, seed)

    def close(self, **kwargs: Any) -> None:
        """Do nothing: there are no threads."""

    def _rewards(self) -> Any:
        return self._output(self.tables.rewards)

    def _output(self, reused: Any) -> Any:
        return reused.clone() if self._copy else reused

    def _seats(self) -> Any:
        return self.tables.seats.clone()

    def _observation(self) -> Any:
        if not self._form.scaled:
            return super()._observation()
        tables, high = self.tables, on_device(self._form.high)
        if self._form.word == FLOAT32:
            return {"observation": tables.views / high, "action_mask": self._output(tables.masks)}
        size = len(self._form.high)
        both = tensor((self.num_envs, size + tables.masks.shape[1]), np.float32)
        both[:, :size], both[:, size:] = tables.views / high, tables.masks
        return both

    def _finals(self, seats: Any) -> dict[str, Any]:
        tables: Any = self.tables
        ended = tables.ends != RUNNING
        return {
            "final_obs": {"observation": self._output(tables.finals)},
            "_final_obs": ended,
            "final_info": {"seat": seats, "_seat": ended},
            "_final_info": ended,
        }
