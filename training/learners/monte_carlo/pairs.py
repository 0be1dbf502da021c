"""Pairs of a view and an action in compiled code: their first layer, the choice among them, and its gradient."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.compile import fast
from kozyr.envs.core.rng import below, unit
from kozyr.training.learners.compiled.choices import Columns

_ZERO = np.float32(0)


@fast
def add_up(columns: Columns, naming: int, action: int, weights: NDArray[Any], view: NDArray[Any], out: Any) -> None:
    """Write the first layer of a pair after ReLU: the view's share and those of what the action has."""
    first, last = columns.start[naming, action], columns.start[naming, action + 1]
    if columns.single:
        own = weights[columns.column[first]]
        for c in range(len(out)):
            out[c] = max(view[c] + own[c], _ZERO)
        return
    for c in range(len(out)):
        out[c] = view[c]
    for q in range(first, last):
        own, x = weights[columns.column[q]], columns.weight[q]
        for c in range(len(out)):
            out[c] += x * own[c]
    for c in range(len(out)):
        out[c] = max(out[c], _ZERO)


@fast
def of_legal(
    columns: Columns,
    naming: NDArray[np.int32],
    masks: NDArray[np.int8],
    weights: NDArray[Any],
    views: NDArray[Any],
    start: NDArray[np.int64],
    actions: NDArray[np.int64],
    out: NDArray[Any],
) -> None:
    """Write the first layer of each legal pair; those of view `i` are rows `start[i]` to `start[i + 1]`."""
    m = 0
    for i in range(len(masks)):
        for a in range(masks.shape[1]):
            if masks[i, a]:
                actions[m] = a
                add_up(columns, naming[i], a, weights, views[i], out[m])
                m += 1
        start[i + 1] = m


@fast
def of_actions(
    columns: Columns,
    naming: NDArray[np.int32],
    actions: NDArray[np.int64],
    weights: NDArray[Any],
    views: NDArray[Any],
    out: NDArray[Any],
) -> None:
    """Write the first layer of one pair a view."""
    for i in range(len(actions)):
        add_up(columns, naming[i], actions[i], weights, views[i], out[i])


@fast
def choose(
    start: NDArray[np.int64],
    legal: NDArray[np.int64],
    values: NDArray[Any],
    epsilon: float,
    rngs: NDArray[Any],
    actions: NDArray[np.int64],
) -> None:
    """Write the action of the highest value for each view, or with the chance `epsilon` any legal one."""
    for i in range(len(actions)):
        first, last = start[i], start[i + 1]
        best = first
        if unit(rngs[i]) < epsilon:
            best = first + below(rngs[i], last - first)
        else:
            for q in range(first + 1, last):
                if values[q] > values[best]:
                    best = q
        actions[i] = legal[best]


@fast
def back_to_actions(
    columns: Columns,
    naming: NDArray[np.int32],
    actions: NDArray[np.int64],
    upper: NDArray[Any],
    weights: NDArray[Any],
) -> None:
    """Overwrite the gradient of the actions' weights [features, width], given that of the pairs' sums."""
    weights[:] = _ZERO
    for i in range(len(actions)):
        own = upper[i]
        for q in range(columns.start[naming[i], actions[i]], columns.start[naming[i], actions[i] + 1]):
            into, x = weights[columns.column[q]], columns.weight[q]
            for c in range(len(own)):
                into[c] += x * own[c]
