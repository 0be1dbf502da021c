"""Ratings of a league: a number for each agent, made of all that was played.

Ratings assume that who beats the one that beats a third also beats the third. The cross-table assumes nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.agents.arena.full import FullLeague
from kozyr.agents.arena.league import League
from kozyr.agents.arena.result import half_interval
from kozyr.envs.api import extras

ELO = 400 / np.log(10)  # points of Elo's scale in a unit of the logistic scale
_TIMES = 200  # samples of the bootstrap
_STEPS = 10_000  # of the solver, at most
_PRIOR = 0.5  # games won and lost against each opponent that were not played, so that all ratings are finite
Played = League | FullLeague


@dataclass(frozen=True)
class Rating:
    """How an agent did in a league.

    Attributes:
        name: the agent; deals: that it has played; score: mean over its pairings, 0 to 1; half: half the width of its
            95 % interval over deals; draws: share of its games.
        mu, sigma: by openskill's model of Plackett and Luce, each deal of a pairing counted as one game.
        elo: by Bradley and Terry's model, on Elo's scale with mean 0; None in games of more than two seats.
        elo_low, elo_high: its 95 % interval, by a bootstrap over deals.
        ms: a decision, None for a player inside the compiled loop; errors: games lost by a mistake.
    """

    name: str
    deals: int
    score: float
    half: float
    draws: float
    mu: float
    sigma: float
    elo: float | None
    elo_low: float | None
    elo_high: float | None
    ms: float | None
    errors: int


def ratings(league: Played) -> list[Rating]:
    """Return the ratings of a league's agents as far as it has been played, the best score first.

    Raises:
        ImportError: naming the extra to install.
    """
    skill = _openskill(league)
    elo = _elo(league) if isinstance(league, League) and league.seats == 2 else None
    return [_rating(league, i, skill[i], elo) for i in league.standing()]


def _rating(league: Played, i: int, skill: Any, elo: NDArray[np.float64] | None) -> Rating:
    """Return one agent's rating."""
    rows = league.rows(i)
    means, told = [(1 + float(row.mean())) / 2 for row in rows], league.outcomes(i)
    times = [(ms, len(one.returns[0])) for one, side in told if (ms := one.ms[side]) is not None]
    low, high = (None, None) if elo is None else (float(x) for x in np.quantile(elo[1:, i], (0.025, 0.975)))
    return Rating(
        name=league.names[i],
        deals=sum(map(len, rows)),
        score=sum(means) / len(means) if means else 0.5,
        half=_half(rows, league.deals),
        draws=_mean([(one.draws, len(one.returns[0])) for one, _ in told]) or 0.0,
        mu=skill.mu,
        sigma=skill.sigma,
        elo=None if elo is None else float(elo[0, i]),
        elo_low=low,
        elo_high=high,
        ms=_mean(times),
        errors=sum(one.errors[side] for one, side in told),
    )


def _mean(weighed: Sequence[tuple[float, int]]) -> float | None:
    """Return the mean of numbers with weights, or None of none."""
    total = sum(weight for _, weight in weighed)
    return sum(x * weight for x, weight in weighed) / total if total else None


def _half(rows: Sequence[NDArray[np.float64]], deals: int) -> float:
    """Return half the width of the interval of a mean score over pairings, which share their deals."""
    if all(len(row) == deals for row in rows) and rows:
        return half_interval(np.mean(rows, 0)) / 2
    return float(np.hypot.reduce([half_interval(row) / 2 for row in rows])) / max(len(rows), 1)


def _openskill(league: Played) -> list[Any]:
    """Return openskill's rating of each agent; deals are fed in an order drawn from the league's seed."""
    games = league.games()
    order = np.random.default_rng(league.seed).permutation(len(games)).tolist()
    return skills(league.names, [games[int(place)] for place in order])


