"""The rules of the m,n,k-game, paragraph by paragraph of RULES.md, on diagrams; and the diagrams themselves."""

from textwrap import dedent

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kozyr.envs import mnk_v0
from kozyr.envs.core import dispatch
from kozyr.envs.core.state import OVER
from kozyr.envs.mnk import GAME, text
from kozyr.envs.mnk.board import EMPTY, WALL, contents

THREE = GAME.make_variant(m=3, n=3, k=3)
FIRST_LINE = GAME.make_variant(m=3, n=3, k=3, last_reply=False)


def moves(v, s):
    mask = np.zeros(GAME.actions(v), np.int8)
    dispatch.legal(v, s, mask)
    return " ".join(text.say(v, s, int(a)) for a in np.flatnonzero(mask))


def after(v, diagram, cells):
    s = text.read(v, dedent(diagram))[0]
    for cell in cells.split():
        assert cell in moves(v, s).split()
        dispatch.play(v, s, text.parse(v, cell))
    return s


def becomes(v, diagram, cells, expected):
    assert text.write(v, after(v, diagram, cells)) == dedent(expected).strip()


def deals(v, seeds, starter=-1):
    states = np.zeros(seeds, GAME.layout(v))
    for seed in range(seeds):
        dispatch.start(v, states[seed], seed, starter)
    return states


def test_s01_the_starter_plays_x_on_an_empty_board():
    assert set(deals(THREE, 20)["starter"]) == {0, 1}
    for s in deals(THREE, 3, starter=1):
        assert text.write(THREE, s) == "player_1 is X, X to move\n. . .\n. . .\n. . ."


def test_s02_stones_go_on_empty_cells_in_turn():
    becomes(
        THREE,
        """
        player_1 is X, X to move
        . . .
        . . .
        . . .
        """,
        "b2 c1 a3",
        """
        player_1 is X, O to move, last a3
        . . O
        . X .
        X . .
        """,
    )
    s = after(THREE, "player_0 is X, X to move\nX . O\n. . .\n. . .", "b2")
    assert moves(THREE, s) == "b1 a2 c2 a3 b3 c3"


@pytest.mark.parametrize(
    ("rows", "cell"),
    [
        ("O O .\nX X .\n. X .", "c1"),
        ("O . X\nO X X\n. . .", "a3"),
        ("O . X\n. O X\nX . .", "c3"),
        (". X O\nX O .\n. . X", "a3"),
    ],
    ids=["row", "column", "diagonal", "other diagonal"],
)
def test_s03_a_line_runs_in_four_directions(rows, cell):
    s = after(THREE, f"player_0 is X, O to move\n{rows}", cell)
    assert (s.turn, list(s.payoff)) == (OVER, [-1, 1])


def test_s03_longer_lines_count_and_gaps_do_not():
    v = GAME.make_variant(m=2, n=7, k=3)
    assert after(v, "player_0 is X, O to move\nO O . O O . .\nX X . X X . .", "c1").turn == OVER
    assert after(v, "player_0 is X, O to move\nO O . . O . .\nX X . X . . .", "d1").turn == 0


EXACT = GAME.make_variant(m=6, n=6, k=3, line="exact")


@pytest.mark.parametrize(
    ("rows", "cell"),
    [
        ("O O . O . .\n. X . X . X", "c1"),
        ("O . . X . .\nO . X . X .\n. . . . . .\nO . X . . .", "a3"),
        ("O . . X . .\n. . X . X .\n. . O . . .\n. X . O . .", "b2"),
        ("X . . . . O\n. X . . O .\n. X . . . .\n. . O . X .", "d3"),
    ],
    ids=["row", "column", "diagonal", "other diagonal"],
)
def test_s03_if_lines_are_exact_a_longer_row_does_not_count(rows, cell):
    v = GAME.altered(EXACT, m=1 + rows.count("\n"))
    diagram = f"player_0 is X, O to move\n{rows}"
    assert after(v, diagram, cell).turn == 0
    assert after(GAME.altered(v, line="free"), diagram, cell).turn == OVER


def test_s03_a_stone_that_makes_a_longer_row_and_an_exact_line_wins():
    v = GAME.altered(EXACT, m=3)
    diagram = "player_0 is X, O to move\nO O . O O .\n. . O X X .\nX . O . X X"
    assert list(after(v, diagram, "c1").payoff) == [-1, 1]
    assert after(v, diagram.replace("X . O", "X . ."), "c1").turn == 0


CARO = GAME.make_variant(m=3, n=8, k=3, line="caro", last_reply=False)


