"""Intervals of means: what they hold, how wide they are, and how they are written."""

from math import inf

import numpy as np
import pytest

from kozyr.agents.arena import match
from kozyr.agents.statistics.estimate import Estimate
from kozyr.agents.statistics.intervals import (
    UNBOUNDED,
    combined,
    design_effect,
    mean_interval,
    over_deals,
    wilson,
)
from tests.benchmarks import coverage


def test_wilsons_interval_holds_its_mean_and_narrows() -> None:
    for games in (1, 2, 10, 1000):
        for won in {0, games // 3, games // 2, games}:
            low, high = wilson(won / games, games)
            assert 0 <= low <= won / games <= high <= 1


def test_wilsons_interval_is_as_the_table_says() -> None:
    # Brown, Cai and DasGupta (2001), table of Wilson's interval: 0 of 10 gives 0 to 0.278
    assert wilson(0.0, 10)[1] == pytest.approx(0.2775, abs=1e-4)
    low, high = wilson(0.5, 1000)
    assert high - low < 0.07


@pytest.mark.parametrize("value", [-1.0, -0.5, 0.0, 0.25, 1.0])
@pytest.mark.parametrize("deals", [2, 10, 1000])
def test_equal_deals_leave_an_interval_with_width(value: float, deals: int) -> None:
    found = mean_interval([value] * deals)
    assert -1 <= found.low <= value <= found.high <= 1
    assert found.half > 0.5 / deals
    assert found.half < 1


def test_all_won_is_wilsons_interval() -> None:
    many = 100_000  # where Student's t is the normal law
    assert mean_interval([1.0] * many).score.low == pytest.approx(wilson(1.0, many)[0], abs=1e-8)
    assert mean_interval([-1.0] * many).score.high == pytest.approx(wilson(0.0, many)[1], abs=1e-8)


def test_of_many_deals_it_is_the_normal_interval() -> None:
    values = np.random.default_rng(1).choice([-1.0, -0.5, 0.0, 0.5, 1.0], 50_000)
    found = mean_interval(values)
    half = 1.96 * values.std() / len(values) ** 0.5
    assert found.sides == pytest.approx((half, half), rel=0.01)


def test_one_deal_says_nothing() -> None:
    assert mean_interval([0.5])[1:] == (-1.0, 1.0)
    assert mean_interval([0.5], UNBOUNDED)[1:] == (-inf, inf)
    assert match("mnk", ["easy", "random"], 1, m=3, n=3, k=3).agents[0].interval == (-1.0, 1.0)


def test_who_wins_all_deals_of_a_match_may_still_lose_one() -> None:
    for deals in (2, 10):
        first, other = match("mnk", ["hard", "random"], deals, seed=1).agents
        assert first.score == 1.0
        assert first.score_interval[0] < wilson(1.0, deals)[0] < first.score_interval[1] == 1.0
        assert other.score_interval == pytest.approx((0.0, 1 - first.score_interval[0]))


def test_design_effects_of_games_that_end_alike_and_of_independent_ones() -> None:
    rng = np.random.default_rng(2)
    alike, games = rng.choice([-1.0, 1.0], 4000), rng.choice([-1.0, 1.0], (4000, 2))
    assert design_effect(alike) == pytest.approx(1, abs=0.01)
    assert design_effect(games.mean(1)) == pytest.approx(0.5, abs=0.03)


def test_parts_are_combined_by_their_weights() -> None:
    found = combined([Estimate(0.5, 0.4, 0.7), Estimate(0.9, 0.8, 0.95)], [3, 1])
    assert found.value == pytest.approx(0.6)
    assert found.sides == pytest.approx((np.hypot(0.075, 0.025), np.hypot(0.15, 0.0125)))


def test_pairings_that_share_their_luck_are_not_independent() -> None:
    row = np.random.default_rng(3).choice([-1.0, 1.0], 200)
    assert over_deals([row, row, row]) == pytest.approx(mean_interval(row))
    assert over_deals([row, row[:100]]).half < mean_interval(row).half


@pytest.mark.parametrize(
    ("estimate", "written"),
    [
        (Estimate(77.0, 76.1, 77.9), "77.0 ± 0.9"),
        (Estimate(77.0, 76.04, 77.9), "77.0 ± 1.0"),
        (Estimate(99.4, 98.1, 99.8), "99.4 (98.1 … 99.8)"),
        (Estimate(100.0, 96.4, 100.0), "100.0 (96.4 … 100.0)"),
        (Estimate(100.0, 99.98, 100.0), "100.00 (99.98 … 100.00)"),
        (Estimate(50.0, 49.99, 50.01), "50.00 ± 0.01"),
        (Estimate(250.0, 180.0, inf), "250.0 (180.0 … ∞)"),
        (Estimate(-3.0, -inf, inf), "-3.0 (−∞ … ∞)"),
    ],
)
def test_an_interval_is_written_with_its_width(estimate: Estimate, written: str) -> None:
    assert estimate.text() == written
    assert "± 0.0" not in estimate.text().split()


@pytest.mark.parametrize("one", [*coverage.scores(), *coverage.chips(5000)], ids=lambda one: one.name.replace(" ", "-"))
def test_intervals_hold_the_truth_as_often_as_they_say(one: coverage.Population) -> None:
    runs = 400
    error = 3.5 * (0.95 * 0.05 / runs) ** 0.5  # so that no seed is lucky
    for (held, _), n in zip(coverage.coverage(one, runs, (5, 10, 30, 100)), (5, 10, 30, 100), strict=True):
        assert held > (0.90 if n == 5 else 0.935) - error


def test_long_tails_that_bounds_allow_widen_few_deals_only() -> None:
    few, tail = (
        [0.0, 0.01, 0.02, 0.03, 0.2],
        [0.0, 0.1, 0.2, 0.3, 1.0],
    )  # the same shape; the second one ends at the bound
    far, near = (mean_interval(values) for values in (few, tail))
    assert far.sides[1] / few[-1] > 1.5 * near.sides[1]
    assert far.sides[1] > 3 * far.sides[0]
    many = mean_interval(few * 2000)
    assert many.sides[1] == pytest.approx(many.sides[0], rel=0.03)


@pytest.mark.parametrize(("deals", "pairings", "shared"), [(30, 3, 0.5), (100, 9, 0.9)])
def test_means_over_pairings_hold(deals: int, pairings: int, shared: float) -> None:
    assert coverage.league(deals, pairings, shared, 500) > 0.9


@pytest.mark.parametrize(("repeats", "players"), [(2, 4), (3, 4), (3, 8), (10, 4)])
def test_mean_places_of_few_cups_hold(repeats: int, players: int) -> None:
    assert coverage.cups(repeats, players, 400) > 0.9
