"""Triples that circle: counted as by hand, and no more by luck than a simulation says."""

from itertools import combinations
from typing import Any

import numpy as np
import pytest

from tests.benchmarks.cycles import circling, triples


def pairs(lead: Any, half: float) -> list[list[float]]:
    """Return results of a table of leads, with intervals as wide as told on each side."""
    n = len(lead)
    return [[i, j, s := 0.5 + lead[i][j], s - half, s + half] for i, j in combinations(range(n), 2)]


def test_stone_scissors_and_paper_circle() -> None:
    one = triples(pairs([[0, 0.2, -0.2], [-0.2, 0, 0.2], [0.2, -0.2, 0]], 0.05))
    assert one.total == one.sure == one.share == 1
    assert one.chance.value == pytest.approx(0.25, abs=0.03)  # of three equal ones luck lets two of eight tables circle


def test_players_in_a_row_do_not_circle() -> None:
    strength = np.arange(8) / 20
    one = triples(pairs(strength[:, None] - strength[None], 0.02))
    assert (one.share, one.sure) == (0, 0)
    assert one.chance.value < 0.02
    assert one.total == 56


def test_only_what_its_intervals_say_is_sure() -> None:
    one = triples(pairs([[0, 0.02, -0.2], [-0.02, 0, 0.2], [0.2, -0.2, 0]], 0.05))
    assert (one.share, one.sure) == (1, 0)


def test_by_luck_alone_the_measured_share_lies_where_the_simulation_says() -> None:
    rng, strength, half, inside = np.random.default_rng(5), np.linspace(0, 0.1, 8), 0.05, 0
    for _ in range(40):
        noise = np.triu(rng.normal(size=(8, 8)) * half / 1.96, 1)
        one = triples(pairs(strength[:, None] - strength[None] + noise - noise.T, half))
        inside += one.share <= one.chance.high
    assert inside >= 36


def test_many_tables_are_counted_at_once() -> None:
    tables = np.random.default_rng(1).random((5, 6, 6))
    better = tables > tables.transpose(0, 2, 1)
    assert circling(better).tolist() == [int(circling(one)) for one in better]
