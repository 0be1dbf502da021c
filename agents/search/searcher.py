"""Search players: the base class, with budgets, twins that share a batch, and chance fixed by seed and view."""

import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, wait
from hashlib import blake2b
from typing import Any, ClassVar, NamedTuple, TypedDict

import numpy as np
from numpy.typing import NDArray

from kozyr.agents import roster
from kozyr.agents.agent import Agent, workers
from kozyr.agents.agent_names import MOST_MILLISECONDS, MOST_SIMULATIONS
from kozyr.agents.input_checks import ASK, FITS, Gate, forbidden
from kozyr.agents.interruptible import Pace
from kozyr.agents.search.positions import consistent, position_scratch, positions
from kozyr.envs import registry
from kozyr.envs.compile import compiled
from kozyr.envs.core.game import Game
from kozyr.envs.core.quote import quote
from kozyr.envs.core.rng import generators
from kozyr.envs.environments import argument_checks
from kozyr.envs.environments.threads import Exclusive, exclusive
from kozyr.envs.loops.tables import choose_batch

UNSOLVED = -1  # instead of an action
_WARMING = 0.5  # seconds


class Stopped(Exception):  # noqa: N818 - nothing is wrong
    """A twin's decision is no longer needed."""


class ActionValues(NamedTuple):
    """Values of the actions in a search's newest decision."""

    actions: NDArray[np.int64]  # [n]
    values: NDArray[np.float64]  # [n] the seat's mean result of each, from −1 to 1 like payoffs
    errors: NDArray[np.float64]  # [n] their standard errors; NaN where there is none


class Partners(TypedDict, total=False):
    """Other agents that a search player may be constructed with; see `Searcher`."""

    guide: Agent | None
    twins: Sequence["Searcher"]


