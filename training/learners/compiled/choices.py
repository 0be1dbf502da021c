"""Choices among legal actions: drawn from a network's logits, and the gradient of the losses with respect to them.

Nothing is worked out for illegal actions. A row's legal actions are a list, and with each stand the logarithms of its
chance: under the policy that played, and under the magnet if there is one.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.compile import fast
from kozyr.envs.core.rng import unit

_ZERO, _ONE = np.float32(0), np.float32(1)
_LOWEST, _SMALLEST, _HALF, _LEAST = np.float32(-1e30), np.float32(-87), np.float32(0.5), np.float32(1e-30)
_PER_OCTAVE, _OCTAVE = np.float32(1 / math.log(2)), np.float32(math.log(2))
_TERMS = tuple(np.float32(1 / math.factorial(k)) for k in range(2, 7))  # of the series of e to the power of y


class Columns(NamedTuple):
    """Columns of a network's last layer whose sum is an action's logit, by the view's naming.

    Those of action `a` under naming `k` are numbers `start[k, a]` to `start[k, a + 1]` of `column`.
    """

    start: NDArray[np.int32]  # [namings, actions + 1]
    column: NDArray[np.int32]
    weight: NDArray[np.float32]
    single: bool  # each logit is one column, with weight 1


class Choices(NamedTuple):
    """Legal actions by rows: those of row `i` are numbers `start[i]` to `start[i + 1]`."""

    start: NDArray[np.int64]  # [rows + 1]
    action: NDArray[np.int32]
    log: NDArray[np.float32]  # logarithm of the chance under the policy that played
    magnet: NDArray[np.float32]  # the same under the magnet; [0] without one
    choice: NDArray[np.int64]  # [rows] number of the action that was played
    chances: NDArray[np.float32]  # [actions] room for those of one row


class Weights(NamedTuple):
    """Weights of the terms of a loss, and where the ratio of chances is cut off."""

    clip: np.float32
    magnet: np.float32  # of the divergence from the magnet, or of the negative entropy
    trust: np.float32  # of the divergence from the policy that played
    value: np.float32


def room(rows: int, actions: int, magnet: bool) -> Choices:
    """Return room for so many rows; memory that is never written is never taken."""
    most = rows * actions + 1
    return Choices(
        np.zeros(rows + 1, np.int64),
        np.empty(most, np.int32),
        np.empty(most, np.float32),
        np.empty(most * magnet, np.float32),
        np.zeros(rows, np.int64),
        np.zeros(actions, np.float32),
    )


@fast
def take_logits(
    columns: Columns, naming: int, actions: NDArray[np.int32], outputs: NDArray[Any], logits: NDArray[Any]
) -> None:
    """Write the logits of some actions, given a row of the last layer's outputs."""
    if columns.single:
        first = columns.start[naming, 0]
        for j in range(len(actions)):
            logits[j] = outputs[columns.column[first + actions[j]]]
        return
    for j in range(len(actions)):
        x = _ZERO
        for q in range(columns.start[naming, actions[j]], columns.start[naming, actions[j] + 1]):
            x += columns.weight[q] * outputs[columns.column[q]]
        logits[j] = x


@fast
def give_back(
    columns: Columns, naming: int, actions: NDArray[np.int32], slopes: NDArray[Any], upper: NDArray[Any]
) -> None:
    """Add the gradient of some actions' logits to that of a row of the last layer's outputs."""
    if columns.single:
        first = columns.start[naming, 0]
        for j in range(len(actions)):
            upper[columns.column[first + actions[j]]] = slopes[j]
        return
    for j in range(len(actions)):
        for q in range(columns.start[naming, actions[j]], columns.start[naming, actions[j] + 1]):
            upper[columns.column[q]] += columns.weight[q] * slopes[j]


@fast
def exp(x: Any) -> Any:
    """Return e to the power of a number of at most 0, to 3 units in the last place; loops over it are vectorised."""
    t = max(np.float32(x), _SMALLEST) * _PER_OCTAVE
    whole = np.int32(t - _HALF)
    y = (t - np.float32(whole)) * _OCTAVE
    power = _ONE + y * (_ONE + y * (_TERMS[0] + y * (_TERMS[1] + y * (_TERMS[2] + y * (_TERMS[3] + y * _TERMS[4])))))
    return power * np.uint32(np.uint32(whole + np.int32(127)) << np.uint32(23)).view(np.float32)


@fast
def normalise(logs: NDArray[Any], chances: NDArray[Any], n: int) -> None:
    """Turn `n` logits into logarithms of chances, and write the chances."""
    top, total = _LOWEST, _ZERO
    for j in range(n):
        top = max(top, logs[j])
    for j in range(n):
        chances[j] = exp(logs[j] - top)
        total += chances[j]
    share, total = _ONE / max(total, _LEAST), np.float32(math.log(total)) + top
    for j in range(n):
        logs[j] -= total
        chances[j] *= share


