import math

import numpy as np
import pytest

from kozyr.envs.core.rng import GENERATOR, below, bits, generators, shuffle, spread, unit
from kozyr.envs.loops import tables

KNOWN = [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821]
DRAWS = 20_000


def generator(seed: int):
    made = np.zeros(1, GENERATOR)
    made[0].rng = seed
    return made


def unlikely(counts, expected: float) -> float:
    """Return by how many standard deviations the chi-square statistic of counts lies above its mean."""
    freedom = len(counts) - 1
    return (((np.asarray(counts) - expected) ** 2 / expected).sum() - freedom) / math.sqrt(2 * freedom)


def test_bits_are_those_of_splitmix64() -> None:
    g = generator(1234567)
    assert [int(bits(g[0])) for _ in KNOWN] == KNOWN


@pytest.mark.parametrize("n", [1, 2, 3, 10, 36, 225])
def test_below_draws_every_number_equally_often(n: int) -> None:
    g = generator(n)
    counts = np.bincount([int(below(g[0], n)) for _ in range(DRAWS)], minlength=n)
    assert len(counts) == n
    assert n == 1 or unlikely(counts, DRAWS / n) < 5


def test_below_holds_for_wide_ranges() -> None:
    g, n = generator(3), 2**31
    drawn = [int(below(g[0], n)) for _ in range(1000)]
    assert min(drawn) >= 0
    assert max(drawn) < n
    assert abs(np.mean(drawn) / n - 0.5) < 0.05


def test_unit_lies_in_its_interval() -> None:
    g = generator(4)
    drawn = [float(unit(g[0])) for _ in range(DRAWS)]
    assert min(drawn) >= 0
    assert max(drawn) < 1
    assert unlikely(np.histogram(drawn, 20, (0, 1))[0], DRAWS / 20) < 5


def test_shuffle_makes_every_order_equally_often() -> None:
    g, counts = generator(5), {}
    for _ in range(DRAWS // 4):
        items = np.arange(6, dtype=np.int8)
        shuffle(g[0], items, 4)
        assert items[4:].tolist() == [4, 5]
        counts[tuple(items[:4].tolist())] = counts.get(tuple(items[:4].tolist()), 0) + 1
    assert len(counts) == 24
    assert unlikely(list(counts.values()), DRAWS / 4 / 24) < 5


@pytest.mark.parametrize(
    "legal",
    [[7], [0], [224], [0, 224], [3, 100, 101, 222], list(range(0, 225, 2)), list(range(225)), list(range(16, 32))],
    ids=len,
)
def test_random_actions_are_equally_likely(legal: list[int]) -> None:
    masks = np.zeros((DRAWS, 225), np.int8)
    masks[:, legal] = 1
    actions = np.zeros(DRAWS, np.int64)
    tables.random_actions(masks, generator(6), actions)
    counts = np.bincount(actions, minlength=225)
    assert counts[legal].sum() == DRAWS
    assert len(legal) == 1 or unlikely(counts[legal], DRAWS / len(legal)) < 5


def test_generators_share_a_seed_and_nothing_else() -> None:
    assert generators(3, 5)[:2].tobytes() == generators(3, 2).tobytes()
    made = np.concatenate([generators(seed, 100) for seed in range(100)])
    assert len(set(made["rng"].tolist())) == 10_000
    assert (made["seed"] == made["rng"]).all()


def test_spread_gives_seeds() -> None:
    seeds = [int(spread(seed, i)) for seed in (0, 1, 2**63 - 1) for i in range(1000)]
    assert len(set(seeds)) == 3000
    assert all(0 <= seed < 2**63 for seed in seeds)
