"""Intervals of means of results that take few values: wins, draws and losses of deals, or places.

An end is a mean beyond which a mean of the values, weighted by Dirichlet's law of their counts, lies with a chance of
2.5 % (Rubin's Bayesian bootstrap, Annals of Statistics 9, 1981). A saddlepoint tells that chance: the root of twice the
logarithm of the empirical likelihood ratio (Owen, Biometrika 75, 1988), and a term that mends it, as in r* of
Barndorff-Nielsen (Biometrika 73, 1986). For wins and losses alone this is Jeffreys' interval: the half of a result
that is added on both sides makes the chance of the very result count by half, as in Lancaster's mid-p (JASA 56, 1961).
"""

from functools import lru_cache
from math import exp, floor, inf, log, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri, stdtrit

from kozyr.envs.compile import jit, stack_array

_FINEST = 60  # steps between the bounds; results on a finer lattice count as continuous
_ON_LATTICE = 1e-6
_TAIL = 0.025  # chance to miss at an end
_FEWEST = 4  # degrees of freedom, at least
_WHOLE = 0.03  # chance to miss at an end, counting that of the very result as a whole
_WHOLE_TARGET, _WHOLE_TARGET_TWICE = float(ndtri(_WHOLE)), float(ndtri(2 * _WHOLE))
_LEAST, _MOST = 0.125, 0.5  # of a result that is added at the bound
_INWARD = 2.4  # times as much is added on the other side, but no more than half a result
_MANY = 50  # results that differ from the commonest one, from which on the score interval is as good
_CHECKED = 199  # results in which the commonest is looked for
_MOSTLY = 0.75  # share of results equal to the worst from which on that one is what happens mostly
_EQUAL = 1e-9
_SMALL = 1e-6  # square of a root that is as good as none
_NEAREST, _FARTHEST, _WIDEST = -40.0, 12.0, 4.0  # logarithms of a pole's distance, and the width to begin with
_MORE = 4  # points beside the values: the bound, the worst one, the best one and a step below it
_ROOM = _FINEST + 1 + _MORE
_ROUNDS, _NEAR = 40, 1e-9


class Counts(NamedTuple):
    """Results that lie on a lattice.

    Attributes:
        values: the distinct ones, ascending; counts: how often each was seen; low, high: the bounds.
        step: of the coarsest lattice that has all values and both bounds.
    """

    values: NDArray[np.float64]
    counts: NDArray[np.float64]
    low: float
    high: float
    step: float


