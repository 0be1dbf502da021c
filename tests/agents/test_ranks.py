"""Ranks: the points of the bundled agents agree with the stored matches of the same agents, as the ladders' are."""

import pytest

from kozyr.agents.statistics.estimate import Estimate
from tests.benchmarks.ranks import Pair, pairs

KNOWN = {("draw_poker_4", "policy", "pimc")}  # docs/benchmark/ranks.md says why
PAIRS = list(pairs())


def test_enough_pairs_are_compared_in_every_game() -> None:
    assert len(PAIRS) >= 20
    assert {one.task.split("_")[0] for one in PAIRS} == {"durak", "draw", "daifugo", "mnk", "war"}


@pytest.mark.parametrize("one", PAIRS, ids=lambda one: f"{one.task}-{one.first}-{one.second}")
def test_who_wins_the_match_has_more_points(one: Pair) -> None:
    differs = (one.task, one.first, one.second) in KNOWN
    assert (one.verdict == "disagree") == differs, one


def test_intervals_that_overlap_say_nothing() -> None:
    points = Estimate(10, 5, 15), Estimate(20, 14, 26)
    pair = Pair("war_52", "a", "b", Estimate(60, 55, 65), points)
    assert (pair.by_match, pair.by_points, pair.verdict) == (1, 0, "not apart")
    assert pair._replace(match=Estimate(45, 40, 49)).by_match == -1
    apart = pair._replace(points=(Estimate(10, 5, 13), Estimate(20, 14, 26)))
    assert (apart.by_points, apart.verdict) == (-1, "disagree")
    assert apart._replace(match=Estimate(45, 40, 49)).verdict == "agree"
