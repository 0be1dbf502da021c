"""Advice of agents: in a position, as hints in words, and on every decision of a recorded game."""

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kozyr import agents
from kozyr.agents.agent import Agent, Scripted
from kozyr.agents.nets.trained import Trained
from kozyr.agents.play.pages.opponents import advisers
from kozyr.agents.search.searcher import Searcher
from kozyr.agents.statistics.intervals import QUANTILE, wilson
from kozyr.envs.core.game import Game
from kozyr.envs.environments import argument_checks
from kozyr.envs.environments.agent_protocol import as_agent
from kozyr.envs.table.record_format import Record
from kozyr.envs.table.table import Table

_SAMPLES = 1000  # where a player's chances cannot be listed
_HINTS = 5  # moves of a hint, the best ones
_OPINIONS = 6  # moves of an opinion


class Row(NamedTuple):
    """An agent's value of one legal action.

    Attributes:
        action: its number.
        value: a probability, or the mean payoff, from −1 to 1.
        low, high: the ends of the value's 95 % interval; None where there is none.
    """

    action: int
    value: float
    low: float | None = None
    high: float | None = None


class Advice(NamedTuple):
    """An agent's choice in a position.

    Attributes:
        kind: of the values of the rows.
        choice: the agent's action.
        rows: legal actions, the best first. Of values only those that the search compared.
    """

    kind: Literal["probabilities", "values"]
    choice: int
    rows: list[Row]


def advise(agent: Any, game: Game, variant: Any, view: NDArray[Any], mask: NDArray[np.int8]) -> Advice:
    """Return an agent's choice, and its values or probabilities of the legal actions.

    A policy tells the probabilities of its network, a scripted player how likely it takes each action. A search that
    compares actions tells their values: `pimc` and its kin in imagined worlds, where the interval is that of the
    difference from the action that has none; `ismcts` by the visits of its tree, which are not independent, so that
    its intervals are rough. Everything else only tells its choice, which then has probability 1: alpha-beta, exact
    endgames, agents of your own without a method `probabilities(views, masks)`.

    Args:
        agent: an agent, or a function act(view, mask).
        game: of the position; variant: its options.
        view: of the seat to move, [view]; mask: of legal actions, [actions].

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
    player = as_agent(agent)
    if isinstance(player, Trained):
        player.require(game, variant)
    action = player.act(view, mask.copy())
    if wrong := argument_checks.complaint(action, mask):
        raise ValueError(f"{player!r} has no advice: its action {action} {wrong}")
    choice, values = int(action), _values(player, mask)
    if values:
        return Advice("values", choice, _sort(values, choice))
    return Advice("probabilities", choice, _sort(_chances(player, view, mask, choice), choice))


def _values(agent: Agent, mask: NDArray[np.int8]) -> list[Row]:
    """Return a search's values of its newest decision, if it compared actions."""
    action_values = agent.action_values if isinstance(agent, Searcher) else None
    rows = list[Row]()
    if action_values is not None:
        for action, value, error in zip(*(column.tolist() for column in action_values), strict=True):
            ends = (None, None) if np.isnan(error) else _interval(value, error)
            if mask[action]:
                rows.append(Row(action, value, *ends))
    return rows


def _chances(agent: Agent, view: NDArray[Any], mask: NDArray[np.int8], choice: int) -> list[Row]:
    """Return the probability of each legal action."""
    probabilities, legal = getattr(agent, "probabilities", None), np.flatnonzero(mask).tolist()
    if probabilities is not None:
        chances = np.asarray(probabilities(view[None], mask[None]), np.float64)[0]
    elif isinstance(agent, Scripted):
        try:
            chances = agent.chances(view[None], mask[None])[0]
        except ValueError:  # chance can do too much to list it
            return _sample(agent, view, mask)
    else:
        chances = np.eye(len(mask))[choice]
    return [Row(action, float(chances[action])) for action in legal]