class Searcher(Exclusive):
    """A base for search players; a subclass writes `search`.

    The same view gets the same answer from players with the same seed and a budget in simulations, whatever they
    answered before.

    Args:
        game: the game; variant: its options.
        level: the scripted player inside worlds, and for decisions without a search.
        budget: simulations a decision.
        seconds: time a decision instead, as long as it is above 0; `budget` does not count then.
        name: the player's name in reports.
        guide: an agent whose action the search starts from, in place of the scripted player's. Compiled players
            still play the worlds.
        twins: players made with the same arguments, each of which decides a share of a batch in a thread of its own.

    Attributes:
        guided: True if it can ask a guide.
        rolling: True if a guide may also play later moves in its worlds; the constructor then takes `rolls`.
        shares: True if it may have twins: its answers do not depend on earlier ones, and others may run meanwhile.
        nodes: positions that `solved` may look at.
        took: seconds of each decision that was searched for since the newest reset.
        action_values: values behind the newest decision of `act`; None if that compared no values.
    """

    guided: ClassVar[bool] = True
    rolling: ClassVar[bool] = False
    shares: ClassVar[bool] = True
    nodes: int = 0
    _stopped = False  # of a twin: True if its decision is no longer needed

    def __init__(
        self,
        game: Game,
        variant: Any,
        level: int,
        budget: int,
        seconds: float = 0.0,
        name: str = "search",
        guide: Agent | None = None,
        twins: Sequence["Searcher"] = (),
    ) -> None:
        self.game, self.variant, self.playing = game, variant, level
        self.budget, self.seconds = argument_checks.count("budget", budget, 0, MOST_SIMULATIONS), _time(seconds)
        self.name, self.guide, self.twins = name, guide, tuple(twins)
        self.action_values: ActionValues | None = None
        self._gate, self._position_scratch = Gate(game, variant), position_scratch(game, variant)
        self._load()
        self.reset(-1, 0)

    def _load(self) -> None:
        """Load the game's bots and worlds, which the loops are compiled with."""
        registry.seat_bots(self.game)
        roster.load_worlds(self.game)

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._load()  # in another process nobody has yet

    def __repr__(self) -> str:
        return f"{self.game.name}:{self.name}"

    def reset(self, seat: int, seed: int) -> None:
        """Seed the player's random choices."""
        self._seed, self.took = seed, list[float]()
        if self.guide is not None:
            self.guide.reset(seat, seed)
        for twin in self.twins:
            twin.reset(seat, seed)

    @exclusive
    def act(self, view: NDArray[Any], mask: NDArray[np.int8]) -> int:
        """Return the action for one view; where only one is legal, at once.

        Raises:
            ValueError: for a view or mask of another game or variant, a mask without a legal action, and a view and
                mask that no position has.
            RuntimeError: if another thread is asking it.
        """
        return self._act(*self._gate.one(view, mask))

    def _act(self, view: NDArray[Any], mask: NDArray[np.int8]) -> int:
        """Return the action for one view that has been checked."""
        began, legal, self.action_values = time.perf_counter(), np.flatnonzero(mask), None
        if len(legal) == 1:
            return int(legal[0])
        self._require_consistent(view, mask)
        digest = blake2b(view.tobytes(), digest_size=8, key=self._seed.to_bytes(8, "little", signed=True))
        action = self.search(view, mask, int.from_bytes(digest.digest(), "little") >> 1)
        if not mask[action]:
            raise ValueError(forbidden(self, 0, action))
        self.took.append(time.perf_counter() - began)
        return action

    @exclusive
    def act_batch(self, views: NDArray[Any], masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """Decide one view after the other; the twins help, which changes no action."""
        views, masks = self._gate.many(views, masks)
        actions = np.zeros(len(views), np.int64)
        self._answer(views, masks, actions)
        return actions

    def _answer(self, views: NDArray[Any], masks: NDArray[np.int8], actions: NDArray[np.int64]) -> None:
        """Write the actions for all rows."""
        self._share(range(len(views)), views, masks, actions)

    def _share(
        self, rows: Sequence[int], views: NDArray[Any], masks: NDArray[np.int8], actions: NDArray[np.int64]
    ) -> None:
        """Write actions for some rows with the twins' help."""
        rows_left, helping = iter(rows), self.twins[: max(0, len(rows) - 1)]
        threads = workers(1 + len(self.twins))
        futures = [threads.submit(twin._decide, rows_left, views, masks, actions) for twin in helping]
        try:
            self._decide(rows_left, views, masks, actions)
            for twin, done in zip(helping, futures, strict=True):
                done.result()
                self.took += twin.took
                twin.took.clear()
        except BaseException:  # Ctrl-C too: no twin may go on
            deque(rows_left, 0)
            self._stop(helping, futures)
            raise

    @staticmethod
    def _stop(twins: Sequence["Searcher"], futures: Sequence[Future[None]]) -> None:
        """Let twins end their decisions, which takes one compiled call."""
        for twin in twins:
            twin._stopped = True
        wait(futures)
        for twin in twins:
            twin._stopped = False

    def _decide(
        self, rows_left: Iterator[int], views: NDArray[Any], masks: NDArray[np.int8], actions: NDArray[np.int64]
    ) -> None:
        """Write actions for rows that are left, one at a time: one may take a thousand times as long as another."""
        for i in rows_left:
            actions[i] = self._act(views[i], masks[i])

    def warm(self) -> None:
        """Compile every way through the search, so that no decision counts the compiler in.

        It searches positions of all depths with the least budget, for half a second beyond what is compiled; call
        `reset` afterwards.
        """
        budget, seconds, elapsed = self.budget, self.seconds, 0.0
        self.budget, self.seconds = 1, 0.0
        try:
            for view, mask in positions(self.game, self.variant):
                began, before = time.perf_counter(), len(compiled)
                self._require_consistent(view, mask)
                self.search(view, mask, 0)
                elapsed += time.perf_counter() - began if len(compiled) == before else 0.0
                if elapsed > _WARMING:
                    return
        finally:
            self.budget, self.seconds = budget, seconds

    def _require_consistent(self, view: NDArray[Any], mask: NDArray[np.int8]) -> None:
        """Raise ValueError for a view and a mask that no position has: worlds behind them would break the rules."""
        if not consistent(self.variant, view, mask, self._position_scratch):
            raise ValueError(
                f"no position of {self.game.id} with this agent's options has this view and mask: they contradict "
                f"themselves or each other; {ASK}"
            )

    def search(self, view: NDArray[Any], mask: NDArray[np.int8], seed: int) -> int:
        """Return a legal action; to be written by the subclass."""
        raise NotImplementedError

    def default_action(self, view: NDArray[Any], mask: NDArray[np.int8], seed: int) -> int:
        """Return the action of the guide or the scripted player."""
        if self.guide is not None:
            return int(self.guide.act(view, mask))
        action = np.zeros(1, np.int64)
        if choose_batch(self.variant, self.playing, view[None], mask[None], generators(seed, 1), action) != FITS:
            raise ValueError(forbidden(self, 0, int(action[0])))
        return int(action[0])

    def listed(self, view: NDArray[Any], mask: NDArray[np.int8]) -> NDArray[np.int8]:
        """Return the legal actions that the search knows of, a 1 each; it must be all, and the contract asks.

        A search with a list of actions of its own, as an endgame solver may have, writes this.
        """
        return mask

    def solved(self, view: NDArray[Any], mask: NDArray[np.int8], base: int, seed: int) -> int:
        """Return an action that perfect play may take, `base` if it is one, or UNSOLVED; a game may know how."""
        return UNSOLVED

    def solvable(self, view: NDArray[Any]) -> bool:
        """Return True if `solved` may have an answer."""
        return True

    def portions(self, size: int | Callable[[], int], pace: Pace | None = None) -> Iterator[tuple[int, int]]:
        """Give (first, last) of the simulations to run next, `size` at a time, until the budget is spent.

        Args:
            size: number of simulations, or a function that returns it each time.
            pace: limits the simulations of one compiled call further.
        """
        first, end = 0, time.perf_counter() + self.seconds
        while first < self.budget if self.seconds <= 0 else first == 0 or time.perf_counter() < end:
            some = size if isinstance(size, int) else size()
            last = first + (some if pace is None else min(some, pace.steps))
            last = last if self.seconds > 0 else min(last, self.budget)
            yield first, last
            if pace is not None:
                pace.took(last - first)
            first = last

    def pace(self, first: int) -> Pace:
        """Return the pace of a decision's compiled calls; the first may take `first` steps."""
        return Pace(first, self._require_needed)

    def _require_needed(self) -> None:
        """Raise if the decision is no longer needed."""
        if self._stopped:
            raise Stopped


def _time(seconds: Any) -> float:
    """Return a decision's time in seconds, 0 for none."""
    most = MOST_MILLISECONDS / 1000
    if isinstance(seconds, (int, float)) and not isinstance(seconds, bool) and 0 <= seconds <= most:
        return float(seconds)
    raise ValueError(f"seconds={quote(seconds)} is not allowed: it is a number from 0 to {most:g}")
