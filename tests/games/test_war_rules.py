"""The rules of War up to the order of the pool, paragraph by paragraph of RULES.md."""

import numpy as np
import pytest

from kozyr.envs.core import dispatch
from kozyr.envs.core.cards import name, names
from kozyr.envs.core.rng import GENERATOR, shuffle
from kozyr.envs.core.state import OVER
from kozyr.envs.war import GAME
from tests.games.war_diagrams import (
    CHOICE,
    FIXED,
    PICKUPS,
    RANDOM,
    TURN,
    WAR,
    after,
    becomes,
    cards,
    deals,
    moves,
    position,
    shown,
)

TINY = GAME.make_variant(deck=8)


@pytest.mark.parametrize("deck", [8, 12, 36, 52])
def test_s01_the_shuffled_deck_is_dealt_alternately_whoever_begins(deck):
    v = GAME.make_variant(deck=deck)
    for seed, (drawn, given) in enumerate(zip(deals(v, 6), deals(v, 6, 1), strict=True)):
        rngs, order = np.zeros(1, GENERATOR)[0], np.arange(deck, dtype=np.int8)
        rngs.rng = np.uint64(seed)
        shuffle(rngs, order, deck)
        for s in (drawn, given):
            for seat in (0, 1):
                assert cards(v, s, seat) == [name(c, deck // 4) for c in order[seat::2].tolist()]
        assert given.starter == given.turn == 1


def test_s01_the_seed_draws_the_starter_and_every_deal():
    states = deals(FIXED, 200)
    assert 70 < (states["starter"] == 0).sum() < 130
    assert len({tuple(cards(FIXED, s, 0)) for s in states}) == 200


def test_s02_both_turn_up_a_card_and_the_higher_takes_the_pool():
    becomes(
        FIXED,
        TURN,
        "flip",
        """
        player_0 began, player_1 to flip, 3 turns
        player_0: TC | JC QC KC AC TS JS QS KS AS
        player_1: - | JH TH QH KH AH TD JD QD KD AD
        """,
    )
    becomes(
        FIXED,
        TURN,
        "flip, flip",
        """
        player_0 began, player_0 to flip, 4 turns
        player_0: - | JC QC KC AC TS JS QS KS AS
        player_1: - | TH QH KH AH TD JD QD KD AD TC JH
        """,
    )


@PICKUPS
def test_s02_whoever_wins_the_starter_goes_first_in_every_turn(v):
    s = deals(v, 1, starter=1)[0]
    begun = set()
    while s.turn != OVER and s.turns < 30:
        if (s.first == s.top).all():
            begun.add((int(s.turns), int(s.turn)))
        dispatch.play(v, s, 0 if s.phase == 0 else 1)
    assert begun == {(i, 1) for i in range(len(begun))}


def test_s02_before_the_choice_there_is_only_the_flip():
    assert [moves(v, position(v, TURN)) for v in (FIXED, RANDOM, CHOICE)] == ["flip"] * 3


TWICE = """
    player_0 began, player_0 to flip, 3 turns
    player_0: - | TC JC QC KC AC TS JS QS KS AS
    player_1: - | TH QH JH KH AD JD AH QD TD KD
    """


def test_s03_equal_ranks_begin_a_war():
    becomes(
        FIXED,
        WAR,
        "flip, flip",
        """
        player_0 began, player_0 to flip, 3 turns
        player_0: TC | JC QC KC AC TS JS QS KS AS
        player_1: TH | QH JH KH TD JD AH QD KD AD
        """,
    )
    becomes(
        FIXED,
        WAR,
        "flip, flip, flip",
        """
        player_0 began, player_1 to flip, 3 turns
        player_0: TC JC QC KC AC | TS JS QS KS AS
        player_1: TH | QH JH KH TD JD AH QD KD AD
        """,
    )
    assert [int(after(FIXED, WAR, actions).wars) for actions in ("flip", "flip, flip", "flip, flip, flip")] == [0, 1, 1]


def test_s03_equal_again_begins_another_war():
    second = after(FIXED, TWICE, "flip, flip, flip, flip")
    assert (int(second.wars), int(second.turns), int(second.turn)) == (2, 3, 0)
    becomes(
        FIXED,
        TWICE,
        "flip, flip, flip, flip, flip, flip",
        """
        player_0 began, player_0 to flip, 4 turns
        player_0: - | AS TC TH JC QC KC QH JH KH AC AD TS JS QS JD AH QD KS TD
        player_1: - | KD
        """,
    )


@pytest.mark.parametrize(("few", "plies"), [("TC", 2), ("TC JC QC KC", 2), ("TC JC QC KC AC TS JS QS", 4)])
@pytest.mark.parametrize("starter", [0, 1])
@PICKUPS
def test_s04_who_has_fewer_than_four_cards_loses_at_once(v, starter, few, plies):
    clubs_and_spades = names([*range(10)], 5).split()
    many = names([*range(10, 20)], 5).split() + [c for c in clubs_and_spades if c not in few]
    diagram = f"""
        player_{starter} began, player_{starter} to flip, 3 turns
        player_0: - | {few}
        player_1: - | {" ".join(many)}
        """
    s = after(v, diagram, ", ".join(["flip"] * plies))
    assert (s.turn, s.payoff.tolist(), s.truncated) == (OVER, [-1, 1], 0)
    assert (int(s.turns), int(s.wars)) == (3, plies // 2)
    assert cards(v, s, 0) == few.split()


def test_s04_four_cards_suffice():
    s = after(
        FIXED,
        """
        player_0 began, player_0 to flip, 3 turns
        player_0: - | TC JC QC KC AC
        player_1: - | TS JS QS KS JD AS TH JH QH KH AH TD QD KD AD
        """,
        "flip, flip, flip, flip",
    )
    assert (int(s.turns), int(s.turn), len(cards(FIXED, s, 0))) == (4, 0, 10)


@pytest.mark.parametrize("starter", [0, 1])
def test_s04_if_both_are_short_the_starter_loses(starter):
    s = after(
        TINY,
        f"""
        player_{starter} began, player_{starter} to flip, 0 turns
        player_0: - | KC AC AS KS
        player_1: - | KH AH AD KD
        """,
        "flip, flip",
    )
    assert (s.turn, s.payoff[starter], s.payoff[1 - starter], s.turns) == (OVER, -1, 1, 0)


@pytest.mark.parametrize(
    ("starter", "pool"), [(0, "TC TH JC QC KC QH JH KH AC TD"), (1, "TH TC QH JH KH JC QC KC TD AC")]
)
def test_s05_the_pool_goes_below_the_deck_war_by_war(starter, pool):
    diagram = WAR.replace("player_0 began, player_0 to", f"player_{starter} began, player_{starter} to")
    s = after(FIXED, diagram, "flip, flip, flip, flip")
    assert cards(FIXED, s, 0) == f"TS JS QS KS AS {pool}".split()
    assert cards(FIXED, s, 1) == ["JD", "AH", "QD", "KD", "AD"]


def test_s05_the_deal_decides_the_game():
    for first, second in zip(deals(FIXED, 5), deals(FIXED, 5), strict=True):
        second.rng = np.uint64(99)
        while first.turn != OVER:
            dispatch.play(FIXED, first, 0)
            dispatch.play(FIXED, second, 0)
        assert shown(FIXED, first) == shown(FIXED, second)


def test_s06_every_order_of_a_shuffled_pool_is_equally_likely():
    orders, wars, pool_of_war = [], [], "TC TH JC QC KC QH JH KH AC TD"
    for seed in range(300):
        lucky = TURN.replace("3 turns", f"3 turns, luck {seed}")
        orders.append(" ".join(cards(RANDOM, after(RANDOM, lucky, "flip, flip"), 1)[-2:]))
        lucky = WAR.replace("3 turns", f"3 turns, luck {seed}")
        wars.append(cards(RANDOM, after(RANDOM, lucky, "flip, flip, flip, flip"), 0)[-10:])
    assert set(orders) == {"TC JH", "JH TC"}
    assert 110 < orders.count("TC JH") < 190
    assert {tuple(sorted(pool)) for pool in wars} == {tuple(sorted(pool_of_war.split()))}
    for place in range(10):
        found = [pool[place] for pool in wars]
        assert all(10 < found.count(c) < 60 for c in set(wars[0]))


@pytest.mark.parametrize(
    ("order", "pool"),
    [
        ("own_first", "TC JC QC KC AC TH QH JH KH TD"),
        ("other_first", "TH QH JH KH TD TC JC QC KC AC"),
        ("high_first", "AC KC KH QC QH JC JH TC TH TD"),
        ("low_first", "TC TH TD JC JH QC QH KC KH AC"),
    ],
)
@pytest.mark.parametrize("starter", [0, 1])
def test_s07_the_winner_chooses_the_order(starter, order, pool):
    diagram = WAR.replace("player_0 began, player_0 to", f"player_{starter} began, player_{starter} to")
    chosen = after(CHOICE, diagram, "flip, flip, flip, flip")
    assert (int(chosen.turn), moves(CHOICE, chosen)) == (0, "own_first, other_first, high_first, low_first")
    becomes(
        CHOICE,
        diagram,
        f"flip, flip, flip, flip, {order}",
        f"""
        player_{starter} began, player_{starter} to flip, 4 turns
        player_0: - | TS JS QS KS AS {pool}
        player_1: - | JD AH QD KD AD
        """,
    )


@pytest.mark.parametrize(
    ("order", "pool"),
    [("own_first", "JH TC"), ("other_first", "TC JH"), ("high_first", "JH TC"), ("low_first", "TC JH")],
)
def test_s07_without_a_war_the_winner_has_the_higher_card(order, pool):
    s = after(CHOICE, TURN, f"flip, flip, {order}")
    assert cards(CHOICE, s, 1) == f"TH QH KH AH TD JD QD KD AD {pool}".split()
