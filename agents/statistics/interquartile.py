"""Interquartile mean of the scores of several seeds, with the interval of a stratified bootstrap.

Both are defined as in Agarwal and others, "Deep reinforcement learning at the edge of the statistical precipice"
(NeurIPS 2021), and in its library, rliable: of all scores together the lowest and the highest quarter are left out, and
a resample draws as many seeds as there are, for each task by itself.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kozyr.agents.statistics.estimate import Estimate
from kozyr.agents.statistics.intervals import CONFIDENCE

RESAMPLES = 10_000
_LEAST = 3  # seeds without which a bootstrap says nothing


def interquartile_mean(scores: ArrayLike) -> float:
    """Return the mean of the middle half of all scores; a quarter that is no whole number is rounded down.

    Example:
        >>> interquartile_mean([0.0, 0.4, 0.5, 0.6, 1.0])
        0.5
    """
    return float(_middle(np.asarray(scores, np.float64).reshape(1, -1))[0])


def stratified_bootstrap(scores: ArrayLike, resamples: int = RESAMPLES, seed: int = 0) -> Estimate:
    """Return the interquartile mean with the ends of its 95 % interval, percentiles of resamples.

    Of five seeds the interval is too narrow: it holds in nine cases of ten rather than in nineteen of twenty.

    Args:
        scores: of each seed, [seeds] or [seeds, tasks]; a task is a stratum.
        resamples: how often seeds are drawn; seed: of the draws, so that the same scores have the same interval.
    """
    table = np.asarray(scores, np.float64)
    table = table.reshape(len(table), -1)
    seeds, tasks = table.shape
    rows = np.random.default_rng(seed).integers(seeds, size=(resamples, seeds, tasks))
    means = _middle(table[rows, np.arange(tasks)].reshape(resamples, -1))
    low, high = np.quantile(means, ((1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2))
    value = interquartile_mean(table)
    return Estimate(value, min(float(low), value), max(float(high), value))


def over_seeds(scores: Sequence[Estimate]) -> Estimate:
    """Return the score of several seeds: see `over_seeds_text`.

    Seeds that all have the same score say nothing of its spread; the interval is then that over their deals.

    Args:
        scores: of each seed, with the interval over its own deals.
    """
    if len(scores) == 1:
        return scores[0]
    values = [one.value for one in scores]
    if min(values) == max(values):
        return Estimate(values[0], min(one.low for one in scores), max(one.high for one in scores))
    if len(scores) < _LEAST:
        return Estimate(float(np.mean(values)), min(values), max(values))
    return stratified_bootstrap(values)


def over_seeds_text(seeds: int) -> str:
    """Return the meaning of a score of so many seeds and of the two ends beside it."""
    if seeds == 1:
        return "score of one seed, 95 % interval over deals"
    if seeds < _LEAST:
        return "mean of two seeds, from the lower one to the higher one"
    return f"interquartile mean of {seeds} seeds, 95 % interval of a stratified bootstrap"


def _middle(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean of the middle half of each row."""
    n = scores.shape[1]
    cut = n // 4
    return np.sort(scores, axis=1)[:, cut : n - cut].mean(axis=1)
