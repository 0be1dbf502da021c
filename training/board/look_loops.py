"""Compiled loops over the features of a board's cells: one position after another, which stays near the processor.

All arrays are float32 and C-contiguous unless said otherwise; `size` is that of a row, see `frame`.
"""

from typing import Any

import numpy as np

from kozyr.envs.core.jit import fast
from kozyr.training.board.pattern_loops import above


@fast
def look(
    features: Any,
    pitch: int,
    inside: Any,
    near: Any,
    cell: Any,
    bias: Any,
    whole: Any,
    room: Any,
    top: Any,
    out: Any,
) -> None:
    """Write the features of the next layer.

    Args:
        features: [n, before, size].
        pitch: from one line of the board to the next in a row.
        inside: [size] 1 at cells, 0 around them.
        near: [before, 3] weights of a cell, of its four neighbours at sides, of those at corners.
        cell: [after, before] weights of that sum; bias: [after].
        whole: [after, before] weights of a feature's highest value on the board.
        room: [before, size], zeros at first, and top [before] are written over.
        out: [n, after, size] gets what is above 0.
    """
    before, size = features.shape[1:]
    for i in range(len(features)):
        for k in range(before):
            _spread(features[i, k], pitch, near[k, 0], near[k, 1], near[k, 2], room[k])
            top[k] = _highest(features[i, k])
        for j in range(len(bias)):
            row, base = out[i, j], bias[j]
            for k in range(before):
                base += whole[j, k] * top[k]
            _mix(cell[j], room, base, row)
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
def _highest(row: Any) -> Any:
    """Return the highest of a row, which is 0 or more."""
    high = np.float32(0.0)
    for at in range(len(row)):
        high = max(high, row[at])
    return high


@fast
def _mix(weights: Any, rows: Any, base: Any, out: Any) -> None:
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
    total: Any,
    back: Any,
    sums: Any,
) -> None:
    """Turn a gradient of `look` into those of its features and weights.

    Args:
        gradient, features, out: [n, after, size], [n, before, size], [n, after, size] of `look`.
        pitch: from one line of the board to the next in a row.
        near, cell_t, whole_t: the weights, the last two turned over: [before, after].
        room: [after + 2, size], zeros at first, and total [after] are written over.
        back: [n, before, size] gets the gradient of the features.
        sums: gradients of near, cell, bias and whole, added to what is there.
    """
    after = gradient.shape[1]
    told, spread, moved = room[:after], room[after], room[after + 1]
    for i in range(len(features)):
        for j in range(after):
            total[j] = above(gradient[i, j], out[i, j], told[j])
            sums[2][j] += total[j]
        for k in range(features.shape[1]):
            row, to, (own, side, corner) = features[i, k], back[i, k], near[k]
            _mix(cell_t[k], told, np.float32(0.0), spread)
            _near_back(row, pitch, spread, sums[0][k])
            _spread(row, pitch, own, side, corner, moved)
            _dots(told, moved, sums[1][:, k])
            _spread(spread, pitch, own, side, corner, to)
            _top_back(row, total, whole_t[k], to, sums[3][:, k])


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
