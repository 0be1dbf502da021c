"""The gradient of the m,n,k-game's evaluation, position by position.

Loops over a network's numbers have lengths that the compiler does not know: known ones it unrolls, and is slower.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.agents.mnk.learned import AREA_UNIT, WIDTH
from kozyr.envs.compile import fast
from kozyr.training.mnk_evaluation.self_play import AREA

MOVE = 0.5  # weight of the moves' loss beside the values'


@fast
def learn(
    batch: Any,
    numbers: Any,
    gradient: Any,
    cells: NDArray[np.float32],
    ratings: NDArray[np.float32],
    room: NDArray[np.float32],
    learning: bool,
    counts: NDArray[np.float64],
) -> None:
    """Add the gradient of a batch's loss, and count: values' loss and how many, moves' loss, how many, right, near."""
    sums, units, slopes, back = room[0, :WIDTH], room[1], room[2, :WIDTH], room[3, :WIDTH]
    for i in range(len(batch.head)):
        head = batch.head[i]
        add_up(batch.near[i], batch.free[i], numbers, cells, sums)
        slopes[:] = 0
        if batch.valued[i]:
            value = valued(numbers, head, sums, units)
            share = 1 / (1 + np.exp(-value))
            target = batch.worth[i]
            counts[0] -= target * np.log(share + 1e-9) + (1 - target) * np.log(1 - share + 1e-9)
            counts[1] += 1
            if learning:
                blame_value(numbers, gradient, head, sums, units, np.float32(share - target), slopes)
        ratings[:] = 0
        if batch.rated[i]:
            rate(numbers, head, batch.free[i], batch.best[i], cells, ratings, counts)
        if learning:
            blame_cells(batch.near[i], batch.free[i], numbers, gradient, head, cells, ratings, slopes, back)


@fast
def add_up(
    near: NDArray[np.int16], free: NDArray[np.int8], numbers: Any, cells: NDArray[np.float32], sums: NDArray[np.float32]
) -> None:
    """Write the positive parts of all cells' vectors and their sum."""
    sums[:], width = 0, len(numbers.empty)
    for a in range(AREA):
        mine = cells[a]
        for c in range(width):
            mine[c] = numbers.empty[c]
        for j in range(8):
            more = numbers.vectors[near[a, j]]
            for c in range(width):
                mine[c] += more[c]
        share = np.float32(free[a]) / np.float32(AREA_UNIT)
        for c in range(width):
            mine[c] = max(mine[c], np.float32(0))
            sums[c] += mine[c] * share


@fast
def valued(numbers: Any, head: int, sums: NDArray[np.float32], units: NDArray[np.float32]) -> Any:
    """Return a position's value as log odds, and write the hidden units."""
    total, width, hidden = numbers.second_bias[head], len(sums), len(units)
    for j in range(hidden):
        unit = numbers.first_bias[head, j]
        for c in range(width):
            unit += sums[c] * numbers.first[head, c, j]
        units[j] = max(unit, np.float32(0))
        total += units[j] * numbers.second[head, j]
    return total


@fast
def blame_value(
    numbers: Any,
    gradient: Any,
    head: int,
    sums: NDArray[np.float32],
    units: NDArray[np.float32],
    error: Any,
    slopes: NDArray[np.float32],
) -> None:
    """Add the gradient of a value's error to the two layers, and write the one of the cells' sum."""
    gradient.second_bias[head] += error
    width, hidden = len(sums), len(units)
    for j in range(hidden):
        gradient.second[head, j] += error * units[j]
        if units[j] > 0:
            back = error * numbers.second[head, j]
            gradient.first_bias[head, j] += back
            for c in range(width):
                gradient.first[head, c, j] += back * sums[c]
                slopes[c] += back * numbers.first[head, c, j] / np.float32(AREA_UNIT)


@fast
def rate(
    numbers: Any,
    head: int,
    free: NDArray[np.int8],
    best: int,
    cells: NDArray[np.float32],
    ratings: NDArray[np.float32],
    counts: NDArray[np.float64],
) -> None:
    """Write the moves' errors, count the loss."""
    top, width = np.float32(-1e9), len(numbers.empty)
    for a in range(AREA):
        rating = np.float32(0)
        for c in range(width):
            rating += cells[a, c] * numbers.moves[head, c]
        ratings[a] = rating if free[a] else np.float32(-1e9)
        top = max(top, ratings[a])
    total, better, own = np.float32(0), 0, ratings[best]
    for a in range(AREA):
        better += ratings[a] > own
        ratings[a] = np.exp(ratings[a] - top)
        total += ratings[a]
    counts[2] -= np.log(ratings[best] / total + 1e-12)
    counts[3] += 1
    counts[4] += better == 0
    counts[5] += better < 8
    for a in range(AREA):
        ratings[a] *= np.float32(MOVE) / total
    ratings[best] -= np.float32(MOVE)


@fast
def blame_cells(
    near: NDArray[np.int16],
    free: NDArray[np.int8],
    numbers: Any,
    gradient: Any,
    head: int,
    cells: NDArray[np.float32],
    ratings: NDArray[np.float32],
    slopes: NDArray[np.float32],
    back: NDArray[np.float32],
) -> None:
    """Add the gradient of the moves' errors to the moves' numbers and the patterns' vectors."""
    width = len(back)
    for a in range(AREA):
        if free[a]:
            for c in range(width):
                gradient.moves[head, c] += ratings[a] * cells[a, c]
                slope = ratings[a] * numbers.moves[head, c] + slopes[c]
                back[c] = slope if cells[a, c] > 0 else np.float32(0)
                gradient.empty[c] += back[c]
            for j in range(8):
                more = gradient.vectors[near[a, j]]
                for c in range(width):
                    more[c] += back[c]
