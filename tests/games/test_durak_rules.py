"""The rules of Durak up to the end of a round, paragraph by paragraph of RULES.md, with 36 cards."""

import numpy as np
import pytest

from kozyr.envs.core import dispatch
from kozyr.envs.durak import GAME, text
from kozyr.envs.durak.rules import DISCARD, STOCK
from tests.games.durak_diagrams import after, becomes, moves, position
from tests.games.durak_places import cards, places

PLAIN = GAME.make_variant(deck=36)
THREE = GAME.make_variant(deck=36, players=3)
TRANSFER = GAME.make_variant(deck=36, transfer=True)


def deals(v, seeds, starter=-1):
    states = np.zeros(seeds, GAME.state)
    for seed in range(seeds):
        dispatch.start(v, states[seed], seed, starter)
    return states


@pytest.mark.parametrize("players", [2, 4, 6])
def test_s01_six_cards_a_seat_that_do_not_depend_on_the_starter(players):
    v = GAME.make_variant(deck=36, players=players)
    for drawn, given in zip(deals(v, 5), deals(v, 5, players - 1), strict=True):
        assert given.starter == given.turn == given.attacker == players - 1
        assert (drawn.cards == given.cards).all()
        assert (drawn.stock == given.stock).all()
        assert drawn.trump == given.trump
        assert list(drawn.count[:players]) == [6] * players
        assert len(cards(drawn.cards[STOCK])) == 36 - 6 * players
        for seat in range(players):
            assert sorted(drawn.stock[6 * seat : 6 * seat + 6]) == cards(drawn.cards[seat])


def test_s01_the_seed_draws_every_starter():
    assert set(deals(THREE, 40)["starter"]) == {0, 1, 2}


def test_s01_the_lowest_trump_begins_unless_the_starter_is_given():
    v = GAME.make_variant(deck=36, starter="lowest_trump")
    for drawn, s in zip(deals(PLAIN, 30), deals(v, 30), strict=True):
        trumps = [c for c in range(9 * s.trump, 9 * s.trump + 9) if places(v, s)[c] < STOCK]
        assert s.starter == (places(v, s)[trumps[0]] if trumps else drawn.starter)
    assert set(deals(v, 30, starter=1)["starter"]) == {1}


def test_s02_every_suit_becomes_trump():
    assert set(deals(PLAIN, 60)["trump"]) == {0, 1, 2, 3}


@pytest.mark.parametrize("players", [2, 6])
def test_s02_an_open_trump_is_the_suit_of_the_last_card(players):
    v = GAME.make_variant(deck=36, players=players, open_trump=True)
    for s in deals(v, 10):
        bottom = s.stock[35]
        assert s.trump == bottom // 9
        assert places(v, s)[bottom] == (STOCK if players == 2 else 5)
        assert cards(s.known) == ([] if players == 2 else [bottom])


OPENING = """
    trump S, player_0 began, player_0 attacks player_1, player_0 to move, round 1, limit 3
    player_0: 6C 6S 9H
    player_1: 7C 9C 7S
    table: -
    stock: -
    """


def test_s03_the_attacker_opens_with_any_card_and_cannot_pass():
    assert moves(PLAIN, position(PLAIN, OPENING)) == "6C, 6S, 9H"


def test_s03_the_limit_is_the_hand_of_the_defender():
    few = after(PLAIN, OPENING, "6C, 7C, pass")[0]
    assert (few.attacker, few.defender, few.limit) == (1, 0, 2)
    many = """
        trump S, player_0 began, player_0 attacks player_1, player_0 to move, round 1, limit 6
        player_0: 6C 9H 6D 7D 8D 9D TD
        player_1: 6H 7C 8H 9C TH JH QH KH
        table: -
        stock: -
        """
    assert after(PLAIN, many, "6C, 7C, pass")[0].limit == 6
    assert after(PLAIN, many, "9H, TH, pass")[0].defender == 0


def test_s03_before_the_first_discard_the_limit_is_lower():
    five = GAME.make_variant(deck=36, first_limit=5)
    ends = set()
    for s in deals(five, 20, 0):
        assert s.limit == 5
        dispatch.play(five, s, int(np.flatnonzero(legal(five, s))[0]))
        while s.rounds == 1:  # the defender beats if he can, and nothing is thrown in
            chosen = np.flatnonzero(legal(five, s))
            cards_first = [a for a in chosen if s.turn == s.defender and a < 36]
            dispatch.play(five, s, int((cards_first or list(chosen[::-1]))[0]))
        ends.add(bool(s.cards[DISCARD]))
        assert s.limit == (6 if s.cards[DISCARD] else 5)
        assert text.read(five, text.write(five, s))[0].limit == s.limit
    assert ends == {False, True}


