"""Draw poker with a short deck and hands of two cards, paragraph by paragraph of RULES.md, and its scripted players."""

import itertools
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kozyr.agents.agent import Scripted
from kozyr.agents.draw_poker import LADDER
from kozyr.agents.draw_poker.two_card_hands import Two, ahead_after, beaten, best_of_two, look_at_two
from kozyr.envs.compile import jit
from kozyr.envs.core import cards, dispatch
from kozyr.envs.draw_poker import GAME, deck, text
from kozyr.envs.draw_poker.actions import BOTH
from kozyr.envs.draw_poker.evaluate import NAMES, NO_CARD, category, strength
from kozyr.envs.draw_poker.view import Parts
from kozyr.envs.loops.chance_outcomes import Chance
from tests.games.draw_poker_diagrams import after, becomes, chips, deals, moves, position, seen
from tests.games.lockstep import play_both
from tests.games.test_draw_poker_oracle import small
from tests.games.test_draw_poker_scene import faces
from tests.oracles.draw_poker import worth

V = GAME.make_variant(players=2, deck=6, max_bet=2, stack=10)
EIGHT = GAME.make_variant(players=2, deck=8, max_bet=1)

OPENING = """
    first bets, button player_1, player_0 began, player_0 to move
    player_0: QC AC, draws KS, chips 9, paid 1, bets 0 0, to act
    player_1: QS KC, draws AS, chips 9, paid 1, bets 0 0, to act
    """
EXCHANGE = OPENING.replace("first bets", "exchange")


def names(numbers: Any) -> str:
    return cards.names([int(c) for c in numbers if c != NO_CARD], 13)


def test_s01_a_short_deck_has_the_highest_ranks_of_two_suits():
    assert names(deck.CARDS[6]) == "QC KC AC QS KS AS"
    assert names(deck.CARDS[8]) == "JC QC KC AC JS QS KS AS"
    assert deck.CARDS[52].tolist() == list(range(52))
    for size in (*deck.SHORT, 52):
        assert len(set(deck.CARDS[size].tolist()) - {NO_CARD}) == size


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"players": 3, "deck": 8}, "leaves somebody without a card to draw: at most 2 players"),
        ({"deck": 10}, "players=4 with deck=10.*at most 3 players"),
        ({"deck": 7}, "deck=7 is not allowed: deck is one of 6, 8, 10, 12, 16, 20, 26, 52"),
    ],
)
def test_s01_impossible_decks_are_refused_in_words(options: dict[str, Any], words: str):
    with pytest.raises(ValueError, match=words):
        GAME.make_variant(**options)


@pytest.mark.parametrize(("players", "size", "own"), [(2, 6, 3), (2, 8, 4), (3, 10, 3), (5, 16, 3), (5, 20, 4)])
def test_s02_each_seat_has_its_part_of_the_deck(players: int, size: int, own: int):
    v = GAME.make_variant(players=players, deck=size)
    for s in deals(v, 20):
        assert sorted(s.deck[:size]) == sorted(deck.CARDS[size, :size])
        assert (s.deck[size:] == NO_CARD).all()
        for k in range(players):
            assert sorted(s.hand[k, :2]) == sorted(s.deck[own * k : own * k + 2])
            assert (s.hand[k, 2:] == NO_CARD).all()


def test_s02_a_hand_lies_sorted_by_rank_then_suit():
    assert names(position(V, OPENING.replace("QC AC", "AC QC")).hand[0]) == "QC AC"
    assert names(position(V, OPENING.replace("QC AC", "QS QC").replace("QS KC", "AC KC")).hand[0]) == "QC QS"


def test_s07_no_more_cards_are_discarded_than_can_be_drawn():
    assert moves(V, position(V, EXCHANGE)) == "discard none, discard 1, discard 2"
    s = deals(EIGHT, 1, 0)[0]
    for _ in range(2):
        dispatch.play(EIGHT, s, text.parse(EIGHT, "call"))
    assert moves(EIGHT, s) == "discard none, discard 1, discard 2, discard 1 2"


def test_s07_the_card_drawn_is_the_own_one():
    becomes(
        V,
        EXCHANGE,
        "discard 1, discard 2",
        """
        second bets, button player_1, player_0 began, player_0 to move
        player_0: KS AC, discarded QC, chips 9, paid 1, bets 0 0, to act
        player_1: QS AS, discarded KC, chips 9, paid 1, bets 0 0, to act
        """,
    )


