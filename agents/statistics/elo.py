"""Ratings on Elo's scale by the model of Bradley and Terry (Biometrika 39, 1952); intervals may have no end."""

from collections.abc import Mapping
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csgraph
from scipy.special import expit, stdtrit

from kozyr.agents.statistics.estimate import Estimate
from kozyr.agents.statistics.intervals import CONFIDENCE, RETURNS, design_effect, mean_interval

ELO = 400 / np.log(10)  # points of Elo's scale in a unit of the logistic scale
PRIOR = 0.5  # games won and lost against each opponent that were not played, so that the estimates are finite
_FARTHEST = 3000 / ELO  # an end beyond it is none
_CLOSE = 0.05 / ELO  # to which an end is found
_RIDGE = 1e-5  # keeps the ratings of agents finite whom nothing holds
_STEPS = 10_000  # of the library's solver, at most
_NEWTON = 200  # steps of ours, at most
Pair = tuple[int, int]
Scores = Mapping[Pair, NDArray[np.float64]]  # [deals] of the first agent of each pair, 0 to 1


def elo_ratings(agents: int, scores: Scores) -> list[Estimate]:
    """Return each agent's rating with its 95 % interval, on Elo's scale.

    The mean rating is 0: of the agents whom wins and losses connect with each other, or of all where that is nobody
    (Ford, American Mathematical Monthly 64, 1957: only within such a group are the differences finite). Who has won
    or lost every game has an end at infinity: nothing that was played bounds it. The value then rests on `PRIOR`.

    Two agents' interval is that of the score (`mean_interval`) on Elo's scale. Of more agents an end is the rating at
    which Rao's score test, the other ratings being the likeliest ones, is just rejected. Deals count by their measured
    design effect; that pairings share deals is measured, too.

    Args:
        agents: how many.
        scores: of the first agent of each pair that has played, over the same deals.

    Raises:
        ImportError: without choix.
    """
    values = bradley_terry(agents, *_totals(scores))
    estimates = [Estimate(float(x), -inf, inf) for x in values]
    won = _points(agents, scores)
    for group in _components(won + won.T, "weak"):
        members = {pair: row for pair, row in scores.items() if pair[0] in group and len(row)}
        middle_ones = anchor(agents, members, group)
        middle = float(np.mean([values[i] for i in middle_ones]))
        for i in group:
            low, high = _ends(i, group, middle_ones, members, values / ELO)
            value = float(values[i]) - middle
            estimates[i] = Estimate(value, min(ELO * low, value), max(ELO * high, value))
    return estimates


def _totals(scores: Scores) -> tuple[dict[Any, float], dict[Any, int]]:
    """Return the points of the first of each pair, and the games of each pair."""
    return {pair: float(row.sum()) for pair, row in scores.items()}, {pair: len(row) for pair, row in scores.items()}


def bradley_terry(agents: int, won: dict[Any, float], games: dict[Any, int]) -> NDArray[np.float64]:
    """Return ratings on Elo's scale, mean 0, with `PRIOR` games won and lost besides.

    Agents that nothing connects, not even over others, are rated apart, each such group with mean 0.

    Args:
        agents: how many.
        won: points of the first of each pair, a draw counting half; games: played by each pair.

    Raises:
        ImportError: without choix.
    """
    import choix

    wins = np.zeros((agents, agents))
    for (i, j), points in won.items():
        if games[i, j]:
            wins[i, j] += points + PRIOR
            wins[j, i] += games[i, j] - points + PRIOR
    strengths = np.zeros(agents)
    for members in _components(wins, "weak"):
        part = wins[np.ix_(members, members)]
        if not np.allclose(part, part.T):  # where all are equal, so are the ratings
            strengths[members] = choix.ilsr_pairwise_dense(part, alpha=1e-9, max_iter=_STEPS)
    return ELO * strengths


def _components(links: NDArray[np.float64], connection: str) -> list[list[int]]:
    """Return the connected parts of a graph."""
    graphs: Any = csgraph
    labels: NDArray[np.int32] = graphs.connected_components(links > 0, connection=connection)[1]
    return [np.flatnonzero(labels == label).tolist() for label in np.unique(labels)]


def _points(agents: int, scores: Scores) -> NDArray[np.float64]:
    """Return the points of each agent from each other."""
    won = np.zeros((agents, agents))
    for (i, j), row in scores.items():
        won[i, j] += float(row.sum())
        won[j, i] += float(len(row) - row.sum())
    return won


def anchor(agents: int, scores: Scores, group: list[int]) -> list[int]:
    """Return the agents whose mean rating is 0: the largest part of a group whose differences are finite, or all."""
    parts = [part for part in _components(_points(agents, scores), "strong") if part[0] in group]
    most = max(map(len, parts))
    return sorted(i for part in parts if len(part) == most for i in part)


