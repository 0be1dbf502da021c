"""Instructions of a forward pass, each a loop over cells of one memory, and the compiled code that runs them.

Every tensor has cells of its own, and where they lie is known beforehand. So nothing is allocated, and whatever only
moves numbers (slices, shapes, gathers by constants) takes no instruction at all: a later one reads other cells.
Floats are added in the order that is written here, so every processor, and every browser, computes the same bits, but
for `exp` and `tanh`, which each system's library rounds in its own way.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.compile import jit, stack_array

WORDS = 10  # of an instruction: its kind, the first cell that it writes, and what the kind needs
MOVE, UNARY, BINARY, CHOOSE, LAYER, PRODUCT, CONVOLVE, REDUCE = range(8)
ARGMAX, CUMULATE, SORT, ROWS, WEIGHT_ROWS, PICK, SCATTER = range(8, 15)
RELU, SIGMOID, TANH, SIGN, TRUNCATE, TRUTH = range(6)  # of UNARY
ADD, SUBTRACT, MULTIPLY, LARGER, SMALLER, ABOVE, BELOW, AT_MOST = range(8)  # of BINARY
SUM, MOST = range(2)  # of REDUCE
NO_BIAS = -1
FUSED = 8  # the word of LAYER and PRODUCT that says whether a ReLU follows
FAILED = 0  # a place that is not there was asked for
_NEAR, _ROWS = 8192, 512  # floats of a matrix that stay in the nearest cache, and rows of it
_FOUR, _EIGHT = 4, 8
_ROOM = _ROWS + _FOUR
_ZERO, _ONE = np.float32(0), np.float32(1)
_LOWEST = np.float32(-np.inf)


class Program(NamedTuple):
    """Instructions, and the numbers that they read and never change."""

    code: NDArray[np.int32]  # [instructions, WORDS]
    cells: NDArray[np.uint32]  # lists of cells
    weights: NDArray[np.float32]  # of layers, kernels, tables
    reads: int  # first cell of the view
    answers: int  # first cell of the logits


@jit
def run_all(program: Program, memory: NDArray[np.float32], views: NDArray[Any], logits: NDArray[np.float32]) -> int:
    """Write the logits [n, actions] of views [n, entries]; return FAILED if one asks for a place that is not there.

    Args:
        program: the network.
        memory: [views at once, cells] in which constants lie; of this thread alone.
        views: of the variant's type; logits: to be written.
    """
    for first in range(0, len(views), len(memory)):
        together = min(len(memory), len(views) - first)
        for i in range(together):
            view, entries = views[first + i], memory[i, program.reads :]
            for j in range(len(view)):
                entries[j] = view[j]
        if run(program.code, len(program.code), program.cells, program.weights, memory, together) == FAILED:
            return FAILED
        for i in range(together):
            into, answer = logits[first + i], memory[i, program.answers :]
            for a in range(len(into)):
                into[a] = answer[a]
    return 1


@jit
def run(
    code: NDArray[np.int32],
    count: int,
    cells: NDArray[np.uint32],
    weights: NDArray[np.float32],
    memory: NDArray[np.float32],
    views: int,
) -> int:
    """Run so many instructions for so many views; return FAILED if one asks for a place that is not there, else 1."""
    fine = 1
    for i in range(count):
        row = code[i]
        if row[0] == LAYER:
            _multiply(row, memory, weights, views)
        else:
            for view in range(views):
                fine &= _run_one(row, cells, weights, memory[view])
    return fine


@jit
def _run_one(
    row: NDArray[np.int32], cells: NDArray[np.uint32], weights: NDArray[np.float32], memory: NDArray[np.float32]
) -> int:
    """Run an instruction for one view."""
    kind = row[0]
    if kind == MOVE:
        _move(row, cells, memory)
    elif kind == UNARY:
        _unary(row, memory)
    elif kind == BINARY:
        _binary(row, memory)
    elif kind == CHOOSE:
        _choose(row, memory)
    elif kind == PRODUCT:
        _product(row, memory)
    elif kind == CONVOLVE:
        _convolve(row, cells, weights, memory)
    elif kind == REDUCE:
        _reduce(row, memory)
    elif kind == ARGMAX:
        _argmax(row, memory)
    elif kind == CUMULATE:
        _cumulate(row, memory)
    elif kind == SORT:
        _sort(row, memory)
    elif kind == ROWS:
        return _rows(row, cells, memory, memory)
    elif kind == WEIGHT_ROWS:
        return _rows(row, cells, memory, weights)
    elif kind == PICK:
        return _pick(row, cells, memory)
    else:
        return _scatter(row, cells, memory)
    return 1


@jit
def _move(row: NDArray[np.int32], cells: NDArray[np.uint32], memory: NDArray[np.float32]) -> None:
    """MOVE out, n, list: copy the numbers of a list of cells."""
    n = row[2]
    out, source = memory[row[1] : row[1] + n], cells[row[3] : row[3] + n]
    for i in range(n):
        out[i] = memory[source[i]]


@jit
def _unary(row: NDArray[np.int32], memory: NDArray[np.float32]) -> None:
    """UNARY out, n, a, function."""
    n, function = row[2], row[4]
    out, a = memory[row[1] : row[1] + n], memory[row[3] : row[3] + n]
    if function == RELU:
        for i in range(n):
            out[i] = max(a[i], _ZERO)
    elif function == SIGMOID:
        for i in range(n):
            out[i] = _ONE / (_ONE + np.float32(math.exp(np.float64(-a[i]))))
    elif function == TANH:
        for i in range(n):
            out[i] = np.float32(math.tanh(np.float64(a[i])))
    elif function == SIGN:
        for i in range(n):
            out[i] = np.float32(a[i] > _ZERO) - np.float32(a[i] < _ZERO)
    elif function == TRUNCATE:
        for i in range(n):
            out[i] = np.float32(int(a[i])) if abs(a[i]) < np.float32(1 << 24) else a[i]
    else:
        for i in range(n):
            out[i] = np.float32(a[i] != _ZERO)


@jit
def _binary(row: NDArray[np.int32], memory: NDArray[np.float32]) -> None:
    """BINARY out, n, a, b, function."""
    n, function = row[2], row[5]
    out, a, b = memory[row[1] : row[1] + n], memory[row[3] : row[3] + n], memory[row[4] : row[4] + n]
    if function == ADD:
        for i in range(n):
            out[i] = a[i] + b[i]
    elif function == SUBTRACT:
        for i in range(n):
            out[i] = a[i] - b[i]
    elif function == MULTIPLY:
        for i in range(n):
            out[i] = a[i] * b[i]
    elif function == LARGER:
        for i in range(n):
            out[i] = max(a[i], b[i])
    elif function == SMALLER:
        for i in range(n):
            out[i] = min(a[i], b[i])
    elif function == ABOVE:
        for i in range(n):
            out[i] = np.float32(a[i] > b[i])
    elif function == BELOW:
        for i in range(n):
            out[i] = np.float32(a[i] < b[i])
    else:
        for i in range(n):
            out[i] = np.float32(a[i] <= b[i])


@jit
def _choose(row: NDArray[np.int32], memory: NDArray[np.float32]) -> None:
    """CHOOSE out, n, condition, a, b: take a where the condition is not 0, else b."""
    n = row[2]
    out, condition = memory[row[1] : row[1] + n], memory[row[3] : row[3] + n]
    a, b = memory[row[4] : row[4] + n], memory[row[5] : row[5] + n]
    for i in range(n):
        out[i] = a[i] if condition[i] != _ZERO else b[i]


@jit
def _multiply(row: NDArray[np.int32], memory: NDArray[np.float32], weights: NDArray[np.float32], views: int) -> None:
    """LAYER out, rows, inner, wide, a, matrix [inner, wide], bias [wide] or NO_BIAS, 1 for a ReLU.

    Some rows of the matrix are used for all views while they are near.
    """
    rows, inner, wide, bias = row[2], row[3], row[4], row[7]
    near = min(max(_EIGHT, _NEAR // wide // _EIGHT * _EIGHT), _ROWS)
    matrix = weights[row[6] : row[6] + inner * wide]
    for view in range(views):
        out = memory[view, row[1] : row[1] + rows * wide]
        for r in range(rows):
            for j in range(wide):
                out[r * wide + j] = _ZERO if bias == NO_BIAS else weights[bias + j]
    for first in range(0, inner, near):
        last = min(first + near, inner)
        for view in range(views):
            for r in range(rows):
                out = memory[view, row[1] + r * wide : row[1] + (r + 1) * wide]
                _add_rows(memory[view, row[5] + r * inner : row[5] + (r + 1) * inner], matrix, first, last, out)
    if row[FUSED]:
        for view in range(views):
            out = memory[view, row[1] : row[1] + rows * wide]
            for j in range(rows * wide):
                out[j] = max(out[j], _ZERO)


@jit
def _product(row: NDArray[np.int32], memory: NDArray[np.float32]) -> None:
    """PRODUCT out, rows, inner, wide, a, matrix [inner, wide], which depends on the view, too."""
    inner, wide = row[3], row[4]
    matrix = memory[row[6] : row[6] + inner * wide]
    for r in range(row[2]):
        out = memory[row[1] + r * wide : row[1] + (r + 1) * wide]
        for j in range(wide):
            out[j] = _ZERO
        a = memory[row[5] + r * inner : row[5] + (r + 1) * inner]
        for first in range(0, inner, _ROWS):
            _add_rows(a, matrix, first, min(first + _ROWS, inner), out)


@jit
def _add_rows(
    a: NDArray[np.float32], matrix: NDArray[np.float32], first: int, last: int, out: NDArray[np.float32]
) -> None:
    """Add the rows from `first` to `last` − 1 of a matrix, at most `_ROWS` of them, times a number each.

    Numbers that are 0 are left out, and eight rows or four are added at a time, so that sums are written seldom.
    """
    wide, n = len(out), 0
    places, numbers = stack_array(_ROOM, np.uint64), stack_array(_ROOM, np.float32)
    for k in range(first, last):  # written in any case, and kept if it is not 0: no branch is guessed wrong
        places[n], numbers[n] = np.uint64(k * wide), a[k]
        n += a[k] != _ZERO
    for k in range(_FOUR - 1):
        places[n + k], numbers[n + k] = 0, _ZERO
    n = (n + _FOUR - 1) // _FOUR * _FOUR
    eights = n // _EIGHT * _EIGHT
    for m in range(0, eights, _EIGHT):
        _add_four_and_four(numbers, matrix, places, m, out)
    if eights < n:
        v, w, x, y = numbers[eights], numbers[eights + 1], numbers[eights + 2], numbers[eights + 3]
        b, c, d, e = places[eights], places[eights + 1], places[eights + 2], places[eights + 3]
        for j in range(np.uint64(wide)):
            out[j] += (v * matrix[b + j] + w * matrix[c + j]) + (x * matrix[d + j] + y * matrix[e + j])


@jit
def _add_four_and_four(
    numbers: NDArray[np.float32],
    matrix: NDArray[np.float32],
    places: NDArray[np.uint64],
    m: int,
    out: NDArray[np.float32],
) -> None:
    """Add eight rows of a matrix, times a number each, from `numbers[m]` on."""
    s, t, u, z = numbers[m], numbers[m + 1], numbers[m + 2], numbers[m + 3]
    v, w, x, y = numbers[m + 4], numbers[m + 5], numbers[m + 6], numbers[m + 7]
    a, b, c, d = places[m], places[m + 1], places[m + 2], places[m + 3]
    e, f, g, o = places[m + 4], places[m + 5], places[m + 6], places[m + 7]
    for j in range(np.uint64(len(out))):
        first = (s * matrix[a + j] + t * matrix[b + j]) + (u * matrix[c + j] + z * matrix[d + j])
        second = (v * matrix[e + j] + w * matrix[f + j]) + (x * matrix[g + j] + y * matrix[o + j])
        out[j] += first + second


@jit
def _convolve(
    row: NDArray[np.int32], cells: NDArray[np.uint32], weights: NDArray[np.float32], memory: NDArray[np.float32]
) -> None:
    """CONVOLVE out, planes, n, list, weights, bias or NO_BIAS, a.

    Plane o is the sum of n cells each from some places of `a` on, times a weight each. The list begins with the ends
    [planes + 1] of each plane's part of the places, which follow.
    """
    planes, n, bias = row[2], row[3], row[6]
    ends, places = cells[row[4] : row[4] + planes + 1], cells[row[4] + planes + 1 :]
    taps, image = weights[row[5] :], memory[row[7] :]
    for o in range(planes):
        out = memory[row[1] + o * n : row[1] + (o + 1) * n]
        out[:] = _ZERO if bias == NO_BIAS else weights[bias + o]
        first, last = np.int64(ends[o]), np.int64(ends[o + 1])
        whole = last - (last - first) % 4
        for t in range(first, whole, 4):
            v, w, x, y = taps[t], taps[t + 1], taps[t + 2], taps[t + 3]
            a, b = image[places[t] : places[t] + n], image[places[t + 1] : places[t + 1] + n]
            c, d = image[places[t + 2] : places[t + 2] + n], image[places[t + 3] : places[t + 3] + n]
            for i in range(n):
                out[i] += (v * a[i] + w * b[i]) + (x * c[i] + y * d[i])
        for t in range(whole, last):
            v, a = taps[t], image[places[t] : places[t] + n]
            for i in range(n):
                out[i] += v * a[i]


@jit
def _reduce(row: NDArray[np.int32], memory: NDArray[np.float32]) -> None:
    """REDUCE out, outer, size, inner, a, function, over the middle of [outer, size, inner]."""
    size, inner, a = row[3], row[4], row[5]
    for o in range(row[2]):
        out = memory[row[1] + o * inner : row[1] + (o + 1) * inner]
        if inner == 1:
            out[0] = _reduced(memory[a + o * size : a + (o + 1) * size], row[6])
            continue
        out[:] = _ZERO if row[6] == SUM else _LOWEST
        for k in range(size):
            b = memory[a + (o * size + k) * inner : a + (o * size + k + 1) * inner]
            if row[6] == SUM:
                for i in range(inner):
                    out[i] += b[i]
            else:
                for i in range(inner):
                    out[i] = max(out[i], b[i])


@jit
def _reduced(a: NDArray[np.float32], function: int) -> Any:
    """Return the sum or the highest of some numbers."""
    total = _ZERO if function == SUM else _LOWEST
    if function == SUM:
        for i in range(len(a)):
            total += a[i]
    else:
        for i in range(len(a)):
            total = max(total, a[i])
    return total


@jit
def _argmax(row: NDArray[np.int32], memory: NDArray[np.float32]) -> None:
    """ARGMAX out, outer, size, inner, a: the first of the highest."""
    size, inner, a = row[3], row[4], row[5]
    for o in range(row[2]):
        for i in range(inner):
            best, highest = 0, memory[a + o * size * inner + i]
            for k in range(1, size):
                x = memory[a + (o * size + k) * inner + i]
                if x > highest:
                    best, highest = k, x
            memory[row[1] + o * inner + i] = np.float32(best)


@jit
def _cumulate(row: NDArray[np.int32], memory: NDArray[np.float32]) -> None:
    """CUMULATE out, outer, size, inner, a: sums so far along the middle."""
    inner = row[4]
    wide = row[3] * inner
    for o in range(row[2]):
        out, a = (
            memory[row[1] + o * wide : row[1] + (o + 1) * wide],
            memory[row[5] + o * wide : row[5] + (o + 1) * wide],
        )
        for i in range(wide):
            out[i] = a[i] + (out[i - inner] if i >= inner else _ZERO)


@jit
def _sort(row: NDArray[np.int32], memory: NDArray[np.float32]) -> None:
    """SORT out, lines, size, count, a, places, 1 for the largest or −1: the first ones in order, and their places.

    Of equal ones the first comes first.
    """
    size, count, sign = row[3], row[4], np.float32(row[7])
    for o in range(row[2]):
        a = memory[row[5] + o * size : row[5] + (o + 1) * size]
        out, places = memory[row[1] + o * count :], memory[row[6] + o * count :]
        for i in range(size):
            k = min(i, count)
            while k > 0 and sign * a[i] > sign * out[k - 1]:
                if k < count:
                    out[k], places[k] = out[k - 1], places[k - 1]
                k -= 1
            if k < count:
                out[k], places[k] = a[i], np.float32(i)


@jit
def _place(x: Any, size: int) -> int:
    """Return the place that a number names, the last ones from −1 down; −1 if there is none."""
    if not (np.float32(-size) <= x < np.float32(size)):
        return -1
    place = int(x)
    return place + size if place < 0 else place


@jit
def _rows(
    row: NDArray[np.int32], cells: NDArray[np.uint32], memory: NDArray[np.float32], tables: NDArray[np.float32]
) -> int:
    """ROWS or WEIGHT_ROWS out, n, list, size, wide, table [size, wide]: copy the rows that a list of cells names."""
    n, size, wide, table = row[2], row[4], row[5], row[6]
    for i in range(n):
        place = _place(memory[cells[row[3] + i]], size)
        if place < 0:
            return FAILED
        out, source = memory[row[1] + i * wide : row[1] + (i + 1) * wide], tables[table + place * wide :]
        for j in range(wide):
            out[j] = source[j]
    return 1


@jit
def _pick(row: NDArray[np.int32], cells: NDArray[np.uint32], memory: NDArray[np.float32]) -> int:
    """PICK out, n, list, step, size, table: copy single numbers of a tensor.

    The list has, n each, the cells of the places along an axis, and where a line along it begins in the tensor, whose
    own cells are listed from `table` on; `step` is how far apart they are along the axis.
    """
    n, step, size = row[2], row[4], row[5]
    names, lines, table = cells[row[3] : row[3] + n], cells[row[3] + n : row[3] + 2 * n], cells[row[6] :]
    for i in range(n):
        place = _place(memory[names[i]], size)
        if place < 0:
            return FAILED
        memory[row[1] + i] = memory[table[np.int64(lines[i]) + place * step]]
    return 1


@jit
def _scatter(row: NDArray[np.int32], cells: NDArray[np.uint32], memory: NDArray[np.float32]) -> int:
    """SCATTER out, n, list, step, size, 1 to add: write single numbers into a tensor that is there.

    The list has, n each, the cells of the places along an axis, where a line along it begins, and what is written.
    """
    n, step, size = row[2], row[4], row[5]
    names, lines = cells[row[3] : row[3] + n], cells[row[3] + n : row[3] + 2 * n]
    numbers = cells[row[3] + 2 * n : row[3] + 3 * n]
    for i in range(n):
        place = _place(memory[names[i]], size)
        if place < 0:
            return FAILED
        at = row[1] + np.int64(lines[i]) + place * step
        memory[at] = (memory[at] if row[6] else _ZERO) + memory[numbers[i]]
    return 1
