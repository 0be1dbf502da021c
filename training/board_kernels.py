"""Compiled loops of the board's network: one position after another, so that all that is read stays near the processor.

Torch passes over a whole minibatch's features once for every operation, and waits for memory most of the time. Here a
layer reads a position's features once. A feature of all cells lies in one row that goes on without a break from one
line of the board to the next, with a zero between them and zeros around: its neighbours are the row, moved.

All arrays are float32 and C-contiguous unless said otherwise; `size` is that of a row, from `frame`.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.core.jit import fast

_WIDE = 8  # floats that are worked on at once: a row's length is a multiple


class Frame(NamedTuple):
    """How a row holds a board: [rows, columns] in lines of `pitch`, the first cell at `first`."""

    rows: int
    columns: int
    pitch: int
    first: int
    size: int

    def cells(self) -> NDArray[np.int64]:
        """Return where each cell is in a row, int64 [rows × columns]."""
        lines = np.arange(self.rows)[:, None] * self.pitch + np.arange(self.columns)
        return (lines + self.first).ravel()


def frame(rows: int, columns: int) -> Frame:
    """Return how a row holds a board."""
    pitch = columns + 1
    size = (rows + 2) * pitch + 1
    return Frame(rows, columns, pitch, pitch + 1, -(-size // _WIDE) * _WIDE)


@fast
def read_patterns(stones: Any, columns: int, reach: int, rays: Any, pairs: Any, room: Any, found: Any) -> None:
    """Write the patterns through every cell.

    Args:
        stones: [n, planes, cells] mine, theirs, then walls if there are any.
        columns: of the board.
        reach: cells to a side that a pattern has.
        rays: int16 [4 ** reach] what tells rays apart, by two bits a cell, the nearest lowest.
        pairs: int16 [rays, rays] patterns by the rays to both sides.
        room: int16 [3, (rows + 2 × reach) × (columns + 2 × reach)] is written over.
        found: int16 [n, cells, 8] gets the rows of a table of patterns, mine first.
    """
    wide, rows = columns + 2 * reach, stones.shape[2] // columns
    number = pairs[len(pairs) - 1, len(pairs) - 1] + 1
    seen, before, after, steps = room[0], room[1], room[2], (1, wide, wide + 1, wide - 1)
    for i in range(len(stones)):
        for side in range(2):
            _see(stones[i], side, columns, reach, seen)
            for line in range(4):
                _rays(seen, steps[line], reach, before, after)
                for row in range(rows):
                    first, to = (row + reach) * wide + reach, row * columns
                    for column in range(columns):
                        kind = pairs[rays[before[first + column]], rays[after[first + column]]]
                        found[i, to + column, 4 * side + line] = kind + side * number


@fast
def _see(stones: Any, side: int, columns: int, reach: int, seen: Any) -> None:
    """Write what every cell holds for a side, with walls around: 0 nothing, 1 an own stone, 2 what ends a line."""
    wide = columns + 2 * reach
    for at in range(len(seen)):
        seen[at] = 2
    for row in range(stones.shape[1] // columns):
        line, first = seen[(row + reach) * wide + reach :], row * columns
        for column in range(columns):
            line[column] = 0
        for plane in range(len(stones)):
            stone = 1 if plane == side else 2
            for column in range(columns):
                if stones[plane, first + column] > 0.5:
                    line[column] = stone


@fast
def _rays(seen: Any, step: int, reach: int, before: Any, after: Any) -> None:
    """Write the rays from each cell that is not too near the ends, two bits a cell: those back, and those on."""
    edge = reach * step
    for at in range(len(seen)):
        before[at] = after[at] = 0
    for i in range(reach):
        away, shift = (i + 1) * step, 2 * i
        back, on, to, other = seen[edge - away :], seen[edge + away :], before[edge:], after[edge:]
        for at in range(len(seen) - 2 * edge):
            to[at] |= back[at] << shift
            other[at] |= on[at] << shift


@fast
def sum_rows(table: Any, found: Any, flags: Any, cells: Any, room: Any, out: Any) -> None:
    """Write, for every cell, what is above 0 of the sum of a table's rows and the flags.

    Args:
        table: [patterns, features].
        found: int16 [n, cells, 8] rows.
        flags: [n, features].
        cells: int64 [cells] where each is in a row of the features.
        room: [features] is written over.
        out: [n, features, size] gets the features.
    """
    features = table.shape[1]
    for i in range(len(found)):
        for k in range(features):
            row = out[i, k]
            for at in range(len(row)):
                row[at] = 0.0
        for cell in range(len(cells)):
            one, at = found[i, cell], cells[cell]
            a, b, c, d = table[one[0]], table[one[1]], table[one[2]], table[one[3]]
            e, f, g, h = table[one[4]], table[one[5]], table[one[6]], table[one[7]]
            for k in range(features):
                room[k] = flags[i, k] + a[k] + b[k] + c[k] + d[k] + e[k] + f[k] + g[k] + h[k]
            for k in range(features):
                out[i, k, at] = max(room[k], np.float32(0.0))


@fast
def add_rows(gradient: Any, out: Any, found: Any, cells: Any, room: Any, table: Any, flags: Any) -> None:
    """Add what a gradient of `sum_rows` says to those of its table [patterns, features] and of its flags.

    `room` [features + 1, size] is written over; `size` is no less than the features.
    """
    features, size = out.shape[1:]
    line = room[features]
    for i in range(len(found)):
        for k in range(features):
            flags[i, k] += _above(gradient[i, k], out[i, k], room[k])
        for cell in range(len(cells)):
            at = cells[cell]
            for k in range(features):
                line[k] = room[k, at]
            for one in range(8):
                row = table[found[i, cell, one]]
                for k in range(features):
                    row[k] += line[k]


@fast
def _above(gradient: Any, out: Any, to: Any) -> float:
    """Write the gradient where the outcome is above 0, and zeros elsewhere; return their sum."""
    total = np.float32(0.0)
    for at in range(len(to)):
        to[at] = gradient[at] if out[at] > 0 else np.float32(0.0)
        total += to[at]
    return total


@fast
def look(
    features: Any, pitch: int, inside: Any, near: Any, cell: Any, bias: Any, whole: Any, room: Any, out: Any
) -> None:
    """Write the features of the next layer.

    Args:
        features: [n, before, size].
        pitch: from one line of the board to the next in a row.
        inside: [size] 1 at cells, 0 around them.
        near: [before, 3] weights of a cell, of its four neighbours at sides, of those at corners.
        cell: [after, before] weights of that sum; bias: [after].
        whole: [after, before] weights of a feature's highest value on the board.
        room: [before + after + 3, size], zeros at first, is written over.
        out: [n, after, size] gets what is above 0.
    """
    before, size = features.shape[1:]
    top, sums = room[before], room[:before]
    for i in range(len(features)):
        for k in range(before):
            _spread(features[i, k], pitch, near[k, 0], near[k, 1], near[k, 2], sums[k])
            top[k] = _highest(features[i, k])
        for j in range(len(bias)):
            row, base = out[i, j], bias[j]
            for k in range(before):
                base += whole[j, k] * top[k]
            _mix(cell[j], sums, base, row)
            for at in range(size):
                row[at] = max(row[at], np.float32(0.0)) * inside[at]


@fast
def _spread(row: Any, pitch: int, own: float, side: float, corner: float, out: Any) -> None:
    """Write the weighted sum of a cell and its neighbours, all along a row but for its ends."""
    top, middle, bottom, inner = row, row[pitch:], row[2 * pitch :], out[pitch + 1 :]
    a, b, c, d, e, f = top[1:], top[2:], middle[1:], middle[2:], bottom[1:], bottom[2:]
    for at in range(len(row) - 2 * pitch - 2):
        sides, corners = a[at] + middle[at] + d[at] + e[at], top[at] + b[at] + bottom[at] + f[at]
        inner[at] = own * c[at] + side * sides + corner * corners


@fast
def _highest(row: Any) -> float:
    """Return the highest of a row, which is 0 or more."""
    high = np.float32(0.0)
    for at in range(len(row)):
        high = max(high, row[at])
    return high


@fast
def _mix(weights: Any, rows: Any, base: float, out: Any) -> None:
    """Write a number and the weighted sum of rows [k, size], all along a row."""
    count, size = rows.shape
    for at in range(size):
        out[at] = base
    four = count - count % 4
    for k in range(0, four, 4):
        a, b, c, d = weights[k], weights[k + 1], weights[k + 2], weights[k + 3]
        first, second, third, fourth = rows[k], rows[k + 1], rows[k + 2], rows[k + 3]
        for at in range(size):
            out[at] += a * first[at] + b * second[at] + c * third[at] + d * fourth[at]
    for k in range(four, count):
        a, first = weights[k], rows[k]
        for at in range(size):
            out[at] += a * first[at]


@fast
def look_back(
    gradient: Any,
    features: Any,
    out: Any,
    pitch: int,
    near: Any,
    cell_t: Any,
    whole_t: Any,
    room: Any,
    back: Any,
    sums: Any,
) -> None:
    """Turn a gradient of `look` into those of its features and weights.

    Args:
        gradient, features, out: [n, after, size], [n, before, size], [n, after, size] of `look`.
        pitch: from one line of the board to the next in a row.
        near, cell_t, whole_t: the weights, the last two turned over: [before, after].
        room: [before + after + 3, size], zeros at first, is written over.
        back: [n, before, size] gets the gradient of the features.
        sums: gradients of near, cell, bias and whole, added to what is there.
    """
    after = gradient.shape[1]
    told, spread, moved, total = room[:after], room[after], room[after + 1], room[after + 2]
    for i in range(len(features)):
        for j in range(after):
            total[j] = _above(gradient[i, j], out[i, j], told[j])
            sums[2][j] += total[j]
        for k in range(features.shape[1]):
            row, to, (own, side, corner) = features[i, k], back[i, k], near[k]
            _mix(cell_t[k], told, np.float32(0.0), spread)
            _near_back(row, pitch, spread, sums[0][k])
            _spread(row, pitch, own, side, corner, moved)
            _dots(told, moved, sums[1][:, k])
            _spread(spread, pitch, own, side, corner, to)
            _top_back(row, total[:after], whole_t[k], to, sums[3][:, k])


@fast
def _near_back(row: Any, pitch: int, gradient: Any, sums: Any) -> None:
    """Add the gradients of the three weights of `_spread`, given that of what it writes."""
    top, middle, bottom, inner = row, row[pitch:], row[2 * pitch :], gradient[pitch + 1 :]
    a, b, c, d, e, f = top[1:], top[2:], middle[1:], middle[2:], bottom[1:], bottom[2:]
    own = side = corner = np.float32(0.0)
    for at in range(len(row) - 2 * pitch - 2):
        own += inner[at] * c[at]
        side += inner[at] * (a[at] + middle[at] + d[at] + e[at])
        corner += inner[at] * (top[at] + b[at] + bottom[at] + f[at])
    sums[0] += own
    sums[1] += side
    sums[2] += corner


@fast
def _top_back(row: Any, total: Any, weights: Any, back: Any, sums: Any) -> None:
    """Add the gradients of a feature's highest value and of its weights."""
    high, pull = _highest(row), np.float32(0.0)
    for j in range(len(total)):
        sums[j] += total[j] * high
        pull += weights[j] * total[j]
    back[_place(row, high)] += pull