def _ends(
    i: int, group: list[int], middle: list[int], scores: Scores, start: NDArray[np.float64]
) -> tuple[float, float]:
    """Return the ends of an agent's interval on the logistic scale."""
    if len(group) == 1:
        return -inf, inf
    if len(group) == 2 and len(scores) == 1:
        return _of_a_pair(i, *next(iter(scores.items())))
    test = _ScoreTest(group, scores, start)
    direction = np.array([(one == i) - (one in middle) / len(middle) for one in group])
    if not direction.any():
        return 0.0, 0.0
    return test.end(direction, -1), test.end(direction, 1)


def _of_a_pair(i: int, pair: Pair, row: NDArray[np.float64]) -> tuple[float, float]:
    """Return the ends of the rating of one of two agents."""
    score = mean_interval(2 * row - 1, RETURNS).score
    low, high = (float(np.log(x) - np.log1p(-x)) if 0 < x < 1 else inf * (2 * x - 1) for x in score[1:])
    return (low / 2, high / 2) if i == pair[0] else (-high / 2, -low / 2)


class _ScoreTest:
    """Rao's score test of a linear function of the ratings.

    Args:
        group: the agents; scores: of their pairings; start: ratings of all agents, on the logistic scale.
    """

    def __init__(self, group: list[int], scores: Scores, start: NDArray[np.float64]) -> None:
        place = {agent: k for k, agent in enumerate(group)}
        self._pairs = [(place[i], place[j]) for i, j in scores]
        self._sides = np.zeros((len(self._pairs), len(group)))
        for k, (i, j) in enumerate(self._pairs):
            self._sides[k, i], self._sides[k, j] = 1.0, -1.0
        self._means = np.array([row.mean() for row in scores.values()])
        self._games = np.array([len(row) / design_effect(2 * row - 1) for row in scores.values()])
        self._start = start[group] - start[group].mean()
        self._shared = self._shared_deals(list(scores.values()))
        deals = max(len(row) for row in scores.values())
        self._limit = float(stdtrit(max(deals - 1, 1), (1 + CONFIDENCE) / 2)) ** 2

    def _shared_deals(self, rows: list[NDArray[np.float64]]) -> NDArray[np.float64]:
        """Return the covariance of the pairings' errors, which share their deals: [pairings, pairings]."""
        if len({len(row) for row in rows}) > 1 or len(rows[0]) < 2 * len(rows):
            return np.eye(len(rows))
        deviations = np.stack(rows) - self._means[:, None]
        spread = np.sqrt((deviations**2).sum(1))
        known = spread > 0
        covariance = np.eye(len(rows))
        both = np.ix_(known, known)
        covariance[both] = (deviations @ deviations.T)[both] / np.outer(spread, spread)[both]
        return covariance

    def _fit(self, direction: NDArray[np.float64], value: float, start: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the likeliest ratings of which the linear function has a value."""
        ratings = start + direction * (value - direction @ start) / (direction @ direction)
        size = len(ratings)
        system = np.zeros((size + 1, size + 1))
        system[size, :size] = system[:size, size] = direction
        for _ in range(_NEWTON):
            p = expit(self._sides @ ratings)
            slope = self._sides.T @ (self._games * (self._means - p)) - _RIDGE * ratings
            system[:size, :size] = self._information(p) + _RIDGE * np.eye(size)
            step = np.linalg.lstsq(system, np.append(slope, 0.0), rcond=None)[0][:size]
            step *= min(1.0, 2.0 / max(float(np.abs(step).max()), 1e-12))
            ratings = ratings + step
            if float(np.abs(step).max()) < 1e-8:
                break
        return ratings

    def _information(self, p: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return Fisher's information of the ratings."""
        return self._sides.T @ (self._sides * (self._games * p * (1 - p))[:, None])

    def _statistic(self, direction: NDArray[np.float64], ratings: NDArray[np.float64]) -> float:
        """Return the square of the score over its variance, χ² of one degree of freedom where the value is true."""
        p = expit(self._sides @ ratings)
        weights = self._games * p * (1 - p)
        inverse = np.linalg.pinv(self._information(p) + _RIDGE * np.eye(len(direction)))
        along = self._sides @ (inverse @ direction)
        score = float(along @ (self._games * (self._means - p)))
        errors = np.sqrt(weights) * along
        variance = float(errors @ self._shared @ errors)
        return score**2 / max(variance, 1e-300)

    def end(self, direction: NDArray[np.float64], side: int) -> float:
        """Return the end of the interval of a linear function, to one side of its likeliest value."""
        inner = float(direction @ self._start)
        ratings, outer, reach = self._start, inner, 0.1
        while True:
            outer = inner + side * reach
            if abs(outer) > _FARTHEST:
                return side * inf
            best = self._fit(direction, outer, ratings)
            if self._statistic(direction, best) > self._limit and side * (outer - float(direction @ self._start)) > 0:
                break
            inner, ratings, reach = outer, best, reach * 1.6
        while abs(outer - inner) > _CLOSE:
            middle = (inner + outer) / 2
            best = self._fit(direction, middle, ratings)
            inner, outer = (inner, middle) if self._statistic(direction, best) > self._limit else (middle, outer)
        return outer
