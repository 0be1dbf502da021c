"""Hidden cards are imagined uniformly: counts against a full list of the deals that fit what a seat knows."""

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice, product
from math import comb, prod, sqrt
from typing import Any

import numpy as np
import pytest

from kozyr.envs.compile import jit
from kozyr.envs.core import dispatch
from kozyr.envs.core.dispatch import imagine
from kozyr.envs.core.state import OVER
from kozyr.envs.daifugo import GAME
from kozyr.envs.daifugo.variant import JOKER

Hands = dict[tuple[tuple[int, ...], ...], int]

DRAWN = 4000
TABLES = 6
WIDE = 5.5  # standard errors

PLAIN = {"players": 3, "ranks": 2}
EXCHANGED = {"players": 4, "ranks": 3, "rounds": 3, "exchange": True}
DETHRONED = {"players": 4, "ranks": 3, "rounds": 3, "exchange": True, "dethrone": True, "revolution": True}


def states(v: Any) -> Iterator[Any]:
    """Give the states of random games, one after the other."""
    s, mask, rng = np.zeros(1, GAME.state)[0], np.zeros(GAME.actions(v), np.int8), np.random.default_rng(1)
    for seed in range(1000):
        dispatch.start(v, s, seed, -1)
        while s.turn != OVER:
            yield s.copy()
            dispatch.legal(v, s, mask)
            dispatch.play(v, s, int(rng.choice(np.flatnonzero(mask))))


def in_exchange(v: Any, s: Any) -> bool:
    """Tell whether cards are being given back."""
    return s.gives > 0


def restricted(v: Any, s: Any) -> bool:
    """Tell whether two hands that gave their best are still in play."""
    return s.gives == 0 and sum(s.top[k] < JOKER and s.count[k] > 1 for k in range(v.players)) > 1


def dropped(v: Any, s: Any) -> bool:
    """Tell whether a dethroned seat keeps cards."""
    return any(s.place[k] == v.players - 1 and s.count[k] > 0 for k in range(v.players))


def anything(v: Any, s: Any) -> bool:
    """Take every state."""
    return True


def ways(v: Any, s: Any, seat: int) -> Hands:
    """Return how many deals of single cards give each possible set of hands, clockwise from `seat`."""
    others = [(seat + j) % v.players for j in range(1, v.players)]
    pool = [0] * (JOKER + 1)
    for k in others:
        for r in range(JOKER + 1):
            pool[r] += int(s.hand[k][r]) - int(s.known[k][r])
    own = tuple(int(n) for n in s.hand[seat])
    return {(own, *hands): number for hands, number in deals(s, others, tuple(pool))}


def deals(s: Any, others: list[int], pool: tuple[int, ...]) -> Iterator[tuple[tuple[tuple[int, ...], ...], int]]:
    """Give every way to deal the pool to the other seats, and in how many ways single cards make it."""
    if not others:
        yield (), 1
        return
    k = others[0]
    hidden = int(s.count[k]) - int(s.known[k].sum())
    for part in product(*(range((n if r <= s.top[k] else 0) + 1) for r, n in enumerate(pool))):
        if sum(part) == hidden:
            number = prod(map(comb, pool, part))
            rest = tuple(n - m for n, m in zip(pool, part, strict=True))
            hand = tuple(int(n) + m for n, m in zip(s.known[k], part, strict=True))
            for hands, more in deals(s, others[1:], rest):
                yield (hand, *hands), number * more


@jit
def imagine_all(v: Any, view: Any, states: Any) -> None:
    for seed in range(len(states)):
        imagine(v, view, seed, states[seed])


def imagined(v: Any, s: Any, seat: int) -> Hands:
    """Count the hands of many imagined states."""
    view, guesses = np.zeros(GAME.size(v), GAME.view_dtype), np.zeros(DRAWN, GAME.state)
    dispatch.observe(v, s, seat, view)
    imagine_all(v, view, guesses)
    return Counter(tuple(map(tuple, hands)) for hands in guesses["hand"][:, : v.players].tolist())


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        (PLAIN, anything),
        ({**PLAIN, "history": True}, anything),
        (EXCHANGED, in_exchange),
        (EXCHANGED, restricted),
        (DETHRONED, restricted),
        (DETHRONED, dropped),
    ],
)
def test_every_deal_that_fits_the_view_comes_equally_often(
    options: dict[str, Any], wanted: Callable[[Any, Any], bool]
) -> None:
    v = GAME.make_variant(**options)
    chosen = (s for s in states(v) if wanted(v, s) and 4 <= len(ways(v, s, int(s.turn))) <= 80)
    for s in islice(chosen, 0, 3 * TABLES, 3):
        compare(ways(v, s, int(s.turn)), imagined(v, s, int(s.turn)))


def compare(possible: Hands, found: Hands) -> None:
    """Expect every possible set of hands about as often as it should come, and no other."""
    assert set(found) <= set(possible)
    total = sum(possible.values())
    for hands, number in possible.items():
        chance = number / total
        error = sqrt(DRAWN * chance * (1 - chance))
        assert abs(found.get(hands, 0) - DRAWN * chance) <= WIDE * max(error, 1)


def test_the_list_of_deals_is_exact_where_it_is_known() -> None:
    two, three = GAME.make_variant(players=2, ranks=2), GAME.make_variant(**PLAIN)
    assert sum(ways(two, next(states(two)), 0).values()) == 1
    assert sum(ways(three, next(states(three)), 0).values()) == comb(6, 3)
