"""The pattern players of the m,n,k-game choose as slow and obvious readings of the board say."""

from typing import Any, NamedTuple

import numpy as np
import pytest

from kozyr import agents, envs
from kozyr.envs.mnk.board import contents
from tests.contract import variants
from tests.contract.table import Table

GAME = envs.game("mnk")
LARGE = [
    GAME.make_variant(m=m, n=n, k=k, obstacles=walls, line=line)
    for m, n, k, walls, line in (
        (25, 25, 25, 0.0, "free"),
        (25, 25, 9, 0.02, "free"),
        (2, 25, 8, 0.0, "free"),
        (25, 2, 3, 0.0, "free"),
        (15, 15, 5, 0.1, "free"),
        (6, 6, 2, 0.5, "free"),
        (15, 15, 5, 0.0, "exact"),
        (9, 7, 5, 0.0, "exact"),
        (7, 9, 4, 0.1, "exact"),
        (25, 25, 9, 0.02, "exact"),
        (2, 25, 3, 0.0, "exact"),
        (12, 12, 3, 0.0, "exact"),
        (15, 15, 5, 0.0, "caro"),
        (7, 9, 4, 0.1, "caro"),
        (12, 12, 3, 0.0, "exact_caro"),
        (2, 25, 3, 0.0, "exact_caro"),
        (25, 25, 9, 0.02, "exact_caro"),
    )
]
VARIANTS = [*variants.drawn(GAME, 25, seed=8, most=225), *LARGE]
FREE, MINE, THEIRS, WALL = range(4)


class Window(NamedTuple):
    """Window of k cells, and the two beside it, as far as there are any."""

    cells: list[int]
    beside: list[int]


class Position(NamedTuple):
    """What lies on each cell, as the seat to move sees it, and the sides whose rows must not be too long."""

    cells: list[int]
    exact: set[int]


def windows_of(v: Any) -> dict[int, list[list[Window]]]:
    """Give for every cell and direction the windows that hold it."""
    held: dict[int, list[list[Window]]] = {a: [[] for _ in range(4)] for a in range(v.m * v.n)}
    for d, (down, right) in enumerate(((0, 1), (1, -1), (1, 0), (1, 1))):
        for r in range(v.m):
            for c in range(v.n):
                places = [(r + i * down, c + i * right) for i in range(-1, v.k + 1)]
                before, *cells, behind = [x * v.n + y if 0 <= x < v.m and 0 <= y < v.n else None for x, y in places]
                if None not in cells:
                    ends = [a for a in (before, behind) if a is not None]
                    window = Window([a for a in cells if a is not None], ends)
                    for a in window.cells:
                        held[a][d].append(window)
    return held


def position_of(v: Any, table: Table) -> Position:
    names, options = {-1: FREE, 2: WALL, table.turn: MINE, 1 - table.turn: THEIRS}, GAME.options(v)
    both, x = {MINE, THEIRS}, names[table.s.starter]
    exact = both if "exact" in options["line"] else {x} if options["bans"] == "renju" else set[int]()
    return Position([names[held] for held in contents(v, table.s)], exact)


def stones(v: Any, board: Position, window: Window, side: int) -> int:
    """Count a side's stones in a window, −1 if there is anything else or it cannot become a line."""
    inside, beside = [board.cells[a] for a in window.cells], [board.cells[a] for a in window.beside]
    too_long = side in board.exact and side in beside
    blocked = "caro" in str(GAME.options(v)["line"]) and beside == [MINE + THEIRS - side] * 2
    return inside.count(side) if set(inside) <= {FREE, side} and not too_long and not blocked else -1


def worth(v: Any, board: Position, window: Window) -> int:
    mine, theirs = stones(v, board, window, MINE), stones(v, board, window, THEIRS)
    growth = 8 if v.k <= 8 else 2
    return 3 * growth**mine if mine > 0 else 2 * growth**theirs if theirs >= 0 else 0


def shape(v: Any, board: Position, directions: list[list[Window]], side: int) -> dict[str, int]:
    """Count the fives, open fours, fours and open threes that a stone would make."""
    found = {"five": 0, "open four": 0, "four": 0, "open three": 0}
    for windows in directions:
        counts = [stones(v, board, window, side) for window in windows]
        most = max(counts, default=-1)
        fullest = [window for window, n in zip(windows, counts, strict=True) if n == most]
        lacking = {tuple(a for a in window.cells if board.cells[a] == FREE) for window in fullest}
        opened = "open " if len(lacking) > 1 else ""
        name = {v.k - 1: "five", v.k - 2: opened + "four", v.k - 3: opened + "three"}.get(most, "")
        if most >= 0 and name in found:
            found[name] += 1
    return found


def level(v: Any, board: Position, directions: list[list[Window]]) -> int:
    mine, theirs = (shape(v, board, directions, side) for side in (MINE, THEIRS))

    def fours(made: dict[str, int]) -> int:
        return made["four"] + 2 * made["open four"]

    def forks(made: dict[str, int]) -> bool:
        return fours(made) == 1 and made["open three"] > 0

    def threes(made: dict[str, int]) -> bool:
        return fours(made) == 0 and made["open three"] > 1

    steps = [
        mine["five"],
        theirs["five"],
        fours(mine) > 1,
        fours(theirs) > 1,
        forks(mine),
        threes(mine),
        forks(theirs) or threes(theirs),
    ]
    return next((7 - i for i, step in enumerate(steps) if step), 0)


@pytest.mark.parametrize("v", VARIANTS, ids=str)
def test_choices_are_among_the_best_cells(v: Any) -> None:
    easy, hard = (agents.load(name, "mnk", **GAME.options(v)) for name in ("easy", "hard"))
    held, table = windows_of(v), Table(GAME, v, 3)
    for ply, _ in enumerate(table.walk(5, 120)):
        if table.over or ply % 7 or table.s.reply or table.s.stage:  # an opening of swap2 is none of theirs
            continue
        seen, mask, board = table.view(table.turn), table.mask(), position_of(v, table)
        legal = np.flatnonzero(mask).tolist()
        totals = {a: sum(worth(v, board, w) for d in held[a] for w in d) for a in legal}
        for side in (MINE, THEIRS):
            closing = {a: sum(stones(v, board, w, side) == v.k - 1 for d in held[a] for w in d) for a in legal}
            if any(closing.values()):
                totals = closing
                break
        assert totals[easy.act(seen, mask)] == max(totals.values())
        ranks = {a: (level(v, board, held[a]), totals[a]) for a in legal}
        if max(ranks.values())[0] < 7:
            assert ranks[hard.act(seen, mask)] == max(ranks.values())
