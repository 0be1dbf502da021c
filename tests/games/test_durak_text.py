"""Positions and actions of Durak as text: what is written is read back, and what is wrong is named."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kozyr.envs.core import dispatch
from kozyr.envs.core.state import OVER
from kozyr.envs.durak import GAME, text

UNWRITTEN = {"rng", "stock", "attack", "defence"}  # compared only as far as they still matter
BOOLS = {name: st.booleans() for name in ("transfer", "pile_on", "open_trump", "show_trump")}
VARIANTS = st.fixed_dictionaries(
    {
        **BOOLS,
        "players": st.integers(2, 6),
        "deck": st.sampled_from([20, 24, 36, 52]),
        "refill": st.sampled_from(["coming_attacker", "old_attacker"]),
        "starter": st.sampled_from(["drawn", "lowest_trump"]),
        "max_rounds": st.integers(1, 15),
    }
).filter(lambda o: 6 * int(o["players"]) <= int(o["deck"]) and bool(o["transfer"]) >= bool(o["show_trump"]))


def position(v, s):
    """Return all of a state that matters from now on."""
    fields = {name: np.array(s[name]).tolist() for name in s.dtype.names if name not in UNWRITTEN}
    return fields, list(s.stock[s.drawn : v.deck]), list(s.attack[: s.laid]), list(s.defence[: s.beaten])


def random_move(v, s, rng):
    mask = np.zeros(GAME.actions(v), np.int8)
    dispatch.legal(v, s, mask)
    return int(rng.choice(np.flatnonzero(mask)))


@settings(max_examples=15, deadline=None)
@given(VARIANTS, st.integers(0, 2**32))
def test_every_position_of_a_game_is_read_back_and_goes_on_alike(options, seed):
    v, rng = GAME.make_variant(**options), np.random.default_rng(seed)
    s = np.zeros(1, GAME.state)[0]
    dispatch.start(v, s, seed, -1)
    again = text.read(v, text.write(v, s))[0]
    while s.turn != OVER:
        action = random_move(v, s, rng)
        assert text.parse(v, text.say(v, s, action)) == action
        dispatch.play(v, s, action)
        dispatch.play(v, again, action)
        assert position(v, again) == position(v, s)
        again = text.read(v, text.write(v, s))[0]
        assert position(v, again) == position(v, s)
        assert text.write(v, again) == text.write(v, s)


@pytest.mark.parametrize("options", [{}, {"transfer": True}, {"transfer": True, "show_trump": True}])
@pytest.mark.parametrize("deck", [20, 24, 36, 52])
def test_every_action_is_parsed_back(deck, options):
    v = GAME.make_variant(deck=deck, **options)
    s = np.zeros(1, GAME.state)[0]
    said = [text.say(v, s, a) for a in range(GAME.actions(v))]
    assert [text.parse(v, words) for words in said] == list(range(len(said)))
    assert [text.parse(v, f"  {words.lower()} ") for words in said] == list(range(len(said)))
    assert (said[0], said[deck]) == ({20: "T", 24: "9", 36: "6", 52: "2"}[deck] + "C", "pass")


@pytest.mark.parametrize(
    ("transfer", "said", "error"),
    [
        (False, "2C", "'2C' is no card of this deck"),
        (False, "fold", "'FOLD' is no card of this deck"),
        (False, "", "write a card such as 7C or pass"),
        (True, "7C 8C", "write a card such as 7C, pass or transfer 7C"),
        (False, "transfer 7C", "this variant has no transfers"),
        (True, "transfer 2C", "'2C' is no card of this deck"),
    ],
)
def test_a_wrong_action_is_named(transfer, said, error):
    with pytest.raises(ValueError, match=error):
        text.parse(GAME.make_variant(deck=36, transfer=transfer), said)


SMALL = """
trump S, player_0 began, player_0 attacks player_1, player_1 to move, round 2, limit 3
player_0: JC QC KC
player_1: AC TS* JS
table: TC
stock: QS KS AS TH JH
discard: QH KH AH TD JD QD KD AD
"""


def test_a_diagram_says_everything():
    v = GAME.make_variant(deck=20)
    assert text.write(v, text.read(v, SMALL)[0]) == SMALL.strip().replace("limit 3", "limit 3, ply 0")


@pytest.mark.parametrize(
    ("good", "bad", "error"),
    [
        ("JC QC KC", "JC QC KC 9C", "'9C' is no card of this deck"),
        ("JC QC KC", "JC QC KC AC", "AC lies in two places"),
        ("JC QC KC", "JC QC", "missing from the position: KC"),
        ("JC QC KC", "JC* QC** KC", r"'QC\*' is no card"),
        ("player_1: AC", "player_2: AC", "'player_2: AC .*' stands where the line 'player_1: …' belongs"),
        ("table: TC", "TC", "'TC' stands where the line 'table: …' belongs"),
        ("\nstock", "\n\nstock", "a position has 6 lines: a status line, .*; not 7"),
        (SMALL, "", "a position has 6 lines: .*; not 0"),
        ("trump S", "trump X", "not a status line: 'trump X, .*write it as 'trump S, "),
        ("player_0 began", "player_2 began", "there is no player_2 among 2 players"),
        ("attacks player_1", "attacks player_0", "player_0 cannot attack player_0"),
        ("player_1 to move", "player_0 to move", "player_0 cannot be to move: it is the turn of player_1"),
        ("limit 3", "limit 0", "1 attack cards lie on the table, but the limit is 0"),
        ("table: TC", "table: TC/", "'' is no card"),
        ("table: TC\nstock: QS KS", "table: TC QS/KS\nstock:", "wrong at 'QS/KS'"),
        ("player_0: JC QC KC\n", "player_0: out\n", "missing from the position: JC QC KC"),
        ("discard: ", "discard: ? ", r"'\?' is no card"),
    ],
)
def test_what_is_wrong_with_a_diagram_is_named(good, bad, error):
    assert good in SMALL
    with pytest.raises(ValueError, match=error):
        text.read(GAME.make_variant(deck=20), SMALL.replace(good, bad))


def test_nobody_is_out_while_the_stock_lasts():
    gone = SMALL.replace("player_0: JC QC KC", "player_0: out").replace("QH KH", "QH JC QC KC KH")
    with pytest.raises(ValueError, match="player_0 cannot be out while cards are in the stock"):
        text.read(GAME.make_variant(deck=20), gone)


def test_the_mover_needs_cards():
    bare = SMALL.replace("player_1: AC TS* JS", "player_1: -").replace("QH KH", "QH AC TS JS KH")
    with pytest.raises(ValueError, match="player_1 has no cards and cannot be to move"):
        text.read(GAME.make_variant(deck=20), bare)


def test_the_open_trump_shows_the_trump_suit():
    with pytest.raises(ValueError, match="the open card JH under the stock is not of the trump suit S"):
        text.read(GAME.make_variant(deck=20, open_trump=True), SMALL)
