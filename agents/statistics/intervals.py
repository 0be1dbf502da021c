"""Intervals of means over few deals or many, of shares, and of sums of means.

Deals, and not games, are the independent observations: the rotations of a deal share its cards. Coverage of every
function here is measured by `python -m tests.benchmarks coverage`; the page "How numbers are made" shows it.
"""

from collections.abc import Sequence
from math import inf, sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from kozyr.agents.statistics import lattice
from kozyr.agents.statistics.estimate import Estimate

CONFIDENCE = 0.95
METHOD = "score interval over deals"
QUANTILE = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
RETURNS = (-1.0, 1.0)  # what a deal can return
UNBOUNDED = (-inf, inf)
_UNSEEN = 0.5  # weight of one more deal as far from the mean as the farthest: the variance of few deals looks too small
_ROOM = 25  # deals with which the measured third moment is doubled, if the bounds leave room for a long tail
_EQUAL = 1e-12
_LEAST = 2  # deals without which nothing is known


def mean_interval(
    values: NDArray[np.float64] | Sequence[float],
    bounds: tuple[float, float] = RETURNS,
    quantile: float | None = None,
) -> Estimate:
    """Return the mean of independent values with its 95 % interval.

    Results of few values, as wins, draws, losses and places are, have the interval of `lattice.ends`: they lie on a
    lattice of at most 60 steps between the bounds, and fewer than 50 differ from the commonest one. Of more results
    that interval and the one below are nearly the same.

    All others, and those with a `quantile`, have a score interval. The ends are means μ at which the deviation of the
    sample's mean is just as large as chance allows: (x̄ − μ)² = q² σ²(μ) / n, with Student's q. How the variance changes
    with μ is taken once as Wilson (JASA 22, 1927) has it, as that of wins and losses with the measured design effect
    (Korn and Graubard, Survey Methodology 24, 1998), and once from the measured third moment; the wider end counts.
    Half a deal as far from the mean as the farthest one is added to the variance, so that few deals are not believed
    too much. The third moment of few deals is too small as well where a tail is long: it is enlarged by 25 / n, the
    less, the nearer the farthest deal comes to a bound. Where all values are equal the bounds stand in.

    Args:
        values: of each deal, [deals]: independent, within the bounds.
        bounds: the least and the largest value that there can be; infinite where nothing bounds them.
        quantile: standard errors to each side in place of Student's t, as of `sequential.anytime_quantile`.

    Returns:
        The mean and the ends. One value alone says nothing: the ends are the bounds.

    Example:
        >>> [round(x, 3) for x in mean_interval([1.0] * 30)]
        [1.0, 0.778, 1.0]
    """
    sample, n = np.asarray(values, np.float64), len(values)
    low, high = bounds
    mean = float(sample.mean()) if n else 0.0
    if n < _LEAST:
        return Estimate(mean, low, high)
    if quantile is None and (few := lattice.counts_of(sample, bounds)):
        below, above = lattice.ends(few)
        return Estimate(mean, max(min(below, mean), low), min(max(above, mean), high))
    q = float(stdtrit(n - 1, (1 + CONFIDENCE) / 2)) if quantile is None else quantile
    variance, skew = _moments(sample, mean)
    if not variance:
        return Estimate(mean, *_ends_of_equals(mean, bounds, q * q / n, n))
    effect, tilt = _design(mean, variance, bounds)
    longer = skew * (1 + _ROOM / n * _room(sample, mean, skew, bounds) ** 2)
    ends = [_score_ends(variance, slope, effect, q * q / n) for slope in (tilt, skew, longer)]
    least, most = (f(side) for f, side in zip((min, max), zip(*ends, strict=True), strict=True))
    return Estimate(mean, max(mean + least, low), min(mean + most, high))


def _moments(sample: NDArray[np.float64], mean: float) -> tuple[float, float]:
    """Return the variance of values, cautiously, and the third moment over it; 0 where all are equal."""
    deviations, n = sample - mean, len(sample)
    squares = deviations * deviations
    farthest = float(squares.max())
    if farthest <= (_EQUAL * max(1.0, abs(mean))) ** 2:
        return 0.0, 0.0
    variance = (float(squares.sum()) * n / (n - 1) + _UNSEEN * farthest) / n
    return variance, float((squares * deviations).sum()) / n / variance  # not @: its threads would wait for each other