def legal(v, s):
    mask = np.zeros(GAME.actions(v), np.int8)
    dispatch.legal(v, s, mask)
    return mask


def test_presets_are_the_games_that_people_play():
    thrown, passed_on = (GAME.make_variant(rules=name) for name in ("podkidnoy", "perevodnoy"))
    assert GAME.make_variant(rules="classic") == thrown
    assert passed_on == thrown._replace(transfer=True)
    options = GAME.options(thrown)
    assert (options["deck"], options["refill"], options["starter"]) == (36, "old_attacker", "lowest_trump")
    assert (thrown.pile_on, thrown.open_trump, thrown.transfer, thrown.first_limit) == (True, True, False, 5)
    with pytest.raises(ValueError, match="rules='durak' is not allowed: rules is one of 'classic'"):
        GAME.make_variant(rules="durak")


def test_s04_higher_cards_of_the_suit_and_trumps_beat():
    assert moves(PLAIN, after(PLAIN, OPENING, "6C")) == "7C, 9C, 7S, pass"
    assert moves(PLAIN, after(PLAIN, OPENING, "6S")) == "7S, pass"
    assert moves(PLAIN, after(PLAIN, OPENING, "9H")) == "7S, pass"


def test_s04_open_cards_are_beaten_in_the_order_laid():
    open_cards = """
        trump S, player_0 began, player_0 attacks player_1, player_1 to move, round 2, limit 3
        player_0: 6H
        player_1: 7C 7D 7H
        table: 6C 6D
        stock: -
        """
    assert moves(PLAIN, position(PLAIN, open_cards)) == "7C, pass"
    first = after(PLAIN, open_cards, "7C")
    assert (moves(PLAIN, first), first[0].turn) == ("7D, pass", 1)
    assert moves(PLAIN, after(PLAIN, open_cards, "7C, 7D")) == "6H, pass"


ROUND = """
    trump S, player_0 began, player_1 attacks player_2, player_2 to move, round 5, limit 3
    player_0: 6D 7D 8C
    player_1: 7H 9D
    player_2: 7C TC 9H
    table: 6C
    stock: -
    """


def test_s05_ranks_on_the_table_fit_first_from_the_attacker_then_clockwise():
    beaten = after(THREE, ROUND, "7C")
    assert (beaten[0].turn, moves(THREE, beaten)) == (1, "7H, pass")
    passed = after(THREE, ROUND, "7C, pass")
    assert (passed[0].turn, moves(THREE, passed)) == (0, "6D, 7D, pass")


def test_s05_after_a_beaten_card_the_order_and_the_passes_begin_anew():
    becomes(
        THREE,
        ROUND.replace("limit 3", "limit 4").replace("9H", "9H TD"),
        "7C, pass, 7D, TD",
        """
        trump S, player_0 began, player_1 attacks player_2, player_1 to move, round 5, limit 4
        player_0: 6D 8C
        player_1: 7H 9D
        player_2: TC 9H
        table: 6C/7C 7D/TD
        stock: -
        """,
    )


def test_s05_the_round_is_over_when_all_pass_in_a_row():
    s = after(THREE, ROUND, "7C, pass, pass")[0]
    assert (s.laid, s.rounds, s.turn) == (0, 6, 2)


def test_s05_the_round_is_over_at_the_limit():
    s = after(THREE, ROUND.replace("limit 3", "limit 1"), "TC")[0]
    assert (s.laid, s.rounds, s.turn) == (0, 6, 2)


def test_s05_seats_without_cards_do_not_act():
    empty_handed = ROUND.replace("7H 9D", "-")
    assert after(THREE, empty_handed, "7C")[0].turn == 0
    assert after(THREE, empty_handed, "7C, pass")[0].rounds == 6
    assert after(THREE, empty_handed.replace("6D 7D 8C", "-"), "7C")[0].turn == -1


def test_s06_the_defender_takes_the_table_at_once():
    becomes(
        THREE,
        ROUND,
        "7C, 7H, pass",
        """
        trump S, player_0 began, player_0 attacks player_1, player_0 to move, round 6, limit 1
        player_0: 6D 7D 8C
        player_1: 9D
        player_2: 6C* 7C* TC 7H* 9H
        table: -
        stock: -
        """,
    )