@fast
def _dots(rows: Any, row: Any, sums: Any) -> None:
    """Add the products of a row with each of many to their sums."""
    count = len(rows)
    four, zero = count - count % 4, np.float32(0.0)
    for j in range(0, four, 4):
        a, b, c, d = rows[j], rows[j + 1], rows[j + 2], rows[j + 3]
        one = two = three = last = zero
        for at in range(len(row)):
            one += a[at] * row[at]
            two += b[at] * row[at]
            three += c[at] * row[at]
            last += d[at] * row[at]
        sums[j] += one
        sums[j + 1] += two
        sums[j + 2] += three
        sums[j + 3] += last
    for j in range(four, count):
        one, other = zero, rows[j]
        for at in range(len(row)):
            one += other[at] * row[at]
        sums[j] += one


@fast
def tell(features: Any, cells: Any, weights: Any, room: Any, out: Any) -> None:
    """Write each cell's weighted sum of its features, and of every feature the mean and the highest value.

    Args:
        features: [n, features, size].
        cells: int64 [cells] where each is in a row.
        weights: [features].
        room: [size] is written over.
        out: [n, cells + 2 × features].
    """
    count, n = features.shape[1], len(cells)
    for i in range(len(features)):
        _mix(weights, features[i], np.float32(0.0), room)
        told, means, tops = out[i], out[i, n:], out[i, n + count :]
        for cell in range(n):
            told[cell] = room[cells[cell]]
        for k in range(count):
            row, total = features[i, k], np.float32(0.0)
            for at in range(len(row)):
                total += row[at]
            means[k], tops[k] = total / np.float32(n), _highest(row)


@fast
def tell_back(gradient: Any, features: Any, cells: Any, weights: Any, room: Any, back: Any, sums: Any) -> None:
    """Turn a gradient of `tell` [n, cells + 2 × features] into that of its features, and add that of its weights.

    Between the cells of a row of `back` stand numbers that mean nothing.
    """
    count, n = features.shape[1], len(cells)
    for i in range(len(features)):
        told, means, tops = gradient[i], gradient[i, n:], gradient[i, n + count :]
        for cell in range(n):
            room[cells[cell]] = told[cell]
        for k in range(count):
            row, to, weight, mean, total = features[i, k], back[i, k], weights[k], means[k] / n, np.float32(0.0)
            for at in range(len(row)):
                to[at] = weight * room[at] + mean
                total += room[at] * row[at]
            to[_place(row, _highest(row))] += tops[k]
            sums[k] += total


@fast
def _place(row: Any, value: float) -> int:
    """Return where a row holds a value first."""
    at = 0
    while at < len(row) - 1 and row[at] != value:
        at += 1
    return at
