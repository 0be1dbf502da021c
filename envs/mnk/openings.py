"""Openings of the m,n,k-game in the two notations of Gomocup's tools.

| Notation | A line | Cells |
|---|---|---|
| offset | `-1,2, 3,-4` | column, row from the middle: column n // 2, row m // 2, counted from 0 |
| pos | `h8i9` | column by letter, row from 1, from the upper left corner |

Gomocup and Piskvork publish offsets; c-gomoku-cli reads both, and Yixin's board copies the second one.
"""

import re

from kozyr.envs.core import capabilities
from kozyr.envs.core.quote import quote
from kozyr.envs.mnk.rules import Variant
from kozyr.envs.mnk.swap2 import FIRST_STONES

_OFFSETS = re.compile(r"-?[0-9]{1,4}(?:[ ,\t]+-?[0-9]{1,4})*")
_CELLS = re.compile(r"(?:[a-z][0-9]{1,3} ?)+", re.IGNORECASE | re.ASCII)


@capabilities.opening_line.register(Variant)
def opening_line(v: Variant, line: str) -> list[int]:
    """Return the cells of an opening, in the order played.

    Raises:
        ValueError: for a line in neither notation, cells off the board, boards with walls, and more stones than swap2
            lays before somebody chooses.
    """
    if v.obstacles:
        raise ValueError("openings need a board without walls: leave obstacles out")
    if _OFFSETS.fullmatch(line):
        numbers = [int(one) for one in re.findall(r"-?[0-9]+", line)]
        if len(numbers) % 2:
            raise ValueError(f"{quote(line)} has {len(numbers)} numbers: write two for each stone, as 0,0, 1,-2")
        cells = [(v.n // 2 + x, v.m // 2 + y) for x, y in zip(numbers[::2], numbers[1::2], strict=True)]
    elif _CELLS.fullmatch(line):
        pairs = re.findall(r"([a-z])([0-9]+)", line.lower())
        cells = [(ord(letter) - ord("a"), int(number) - 1) for letter, number in pairs]
    else:
        raise ValueError(f"{quote(line)} is no opening: write offsets from the middle, as 0,0, 1,-2, or cells, as h8i6")
    for number, (x, y) in enumerate(cells, 1):
        if not (0 <= x < v.n and 0 <= y < v.m):
            raise ValueError(f"stone {number} is off the board of {v.m}×{v.n}")
    if v.opening_rule and len(cells) > FIRST_STONES:
        raise ValueError(
            f"{len(cells)} stones are too many for opening_rule='swap2': write {FIRST_STONES} at most, X O X, "
            "for the players choose then"
        )
    return [y * v.n + x for x, y in cells]