@pytest.mark.parametrize(
    ("row", "cell", "kinds"),
    [
        ("X O O . X . . .", "d2", "free exact"),  # blocked by two stones
        ("X O O . . . . .", "d2", "free exact caro exact_caro"),  # by one
        (". O O . X . . .", "d2", "free exact caro exact_caro"),
        ("O O . X . . . .", "c2", "free exact caro exact_caro"),  # by an edge and a stone
        ("O . O X . . . .", "b2", "free exact caro exact_caro"),
        ("# O O . X . . .", "d2", "free exact caro exact_caro"),  # by a wall and a stone
        ("# O O . # . . .", "d2", "free exact caro exact_caro"),  # by two walls
        ("X O O . O X . .", "d2", "free caro"),  # a longer row wins, blocked or not
        (". O O . O . . .", "d2", "free caro"),
        ("X O O . O O X .", "d2", "free caro"),
    ],
)
def test_s03_in_caro_a_row_that_is_blocked_at_both_ends_is_no_line(row, cell, kinds):
    diagram = f"player_0 is X, O to move\n. . . . . . . .\n{row}\n. . . . . . . ."
    each = {kind: GAME.altered(CARO, obstacles=0.1, line=kind) for kind in GAME.fields["line"].choices}
    assert [kind for kind, v in each.items() if after(v, diagram, cell).turn == OVER] == kinds.split()


@pytest.mark.parametrize(
    ("rows", "cell"),
    [
        ("X . . . .\nO . . . .\nO . . . .\n. . . . .\nX . . . .", "a4"),
        ("X . . . .\n. O . . .\n. . O . .\n. . . . .\n. . . . X", "d4"),
        (". . . . X\n. . . O .\n. . O . .\n. . . . .\nX . . . .", "b4"),
    ],
    ids=["column", "diagonal", "other diagonal"],
)
def test_s03_rows_are_blocked_in_every_direction(rows, cell):
    v = GAME.make_variant(m=5, n=5, k=3, line="caro")
    diagram = f"player_0 is X, O to move\n{rows}"
    assert after(v, diagram, cell).turn == 0
    assert after(GAME.altered(v, line="free"), diagram, cell).turn == OVER
    for stone in (diagram.index("X", 20), diagram.rindex("X")):
        assert after(v, f"{diagram[:stone]}.{diagram[stone + 1 :]}", cell).turn == OVER


def test_s03_a_row_that_was_blocked_stays_so_and_may_grow_into_a_line():
    s = after(CARO, "player_0 is X, O to move\n. . . . . . . .\nX O O . X . . .\n. . . . . . . .", "d2 a1")
    assert s.turn == 1
    v = GAME.altered(CARO, last_reply=True)
    near = "player_0 is X, X to move\nO X X . . . . .\n. . . . . . . .\n. O O . . . . ."
    s = after(v, near, "d1 e1")  # O blocks the line when it is there: too late
    assert (s.turn, list(s.payoff)) == (OVER, [1, -1])


def test_s03_a_line_does_not_go_on_at_the_other_edge():
    assert after(THREE, "player_0 is X, O to move\n. . O\nO . X\nX . X", "b2").turn == 0


BOTH_NEAR = """
    player_0 is X, X to move
    X X .
    O O .
    . . .
    """


def test_s04_o_wins_at_once():
    becomes(
        THREE,
        BOTH_NEAR,
        "a3 c2",
        """
        player_0 is X, player_1 won, last c2
        X X .
        O O O
        X . .
        """,
    )


def test_s04_without_last_reply_x_wins_at_once():
    s = after(FIRST_LINE, BOTH_NEAR, "c1")
    assert (s.turn, list(s.payoff)) == (OVER, [1, -1])


def test_s05_a_line_of_x_leaves_o_one_reply():
    becomes(
        THREE,
        BOTH_NEAR,
        "c1",
        """
        player_0 is X, O to move (last reply), last c1
        X X X
        O O .
        . . .
        """,
    )


def test_s05_the_reply_too_needs_an_exact_line_if_lines_are_exact():
    v = GAME.make_variant(m=3, n=5, k=3, line="exact")
    near = "player_0 is X, X to move\nX X . X .\n. X . X .\nO O . O ."
    assert after(v, near, "c1").turn == 1
    assert after(v, near, "c1").reply == 0
    assert after(v, near, "c2").reply == 1
    assert list(after(v, near, "c2 c3").payoff) == [1, -1]
    assert list(after(v, near.replace("O O . O", "O O . ."), "c2 c3").payoff) == [0, 0]