def test_s06_pile_on_adds_fitting_cards_and_the_seat_that_adds_stays_to_move():
    v = GAME.make_variant(deck=36, players=3, pile_on=True)
    taking = after(v, ROUND, "pass")
    assert (taking[0].turn, taking[0].taking, moves(v, taking)) == (1, 1, "pass")
    becomes(
        v,
        ROUND,
        "pass, pass, 6D",
        """
        trump S, player_0 began, player_1 attacks player_2, player_0 to move, round 5, limit 3, taking
        player_0: 7D 8C
        player_1: 7H 9D
        player_2: 7C TC 9H
        table: 6C 6D
        stock: -
        """,
    )
    taken = after(v, ROUND, "pass, pass, 6D, pass, pass")[0]
    assert (taken.count[2], taken.turn) == (5, 0)


def test_s06_piling_on_ends_at_the_limit_and_without_cards():
    v = GAME.make_variant(deck=36, players=3, pile_on=True)
    assert after(v, ROUND.replace("limit 3", "limit 2"), "pass, pass, 6D")[0].count[2] == 5
    assert after(v, ROUND.replace("limit 3", "limit 1"), "pass")[0].count[2] == 4
    assert after(v, ROUND.replace("7H 9D", "-").replace("6D 7D 8C", "6D"), "pass, 6D")[0].turn == -1


def test_s07_beaten_cards_are_discarded_and_the_defender_attacks():
    s = after(PLAIN, OPENING, "6C, 7C, pass")[0]
    assert (s.attacker, s.defender, s.turn) == (1, 0, 1)
    assert "6C 7C" in text.write(PLAIN, s).rpartition("discard: ")[2]


def test_s07_after_a_take_the_seat_behind_the_defender_attacks():
    two = after(PLAIN, OPENING, "6C, pass")[0]
    assert (two.attacker, two.defender) == (0, 1)
    three = after(THREE, ROUND, "pass")[0]
    assert (three.attacker, three.defender) == (0, 1)


def test_s07_who_is_out_is_passed_over():
    gone = after(THREE, ROUND.replace("7C TC 9H", "7C").replace("limit 3", "limit 1"), "7C")[0]
    assert (list(gone.out[:3]), gone.attacker, gone.defender) == ([0, 0, 1], 0, 1)
    behind = after(THREE, ROUND.replace("6D 7D 8C", "-"), "pass")[0]
    assert (list(behind.out[:3]), behind.attacker, behind.defender) == ([1, 0, 0], 1, 2)


TRANSFERS = """
    trump S, player_0 began, player_0 attacks player_1, player_1 to move, round 2, limit 3
    player_0: 8D 9D
    player_1: 7C 6S 6H
    table: 6C
    stock: -
    """


def test_s08_a_transfer_swaps_the_parts_of_two_seats():
    becomes(
        TRANSFER,
        TRANSFERS,
        "transfer 6H",
        """
        trump S, player_0 began, player_1 attacks player_0, player_0 to move, round 2, limit 2
        player_0: 8D 9D
        player_1: 7C 6S
        table: 6C 6H
        stock: -
        """,
    )


def test_s08_a_trump_of_the_rank_beats_or_transfers():
    assert moves(TRANSFER, position(TRANSFER, TRANSFERS)) == "7C, 6S, pass, transfer 6S, transfer 6H"
    assert "transfer" not in moves(PLAIN, position(PLAIN, TRANSFERS))


def test_s08_the_next_defender_needs_enough_cards():
    assert "transfer" not in moves(TRANSFER, position(TRANSFER, TRANSFERS.replace("8D 9D", "9D")))


def test_s08_nothing_beaten_may_be_transferred():
    beaten = TRANSFERS.replace("table: 6C", "table: 6C/TC 6D").replace("8D 9D", "8D 9D JD")
    assert moves(TRANSFER, position(TRANSFER, beaten)) == "6S, pass"


def test_s08_the_next_seat_answers_among_three():
    v = GAME.make_variant(deck=36, players=3, transfer=True)
    s = after(v, ROUND.replace("TC", "6S"), "transfer 6S")[0]
    assert (s.attacker, s.defender, s.turn, s.limit, s.laid) == (2, 0, 0, 3, 2)
    assert "transfer 6D" not in moves(v, after(v, ROUND.replace("TC", "6S"), "transfer 6S"))
    enough = ROUND.replace("TC", "6S").replace("7H 9D", "7H 8D 9D")
    assert after(v, enough, "transfer 6S, transfer 6D, pass")[0].count[1] == 6


def test_s08_the_transferred_limit_counts_the_new_hand():
    longer = TRANSFERS.replace("8D 9D", "8C 9H TD")
    assert position(TRANSFER, longer)[0].limit == 3
    swapped = after(TRANSFER, longer.replace("TD", "TD JD"), "transfer 6H")
    assert swapped[0].limit == 4
