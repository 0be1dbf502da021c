"""Agents: the interface of a player, and decisions asked from players outside the compiled loops."""

import inspect
import warnings
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.core.game import Game
from kozyr.envs.core.quote import quote
from kozyr.envs.environments import argument_checks
from kozyr.envs.environments.illegal import judge, require_legal
from kozyr.envs.loops import tables
from kozyr.envs.loops.episodes import OUTSIDE

Act = Callable[[NDArray[Any], NDArray[np.int8]], int]  # a function of view and mask is an agent too
METHODS = {"reset": ("seat", "seed"), "act": ("view", "mask"), "act_batch": ("views", "masks")}  # and their arguments
ERROR, ILLEGAL = "error", "illegal action"  # reasons of a forfeit, beside that of the clock


@runtime_checkable
class Agent(Protocol):
    """A player: a view and the legal actions are all that it gets.

    One agent may play at many tables and seats at once, so it remembers nothing between decisions but its random
    generator.
    """

    def reset(self, seat: int, seed: int) -> None:
        """Prepare for new games.

        Args:
            seat: the seat it will play, or −1 if it plays several.
            seed: fixes its random choices.
        """
        ...

    def act(self, view: NDArray[Any], mask: NDArray[np.int8]) -> int:
        """Return a legal action for one view [view] and mask [actions]."""
        ...

    def act_batch(self, views: NDArray[Any], masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """Return legal actions int64 [n] for views [n, view] and masks [n, actions]."""
        ...


class Solo:
    """A base for agents that decide one view at a time: it makes `act_batch` out of `act`."""

    def reset(self, seat: int, seed: int) -> None:
        """Give the agent a generator of its own, `self.rng`."""
        self.rng = np.random.default_rng(seed)

    @abstractmethod
    def act(self, view: NDArray[Any], mask: NDArray[np.int8]) -> int:
        """Return a legal action; to be written by the subclass."""
        raise NotImplementedError

    def act_batch(self, views: NDArray[Any], masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """Decide one view after the other."""
        return np.array([self.act(view, mask) for view, mask in zip(views, masks, strict=True)])  # floats stay floats


class Function(Solo):
    """A function act(view, mask) as an agent."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self.name = str(getattr(function, "__name__", type(function).__name__))

    def __repr__(self) -> str:
        return self.name

    def act(self, view: NDArray[Any], mask: NDArray[np.int8]) -> int:
        """Return the function's action."""
        return self._function(view, mask)


def as_agent(player: Any) -> Agent:
    """Return an agent: the object itself, or one that asks a function `act(view, mask) -> int`.

    Raises:
        ValueError: for anything that cannot be asked, saying what to give instead.

    Example:
        >>> as_agent(lambda view, mask: int(mask.argmax())).act(np.zeros(3), np.array([0, 1, 1]))
        1
    """
    refuse_class(player)
    if isinstance(player, str):
        raise ValueError(f"{player!r} is a name: make an agent of it with kozyr.agents.load({player!r})")
    if any(hasattr(player, name) for name in METHODS):
        require_methods(player, METHODS, "derive it from kozyr.agents.agent.Solo and write act(self, view, mask)")
        return player
    if not callable(player):
        raise ValueError(f"{player!r} is no agent: give an object with act, or a function act(view, mask)")
    _require_arguments(player, str(getattr(player, "__name__", repr(player))), METHODS["act"])
    return Function(player)


def refuse_many(agent: Any, number: str) -> None:
    """Raise if an agent is a player at one table (`one_seat`) and is asked for more."""
    if getattr(agent, "one_seat", False):
        raise ValueError(
            f"{agent!r} is a player in one seat of one table and cannot play {number}: "
            "give an agent, or play one game with kozyr.agents.player.play"
        )


def refuse_class(player: Any) -> None:
    """Raise if a class is given in place of an object."""
    if isinstance(player, type):
        raise ValueError(f"{player.__name__} is a class: make an object of it, as {player.__name__}()")


def require_methods(player: Any, methods: Mapping[str, Sequence[str]], advice: str) -> None:
    """Raise unless an object has all methods, and each can be called with its arguments."""
    whose = type(player).__name__
    for name, arguments in methods.items():
        method = getattr(player, name, None)
        if not callable(method) or getattr(method, "__isabstractmethod__", False):
            raise ValueError(f"{whose} has no method {quote(name)}: {advice}")
        _require_arguments(method, f"{whose}.{name}", arguments)


def _require_arguments(function: Any, name: str, arguments: Sequence[str]) -> None:
    """Raise unless a function can be called with so many arguments."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # some builtins do not tell theirs
        return
    try:
        signature.bind(*arguments)
    except TypeError as error:
        called = f"{name}({', '.join(arguments)})"
        raise ValueError(f"{name}{signature} does not fit: it will be called as {called}: {error}") from None


Rows = NDArray[np.int64]


class Lost(Exception):  # noqa: N818 - what has happened
    """Lost decision: the reason that `each` gives in place of an answer.

    An agent under a time limit has `each(views, masks)`, which gives the answer to each view, or a Lost. It asks
    nobody for longer than the limit says.

    Attributes:
        reason: of the forfeit.

    Args:
        words: what has happened; reason: of the forfeit.
    """

    def __init__(self, words: str, reason: str = ERROR) -> None:
        super().__init__(words)
        self.reason = reason


class Absent(Lost):
    """The agent has not answered: it took too long, or its process has ended."""


class Complaint(NamedTuple):
    """Why a decision loses the game: the reason of the forfeit, and what has happened."""

    reason: str
    words: str


def drive(waiting: NDArray[np.int32], players: int, answer: Callable[[int, Rows], None], at_once: bool) -> None:
    """Let players from outside act until no table waits for one of them.

    Args:
        waiting: int32 [N] whom each table waits for: OUTSIDE − j for player j, anything above for nobody here.
        players: how many there are.
        answer: answer(j, rows) asks player j about some tables, plays its actions and brings `waiting` up to date.
        at_once: note who waits before a round in which each player is asked once, so that no batch depends on whom
            the others were; else a table that comes to wait for a later player within a round joins its batch.
    """
    while waiting.min() <= OUTSIDE:
        snapshot = waiting.copy() if at_once else waiting
        for j in range(players):
            rows = np.flatnonzero(snapshot == OUTSIDE - j)
            if len(rows):
                answer(j, rows)


def level_of(agent: Any, game: Game) -> int | None:
    """Return the level of a scripted player, which compiled loops play themselves; None for any other.

    Raises:
        ValueError: for a scripted player of another game.
    """
    level = getattr(agent, "level", None)
    if level is None:
        return None
    if getattr(agent, "game", game) is not game:
        raise ValueError(f"agent {agent!r} does not play {game.name}")
    return int(level)


def answers(
    agent: Agent, game: Game, views: NDArray[Any], masks: NDArray[np.int8], rows: Rows
) -> tuple[Rows, list[int]]:
    """Return an agent's actions [n] at some tables (OnIllegal.RAISE), and the places of those that it has lost by time.

    Args:
        agent: who is asked.
        game: for the message.
        views: [N, view] of all tables; masks: int8 [N, actions].
        rows: [n] the tables.

    Raises:
        ValueError: naming the agent and the first table with an illegal action.
    """
    row_masks, lost = masks[rows], list[int]()
    try:
        if hasattr(agent, "each"):
            replies: Any = [*_answered(agent, game, views[rows], row_masks, lost)]
        else:
            replies = agent.act_batch(views[rows], row_masks)
    except Exception as error:
        error.add_note(f"the opponent {agent!r} of {game.id} has raised this")
        raise
    actions = argument_checks.actions(replies, len(rows), row_masks.shape[1])
    require_legal(game, masks, rows, actions, f" of the opponent {agent!r}", "Call reset() to go on")
    return actions, lost


def _answered(agent: Any, game: Game, views: NDArray[Any], masks: NDArray[np.int8], lost: list[int]) -> Iterator[Any]:
    """Give the answers of an agent under a time limit; where one is lacking, note the place and give a legal action."""
    for i, answer in enumerate(agent.each(views, masks)):
        if isinstance(answer, Absent):
            lost.append(i)
            warnings.warn(
                f"the opponent {agent!r} loses an episode of {game.id}: {answer}", RuntimeWarning, stacklevel=2
            )
            yield int(masks[i].argmax())
        elif isinstance(answer, Exception):
            raise answer
        else:
            yield answer


def ask(agent: Agent, v: Any, views: NDArray[Any], masks: NDArray[np.int8]) -> tuple[Rows, dict[int, Complaint]]:
    """Return an agent's actions in a variant, and what is wrong with those at some places (OnIllegal.FORFEIT).

    A batch that fails is asked again one by one, so that only the failing decisions are lost.
    """
    n, limit = masks.shape
    rows, each = np.arange(n, dtype=np.int64), getattr(agent, "each", None)
    if each is None:
        try:
            actions = argument_checks.actions(agent.act_batch(views.copy(), masks.copy()), n, limit)
            if tables.first_illegal(masks, rows, actions) < 0:
                return actions, {}
        except (Exception, SystemExit):  # whatever a user's agent raises costs it a game, not the match
            pass
    actions, complaints = np.zeros(n, np.int64), dict[int, Complaint]()
    for i, answer in enumerate(_one_by_one(agent, views, masks) if each is None else each(views, masks)):
        ruling = judged(v, answer, masks[i])
        if isinstance(ruling, Complaint):
            complaints[i] = ruling
        else:
            actions[i] = ruling
    return actions, complaints


def _one_by_one(agent: Agent, views: NDArray[Any], masks: NDArray[np.int8]) -> Iterator[Any]:
    """Give an agent's answer to each view, or what it raises."""
    for view, mask in zip(views, masks, strict=True):
        try:
            yield agent.act(view.copy(), mask.copy())
        except (Exception, SystemExit) as error:
            yield error


def judged(v: Any, answer: Any, mask: NDArray[np.int8]) -> int | Complaint:
    """Return the action that an answer stands for, or what is wrong with it."""
    if isinstance(answer, Lost):
        return Complaint(answer.reason, str(answer))
    try:
        if isinstance(answer, (Exception, SystemExit)):
            raise answer
        ruling = judge(v, answer, mask)
        return Complaint(ILLEGAL, f"action {answer!r}: {ruling}") if isinstance(ruling, str) else ruling
    except (Exception, SystemExit) as error:
        return Complaint(ERROR, f"{type(error).__name__}: {error}")