def padded(hand: Sequence[int]) -> Any:
    return np.array([*hand, *[NO_CARD] * 3], np.int8)


@pytest.mark.parametrize("ranking", ["document", "standard"])
def test_s09_s10_all_hands_of_two_compare_as_the_oracle_says(ranking: str):
    number, by_worth = ["document", "standard"].index(ranking), dict[Any, set[int]]()
    for hand in itertools.permutations(range(52), 2):
        by_worth.setdefault(worth(list(hand), ranking), set()).add(int(strength(padded(hand), number)))
        assert NAMES[number][category(padded(hand), number)] == worth_in_words(hand)
    assert all(len(ours) == 1 for ours in by_worth.values())
    ascending = [by_worth[key].pop() for key in sorted(by_worth)]
    assert ascending == sorted(ascending)
    assert (len(ascending), min(ascending) > 0) == (13 + 78, True)


def worth_in_words(hand: Sequence[int]) -> str:
    return "pair" if hand[0] % 13 == hand[1] % 13 else "high card"


@pytest.mark.parametrize(
    ("mine", "theirs", "payoffs"),
    [
        ("QC QS", "KC AS", [0.6, -0.6]),  # a pair beats any two ranks
        ("QC AC", "KS AS", [-0.6, 0.6]),  # the lower card decides
        ("QC AC", "QS AS", [0.0, 0.0]),  # equal hands split the pot
    ],
)
def test_s11_the_better_hand_of_two_takes_the_pot(mine: str, theirs: str, payoffs: list[float]):
    free = [card for card in names(deck.CARDS[6]).split() if card not in f"{mine} {theirs}"]
    diagram = f"""
        first bets, button player_1, player_0 began, player_0 to move
        player_0: {mine}, draws {free[0]}, chips 9, paid 1, bets 0 0, to act
        player_1: {theirs}, draws {free[1]}, chips 9, paid 1, bets 0 0, to act
        """
    s = after(V, diagram, "raise 2, call, discard none, discard none, call, call")
    assert s.payoff[:2] == pytest.approx(payoffs)
    assert sum(chips(s, 2)) == 20


def test_s15_the_view_shows_both_cards_and_the_discard():
    s, at = after(V, EXCHANGE, "discard 1"), Parts(V)
    view = seen(V, s, 0)
    assert names(np.flatnonzero(view[at.cards : at.cards + 52])) == "AC KS"
    assert view[at.slots : at.slots + 5].tolist() == [12, 13, 0, 0, 0]
    assert names(np.flatnonzero(view[at.gone : at.gone + 52])) == "QC"
    assert view[at.exchanged] == 2


def test_text_refuses_cards_that_are_not_in_the_deck():
    with pytest.raises(ValueError, match="2C is not among the 6 cards of the deck"):
        position(V, OPENING.replace("QC", "2C"))
    with pytest.raises(ValueError, match="a hand has 2 cards or none; it draws from 1 and discards up to 1"):
        position(V, OPENING.replace("QC AC", "QC KC AC"))


def test_the_drawing_shows_two_cards_a_hand():
    s = position(V, OPENING)
    assert sorted(faces(V, s, 0)) == [-1, *sorted(s.hand[0, :2].tolist())]
    assert faces(V, s) == set(s.hand[:2, :2].reshape(-1).tolist())


# ---------------------------------------------------------------------- oracle and chance


@pytest.mark.parametrize("seed", range(4))
def test_random_games_with_short_decks_agree_with_the_oracle(seed: int):
    for i, v in enumerate(small(250, seed, deck.SHORT)):
        play_both(GAME, v, 1000 * seed + i)


def test_thousands_of_games_of_the_smallest_variant_agree_with_the_oracle():
    for seed in range(2000):
        play_both(GAME, V, seed)


@given(v=st.builds(lambda seed: small(1, seed, deck.SHORT)[0], st.integers(0, 10**6)), seed=st.integers(0, 2**63 - 1))
@settings(max_examples=40, deadline=None)
def test_any_variant_of_two_cards_and_any_deal_agree(v: Any, seed: int):
    play_both(GAME, v, seed)