@pytest.mark.parametrize(("reply", "payoff"), [("c2", [0, 0]), ("a3", [1, -1])])
def test_s05_the_reply_draws_with_a_line_and_loses_without(reply, payoff):
    s = after(THREE, BOTH_NEAR, f"c1 {reply}")
    assert (s.turn, list(s.payoff)) == (OVER, payoff)


def test_s05_the_seats_may_be_the_other_way_round():
    other = BOTH_NEAR.replace("player_0", "player_1")
    assert list(after(THREE, other, "c1 a3").payoff) == [-1, 1]
    assert list(after(THREE, other, "a3 c2").payoff) == [1, -1]


def test_s06_a_full_board_without_a_line_is_a_draw():
    becomes(
        THREE,
        "player_0 is X, X to move\nX O X\nX O O\nO X .",
        "c3",
        "player_0 is X, draw, last c3\nX O X\nX O O\nO X X",
    )


def test_s06_no_reply_is_possible_on_a_full_board():
    s = after(THREE, "player_0 is X, X to move\nX O X\nO X O\nO X .", "c3")
    assert list(s.payoff) == [1, -1]


@pytest.mark.parametrize(
    ("cap", "cells", "payoff"),
    [
        (5, "a3", [0, 0]),
        (5, "c1", [1, -1]),
        (6, "a3 c2", [-1, 1]),
        (6, "c1 c2", [0, 0]),
        (6, "c1 a3", [1, -1]),
        (6, "a3 b3", [0, 0]),
    ],
)
def test_s06_the_cap_ends_the_game_like_a_full_board(cap, cells, payoff):
    v = GAME.make_variant(m=3, n=3, k=3, max_moves=cap)
    s = after(v, BOTH_NEAR, cells)
    assert (s.turn, list(s.payoff)) == (OVER, payoff)


@pytest.mark.parametrize(("share", "walls"), [(0.0, 0), (0.1, 2), (0.3, 5), (0.5, 8)])
def test_s07_a_share_of_the_cells_is_walled_off(share, walls):
    v = GAME.make_variant(m=3, n=5, k=3, obstacles=share)
    boards = np.array([contents(v, s) for s in deals(v, 30)])
    assert ((boards == WALL).sum(axis=1) == walls).all()
    assert ((boards == WALL) | (boards == EMPTY)).all()
    assert walls == 0 or (boards == WALL).any(axis=0).all()


def test_s07_nobody_plays_on_a_wall_and_walls_break_lines():
    v = GAME.make_variant(m=2, n=5, k=3, obstacles=0.1)
    broken = "player_0 is X, X to move\nX # X . .\nO . O . ."
    assert moves(v, after(v, broken, "d1")) == "e1 b2 d2 e2"
    assert after(v, broken, "d1").reply == 0
    assert after(v, broken, "d1 d2 e1").reply == 1


def test_s07_the_walls_do_not_depend_on_the_starter():
    v = GAME.make_variant(m=5, n=5, obstacles=0.4)
    assert (deals(v, 5, 0)["planes"] == deals(v, 5, 1)["planes"]).all()


@pytest.mark.parametrize("action", [0, 9, -1], ids=["stone", "below the board", "above it"])
def test_s08_a_bad_move_loses_at_once(action):
    table = mnk_v0.env(m=3, n=3, k=3)
    table.reset(seed=1, options={"starter": 0})
    table.step(0)
    table.step(action)
    assert table.rewards == {"player_0": 1.0, "player_1": -1.0}


RENJU = GAME.make_variant(m=7, n=9, bans="renju", last_reply=False)
TWO_THREES = """
    player_0 is X, X to move
    . . . . . . . . .
    . O . . . . . O .
    . . X X . . . . .
    . . . . X . . . .
    . . . . X . . . .
    . . . . . . . . .
    . O . . . . . O .
    """


def test_s09_x_may_not_play_where_it_makes_two_threes():
    s = after(RENJU, TWO_THREES, "")
    assert "e3" not in moves(RENJU, s).split()
    assert "e3" in moves(GAME.altered(RENJU, bans="none"), s).split()
    becomes(RENJU, TWO_THREES, "", TWO_THREES.replace(". . X X . .", ". . X X ! ."))


def test_s09_o_may_play_where_x_is_banned():
    assert "e3" in moves(RENJU, after(RENJU, TWO_THREES.replace("X to", "O to"), "")).split()
    assert (
        "e3"
        in moves(RENJU, after(RENJU, TWO_THREES.replace("player_0", "player_1").replace("X to", "O to"), "")).split()
    )