def _sample(agent: Agent, view: NDArray[Any], mask: NDArray[np.int8]) -> list[Row]:
    """Return the share of each legal action in many decisions."""
    actions = agent.act_batch(np.repeat(view[None], _SAMPLES, 0), np.repeat(mask[None], _SAMPLES, 0))
    shares = np.bincount(actions, minlength=len(mask)) / _SAMPLES
    legal = np.flatnonzero(mask).tolist()
    return [Row(a, p, *wilson(p, _SAMPLES)) for a in legal for p in [float(shares[a])]]


def _interval(value: float, error: float) -> tuple[float, float]:
    """Return the ends of a 95 % interval of a mean payoff from its standard error."""
    return max(value - QUANTILE * error, -1.0), min(value + QUANTILE * error, 1.0)


def _sort(rows: list[Row], choice: int) -> list[Row]:
    """Return rows, the highest value first; of equal ones the choice."""
    return sorted(rows, key=lambda row: (-row.value, row.action != choice, row.action))


class Hints:
    """Agents that a person may ask who plays only agents.

    Args:
        table: of the person; people: the number of persons at it.
    """

    def __init__(self, table: Table, people: int) -> None:
        self._table = table
        self.names = advisers(table.game, table.variant) if people == 1 else []

    def lines(self, agent: str = "") -> list[str]:
        """Return an agent's advice in the position, line by line; of the first of `names` by default.

        Raises:
            ValueError: if there are no hints at this table, or not from this agent.
        """
        t = self._table
        if not self.names:
            raise ValueError("there are no hints where other people sit")
        if agent and agent not in self.names:
            raise ValueError(f"{agent!r} gives no hints: ask {', '.join(self.names)}")
        name = agent or self.names[0]
        adviser = agents.load(name, t.game.name, **t.game.options(t.variant))
        adviser.reset(t.turn, 0)
        advice = advise(adviser, t.game, t.variant, t.view(t.turn), t.mask)
        rows = advice.rows[:_HINTS]
        best = [(t.game.text.table_words(t.variant, t.states[0], row.action, t.turn), row.value) for row in rows]
        shares = advice.kind == "probabilities"
        return [f"{name} would play:", *(f"  {words}  {f'{x:.0%}' if shares else f'{x:+.2f}'}" for words, x in best)]


def opinions(
    record: Record, analyst: Any, name: str, progress: Callable[[int, int], None] | None = None
) -> dict[int, dict[str, Any]]:
    """Return an agent's advice on every decision of a game, for the viewer.

    A `gap` says how much worse the analyst finds the move that was played: the difference of both actions' values, or
    of their probabilities. It is 0 where the analyst's best was played, and where a search did not weigh the move.

    Args:
        record: the game.
        analyst: an agent of that game.
        name: of the analyst, in the viewer.
        progress: called with the number of plies so far, and of all.

    Raises:
        ValueError: for an analyst that was trained for something else, and for a record that breaks the rules.
    """
    table = Table(record.game, record.variant, record.seed, record.starter)
    by_ply: dict[int, dict[str, Any]] = {}
    for ply, action in enumerate(record.actions):
        seat, mask = table.turn, table.mask
        if mask.sum() > 1:
            advice = advise(analyst, record.game, record.variant, table.view(seat), mask)
            by_ply[ply] = {"seat": seat, "agent": name, **_opinion(table, advice, action)}
        table.play(action)
        if progress is not None:
            progress(ply + 1, len(record.actions))
    return by_ply


def _opinion(table: Table, advice: Advice, action: int) -> dict[str, Any]:
    """Return an opinion as the viewer has it: the best actions, and the one that was played."""
    state, text = table.state()[0], table.game.text
    own = [row for row in advice.rows[_OPINIONS:] if row.action == action]
    rows = [
        [text.table_words(table.variant, state, row.action), row.value, row.low, row.high, row.action == action]
        for row in [*advice.rows[:_OPINIONS], *own]
    ]
    return {"kind": advice.kind, "gap": _gap(advice.rows, action), "rows": rows}


def _gap(rows: list[Row], action: int) -> float:
    return max((rows[0].value - row.value for row in rows if row.action == action), default=0.0)
