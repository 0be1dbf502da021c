"""The interval of a mean score."""

import pytest

from kozyr.agents.interval import wilson


def test_an_interval_holds_its_mean_and_narrows() -> None:
    for games in (1, 2, 10, 1000):
        for won in {0, games // 3, games // 2, games}:
            low, high = wilson(won / games, games)
            assert 0 <= low <= won / games <= high <= 1


def test_an_interval_is_as_the_table_says() -> None:
    # Brown, Cai and DasGupta (2001), table of Wilson's interval: 0 of 10 gives 0 to 0.278
    assert wilson(0.0, 10)[1] == pytest.approx(0.2775, abs=1e-4)
    low, high = wilson(0.5, 1000)
    assert high - low < 0.07