def _room(sample: NDArray[np.float64], mean: float, skew: float, bounds: tuple[float, float]) -> float:
    """Return the share of the way from the mean to a bound beyond the farthest value, on the side of the tail."""
    farthest, most = (sample.max() - mean, bounds[1] - mean) if skew > 0 else (mean - sample.min(), mean - bounds[0])
    return 1 - float(farthest) / most if most > farthest else 0.0


def design_effect(values: NDArray[np.float64]) -> float:
    """Return the variance of deals as a share of that of games won and lost with the same mean: 1 for single games.

    Args:
        values: of each deal, [deals]: returns.
    """
    mean, n, (low, high) = float(values.mean()), len(values), RETURNS
    variance = _moments(values, mean)[0] if n >= _LEAST else 0.0
    if not variance:
        if n < _LEAST or min(mean - low, high - mean) <= _EQUAL:
            return 1.0
        variance = max(mean - low, high - mean) ** 2 / n
    return _design(mean, variance, RETURNS)[0]


def _ends_of_equals(mean: float, bounds: tuple[float, float], w: float, n: int) -> tuple[float, float]:
    """Return the ends where all values are equal, w = q² / n: nothing but the bounds says how far others may lie."""
    low, high = bounds
    far = max(mean - low, high - mean)
    if far == inf:
        return bounds
    at_a_bound = min(mean - low, high - mean) <= _EQUAL
    variance = 0.0 if at_a_bound else far**2 / n
    effect, tilt = (1.0, low + high - 2 * mean) if at_a_bound else _design(mean, variance, bounds)
    below, above = _score_ends(variance, tilt, effect, w)
    return max(mean + below, low), min(mean + above, high)


def _design(mean: float, variance: float, bounds: tuple[float, float]) -> tuple[float, float]:
    """Return the variance as a share of that of wins and losses with the same mean, and its slope at the mean."""
    low, high = bounds
    if high - low == inf:
        return 0.0, 0.0
    effect = variance / ((mean - low) * (high - mean))
    return effect, effect * (low + high - 2 * mean)


def _score_ends(variance: float, slope: float, curvature: float, w: float) -> tuple[float, float]:
    """Solve δ² = w (variance + slope δ − curvature δ²) for the two ends' distances from the mean, w = q² / n."""
    half = sqrt((w * slope) ** 2 + 4 * (1 + curvature * w) * w * variance)
    below, above = ((w * slope + side) / 2 / (1 + curvature * w) for side in (-half, half))
    return below, above


def wilson(mean: float, n: int) -> tuple[float, float]:
    """Return the ends of the 95 % interval of a share of `n` independent events (Wilson, JASA 22, 1927).

    Example:
        >>> [round(end, 2) for end in wilson(1.0, 3)]
        [0.44, 1.0]
    """
    z = QUANTILE**2 / n
    middle = (mean + z / 2) / (1 + z)
    half = QUANTILE * sqrt(mean * (1 - mean) / n + z / n / 4) / (1 + z)
    return max(min(middle - half, mean), 0.0), min(max(middle + half, mean), 1.0)


def combined(parts: Sequence[Estimate], weights: Sequence[float] | None = None) -> Estimate:
    """Return a weighted mean of independent estimates (MOVER: Zou and Donner, Statistics in Medicine 27, 2008).

    Args:
        parts: the estimates, at least one; weights: of each, positive; None: all the same.
    """
    shares = np.asarray(weights if weights is not None else [1.0] * len(parts))
    shares = shares / shares.sum()
    value, low, high = np.array(parts).T
    mean = float(shares @ value)
    below, above = (float(np.hypot.reduce(shares * part)) for part in (value - low, high - value))
    return Estimate(mean, mean - below, mean + above)


def over_deals(rows: Sequence[NDArray[np.float64]]) -> Estimate:
    """Return the mean of rows of returns [deals] that share their deals: the mean of a deal's values counts once.

    Rows of different lengths, as of a league that is not finished, are combined as if they were independent.
    """
    if len({len(row) for row in rows}) <= 1:
        return mean_interval(np.mean(rows, 0))
    return combined([mean_interval(row) for row in rows])
