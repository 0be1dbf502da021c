"""Sequential tests: Wald's ratio for the mean score of a deal, and an interval that holds whenever one stops."""

from math import log, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import optimize

from kozyr.agents.statistics.estimate import Estimate
from kozyr.agents.statistics.intervals import CONFIDENCE, RETURNS, mean_interval

METHOD = "confidence sequence over deals"
_TRACE = 1e-3  # deals that were not played, won and lost: the ends are possible although nobody has seen them
_PLANNED = 1000  # deals at which the confidence sequence is narrowest, beside a fixed sample's interval
_HALF, _MANY = 0.4, 40.0  # of a look's standard deviation; deals that decided: simulated by the benchmark `coverage`
_LIMIT = 0.001  # a score nearer to 0 or 1 is not told apart on Elo's scale


def expected(elo: float) -> float:
    """Return the score that is expected from so many points of Elo's scale more."""
    return 1 / (1 + 10 ** (-elo / 400))


def elo_of(score: float) -> float:
    """Return the points of Elo's scale that a score stands for, at most 1,200 either way."""
    return -400 * float(np.log10(1 / min(max(score, _LIMIT), 1 - _LIMIT) - 1))


def log_likelihood_ratio(scores: NDArray[np.float64], elo0: float, elo1: float) -> float:
    """Return the logarithm of how much likelier `elo1` makes the scores of deals than `elo0` does.

    Nothing is assumed of the scores but their mean: under each hypothesis their law is the likeliest one, among those
    of that mean, on the values that were seen and on 0 and 1 (a generalized sequential test, as chess engines are
    tested; M. Van den Bergh, "The generalized maximum likelihood ratio for the expectation value of a distribution",
    2020; the same as Owen's empirical likelihood). A ratio of normal laws misses a weak superiority where few deals
    decide.

    Args:
        scores: of independent deals, 0 to 1.
        elo0, elo1: the hypotheses.
    """
    values, counts = np.unique(np.append(scores, (0.0, 1.0)), return_counts=True)
    weights = counts.astype(np.float64)
    weights[[0, -1]] += _TRACE - 1
    return _likelihood(values, weights, expected(elo1)) - _likelihood(values, weights, expected(elo0))


def _likelihood(values: NDArray[np.float64], weights: NDArray[np.float64], mean: float) -> float:
    """Return the logarithm of the largest likelihood of a law of this mean, but for a constant."""
    distances = values - mean
    ends = -1 / distances[-1] * (1 - 1e-12), -1 / distances[0] * (1 - 1e-12)
    solver: Any = optimize

    def slope(tilt: float) -> float:
        return float((weights * distances / (1 + tilt * distances)).sum())

    tilt = float(solver.brentq(slope, *ends))
    return -float(weights @ np.log1p(tilt * distances))


def overshoot(scores: NDArray[np.float64], elo0: float, elo1: float, look: int) -> float:
    """Return by how much the ratio may be expected to pass a bound, because one looks only after so many deals.

    Bounds that are nearer by so much bring the errors to what was asked, and save deals (Siegmund, "Sequential
    Analysis", 1985): a little less than half of a look's standard deviation. Of few deals that decided
    the spread is not known well, and the less is taken.

    Args:
        scores: of independent deals, 0 to 1; elo0, elo1: the hypotheses; look: deals between two looks.
    """
    n = len(scores)
    variance = max(float(scores.var()), 1 / (4 * n))
    decided = 4 * n * variance  # deals as wide as a win and a loss that would vary as much
    return _HALF * min(1.0, decided / _MANY) * (expected(elo1) - expected(elo0)) * sqrt(look / variance)


def anytime_quantile(n: int) -> float:
    """Return the standard errors to each side that hold at all sizes of a sample at once, 95 % of the time.

    Robbins' mixture of normal laws with the measured variance: an asymptotic confidence sequence (Waudby-Smith, Arbour,
    Sinha, Kennedy and Ramdas, "Time-uniform central limit theory and asymptotic confidence sequences", Annals of
    Statistics 52, 2024).

    Args:
        n: deals so far.
    """
    alpha = 1 - CONFIDENCE
    rho = (-2 * log(alpha) + log(1 - 2 * log(alpha))) / _PLANNED
    return sqrt(2 * (n * rho + 1) / (n * rho) * log(sqrt(n * rho + 1) / alpha))


def anytime_interval(returns: NDArray[np.float64]) -> Estimate:
    """Return a mean return with an interval that holds although one looked after each deal and stopped when it pleased.

    Args:
        returns: of independent deals, −1 to 1: [deals].
    """
    return mean_interval(returns, RETURNS, anytime_quantile(max(len(returns), 1)))
