"""The figures that `kozyr stats` counts agree with the pages and with the exact odds."""

import numpy as np
import pytest

from kozyr import envs
from kozyr.agents import statistics
from kozyr.agents.statistics.fact import mean, median, share

DEALS = {"war": 20_000, "draw_poker": 60_000, "durak": 20_000}
WIDE = 2.2  # half widths of a 95 % interval: more than four standard errors


@pytest.mark.parametrize("game", envs.games())
def test_figures_agree_with_the_pages(game: str) -> None:
    found = statistics.measure(game, DEALS.get(game, 300), seed=11)
    assert any(fact.expected is not None for fact in found) == (game in DEALS)
    for fact in found:
        if fact.expected is None:
            continue
        rounding = 1.0 if fact.unit in ("turns", "rounds") else 0.05
        published = (fact.high - fact.low) / 2 if game != "draw_poker" else 0.0  # the pages counted games too
        reach = WIDE * (fact.high - fact.low) / 2 + rounding + published
        assert abs(fact.value - fact.expected) <= reach, fact


def test_figures_depend_on_the_seed_only() -> None:
    assert statistics.measure("war", 200, 3) == statistics.measure("war", 200, 3)
    assert statistics.measure("war", 200, 3) != statistics.measure("war", 200, 4)


def test_every_game_tells_who_begins_and_how_long_it_takes() -> None:
    for name in envs.games():
        names = [fact.name for fact in statistics.measure(name, 20)]
        assert "random: return of the seat that begins" in names
        assert "random: length of a game" in names


@pytest.mark.parametrize(
    ("game", "deals", "words"), [("wor", 9, "unknown game"), ("war", 0, "deals=0"), ("war", -1, "d")]
)
def test_bad_input_is_refused_in_words(game: str, deals: int, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        statistics.measure(game, deals)


def test_a_share_has_wilsons_interval() -> None:
    fact = share("", 8, 10)  # Wilson, JASA 22, 1927, worked by hand
    assert (fact.value, fact.low, fact.high) == pytest.approx((80, 49.02, 94.33), abs=0.01)
    assert share("", 0, 10).low == pytest.approx(0)
    with pytest.raises(ValueError, match="take more"):
        share("a thing", 0, 0)


def test_mean_and_median_cover_what_they_estimate() -> None:
    rng = np.random.default_rng(5)
    hits = [0, 0]
    for _ in range(400):
        sample = rng.exponential(1.0, 101)
        for i, (kind, truth) in enumerate(((mean, 1.0), (median, np.log(2)))):
            fact = kind("", sample, "")
            hits[i] += fact.low <= truth <= fact.high
    assert all(360 <= n <= 395 for n in hits), hits
