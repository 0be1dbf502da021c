"""Rows of views as a network's first layer reads them: the numbers that are not 0, with their places.

An eighth of a card game's view is not 0. So the first layer adds up the rows of its weights that belong to those
entries, and learns those alone.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.compile import fast
from kozyr.training.learners.compiled.activations import narrowed

WIDEST = 1 << 16  # places that a number can name
_ZERO = np.float32(0)
_PLACE, _COUNT = np.uint32(16), np.uint32(0xFFFF)


class Reading(NamedTuple):
    """How views are read: turned, scaled, and with further entries for counts."""

    read: NDArray[np.int8]  # [entries] 1 where an entry is read
    places: NDArray[np.int32]  # [namings, entries] where each entry goes, by the naming of the view; [0, 0]: it stays
    first: int  # the entries first to last − 1 tell the naming: the highest share of its highest value does
    last: int
    sums: NDArray[np.int64]  # [sums, n] entries that are added up to one more
    counts: NDArray[np.int64]  # [steps] entries, of the view and then of the sums, that are compared
    steps: NDArray[np.float32]  # [steps] with what each is compared: one more entry is 1 where it is above
    scale: NDArray[np.float32]  # [width] what each place's whole number is multiplied by
    dense: NDArray[np.int64]  # [entries + sums] room for one view


class Rows(NamedTuple):
    """A matrix by rows: the numbers of row `i` are those from `start[i]` to `start[i + 1]`.

    A number is a place in its upper 16 bits and the view's whole number in its lower ones.
    """

    start: NDArray[np.int64]  # [rows + 1]
    number: NDArray[np.uint32]
    scale: NDArray[np.float32]  # [width] of `Reading`
    naming: NDArray[np.int32]  # [rows] of the view; 0 where views have none


def room(rows: int, reading: Reading) -> Rows:
    """Return room for so many rows; memory that is never written is never taken."""
    numbers = np.empty(rows * len(reading.scale) + 1, np.uint32)
    return Rows(np.zeros(rows + 1, np.int64), numbers, reading.scale, np.zeros(rows, np.int32))


@fast
def read(how: Reading, views: NDArray[Any], rows: Rows, first: int) -> None:
    """Write views as rows, from row `first` on."""
    namings, m = len(how.places), rows.start[first]
    for i in range(len(views)):
        view = views[i]
        naming = _naming(how, view) if namings else 0
        rows.naming[first + i] = naming
        began = m
        for j in range(len(how.read)):  # written in any case, and kept if it is not 0: no branch is guessed wrong
            place = how.places[naming, j] if namings else np.int32(j)
            rows.number[m] = (np.uint32(place) << _PLACE) | np.uint32(view[j])
            m += (view[j] != 0) & how.read[j]
        if len(how.steps) or len(how.sums):
            m = _count(how, rows, began, m)
        rows.start[first + i + 1] = m


@fast
def _naming(how: Reading, view: NDArray[Any]) -> int:
    """Return the first of the entries that tell the naming which is highest."""
    best, highest = 0, _ZERO
    for j in range(how.first, how.last):
        x = np.float32(view[j]) * how.scale[j]
        if j == how.first or x > highest:
            best, highest = j - how.first, x
    return best


@fast
def _count(how: Reading, rows: Rows, began: int, m: int) -> int:
    """Append sums of entries and steps of counts to a row, and return where it ends."""
    entries, dense = len(how.read), how.dense
    dense[:] = 0
    for q in range(began, m):
        dense[rows.number[q] >> _PLACE] = rows.number[q] & _COUNT
    for k in range(len(how.sums)):
        total = 0
        for j in how.sums[k]:
            total += dense[j]
        dense[entries + k] = total
        if total:
            rows.number[m] = (np.uint32(entries + k) << _PLACE) | np.uint32(total)
            m += 1
    for k in range(len(how.steps)):
        j = how.counts[k]
        if np.float32(dense[j]) * how.scale[j] > how.steps[k]:
            rows.number[m] = (np.uint32(len(dense) + k) << _PLACE) | np.uint32(1)
            m += 1
    return m


@fast
def _value(rows: Rows, q: int) -> Any:
    return np.float32(rows.number[q] & _COUNT) * rows.scale[rows.number[q] >> _PLACE]


@fast
def multiply(
    rows: Rows, picks: NDArray[np.int64], weights: NDArray[Any], bias: NDArray[Any], out: NDArray[Any]
) -> None:
    """Write picked rows times the weights [width, features], and the bias: [picks, features].

    Four rows of the weights are added at a time, so that sums are written seldom.
    """
    for r in range(len(picks)):
        first, last, into = rows.start[picks[r]], rows.start[picks[r] + 1], out[r]
        for c in range(len(bias)):
            into[c] = bias[c]
        whole = last - (last - first) % 4
        for q in range(first, whole, 4):
            v, w, x, y = _value(rows, q), _value(rows, q + 1), _value(rows, q + 2), _value(rows, q + 3)
            a, b = weights[rows.number[q] >> _PLACE], weights[rows.number[q + 1] >> _PLACE]
            d, e = weights[rows.number[q + 2] >> _PLACE], weights[rows.number[q + 3] >> _PLACE]
            for c in range(len(bias)):
                into[c] += (v * a[c] + w * b[c]) + (x * d[c] + y * e[c])
        for q in range(whole, last):
            v, a = _value(rows, q), weights[rows.number[q] >> _PLACE]
            for c in range(len(bias)):
                into[c] += v * a[c]


@fast
def multiply_back(rows: Rows, picks: NDArray[np.int64], upper: NDArray[Any], weights: NDArray[Any]) -> None:
    """Overwrite `weights` [width, features] with the gradient of the weights, given that of `multiply`'s output."""
    weights[:] = _ZERO
    for r in range(len(picks)):
        above = upper[r]
        for q in range(rows.start[picks[r]], rows.start[picks[r] + 1]):
            x, into = _value(rows, q), weights[rows.number[q] >> _PLACE]
            for c in range(len(above)):
                into[c] += x * above[c]


def density(rows: Rows, n: int) -> float:
    """Return the share of numbers that are not 0 in the first `n` rows."""
    return int(rows.start[n]) / (n * len(rows.scale))


@fast
def spread(rows: Rows, picks: NDArray[np.int64], out: NDArray[np.float32]) -> None:
    """Overwrite `out` [picks, width] with picked rows, numbers that are 0 included."""
    out[:] = _ZERO
    for r in range(len(picks)):
        into = out[r]
        for q in range(rows.start[picks[r]], rows.start[picks[r] + 1]):
            into[rows.number[q] >> _PLACE] = _value(rows, q)


@fast
def spread_half(rows: Rows, picks: NDArray[np.int64], out: NDArray[np.uint16]) -> None:
    """Overwrite `out` [picks, width] with picked rows, numbers that are 0 included, in the bits of bfloat16."""
    out[:] = 0
    for r in range(len(picks)):
        into = out[r]
        for q in range(rows.start[picks[r]], rows.start[picks[r] + 1]):
            into[rows.number[q] >> _PLACE] = narrowed(_value(rows, q))
