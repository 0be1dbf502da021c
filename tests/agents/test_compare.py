"""The sequential test of two agents: its ratio, its verdicts, and what it does not depend on."""

from math import log

import numpy as np
import pytest

from kozyr.agents.arena.tournaments.compare import compare, elo_of, expected
from kozyr.agents.arena.tournaments.league import League
from kozyr.agents.statistics.sequential import log_likelihood_ratio
from tests.benchmarks import coverage


def test_the_likelihood_ratio_is_that_of_a_coin_where_deals_are_won_or_lost():
    scores = np.array([1.0] * 130 + [0.0] * 70)
    s0, s1 = expected(0), expected(30)
    exact = 130 * log(s1 / s0) + 70 * log((1 - s1) / (1 - s0))
    assert log_likelihood_ratio(scores, 0, 30) == pytest.approx(exact, abs=0.01)
    assert elo_of(expected(123)) == pytest.approx(123)
    assert expected(400) == pytest.approx(10 / 11)


def test_of_many_scores_it_is_the_ratio_of_normal_ones():
    scores = np.clip(np.random.default_rng(1).normal(0.51, 0.1, 4000), 0, 1)
    s0, s1 = expected(0), expected(5)
    normal = len(scores) * (s1 - s0) * (scores.mean() - (s0 + s1) / 2) / scores.var()
    assert log_likelihood_ratio(scores, 0, 5) == pytest.approx(normal, rel=0.05)


def test_deals_that_are_all_split_speak_for_equality():
    assert log_likelihood_ratio(np.full(400, 0.5), 0, 10) < -2


@pytest.mark.parametrize(("split", "draws", "elo1"), [(0.5, 0.0, 50), (0.9, 0.0, 20), (0.98, 0.0, 5)])
def test_errors_are_as_asked_and_intervals_hold_after_stopping(split, draws, elo1):
    null, other = (coverage.comparisons(split, draws, elo1, truth, 200) for truth in (0.0, elo1))
    for one in (null, other):
        assert one.wrong < 0.05 + 0.01 + 3 * (0.05 * 0.95 / 200) ** 0.5
        assert one.held > 0.95 - 3 * (0.05 * 0.95 / 200) ** 0.5


@pytest.mark.parametrize(("names", "verdict"), [(("low", "passive"), "better"), (("passive", "low"), "not better")])
def test_the_stronger_agent_is_found_soon(names, verdict):
    league = League("durak", names, 2_000, variant={"deck": 20})
    *before, last = compare(league, 0, 50)
    assert last.verdict == verdict
    assert last.deals < 1_000
    assert all(one.verdict == "open" for one in before)
    assert log(0.05 / 0.95) < last.low < 0 < last.high < log(0.95 / 0.05)


def test_equals_stay_open_until_the_deals_are_out():
    *_, last = compare(League("mnk", ["random", "easy"], 220, opening=0, variant={"m": 2, "n": 2, "k": 2}), -1, 1)
    assert (last.deals, last.verdict) == (220, "open")


def test_workers_change_nothing_in_a_comparison(tmp_path):
    one, two = (League("durak", ["low", "passive"], 400, variant={"deck": 20}) for _ in range(2))
    assert list(compare(one, 0, 50)) == list(compare(two, 0, 50, workers=3))
    assert len(one.store.known) < len(two.store.known)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"elo0": 5, "elo1": 5}, "elo0=5 must be below elo1=5"),
        ({"alpha": 0}, "alpha=0 is not allowed"),
        ({"beta": 0.5}, "beta=0.5 is not allowed"),
    ],
)
def test_hypotheses_that_are_none_are_refused(given, words):
    with pytest.raises(ValueError, match=words):
        next(compare(League("durak", ["low", "random"], 10), **given))
