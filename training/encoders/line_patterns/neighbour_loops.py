"""Compiled loops over the features of a board's cells: one position after another, which stays near the processor.

All arrays are float32 and C-contiguous unless said otherwise; `size` is that of a row, see `frame`. Numbers of features
are multiples of four.
"""

from typing import Any

import numpy as np

from kozyr.envs.compile import fast
from kozyr.training.encoders.line_patterns.pattern_loops import above


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
    (before, size), tops = features.shape[1:], top.view(np.int32)
    for i in range(len(features)):
        for k in range(before):
            _spread(features[i, k], pitch, near[k, 0], near[k, 1], near[k, 2], room[k])
            tops[k] = _highest(features[i, k].view(np.int32))
        for j in range(len(bias)):
            base = bias[j]
            for k in range(before):
                base += whole[j, k] * top[k]
            out[i, j] = base
        _mix(cell, room, out[i])
        for j in range(len(bias)):
            row = out[i, j]
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
def _highest(bits: Any) -> Any:
    """Return the highest of a row's bits: numbers from 0 up sort as those do, which compare five times as fast."""
    high = np.int32(0)
    for at in range(len(bits)):
        high = max(high, bits[at])
    return high


@fast
def _mix(weights: Any, rows: Any, out: Any) -> None:
    """Add weighted sums of rows [k, size] to others [j, size], by weights [j, k].

    Four of either at a time: a number that is loaded is used four times.
    """
    for j in range(0, len(out), 4):
        p, q, r, s = weights[j], weights[j + 1], weights[j + 2], weights[j + 3]
        one, two, three, last = out[j], out[j + 1], out[j + 2], out[j + 3]
        for k in range(0, len(rows), 4):
            p0, p1, p2, p3 = p[k], p[k + 1], p[k + 2], p[k + 3]
            q0, q1, q2, q3 = q[k], q[k + 1], q[k + 2], q[k + 3]
            r0, r1, r2, r3 = r[k], r[k + 1], r[k + 2], r[k + 3]
            s0, s1, s2, s3 = s[k], s[k + 1], s[k + 2], s[k + 3]
            a, b, c, d = rows[k], rows[k + 1], rows[k + 2], rows[k + 3]
            for at in range(rows.shape[1]):
                w, x, y, z = a[at], b[at], c[at], d[at]
                one[at] += p0 * w + p1 * x + p2 * y + p3 * z
                two[at] += q0 * w + q1 * x + q2 * y + q3 * z
                three[at] += r0 * w + r1 * x + r2 * y + r3 * z
                last[at] += s0 * w + s1 * x + s2 * y + s3 * z


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
        room: [after + 2 × before, size], zeros at first, and total [after] are written over.
        back: [n, before, size] gets the gradient of the features.
        sums: gradients of near, cell, bias and whole, added to what is there.
    """
    after, before = gradient.shape[1], features.shape[1]
    masked, spread, moved = room[:after], room[after : after + before], room[after + before :]
    for i in range(len(features)):
        for j in range(after):
            total[j] = above(gradient[i, j], out[i, j], masked[j])
            sums[2][j] += total[j]
        spread[:] = np.float32(0.0)
        _mix(cell_t, masked, spread)
        for k in range(before):
            row, to, (own, side, corner) = features[i, k], back[i, k], near[k]
            _near_back(row, pitch, spread[k], sums[0][k])
            _spread(row, pitch, own, side, corner, moved[k])
            _spread(spread[k], pitch, own, side, corner, to)
            _top_back(row, total, whole_t[k], to, sums[3][:, k])
        _dots(masked, moved, sums[1])


@fast
def _near_back(row: Any, pitch: int, gradient: Any, sums: Any) -> None:
    """Add the gradients of the three weights of `_spread`, given that of its output."""
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
    at, pull = _peak(row), np.float32(0.0)
    for j in range(len(total)):
        sums[j] += total[j] * row[at]
        pull += weights[j] * total[j]
    back[at] += pull


@fast
def _dots(rows: Any, others: Any, sums: Any) -> None:
    """Add the product of each of rows [j, size] with each of others [k, size] to sums [j, k], as `_mix` does."""
    zero = np.float32(0.0)
    for j in range(0, len(rows), 4):
        a, b, c, d = rows[j], rows[j + 1], rows[j + 2], rows[j + 3]
        for k in range(0, len(others), 4):
            p, q, r, s = others[k], others[k + 1], others[k + 2], others[k + 3]
            ap = aq = ar = a_s = bp = bq = br = bs = cp = cq = cr = cs = dp = dq = dr = ds = zero
            for at in range(rows.shape[1]):
                w, x, y, z = a[at], b[at], c[at], d[at]
                e, f, g, h = p[at], q[at], r[at], s[at]
                ap, aq, ar, a_s = ap + w * e, aq + w * f, ar + w * g, a_s + w * h
                bp, bq, br, bs = bp + x * e, bq + x * f, br + x * g, bs + x * h
                cp, cq, cr, cs = cp + y * e, cq + y * f, cr + y * g, cs + y * h
                dp, dq, dr, ds = dp + z * e, dq + z * f, dr + z * g, ds + z * h
            _add_four(sums[j], k, ap, aq, ar, a_s)
            _add_four(sums[j + 1], k, bp, bq, br, bs)
            _add_four(sums[j + 2], k, cp, cq, cr, cs)
            _add_four(sums[j + 3], k, dp, dq, dr, ds)


@fast
def _add_four(row: Any, k: int, one: Any, two: Any, three: Any, last: Any) -> None:
    """Add four numbers to those of a row from its number k on."""
    row[k] += one
    row[k + 1] += two
    row[k + 2] += three
    row[k + 3] += last


@fast
def summarise(features: Any, cells: Any, weights: Any, room: Any, out: Any) -> None:
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
        room[:] = np.float32(0.0)
        for k in range(count):
            _add(weights[k], features[i, k], room)
        numbers, means, tops = out[i], out[i, n:], out[i, n + count :].view(np.int32)
        for cell in range(n):
            numbers[cell] = room[cells[cell]]
        for k in range(count):
            row, total = features[i, k], np.float32(0.0)
            for at in range(len(row)):
                total += row[at]
            means[k], tops[k] = total / np.float32(n), _highest(row.view(np.int32))


@fast
def summarise_back(gradient: Any, features: Any, cells: Any, weights: Any, room: Any, back: Any, sums: Any) -> None:
    """Turn a gradient of `tell` [n, cells + 2 × features] into that of its features, and add that of its weights.

    Between the cells of a row of `back` stand numbers that mean nothing.
    """
    count, n = features.shape[1], len(cells)
    for i in range(len(features)):
        numbers, means, tops = gradient[i], gradient[i, n:], gradient[i, n + count :]
        for cell in range(n):
            room[cells[cell]] = numbers[cell]
        for k in range(count):
            row, to, weight, mean, total = features[i, k], back[i, k], weights[k], means[k] / n, np.float32(0.0)
            for at in range(len(row)):
                to[at] = weight * room[at] + mean
                total += room[at] * row[at]
            to[_peak(row)] += tops[k]
            sums[k] += total


@fast
def _add(weight: float, row: Any, out: Any) -> None:
    """Add a row times a weight to another."""
    for at in range(len(row)):
        out[at] += weight * row[at]


@fast
def _peak(row: Any) -> int:
    """Return the first place of the highest value of a row, which is 0 or more."""
    bits, at = row.view(np.int32), 0
    high = _highest(bits)
    while at < len(row) - 1 and bits[at] != high:
        at += 1
    return at
