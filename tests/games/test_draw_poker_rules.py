"""The rules of draw poker up to the exchange, paragraph by paragraph of RULES.md, mostly with three seats."""

import numpy as np
import pytest

from kozyr.envs.core.cards import names
from kozyr.envs.draw_poker import GAME, text
from tests.games.draw_poker_diagrams import after, bare, becomes, chips, deals, moves, position, seen

V = GAME.make_variant(players=3, stack=20, max_bet=5)
TOURNAMENT = GAME.make_variant(players=3, stack=20, max_bet=5, ante=5, episode="tournament")

OPENING = """
    first bets, button player_2, player_0 began, player_0 to move
    player_0: 2C 5S 9D JH AC, draws 2S 3S 4S 5C 6C, chips 19, paid 1, bets 0 0, to act
    player_1: 3C 3H 8D TS KC, draws 2H 4H 5H 6H 7H, chips 19, paid 1, bets 0 0, to act
    player_2: 4C 6D 8H QC AH, draws 2D 3D 4D 5D 7D, chips 19, paid 1, bets 0 0, to act
    """
EXCHANGE = """
    exchange, button player_2, player_0 began, player_1 raised, player_0 to move
    player_0: 2C 5S 9D JH AC, draws 2S 3S 4S 5C 6C, chips 14, paid 6, bets 5 0, to act
    player_1: 3C 3H 8D TS KC, draws 2H 4H 5H 6H 7H, chips 14, paid 6, bets 5 0, to act
    player_2: 4C 6D 8H QC AH, draws 2D 3D 4D 5D 7D, chips 14, paid 6, bets 5 0, to act
    """
SHORT = """
    second bets, button player_2, player_0 began, player_2 to move, hand 1
    player_0: 2C 5S 9D JH AC, discarded -, chips 30, paid 5, bets 0 0
    player_1: 3C 3H 8D TS KC, discarded -, chips 12, paid 5, bets 0 0
    player_2: 4C 6D 8H QC AH, discarded -, chips 3, paid 5, bets 0 0, to act
    """


