"""Poker's priority player counts right, exchanges with sense and beats random play."""

import random

import numpy as np
import pytest

from kozyr.agents.agent import Scripted
from kozyr.agents.draw_poker import bots as bot
from kozyr.agents.draw_poker import exchange, hands
from kozyr.envs.compile import jit
from kozyr.envs.core import cards, dispatch
from kozyr.envs.draw_poker import GAME, text
from kozyr.envs.draw_poker.evaluate import strength
from kozyr.envs.draw_poker.view import Parts
from tests.games.draw_poker_diagrams import position, seen
from tests.games.lockstep import Engine


@jit
def kept(v, view, change):
    return exchange.hand_without(view, Parts(v), change)


@jit
def beaten(v, view, mine, lead):
    return bot.beaten_by_somebody(v, view, Parts(v), mine, lead)


V = GAME.make_variant(players=3, stack=20, max_bet=5)
STANDARD = V._replace(ranking=1)


def asked(v, hand, status="exchange", bet=0, folded=0):
    """Return the bot's action as text; player_1 has bet, another may have folded, and all hold cards it cannot see."""
    free = [c for c in cards.names(list(range(52)), 13).split() if c not in hand.split()]
    late = status == "second bets"
    pile, bets = (", discarded -", f"0 {bet}") if late else ("", f"{bet} 0")
    s = position(
        v,
        f"""
        {status}, button player_2, player_0 began{", player_1 raised" if bet else ""}, player_0 to move
        player_0: {hand}{pile}, chips 19, paid 1, bets 0 0, to act
        player_1: {" ".join(free[:5])}{pile}, chips {19 - bet}, paid {1 + bet}, bets {bets}
        player_2: {" ".join(free[5:10])}{pile}, chips 19, paid 1, bets 0 0
        """,
    )
    mask = np.zeros(GAME.actions(v), np.int8)
    dispatch.legal(v, s, mask)
    view = seen(v, s, 0)
    if folded:
        view[Parts(v).folded + folded] = 1
    return text.say(v, s, Scripted(GAME, v, 1, "priority").act(view, mask))


@pytest.mark.parametrize(
    ("hand", "exchange"),
    [
        ("2C 2S 5D 9H KC", "3 4 5"),  # a pair
        ("2C 5D 9H KC KS", "1 2 3"),
        ("2C 2S 9H KC KS", "3"),  # two pairs
        ("2C 2S 2H KC AS", "4 5"),  # three
        ("2C 5C 9C JC AS", "5"),  # four to a flush
        ("5C 6D 7H 8S KC", "5"),  # four to a straight
        ("2C 5C 9C JC AC", "none"),
        ("5C 6D 7H 8S 9C", "none"),
        ("2C 2S 2H KC KS", "none"),
        ("2C 5D 7H 9S AC", "1 2 3 4"),  # nothing: the ace stays
    ],
)
@pytest.mark.parametrize("v", [V, STANDARD], ids=["document", "standard"])
def test_it_changes_what_serves_the_most_valuable_combinations(v, hand, exchange):
    assert asked(v, hand) == f"discard {exchange}"


def test_the_ranking_decides_what_is_a_straight():
    assert asked(STANDARD, "2C 3D 4H 5S AC") == "discard none"
    assert asked(V, "2C 3D 4H 5S AC") == "discard 5"


def test_before_the_exchange_it_folds_nothing_and_stakes_much_on_much():
    assert asked(V, "2C 5D 7H 9S KC", "first bets", bet=3) == "fold"
    assert asked(V, "2C 5D 7H 9S KC", "first bets") == "call"
    assert asked(V, "2C 2D 7H 9S KC", "first bets", bet=3) == "call"
    assert asked(V, "5C 6D 7H 8S 9C", "first bets") == "raise 3"
    assert asked(V, "2C 2S 2H 2D 9C", "first bets", bet=3) in ("raise 4", "raise 5")


def test_before_the_exchange_combinations_that_need_the_same_cards_reinforce_each_other():
    change = 0b10000  # the king
    view, _ = view_of(V, cards.numbers("5C 6C 7C 8C KD", 13), [])
    worst, best = exchange.priorities(V, kept(V, view, change))
    assert worst == 1
    assert 8.5 < best < 9.5  # the straight flush has 8 - 1, the flush and the straight add to it
    assert asked(V, "5C 6C 7C 8C KD", "first bets") == "raise 1"
    view, _ = view_of(V, cards.numbers("5C 6C 7C 9C KD", 13), [])
    assert exchange.priorities(V, kept(V, view, change))[1] < best
    assert exchange.priorities(V, kept(V, view, 0)) == (1, 1)


