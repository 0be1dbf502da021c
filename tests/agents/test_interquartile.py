"""Interquartile means and their intervals: known values, rliable's definition, and a slow bootstrap."""

import random
from itertools import product
from statistics import mean

import numpy as np
import pytest
from scipy import stats

from kozyr.agents.statistics.estimate import Estimate
from kozyr.agents.statistics.interquartile import (
    interquartile_mean,
    over_seeds,
    over_seeds_text,
    stratified_bootstrap,
)


@pytest.mark.parametrize(
    ("scores", "middle"),
    [
        ([0.3], 0.3),
        ([0.2, 0.4], 0.3),
        ([0.0, 0.3, 0.9], 0.4),  # a quarter of three is none
        ([0.0, 0.4, 0.6, 5.0], 0.5),
        ([9.0, 0.4, 0.5, 0.6, -7.0], 0.5),
        ([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 800.0], 4.5),
        ([[0.0, 0.4], [0.6, 5.0]], 0.5),  # tasks are pooled
    ],
)
def test_the_middle_half_counts(scores: list[float], middle: float) -> None:
    assert interquartile_mean(scores) == pytest.approx(middle)


@pytest.mark.parametrize("shape", [(n, tasks) for n in range(1, 14) for tasks in (1, 2, 3)])
def test_the_mean_is_that_of_rliable(shape: tuple[int, int]) -> None:
    scores = np.random.default_rng(shape).random(shape)
    assert interquartile_mean(scores) == pytest.approx(stats.trim_mean(scores.ravel(), proportiontocut=0.25))


def slow_middle(scores: list[float]) -> float:
    """Return the mean of what is left after a quarter was struck at either end, one by one."""
    left = sorted(scores)
    for _ in range(len(scores) // 4):
        left.remove(min(left))
        left.remove(max(left))
    return mean(left)


def share_below(means: list[float], end: float) -> float:
    return sum(one <= end + 1e-12 for one in means) / len(means)


def test_the_ends_are_those_of_all_resamples() -> None:
    scores = [0.1, 0.35, 0.5, 0.55, 0.9]
    means = [slow_middle(list(drawn)) for drawn in product(scores, repeat=5)]  # each as likely as the others
    value, low, high = stratified_bootstrap(scores, resamples=100_000)
    assert value == pytest.approx(slow_middle(scores))
    assert share_below(means, low - 0.02) < 0.025 <= share_below(means, low + 0.02)
    assert share_below(means, high - 0.02) < 0.975 <= share_below(means, high + 0.02)


def test_each_task_is_drawn_by_itself() -> None:
    scores = [[0.0, 1.0], [0.1, 0.9], [0.3, 0.6], [0.35, 0.8]]  # a seed that is good at one task is bad at the other
    rng, tasks = random.Random(1), list(zip(*scores, strict=True))
    means = [slow_middle([rng.choice(task) for task in tasks for _ in scores]) for _ in range(20_000)]
    low, high = np.quantile(means, (0.025, 0.975))
    drawn = stratified_bootstrap(scores)
    assert drawn.low == pytest.approx(low, abs=0.01)
    assert drawn.high == pytest.approx(high, abs=0.01)
    assert drawn.value == pytest.approx(slow_middle([one for row in scores for one in row]))


def test_equal_scores_have_no_width_and_the_same_scores_the_same_interval() -> None:
    assert stratified_bootstrap([0.4] * 6) == pytest.approx((0.4, 0.4, 0.4))
    scores = np.random.default_rng(2).random(6)
    assert stratified_bootstrap(scores) == stratified_bootstrap(scores)
    low, high = stratified_bootstrap(scores)[1:]
    assert scores.min() <= low <= interquartile_mean(scores) <= high <= scores.max()


def test_few_seeds_have_what_can_be_said_of_them() -> None:
    one, other = Estimate(0.5, 0.4, 0.7), Estimate(0.7, 0.6, 0.8)
    assert over_seeds([one]) == one
    assert "one seed" in over_seeds_text(1)
    assert over_seeds([one, other]) == pytest.approx((0.6, 0.5, 0.7))
    assert "two seeds" in over_seeds_text(2)
    assert over_seeds([one, other, one]) == stratified_bootstrap([0.5, 0.7, 0.5])
    assert over_seeds_text(3).startswith("interquartile mean of 3 seeds")


def test_equal_seeds_have_the_interval_of_their_deals() -> None:
    equal = [Estimate(0.5, 0.49, 0.52), Estimate(0.5, 0.48, 0.51), Estimate(0.5, 0.49, 0.51)]
    assert over_seeds(equal) == Estimate(0.5, 0.48, 0.52)
    assert over_seeds(equal[:2]) == Estimate(0.5, 0.48, 0.52)


def test_the_coverage_of_few_seeds_is_as_it_is_told() -> None:
    rng = np.random.default_rng(3)
    held = [stratified_bootstrap(rng.normal(size=5), 500) for _ in range(1000)]
    assert 0.85 <= mean(one.low <= 0 <= one.high for one in held) <= 0.93
