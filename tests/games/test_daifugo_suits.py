"""The rules of Daifugo with suits, paragraph by paragraph of RULES.md."""

from textwrap import dedent
from typing import Any

import numpy as np
import pytest

from kozyr.envs.core import dispatch
from kozyr.envs.core.state import OVER
from kozyr.envs.daifugo import GAME, text
from kozyr.envs.daifugo.round import GIVE_FIRST, GIVE_SECOND, IN, PLAY
from kozyr.envs.daifugo.suited.rules import strongest
from kozyr.envs.daifugo.suited.sets import ACTIONS, CARDS
from kozyr.envs.daifugo.suited.words import card_name, names, ones
from kozyr.envs.table.event import moved
from tests.games.daifugo_diagrams import dealt, marked, moves, seen

UECDA = GAME.make_variant(rules="uecda", rounds=4)
DECK = [card_name(card) for card in range(CARDS)]
FAR = ["2C 2D", "KC KD", "QC QD", "JC JD", "TC TD"]  # hands that do not matter


@pytest.mark.parametrize(
    "options",
    [{}, {"players": 4, "revolution": True}, {"rules": "uecda"}, {"rules": "uecda", "rounds": 2, "history": True}],
)
def test_a_variant_is_told_by_as_few_options_as_make_it(options: dict[str, Any]) -> None:
    variant = GAME.make_variant(**options)
    assert GAME.departures(variant) == options
    assert GAME.make_variant(**GAME.departures(variant)) == variant


def position(hands: list[str], pile: str = "-", status: str = "", leads: int = 0) -> Any:
    """Return the state in which player_0 is to move; cards that no hand holds have been played."""
    hands = [*hands, *FAR[len(hands) :]]
    held = {word for hand in hands for word in hand.split(",")[0].split()}
    rows = "\n".join(f"player_{k}: {hand}{', total 0'}" for k, hand in enumerate(hands))
    played = " ".join(card for card in DECK if card not in held)
    shown = f"""player_0 began, player_0 to move, round 1{status}
{rows}
pile: {pile}
leads: player_{leads}
played: {played}
turns: player_0, player_1, player_2, player_3, player_4"""
    return text.read(UECDA, dedent(shown))


def legal(states: Any) -> list[str]:
    return [text.say(UECDA, states[0], int(a)) for a in np.flatnonzero(marked(UECDA, states[0]))]


def play(states: Any, *actions: str) -> Any:
    for action in actions:
        assert action in legal(states)
        dispatch.play(UECDA, states[0], text.parse(UECDA, action))
    return states[0]


def test_the_space_has_the_numbers_of_the_contests_sets() -> None:
    assert GAME.actions(UECDA) == ACTIONS == 2422
    assert [text.parse(UECDA, word) for word in ("pass", "3S", "2C", "*")] == [0, 1, 52, 53]


def test_s15_a_set_is_told_by_its_cards_and_the_joker_stands_for_a_suit() -> None:
    states = position(["5S 5D *"])
    assert legal(states) == ["pass", "5S", "5D", "*", "5S 5D", *("5S *5H", "5S *5D", "5S *5C"),
                             *("*5S 5D", "*5H 5D", "5D *5C"), "5S *5H 5D", "5S 5D *5C"]  # fmt: skip
    five = position(["6S 6H 6D 6C *"])
    s = play(five, "6S 6H 6D 6C *6")
    assert s.upside
    assert s.turn == OVER or s.place[0] == 0


def to_exchange(v: Any, seed: int) -> Any:
    """Play the first round at random and return the states at the exchange, and the seats by place."""
    states, rng = np.zeros(1, GAME.state), np.random.default_rng(seed)
    dispatch.start(v, states[0], seed, -1)
    while states[0].rounds == 1:
        dispatch.play(v, states[0], int(rng.choice(np.flatnonzero(marked(v, states[0])))))
    return states, np.argsort(states[0].before[:5]).tolist()


def test_s11_the_first_gives_two_cards_back_and_the_second_one() -> None:
    states, seats = to_exchange(UECDA, 3)
    s, turns = states[0], list[tuple[int, int, int]]()
    assert s.count[seats[0]] == 13
    while s.phase != PLAY:
        turns.append((int(s.phase), int(s.turn), int(s.gives)))
        dispatch.play(UECDA, s, int(np.flatnonzero(marked(UECDA, s))[-1]))
    assert turns == [(GIVE_FIRST, seats[0], 2), (GIVE_FIRST, seats[0], 1), (GIVE_SECOND, seats[1], 1)]
    assert s.cards[s.turn, 2] & 1
    assert sorted(s.count[:5]) == [10, 10, 11, 11, 11]