def test_before_the_exchange_it_risks_more_against_fewer_players():
    assert asked(V, "2C 5D 7H 9S AC", "first bets", bet=1) == "fold"
    assert asked(V, "2C 5D 7H 9S AC", "first bets", bet=1, folded=2) == "call"
    assert asked(V, "2C 5D 7H 9S AC", "first bets", bet=5, folded=2) == "fold"


def test_after_the_exchange_the_size_of_the_bet_counts():
    assert asked(V, "2C 2D 5D 7H 9S", "second bets", bet=1) == "call"
    assert asked(V, "2C 2D 5D 7H 9S", "second bets", bet=5) == "fold"


def test_who_bets_more_is_likelier_to_hold_better():
    view, at = view_of(V, cards.numbers("2C 2S 4S 5D QS", 13), [])
    view[at.exchanged : at.exchanged + 3] = 1
    chances = []
    for bet in range(V.max_bet + 1):
        view[at.second + 1] = bet
        chances.append(beaten(V, view, hands.PAIR, 0))
    assert sorted(set(chances)) == chances


def test_after_the_exchange_it_folds_calls_and_raises():
    assert asked(V, "2C 5D 7H 9S JC", "second bets", bet=3) == "fold"
    assert asked(V, "2C 5D 7H KC KS", "second bets", bet=3) == "call"
    assert asked(V, "5C 6D 7H 8S 9C", "second bets") == "raise 5"


def view_of(v, hand, gone):
    view, at = np.zeros(GAME.size(v), np.int16), Parts(v)
    for i, c in enumerate(hand):
        view[at.cards + c] = view[at.suits + 4 * i + c // 13] = 1
        view[at.slots + i] = c % 13 + 1
    view[[at.gone + c for c in gone]] = 1
    return view, at


@pytest.mark.parametrize(
    "hand", ["2C 2S 4S 5D QS", "8C 8D TS AC AD", "4C 4S 4H 9C JC", "2C 3S 4H 5D 6C", "2C 7C TC JC KC"]
)
@pytest.mark.parametrize("v", [V, STANDARD], ids=["document", "standard"])
def test_the_chance_of_a_better_hand_is_counted_nearly_right(v, hand):
    rng, mine = random.Random(7), cards.numbers(hand, 13)
    gone = rng.sample([c for c in range(52) if c not in mine], 3)
    view, at = view_of(v, mine, gone)
    rest = [c for c in range(52) if c not in mine + gone]
    own, draws = strength(np.array(mine), v.ranking), 40_000
    better = sum(strength(np.array(rng.sample(rest, 5)), v.ranking) > own for _ in range(draws)) / draws
    view[at.exchanged : at.exchanged + 3] = 1
    made = [c for c in range(10) if exchange.missing(v, kept(v, view, 0), c) == 0]
    best = max(made, key=lambda c: hands.VALUE[v.ranking, c])
    chance = beaten(v, view, best, kept(v, view, 0).lead)
    assert chance == pytest.approx(1 - (1 - better) ** 2, abs=0.015, rel=0.1)


def test_who_exchanged_more_is_less_likely_to_hold_better():
    view, at = view_of(V, cards.numbers("2C 2S 4S 5D QS", 13), [])
    chances = []
    for exchanged in range(6):
        view[at.exchanged : at.exchanged + 3] = 1 + exchanged
        chances.append(beaten(V, view, hands.PAIR, 0))
    assert chances[0] == chances[1] > chances[2] > chances[3] == chances[4] == chances[5]


@pytest.mark.parametrize("options", [{}, {"ranking": "standard"}, {"players": 2}, {"players": 5, "stack": 30}], ids=str)
def test_it_beats_random_play(options):
    v, won, hands = GAME.make_variant(**options), [], 600
    players = [Scripted(GAME, v, 1, "priority"), *[Scripted(GAME, v, 0, "random")] * (v.players - 1)]
    players[-1].reset(-1, 3)
    for seed in range(hands):
        engine, shift = Engine(GAME, v, seed), seed % v.players
        while engine.s.turn >= 0:
            engine.play(players[(engine.s.turn + shift) % v.players].act(engine.view, engine.mask))
        won.append(engine.payoffs()[-shift % v.players])
    assert np.mean(won) - 2 * np.std(won) / hands**0.5 > 0
