"""Compiled loops over patterns along a board's lines: one position after another, which stays near the processor.

Torch passes over a whole minibatch once for every operation, and waits for memory most of the time.

All arrays are float32 and C-contiguous unless said otherwise; `size` is that of a row, see `frame`.
"""

from typing import Any

import numpy as np

from kozyr.envs.compile import fast


@fast
def read_patterns(stones: Any, columns: int, reach: int, rays: Any, pairs: Any, room: Any, patterns: Any) -> None:
    """Write the patterns through every cell.

    Args:
        stones: [n, planes, cells] mine, theirs, then walls if there are any.
        columns: of the board.
        reach: cells to a side that a pattern has.
        rays: int16 [4 ** reach] what tells rays apart, by two bits a cell, the nearest lowest.
        pairs: int16 [rays, rays] patterns by the rays to both sides.
        room: int16 [3, (rows + 2 × reach) × (columns + 2 × reach)] is written over.
        patterns: int16 [n, cells, 8] gets the rows of a table of patterns, mine first.
    """
    wide, rows = columns + 2 * reach, stones.shape[2] // columns
    number = pairs[len(pairs) - 1, len(pairs) - 1] + 1
    content, before, after, steps = room[0], room[1], room[2], (1, wide, wide + 1, wide - 1)
    for i in range(len(stones)):
        for side in range(2):
            _lay_out(stones[i], side, columns, reach, content)
            for line in range(4):
                _rays(content, steps[line], reach, before, after)
                for row in range(rows):
                    first, to = (row + reach) * wide + reach, row * columns
                    for column in range(columns):
                        kind = pairs[rays[before[first + column]], rays[after[first + column]]]
                        patterns[i, to + column, 4 * side + line] = kind + side * number


@fast
def _lay_out(stones: Any, side: int, columns: int, reach: int, content: Any) -> None:
    """Write the content of every cell for a side, with walls around: 0 nothing, 1 an own stone, 2 the end of a line."""
    wide = columns + 2 * reach
    for at in range(len(content)):
        content[at] = 2
    for row in range(stones.shape[1] // columns):
        line, first = content[(row + reach) * wide + reach :], row * columns
        for column in range(columns):
            line[column] = 0
        for plane in range(len(stones)):
            stone = 1 if plane == side else 2
            for column in range(columns):
                if stones[plane, first + column] > 0.5:
                    line[column] = stone


@fast
def _rays(content: Any, step: int, reach: int, before: Any, after: Any) -> None:
    """Write the rays from each cell that is not too near the ends, two bits a cell: those back, and those on."""
    edge = reach * step
    for at in range(len(content)):
        before[at] = after[at] = 0
    for i in range(reach):
        away, shift = (i + 1) * step, 2 * i
        back, on, to, other = content[edge - away :], content[edge + away :], before[edge:], after[edge:]
        for at in range(len(content) - 2 * edge):
            to[at] |= back[at] << shift
            other[at] |= on[at] << shift


@fast
def sum_rows(table: Any, patterns: Any, flags: Any, cells: Any, room: Any, out: Any) -> None:
    """Write, for every cell, the positive part of the sum of a table's rows and the flags.

    Args:
        table: [patterns, features].
        patterns: int16 [n, cells, 8] rows.
        flags: [n, features].
        cells: int64 [cells] where each is in a row of the features.
        room: [features] is written over.
        out: [n, features, size] gets the features.
    """
    features = table.shape[1]
    for i in range(len(patterns)):
        for k in range(features):
            row = out[i, k]
            for at in range(len(row)):
                row[at] = 0.0
        for cell in range(len(cells)):
            one, at = patterns[i, cell], cells[cell]
            a, b, c, d = table[one[0]], table[one[1]], table[one[2]], table[one[3]]
            e, f, g, h = table[one[4]], table[one[5]], table[one[6]], table[one[7]]
            for k in range(features):
                room[k] = flags[i, k] + a[k] + b[k] + c[k] + d[k] + e[k] + f[k] + g[k] + h[k]
            for k in range(features):
                out[i, k, at] = max(room[k], np.float32(0.0))


@fast
def add_rows(gradient: Any, out: Any, patterns: Any, cells: Any, room: Any, line: Any, table: Any, flags: Any) -> None:
    """Add the gradients of a table [patterns, features] and of the flags, given that of `sum_rows`.

    `room` [features, size] and `line` [features] are written over.
    """
    features = out.shape[1]
    for i in range(len(patterns)):
        for k in range(features):
            flags[i, k] += above(gradient[i, k], out[i, k], room[k])
        for cell in range(len(cells)):
            at = cells[cell]
            for k in range(features):
                line[k] = room[k, at]
            for one in range(8):
                row = table[patterns[i, cell, one]]
                for k in range(features):
                    row[k] += line[k]


@fast
def above(gradient: Any, out: Any, to: Any) -> Any:
    """Write the gradient where the outcome is above 0, and zeros elsewhere; return their sum."""
    total = np.float32(0.0)
    for at in range(len(out)):
        to[at] = gradient[at] if out[at] > 0 else np.float32(0.0)
        total += to[at]
    return total
