"""The bans of renju are those of the definitions: on named positions, on random ones, and in games."""

from typing import Any

import numpy as np
import pytest

from kozyr import envs
from kozyr.envs.mnk.bans import is_banned
from kozyr.envs.mnk.board import EMPTY, contents
from tests.games.lockstep import play_both, seeds
from tests.oracles import renju

GAME = envs.game("mnk")


def found(v: Any, s: Any) -> list[int]:
    """Return the free cells from which X is banned."""
    return [a for a, held in enumerate(contents(v, s)) if held == EMPTY and is_banned(v, s, a)]


def expected(v: Any, s: Any) -> list[int]:
    """Return those cells by the oracle."""
    marks = "".join({EMPTY: ".", int(s.starter): "X"}.get(held, "O") for held in contents(v, s))
    board = renju.read([marks[r * v.n : (r + 1) * v.n] for r in range(v.m)])
    return [r * v.n + c for r, c in sorted(board.free) if board.banned((r, c))]


def scattered(rng: np.random.Generator) -> Any:
    """Return a variant and a position with stones, and sometimes walls, on cells drawn at random."""
    m, n = rng.integers(5, 12, 2).tolist()
    walled = bool(rng.random() < 0.2)
    v = GAME.make_variant(m=m, n=n, bans="renju", obstacles=0.1 if walled else 0.0)
    x, o = rng.uniform(0.15, 0.5), rng.uniform(0, 0.2)
    marks = rng.choice([".", "X", "O", "#"], m * n, p=[1 - x - o, x, o - 0.05 * o * walled, 0.05 * o * walled])
    rows = "\n".join(" ".join(row) for row in marks.reshape(m, n).tolist())
    return v, GAME.text.read(v, f"player_{rng.integers(2)} is X, O to move\n{rows}")[0]


@pytest.mark.parametrize("seed", seeds(6))
def test_bans_of_random_positions_are_those_of_the_oracle(seed: int) -> None:
    rng, banned = np.random.default_rng(seed), 0
    for _ in range(600):
        v, s = scattered(rng)
        here = found(v, s)
        assert here == expected(v, s), GAME.text.write(v, s)
        banned += len(here)
    assert banned > 500


