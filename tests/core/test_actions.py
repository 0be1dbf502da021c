"""Actions declared like the parts of a view: numbers, taking them apart, texts, tables and JSON."""

from typing import NamedTuple

import numpy as np
import pytest

from kozyr import envs
from kozyr.envs.bridges.structured import action_dict
from kozyr.envs.compile import jit
from kozyr.envs.core.actions import Action, ActionLayout, number
from kozyr.envs.environments import doc_page


class Variant(NamedTuple):
    most: int = 4
    bluff: bool = True


CHIPS = number("chips", lambda v: v.most)


class Actions(ActionLayout):
    fold = Action("fold")
    bet = Action("bet action − {first} + 1 chips", size=lambda v: v.most, argument=CHIPS)
    call_bluff = Action("doubt it", size=lambda v: 1 if v.bluff else 0, word="doubt", absent="nobody bluffs here")


FOLD, BET, DOUBT = Actions.kinds()
split = Actions.split


@jit
def taken_apart(v, found):
    for a in range(Actions(v).size):
        found[a, 0], found[a, 1] = split(v, a)


def test_compiled_code_takes_a_number_apart_as_python_does():
    v, found = Variant(), np.zeros((6, 2), np.int64)
    taken_apart(v, found)
    assert found.tolist() == [[FOLD, 0], [BET, 0], [BET, 1], [BET, 2], [BET, 3], [DOUBT, 0]]
    assert [list(split(v, a)) for a in range(6)] == found.tolist()
    assert Actions(v).bet == 1
    assert Actions(v).size == 6
    assert Actions(Variant(bluff=False)).size == 5


def test_kinds_with_an_argument_are_those_declared_with_it():
    assert Actions.kinds(CHIPS) == (BET,)
    assert Actions.kinds(number("chips", lambda v: v.most)) == ()


def test_texts_tables_and_json_follow():
    v = Variant()
    texts = [Actions.say(v, None, a) for a in range(6)]
    assert texts == ["fold", "bet 1", "bet 2", "bet 3", "bet 4", "doubt"]
    assert [Actions.parse(v, f" {text.upper()}\t") for text in texts] == list(range(6))
    assert Actions.parts(v, 3) == {"kind": "bet", "chips": 3}
    assert Actions.parts(v, 5) == {"kind": "doubt"}
    assert Actions.table(v) == [("0", "fold"), ("1 … 4", "bet action − 1 + 1 chips"), ("5", "doubt it")]
    assert len(Actions.table(Variant(bluff=False))) == 2


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("bet 5", "'bet 5' is no action: write fold, bet 1 or doubt"),
        ("bet", "'bet' is no action"),
        ("fold 1", "'fold 1' is no action"),
        ("", "'' is no action"),
    ],
)
def test_other_texts_are_refused(text, error):
    with pytest.raises(ValueError, match=error):
        Actions.parse(Variant(), text)


def test_a_kind_that_a_variant_does_not_have_is_refused_with_the_reason():
    with pytest.raises(ValueError, match="'doubt' is no action here: nobody bluffs here"):
        Actions.parse(Variant(bluff=False), "doubt")


@pytest.mark.parametrize("name", ["split", "size", "say", "_hidden"])
def test_names_that_mean_something_else_are_refused(name):
    with pytest.raises(TypeError, match=f"cannot be named '{name}'"):
        type("Wrong", (ActionLayout,), {name: Action("wrong")})


NUMBERS = {  # (game, options): text and JSON of some actions; these numbers stand in records and policies
    ("durak", "deck=36 transfer=True"): {
        0: {"text": "6C", "kind": "play", "card": "6C"},
        36: {"text": "pass", "kind": "pass"},
        37: {"text": "transfer 6C", "kind": "transfer", "card": "6C"},
        72: {"text": "transfer AD", "kind": "transfer", "card": "AD"},
    },
    ("draw_poker", "max_bet=5"): {
        1: {"text": "call", "kind": "call"},
        2: {"text": "raise 1", "kind": "raise", "bet": 1},
        6: {"text": "raise 5", "kind": "raise", "bet": 5},
        7: {"text": "discard none", "kind": "discard", "slots": []},
        38: {"text": "discard 1 2 3 4 5", "kind": "discard", "slots": [0, 1, 2, 3, 4]},
    },
    ("daifugo", "ranks=8"): {
        0: {"text": "pass", "kind": "pass"},
        1: {"text": "8", "kind": "play", "cards": ["8"]},
        9: {"text": "88", "kind": "play", "cards": ["8", "8"]},
        33: {"text": "8*", "kind": "play", "cards": ["8", "*"]},
        57: {"text": "*", "kind": "play", "cards": ["*"]},
    },
    ("daifugo", "rules=uecda"): {
        53: {"text": "*", "kind": "play", "cards": ["*"]},
        54: {"text": "3S 3H", "kind": "play", "cards": ["3S", "3H"]},
    },
    ("mnk", "m=3 n=4 k=3"): {11: {"text": "d3", "row": 2, "column": 3}},
    ("war", ""): {0: {"text": "flip"}, 4: {"text": "low_first"}},
}


@pytest.mark.parametrize(("game", "options"), NUMBERS)
def test_the_numbers_of_our_games_stay(game, options):
    it = envs.game(game)
    values = {key: int(value) if value.isdigit() else value for key, value in (o.split("=") for o in options.split())}
    v = it.make_variant(**{key: True if value == "True" else value for key, value in values.items()})
    for action, parts in NUMBERS[game, options].items():
        assert action_dict(it, v, action) == {"action": action, **parts}


def test_pages_have_a_row_for_each_kind():
    it = envs.game("draw_poker")
    page = doc_page.page("{actions}", it)
    assert [line.split("|")[1].strip() for line in page.splitlines()[2:]] == ["0", "1", "2 … 11", "12 … 43"]
