"""Many tables at which one seat learns and the others are played inside.

The vector environment, the seat environment and the training's VecEnv are thin faces of `LearnerTables`.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from kozyr.envs import registry
from kozyr.envs.core.capabilities import infos
from kozyr.envs.core.dispatch import has_result, is_defined
from kozyr.envs.core.game import Game
from kozyr.envs.core.rng import generators, spread
from kozyr.envs.core.state import OVER
from kozyr.envs.environments import argument_checks
from kozyr.envs.environments.agent_protocol import Agent, answers, as_agent, drive, level_of, refuse_many
from kozyr.envs.environments.illegal import forfeited, refuse, require_legal
from kozyr.envs.environments.readonly_arrays import own_copy, read_only
from kozyr.envs.environments.tables import split
from kozyr.envs.environments.threads import Exclusive, Pool, exclusive
from kozyr.envs.loops import episodes
from kozyr.envs.loops.bound_calls import Calls, episode_arrays
from kozyr.envs.loops.episodes import NOBODY, OUTSIDE, Episodes, Finals, OpponentMix
from kozyr.envs.loops.single_table import TRUNCATED
from kozyr.envs.loops.tables import look_round

Mixture = Mapping[Agent, float]  # opponents and their weights; one with a `level` (int) is played in compiled code


class LearnerTables(Exclusive):
    """N tables with one learner each; `step` brings every table to the learner's next decision.

    Attributes (read-only arrays, overwritten by each step):
        views: [N, view] what the learner knows; masks: int8 [N, actions].
        rewards: float32 [N] the learner's reward of the last step, whatever the others did in it.
        ends: int8 [N] 0 went on, 1 terminated, 2 truncated.
        finals: [N, view] the learner's last view where `ends` is not 0.
        final_others: [N, others, view] what the others knew then, clockwise from the learner, if it is asked for.
        final_results: int8 [N] 1 where `ends` is 2 and the learner's reward was certain before the cap.
        final_infos: by field of the state that infos tell, the learner's value [N] where `ends` is not 0.
        seats: int32 [N] the learner's seat.
        states: [N] the state records, hidden things too.

    Args:
        game: the game; variant: its options.
        num_tables: N.
        opponents: for each other seat, clockwise from the learner, who may sit there with which weight; drawn
            anew for each episode.
        seat: the learner's seat, or None to draw it for each episode.
        seed: table i depends on the seed and on i only, as long as all opponents are scripted.
        threads: how many threads share the compiled part.
        again: deal the next episode as soon as one has ended.
        opening: random plies that begin every episode, whoever sits where; fewer than a game can have.
        keep_others: keep what the others knew at the end of each episode, in `final_others`.
    """

    def __init__(
        self,
        game: Game,
        variant: Any,
        num_tables: int,
        opponents: Sequence[Mixture],
        seat: int | None = None,
        seed: int = 0,
        threads: int = 1,
        again: bool = True,
        opening: int = 0,
        keep_others: bool = False,
    ) -> None:
        self.game, self.variant, self.again = game, variant, again
        self.opening = argument_checks.opening(opening, game, variant)
        registry.seat_bots(game)
        n = self.num_tables = argument_checks.count("num_tables", num_tables)
        self.seat = -1 if seat is None else argument_checks.seat("seat", seat, game.seats(variant))
        self._episodes = self._room(n)
        others = (game.seats(variant) - 1) * keep_others
        layout = game.layout(variant)
        self.final_infos = {field: np.zeros(n, layout[field].base) for field in infos(variant)}
        self._looks_back = keep_others or is_defined(has_result, variant) or bool(self.final_infos)
        self._finals = Finals(np.zeros((n, others, game.size(variant)), game.view_dtype), np.zeros(n, np.int8))
        self._show()
        self._rows = np.arange(n)
        self._parts = split(n, argument_checks.count("threads", threads))
        self._pool = Pool(len(self._parts))
        self.set_opponents(opponents)
        self.reset(seed)

    def _room(self, n: int) -> Episodes:
        """Allocate the arrays of N tables."""
        game, v = self.game, self.variant
        size, actions, dtype = game.size(v), game.actions(v), game.view_dtype
        return Episodes(
            states=np.zeros(n, game.layout(v)),
            deals=generators(0, n),
            rngs=generators(0, n),
            occupants=np.zeros((n, game.seats(v)), np.int32),
            seat=np.zeros(n, np.int32),
            acted=np.zeros(n, np.int8),
            waiting=np.zeros(n, np.int32),
            views=np.zeros((n, size), dtype),
            masks=np.zeros((n, actions), np.int8),
            rewards=np.zeros(n, np.float32),
            ends=np.zeros(n, np.int8),
            finals=np.zeros((n, size), dtype),
        )

    def _show(self) -> None:
        """Make the arrays that everybody sees."""
        it = self._episodes
        self.states, self.views, self.masks = read_only(it.states), read_only(it.views), read_only(it.masks)
        self.rewards, self.ends, self.finals = read_only(it.rewards), read_only(it.ends), read_only(it.finals)
        self.seats = read_only(it.seat)
        self.final_others, self.final_results = map(read_only, self._finals)

    def _bind(self) -> None:
        """Bind the compiled step to the tables and their opponents."""
        self._calls = Calls(self.variant, *episode_arrays(self._episodes, self._opponent_mix))

    def __getstate__(self) -> dict[str, Any]:
        derived = {"states", "views", "masks", "rewards", "ends", "finals", "seats", "final_others", "final_results"}
        return {name: value for name, value in vars(self).items() if name not in (*derived, "_calls")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        registry.seat_bots(self.game)  # in another process nobody has yet
        self._episodes = Episodes._make(map(own_copy, self._episodes))
        self._finals = Finals._make(map(own_copy, self._finals))
        self._show()
        self._bind()

    @exclusive
    def set_opponents(self, opponents: Sequence[Mixture]) -> None:
        """Set the opponents for the other seats; they hold from each table's next episode on.

        Outside opponents that still sit at tables keep their numbers.
        """
        require_one_each(opponents, self.game.seats(self.variant) - 1)
        if not hasattr(self, "_outside"):
            self._outside: list[Agent] = []
        for mixture in opponents:
            for player in mixture:
                self._require_room(player, sum(player in other for other in opponents))
        again = self.again and not self._looks_back  # else the next episode waits until the last one was looked at
        self._opponent_mix = mixed(opponents, self._occupant, self.seat, again, self.opening)
        self._bind()

    def _require_room(self, player: Agent, seats: int) -> None:
        """Raise if a player can sit at one table only, and is wanted at more, or in so many seats."""
        if self.num_tables > 1:
            refuse_many(player, f"{self.num_tables} tables")
        if seats > 1:
            refuse_many(player, f"{seats} seats")

    def _occupant(self, player: Agent) -> int:
        """Return the number under which a player sits at the tables."""
        level = level_of(player, self.game)
        if level is not None:
            return level
        for j, known in enumerate(self._outside):
            if known is player:
                return OUTSIDE - j
        self._outside.append(player)
        return OUTSIDE - len(self._outside) + 1

    @exclusive
    def reset(self, seed: int, deal: int = -1, starter: int = -1) -> None:
        """Begin new episodes everywhere.

        Args:
            seed: fixes all that follows but what is decided outside.
            deal: the seed of the first deal at every table, or −1 to draw it.
            starter: who begins it, or −1.
        """
        n, seed = self.num_tables, argument_checks.seed(seed)
        self._episodes.deals[:] = generators(spread(seed, 0), n)
        self._episodes.rngs[:] = generators(spread(seed, 1), n)
        self._begin(seed, np.full(n, deal), starter)

    @exclusive
    def reset_each(self, seeds: Sequence[int], starter: int = -1) -> None:
        """Begin new episodes everywhere, each table by a seed of its own, as the only table of a `SeatEnv` does.

        Args:
            seeds: for each table: the first deal, and all that follows at this table but what is decided outside.
            starter: who begins the first deals, or −1.

        Raises:
            ValueError: for another number of seeds than of tables, or bad ones.
        """
        each = argument_checks.seeds(seeds, self.num_tables)
        for i, seed in enumerate(each):
            self._episodes.deals[i : i + 1] = generators(spread(seed, 0), 1)
            self._episodes.rngs[i : i + 1] = generators(spread(seed, 1), 1)
        outside = each[0] if len(each) == 1 else reduce(spread, each, 0)
        self._begin(int(outside), np.array(each), starter)

    def _begin(self, outside: int, deals: NDArray[np.int64], starter: int) -> None:
        """Open an episode at every table.

        Args:
            outside: seed of opponents that decide outside; deals: seeds of the deals, or −1; starter: as for `reset`.
        """
        self.reset_opponents(outside)
        starters = np.full(self.num_tables, starter)
        episodes.open_all(self.variant, self._episodes, self._opponent_mix, self._rows, deals, starters)
        self._ask_outside()

    def reset_opponents(self, seed: int) -> None:
        """Seed the choices of opponents that decide outside."""
        for j, player in enumerate(self._outside):
            player.reset(-1, spread(seed, 2 + j))

    def step(self, actions: NDArray[np.int64]) -> None:
        """Play the learner's action at every table and go on to its next decision, over the end of an episode too.

        Raises:
            ValueError: naming the first table with an illegal action; no table has moved then.
            RuntimeError: if another thread is at it.
        """
        if self.in_use:
            self.refuse_second()
        self.in_use = True
        try:
            masks = self._episodes.masks
            numbers = argument_checks.actions(actions, self.num_tables, masks.shape[1])
            if len(self._parts) == 1:
                ended = self._calls.learn_legal(numbers)
                if ended < 0:
                    refuse(self.game, masks, -1 - ended, numbers, " of the learner", "No table has moved")
                if ended:
                    self._look_back(self._rows)
            else:
                require_legal(self.game, masks, self._rows, numbers, " of the learner", "No table has moved")
                self._pool.share(lambda part: self._learn(self._rows[part], numbers[part]), self._parts)
            if self._outside:
                self._ask_outside()
        finally:
            self.in_use = False

    def look_round(self, views: NDArray[Any]) -> None:
        """Overwrite views [N, others, view] with what the others know, clockwise from each table's learner."""
        look_round(self.variant, self._episodes.states, self._episodes.seat, views)

    def close(self) -> None:
        """End the threads, if there are some; a later step starts others."""
        self._pool.close()

    def _learn(self, rows: NDArray[np.int64], actions: NDArray[np.int64]) -> None:
        if episodes.learn_step(self.variant, self._episodes, self._opponent_mix, rows, actions):
            self._look_back(rows)

    def _look_back(self, rows: NDArray[np.int64]) -> None:
        """Keep what the ended ones among some tables show, and begin their next episodes."""
        if not self._looks_back:
            return
        it = self._episodes
        rows = rows[it.waiting[rows] == NOBODY]
        rewards, ends = it.rewards[rows], it.ends[rows]
        for field, values in self.final_infos.items():
            values[rows] = it.states[field][rows, it.seat[rows]]
        if self._finals.others.shape[1] or (ends == TRUNCATED).any():
            episodes.look_back(self.variant, it, self._finals, rows)
        if self.again:
            unset = np.full(len(rows), -1)
            episodes.open_all(self.variant, it, self._opponent_mix, rows, unset, unset)
            it.rewards[rows], it.ends[rows] = rewards, ends

    def _ask_outside(self) -> None:
        """Ask outside opponents in batches until every table waits for its learner."""
        if self._outside:
            drive(self._episodes.waiting, len(self._outside), self._answer, at_once=False)

    def _answer(self, j: int, rows: NDArray[np.int64]) -> None:
        """Ask an outside opponent for its actions at some tables, and play them."""
        it = self._episodes
        actions, lost = answers(self._outside[j], self.game, it.views, it.masks, rows)
        if lost:
            self._forfeit(rows[lost])
            rows, actions = np.delete(rows, lost), np.delete(actions, lost)
        self._play_answers(rows, actions)

    def _play_answers(self, rows: NDArray[np.int64], actions: NDArray[np.int64]) -> None:
        """Play legal actions of an outside opponent at some tables."""
        if episodes.answer(self.variant, self._episodes, self._opponent_mix, rows, actions):
            self._look_back(rows)

    def _forfeit(self, rows: NDArray[np.int64]) -> None:
        """Let the seat to move lose the episode at some tables, and go on."""
        seats = self.game.seats(self.variant)
        for i in rows.tolist():
            s: Any = self._episodes.states[i]
            s.payoff[:seats] = forfeited(seats, int(s.turn))
            s.turn = OVER
        if episodes.take_up(self.variant, self._episodes, self._opponent_mix, rows):
            self._look_back(rows)


