"""Ratings of a league: a number for each agent, from all its results.

Ratings assume that who beats the one that beats a third also beats the third. The cross-table assumes nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kozyr.agents.arena.tournaments.league import FullTableLeague, League
from kozyr.agents.statistics.estimate import Estimate
from kozyr.agents.statistics.intervals import over_deals
from kozyr.envs.core import install_hint

AnyLeague = League | FullTableLeague


@dataclass(frozen=True)
class Rating:
    """Rating of an agent in a league.

    Attributes:
        name: the agent; deals: its number of deals.
        score: mean over its pairings, 0 to 1; low, high: ends of its 95 % interval over deals; draws: share of its
            games.
        mu, sigma: by openskill's model of Plackett and Luce, each deal of a pairing counted as one game.
        elo: by Bradley and Terry's model, on Elo's scale; None in games of more than two seats. Where an end is open,
            it rests on games that were not played, see `kozyr.agents.statistics.elo`.
        elo_low, elo_high: its 95 % interval; an end is None where nothing that was played bounds the rating, as that
            of an agent that has won every game.
        ms: of a decision, None for a player inside the compiled loop; errors: games lost by a mistake.
    """

    name: str
    deals: int
    score: float
    low: float
    high: float
    draws: float
    mu: float
    sigma: float
    elo: float | None
    elo_low: float | None
    elo_high: float | None
    ms: float | None
    errors: int

    @property
    def estimate(self) -> Estimate:
        """Return the score, 0 to 1, with its interval."""
        return Estimate(self.score, self.low, self.high)

    @property
    def elo_text(self) -> str:
        """Return the rating on Elo's scale with its interval, or its one bounded end, or ""."""
        if self.elo is None:
            return ""
        low, high = self.elo_low, self.elo_high
        if low is None or high is None:
            return "any" if low == high else f"above {low:+.0f}" if high is None else f"below {high:+.0f}"
        return f"{self.elo:+.0f} ({low:+.0f} … {high:+.0f})"


def ratings(league: AnyLeague) -> list[Rating]:
    """Return the ratings of a league's agents as far as it has been played, the best score first.

    Raises:
        ImportError: naming the extra to install.
    """
    skill = _openskill(league)
    elo = _elo(league) if isinstance(league, League) and league.seats == 2 else [None] * len(league.names)
    return [_rating(league, i, skill[i], elo[i]) for i in league.standing()]


def _rating(league: AnyLeague, i: int, skill: Any, elo: Estimate | None) -> Rating:
    """Return the rating of one agent."""
    rows = league.rows(i)
    outcomes = league.outcomes(i)
    score = over_deals(rows).score if rows else Estimate(0.5, 0.0, 1.0)
    times = [(ms, len(one.returns[0])) for one, side in outcomes if (ms := one.ms[side]) is not None]
    return Rating(
        name=league.names[i],
        deals=sum(map(len, rows)),
        score=score.value,
        low=score.low,
        high=score.high,
        draws=_mean([(one.draws, len(one.returns[0])) for one, _ in outcomes]) or 0.0,
        mu=skill.mu,
        sigma=skill.sigma,
        elo=None if elo is None else elo.value,
        elo_low=None if elo is None or np.isinf(elo.low) else elo.low,
        elo_high=None if elo is None or np.isinf(elo.high) else elo.high,
        ms=_mean(times),
        errors=sum(one.errors[side] for one, side in outcomes),
    )


def _mean(weighted: Sequence[tuple[float, int]]) -> float | None:
    """Return the mean of numbers with weights, or None of none."""
    total = sum(weight for _, weight in weighted)
    return sum(x * weight for x, weight in weighted) / total if total else None


def _openskill(league: AnyLeague) -> list[Any]:
    """Return openskill's rating of each agent; deals are fed in an order drawn from the league's seed."""
    games = league.games()
    order = np.random.default_rng(league.seed).permutation(len(games)).tolist()
    return skills(league.names, [games[int(place)] for place in order])


def skills(names: Sequence[str], games: Sequence[tuple[Sequence[int], Sequence[float]]]) -> list[Any]:
    """Return openskill's rating of each player, with `mu` and `sigma`, by the model of Plackett and Luce.

    Args:
        names: of the players.
        games: in their order, the players' numbers, a seat each, and the seats' payoffs; a player in two seats counts
            once, with the mean of the two.

    Raises:
        ImportError: naming the extra to install.
    """
    try:
        from openskill.models import PlackettLuce
    except ImportError as error:
        raise ImportError(f"ratings need openskill: {install_hint.command('league')}") from error
    model = PlackettLuce()
    ratings = [model.rating(name=name) for name in names]
    for players, payoffs in games:
        means = {i: _mean([(x, 1) for j, x in zip(players, payoffs, strict=True) if i == j]) or 0.0 for i in players}
        if len(means) > 1:
            rated = model.rate([[ratings[i]] for i in means], scores=list(means.values()))
            for i, [one] in zip(means, rated, strict=True):
                ratings[i] = one
    return ratings


def _elo(league: League) -> list[Estimate]:
    """Return each agent's rating on Elo's scale."""
    try:
        from kozyr.agents.statistics.elo import elo_ratings

        return elo_ratings(len(league.names), {pair: (1 + league.returns(pair)) / 2 for pair in league.pairs()})
    except ImportError as error:
        raise ImportError(f"ratings need choix: {install_hint.command('league')}") from error


def cross_table(league: AnyLeague) -> list[list[Estimate | None]]:
    """Return the score, 0 to 1, of each agent (the row) against each other; None if two have not met."""
    n = len(league.names)
    table: list[list[Estimate | None]] = [[None] * n for _ in range(n)]
    for i in range(n):
        for j in range(n):
            rows = league.against(i, j)
            if rows:
                table[i][j] = over_deals(rows).score
    return table


def crossed(league: AnyLeague) -> list[dict[str, Any]]:
    """Return the cross-table for `json.dumps`: each pairing that was played, both ways."""
    return [
        {"agent": league.names[i], "against": league.names[j], "score": one.value, "low": one.low, "high": one.high}
        for i, row in enumerate(cross_table(league))
        for j, one in enumerate(row)
        if one is not None
    ]


def points(ratings: Sequence[Rating]) -> list[dict[str, Any]]:
    """Return ratings for `json.dumps`."""
    return [vars(one) for one in ratings]
