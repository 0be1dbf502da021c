"""Give an actor the weights of a small compiled network: what `kozyr.training.export.condense` does, undone."""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from kozyr.agents.nets.condensed import CondensedPolicy
from kozyr.training import encoders
from kozyr.training.export.condense import Inputs, inputs, read_besides

_ROUNDING = 2e-3  # a file keeps three digits of each number


class _OtherNetworkError(Exception):
    """No weights of a network make of a view what the file makes of it."""


def expand(logits: nn.Module, policy: CondensedPolicy, net: dict[str, Any]) -> bool:
    """Give an actor weights with which it rates all actions as the file does, but for rounding.

    The file has what the first layer makes of every value of an entry. Where several weights would make the same, the
    smallest are taken.

    Args:
        logits: the actor; policy: the file, open; net: the settings' table `net`.

    Returns:
        Whether the file holds the actor's network. If not, the actor is as it was.
    """
    whole, theirs, parameters = encoders.complete(net), policy.net, dict(logits.named_parameters())
    high = np.maximum(policy.game.high(policy.variant).astype(np.float32), 1.0)
    try:
        read = read_besides(str(policy.path), policy.variant, whole, high)
    except ValueError:
        return False
    given = inputs(np.concatenate([high, high[read.sums[:, 0]]]), read)
    if whole["activation"] != "relu" or not np.array_equal(read.sums, theirs.sums):
        return False
    try:
        found = {
            "features.layers.0.weight": _first_layer(given, theirs.first, theirs.rows),
            "features.layers.0.bias": theirs.start,
            "actor.0.weight": theirs.inner,
            "actor.0.bias": theirs.middle,
            **_last_layer(read.actions, theirs.outer, theirs.end),
        }
    except (_OtherNetworkError, np.linalg.LinAlgError):  # the second, where arrays do not go together
        return False
    if {name: x.shape for name, x in found.items()} != {name: tuple(x.shape) for name, x in parameters.items()}:
        return False
    with torch.no_grad():
        for name, parameter in parameters.items():
            parameter.copy_(torch.from_numpy(found[name]))
    return True


def _first_layer(given: list[Inputs], first: NDArray[Any], rows: NDArray[Any]) -> NDArray[np.float32]:
    """Return weights [wide, inputs] that make of every entry's values what the rows say."""
    layer = np.zeros((rows.shape[1], 1 + max(int(one.columns.max()) for one in given)), np.float32)
    for one, begin in zip(given, first, strict=True):
        layer[:, one.columns] = _solved(one.shares, rows[begin : begin + len(one.shares)]).T
    return layer


def _last_layer(actions: NDArray[np.int8], outer: NDArray[Any], end: NDArray[Any]) -> dict[str, NDArray[Any]]:
    """Return the weights that give the logits, of what the actions have if they are composed of that."""
    if not len(actions):
        return {"head.weight": outer, "head.bias": end}
    parts = _solved(actions.astype(np.float32), np.column_stack([outer, end]))
    return {"head.layer.weight": parts[:, :-1], "head.layer.bias": parts[:, -1]}


def _solved(factors: NDArray[np.float32], due: NDArray[Any]) -> NDArray[np.float32]:
    """Return the smallest x with factors @ x = due, or raise if there is none but for rounding."""
    x = np.linalg.lstsq(factors, due)[0].astype(np.float32)
    if np.abs(factors @ x - due).max() > _ROUNDING * np.abs(due).max():
        raise _OtherNetworkError
    return x
