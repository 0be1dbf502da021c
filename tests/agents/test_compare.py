"""The sequential test of two agents: its ratio, its verdicts, and what it does not depend on."""

from math import log

import numpy as np
import pytest

from kozyr.agents.arena.compare import compare, elo_of, expected, likelihood
from kozyr.agents.arena.league import League


def test_the_likelihood_ratio_is_that_of_normal_scores():
    scores = np.random.default_rng(1).normal(0.53, 0.2, 400)
    s0, s1, deviation = expected(0), expected(30), scores.std()

    def density(mean):
        return float((-0.5 * ((scores - mean) / deviation) ** 2).sum())

    assert likelihood(scores, 0, 30) == pytest.approx(density(s1) - density(s0))
    assert elo_of(expected(123)) == pytest.approx(123)
    assert expected(400) == pytest.approx(10 / 11)


@pytest.mark.parametrize(("names", "verdict"), [(("low", "passive"), "better"), (("passive", "low"), "not better")])
def test_the_stronger_agent_is_found_soon(names, verdict):
    league = League("durak", names, 2_000, variant={"deck": 20})
    *before, last = compare(league, 0, 50)
    assert last.verdict == verdict
    assert last.deals < 1_000
    assert all(one.verdict == "open" for one in before)
    assert last.low == pytest.approx(log(0.05 / 0.95))


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
