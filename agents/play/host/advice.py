"""Advice in a position: an agent's choice and its values or probabilities of all actions."""

from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kozyr.agents.agent import Agent, Scripted
from kozyr.agents.nets.trained import Trained
from kozyr.agents.search.searcher import Searcher
from kozyr.agents.statistics.intervals import QUANTILE, wilson
from kozyr.envs.core.game import Game
from kozyr.envs.environments import check
from kozyr.envs.environments.agent import as_agent

_ASKED = 1000  # times, where a player's chances cannot be listed


class Row(NamedTuple):
    """What an agent thinks of one legal action.

    Attributes:
        action: its number.
        value: a probability, or what the seat wins by it on average, from −1 to 1 like payoffs.
        low, high: the ends of the value's 95 % interval; None where there is none.
    """

    action: int
    value: float
    low: float | None = None
    high: float | None = None


class Advice(NamedTuple):
    """What an agent would do.

    Attributes:
        kind: what the values of the rows are.
        choice: the action it takes.
        rows: legal actions, the best first. Of values only those that the search compared.
    """

    kind: Literal["probabilities", "values"]
    choice: int
    rows: list[Row]


def advise(agent: Any, game: Game, variant: Any, view: NDArray[Any], mask: NDArray[np.int8]) -> Advice:
    """Ask an agent what it would do, and how sure it is.

    A policy tells the probabilities of its network, a scripted player how likely it takes each action. A search that
    compares actions tells their values: `pimc` and its kin in imagined worlds, where the interval is that of the
    difference from the action that has none; `ismcts` by the visits of its tree, which are not independent, so that
    its intervals are rough. Everything else only tells its choice, which then has probability 1: alpha-beta, exact
    endgames, agents of your own without a method `probabilities(views, masks)`.

    Args:
        agent: who is asked; a function act(view, mask) will do.
        game: what is played; variant: its options.
        view: what the seat to move knows, [view]; mask: what it may do, [actions].

    Raises:
        ValueError: for a policy that was trained for something else, and for an agent that answers illegally.

    Example:
        >>> from kozyr import agents, envs
        >>> from kozyr.envs.table.table import Table
        >>> game = envs.game("mnk")
        >>> table = Table(game, game.make_variant(m=3, n=3, k=3), seed=1)
        >>> advice = advise(agents.load("mnk:random", m=3, n=3, k=3), game, table.variant, table.view(0), table.mask)
        >>> advice.kind, len(advice.rows), round(advice.rows[0].value, 3)
        ('probabilities', 9, 0.111)
    """
    asked = as_agent(agent)
    if isinstance(asked, Trained):
        asked.require(game, variant)
    action = asked.act(view, mask.copy())
    if wrong := check.complaint(action, mask):
        raise ValueError(f"{asked!r} has no advice: its action {action} {wrong}")
    choice, values = int(action), _values(asked, mask)
    if values:
        return Advice("values", choice, _ordered(values, choice))
    return Advice("probabilities", choice, _ordered(_chances(asked, view, mask, choice), choice))


def _values(agent: Agent, mask: NDArray[np.int8]) -> list[Row]:
    """Return what a search found out for its newest decision, if it compared values."""
    action_values = agent.action_values if isinstance(agent, Searcher) else None
    rows = list[Row]()
    if action_values is not None:
        for action, value, error in zip(*(column.tolist() for column in action_values), strict=True):
            ends = (None, None) if np.isnan(error) else _interval(value, error)
            if mask[action]:
                rows.append(Row(action, value, *ends))
    return rows


def _chances(agent: Agent, view: NDArray[Any], mask: NDArray[np.int8], choice: int) -> list[Row]:
    """Return how likely an agent takes each legal action."""
    tell, legal = getattr(agent, "probabilities", None), np.flatnonzero(mask).tolist()
    if tell is not None:
        chances = np.asarray(tell(view[None], mask[None]), np.float64)[0]
    elif isinstance(agent, Scripted):
        try:
            chances = agent.chances(view[None], mask[None])[0]
        except ValueError:  # chance can do too much to list it
            return _sampled(agent, view, mask)
    else:
        chances = np.eye(len(mask))[choice]
    return [Row(action, float(chances[action])) for action in legal]


def _sampled(agent: Agent, view: NDArray[Any], mask: NDArray[np.int8]) -> list[Row]:
    """Return how often an agent took each legal action when it was asked many times."""
    actions = agent.act_batch(np.repeat(view[None], _ASKED, 0), np.repeat(mask[None], _ASKED, 0))
    shares = np.bincount(actions, minlength=len(mask)) / _ASKED
    legal = np.flatnonzero(mask).tolist()
    return [Row(a, p, *wilson(p, _ASKED)) for a in legal for p in [float(shares[a])]]


def _interval(value: float, error: float) -> tuple[float, float]:
    """Return the ends of a 95 % interval of a mean payoff from its standard error."""
    return max(value - QUANTILE * error, -1.0), min(value + QUANTILE * error, 1.0)


def _ordered(rows: list[Row], choice: int) -> list[Row]:
    """Return rows, the highest value first; of equal ones the choice."""
    return sorted(rows, key=lambda row: (-row.value, row.action != choice, row.action))
