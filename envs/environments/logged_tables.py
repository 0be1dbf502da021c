"""Learner's tables that log their games, which can be left in progress and taken up again, to the bit."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.environments import argument_checks
from kozyr.envs.environments.learner import LearnerTables
from kozyr.envs.environments.threads import exclusive
from kozyr.envs.loops import replay
from kozyr.envs.loops.episodes import LEARNER, OUTSIDE

_ROOM = 64  # actions of a log at first


class GamesInProgress(NamedTuple):
    """Games in progress at N tables, with nothing in them that could not be played again by the rules.

    Attributes:
        generators: uint64 [4, N] the deals' after this one; the scripted players': its seed, where it was as the game
            began, and where it is.
        occupants: int32 [N, seats] who plays, as in `kozyr.envs.loops.episodes`.
        counts: int64 [N] actions that came from outside; actions: int32 [all of them], one table's after the other's.
    """

    generators: NDArray[np.uint64]
    occupants: NDArray[np.int32]
    counts: NDArray[np.int64]
    actions: NDArray[np.int32]


class LoggedTables(LearnerTables):
    """Learner's tables that log each action from outside, at a cost of some microseconds a step.

    Args:
        *args, **kwargs: as `LearnerTables` takes them.
    """

    _broken = ""  # the reason why the games in progress cannot be told, or ""

    def _begin_logs(self, broken: str) -> None:
        """Forget all games; `broken` says why those that follow cannot be told."""
        n = self.num_tables
        self._noted, self._counts = np.zeros(n, np.uint64), np.zeros(n, np.int64)
        self._log, self._broken = np.zeros((n, _ROOM), np.int32), broken

    def reset(self, seed: int, deal: int = -1, starter: int = -1) -> None:
        """Begin new episodes everywhere, as `LearnerTables.reset` does."""
        if self.in_use:
            self.refuse_second()
        self._begin_logs("" if deal < 0 and starter < 0 else "a first deal was asked for")
        super().reset(seed, deal, starter)

    def step(self, actions: NDArray[np.int64]) -> None:
        """Play the learner's action at every table, as `LearnerTables.step` does."""
        if self.in_use:
            self.refuse_second()
        numbers = argument_checks.actions(actions, self.num_tables, self.masks.shape[1])
        before, self._broken = self._broken, "a step has failed"
        self._note(self._rows, numbers)
        super().step(numbers)
        self._broken = before

    def _play_answers(self, rows: NDArray[np.int64], actions: NDArray[np.int64]) -> None:
        self._note(rows, actions)
        super()._play_answers(rows, actions)

    def _note(self, rows: NDArray[np.int64], actions: NDArray[np.int64]) -> None:
        """Note actions that will be played, and see that every log has room for another."""
        if replay.note(self._episodes.deals, self._noted, self._counts, self._log, rows, actions):
            self._log = np.concatenate([self._log, np.zeros_like(self._log)], 1)

    @exclusive
    def games(self) -> GamesInProgress:
        """Return the games in progress.

        Raises:
            RuntimeError: if some games cannot be told, as after a step that has failed; `reset` begins others.
        """
        if self._broken or (self._episodes.waiting != LEARNER).any():
            raise RuntimeError(f"the games in progress cannot be told: {self._broken or 'some are over'}; call reset()")
        deals, rngs = self._episodes.deals, self._episodes.rngs
        counts = np.where(self._noted == deals["rng"], self._counts, 0)
        actions = self._log[np.arange(self._log.shape[1]) < counts[:, None]]
        generators = np.array([deals["rng"], rngs["seed"], deals["seed"], rngs["rng"]])
        return GamesInProgress(generators, self._episodes.occupants.copy(), counts, actions)

    @exclusive
    def take_up(self, games: GamesInProgress) -> NDArray[np.int64]:
        """Go on with games that were in progress at as many tables with the same opponents.

        They are played again by the rules, so that they may come from anybody.

        Returns:
            int64 [N], how often the learner has acted in each.

        Raises:
            ValueError: if they are no such games; the tables must be reset then.
        """
        self._require_fit(games)
        self._begin_logs("the games that were to be taken up are none")
        it = self._episodes
        it.deals["rng"], it.rngs["seed"], it.deals["seed"], after = games.generators
        it.rngs["rng"], it.occupants[:] = games.generators[2], games.occupants
        it.seat[:] = (games.occupants == LEARNER).argmax(1)
        own = games.counts.copy()
        table = replay.replay(self.variant, it, self.opening, own, games.actions)
        wrong = np.flatnonzero(it.rngs["rng"] != after)
        if table >= 0 or len(wrong):
            raise ValueError(f"the game at table {table if table >= 0 else wrong[0]} cannot have been played so")
        self._take_logs(games)
        return own

    def _take_logs(self, games: GamesInProgress) -> None:
        """Make the actions that have led here the beginning of the logs."""
        most = int(games.counts.max())
        self._log = np.zeros((self.num_tables, max(_ROOM, 2 * most)), np.int32)
        self._log[np.arange(self._log.shape[1]) < games.counts[:, None]] = games.actions
        self._noted[:], self._counts[:], self._broken = games.generators[0], games.counts, ""

    def _require_fit(self, games: GamesInProgress) -> None:
        """Raise ValueError unless there is a game a table, each with one learner and opponents that are known here."""
        n, seats = self._episodes.occupants.shape
        shapes = {"generators": (4, n), "occupants": (n, seats), "counts": (n,), "actions": (np.size(games.actions),)}
        kinds = {"generators": np.uint64, "occupants": np.int32, "counts": np.int64, "actions": np.int32}
        for name, array in games._asdict().items():
            require_array(name, array, shapes[name], kinds[name])
        if (games.counts < 0).any() or sum(games.counts.tolist()) != len(games.actions):
            raise ValueError("the games in progress have more or fewer actions than they say")
        if ((games.occupants == LEARNER).sum(1) != 1).any() or not np.isin(games.occupants, self._occupants()).all():
            raise ValueError("the games in progress have other players")
        if self.seat >= 0 and (games.occupants[:, self.seat] != LEARNER).any():
            raise ValueError("the learner sits elsewhere in the games in progress")

    def _occupants(self) -> list[int]:
        """Return the numbers of all who may sit at the tables."""
        outside: Any = range(OUTSIDE, OUTSIDE - len(self._outside), -1)
        return [LEARNER, *outside, *(one for one in self._opponent_mix.candidates.tolist() if one >= 0)]


def require_array(name: str, array: Any, shape: tuple[int, ...], kind: Any) -> None:
    """Raise ValueError unless an array has a shape and a type."""
    if array.shape != shape or array.dtype != kind:
        due = f"{np.dtype(kind)} {list(shape)}"
        raise ValueError(f"the games in progress have {name} of {array.dtype} {list(array.shape)}: they are {due}")