def test_s15_only_the_two_see_what_is_exchanged() -> None:
    states, seats = to_exchange(UECDA, 3)
    s = states[0]
    seen_by = {k: seen(UECDA, s, k) for k in seats}
    assert [sum(seen_by[k]["given"]) for k in seats] == [0, 0, 0, 1, 2]
    assert [seen_by[k]["under"][0] > 0 for k in seats] == [True, True, False, False, False]
    mine = names(ones(seen_by[seats[4]]["given"]))
    assert mine == names(s.gave[seats[4]])
    back = mine.split()[0]
    dispatch.play(UECDA, s, text.parse(UECDA, back))
    assert names(ones(seen(UECDA, s, seats[4])["given"])) == mine.split()[1]
    assert back in names(ones(seen(UECDA, s, seats[0])["given"]))


def test_s15_only_the_two_hear_which_card_is_given() -> None:
    states, seats = to_exchange(UECDA, 3)
    s = states[0]
    for giver, taker in ((0, 4), (0, 4), (1, 3)):
        action = int(np.flatnonzero(marked(UECDA, s))[0])
        event, card = moved(GAME, UECDA, s, action), text.say(UECDA, s, action)
        heard = [event.for_seat(seat) for seat in seats]  # by place
        assert [one.text for one in heard] == [card if k in (giver, taker) else "a card" for k in range(5)]
        assert [one.action for one in heard] == [action if k in (giver, taker) else None for k in range(5)]
        watching = event.for_seat(None)
        assert (watching.action, watching.text, watching.words) == (None, "a card", "give a card")
        known = text.table_phrase(UECDA, s, action, seats[giver], ("give {0} of spades", 7))
        assert known == ("give {0} of spades", 7)
        assert {one.words == "give a card" for k, one in enumerate(heard) if k in (giver, taker)} == {False}
        assert {one.words for k, one in enumerate(heard) if k not in (giver, taker)} == {"give a card"}
        dispatch.play(UECDA, s, action)
    assert s.phase == PLAY
    assert moved(GAME, UECDA, s, 0).words == "pass"


def test_s15_the_strongest_card_is_the_joker_then_the_highest_rank_spades_first() -> None:
    for hand, best in (("3S 2H *", "*"), ("2S 2H AS", "2S"), ("KH AC AH", "AH")):
        s = position([hand])[0]
        assert card_name(strongest(s, 0)) == best


def test_s16_the_joker_stands_in_a_gap_or_beyond_the_ends() -> None:
    states = position(["3S 4S *", "KH AH 2H"], status=", ply 9")
    assert {"*-S 3S 4S", "3S 4S *5S"} <= set(legal(states))
    gap = position(["3S 5S *"])
    assert "3S *4S 5S" in legal(gap)
    end = position(["AS 2S *"])
    assert {"AS 2S *+S", "*KS AS 2S"} <= set(legal(end))


def test_s16_sequences_are_answered_above_and_in_a_revolution_below() -> None:
    pile = "5H 6H 7H by player_4"
    assert legal(position(["6S 7S 8S 9S TS"], pile, leads=4)) == ["pass", "8S 9S TS"]
    assert legal(position(["3S 4S 5S 9S TS JS"], pile, ", revolution", leads=4)) == ["pass"]
    assert legal(position(["3S 4S * 5S"], pile, ", revolution", leads=4)) == ["pass", "*-S 3S 4S"]


def test_s16_five_in_a_row_turn_the_order_and_an_eight_inside_clears() -> None:
    s = play(position(["3S 4S 5S 6S 7S 9D"]), "3S 4S 5S 6S 7S")
    assert (s.upside, s.turn) == (1, 1)
    s = play(position(["7S 8S 9S TH"]), "7S 8S 9S")
    assert (s.turn, s.lies) == (0, 0)
    s = play(position(["7S 9S * TH"]), "7S *8S 9S")
    assert (s.turn, s.lies) == (0, 0)


def test_s17_one_equal_answer_locks_the_suits() -> None:
    states = position(["6S 7S 9H", "9S AH *"], "5S by player_4", leads=4)
    s = play(states, "6S")
    assert (s.bound, s.turn) == (1, 1)
    assert legal(states) == ["pass", "9S", "*"]
    s = play(states, "*")
    assert s.bound == 0


