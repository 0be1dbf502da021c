"""Drawings of draw poker are well-formed, show a seat what it knows and nothing else, and become pixels."""

from xml.etree import ElementTree

import numpy as np
import pytest

from kozyr.envs.core import dispatch, svg
from kozyr.envs.core.cards import RANKS, SUITS
from kozyr.envs.core.state import OVER
from kozyr.envs.draw_poker import GAME
from kozyr.envs.draw_poker.draw import draw
from kozyr.envs.draw_poker.rules import FOLD
from tests.games.draw_poker_diagrams import after, position

TABLES = [
    *({"players": n} for n in range(2, 6)),
    {"players": 5, "stack": 12, "episode": "tournament"},
    {"players": 3, "stack": 3, "ante": 2, "ranking": "standard"},
    {"players": 4, "stack": 1000, "max_bet": 100, "episode": "tournament", "max_hands": 3},
]
V = GAME.make_variant(players=3, stack=20, max_bet=5)
LAST = """
    second bets, button player_2, player_0 began, player_1 raised, player_2 to move
    player_0: 2C 5S 9D JH AC, discarded 7S KD, chips 13, paid 7, bets 1 5
    player_1: 3C 3H 8D TS KC, discarded -, chips 13, paid 7, bets 1 5
    player_2: 4C 6D 8H QC AH, discarded 5C, chips 18, paid 2, bets 1 0, to act
    """


def table(options, plies, seed=0):
    v, s, rng = GAME.make_variant(**options), np.zeros(1, GAME.state)[0], np.random.default_rng(seed)
    dispatch.start(v, s, seed, -1)
    mask = np.zeros(GAME.actions(v), np.int8)
    for _ in range(plies):
        if s.turn == OVER:
            break
        dispatch.legal(v, s, mask)
        mask[FOLD] &= rng.random() < 0.2
        dispatch.play(v, s, int(rng.choice(np.flatnonzero(mask))))
    return v, s


def face(card):
    """Return what the drawing of a card holds, wherever it lies."""
    return svg.card(RANKS[card % 13], SUITS[card // 13]).partition(">")[2]


@pytest.mark.parametrize("options", TABLES, ids=str)
@pytest.mark.parametrize("plies", [0, 5, 11, 40, 5000])
def test_every_drawing_is_well_formed_and_repeats(options, plies):
    v, s = table(options, plies)
    for seat in (None, *range(v.players)):
        before = s.tobytes()
        text = draw(v, s, seat)
        assert ElementTree.fromstring(text).tag == "{http://www.w3.org/2000/svg}svg"
        assert text == draw(v, s, seat) == text._repr_svg_()
        assert s.tobytes() == before


@pytest.mark.parametrize("plies", [0, 3, 6, 9])
def test_swapping_hidden_cards_changes_no_drawing_of_a_seat(plies):
    v, s = table({"players": 4}, plies, seed=4)
    assert s.turn != OVER
    for seat in range(v.players):
        other = np.zeros(1, GAME.state)
        other[0] = s
        o = other[0]
        others = [k for k in range(v.players) if k != seat]
        o.hand[others] = s.hand[others[::-1]]
        o.discarded[others] = (s.discarded[others] + 1) * (s.discarded[others] >= 0) - 1
        o.deck[:] = s.deck[::-1]
        assert draw(v, o, seat) == draw(v, s, seat)
        assert draw(v, o) != draw(v, s)


def test_a_seat_sees_its_own_cards_and_discards():
    s = position(V, LAST)
    text = draw(V, s, 0)
    assert all(face(c) in text for c in [*s.hand[0], *s.discarded[0][:2]])
    assert not any(face(c) in text for k in (1, 2) for c in s.hand[k])
    assert face(s.discarded[2][0]) not in text
    assert all(face(c) in draw(V, s) for k in range(3) for c in s.hand[k])


def test_a_showdown_shows_the_hands_that_were_not_folded():
    for action, visible in (("call", (0, 1, 2)), ("fold", (0, 1))):
        s = after(V, LAST, action)
        for seat in (0, 1, 2):
            text = draw(V, s, seat)
            for k in range(3):
                assert all((face(c) in text) == (k in visible or k == seat) for c in s.hand[k])


def test_a_pot_taken_unseen_shows_no_hand():
    opening = LAST.replace("chips 13, paid 7, bets 1 5", "chips 18, paid 2, bets 1 0, folded", 1)
    s = after(V, opening, "fold")
    assert s.turn == OVER
    text = draw(V, s, 2)
    assert not any(face(c) in text for k in (0, 1) for c in s.hand[k])


def says(text, words, size):
    """Tell whether a label of this size is in a drawing, wherever it stands."""
    return svg.label(0, 0, words, size).partition(">")[2].removesuffix("</g>") in text


def test_chips_bets_and_the_result_are_written():
    text = draw(V, position(V, LAST), 2)
    assert says(text, "pot 16, 5 to call", 14)
    assert says(text, "bet 1 + 5", 9)
    assert says(text, "in the pot 2", 9)
    assert says(text, "exchanged 2", 9)
    assert says(text, "stands pat", 10)
    assert says(text, "player_1 raised, player_2 bets", 11)
    end = draw(V, after(V, LAST, "call"))
    assert says(end, "player_1 +14", 13)
    assert says(end, "won 14", 10)
    assert says(end, "lost 7", 10)


def test_tags_say_who_folded_is_all_in_and_has_the_button():
    position_of_three = LAST.replace("chips 13, paid 7, bets 1 5", "chips 0, paid 7, bets 1 5, folded", 1)
    text = draw(V, position(V, position_of_three.replace("chips 13", "chips 0").replace("chips 18", "chips 44")))
    for words in ("FOLDED", "ALL IN", "BUTTON", "TO MOVE"):
        assert says(text, words, 8)
    assert not says(text, "OUT", 8)


@pytest.mark.parametrize("options", TABLES, ids=str)
def test_raster_has_the_shape_asked_for_and_shows_something(options):
    v, s = table(options, 7)
    text = draw(v, s)
    root = ElementTree.fromstring(text)
    pixels = svg.raster(text)
    assert pixels.shape[2] == 3
    assert abs(pixels.shape[1] - float(root.attrib["width"])) < 1
    assert abs(pixels.shape[0] - float(root.attrib["height"])) < 1
    assert len(np.unique(pixels[::3, ::3].reshape(-1, 3), axis=0)) > 50
