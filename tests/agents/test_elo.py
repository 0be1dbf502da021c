"""Ratings on Elo's scale and their intervals."""

from math import inf

import numpy as np
import pytest

from kozyr.agents.arena.tournaments.compare import elo_of
from kozyr.agents.statistics.elo import elo_ratings
from kozyr.agents.statistics.intervals import mean_interval
from tests.benchmarks import coverage


def test_a_clean_sweep_has_an_open_end() -> None:
    better, worse = elo_ratings(2, {(0, 1): np.ones(30)})
    assert (better.high, worse.low) == (inf, -inf)
    assert better.low == -worse.high == pytest.approx(elo_of(mean_interval(np.ones(30)).score.low) / 2, abs=0.1)


def test_two_agents_have_the_interval_of_their_score() -> None:
    row = np.random.default_rng(1).choice([0.0, 0.5, 1.0], 200, p=[0.2, 0.3, 0.5])
    first, other = elo_ratings(2, {(0, 1): row})
    score = mean_interval(2 * row - 1).score
    assert (first.low, first.high) == pytest.approx((elo_of(score.low) / 2, elo_of(score.high) / 2))
    assert (other.low, other.high) == pytest.approx((-first.high, -first.low))
    assert first.value == pytest.approx(-other.value)


def test_a_winless_agent_is_only_below_a_number_and_the_others_keep_their_ends() -> None:
    rng = np.random.default_rng(2)
    played = {(i, j): rng.choice([0.0, 0.5, 1.0], 60) for i in range(3) for j in range(i + 1, 3)}
    before = elo_ratings(3, played)
    after = elo_ratings(4, played | {(i, 3): np.ones(60) for i in range(3)})
    assert after[3].low == -inf
    assert after[3].high < min(one.low for one in after[:3])
    for one, other in zip(before, after[:3], strict=True):
        assert (other.low, other.high) == pytest.approx((one.low, one.high), abs=25)
        assert other.low < other.value < other.high
    assert sum(one.value for one in after[:3]) == pytest.approx(0, abs=1e-6)


def test_sweeps_all_the_way_down_leave_the_middle_open_at_both_ends() -> None:
    top, middle, last = elo_ratings(3, {pair: np.ones(20) for pair in ((0, 1), (0, 2), (1, 2))})
    assert (top.high, middle.low, middle.high, last.low) == (inf, -inf, inf, -inf)
    assert top.low > last.high


def test_who_has_met_nobody_is_not_rated() -> None:
    *_, alone = elo_ratings(3, {(0, 1): np.array([0.0, 1.0, 0.5] * 10)})
    assert alone == (0.0, -inf, inf)


@pytest.mark.parametrize(
    ("ratings", "deals"), [([0.0, 0.0], 10), ([700.0, 0.0], 30), ([300.0, 0.0, -300.0], 30), ([0.0] * 4, 100)]
)
def test_ratings_hold_the_truth_as_often_as_they_say(ratings: list[float], deals: int) -> None:
    assert coverage.elo(ratings, deals, 100 if len(ratings) > 2 else 400)[0] > 0.91