def by_rank(cards):
    return sorted((int(c) for c in cards), key=lambda c: (c % 13, c // 13))


@pytest.mark.parametrize("players", [2, 3, 5])
def test_s01_equal_stacks_and_the_button_before_the_starter(players):
    v = GAME.make_variant(players=players, stack=50, ante=2)
    for starter in range(players):
        for s in deals(v, 3, starter):
            assert (s.starter, s.turn, (s.button + 1) % players) == (starter, starter, starter)
            assert (s.chips + s.paid)[:players].tolist() == [50] * players
            assert not s.chips[players:].any()


def test_s01_the_seed_draws_every_starter():
    assert set(deals(V, 40)["starter"]) == {0, 1, 2}


@pytest.mark.parametrize(("stack", "ante"), [(1, 1), (100, 100), (3, 7)])
def test_s01_a_stack_must_be_more_than_the_ante(stack, ante):
    with pytest.raises(ValueError, match=f"stack={stack} with ante={ante}.*larger"):
        GAME.make_variant(stack=stack, ante=ante)


def test_s02_ten_cards_of_the_deck_belong_to_each_seat_whoever_begins():
    for drawn, given in zip(deals(V, 5), deals(V, 5, 2), strict=True):
        assert (drawn.deck == given.deck).all()
        assert sorted(drawn.deck) == list(range(52))
        for seat in range(3):
            assert drawn.hand[seat].tolist() == by_rank(drawn.deck[10 * seat : 10 * seat + 5])
            assert (drawn.hand[seat] == given.hand[seat]).all()


def test_s02_the_cards_drawn_lie_behind_the_hand_in_their_order():
    s = position(V, OPENING)
    for action in ("call, call, call, discard 1 2", "call, call, call, discard none", "raise 5, call, call, discard 5"):
        t = after(V, OPENING, action)
        drawn = [c for c in t.hand[0] if c not in s.hand[0]]
        assert sorted(drawn) == sorted(s.deck[5 : 5 + len(drawn)])
        assert (t.deck == s.deck).all()


def test_s03_everybody_pays_the_ante():
    for s in deals(GAME.make_variant(players=4, ante=7), 3):
        assert s.paid[:4].tolist() == [7] * 4
        assert s.chips[:4].tolist() == [93] * 4
        assert not s.bet.any()


def test_s03_who_has_less_than_the_ante_pays_all_it_has():
    s = after(TOURNAMENT, SHORT, "call")  # player_1 wins 15 with its pair
    assert s.hands == 2
    assert s.paid[:3].tolist() == [5, 5, 3]
    assert chips(s) == [25, 22, 0]
    assert s.pending[:3].tolist() == [1, 1, 0]


def test_s04_the_first_after_the_button_begins_in_every_phase():
    s, order = position(V, OPENING), []
    assert (s.phase, s.turn) == (0, 0)
    for phase in range(3):
        assert s.phase == phase
        order.append(int(s.turn))
        s = after(V, "\n".join(bare(V, s)), "call, call, call" if phase != 1 else "discard 1, discard none, discard 2")
    assert order == [0, 0, 0]
    assert (s.phase, s.turn) == (3, -1)


def test_s04_the_next_seat_begins_if_the_first_cannot_act():
    assert after(V, OPENING, "fold, call, call").turn == 1
    assert after(V, OPENING, "fold, call, call, discard 1, discard 1").turn == 1


def test_s04_a_betting_round_with_one_seat_able_to_bet_is_left_out():
    all_in = EXCHANGE.replace("chips 14, paid 6", "chips 0, paid 6", 2).replace("chips 14, paid 6", "chips 42, paid 6")
    s = after(V, all_in, "discard none, discard none, discard none")
    assert (s.phase, s.turn) == (3, -1)
    antes = SHORT.replace("chips 30", "chips 5").replace("chips 12", "chips 37")
    s = after(TOURNAMENT, antes, "call")
    assert chips(s) == [0, 47, 0]
    assert (s.hands, s.phase, s.turn) == (2, 1, 1)


def test_s05_raises_go_from_above_the_highest_bet_to_max_bet():
    assert moves(V, position(V, OPENING)) == "fold, call, raise 1, raise 2, raise 3, raise 4, raise 5"
    assert moves(V, after(V, OPENING, "raise 3")) == "fold, call, raise 4, raise 5"
    assert moves(V, after(V, OPENING, "raise 5")) == "fold, call"


def test_s05_a_raise_needs_the_chips_for_it():
    poor = OPENING.replace("chips 19", "chips 2", 1).replace("chips 19", "chips 36", 1)
    assert moves(V, position(V, poor)) == "fold, call, raise 1, raise 2"
    assert moves(V, after(V, poor, "raise 1, raise 2, call")) == "fold, call"


def test_s05_a_call_matches_the_highest_bet():
    s = after(V, OPENING, "raise 3, call")
    assert s.bet[0, :3].tolist() == [3, 3, 0]
    assert s.paid[:3].tolist() == [4, 4, 1]
    assert chips(s) == [16, 16, 19]


def test_s05_who_is_short_of_chips_calls_all_in_and_acts_no_more():
    poor = OPENING.replace("chips 19", "chips 36", 1).replace("chips 19", "chips 2", 1)
    s = after(V, poor, "raise 3, call")
    assert (s.bet[0, :3].tolist(), chips(s)) == ([3, 2, 0], [33, 0, 19])
    assert (s.highest, s.turn) == (3, 2)
    s = after(V, poor, "raise 3, call, raise 4")
    assert s.turn == 0
    s = after(V, poor, "raise 3, call, raise 4, call")
    assert (s.phase, s.turn) == (1, 0)


def test_s05_a_raise_lets_all_others_act_again():
    becomes(
        V,
        OPENING,
        "call, raise 2, raise 4",
        """
        first bets, button player_2, player_0 began, player_2 raised, player_0 to move
        player_0: 2C 5S 9D JH AC, draws 2S 3S 4S 5C 6C, chips 19, paid 1, bets 0 0, to act
        player_1: 3C 3H 8D TS KC, draws 2H 4H 5H 6H 7H, chips 17, paid 3, bets 2 0, to act
        player_2: 4C 6D 8H QC AH, draws 2D 3D 4D 5D 7D, chips 15, paid 5, bets 4 0
        """,
    )
    assert after(V, OPENING, "call, raise 2, raise 4, call").phase == 0
    assert after(V, OPENING, "call, raise 2, raise 4, call, call").phase == 1


def test_s05_the_second_round_counts_bets_anew():
    s = after(V, EXCHANGE, "discard none, discard none, discard none")
    assert (s.phase, s.highest, s.raiser) == (2, 0, -1)
    assert moves(V, s) == "fold, call, raise 1, raise 2, raise 3, raise 4, raise 5"
    s = after(V, EXCHANGE, "discard none, discard none, discard none, raise 5, call")
    assert s.bet[:, :3].tolist() == [[5, 5, 5], [5, 5, 0]]
    assert s.paid[:3].tolist() == [11, 11, 6]


def test_s06_a_seat_may_fold_though_it_could_check():
    s = after(V, OPENING, "call, fold, call, discard none")
    assert s.folded[:3].tolist() == [0, 1, 0]
    assert s.turn == 2
    assert after(V, OPENING, "fold, call, raise 1, call").phase == 1


def test_s06_a_fold_ends_the_round_if_it_leaves_nobody_to_bet_against():
    one_all_in = OPENING.replace("chips 19", "chips 0", 1).replace("chips 19, paid 1", "chips 38, paid 1", 1)
    one_all_in = one_all_in.replace("bets 0 0, to act", "bets 0 0", 1).replace("player_0 to move", "player_1 to move")
    s = after(V, one_all_in, "fold")
    assert (s.phase, s.turn) == (1, 0)
    s = after(V, one_all_in, "raise 2, fold")
    assert (s.phase, s.turn) == (1, 0)
    assert after(V, one_all_in, "raise 2").turn == 2


def test_s07_any_subset_is_exchanged_for_as_many_of_the_own_cards():
    assert moves(V, position(V, EXCHANGE)).count("discard") == 32
    assert "call" not in moves(V, position(V, EXCHANGE))
    becomes(
        V,
        EXCHANGE,
        "discard 2 4 5, discard none",
        """
        exchange, button player_2, player_0 began, player_1 raised, player_2 to move
        player_0: 2C 2S 3S 4S 9D, discarded 5S JH AC, chips 14, paid 6, bets 5 0
        player_1: 3C 3H 8D TS KC, discarded -, chips 14, paid 6, bets 5 0
        player_2: 4C 6D 8H QC AH, draws 2D 3D 4D 5D 7D, chips 14, paid 6, bets 5 0, to act
        """,
    )
    s = after(V, EXCHANGE, "discard 1 2 3 4 5, discard none, discard 3")
    assert s.hand[0].tolist() == by_rank(s.deck[5:10])
    assert s.exchanged[:3].tolist() == [5, 0, 1]


def test_s07_who_is_all_in_exchanges_and_who_has_folded_does_not():
    all_in = EXCHANGE.replace("chips 14, paid 6", "chips 0, paid 6", 1).replace("chips 14", "chips 28", 1)
    assert position(V, all_in).turn == 0
    s = after(V, OPENING, "call, fold, call")
    assert s.pending[:3].tolist() == [1, 0, 1]


def test_s07_the_number_is_public_and_the_cards_are_not():
    one, other = after(V, EXCHANGE, "discard 1 2"), after(V, EXCHANGE, "discard 3 4")
    assert (seen(V, one, 1) == seen(V, other, 1)).all()
    assert (seen(V, one, 0) != seen(V, other, 0)).any()
    assert (seen(V, one, 1) != seen(V, after(V, EXCHANGE, "discard 3"), 1)).any()


def test_s07_a_seat_hears_which_cards_it_discards_and_the_others_how_many():
    s = position(V, EXCHANGE)
    assert s.turn == 0
    for words, own, others in (
        ("discard 2 4", f"discard 2 4 ({names(s.hand[0, [1, 3]].tolist(), 13)})", "discard 2 cards"),
        ("discard 5", f"discard 5 ({names(s.hand[0, [4]].tolist(), 13)})", "discard 1 card"),
        ("discard none", "discard none", "discard none"),
    ):
        action = text.parse(V, words)
        assert [text.say(V, s, action, seat) for seat in (None, 0, 1, 2)] == [words, own, others, others]
        assert text.parse(V, own) == action


@pytest.mark.parametrize("actions", ["call, fold, fold", "raise 2, fold, fold"])
def test_s08_the_last_seat_takes_the_pot_unseen(actions):
    s = after(V, OPENING, actions)
    assert (s.turn, s.phase) == (-1, 3)
    assert s.change[:3].tolist() == [2, -1, -1]
    assert not s.strength.any()
    hidden = np.flatnonzero(seen(V, s, 1)[:52]).tolist()
    assert hidden == sorted(s.hand[1].tolist())
