"""The board that the search of the m,n,k-game keeps up to date is the one that the rules would show."""

import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from kozyr.agents.mnk import learned
from kozyr.agents.mnk import search as mnk
from kozyr.agents.mnk.board import CELLS, LONGEST, O, X, fits, lines, visible_cells
from kozyr.agents.mnk.lines import fives, put, take
from kozyr.agents.mnk.tree import highest
from tests.agents.mnk_walks import GAME, completing, walks
from tests.contract import variants
from tests.contract.table import Table

LINED = [v for v in variants.drawn(GAME, 60, seed=5, most=150) if fits(v)]
EXACT = [v for v in {GAME.altered(v, line="exact") for v in LINED if 3 <= v.k <= 5} if fits(v)][:8]
PLAIN = [v for v in LINED + EXACT if not v.opening_rule]  # stones come in turn from the first one on


SEARCHED = """
import numpy as np
from kozyr import agents, envs
from kozyr.envs.environments.tables import Tables

for options, nodes, moves in (
    ({"m": 4, "n": 5, "k": 3}, 200, 6),
    ({"m": 7, "n": 6, "k": 4, "obstacles": 0.1, "last_reply": False}, 200, 6),
    ({"m": 7, "n": 6, "k": 5}, 60, 3),
):
    tables, player = Tables(envs.game("mnk"), 1, 1, **options), agents.load(f"mnk:search@{nodes}", **options)
    player.reset(-1, 1)
    for _ in range(moves):
        action = player.act(tables.views[0], tables.masks[0])
        print(action, player.nodes, player.depth, player.value)
        tables.step(np.array([action]))
"""


@pytest.mark.long
def test_the_search_is_the_same_compiled_or_not() -> None:
    def told(interpreted: str) -> list[str]:
        environment = os.environ | {"NUMBA_DISABLE_JIT": interpreted}
        command = [sys.executable, "-c", SEARCHED]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.split()

    assert told("1") == told("0")


def listed(b: Any, side: int) -> set[int]:
    return {int(b.listed[(2 * side + 1) * CELLS + i]) for i in range(fives(b, side))}


def test_lines_are_those_of_the_rules() -> None:
    for v in LINED + EXACT:
        boards = lines(v)
        for table in walks(v, 2):
            mnk.prepare(v, table.view(table.turn), boards)
            b: Any = boards[0]
            for side, seat in ((X, int(table.s.x)), (O, 1 - int(table.s.x))):
                assert listed(b, side) == completing(table, seat)
            assert int(b.left) == int(table.s.room - table.s.ply)


def test_a_board_after_stones_put_and_taken_is_that_set_up_afresh() -> None:
    for v in PLAIN:
        boards, fresh = valuing(v), valuing(v)
        table = Table(GAME, v, 1)
        mnk.prepare(v, table.view(0), boards)
        start, played = boards.copy(), list[tuple[int, int]]()
        side = X
        for a in table.walk(2):
            put(boards[0], a, side)
            played.append((a, side))
            if table.over or table.s.reply:
                break
            side = 1 - side
            mnk.prepare(v, table.view(table.turn), fresh)
            assert_equal_boards(boards[0], fresh[0])
        for a, who in reversed(played):
            take(boards[0], a, who)
        assert_equal_boards(boards[0], start[0])


def test_stones_put_and_taken_at_random_leave_what_a_fresh_board_has() -> None:
    rng = np.random.default_rng(6)
    for v in PLAIN:
        boards, fresh = valuing(v), valuing(v)
        table = Table(GAME, v, 1)
        mnk.prepare(v, table.view(table.turn), boards)
        b: Any = boards[0]
        tables = [table]
        stones = list[tuple[int, int]]()
        for _ in range(120):
            if stones and (tables[-1].over or tables[-1].s.reply or rng.random() < 0.45):
                take(b, *stones.pop())
                tables.pop()
            elif not tables[-1].over:
                after = tables[-1].copy()
                a = int(rng.choice(np.flatnonzero(after.mask())))
                after.play(a)
                stones.append((a, len(stones) % 2))
                tables.append(after)
                put(b, *stones[-1])
            if not tables[-1].over and not tables[-1].s.reply:
                mnk.prepare(v, tables[-1].view(tables[-1].turn), fresh)
                assert_equal_boards(b, fresh[0])


def valuing(v: Any) -> NDArray[np.void]:
    """Return a board, which also values positions where what was learned fits the variant."""
    boards = lines(v)
    if v.k == learned.K:
        learned.install(boards, learned.bundled(v))
    return boards


def assert_equal_boards(one: Any, other: Any) -> None:
    cells = np.arange(one.cells)
    free = cells[one.stone[: one.cells] == -1]
    taken = np.setdiff1d(cells, free)
    assert one.key == other.key
    assert one.left == other.left
    np.testing.assert_array_equal(one.total, other.total)
    np.testing.assert_array_equal(one.count, other.count)
    np.testing.assert_array_equal(one.barred, other.barred)
    np.testing.assert_array_equal(one.sums, other.sums)
    vectors = (board.hidden.reshape(-1, learned.WIDTH)[free] for board in (one, other))
    np.testing.assert_array_equal(*vectors)
    for side in (X, O):
        np.testing.assert_array_equal(shapes(one, side, free), shapes(other, side, free))
        np.testing.assert_array_equal(one.score[side * CELLS + free], other.score[side * CELLS + free])
        assert (one.score[side * CELLS + taken] < 0).all()
        assert listed(one, side) == listed(other, side)


def shapes(b: Any, side: int, cells: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Return what `side` would make on cells, by direction."""
    return b.table[b.number[4 * (side * CELLS + cells[:, None]) + np.arange(4)]]


def test_a_stone_is_seen_as_far_as_nothing_bars_the_side() -> None:
    for k in range(1, LONGEST + 1):
        for bits in range(2 ** (2 * k - 1)):
            line = [bits >> i & 1 for i in range(2 * k - 1)]
            line[k - 1] = 0
            windows = [range(i, i + k) for i in range(k) if not any(line[i : i + k])]
            cells = {i for window in windows for i in window} - {k - 1}
            assert visible_cells(bits, k, k - 1) == sum(1 << i for i in cells)


def test_where_lines_are_exact_a_stone_is_seen_a_cell_further() -> None:
    for k in range(1, LONGEST):
        for bits in range(2 ** (2 * k + 1)):
            line = [bits >> i & 1 for i in range(2 * k + 1)]
            line[k] = 0
            low = max((i + 1 for i in range(k) if line[i]), default=0)
            high = min((i - 1 for i in range(k + 1, 2 * k + 1) if line[i]), default=2 * k)
            cells = {*range(low, high + 1)} - {k} if high - low + 1 >= k else set[int]()
            assert visible_cells(bits, k, k) == sum(1 << i for i in cells)


def test_the_highest_move_below_another() -> None:
    moves = np.random.default_rng(7).permutation(2000)[:300].astype(np.int32)
    picked, found = np.int32(2**31 - 1), list[int]()
    while (picked := np.int32(highest(moves, picked))) >= 0:
        found.append(int(picked))
    assert found == sorted(moves.tolist(), reverse=True)