def test_s17_whole_masks_are_compared_and_the_jokers_suit_counts() -> None:
    pile = "5S 5H by player_4"
    assert play(position(["6S * 9H"], pile, leads=4), "6S *6H").bound == 3
    assert play(position(["6S * 9H"], pile, leads=4), "6S *6D").bound == 0
    locked = position(["6S 6H 7D 7C"], pile, ", locked", leads=4)
    assert legal(locked) == ["pass", "6S 6H"]


def test_s18_the_three_of_spades_alone_answers_the_joker_and_clears() -> None:
    states = position(["3S 4H 3D", "2H"], "* by player_4", leads=4)
    assert legal(states) == ["pass", "3S"]
    s = play(states, "3S")
    assert (s.turn, s.lies) == (0, 0)
    turned = position(["3S 4H", "2H"], "* by player_4", ", revolution", leads=4)
    assert legal(turned) == ["pass", "3S"]


def test_s19_the_owner_is_asked_again() -> None:
    states = position(["9S TS 3C"])
    s = play(states, "9S", "pass", "pass", "pass", "pass")
    assert (s.turn, s.lies > 0) == (0, True)
    assert legal(states) == ["pass", "TS"]
    s = play(states, "pass")
    assert (s.turn, s.lies) == (0, 0)
    beaten = position(["9S TS 3C"])
    s = play(beaten, "9S", "pass", "pass", "pass", "pass", "TS")
    assert (s.turn, s.owner) == (0, 0)  # all others are out of the trick


def test_s19_after_an_owner_that_went_out_the_next_seat_leads() -> None:
    s = play(position(["9S"]), "9S", "pass", "pass", "pass", "pass")
    assert (s.place[0], s.turn, s.lies) == (0, 1, 0)


def test_s19_a_leader_may_pass_and_leads_again_when_all_do() -> None:
    states = position(["9S 3C"])
    s = play(states, "pass")
    assert (s.turn, s.passed[0]) == (1, 1)
    s = play(states, "pass", "pass", "pass", "pass")
    assert (s.turn, s.passed[:5].sum()) == (0, 0)


@pytest.mark.parametrize("seed", range(5))
def test_s20_the_three_of_diamonds_begins_and_is_free_to_do_anything(seed: int) -> None:
    s = dealt(UECDA, seed)
    assert s.cards[s.turn, 2] & 1
    assert marked(UECDA, s)[0]
    assert sorted(s.count[:5]) == [10, 10, 11, 11, 11]


def test_s20_the_order_of_turns_is_drawn_every_three_rounds_and_the_first_gets_a_card_more() -> None:
    v, rng = GAME.make_variant(rules="uecda", rounds=7), np.random.default_rng(1)
    states = np.zeros(1, GAME.state)
    dispatch.start(v, states[0], 5, -1)
    orders = dict[int, list[int]]()
    s = states[0]
    while s.turn != OVER:
        if s.rounds not in orders and s.phase == GIVE_FIRST:
            first = int(np.flatnonzero(s.before[:5] == 0)[0])
            assert s.count[first] == 11 + 2
        orders[int(s.rounds)] = s.next_of[:5].tolist()
        dispatch.play(v, s, int(rng.choice(np.flatnonzero(marked(v, s)))))
    assert orders[1] == orders[2] == orders[3]
    assert orders[4] == orders[5] == orders[6]
    assert len({tuple(orders[n]) for n in (1, 4, 7)}) > 1


def test_s21_twenty_passes_in_a_row_end_the_round_and_the_places_are_drawn() -> None:
    found = set[tuple[int, ...]]()
    for luck in range(12):
        states = position(["9S 3C"], status=f", luck {luck}, 19 passes")
        s = play(states, "pass")
        assert s.rounds == 2
        found.add(tuple(s.before[:5].tolist()))
        assert sorted(s.before[:5]) == [0, 1, 2, 3, 4]
    assert len(found) > 6
    states = position(["9S 3C"], status=", 19 passes")
    assert (play(states, "9S").passes, states[0].rounds, states[0].place[0]) == (0, 1, IN)


def test_what_needs_suits_says_so() -> None:
    with pytest.raises(ValueError, match="needs suits=True"):
        GAME.make_variant(sequences=True)
    with pytest.raises(ValueError, match="pass_limit"):
        GAME.make_variant(suits=True, leader_may_pass=True)
    with pytest.raises(ValueError, match="players from 5"):
        GAME.make_variant(rules="uecda", players=4)
    with pytest.raises(ValueError, match="rules is one of 'house', 'uecda'"):
        GAME.make_variant(rules="uec")
    assert "3S" in moves(UECDA, position(["3S 4S"]))