def counts_of(sample: NDArray[np.float64], bounds: tuple[float, float]) -> Counts | None:
    """Count values that lie on a lattice.

    Args:
        sample: the values, within the bounds; bounds: the least and the largest value that there can be.

    Returns:
        The distinct values and their counts. None where no lattice of 60 steps has them all, where nothing bounds them,
        and where 50 differ from one that is common: the interval would be that of continuous values.
    """
    low, high = bounds
    head = np.sort(sample[:_CHECKED])
    if high - low == inf or np.count_nonzero(sample != head[len(head) // 2]) >= _MANY:
        return None
    places, counts = np.empty(_FINEST + 1), np.zeros(_FINEST + 1)
    size = _count(np.sort(sample), low, high - low, places, counts)
    steps = _steps(places, size)
    if not steps:
        return None
    return Counts(
        low + np.rint(places[:size] * steps) * ((high - low) / steps), counts[:size], low, high, (high - low) / steps
    )


@jit
def _count(
    ascending: NDArray[np.float64], low: float, span: float, places: NDArray[np.float64], counts: NDArray[np.float64]
) -> int:
    """Write the places of distinct values between the bounds, 0 to 1, and how often each is there.

    Returns:
        How many there are; 0 if they are more than there is room for.
    """
    size, last = 0, -inf
    for value in ascending:
        place = (value - low) / span
        if place - last > _ON_LATTICE:
            if size == len(places):
                return 0
            places[size] = place
            size += 1
        counts[size - 1] += 1
        last = place
    return size


@jit
def _steps(places: NDArray[np.float64], size: int) -> int:
    """Return the steps of the coarsest lattice that has all places; 0 if there is none."""
    for steps in range(1, _FINEST + 1):
        fits = size > 0
        for i in range(size):
            at = places[i] * steps
            fits = fits and abs(at - floor(at + 0.5)) <= _ON_LATTICE * steps
        if fits:
            return steps
    return 0


def ends(counts: Counts) -> tuple[float, float]:
    """Return the ends of the 95 % interval of the mean of at least two results.

    Up to half a result is added at the bound that the end is near, for what was not seen, and up to half a result at
    the farthest value on the other side. The finer the lattice, the less is added. The chance to miss is 2.5 % by
    Student's law, as that of the values is not known: 2.0 % by the normal one at 30 deals. It is at most 3 % where what
    was added on the other side is a step worse, so that the very result counts as a whole.

    Where no results could miss a mean on its other side, this side may miss it twice as often. It is so near a bound:
    even a match without a lost game does not say that such a mean is too low. It is so, too, above the worst value
    where three quarters of the deals have it.

    Args:
        counts: of the results.
    """
    values, numbers, low, high, step = counts
    target, twice = _targets(int(numbers.sum()))
    below = _lower(values, numbers, low, high, step, target, twice)
    above = _lower(-values[::-1], numbers[::-1].copy(), -high, -low, step, target, twice)
    return below, -above


@lru_cache(maxsize=1024)
def _targets(n: int) -> tuple[float, float]:
    """Return the normal quantiles of the chance to miss that so many results ask for, and of twice that chance."""
    student = float(stdtrit(max(n - 1, _FEWEST), 1 - _TAIL))
    return -student, float(ndtri(2 * ndtr(-student)))


@jit
def _lower(
    values: NDArray[np.float64],
    counts: NDArray[np.float64],
    low: float,
    high: float,
    step: float,
    target: float,
    twice: float,
) -> float:
    """Return the lower end: the lesser of two means, or of two with twice the chance where that is allowed.

    Args:
        values, counts, low, high, step: of the results.
        target: normal quantile of the chance to miss; twice: of twice that chance.
    """
    size = len(values)
    worst, best, n = values[0], values[size - 1], counts.sum()
    points, weights = stack_array(_ROOM, np.float64), stack_array(_ROOM, np.float64)
    for i in range(size):
        points[i], weights[i] = values[i], counts[i]
    points[size], points[size + 1], points[size + 2], points[size + 3] = low, worst, best, max(best - step, low)
    outward = _MOST if size == 1 else min(max(_LEAST, step / (high - low)), _MOST)
    inward = min(_INWARD * outward, _MOST)
    end = min(
        _mean(points, weights, size, (outward, 0.0, inward, 0.0), target),
        _mean(points, weights, size, (outward, 0.0, 0.0, inward), _WHOLE_TARGET),
    )
    at_bound, mostly_worst = worst - low <= _EQUAL, size > 1 and counts[0] >= _MOSTLY * n
    if end < worst - _EQUAL or not (at_bound or mostly_worst):
        return end
    if at_bound:
        by_half, as_whole = (outward, 0.0, inward, 0.0), (outward, 0.0, 0.0, inward)
    else:
        by_half, as_whole = (outward / 2, outward / 2, inward, 0.0), (0.0, outward, 0.0, inward)
    nearer = min(
        _mean(points, weights, size, by_half, twice), _mean(points, weights, size, as_whole, _WHOLE_TARGET_TWICE)
    )
    unseen = 1 - _WHOLE ** (1 / n)
    return max(end, min(nearer, worst + (high - worst) * unseen))


@jit
def _mean(
    points: NDArray[np.float64],
    weights: NDArray[np.float64],
    size: int,
    extra: tuple[float, float, float, float],
    target: float,
) -> float:
    """Return the mean below which the weighted mean lies with the chance that is asked for, by the Illinois method.

    Args:
        points, weights: values that were seen, how often, and four points more; size: how many were seen.
        extra: weights of the four points; target: normal quantile of the chance.
    """
    for i in range(_MORE):
        weights[size + i] = extra[i]
    size += _MORE
    base, top = inf, -inf
    for i in range(size):
        if weights[i] > 0:
            base, top = min(base, points[i]), max(top, points[i])
    span = top - base
    if span <= _EQUAL:
        return base
    low, high = _NEAREST, _FARTHEST
    while high - low > _WIDEST:
        middle = (low + high) / 2
        if _root(points, weights, size, base, span, middle)[0] < target:
            low = middle
        else:
            high = middle
    below = _root(points, weights, size, base, span, low)[0] - target
    above, mean = _root(points, weights, size, base, span, high)
    above -= target
    side = 0
    for _ in range(_ROUNDS):
        pole = min(max((low * above - high * below) / (above - below), low), high)
        value, mean = _root(points, weights, size, base, span, pole)
        value -= target
        if abs(value) < _NEAR:
            break
        if value > 0:
            high, above = pole, value
            if side > 0:
                below /= 2
            side = 1
        else:
            low, below = pole, value
            if side < 0:
                above /= 2
            side = -1
    return base + mean


@jit
def _root(
    points: NDArray[np.float64], weights: NDArray[np.float64], size: int, base: float, span: float, pole: float
) -> tuple[float, float]:
    """Return r*, and the mean over the base, of the saddlepoint whose likelihood has a pole below the base.

    The weights of that likelihood are wᵢ / (vᵢ − c) with the pole at c.

    Args:
        points, weights, size: of the law; base, span: its least value, and how far the largest one is above it.
        pole: logarithm of the distance from the base to the pole, in spans.
    """
    gap, total, tilt = span * exp(pole), 0.0, 0.0
    for i in range(size):
        if weights[i] > 0:
            total += weights[i]
            tilt += weights[i] / (points[i] - base + gap)
    tilt /= total
    likelihood, variance = 0.0, 0.0
    for i in range(size):
        if weights[i] > 0:
            ratio = tilt * (points[i] - base + gap)
            likelihood += weights[i] * log(ratio)
            variance += weights[i] * (1 / ratio - 1) ** 2
    root, spread = sqrt(max(2 * likelihood, _SMALL)), sqrt(max(variance, _SMALL))
    return -root - log(spread / root) / root, 1 / tilt - gap
