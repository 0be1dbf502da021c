"""Swap2 in the m,n,k-game (§10): the opening, its choices, who is X then, and how it is told and drawn."""

from typing import Any

import numpy as np
import pytest

from kozyr import envs
from kozyr.envs.core import capabilities, dispatch, input_spec, labels
from kozyr.envs.core.state import OVER
from kozyr.envs.mnk.text import read, read_view, write
from kozyr.envs.pictures import render_svg, scene
from kozyr.envs.table.table import Table
from tests.contract import variants
from tests.games.lockstep import play_both, seeds

GAME = envs.game("mnk")
SMALL = GAME.make_variant(m=5, n=5, k=4, opening_rule="swap2")
CHOICES = ["take-o", "take-x", "two-more"]


def words(table: Table) -> list[str]:
    """Return the legal actions as text."""
    return [GAME.text.say(table.variant, None, int(a)) for a in np.flatnonzero(table.mask)]


def played(*actions: str, v: Any = SMALL, starter: int = 0) -> Table:
    """Return a table after some actions."""
    table = Table(GAME, v, 1, starter)
    for action in actions:
        assert action in words(table)
        table.play(GAME.text.parse(v, action))
    return table


def rows(table: Table) -> list[str]:
    """Return the board's marks, row by row, behind the line of the status."""
    return [line.replace(" ", "") for line in write(table.variant, table.states[0]).splitlines()]


def test_s10_the_starter_lays_three_stones_of_both_sides() -> None:
    table = played("a1", starter=1)
    assert (table.turn, len(words(table))) == (1, 24)
    table = played("a1", "b1", "c1", starter=1)
    assert rows(table) == ["player_1isX,Otomove(choice),lastc1", "XOX..", *["....."] * 4]
    assert (table.turn, words(table)) == (0, CHOICES)


@pytest.mark.parametrize("starter", [0, 1])
@pytest.mark.parametrize(("choice", "x_is_starter"), [("take-o", True), ("take-x", False)])
def test_s10_the_other_seat_takes_a_side_and_o_is_to_move(choice: str, x_is_starter: bool, starter: int) -> None:
    table = played("a1", "b1", "c1", choice, starter=starter)
    x = starter if x_is_starter else 1 - starter
    assert table.turn == 1 - x
    assert rows(table)[:2] == [f"player_{x}isX,Otomove,lastc1", "XOX.."]
    assert len(words(table)) == 22
    view = GAME.view(SMALL, table.states[0], x)
    span = GAME.parts(SMALL).spans()
    assert np.flatnonzero(view[span["mine"]]).tolist() == [0, 2]
    assert np.flatnonzero(view[span["theirs"]]).tolist() == [1]
    assert view[span["x"]].tolist() == [1]
    assert table.starter == starter == table.record.starter


@pytest.mark.parametrize(("choice", "x_is_starter"), [("take-o", False), ("take-x", True)])
def test_s10_two_more_stones_leave_the_choice_to_the_starter(choice: str, x_is_starter: bool) -> None:
    table = played("a1", "b1", "c1", "two-more")
    assert table.turn == 1
    table = played("a1", "b1", "c1", "two-more", "d1", "e1")
    assert rows(table)[:2] == ["player_0isX,Xtomove(lastchoice),laste1", "XOXOX"]
    assert (table.turn, words(table)) == (0, CHOICES[:2])
    table = played("a1", "b1", "c1", "two-more", "d1", "e1", choice)
    x = 0 if x_is_starter else 1
    assert rows(table)[:2] == [f"player_{x}isX,Otomove,laste1", "XOXOX"]
    assert table.turn == 1 - x


def test_s10_who_takes_x_wins_with_its_line_and_o_has_the_last_reply() -> None:
    v = GAME.altered(SMALL, last_reply=False)
    table = played("a1", "b2", "b1", "take-x", "c3", "c1", "e5", "d1", v=v)
    assert (table.turn, table.payoffs) == (OVER, [-1.0, 1.0])
    table = played("a1", "b2", "b1", "take-x", "c3", "c1", "e5", "d1")
    assert "(last reply)" in write(SMALL, table.states[0])
    assert table.turn == 0
    table.play(GAME.text.parse(SMALL, "d4"))
    assert (table.turn, table.payoffs) == (OVER, [0.0, 0.0])


