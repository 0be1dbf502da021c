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
_LOWEST = np.float32(-1e30)


class Columns(NamedTuple):
    """Columns of a network's last layer whose sum is an action's logit, by the view's naming.

    Those of action `a` under naming `k` are numbers `start[k, a]` to `start[k, a + 1]` of `column`.
    """

    start: NDArray[np.int32]  # [namings, actions + 1]
    column: NDArray[np.int32]
    weight: NDArray[np.float32]


class Choices(NamedTuple):
    """Legal actions by rows: those of row `i` are numbers `start[i]` to `start[i + 1]`."""

    start: NDArray[np.int64]  # [rows + 1]
    action: NDArray[np.int32]
    log: NDArray[np.float32]  # logarithm of the chance under the policy that played
    magnet: NDArray[np.float32]  # the same under the magnet; [0] without one
    choice: NDArray[np.int64]  # [rows] number of the action that was played


class Weights(NamedTuple):
    """Weights of the terms of a loss, and where the ratio of chances is cut off."""

    clip: np.float32
    magnet: np.float32  # of the divergence from the magnet, or of the negative entropy
    trust: np.float32  # of the divergence from the policy that played
    value: np.float32


def room(rows: int, actions: int, magnet: bool) -> Choices:
    """Return room for so many rows; memory that is never written is never taken."""
    most = rows * actions
    return Choices(
        np.zeros(rows + 1, np.int64),
        np.empty(most, np.int32),
        np.empty(most, np.float32),
        np.empty(most * magnet, np.float32),
        np.zeros(rows, np.int64),
    )


@fast
def logit(columns: Columns, naming: int, action: int, outputs: NDArray[Any]) -> Any:
    """Return the logit of an action, given a row of the last layer's outputs."""
    x = _ZERO
    for q in range(columns.start[naming, action], columns.start[naming, action + 1]):
        x += columns.weight[q] * outputs[columns.column[q]]
    return x


@fast
def normalise(logs: NDArray[Any], first: int, last: int) -> None:
    """Turn logits into logarithms of chances."""
    top, total = _LOWEST, _ZERO
    for q in range(first, last):
        top = max(top, logs[q])
    for q in range(first, last):
        total += math.exp(logs[q] - top)
    total = np.float32(math.log(total)) + top
    for q in range(first, last):
        logs[q] -= total


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
            if masks[i, a]:
                into.action[m], into.log[m] = a, logit(columns, naming[first + i], a, outputs[i])
                m += 1
        normalise(into.log, began, m)
        into.start[first + i + 1] = m
        rest, q = np.float32(unit(rngs[i])), began
        while True:
            rest -= np.float32(math.exp(into.log[q]))
            if rest < _ZERO or q == m - 1:
                break
            q += 1
        into.choice[first + i], actions[i] = q, into.action[q]


@fast
def note_magnet(
    columns: Columns, outputs: NDArray[Any], naming: NDArray[np.int32], into: Choices, first: int, last: int
) -> None:
    """Write the magnet's chances of the legal actions of the rows `first` to `last` − 1."""
    for i in range(first, last):
        for q in range(into.start[i], into.start[i + 1]):
            into.magnet[q] = logit(columns, naming[i], into.action[q], outputs[i - first])
        normalise(into.magnet, into.start[i], into.start[i + 1])


@fast
def mean_value(choices: Choices, first: int, values: NDArray[Any], own: NDArray[Any], mean: NDArray[Any]) -> None:
    """Write the value of the action that was played, and the mean of all values [rows, actions] under the policy."""
    for i in range(len(values)):
        total = _ZERO
        for q in range(choices.start[first + i], choices.start[first + i + 1]):
            total += np.float32(math.exp(choices.log[q])) * values[i, choices.action[q]]
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
        logs: room for the logarithms of as many chances as there are actions.
        terms: float64 [5] to which gain, divergence from the magnet and from the policy that played, an estimate of
            the latter from the actions played, and the share of ratios cut off are added.
    """
    upper[:] = _ZERO
    has_magnet = len(choices.magnet) > 0
    low, high = _ONE - weights.clip, _ONE + weights.clip
    for r in range(len(picks)):
        i: Any = picks[r]
        first: Any = choices.start[i]
        last: Any = choices.start[i + 1]
        k: Any = naming[i]
        for q in range(first, last):
            logs[q - first] = logit(columns, k, choices.action[q], outputs[r])
        normalise(logs, 0, last - first)
        own = choices.choice[i]
        change = logs[own - first] - choices.log[own]
        ratio, advantage, slope = np.float32(math.exp(change)), advantages[r], _ZERO
        cut = min(max(ratio, low), high)
        terms[0] += min(advantage * ratio, advantage * cut) * share
        terms[3] += (ratio - _ONE - change) * share
        terms[4] += share if ratio != cut else _ZERO
        if (ratio <= high) if advantage >= _ZERO else (ratio >= low):
            slope = -advantage * ratio * share
        from_magnet, from_before = _ZERO, _ZERO
        for q in range(first, last):
            log = logs[q - first]
            chance = np.float32(math.exp(log))
            from_magnet += chance * (log - choices.magnet[q] if has_magnet else log)
            from_before += chance * (log - choices.log[q])
        terms[1] += from_magnet * share
        terms[2] += from_before * share
        middle = weights.magnet * from_magnet + weights.trust * from_before
        for q in range(first, last):
            log = logs[q - first]
            chance = np.float32(math.exp(log))
            apart = weights.magnet * (log - choices.magnet[q] if has_magnet else log)
            apart += weights.trust * (log - choices.log[q])
            pull = chance * ((apart - middle) * share - slope)
            if q == own:
                pull += slope
            for c in range(columns.start[k, choices.action[q]], columns.start[k, choices.action[q] + 1]):
                upper[r, columns.column[c]] += columns.weight[c] * pull