def require_one_each(opponents: Sequence[Mixture], others: int) -> None:
    """Raise ValueError unless there is a mixture for each other seat."""
    if len(opponents) != others:
        raise ValueError(f"{len(opponents)} opponents for {others} other seats: name one for each, or one for all")


def mixed(
    opponents: Sequence[Mixture], number: Callable[[Agent], int], seat: int, again: bool, opening: int
) -> OpponentMix:
    """Return mixtures as compiled loops take them.

    Args:
        opponents: for each other seat; number: gives the number under which a player sits at the tables.
        seat: the learner's, or −1; again: begin another episode where one has ended; opening: random plies.

    Raises:
        ValueError: for weights that are none.
    """
    players: list[Agent] = []
    for mixture in opponents:
        players += [player for player in mixture if not any(player is known for known in players)]
    odds = np.array([[mixture.get(player, 0.0) for player in players] for mixture in opponents], np.float64)
    if not np.isfinite(odds).all() or (odds < 0).any() or not (odds.sum(1) > 0).all():
        raise ValueError("the weights of opponents are numbers from 0 on, and some must be above zero")
    candidates = np.array([number(player) for player in players], np.int32)
    return OpponentMix(seat, again, candidates, odds.cumsum(1) / odds.sum(1, keepdims=True), opening)


def opponents_for(seats: int, opponents: Any) -> list[Mixture]:
    """Return a mixture for each other seat from one player, one mixture, or a sequence of either.

    Raises:
        ValueError: for players that cannot be asked.
    """
    if not isinstance(opponents, (list, tuple)):
        return [_mixture(opponents)] * (seats - 1)
    return [_mixture(one) for one in cast(Sequence[Any], opponents)]


def _mixture(opponent: Any) -> Mixture:
    """Return the players and weights of one seat."""
    if not isinstance(opponent, Mapping):
        return {as_agent(opponent): 1.0}
    return {as_agent(one): weight for one, weight in cast(Mapping[Any, float], opponent).items()}