@fast
def draw(
    columns: Columns,
    outputs: NDArray[Any],
    naming: NDArray[np.int32],
    masks: NDArray[np.int8],
    rngs: NDArray[Any],
    into: Choices,
    first: int,
    actions: NDArray[np.int64],
) -> None:
    """Write the legal actions of each row from `first` on, with their chances, and draw one of them."""
    m = into.start[first]
    for i in range(len(masks)):
        began = m
        for a in range(masks.shape[1]):
            into.action[m] = a
            m += masks[i, a] != 0
        take_logits(columns, naming[first + i], into.action[began:m], outputs[i], into.log[began:m])
        normalise(into.log[began:m], into.chances, m - began)
        into.start[first + i + 1] = m
        rest, j = np.float32(unit(rngs[i])) - into.chances[0], 0
        while rest >= _ZERO and j < m - began - 1:
            j += 1
            rest -= into.chances[j]
        into.choice[first + i], actions[i] = began + j, into.action[began + j]


@fast
def note_magnet(
    columns: Columns, outputs: NDArray[Any], naming: NDArray[np.int32], into: Choices, first: int, last: int
) -> None:
    """Write the magnet's chances of the legal actions of the rows `first` to `last` − 1."""
    for i in range(first, last):
        began, m = into.start[i], into.start[i + 1]
        take_logits(columns, naming[i], into.action[began:m], outputs[i - first], into.magnet[began:m])
        normalise(into.magnet[began:m], into.chances, m - began)


@fast
def mean_value(choices: Choices, first: int, values: NDArray[Any], own: NDArray[Any], mean: NDArray[Any]) -> None:
    """Write the value of the action that was played, and the mean of all values [rows, actions] under the policy."""
    for i in range(len(values)):
        total = _ZERO
        for q in range(choices.start[first + i], choices.start[first + i + 1]):
            total += exp(choices.log[q]) * values[i, choices.action[q]]
        mean[i], own[i] = total, values[i, choices.action[choices.choice[first + i]]]


@fast
def gradient(
    columns: Columns,
    choices: Choices,
    naming: NDArray[np.int32],
    picks: NDArray[np.int64],
    advantages: NDArray[np.float32],
    weights: Weights,
    share: np.float32,
    outputs: NDArray[Any],
    upper: NDArray[Any],
    logs: NDArray[np.float32],
    chances: NDArray[np.float32],
    terms: NDArray[np.float64],
) -> None:
    """Overwrite `upper` with the gradient of the policy's loss with respect to the last layer's outputs.

    The loss is PPO's (Schulman and others, arXiv 1707.06347), with the divergences of magnetic mirror descent
    (Sokota and others, arXiv 2206.05825).

    Args:
        columns: of the last layer; choices: of all rows; naming: of all rows' views.
        picks: the rows of this batch; advantages: [picks] normalised.
        weights: of the terms; share: one divided by the rows of the whole minibatch.
        outputs: [picks, columns] of the last layer; upper: the same shape.
        logs, chances: room for as many numbers as there are actions.
        terms: float64 [5] to which gain, divergence from the magnet and from the policy that played, an estimate of
            the latter from the actions played, and the share of ratios cut off are added.
    """
    upper[:] = _ZERO
    low, high = _ONE - weights.clip, _ONE + weights.clip
    for r in range(len(picks)):
        i: Any = picks[r]
        first: Any = choices.start[i]
        k: Any = naming[i]
        n: Any = choices.start[i + 1] - first
        actions = choices.action[first : first + n]
        take_logits(columns, k, actions, outputs[r], logs)
        normalise(logs, chances, n)
        own = choices.choice[i] - first
        change = logs[own] - choices.log[first + own]
        ratio, advantage, slope = np.float32(math.exp(change)), advantages[r], _ZERO
        cut = min(max(ratio, low), high)
        terms[0] += min(advantage * ratio, advantage * cut) * share
        terms[3] += (ratio - _ONE - change) * share
        terms[4] += share if ratio != cut else _ZERO
        if (ratio <= high) if advantage >= _ZERO else (ratio >= low):
            slope = -advantage * ratio * share
        middle = _hold_back(choices, first, n, weights, share, logs, chances, terms)
        for j in range(n):
            logs[j] = chances[j] * ((logs[j] - middle) * share - slope)
        logs[own] += slope
        give_back(columns, k, actions, logs, upper[r])


@fast
def _hold_back(
    choices: Choices,
    first: int,
    n: int,
    weights: Weights,
    share: np.float32,
    logs: NDArray[np.float32],
    chances: NDArray[np.float32],
    terms: NDArray[np.float64],
) -> Any:
    """Return the weighted divergences of a row's `n` chances, and leave in `logs` what each action has of them."""
    from_magnet, from_before = _ZERO, _ZERO
    for j in range(n):
        from_before += chances[j] * (logs[j] - choices.log[first + j])
    if len(choices.magnet):
        for j in range(n):
            from_magnet += chances[j] * (logs[j] - choices.magnet[first + j])
        for j in range(n):
            apart = weights.magnet * (logs[j] - choices.magnet[first + j])
            logs[j] = apart + weights.trust * (logs[j] - choices.log[first + j])
    else:
        for j in range(n):
            from_magnet += chances[j] * logs[j]
        for j in range(n):
            logs[j] = weights.magnet * logs[j] + weights.trust * (logs[j] - choices.log[first + j])
    terms[1] += from_magnet * share
    terms[2] += from_before * share
    return weights.magnet * from_magnet + weights.trust * from_before
