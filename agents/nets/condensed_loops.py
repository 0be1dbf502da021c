"""Compiled loops over a small network: about a microsecond a decision.

A view is a list of small whole numbers. So the first layer needs no products: its output for every value that an
entry may have is a row computed beforehand, and the rows of a view are added up (compare the first layer of NNUE,
Y. Nasu, "Efficiently Updatable Neural-Network-based Evaluation Functions for Computer Shogi", 2018).
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.compile import fast, stack_array

WIDEST, NARROWEST, MOST = 512, 64, 1024  # features of the first layer, of the second, and entries, that have room
FOURS = 4  # the second layer's features are mixed so many at a time
_LOWEST = np.float32(-1e30)


class Net(NamedTuple):
    """A network of two hidden layers, or, with no rows at all, none. Numbers are float32, places int32."""

    rows: NDArray[Any]  # [values, wide] row of the first layer for each value of each entry, from 0 up
    first: NDArray[Any]  # [entries + sums] index of an entry's first row, then of each sum's
    sums: NDArray[Any]  # [sums, 2] pairs of entries whose sum is an input too
    start: NDArray[Any]  # [wide] bias of the first layer
    inner: NDArray[Any]  # [narrow, wide] weights of the second
    middle: NDArray[Any]  # [narrow] its bias
    outer: NDArray[Any]  # [actions, narrow] weights of the logits
    end: NDArray[Any]  # [actions] their bias


_PLACES = ("first", "sums")


def made_of(numbers: Any) -> Net:
    """Return the network of some arrays, by their names in `Net`."""
    kinds = (np.int32 if name in _PLACES else np.float32 for name in Net._fields)
    return Net(*(np.ascontiguousarray(numbers[name], kind) for name, kind in zip(Net._fields, kinds, strict=True)))


def require_fit(net: Net, high: NDArray[Any], actions: int) -> None:
    """Raise unless no view within `high` leads out of a network's arrays.

    Args:
        net: as read from a file; high: [entries] the highest number of each entry; actions: of the game.

    Raises:
        ValueError: if its arrays do not go together.
    """
    dimensions = {name: numbers.ndim for name, numbers in net._asdict().items()}
    if dimensions != {name: numbers.ndim for name, numbers in NONE._asdict().items()}:
        raise ValueError("its arrays have not the dimensions of a network")
    wide, narrow, sums = len(net.start), len(net.middle), len(net.sums)
    shapes = {
        "rows": (len(net.rows), wide),
        "first": (len(high) + sums,),
        "sums": (sums, 2),
        "inner": (narrow, wide),
        "outer": (actions, narrow),
        "end": (actions,),
    }
    for name, shape in shapes.items():
        if getattr(net, name).shape != shape:
            raise ValueError(f"{name} has shape {getattr(net, name).shape}, not {shape}")
    if not (0 < wide <= WIDEST and 0 < narrow <= NARROWEST and narrow % FOURS == 0 and len(net.first) <= MOST):
        raise ValueError(
            f"it has {wide} and {narrow} features and reads {len(net.first)} numbers: that is no such network"
        )
    if not all(np.isfinite(numbers).all() for numbers in net):
        raise ValueError("it holds numbers that are none")
    if ((net.sums < 0) | (net.sums >= len(high))).any() or (net.first < 0).any() or (net.first >= len(net.rows)).any():
        raise ValueError("it reads places that are not there")
    if (net.first[: len(high)] + high.astype(np.int64) >= len(net.rows)).any():
        raise ValueError("it has no numbers for some values of an entry")


NONE = made_of({name: np.zeros((0, 0) if name in ("rows", "sums", "inner", "outer") else 0) for name in Net._fields})


@fast
def answer_all(net: Net, views: NDArray[Any], masks: NDArray[np.int8], actions: NDArray[np.int64]) -> None:
    """Write the network's action for each view."""
    for i in range(len(views)):
        actions[i] = answer(net, views[i], masks[i])


@fast
def rate_all(net: Net, views: NDArray[Any], logits: NDArray[np.float64]) -> None:
    """Write the network's logits [n, actions]."""
    wide, narrow = stack_array(WIDEST, np.float32), stack_array(NARROWEST, np.float32)
    for i in range(len(views)):
        _add_up(net, views[i], wide)
        _mix(net, wide, narrow)
        for a in range(len(net.outer)):
            weights, x = net.outer[a], net.end[a]
            for j in range(len(weights)):
                x += weights[j] * narrow[j]
            logits[i, a] = x


@fast
def answer(net: Net, view: NDArray[Any], mask: NDArray[np.int8]) -> int:
    """Return the legal action that the network rates highest."""
    wide, narrow = stack_array(WIDEST, np.float32), stack_array(NARROWEST, np.float32)
    _add_up(net, view, wide)
    _mix(net, wide, narrow)
    best, highest = -1, _LOWEST
    for a in range(len(mask)):
        if mask[a]:
            weights, x = net.outer[a], net.end[a]
            for j in range(len(weights)):
                x += weights[j] * narrow[j]
            if x > highest:
                best, highest = a, x
    return best


@fast
def _add_up(net: Net, view: NDArray[Any], wide: NDArray[Any]) -> None:
    """Write the first layer's features; four rows at a time, so that sums are written seldom."""
    active, n, rows = stack_array(MOST, np.int32), 0, net.rows
    entries = len(net.first) - len(net.sums)
    for e in range(entries):
        if view[e]:
            active[n] = net.first[e] + view[e]
            n += 1
    for k in range(len(net.sums)):
        total = view[net.sums[k, 0]] + view[net.sums[k, 1]]
        if total:
            active[n] = min(net.first[entries + k] + total, len(rows) - 1)  # two that the game never adds up to so much
            n += 1
    for i in range(len(net.start)):
        wide[i] = net.start[i]
    for m in range(0, n - 3, 4):
        a, b, c, d = rows[active[m]], rows[active[m + 1]], rows[active[m + 2]], rows[active[m + 3]]
        for i in range(len(a)):
            wide[i] += (a[i] + b[i]) + (c[i] + d[i])
    for m in range(n - n % 4, n):
        a = rows[active[m]]
        for i in range(len(a)):
            wide[i] += a[i]


@fast
def _mix(net: Net, wide: NDArray[Any], narrow: NDArray[Any]) -> None:
    """Write the second layer's features, four at a time: a number that is loaded is used four times."""
    zero = np.float32(0.0)
    for i in range(len(net.start)):
        wide[i] = max(wide[i], zero)
    for j in range(0, len(net.middle), 4):
        a, b, c, d = net.inner[j], net.inner[j + 1], net.inner[j + 2], net.inner[j + 3]
        w, x, y, z = net.middle[j], net.middle[j + 1], net.middle[j + 2], net.middle[j + 3]
        for i in range(len(a)):
            feature = wide[i]
            w += a[i] * feature
            x += b[i] * feature
            y += c[i] * feature
            z += d[i] * feature
        narrow[j], narrow[j + 1], narrow[j + 2], narrow[j + 3] = max(w, zero), max(x, zero), max(y, zero), max(z, zero)