def skills(names: Sequence[str], games: Sequence[tuple[Sequence[int], Sequence[float]]]) -> list[Any]:
    """Return openskill's rating of each player, with `mu` and `sigma`, by the model of Plackett and Luce.

    Args:
        names: of the players.
        games: in their order, the players' numbers, a seat each, and what each seat got; who sits twice is counted
            once, with the mean of the two.

    Raises:
        ImportError: naming the extra to install.
    """
    try:
        from openskill.models import PlackettLuce
    except ImportError as error:
        raise ImportError(f"ratings need openskill: {extras.command('league')}") from error
    model = PlackettLuce()
    found = [model.rating(name=name) for name in names]
    for players, payoffs in games:
        means = {i: _mean([(x, 1) for j, x in zip(players, payoffs, strict=True) if i == j]) or 0.0 for i in players}
        if len(means) > 1:
            rated = model.rate([[found[i]] for i in means], scores=list(means.values()))
            for i, [one] in zip(means, rated, strict=True):
                found[i] = one
    return found


def _elo(league: League) -> NDArray[np.float64]:
    """Return ratings on Elo's scale [1 + samples, agents]: of all deals first, then of samples of them."""
    rng = np.random.default_rng(league.seed)
    played = {pair: (1 + league.returns(pair)) / 2 for pair in league.pairs()}
    won = {pair: float(row.sum()) for pair, row in played.items()}
    whole = bradley_terry(len(league.names), won, {pair: len(row) for pair, row in played.items()})
    rows = [whole]
    for _ in range(_TIMES):
        drawn = rng.integers(league.deals, size=league.deals)  # of all pairings at once, as they share their deals
        won = {pair: float(row[drawn[drawn < len(row)]].sum()) for pair, row in played.items()}
        games = {pair: int((drawn < len(row)).sum()) for pair, row in played.items()}
        rows.append(bradley_terry(len(league.names), won, games))
    return np.stack(rows)


def bradley_terry(agents: int, won: dict[Any, float], games: dict[Any, int]) -> NDArray[np.float64]:
    """Return ratings on Elo's scale, mean 0, of the model of Bradley and Terry (1952).

    Agents that nothing connects, not even over others, are rated apart, each such group with mean 0.

    Args:
        agents: how many.
        won: points of the first of each pair, a draw counting half; games: played by each pair.
    """
    try:
        import choix
        from scipy.sparse import csgraph
    except ImportError as error:
        raise ImportError(f"ratings need choix: {extras.command('league')}") from error
    wins = np.zeros((agents, agents))
    for (i, j), points in won.items():
        if games[i, j]:
            wins[i, j] += points + _PRIOR
            wins[j, i] += games[i, j] - points + _PRIOR
    found = np.zeros(agents)
    graphs: Any = csgraph
    labels: NDArray[np.int32] = graphs.connected_components(wins)[1]
    for its in (np.flatnonzero(labels == label) for label in np.unique(labels)):
        part = wins[np.ix_(its, its)]
        if not np.allclose(part, part.T):  # where all are equal, so are the ratings
            found[its] = choix.ilsr_pairwise_dense(part, alpha=1e-9, max_iter=_STEPS)
    return ELO * found


def cross_table(league: Played) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return scores [agents, agents] of the row against the column, 0 to 1, and half the width of their intervals."""
    n = len(league.names)
    scores, halves = np.full((n, n), np.nan), np.full((n, n), np.nan)
    for i in range(n):
        for j in range(n):
            row = league.against(i, j)
            if len(row):
                scores[i, j], halves[i, j] = (1 + row.mean()) / 2, half_interval(row) / 2
    return scores, halves


def crossed(league: Played) -> list[dict[str, Any]]:
    """Return the cross-table as what `json.dumps` takes: each pairing that was played, both ways."""
    scores, halves = cross_table(league)
    return [
        {
            "agent": league.names[i],
            "against": league.names[j],
            "score": float(scores[i, j]),
            "half": float(halves[i, j]),
        }
        for i, j in zip(*np.nonzero(~np.isnan(scores)), strict=True)
    ]


def points(ratings: Sequence[Rating]) -> list[dict[str, Any]]:
    """Return ratings as what `json.dumps` takes."""
    return [vars(one) for one in ratings]