ROW = "player_0 is X, {} to move\n{}\n" + "\n".join(["O . . . . . . . O"] * 6)


@pytest.mark.parametrize(
    ("mover", "row", "won"),
    [
        ("X", ". X X . X X . . .", True),
        ("X", ". X X . X X X . .", False),
        ("O", ". O O . O O . . .", True),
        ("O", ". O O . O O O . .", True),
    ],
)
def test_s09_x_wins_with_exactly_five_and_o_with_five_or_more(mover, row, won):
    s = after(RENJU, ROW.format(mover, row), "")
    assert ("d1" in moves(RENJU, s).split()) == won
    if won:
        assert after(RENJU, ROW.format(mover, row), "d1").payoff[int(mover == "O")] == 1


def test_s09_five_beats_every_ban():
    rows = ". X X . X X . . .\n. . . X . . . . .\n. . . X . . . . .\n. . . X . . . . .\n. . . X . . . . ."
    six = f"player_0 is X, X to move\n{rows}\n. . . X . . . . .\n. . . . . . . . ."
    assert list(after(RENJU, six, "d1").payoff) == [1, -1]
    assert "d1" not in moves(RENJU, after(RENJU, six.replace(". X X . X", ". X . . X"), "")).split()


def test_s09_where_x_is_banned_from_all_that_is_left_the_game_is_a_draw():
    v = GAME.make_variant(m=2, n=7, bans="renju", obstacles=0.1)
    near = "player_0 is X, O to move\nX X X . X X X\nO O # O O . O"
    s = after(v, near, "f2")
    assert (s.turn, list(s.payoff)) == (OVER, [0, 0])
    assert dispatch.sound(v, s)  # nobody is banned any more
    again = GAME.text.read(v, GAME.text.write(v, s))[0]
    assert (again["planes"] == s["planes"]).all()
    assert after(GAME.altered(v, bans="none"), near, "f2").turn == 0
    with pytest.raises(ValueError, match="X cannot be to move: it is banned from every cell that is left"):
        after(v, near.replace("O to", "X to").replace("O . O", "O O O"), "")


@pytest.mark.parametrize("options", [{"k": 4}, {"line": "exact"}, {"line": "caro"}], ids=str)
def test_s09_bans_are_a_rule_of_five_in_a_row(options):
    with pytest.raises(ValueError, match="bans='renju' is a rule of five in a row: set k=5 and line='free'"):
        GAME.make_variant(bans="renju", **options)


VARIANTS = st.fixed_dictionaries(
    {
        "m": st.integers(2, 8),
        "n": st.integers(2, 25),
        "k": st.integers(1, 5),
        "last_reply": st.booleans(),
        "max_moves": st.integers(0, 60),
        "obstacles": st.floats(0, 0.5),
    }
).filter(lambda options: options["k"] <= max(options["m"], options["n"]))


@settings(max_examples=25, deadline=None)
@given(VARIANTS, st.sampled_from([*GAME.fields["line"].choices, "renju"]), st.integers(0, 2**32))
def test_every_position_of_a_game_is_read_back(options, kind, seed):
    own = {"line": kind} if kind != "renju" else {"bans": kind, "k": 5, "n": max(5, options["n"])}
    v, rng = GAME.make_variant(**options | own), np.random.default_rng(seed)
    s = np.zeros(1, GAME.layout(v))[0]
    dispatch.start(v, s, seed, -1)
    while True:
        again = text.read(v, text.write(v, s))[0]
        for name in set(s.dtype.names) - {"rng"}:
            assert np.array_equal(again[name], s[name]), name
        if s.turn == OVER:
            break
        action = text.parse(v, rng.choice(moves(v, s).split()))
        assert text.parse(v, text.say(v, s, action)) == action
        dispatch.play(v, s, action)


@pytest.mark.parametrize("cell", ["", "d1", "a4", "a0", "1a", "aa", "a-1"])
def test_a_wrong_cell_is_named(cell):
    with pytest.raises(ValueError, match=r"names no cell: write a1 \(top left\) to c3"):
        text.parse(THREE, cell)


@pytest.mark.parametrize(
    ("good", "bad"),
    [
        ("X to move", "Z to move"),
        ("X X .", "X X"),
        ("X X .", "X X ?"),
        ("X X .\n", ""),
        ("player_0", "player_2"),
    ],
)
def test_a_wrong_diagram_is_named(good, bad):
    assert good in BOTH_NEAR
    with pytest.raises(ValueError, match="not a position of 3×3: write a line as 'player_0 is X, O to move'"):
        text.read(THREE, BOTH_NEAR.replace(good, bad))
