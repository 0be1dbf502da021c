"""Agents under a time limit: each in a process of its own, which is killed if it does not answer.

A Python object that hangs cannot be stopped from outside, but its process can. Programs have one anyway.
"""

import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr import agents
from kozyr.agents.agent_names import AgentClass, parse
from kozyr.agents.arena.matches.failures import Failures
from kozyr.agents.arena.sandbox.limits import Punctual, late
from kozyr.agents.arena.sandbox.process import GRACE, Keeper
from kozyr.envs import registry
from kozyr.envs.core.game import Game
from kozyr.envs.environments import check
from kozyr.envs.environments.agent import Absent, Lost, as_agent
from kozyr.envs.loops import tables
from kozyr.envs.table.table import TIME

_BATCH = 10.0  # seconds that a batch may take, unless a single decision may take longer
_FIRST = 10.0  # seconds for a decision in vain, after the start
_WARMING = 600.0  # and for a search, which may have to be compiled


def limited(given: Any, game: Game, options: dict[str, Any], limit: float | None) -> Any:
    """Return an agent that has so many seconds for each decision.

    Scripted players play inside compiled loops and need no limit; a program is ended by what runs it.

    Args:
        given: an agent, a function act(view, mask), or a name.
        game: what is played; options: fields of its variant.
        limit: seconds, or None.

    Raises:
        ValueError: for unknown names, a limit that is none, and agents that cannot be sent to a process.
    """
    named = isinstance(given, str)
    limit = None if limit is None else check.seconds("move_limit", limit)
    if limit is not None and named and isinstance(parse(given), AgentClass):
        return Guarded(given, given, game, options, limit)  # the user's code runs in its process only
    agent = agents.load(given, game.name, **options) if named else as_agent(given)
    if limit is None or hasattr(agent, "level") or isinstance(agent, (Guarded, Punctual)):
        return agent
    if getattr(agent, "keeps_deadlines", False):
        return agent if hasattr(agent, "new_player") else Punctual(agent, limit)
    return Guarded(given if named else agent, given if named else called(agent), game, options, limit)


def called(agent: Any) -> str:
    """Return what reports call an agent."""
    return str(getattr(agent, "name", None) or type(agent).__name__)


def _legal(answer: Any, masks: NDArray[np.int8]) -> bool:
    """Tell whether an answer to a batch is a legal action for each mask [n, actions]."""
    try:
        actions = check.actions(answer, *masks.shape)
    except ValueError:
        return False
    return tables.first_illegal(masks, np.arange(len(masks)), actions) < 0


