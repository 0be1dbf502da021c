"""Lessons: positions of games that `search` plays against itself, and the files that keep them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kozyr import envs
from kozyr.agents.mnk.learned import K
from kozyr.agents.mnk.search import UNKNOWN, Search
from kozyr.envs.environments.tables import Tables
from kozyr.envs.mnk.view import Parts
from kozyr.envs.table import file_output, files

SIDE = 15  # of the largest board
AREA = SIDE**2
_SMALLEST, _SMALL = 8, 0.3  # side of a board, and how often it is smaller than usual
_REPLIES = 2 / 3  # of the games have a last reply
_WALLED, _WALLS = 0.3, (0.02, 0.12)  # how often there are obstacles, and their share of the cells
_OPENING, _SPREAD = (1, 9), (2, 5)  # random plies that a game begins with, and how far from their middle; from, below
_CENTRE = (0.27, 0.73)  # where that middle lies, as shares of rows and columns
_ODD, _ODD_UNTIL = 0.05, 24  # how often one of the next best moves is played instead, and up to which ply
_NEXT_BEST = 5
SPOILT = 2  # no result
_MOST_BYTES = 1 << 30  # of a file of games
_BUDGETS = 2.0  # a game's budget is up to so many times the usual one, or as small a part of it


class Lessons(NamedTuple):
    """Positions in which a search has decided, and their results.

    Attributes:
        stones: [n, AREA] 0 free, 1 X, 2 O, 3 an obstacle.
        side: [n] who is to move, 0 X, 1 O; rule: [n] 1 with the last reply.
        value: [n] of the search, for who is to move; DECIDED where it sees a win, UNKNOWN where it had no choice.
        best: [n] the move that it found best.
        result: [n] what the side to move got in the end, 1, 0 or −1; SPOILT where a move was drawn in between.
    """

    stones: NDArray[np.int8]
    side: NDArray[np.int8]
    rule: NDArray[np.int8]
    value: NDArray[np.int32]
    best: NDArray[np.int16]
    result: NDArray[np.int8]


def joined(lessons: list[Lessons]) -> Lessons:
    """Return several lessons as one."""
    return Lessons(*(np.concatenate(columns) for columns in zip(*lessons, strict=True)))


def play(games: int, seed: int, nodes: int, numbers: dict[str, NDArray[np.float32]] | None) -> Lessons:
    """Return the lessons of some games; the same arguments give the same.

    Args:
        games: how many; seed: of everything that is drawn.
        nodes: positions a decision, about.
        numbers: of the evaluation, None: shapes.
    """
    rng, lessons = np.random.default_rng(seed), list[Lessons]()
    for _ in range(games):
        tables, player = _seat(rng, numbers or {})
        player.budget = int(nodes * _BUDGETS ** rng.uniform(-1, 1))
        lessons.append(_lessons(tables, player, rng))
    return joined(lessons)


def _seat(rng: np.random.Generator, numbers: dict[str, NDArray[np.float32]]) -> tuple[Tables, Search]:
    """Return a table with rules drawn at random, and its player."""
    game = envs.game("mnk")
    m, n = rng.integers(_SMALLEST, SIDE + 1, 2) if rng.random() < _SMALL else (SIDE, SIDE)
    obstacles = round(rng.uniform(*_WALLS), 3) if rng.random() < _WALLED else 0.0
    variant = game.make_variant(
        m=int(m), n=int(n), k=K, last_reply=bool(rng.random() < _REPLIES), obstacles=float(obstacles)
    )
    player = Search(game, variant, 0, budget=1, valuation=numbers)
    player.reset(0, int(rng.integers(2**31)))
    return Tables(game, 1, int(rng.integers(2**31)), **game.options(variant)), player


def _lessons(tables: Tables, player: Search, rng: np.random.Generator) -> Lessons:
    """Play one game and return its lessons."""
    v, first = player.variant, int(tables.turns[0])
    m, n, at = v.m, v.n, Parts(v)
    stones = np.full((SIDE, SIDE), 3, np.int8)  # beyond the board nothing can be put, as on an obstacle
    stones[:m, :n] = 3 * tables.views[0][at.wall : at.wall + m * n].reshape(m, n) if v.obstacles > 0 else 0
    opening, rows = _opening(rng, m, n), list[tuple[NDArray[np.int8], int, int, int]]()
    ply = clean = 0  # and from which row on nothing odd was played
    while True:
        view, mask = tables.views[0], tables.masks[0]
        move = next(opening, -1)
        if move < 0 or not mask[move]:
            move, odd = _decide(player, view.copy(), mask.copy(), ply, rng, rows, stones)
            clean = len(rows) if odd else clean
        if move < m * n:
            stones[divmod(move, n)] = 1 + ply % 2
        tables.step(np.array([move]))
        ply += 1
        if tables.ends[0]:
            return _as_lessons(rows, clean, int(v.last_reply), int(np.sign(tables.payoffs[0][first])))


def _opening(rng: np.random.Generator, m: int, n: int) -> Iterator[int]:
    """Yield cells near each other, which may be taken."""
    size = np.array([m, n])
    centre = (rng.uniform(*_CENTRE, 2) * size).astype(np.int64)
    reach = int(rng.integers(*_SPREAD))
    for _ in range(rng.integers(*_OPENING)):
        r, c = np.clip(centre + rng.integers(-reach, reach + 1, 2), 0, size - 1)
        yield int(r * n + c)


def _decide(
    player: Search,
    view: NDArray[Any],
    mask: NDArray[np.int8],
    ply: int,
    rng: np.random.Generator,
    rows: list[tuple[NDArray[np.int8], int, int, int]],
    stones: NDArray[np.int8],
) -> tuple[int, bool]:
    """Return a move, and True if it is an odd one; a decision of the search is noted."""
    player.value = UNKNOWN
    best = player.act(view, mask)
    if player.value != UNKNOWN:
        n = player.variant.n
        rows.append((stones.ravel().copy(), ply % 2, player.value, best // n * SIDE + best % n))
        if ply < _ODD_UNTIL and rng.random() < _ODD:
            move = player.next_best(int(rng.integers(1, _NEXT_BEST + 1)))
            if mask[move]:
                return move, move != best
    return best, False


def _as_lessons(rows: list[tuple[NDArray[np.int8], int, int, int]], clean: int, rule: int, result: int) -> Lessons:
    """Return the lessons of a game that X has won (1), drawn or lost."""
    n, sides = len(rows), np.array([row[1] for row in rows], np.int8)
    return Lessons(
        np.array([row[0] for row in rows], np.int8).reshape(n, AREA),
        sides,
        np.full(n, rule, np.int8),
        np.array([row[2] for row in rows], np.int32),
        np.array([row[3] for row in rows], np.int16),
        np.where(np.arange(n) < clean, SPOILT, np.where(sides == 0, result, -result)).astype(np.int8),
    )


def write_games(path: Path, lessons: Lessons) -> None:
    """Write the lessons of games, whole or not at all."""
    write_arrays(path, lessons._asdict())


def read_games(path: Path) -> Lessons:
    """Return the lessons of a file of games.

    Raises:
        ValueError: if the file holds something else.
    """
    try:
        with files.opened(path) as file:
            files.require_small(file, _MOST_BYTES, len(Lessons._fields))
            with np.load(file) as arrays:
                lessons = Lessons(*(arrays[name] for name in Lessons._fields))
        if lessons.stones.shape != (len(lessons.side), AREA) or len({len(column) for column in lessons}) > 1:
            raise ValueError("its columns do not fit each other")
    except Exception as error:  # NumPy's reader of damaged headers raises whatever its parser does
        raise ValueError(f"{path} is damaged ({error}): delete it, and its games are played once more") from None
    return lessons


def write_arrays(path: Path, arrays: dict[str, Any]) -> None:
    """Write arrays by their names, whole or not at all."""
    with file_output.replacement(path) as part, part.open("wb") as file:
        np.savez_compressed(file, **arrays)
