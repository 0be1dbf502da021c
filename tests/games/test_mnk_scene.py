"""The scene of an m,n,k-board: every cell, the last stone, the line that won, who has which stones."""

import numpy as np
import pytest

from kozyr.envs.core import dispatch, input_spec, labels
from kozyr.envs.core.capabilities import result
from kozyr.envs.mnk import GAME, text
from kozyr.envs.pictures import render_svg, scene
from kozyr.envs.pictures.layout import place

V = GAME.make_variant(m=3, n=4, k=3)


def shown(v, diagram, seat=0):
    states = text.read(v, "\n".join(line.strip() for line in diagram.strip().splitlines()))
    return np.array(place(render_svg.rows(GAME, v, states, seat).tolist()), np.int32)


def of_kind(rows, kind):
    return rows[rows[:, scene.KIND] == kind]


def board(rows):
    """Return the cells, without the stones beside the names."""
    cells = of_kind(rows, scene.CELL)
    return cells[cells[:, scene.KEY] > 0]


def said(rows):
    found = rows[np.isin(rows[:, scene.KIND], [scene.LABEL, scene.TAG])].tolist()
    return [labels.fill(GAME.labels[row[scene.FACE]], row[scene.A :]) for row in found]


def test_cells_hold_stones_the_last_is_marked_and_empty_ones_may_be_chosen():
    rows = shown(V, "player_1 is X, O to move, last b1\n. X . .\n. . . .\n. . O X")
    cells = board(rows)
    assert cells[:, scene.FACE].tolist() == [0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 2, 1]
    assert np.flatnonzero(cells[:, scene.FLAGS] & scene.LAST).tolist() == [1]
    assert np.flatnonzero(cells[:, scene.FLAGS] & scene.LEGAL).tolist() == [0, 2, 3, 4, 5, 6, 7, 8, 9]
    assert "player_0 (O) to move" in said(rows)
    assert {"a", "d", "1", "3"} <= set(said(rows))


@pytest.mark.parametrize(
    ("diagram", "ends"),
    [
        ("player_0 is X, player_0 won\nX X X .\nO O . .\n. . . .", (0, 2)),
        ("player_0 is X, player_1 won\n. X O X\n. O . X\nO . . .", (2, 8)),
        ("player_0 is X, player_0 won\nX O . .\nX O . .\nX . . .", (0, 8)),
        ("player_0 is X, player_0 won\n. X O .\n. O X .\n. . . X", (1, 11)),
    ],
)
def test_a_band_runs_through_the_line_that_won(diagram, ends):
    rows = shown(V, diagram)
    band, cells = of_kind(rows, scene.STRIKE)[0], board(rows)
    middles = cells[:, [scene.X, scene.Y]] + cells[:, [scene.WIDE, scene.HIGH]] // 2
    start = band[[scene.X, scene.Y]]
    assert [start.tolist(), (start + band[[scene.WIDE, scene.HIGH]]).tolist()] == middles[list(ends)].tolist()
    assert len(of_kind(rows, scene.STRIKE)) == 1
    assert any(sentence.endswith(" wins") for sentence in said(rows))


def test_a_row_that_is_too_long_for_a_line_has_no_band():
    diagram = "player_0 is X, player_0 won\nX X X X\nO O . X\n. . . X"
    bands = {line: of_kind(shown(GAME.altered(V, line=line), diagram), scene.STRIKE) for line in ("free", "exact")}
    assert len(bands["free"]) == 2
    assert bands["exact"][:, [scene.WIDE, scene.HIGH]].tolist() == [[0, bands["exact"][0, scene.HIGH]]]


def test_a_row_that_is_blocked_has_no_band_unless_the_last_reply_did_it():
    v = GAME.make_variant(m=2, n=6, k=3, line="caro")
    diagram = "player_0 is X, player_0 won{}\nO X X X O .\n. O . . X ."
    assert len(of_kind(shown(v, diagram.format("")), scene.STRIKE)) == 0
    assert len(of_kind(shown(v, diagram.format(", last e1")), scene.STRIKE)) == 1
    assert len(of_kind(shown(GAME.altered(v, line="free"), diagram.format("")), scene.STRIKE)) == 1


def test_a_cross_marks_where_x_may_not_play():
    v = GAME.make_variant(m=5, n=7, bans="renju")
    diagram = "player_0 is X, {} to move\nX X X . X X X\n. . . . . . .\n. O O . O O .\n. . . . . . .\n. . . . . . ."
    rows = shown(v, diagram.format("X"))
    assert said(rows).count("×") == 1
    assert not board(rows)[3, scene.FLAGS] & scene.LEGAL
    rows = shown(v, diagram.format("O"), seat=1)
    assert said(rows).count("×") == 0
    assert board(rows)[3, scene.FLAGS] & scene.LEGAL


def test_the_largest_board_fits_into_a_scene():
    v = GAME.make_variant(m=25, n=25, k=5)
    states = np.zeros(1, GAME.layout(v))
    dispatch.start(v, states[0], 1, -1)
    rows = render_svg.rows(GAME, v, states, 0)
    assert len(board(rows)) == 625
    assert len(rows) < scene.MOST


def test_a_cell_is_chosen_by_its_key():
    row = np.zeros(input_spec.ENTRIES, np.int32)
    states = text.read(V, "player_0 is X, X to move\n. . . .\n. . . .\n. . . .")
    dispatch.elements(V, states[0], 7, row)
    assert (row[input_spec.HOW], row[input_spec.COUNT], row[input_spec.KEYS]) == (input_spec.SELECT, 1, 8)


def test_results_are_told_in_words():
    won = text.read(V, "player_0 is X, player_0 won\nX X X .\nO O . .\n. . . .")[0]
    drawn = text.read(V, "player_0 is X, draw\nX X O O\nO O X X\nX X O O")[0]
    assert [result(V, won, seat) for seat in (0, 1)] == ["won with three in a row", "lost"]
    assert result(V, drawn, 0) == "drew"
    assert result(GAME.make_variant(m=25, n=25, k=13), won, 0) == "won with 13 in a row"