class Guarded:
    """An agent in a process of its own.

    A decision that takes longer than the limit is lost. Where nothing comes at all, or the process ends, it is killed
    and another one begins; an agent that fails five times in a row is given up. Time to make the agent does not count,
    nor does one decision in vain.

    Agents that decide one view after the other have the limit for each view. One with an `act_batch` of its own has as
    many times the limit as there are views; where that was not enough it is asked again one by one.

    Args:
        source: the agent, or its name; name: what reports call it.
        game: what is played; options: fields of its variant.
        limit: seconds for a decision.

    Attributes:
        took: seconds of each decision since the newest reset, of a search player.
    """

    def __init__(self, source: Any, name: str, game: Game, options: dict[str, Any], limit: float) -> None:
        self.name, self.game, self.limit = name, game, limit
        self._given, self._options = source, options
        self._payload = self._packed()
        self._keeper: Keeper | None = None
        self.one_seat = bool(getattr(source, "one_seat", False))
        self._failures, self._reason, self._hangs = Failures(), "", False
        self.reset(-1, 0)

    def _packed(self) -> bytes:
        """Return what the process needs to make the agent."""
        try:
            source = pickle.dumps(self._given)
        except Exception as error:  # pickle raises whatever the object's own methods do
            raise ValueError(
                f"agent {self.name!r} cannot have a time limit, for which it is sent to a process of its own: {error}. "
                "Give it as a name (package.module:Class), or write it in a module"
            ) from error
        return pickle.dumps((registry.carried(self.game.name), self.game.name, self._options, source))

    def __repr__(self) -> str:
        return self.name

    def __reduce__(self) -> tuple[Any, ...]:
        return Guarded, (self._given, self.name, self.game, self._options, self.limit)

    def reset(self, seat: int, seed: int) -> None:
        """Prepare for new games; the agent hears it before its next decision."""
        self._luck, self.took = (seat, seed), list[float]()

    def act(self, view: NDArray[Any], mask: NDArray[np.int8]) -> Any:
        """Return the agent's answer to one view.

        Raises:
            Lost: if there is none.
        """
        return self._or_raise(next(self.each(view[None], mask[None])))

    def act_batch(self, views: NDArray[Any], masks: NDArray[np.int8]) -> NDArray[Any]:
        """Return the agent's answers to views [n, view] and masks [n, actions].

        Raises:
            Lost: if one is lacking.
        """
        return np.array([self._or_raise(one) for one in self.each(views, masks)])

    def _or_raise(self, answer: Any) -> Any:
        if isinstance(answer, Lost):
            raise answer
        return answer

    def each(self, views: NDArray[Any], masks: NDArray[np.int8]) -> Iterator[Any]:
        """Give the answer to each view, or a Lost."""
        at = 0
        while at < len(views):
            try:
                keeper = self._ready(views[at : at + 1], masks[at : at + 1])
            except Lost as lost:
                yield lost
                at += 1
                continue
            room = max(int(_BATCH / self.limit), 1) if keeper.batches else len(views)
            run = slice(at, at + room)
            answers = self._batch(keeper, views[run], masks[run]) if keeper.batches else None
            if answers is None:
                answers = self._one_by_one(views[run], masks[run])
            for answer in answers:
                yield answer
                at += 1

    def _batch(self, keeper: Keeper, views: NDArray[Any], masks: NDArray[np.int8]) -> list[Any] | None:
        """Return the answers to a batch, or None if it is better asked one by one."""
        due = len(views) * self.limit
        try:
            keeper.send("batch", views, masks)
            seconds, fine, answer = keeper.receive(due + GRACE)
        except Absent as lost:
            if len(views) == 1:
                return [self._failed(lost)]
            self._drop()
            return None
        self._failures.row = 0
        return answer if fine and seconds <= due and _legal(answer, masks) else None

    def _one_by_one(self, views: NDArray[Any], masks: NDArray[np.int8]) -> Iterator[Any]:
        """Give answers until the process fails, with which it ends; the rest has to be asked again."""
        try:
            keeper = self._ready(views[:1], masks[:1])
            keeper.send("each", views, masks)
            for mask in masks:
                seconds, fine, answer = keeper.receive(self.limit + GRACE)
                self._failures.row = 0
                if keeper.searches and np.count_nonzero(mask) > 1:
                    self.took.append(seconds)
                yield late(self.limit) if seconds > self.limit else answer if fine else Lost(str(answer))
        except Absent as lost:
            yield self._failed(lost)
        except Lost as lost:
            yield lost

    def _failed(self, lost: Absent) -> Lost:
        """Kill the process, count a failure, and return what is said of it."""
        self._drop()
        told = late(self.limit) if lost.reason == TIME else lost
        self._reason = told.reason
        self._failures.note(str(told))
        return told

    def start(self) -> None:
        """Start the process and make the agent.

        Raises:
            ValueError: if the agent cannot be made.
            Lost: if its process ends, or takes too long.
        """
        if self._keeper is None or not self._keeper.running or self._keeper.due:
            self._drop()
            self._keeper = Keeper.of(self._payload)

    def _ready(self, views: NDArray[Any], masks: NDArray[np.int8]) -> Keeper:
        """Return a process whose agent has practised and heard of its seat and luck.

        Raises:
            Lost: if that does not succeed, or has failed too often.
        """
        if self._failures.too_many:
            raise Lost(self._failures.words(self), self._reason)
        try:
            self.start()
            keeper = self._keeper
            assert keeper is not None
            if not keeper.practised:
                self._practise(keeper, views, masks)
            if keeper.luck != self._luck:
                keeper.ask(_FIRST, "reset", *self._luck)
                keeper.luck = self._luck
        except ValueError as error:
            raise self._failed(Absent(str(error))) from error
        except Absent as lost:
            raise self._failed(lost) from lost
        return keeper

    def _practise(self, keeper: Keeper, views: NDArray[Any], masks: NDArray[np.int8]) -> None:
        """Let the agent decide once in vain; one that has hung in it before has no more time than for a decision."""
        patience = _WARMING if keeper.searches else self.limit + GRACE if self._hangs else max(_FIRST, self.limit)
        self._hangs = True
        keeper.ask(patience, "practice", views, masks)
        self._hangs, keeper.practised, keeper.luck = False, True, None

    def _drop(self) -> None:
        if self._keeper is not None:
            self._keeper.kill()
        self._keeper = None

    def close(self) -> None:
        """Let the process go; one that runs well is kept for the next agent of this name."""
        keeper, self._keeper = self._keeper, None
        if keeper is not None:
            keeper.leave(isinstance(self._given, str))
