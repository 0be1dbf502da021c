"""Beliefs about hidden cards against a slow oracle, which plays every deal of a small variant again."""

from collections.abc import Iterator
from itertools import combinations, permutations, product
from math import comb, prod
from typing import Any

import numpy as np
import pytest

from kozyr import agents, envs
from kozyr.agents.search.belief import Belief, likely
from kozyr.agents.search.history_sampling import History, Past
from kozyr.envs.core.state import OVER
from kozyr.envs.durak.rules import STOCK
from kozyr.envs.loops.tables import deal_one, legal_all, look, step_one
from tests.games.durak_places import cards, word

PARTICLES, DEEPEST = 2000, 14  # plies
Hands = dict[bytes, float]  # the chance of each way in which the others hold their cards


def durak_deals(v: Any, root: Any) -> Iterator[tuple[Any, float]]:
    """Give every deal in which the first seat has its cards, and in how many ways it comes."""
    unseen = cards(root["cards"][0, 1] | root["cards"][0, STOCK])
    for hand in combinations(unseen, int(root["count"][0, 1])):
        rest = [card for card in unseen if card not in hand]
        for order in permutations(rest):
            deal = root.copy()
            deal["cards"][0, 1], deal["cards"][0, STOCK] = word(hand), word(rest)
            deal["stock"][0, root["drawn"][0] : v.deck] = order
            yield deal, 1.0


def daifugo_deals(v: Any, root: Any) -> Iterator[tuple[Any, float]]:
    """Give every split of the cards that the first of three seats has not, and in how many ways it comes."""
    pool = root["hand"][0, 1] + root["hand"][0, 2]
    for part in product(*(range(n + 1) for n in pool)):
        if sum(part) == root["count"][0, 1]:
            deal = root.copy()
            deal["hand"][0, 1], deal["hand"][0, 2] = part, pool - part
            yield deal, float(prod(comb(int(n), k) for n, k in zip(pool, part, strict=True)))


def durak_hands(state: Any) -> bytes:
    """Return the other hand."""
    return state["cards"][1].tobytes()


def daifugo_hands(state: Any) -> bytes:
    """Return the other hands."""
    return state["hand"][1:3].tobytes()


GAMES: list[tuple[str, dict[str, Any], Any, Any]] = [
    ("durak", {"deck": 12, "hand": 4}, durak_deals, durak_hands),
    ("durak", {"deck": 12, "hand": 4, "open_trump": True, "pile_on": True}, durak_deals, durak_hands),
    ("daifugo", {"players": 3, "ranks": 4, "joker": False}, daifugo_deals, daifugo_hands),
]


def games(it: Any, v: Any, known: Any, seeds: int) -> Iterator[tuple[Any, Past]]:
    """Give the deal of each of some games, as the first seat sees it, and what that seat has seen of it so far."""
    (view, mine), mask = np.zeros((2, it.size(v)), it.view_dtype), np.zeros(it.actions(v), np.int8)
    for seed in range(seeds):
        state: Any = np.zeros(1, it.layout(v))
        turn, deal = deal_one(v, state, seed, -1, view, mask), state.copy()
        look(v, state, 0, mine)
        history = History(mine.copy())
        while turn != OVER and history.plies < DEEPEST:
            if turn == 0 and mask.sum() > 1 and history.plies > 1:
                yield deal, history.past
            action, actor = int(known.act(view, mask)), turn
            turn = step_one(v, state, action, view, mask)
            look(v, state, 0, mine)
            history.add(actor, action, mine.copy())


def chance(it: Any, v: Any, known: Any, deal: Any, past: Past) -> float:
    """Return the probability that the others would have acted as they did; 0 where the seat had seen something else.

    `deal` [1] is played on to the present.
    """
    view, mask, likelihood = np.zeros(it.size(v), it.view_dtype), np.zeros((1, it.actions(v)), np.int8), 1.0
    for t, action in enumerate(past.actions):
        legal_all(v, deal, mask)
        if deal["turn"][0] != past.seats[t] or not mask[0, action]:
            return 0.0
        if past.seats[t] and mask.sum() > 1:
            look(v, deal, int(past.seats[t]), view)
            likelihood *= float(likely(known, view[None], mask)[0, action])
        step_one(v, deal, int(action), view, mask[0])
        look(v, deal, 0, view)
        if (view != past.views[t + 1]).any():
            return 0.0
    return likelihood


def posterior(it: Any, v: Any, known: Any, deals: Any, hands: Any, root: Any, past: Past) -> Hands:
    """Return how likely the others' hands are now, from all deals."""
    found = Hands()
    for deal, ways in deals(v, root):
        if likelihood := chance(it, v, known, deal, past):
            key = hands(deal[0])
            found[key] = found.get(key, 0.0) + ways * likelihood
    total = sum(found.values())
    return {key: x / total for key, x in found.items()}


def believed(belief: Belief, past: Past, hands: Any) -> Hands:
    """Return how likely a belief holds the others' hands."""
    found, states = Hands(), belief.worlds(past)
    for state, weight in zip(states, belief.weights, strict=True):
        found[hands(state)] = found.get(hands(state), 0.0) + float(weight)
    return found


def distance(one: Hands, other: Hands) -> float:
    """Return the total variation distance of two distributions."""
    return sum(abs(one.get(key, 0.0) - other.get(key, 0.0)) for key in one.keys() | other.keys()) / 2


@pytest.mark.parametrize(("game", "options", "deals", "hands"), GAMES)
@pytest.mark.parametrize("player", ["random", "heuristic"])
def test_weights_are_the_posterior_of_all_deals(game, options, deals, hands, player):
    known = agents.load(f"{game}:{player}", **options)
    agents.load(f"{game}:pimc", **options)  # loads what the game says about its worlds
    it, v = envs.game(game), known.variant
    belief, off = Belief(it, v, known, PARTICLES), list[float]()
    for seed, (root, past) in enumerate(games(it, v, known, 4)):
        belief.reset(seed)
        expected = posterior(it, v, known, deals, hands, root, past)
        off.append(distance(believed(belief, past, hands), expected))
    assert len(off) > 5
    assert max(off) < 0.08  # 2,000 exact draws are up to 0.04 off
    assert np.mean(off) < 0.04
