"""Positions and actions of War as text: what is written is read back, and what is wrong is named."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kozyr.envs.core import dispatch
from kozyr.envs.core.state import OVER
from kozyr.envs.war import GAME, text

VARIANTS = st.fixed_dictionaries(
    {
        "deck": st.sampled_from([8, 12, 20, 36, 52]),
        "pickup": st.sampled_from(["fixed", "random", "choice"]),
        "max_turns": st.integers(1, 25),
        "shortage": st.sampled_from(["lose", "last_card"]),
    }
)


def random_move(v, s, rng):
    mask = np.zeros(GAME.actions(v), np.int8)
    dispatch.legal(v, s, mask)
    return int(rng.choice(np.flatnonzero(mask)))


def views(v, s):
    shown = np.zeros((2, GAME.size(v)), GAME.view_dtype)
    for seat in (0, 1):
        dispatch.observe(v, s, seat, shown[seat])
    return shown.tolist()


def counted(s):
    fields = ("turn", "phase", "starter", "turns", "wars", "ply", "truncated", "payoff", "unseen")
    return [np.array(s[field]).tolist() for field in fields]


@settings(max_examples=8, deadline=None)
@given(VARIANTS, st.integers(0, 2**64 - 1))
def test_every_position_of_a_game_is_read_back_and_goes_on_alike(options, seed):
    v, rng = GAME.make_variant(**options), np.random.default_rng(seed)
    s = np.zeros(1, GAME.state)[0]
    dispatch.start(v, s, seed, -1)
    again = text.read(v, text.write(v, s))[0]
    while s.turn != OVER:
        action = random_move(v, s, rng)
        dispatch.play(v, s, action)
        dispatch.play(v, again, action)
        for other in (again, text.read(v, text.write(v, s))[0]):
            assert text.write(v, other) == text.write(v, s)
            assert views(v, other) == views(v, s)
            assert counted(other) == counted(s)
        again = other


def test_every_action_is_parsed_back():
    for pickup in ("fixed", "choice"):
        v = GAME.make_variant(pickup=pickup)
        s = np.zeros(1, GAME.state)[0]
        said = [text.say(v, s, a) for a in range(GAME.actions(v))]
        assert said == ["flip", "own_first", "other_first", "high_first", "low_first"]
        assert [text.parse(v, f"  {words.upper()} ") for words in said] == list(range(5))


@pytest.mark.parametrize("said", ["", "TH", "first", "own first", "pass"])
def test_a_wrong_action_is_named(said):
    with pytest.raises(ValueError, match=f"{said!r} is no action: write one of flip, own_first"):
        text.parse(GAME.make_variant(), said)


SMALL = """
player_1 began, player_1 to flip, 4 turns, 2 wars, ply 8
player_0: KC | QC? JC? AC? QH? JS
player_1: KH | JH? AH? KS AS QS KD AD QD JD
"""
LOOSE = """
player_0 began, player_1 to flip, 9 turns, 0 wars, ply 0, luck 18446744073709551615
player_0: QC | KC JC-1 AC-2 QH
player_1: - | KH JH AH-1 KS-2 AS-3 QS JS KD AD QD JD
"""
CHOICE = """
player_1 began, player_0 to choose, 4 turns, 0 wars, ply 0
player_0: KC | QC? JC? AC? QH?
player_1: QS | JH? KH? AH? KS AS KD AD QD JD JS
"""


def test_a_diagram_says_everything():
    s = text.read(GAME.make_variant(deck=16), SMALL)[0]
    assert text.write(GAME.make_variant(deck=16), s) == SMALL.strip()
    assert (s.unseen.tolist(), int(s.wars), int(s.ply), int(s.turns)) == ([4, 2], 2, 8, 4)
    loose = GAME.make_variant(deck=16, pickup="random")
    s = text.read(loose, LOOSE)[0]
    assert text.write(loose, s) == LOOSE.strip()
    assert (int(s.rng), s.unseen.tolist()) == (2**64 - 1, [0, 0])
    choice = GAME.make_variant(deck=16, pickup="choice")
    assert text.write(choice, text.read(choice, CHOICE)[0]) == CHOICE.strip()


def test_counts_and_luck_may_be_left_out():
    v = GAME.make_variant(deck=16, pickup="random")
    s = text.read(v, LOOSE.replace(", 0 wars, ply 0, luck 18446744073709551615", ""))[0]
    assert (int(s.wars), int(s.ply), int(s.rng)) == (0, 0, 0)


@pytest.mark.parametrize(
    ("end", "turn", "payoff", "truncated"),
    [("player_0 won", OVER, [1, -1], 0), ("player_1 won", OVER, [-1, 1], 0), ("truncated", OVER, [0, 0], 1)],
)
def test_an_end_is_read(end, turn, payoff, truncated):
    v = GAME.make_variant(deck=16)
    s = text.read(v, SMALL.replace("player_1 to flip", end))[0]
    assert (s.turn, s.payoff.tolist(), s.truncated) == (turn, payoff, truncated)


@pytest.mark.parametrize(
    ("good", "bad", "error"),
    [
        (SMALL, "", "a position has 3 lines: .*; not 0"),
        ("\nplayer_1:", "\n\nplayer_1:", "a position has 3 lines: .*; not 4"),
        ("player_1 began", "player_2 began", "not a status line: 'player_2 began.*write it as 'player_0 began"),
        ("4 turns", "four turns", "not a status line"),
        ("4 turns", "1000 turns", "1000 turns are too many: the game is cut off after 1000"),
        ("player_0: KC |", "player_0: KC", "'player_0: KC .*' stands where the line 'player_0: laid . deck' belongs"),
        ("player_0: KC |", "KC |", "'KC . QC.*' stands where the line 'player_0"),
        ("JS\n", "2S\n", "'2S' is no card of this deck"),
        ("JS\n", "JS??\n", r"'JS\?\?' is no card: write 7C"),
        ("JS\n", "JD\n", "JD lies in two places"),
        ("JS\n", "\n", "missing from the position: JS"),
        ("KC | QC?", "KC QC? |", "player_0 cannot have laid 2 cards"),
        ("KC |", "KC? |", r"player_0: the mark of KC\? does not fit"),
        ("QH? JS", "QH JS?", r"player_0: the mark of JS\? does not fit"),
        ("QH? JS", "QH? JS-1", "player_0: the mark of JS-1 does not fit"),
        ("player_1 to flip", "player_0 to flip", "player_0 cannot be to flip: 1 and 1 cards are laid"),
        ("player_1 to flip", "player_0 to choose", "there is nothing to choose"),
        ("KC | QC?", "QC | KC?", "a war begins with equal ranks, and the cards laid face up are not"),
    ],
)
def test_what_is_wrong_with_a_diagram_is_named(good, bad, error):
    assert good in SMALL
    with pytest.raises(ValueError, match=error):
        text.read(GAME.make_variant(deck=16), SMALL.replace(good, bad))


@pytest.mark.parametrize(
    ("good", "bad", "error"),
    [
        ("JC-1 AC-2", "JC-2 AC-3", "player_0: the mark of JC-2 does not fit"),
        ("AH-1 KS-2 AS-3", "AH-1 KS AS-3", "player_1: the mark of AS-3 does not fit"),
        ("AH-1 KS-2", "AH-0 KS-2", "'AH-0' is no card"),
        ("QC |", "QC-1 |", "player_0: the mark of QC-1 does not fit"),
        ("18446744073709551615", "18446744073709551616", "luck"),
    ],
)
def test_what_is_wrong_with_a_shuffled_pool_is_named(good, bad, error):
    assert good in LOOSE
    with pytest.raises(ValueError, match=error):
        text.read(GAME.make_variant(deck=16, pickup="random"), LOOSE.replace(good, bad))


@pytest.mark.parametrize(
    ("good", "bad", "error"),
    [
        ("player_0 to choose", "player_1 to choose", "player_1 has not won the pool and cannot be to choose"),
        ("player_1: QS |", "player_1: - | QS?", "player_0 has not won the pool"),
        ("KC | QC? JC? AC? QH?", "QC JC KC AC QH? | -", "the mark of QH. does not fit"),
    ],
)
def test_what_is_wrong_with_a_choice_is_named(good, bad, error):
    assert good in CHOICE
    with pytest.raises(ValueError, match=error):
        text.read(GAME.make_variant(deck=16, pickup="choice"), CHOICE.replace(good, bad))


def test_a_pool_that_is_picked_up_has_been_shown():
    war = """
        player_1 began, player_0 to choose, 4 turns
        player_0: QC JC? KC AC KH | QH?
        player_1: QS JH AH KS JD | AS KD AD QD JS"""
    with pytest.raises(ValueError, match="player_0: nothing in a pool that is picked up is unseen"):
        text.read(GAME.make_variant(deck=16, pickup="choice"), war)
    with pytest.raises(ValueError, match="there is nothing to choose"):
        text.read(GAME.make_variant(deck=16), war.replace("JC?", "JC"))


def test_too_few_cards_to_go_on_are_named():
    v = GAME.make_variant(deck=8)
    short = "player_0 began, player_0 to flip, 4 turns\nplayer_0: KC | AC\nplayer_1: KS | KD AS AH AD KH"
    with pytest.raises(ValueError, match="a seat has too few cards to go on"):
        text.read(v, short)
