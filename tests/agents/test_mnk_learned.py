"""The evaluation that the search of the m,n,k-game has learned."""

from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from kozyr.agents.arena.matches.match import match
from kozyr.agents.mnk import learned
from kozyr.agents.mnk import search as mnk
from kozyr.agents.mnk.board import CELLS, FREE, lines
from tests.agents.mnk_walks import GAME, walks

USUAL = GAME.make_variant()


def round_cell(b: Any, a: int, step: tuple[int, int], own: int) -> tuple[int, ...]:
    """Return what a side sees from a cell in one direction: 1 own, 0 free, cell by cell up to what bars it."""
    seen = list[int]()
    for i in range(1, 5):
        r, c = a // b.n + i * step[0], a % b.n + i * step[1]
        if not (0 <= r < b.m and 0 <= c < b.n) or b.stone[r * b.n + c] not in (FREE, own):
            break
        seen.append(int(b.stone[r * b.n + c] == own))
    return tuple(seen)


def test_a_pattern_is_what_a_side_sees_in_a_direction_whichever_way_it_is_read() -> None:
    known = dict[Any, int]()
    walled = GAME.make_variant(m=9, n=8, obstacles=0.2, last_reply=False)
    for v in (USUAL, walled, GAME.make_variant(line="exact"), GAME.altered(walled, line="exact")):
        boards = lines(v)
        learned.install(boards, learned.bundled(v))
        for table in islice(walks(v, 2), 2, None, 19):
            if table.s.reply:
                continue
            mnk.prepare(v, table.view(table.turn), boards)
            b: Any = boards[0]
            for a in map(int, np.flatnonzero(b.stone[: b.cells] == FREE)):
                for d, (down, right) in enumerate(((0, 1), (1, 0), (1, 1), (-1, 1))):
                    for side in range(2):
                        ends = [round_cell(b, a, step, side) for step in ((down, right), (-down, -right))]
                        seen: Any = tuple(sorted(ends)) if len(ends[0]) + len(ends[1]) >= 4 else "no room"
                        found = int(b.pattern[b.number[4 * (side * CELLS + a) + d]])
                        assert known.setdefault(seen, found) == found
    assert len(set(known.values())) == len(known)
    assert learned.patterns().max() + 1 == learned.PATTERNS


def vectors_of(b: Any, numbers: dict[str, NDArray[np.float32]]) -> NDArray[np.float64]:
    """Return the positive parts of the free cells' vectors, in floats."""
    found = []
    for a in np.flatnonzero(b.stone[: b.cells] == FREE):
        own = [s * learned.PATTERNS + b.pattern[b.number[4 * (s * CELLS + a) :][:4]] for s in range(2)]
        found.append(numbers["empty"] + numbers["vectors"][np.concatenate(own)].sum(0))
    return np.maximum(np.array(found, np.float64), 0)


def test_values_and_ratings_are_those_of_the_network_but_for_rounding() -> None:
    numbers, seen = learned.bundled(USUAL), 0
    for v in (USUAL, GAME.make_variant(last_reply=False), GAME.make_variant(line="exact")):
        boards = lines(v)
        learned.install(boards, numbers)
        for table in islice(walks(v, 2, fewest=6), 0, None, 5):
            if table.s.reply:
                continue
            me, b = mnk.prepare(v, table.view(table.turn), boards), boards[0]
            cells, head = vectors_of(b, numbers), 2 * int(b.rule) + me
            units = cells.sum(0) / learned.AREA_UNIT @ numbers["first"][head] + numbers["first_bias"][head]
            value = np.maximum(units, 0) @ numbers["second"][head] + numbers["second_bias"][head]
            assert learned.worth(b, me) == pytest.approx(learned.POINT * value, rel=0.05, abs=20)
            free = np.flatnonzero(b.stone[: b.cells] == FREE)
            ratings = np.array([learned.rating(b, me, int(a)) for a in free])
            off = (ratings - ratings[0]) / 4096 - (cells - cells[0]) @ numbers["moves"][head]
            assert np.abs(off).max() < 0.5
            seen += 1
    assert seen > 10


@pytest.mark.parametrize("content", [b"", b"no archive", b"PK\x03\x04 torn"])
def test_a_file_that_is_no_evaluation_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "valuation.npz"
    path.write_bytes(content)
    with pytest.raises(ValueError, match="is no evaluation of the m,n,k-game"):
        learned.read(path)


def test_numbers_of_another_shape_are_refused(tmp_path: Path) -> None:
    path, numbers = tmp_path / "valuation.npz", dict[str, Any](learned.bundled(USUAL))
    np.savez(path, allow_pickle=False, **numbers | {"empty": np.zeros(3, np.float32)})
    with pytest.raises(ValueError, match=r"empty is not \(32,\) finite numbers"):
        learned.read(path)
    np.savez(path, allow_pickle=False, **numbers | {"empty": np.full(32, np.nan, np.float32)})
    with pytest.raises(ValueError, match="finite"):
        learned.read(path)


def test_what_was_learned_beats_shapes() -> None:
    result = match("mnk", ["search@300", "shapes@300"], 30, seed=1)
    assert result.agents[0].score > 0.65
