"""Players from outside the compiled loops, asked in batches: the one loop that all faces of many tables share."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.api import check
from kozyr.envs.api.agent import Agent
from kozyr.envs.api.illegal import require_legal, stands_for
from kozyr.envs.core import tables
from kozyr.envs.core.episodes import OUTSIDE
from kozyr.envs.core.game import Game

Rows = NDArray[np.int64]


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


def answers(agent: Agent, game: Game, views: NDArray[Any], masks: NDArray[np.int8], rows: Rows) -> Rows:
    """Return an agent's actions [n] at some tables (OnIllegal.RAISE).

    Args:
        agent: who is asked.
        game: for the message.
        views: [N, view] of all tables; masks: int8 [N, actions].
        rows: [n] the tables.

    Raises:
        ValueError: naming the agent and the first table with an illegal action.
    """
    asked = masks[rows]
    try:
        given = agent.act_batch(views[rows], asked)
    except Exception as error:
        error.add_note(f"the opponent {agent!r} of {game.id} has raised this")
        raise
    actions = check.actions(given, len(rows), asked.shape[1])
    require_legal(game, masks, rows, actions, f" of the opponent {agent!r}", "Call reset() to go on")
    return actions


def ask(agent: Agent, v: Any, views: NDArray[Any], masks: NDArray[np.int8]) -> tuple[Rows, dict[int, str]]:
    """Return an agent's actions in a variant, and what is wrong with those at some places (OnIllegal.FORFEIT).

    A batch that fails is asked again one by one, so that only the failing decisions are lost.
    """
    n, limit = masks.shape
    rows = np.arange(n, dtype=np.int64)
    try:
        actions = check.actions(agent.act_batch(views.copy(), masks.copy()), n, limit)
        if tables.first_illegal(masks, rows, actions) < 0:
            return actions, {}
    except (Exception, SystemExit):  # whatever a user's agent raises costs it a game, not the match
        pass
    actions, complaints = np.zeros(n, np.int64), dict[int, str]()
    for i in range(n):
        try:
            action = agent.act(views[i].copy(), masks[i].copy())
            complaint = check.complaint(action, masks[i])
            if complaint and (instead := stands_for(v, action, masks[i])) is not None:
                action, complaint = instead, ""
            complaint = complaint and f"action {action!r}: {complaint}"
        except (Exception, SystemExit) as error:
            action, complaint = 0, f"{type(error).__name__}: {error}"
        if complaint:
            complaints[i] = complaint
        else:
            actions[i] = int(action)
    return actions, complaints