def test_s10_choices_take_no_room() -> None:
    v = GAME.make_variant(m=2, n=4, k=4, opening_rule="swap2", max_moves=6)
    table = played("a1", "b1", "c1", "two-more", "d1", "a2", "take-x", v=v)
    assert not table.over
    table.play(GAME.text.parse(v, "b2"))
    assert (table.turn, table.payoffs, table.ply) == (OVER, [0.0, 0.0], 8)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"bans": "renju"}, "do not go together: leave one of them out"),
        ({"k": 3}, "set k=4 or more"),
        ({"max_moves": 5}, "set max_moves=0, or 6 and more"),
        ({"m": 2, "n": 4, "k": 4, "obstacles": 0.4}, "5 cells are free: set a larger m and n"),
    ],
)
def test_s10_what_swap2_does_not_go_with_is_said(options: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        GAME.make_variant(opening_rule="swap2", **options)


def test_s10_without_swap2_there_is_no_choice() -> None:
    plain, swap2 = GAME.make_variant(), GAME.make_variant(opening_rule="swap2")
    assert GAME.actions(swap2) == GAME.actions(plain) + 3
    assert GAME.size(swap2) == GAME.size(plain) + 4
    assert GAME.layout(swap2) == GAME.layout(plain)
    assert GAME.action_parts(plain, 17) == {"row": 1, "column": 2}
    assert GAME.action_parts(swap2, 17) == {"kind": "put", "row": 1, "column": 2}
    assert [GAME.action_parts(swap2, 225 + i) for i in range(3)] == [{"kind": word} for word in CHOICES]
    for word in CHOICES:
        with pytest.raises(ValueError, match="nobody chooses a side without opening_rule='swap2'"):
            GAME.text.parse(plain, word)
    with pytest.raises(ValueError, match="there is no choice without opening_rule='swap2'"):
        read(GAME.make_variant(m=2, n=5, k=4), "player_0 is X, O to move (choice)\nX O X . .\n. . . . .")


@pytest.mark.parametrize("seed", seeds(4))
def test_random_games_agree_with_the_oracle_and_are_read_back(seed: int) -> None:
    drawn = [v for v in variants.drawn(GAME, 120, 50 + seed, most=80) if v.opening_rule]
    for i, v in enumerate(drawn):
        play_both(GAME, v, 1000 * seed + i)
    rng = np.random.default_rng(seed)
    for v in drawn[:10]:
        table = Table(GAME, v, seed)
        while not table.over:
            table.play(int(rng.choice(np.flatnonzero(table.mask))))
            told = write(v, table.states[0])
            again = read(v, told)[0]
            assert write(v, again) == told
            for seat in (0, 1):
                assert (GAME.view(v, again, seat) == table.view(seat)).all()
                assert (read_view(v, table.text(seat)) == table.view(seat)).all()
            assert Table.resume(table.record).states.tobytes() == table.states.tobytes()


@pytest.mark.parametrize(
    "text",
    [
        "player_0 is X, X to move (opening)\nX X O . .",
        "player_0 is X, X to move (choice)\nX X O . .",
        "player_0 is X, O to move (choice)\nX O O . .",
        "player_0 is X, O to move (two more)\nX O . . .",
        "player_0 is X, O to move (last choice)\nX O X O X",
        "player_0 is X, X to move (last choice)\nX O X . .",
    ],
)
def test_a_diagram_that_no_opening_has_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="of swap2: stones are laid X O X, and two more O X"):
        read(SMALL, text + 4 * "\n. . . . .")


def foot(table: Table) -> str:
    """Return the words below the board."""
    row = render_svg.rows(GAME, SMALL, table.states, 0).tolist()[-1]
    return labels.fill(GAME.labels[row[scene.FACE]], row[scene.A :])


def test_choices_are_buttons_and_the_foot_says_who_chooses() -> None:
    table = played("a1", "b1", "c1")
    row = np.zeros(input_spec.ENTRIES, np.int32)
    said = list[str]()
    for action in np.flatnonzero(table.mask).tolist():
        dispatch.elements(SMALL, table.states[0], action, row)
        assert row[input_spec.HOW] == input_spec.BUTTON
        said.append(GAME.labels[int(row[input_spec.SAID])])
    assert said == ["play O, and move", "play X", "lay O and X first"]
    assert foot(table) == "player_1 chooses a side"
    assert foot(played("a1")) == "player_0 opens and lays O"
    assert foot(played("a1", "b1")) == "player_0 opens and lays X"
    assert foot(played("a1", "b1", "c1", "two-more", "d1")) == "player_1 opens and lays X"
    assert foot(played("a1", "b1", "c1", "take-x")) == "player_0 (O) to move"


def test_openings_of_files_are_the_first_three_stones() -> None:
    line = capabilities.opening_line
    assert line(SMALL, "0,0, 1,0, 0,1") == [12, 13, 17]
    with pytest.raises(ValueError, match="4 stones are too many for opening_rule='swap2'"):
        line(SMALL, "0,0, 1,0, 0,1, 1,1")
