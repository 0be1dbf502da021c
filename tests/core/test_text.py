"""Derived texts: a line a field and a line a part, refusals in words, and a game's own forms in their place."""

from dataclasses import replace
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import pytest

from kozyr.envs.core import dispatch
from kozyr.envs.core.actions import Action, ActionLayout
from kozyr.envs.core.game import Game
from kozyr.envs.core.layout import Layout, Part
from kozyr.envs.core.state import layout
from kozyr.envs.core.text import Texts
from kozyr.envs.core.variant import Field


class Toy(NamedTuple):
    """The options of a game with two rows of cells."""

    wide: int = 3


class Parts(Layout):
    """A part of each shape, and one that may be empty."""

    cells = Part("contents of the cells", size=lambda v: 2 * v.wide, high=5, rows=2)
    extra = Part("cells beyond the third", size=lambda v: v.wide - 3)
    turn = Part("1 if I am to move")


class Actions(ActionLayout):
    """Three actions without numbers of their own."""

    take, keep, leave = Action("take one"), Action("keep two"), Action("leave", word="pass")


@dispatch.implements(dispatch.sound, Toy)
def no_cell_is_nine(v: Toy, s: Any) -> bool:
    return bool((s.cells != 9).all())


GAME = Game(
    name="toy",
    version=0,
    title="Toy",
    variant=Toy,
    fields={"wide": Field("columns", 3, 4)},
    state=layout(2, ("cells", np.int8, (2, 3)), ("odd", np.int8), ("stock", np.uint64), ("share", np.float32)),
    seats=lambda v: 2,
    action_layout=Actions,
    bound=lambda v: 1,
    parts=Parts,
    say=lambda v, s, action, seat: ("Take", "keep two", "Pass")[action],
)
V, TEXTS = Toy(), Texts(GAME)
POSITION = """\
turn: 1
ply: 0
payoff: 0.1 -1
truncated: 0
starter: 0
cells: 1 2 3 / 4 5 -6
odd: 1
stock: 18446744073709551615
share: 0.33333334
rng: 7"""
VIEW = """\
player_1 (you): seats are counted clockwise from you
cells: 0 1 2 / 3 4 5
turn: 1"""


def state() -> Any:
    s = np.zeros(1, GAME.state)
    s["cells"], s["odd"], s["stock"], s["share"] = [[1, 2, 3], [4, 5, -6]], 1, 2**64 - 1, 1 / 3
    s["turn"], s["payoff"], s["rng"] = 1, (0.1, -1), 7
    return s


def test_a_position_is_a_line_for_each_field_and_its_gaps_have_none() -> None:
    assert any(name.startswith("gap") for name in GAME.state.names or ())
    assert TEXTS.write(V, state()[0]) == POSITION
    assert TEXTS.read(V, f"\n {POSITION} \n").tobytes() == state().tobytes()


def test_a_view_is_a_line_for_each_part_that_has_entries() -> None:
    view = np.array([*range(6), 1], np.int8)
    assert TEXTS.write_view(V, view, 1) == VIEW
    assert TEXTS.read_view(V, VIEW).tobytes() == view.tobytes()
    wide = TEXTS.write_view(Toy(4), np.zeros(10, np.int8), 0)
    assert "extra: 0" in wide.splitlines()
    assert TEXTS.explain_view(V) == "- cells: contents of the cells\n- turn: 1 if I am to move"


@pytest.mark.parametrize(
    ("line", "wrong", "message"),
    [
        ("cells: 1 2 3 / 4 5 -6", "cells: 1 2 3 4 5 -6", r"cells: .* it has 2 × 3 numbers, rows parted by '/'"),
        ("cells: 1 2 3 / 4 5 -6", "cells: 1 2 / 3 4 5 -6", "it has 2 × 3 numbers"),
        ("cells: 1 2 3 / 4 5 -6", "cells: 1 2 3 / 4 5 128", "'128' is no whole number from -128 to 127"),
        ("cells: 1 2 3 / 4 5 -6", "cells: 1 2 3 / 4 5 9", "no game of toy comes to this position: it is not `sound`"),
        ("odd: 1", "odd: 1.0", "odd: '1.0' is no whole number"),
        ("odd: 1", "odd: one", "odd: 'one' is no whole number"),
        ("odd: 1", "odd: 1 2", "odd: '1 2' is not allowed: it has one number"),
        ("odd: 1", "even: 1", "'even: 1' stands where the line 'odd: …' belongs"),
        ("stock: 18446744073709551615", "stock: -1", "no whole number from 0 to 18446744073709551615"),
        ("share: 0.33333334", "share: nan", "share: 'nan' is no number"),
        ("turn: 1", "turn: 2", "turn: 2 is not allowed: a seat from 0 to 1, or -1 after the end"),
        ("starter: 0", "starter: -1", "starter: -1 is not allowed: a seat from 0 to 1"),
        ("\nodd: 1", "", "a position has 10 lines here: turn, ply, .*; not 9"),
    ],
)
def test_a_damaged_position_is_refused_with_the_line_and_the_reason(line: str, wrong: str, message: str) -> None:
    assert line in POSITION
    with pytest.raises(ValueError, match=message):
        TEXTS.read(V, POSITION.replace(line, wrong))


@pytest.mark.parametrize(
    ("line", "wrong", "message"),
    [
        ("player_1", "player_2", "there is no player_2 among 2 players"),
        (" (you)", "", r"begins with the line 'player_0 \(you\): seats are counted"),
        ("4 5", "4 6", r"6 is too much for 'cells' \(contents of the cells\): at most 5"),
        ("4 5", "4 -5", "-5 is too little for 'cells'"),
        ("\nturn: 1", "", "a view, below its first line, has 2 lines here: cells, turn; not 1"),
    ],
)
def test_a_damaged_view_is_refused_with_the_line_and_the_reason(line: str, wrong: str, message: str) -> None:
    assert line in VIEW
    with pytest.raises(ValueError, match=message):
        TEXTS.read_view(V, VIEW.replace(line, wrong))


def test_an_action_is_parsed_as_the_game_says_it() -> None:
    assert [TEXTS.parse(V, text) for text in ("take", " KEEP two", "Pass")] == [0, 1, 2]
    with pytest.raises(ValueError, match="'hold' is no action: write take or keep two or pass"):
        TEXTS.parse(V, "hold")


def test_an_action_that_no_game_says_is_said_as_it_is_declared() -> None:
    texts = Texts(replace(GAME, say=None))
    assert [texts.say(V, None, action) for action in range(3)] == ["take", "keep", "pass"]
    assert [texts.parse(V, text) for text in ("take", "KEEP", "pass")] == [0, 1, 2]
    with pytest.raises(ValueError, match="'hold' is no action: write take, keep or pass"):
        texts.parse(V, "hold")


def test_a_form_of_the_games_own_takes_the_place_of_the_derived_one() -> None:
    own: Any = ModuleType("own")
    own.write_view = lambda v, view, seat: f"player_{seat} (you): {view.tolist()}"
    texts = Texts(GAME, own)
    assert [texts.derives(form) for form in ("write_view", "write")] == [False, True]
    assert texts.write_view(V, np.zeros(2), 0) == "player_0 (you): [0.0, 0.0]"
    assert texts.write(V, state()[0]) == POSITION
