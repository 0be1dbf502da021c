"""Intervals of means: what they hold, how wide they are, and how they are written."""

from itertools import product
from math import inf

import numpy as np
import pytest
from scipy.special import ndtr, stdtrit
from scipy.stats import beta

from kozyr.agents.arena import match
from kozyr.agents.statistics import lattice
from kozyr.agents.statistics.estimate import Estimate
from kozyr.agents.statistics.intervals import (
    QUANTILE,
    UNBOUNDED,
    combined,
    design_effect,
    mean_interval,
    over_deals,
    wilson,
)
from kozyr.agents.statistics.lattice import Counts
from tests.benchmarks import coverage, populations, possible


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


def test_all_won_leaves_what_three_losses_in_a_hundred_would_explain() -> None:
    # with a chance of 3 % nobody loses any of n deals where a share 1 - 0.03 ** (1 / n) of them is lost
    for many in (30, 1000, 100_000):
        lost = 1 - 0.03 ** (1 / many)
        assert 1 - mean_interval([1.0] * many).score.low == pytest.approx(lost, rel=0.05)
        assert mean_interval([-1.0] * many).score.high == pytest.approx(lost, rel=0.05)


def test_a_score_interval_of_all_won_is_wilsons() -> None:
    assert mean_interval([1.0] * 30, quantile=QUANTILE).score.low == pytest.approx(wilson(1.0, 30)[0], abs=1e-8)


@pytest.mark.parametrize(("won", "lost"), [(27, 3), (15, 15), (96, 4), (2, 28)])
def test_of_wins_and_losses_it_is_near_jeffreys_interval(won: int, lost: int) -> None:
    chance = float(ndtr(-stdtrit(won + lost - 1, 0.975)))
    law = beta(won + 0.5, lost + 0.5)
    ends = lattice.ends(Counts(np.array([-1.0, 1.0]), np.array([lost, won], float), -1, 1, 2))
    low, high = ((1 + end) / 2 for end in ends)
    assert law.ppf(chance) - 0.02 < low < law.ppf(2 * chance) + 1e-3
    assert law.ppf(1 - 2 * chance) - 1e-3 < high < law.ppf(1 - chance) + 0.02


def test_values_on_no_lattice_keep_the_score_interval() -> None:
    few = [-1.0, 0.5, 0.5, 0.25, 0.0]
    assert mean_interval(few) != mean_interval([*few[:4], 0.0123])
    assert lattice.counts_of(np.array([0.0123, 0.5]), (-1, 1)) is None
    assert lattice.counts_of(np.array(few), UNBOUNDED) is None
    found = lattice.counts_of(np.array(few), (-1, 1))
    assert found is not None
    assert found.step == 0.25
    assert found.counts.tolist() == [1, 1, 1, 2]


@pytest.mark.parametrize("won", [0.5, 0.9, 0.99])
def test_both_intervals_meet_where_one_follows_the_other(won: float) -> None:
    rng = np.random.default_rng(4)
    values = (2.0 * (rng.random((60_000, 2)) < won) - 1).mean(1)
    common = np.median(values)
    most = int(np.flatnonzero(np.cumsum(values != common) == 49)[0]) + 1
    before, after = mean_interval(values[:most]), mean_interval([*values[:most], *values[values != common][:1]])
    assert lattice.counts_of(values[:most], (-1, 1))
    assert after.half == pytest.approx(before.half, rel=0.05)


def test_a_deal_that_ends_better_hardly_lowers_an_end() -> None:
    for won, lost in product(range(13), repeat=2):
        if won + lost > 12:
            continue
        row = np.repeat([-1.0, 0.0, 1.0], [lost, 12 - won - lost, won])
        for i in {lost - 1, 11 - won} & set(range(12)):
            better = row.copy()
            better[i] += 1
            if better.max() <= 1:
                pairs = zip(mean_interval(row)[1:], mean_interval(np.sort(better))[1:], strict=True)
                assert all(after > before - 0.05 for before, after in pairs)


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


@pytest.mark.parametrize(
    "one", [*populations.scores(), *populations.chips(5000)], ids=lambda one: one.name.replace(" ", "-")
)
def test_intervals_hold_the_truth_as_often_as_they_say(one: populations.Population) -> None:
    runs = 400
    error = 3.5 * (0.95 * 0.05 / runs) ** 0.5  # so that no seed is lucky
    for cell, n in zip(coverage.coverage(one, runs, (5, 10, 30, 100)), (5, 10, 30, 100), strict=True):
        least = 0.90 if n == 5 else 0.94 if n == 10 and cell.exact else 0.935
        assert cell.held > least - (0 if cell.exact else error)


@pytest.mark.parametrize("deals", [10, 30, 100])
def test_of_all_players_with_wins_and_splits_few_are_held_too_seldom(deals: int) -> None:
    one = coverage.grid(deals, steps=25)
    assert one.players > 300
    assert one.mean > 0.95
    assert one.least > 0.89
    assert one.below < 0.03


ENUMERATED = [
    one for one in populations.scores() if 1 < len(one.law) < 4 or "skill 4" in one.name or "98 % not" in one.name
]


@pytest.mark.parametrize("one", ENUMERATED, ids=lambda one: one.name.replace(" ", "-"))
def test_at_thirty_deals_they_hold_neither_less_nor_more_often_than_possible(one: populations.Population) -> None:
    (cell,) = coverage.coverage(one, 2000, (30,))
    assert cell.exact
    assert cell.held > coverage.BAND[0]
    assert cell.held < coverage.BAND[1] or coverage.impossible(one, 30)


def test_what_is_possible_is_told_by_the_counts_that_can_be_seen() -> None:
    law = np.array([0.25, 0.5, 0.25])
    seen = possible.outcomes(law, 4, rare=1e-12)
    assert seen is not None
    assert len(seen.counts) == 15
    assert seen.chances.sum() == pytest.approx(1)
    assert possible.outcomes(law, 4, rare=1e-12, most=14) is None
    # two values: at most one of them can be missed alone; 1 % lost, 30 deals: none 74.0 %, one 22.4 %, more 3.6 %
    assert possible.least_coverage(np.array([-1.0, 1.0]), np.array([0.01, 0.99]), 30) == pytest.approx(0.964, abs=1e-3)
    assert possible.least_coverage(np.array([1.0]), np.array([1.0]), 30) == 1
    laws = possible.laws_of_mean(np.array([-1.0, 0.0, 1.0]), law)
    assert laws.sum(1) == pytest.approx(1)
    assert laws @ [-1, 0, 1] == pytest.approx(0)


def test_long_tails_that_bounds_allow_widen_few_deals_only() -> None:
    # the same shape; the second one ends at the bound
    few, tail = [0.0, 0.01, 0.02, 0.03, 0.2], [0.0, 0.1, 0.2, 0.3, 1.0]
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


def test_ends_are_plain_floats_as_checkpoints_keep_no_others() -> None:
    for wins in range(31):
        estimate = mean_interval([1.0] * wins + [-1.0] * (30 - wins))
        assert {type(x) for x in estimate} == {float}