# Rows through cells, each by its direction and what lies on it: the star is the cell, and what it says of the stones is
# what a stone there makes. The cell that is asked for is the middle; others are told by their way from it.
ACROSS, DOWN, FALLING, RISING = renju.WAYS
POSITIONS: dict[str, tuple[bool, list[Any]]] = {
    "two threes": (True, [(ACROSS, "..XX*..."), (DOWN, "..XX*...")]),
    "two threes on diagonals": (True, [(FALLING, "..X*X..."), (RISING, "...*XX..")]),
    "two broken threes": (True, [(ACROSS, ".X.X*..."), (DOWN, ".XX.*...")]),
    "three threes": (True, [(ACROSS, "..XX*..."), (DOWN, "..XX*..."), (RISING, "..XX*...")]),
    "a three": (False, [(ACROSS, "..XX*...")]),
    "a three and two stones far apart": (False, [(ACROSS, "..XX*..."), (DOWN, ".X..*..X")]),
    "a three and a closed one": (False, [(ACROSS, "..XX*..."), (DOWN, "OXX*....")]),
    "a three and one with no room": (False, [(ACROSS, "..XX*..."), (DOWN, "O.XX*.O.")]),
    "a three and one with just enough room": (True, [(ACROSS, "..XX*..."), (DOWN, "O.XX*..O")]),
    "a three and one that would grow too long": (False, [(ACROSS, "..XX*..."), (DOWN, "O.XX*..X")]),
    "a three and one that can grow the other way": (True, [(ACROSS, "..XX*..."), (DOWN, "...XX*..X")]),
    "a three and a four": (False, [(ACROSS, "..XX*..."), (DOWN, "OXXX*...")]),
    "a three and a straight four": (False, [(ACROSS, "..XX*..."), (DOWN, "..XXX*..")]),
    "two threes and a four": (True, [(ACROSS, "..XX*..."), (DOWN, "..XX*..."), (FALLING, "OXXX*...")]),
    "two fours": (True, [(ACROSS, "OXXX*..."), (DOWN, "..XX*X.O")]),
    "two straight fours": (True, [(ACROSS, "..XXX*.."), (DOWN, "..XXX*..")]),
    "a straight four": (False, [(ACROSS, "..XXX*..")]),
    "a four and four stones with both ends closed": (False, [(ACROSS, "OXXX*..."), (DOWN, "OXXX*O..")]),
    "a four and stones that only make six": (False, [(ACROSS, "OXXX*..."), (DOWN, ".XX.XX*.")]),
    "two fours in one row, a stone between": (True, [(ACROSS, ".X.X*X.X.")]),
    "two fours in one row, two stones each": (True, [(ACROSS, ".XX.X*.XX.")]),
    "two fours in one row, three stones each": (True, [(ACROSS, ".XXX.*.XXX.")]),
    "one four in a row of broken stones": (False, [(ACROSS, ".X.X*X.O")]),
    "six": (True, [(ACROSS, ".XXX*XX.")]),
    "seven": (True, [(ACROSS, ".XXX*XXX.")]),
    "five": (False, [(ACROSS, ".XXX*X..")]),
    "five and six": (False, [(ACROSS, ".XXX*X.."), (DOWN, ".XXX*XX.")]),
    "five and two fours": (False, [(ACROSS, ".XXX*X.."), (DOWN, "OXXX*..."), (FALLING, "OXXX*...")]),
    "five and two threes": (False, [(ACROSS, ".XXX*X.."), (DOWN, "..XX*..."), (FALLING, "..XX*...")]),
    "a three whose fourth stone makes six": (
        False,
        [(ACROSS, ".X.X*..."), (DOWN, "..XX*..."), (DOWN, ".XXX*XX.", (0, -2))],
    ),
    "a three whose fourth stone makes five elsewhere": (
        False,
        [(ACROSS, ".X.X*..."), (DOWN, "..XX*..."), (DOWN, ".XXX*X..", (0, -2))],
    ),
    "a three whose fourth stone makes another four": (
        False,
        [(ACROSS, ".X.X*..."), (DOWN, "..XX*..."), (DOWN, "OXXX*...", (0, -2))],
    ),
    "a three whose fourth stone makes another three": (
        True,
        [(ACROSS, ".X.X*..."), (DOWN, "..XX*..."), (DOWN, "..XX*...", (0, -2))],
    ),
    "a three whose fourth stone makes two others": (
        False,
        [(ACROSS, ".X.X*..."), (DOWN, "..XX*..."), (DOWN, "..XX*...", (0, -2)), (FALLING, "..XX*...", (0, -2))],
    ),
    "a three whose fourth stone makes two others, one of which cannot grow, since that would make six": (
        True,
        [
            (ACROSS, ".X.X*..."),
            (RISING, "..XX*..."),
            (DOWN, ".X.X*..O", (0, -2)),
            (FALLING, "..XX*...", (0, -2)),
            (ACROSS, ".XXX*XX.", (-2, -2)),
        ],
    ),
}


def drawn(lines: list[Any]) -> tuple[Any, Any, int]:
    """Return a variant, a position with some lines on the board, and the number of the cell in the middle."""
    v, side = GAME.make_variant(m=19, n=19, bans="renju"), 19
    marks, empty = [["."] * side for _ in range(side)], set[tuple[int, int]]()
    for way, line, *away in lines:
        down, right = away[0] if away else (0, 0)
        for i, mark in enumerate(line, -line.index("*")):
            r, c = side // 2 + down + i * way[0], side // 2 + right + i * way[1]
            if mark in ".*":
                empty.add((r, c))
            else:
                marks[r][c] = mark
    assert not any(marks[r][c] != "." for r, c in empty), "lines of a position must not contradict each other"
    rows = "\n".join(" ".join(row) for row in marks)
    return v, GAME.text.read(v, f"player_0 is X, X to move\n{rows}")[0], side * (side // 2) + side // 2


@pytest.mark.parametrize("name", POSITIONS)
def test_named_positions(name: str) -> None:
    banned, lines = POSITIONS[name]
    v, s, cell = drawn(lines)
    assert (cell in found(v, s)) == banned, GAME.text.write(v, s)
    assert found(v, s) == expected(v, s)


@pytest.mark.parametrize("seed", seeds(4))
def test_random_games_with_bans_agree(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for i in range(25):
        m, n = rng.integers(5, 9, 2).tolist()
        options = {"obstacles": 0.1 * (i % 4 == 0), "max_moves": 30 * (i % 5 == 0), "last_reply": i % 2 == 0}
        play_both(GAME, GAME.make_variant(m=m, n=n, bans="renju", **options), 1000 * seed + i)
