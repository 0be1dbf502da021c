"""The compiled draw poker plays as the oracle does, and its chips and cards go where they must."""

import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kozyr.envs.compile import jit
from kozyr.envs.core import dispatch
from kozyr.envs.core.rng import GENERATOR, below
from kozyr.envs.draw_poker import GAME
from kozyr.envs.draw_poker.actions import CALL, FOLD, SUBSETS, Actions
from kozyr.envs.draw_poker.rules import EXCHANGE, show_down
from tests.games.lockstep import Engine, play_both, play_led, seeds
from tests.oracles.draw_poker import NAMES, assert_same, dealt, pots, shares, worth


def small(count: int, seed: int, decks: Sequence[int] = (52,)) -> list[Any]:
    """Return variants with few chips and hands, where somebody is often all in and games are short."""
    rng, found = random.Random(seed), list[Any]()
    for _ in range(count):
        ante = rng.choice([0, 0, 1, 2, 5])
        deck = rng.choice(decks)
        options = {
            "deck": deck,
            "players": rng.randint(2, min(5, deck // 3)),
            "ante": ante,
            "stack": ante + rng.choice([1, 2, 3, 7, 12, 30, 100]),
            "max_bet": rng.choice([1, 2, 4, 10, 20]),
            "ranking": rng.choice(list(NAMES)),
            "episode": rng.choice(["hand", "hand", "tournament"]),
            "max_hands": rng.choice([1, 2, 6, 20]),
            "min_raise": rng.random() < 0.4,
            "max_discards": (most := rng.choice([5, 5, 5, rng.randint(0, 4)])),
        }
        options["four_with_ace"] = deck == 52 and most < 4 and rng.random() < 0.5
        found.append(GAME.make_variant(**options))
    return found


@pytest.mark.parametrize("seed", seeds(5))
def test_random_games_over_random_variants_agree(seed: int) -> None:
    for i, v in enumerate(small(100, seed)):
        play_both(GAME, v, 1000 * seed + i)


@given(v=st.builds(lambda seed: small(1, seed)[0], st.integers(0, 10**6)), seed=st.integers(0, 2**63 - 1))
@settings(max_examples=40, deadline=None)
def test_any_variant_and_any_deal_agree(v: Any, seed: int) -> None:
    play_both(GAME, v, seed)


@pytest.mark.slow
def test_many_random_games_over_random_variants_agree() -> None:
    for i, v in enumerate(small(10_000, seed=99)):
        play_both(GAME, v, i)


@pytest.mark.parametrize(
    "options", [{}, {"players": 3, "stack": 12, "episode": "tournament", "max_hands": 30}], ids=str
)
def test_games_led_by_the_scripted_player_agree(options: dict[str, Any]) -> None:
    from kozyr.agents.agent import Scripted
    from kozyr.agents.draw_poker import LADDER

    v = GAME.make_variant(**options)
    players = [Scripted(GAME, v, level, name) for level, name in enumerate(LADDER)]
    for seed in range(60):
        play_led(GAME, v, seed, players)


def test_the_oracle_notices_a_difference() -> None:
    v = GAME.make_variant()
    with pytest.raises(AssertionError):
        assert_same(Engine(GAME, v, 1), dealt(Engine(GAME, v, 2)))


# ---------------------------------------------------------------------- pots


def expected(paid: list[int], hands: list[list[int]], left: set[int], button: int, ranking: str) -> list[int]:
    """Return what each seat gets, by the oracle's layers."""
    seats, won = len(paid), Counter[int]()
    for chips, contenders in pots(paid, left):
        best = max(worth(hands[seat], ranking) for seat in contenders)
        order = [(button + step) % seats for step in range(1, seats + 1)]
        won.update(shares(chips, [k for k in order if k in contenders and worth(hands[k], ranking) == best]))
    return [won[seat] for seat in range(seats)]


@pytest.mark.parametrize("ranking", [0, 1])
def test_pots_of_random_stacks_go_where_the_oracle_says(ranking: int) -> None:
    rng = random.Random(ranking)
    for _ in range(4000):
        seats = rng.randint(2, 5)
        s = np.zeros(1, GAME.state)[0]
        left = set(rng.sample(range(seats), rng.randint(2, seats)))
        paid = [rng.randint(1, rng.choice([3, 40])) for _ in range(seats)]
        paid = [n if seat in left else min(n, max(paid[k] for k in left)) for seat, n in enumerate(paid)]
        ranks = rng.sample(range(13), 5)  # few ranks, so that many hands are equal
        deck = [13 * suit + rank for rank in ranks for suit in range(4)]
        rng.shuffle(deck)
        same = rng.random() < 0.5
        hands = [
            [13 * ((k + i) % 4) + r for i, r in enumerate(ranks)] if same and k < 4 else deck[:5] for k in range(seats)
        ]
        s.button = rng.randrange(seats)
        s.out[seats:] = 1
        for seat in range(seats):
            s.paid[seat], s.hand[seat], s.folded[seat] = paid[seat], hands[seat], seat not in left
        show_down(s, seats, ranking)
        assert s.chips[:seats].tolist() == expected(paid, hands, left, int(s.button), list(NAMES)[ranking])


@jit
def misplaced(v: Any, s: Any, hands: int, mask: Any, g: Any) -> Any:
    """Play hands at random and count the plies after which chips are missing or a seat owes some."""
    wrong = 0
    for seed in range(hands):
        dispatch.start(v, s, seed, -1)
        while s.turn >= 0:
            dispatch.legal(v, s, mask)
            pick, action = below(g, int(mask.sum())), 0
            while pick > 0 or mask[action] == 0:
                pick -= mask[action]
                action += 1
            dispatch.play(v, s, action)
            chips, least = 0, 0
            for k in range(v.players):
                chips += s.chips[k] + s.paid[k]
                least = min(least, s.chips[k])
            wrong += chips != v.players * v.stack or least < 0
    return wrong


def hands_with_misplaced_chips(hands: int, **options: Any) -> int:
    v, s, g = GAME.make_variant(**options), np.zeros(1, GAME.state)[0], np.zeros(1, GENERATOR)[0]
    return misplaced(v, s, hands, np.zeros(GAME.actions(v), np.int8), g)


@pytest.mark.parametrize(
    "options", [{}, {"players": 5, "stack": 9}, {"players": 3, "stack": 15, "ante": 4, "ranking": "standard"}], ids=str
)
def test_chips_are_conserved_at_every_ply(options: dict[str, Any]) -> None:
    assert hands_with_misplaced_chips(50_000, **options) == 0


@pytest.mark.slow
def test_chips_are_conserved_over_a_million_hands() -> None:
    assert hands_with_misplaced_chips(1_000_000, players=5, stack=14) == 0


# ---------------------------------------------------------------------- cards


def played(v: Any, seed: int, rng: random.Random, hold: dict[int, int]) -> Any:
    """Play a hand without folding; seats in `hold` exchange a subset of their own choice, the others none."""
    engine = Engine(GAME, v, seed, 0)
    while engine.s.turn >= 0:
        seat = int(engine.s.turn)
        exchanges = engine.s.phase == EXCHANGE
        bets = [a for a in engine.legal() if a != FOLD]
        engine.play(Actions(v).discard + hold.get(seat, 0) if exchanges else rng.choice(bets))
    return engine.s


@pytest.mark.parametrize("players", [2, 5])
def test_other_seats_get_the_same_cards_whatever_a_seat_does(players: int) -> None:
    v, rng = GAME.make_variant(players=players), random.Random(players)
    for seed in range(60):
        seat, subset = rng.randrange(1, players), rng.randrange(SUBSETS)
        one = played(v, seed, rng, {seat: subset})
        for mine in (0, 7, 31):
            other = played(v, seed, rng, {0: mine, seat: subset})
            assert (one.hand[1:players] == other.hand[1:players]).all()
            assert (one.discarded[1:players] == other.discarded[1:players]).all()


def chi_square(counts: Any) -> float:
    """Return Pearson's statistic against equal frequencies."""
    counts = np.asarray(counts, float)
    return float(((counts - counts.mean()) ** 2).sum() / counts.mean())


def test_hands_and_replacements_are_uniform() -> None:
    v, deals = GAME.make_variant(players=5), 8000
    s, seen = np.zeros(1, GAME.state)[0], np.zeros((50, 52), np.int64)
    for seed in range(deals):
        dispatch.start(v, s, seed, 0)
        seen[np.arange(50), s.deck[:50]] += 1
    statistics = [chi_square(row) for row in seen]  # 51 degrees of freedom: mean 51, deviation 10.1
    assert max(statistics) < 51 + 6 * 10.1
    assert abs(np.mean(statistics) - 51) < 5 * 10.1 / 50**0.5


def test_the_hand_after_an_exchange_is_as_random_as_a_dealt_one() -> None:
    v, rng, seen = GAME.make_variant(players=2, max_bet=1), random.Random(1), np.zeros(52, np.int64)
    for seed in range(6000):
        for card in played(v, seed, rng, {1: SUBSETS - 1}).hand[1]:
            seen[card] += 1
    assert chi_square(seen) < 51 + 6 * 10.1


def test_later_hands_of_a_tournament_are_uniform_and_differ() -> None:
    v, seen = GAME.make_variant(players=2, stack=1000, episode="tournament", max_hands=400), np.zeros(52, np.int64)
    for seed in range(10):
        engine, decks = Engine(GAME, v, seed), set[bytes]()
        while engine.s.turn >= 0:
            if engine.s.hands > len(decks):
                decks.add(engine.s.deck.tobytes())
                seen[engine.s.deck[:20]] += 1
            engine.play(Actions(v).discard if engine.s.phase == EXCHANGE else CALL)
        assert len(decks) == 400
    assert chi_square(seen) < 51 + 6 * 10.1