def test_the_deals_are_listed_once_each_and_equally_likely():
    states, chances = Chance(V, GAME.state).deals(0)
    assert len(states) == 15 * 6 * 2  # hands for both, then who draws which of the last two cards
    np.testing.assert_allclose(chances, 1 / 180)
    assert len({(s.hand[:2].tobytes(), s.deck[2], s.deck[5]) for s in states}) == 180


# ---------------------------------------------------------------------- scripted players


def asked(v: Any, level: str, diagram: str) -> str:
    s, mask = position(v, diagram), np.zeros(GAME.actions(v), np.int8)
    dispatch.legal(v, s, mask)
    return text.say(v, s, Scripted(GAME, v, LADDER.index(level), level).act(seen(v, s, int(s.turn)), mask))


def facing(hand: str, raised: bool = True, late: bool = False) -> str:
    """Return a position in which player_0 holds a hand, and player_1 has raised to 2 or not."""
    free = [card for card in names(deck.CARDS[6]).split() if card not in hand]
    bet, phase = 2 * raised, "second bets" if late else "first bets"
    piles = (", discarded -", ", discarded -") if late else (f", draws {free[2]}", f", draws {free[3]}")
    bets = f"0 {bet}" if late else f"{bet} 0"
    return f"""
        {phase}, button player_1, player_0 began{", player_1 raised" if raised else ""}, player_0 to move
        player_0: {hand}{piles[0]}, chips 9, paid 1, bets 0 0, to act
        player_1: {free[0]} {free[1]}{piles[1]}, chips {9 - bet}, paid {1 + bet}, bets {bets}
        """


@pytest.mark.parametrize("level", ["priority", "heuristic"])
def test_they_keep_a_pair_bet_on_it_and_fold_the_worst(level: str):
    pair = facing("AC AS", raised=False)
    assert asked(V, level, pair) == "raise 2"
    assert asked(V, level, pair.replace("first bets", "exchange")) == "discard none"
    assert asked(V, level, facing("AC AS", raised=False, late=True)) == "raise 2"
    assert asked(V, level, facing("QC KS", late=True)) == "fold"
    assert asked(V, level, facing("QC KS", raised=False, late=True)) == "call"


def test_the_document_draws_to_its_highest_card_and_the_heuristic_counts():
    exchange = facing("KC AS", raised=False).replace("first bets", "exchange")
    assert asked(V, "priority", exchange) == "discard 1"
    assert asked(V, "heuristic", exchange) == "discard none"  # ahead of all but a pair, of which one is left


def slow_beaten(hand: list[int], rest: list[int]) -> Fraction:
    """Return the chance that two of the other cards are better, equal ones for half."""
    mine, pairs = worth(hand, "standard"), list(itertools.combinations(rest, 2))
    theirs = [worth(list(pair), "standard") for pair in pairs]
    return Fraction(2 * sum(one > mine for one in theirs) + sum(one == mine for one in theirs), 2 * len(pairs))


@jit
def looked(v: Any, view: Any) -> Any:
    """Return what the seat holds and has not seen."""
    return look_at_two(v, view, Parts(v))


@pytest.mark.parametrize("size", [6, 8, 12])
def test_chances_are_counted_out_right(size: int):
    pack, v = deck.CARDS[size, :size].tolist(), GAME.make_variant(players=2, deck=size)
    at, rng = Parts(v), np.random.default_rng(size)
    for _ in range(20):
        mixed = rng.permutation(pack).tolist()
        hand, rest = sorted(mixed[:2], key=lambda c: (c % 13, c // 13)), mixed[2:]
        view = np.zeros(GAME.size(v), np.int16)
        view[[at.cards + c for c in hand]] = 1
        view[at.slots : at.slots + 2] = [c % 13 + 1 for c in hand]
        it = looked(v, view)
        assert beaten(Two(*it)) == pytest.approx(float(slow_beaten(hand, rest)))
        ahead: list[float] = []
        for change in range(BOTH + 1):
            kept = [c for i, c in enumerate(hand) if not change >> i & 1]
            drawn = list(itertools.combinations(rest, 2 - len(kept)))
            each = [slow_beaten([*kept, *new], [c for c in rest if c not in new]) for new in drawn]
            ahead.append(1 - float(sum(each, Fraction(0)) / len(each)))
            assert ahead_after(Two(*it), change) == pytest.approx(ahead[-1])
        open_to = ahead if deck.own(v) == 4 else ahead[:BOTH]
        assert best_of_two(v, Two(*it))[1] == pytest.approx(max(open_to))
