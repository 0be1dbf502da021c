"""Players from outside the compiled loops, asked in batches: the one loop that all faces of many tables share."""

import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.core.game import Game
from kozyr.envs.environments import check
from kozyr.envs.environments.agent import Agent
from kozyr.envs.environments.illegal import judge, require_legal
from kozyr.envs.loops import tables
from kozyr.envs.loops.episodes import OUTSIDE

Rows = NDArray[np.int64]
ERROR, ILLEGAL = "error", "illegal action"  # reasons of a forfeit, beside that of the clock


class Lost(Exception):  # noqa: N818 - what has happened
    """What `each` gives in place of an answer: why the decision is lost.

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
        seen = waiting.copy() if at_once else waiting
        for j in range(players):
            rows = np.flatnonzero(seen == OUTSIDE - j)
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
    asked, lost = masks[rows], list[int]()
    try:
        if hasattr(agent, "each"):
            given: Any = [*_answered(agent, game, views[rows], asked, lost)]
        else:
            given = agent.act_batch(views[rows], asked)
    except Exception as error:
        error.add_note(f"the opponent {agent!r} of {game.id} has raised this")
        raise
    actions = check.actions(given, len(rows), asked.shape[1])
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
            actions = check.actions(agent.act_batch(views.copy(), masks.copy()), n, limit)
            if tables.first_illegal(masks, rows, actions) < 0:
                return actions, {}
        except (Exception, SystemExit):  # whatever a user's agent raises costs it a game, not the match
            pass
    actions, complaints = np.zeros(n, np.int64), dict[int, Complaint]()
    for i, answer in enumerate(_one_by_one(agent, views, masks) if each is None else each(views, masks)):
        found = judged(v, answer, masks[i])
        if isinstance(found, Complaint):
            complaints[i] = found
        else:
            actions[i] = found
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
