"""A condensed policy beside a module: its loop is compiled with the game, its numbers are a file of their own."""

from typing import Any

import numpy as np

from kozyr.agents.nets.condensed import CondensedPolicy, policies
from kozyr.agents.nets.condensed_loops import Net, answer
from kozyr.agents.nets.trained import fitting
from kozyr.envs.core.compile.wasm import Entry, array, rows
from kozyr.envs.core.game import Game

Shapes = dict[str, list[int]]
_FLOAT, _WHOLE, _HALF, _MASK = (np.dtype(kind) for kind in (np.float32, np.int32, np.float16, np.int8))


def bundled(game: Game, variant: Any) -> CondensedPolicy | None:
    """Return the condensed policy that comes with a game for a variant, or None."""
    return fitting(policies(game.name), game, variant)


def shapes(net: Net) -> Shapes:
    """Return the shape of each array, for which the loop is compiled."""
    return {name: list(numbers.shape) for name, numbers in net._asdict().items()}


def size(policy: CondensedPolicy) -> int:
    """Return how many bytes the file of its numbers has."""
    return len(packed(policy.net)[1])


def packed(net: Net) -> tuple[dict[str, str], bytes]:
    """Return how each array is written, and all of them one behind the other, in halves where that loses nothing."""
    kinds = {name: _kind(numbers) for name, numbers in net._asdict().items()}
    parts = [getattr(net, name).astype(kind).tobytes() for name, kind in kinds.items()]
    return {name: kind.str for name, kind in kinds.items()}, b"".join(parts)


def _kind(numbers: Any) -> np.dtype[Any]:
    """Return the shortest type that holds an array, with the lowest byte first."""
    if numbers.dtype != _FLOAT:
        return _WHOLE.newbyteorder("<")
    with np.errstate(over="ignore"):
        exact = np.array_equal(numbers.astype(_HALF).astype(_FLOAT), numbers)
    return (_HALF if exact else _FLOAT).newbyteorder("<")


def facts(policy: CondensedPolicy, file: str) -> dict[str, Any]:
    """Return what the ES module must know of a policy.

    Args:
        policy: the policy; file: the name of the file with its numbers.
    """
    kinds, _ = packed(policy.net)
    sizes = {name: int(np.prod(shape)) for name, shape in shapes(policy.net).items()}
    arrays = [[name, kinds[name], size] for name, size in sizes.items()]
    return {"name": policy.name, "file": file, "bytes": size(policy), "arrays": arrays}


def entry(game: Game, v: Any, net: Shapes) -> Entry:
    """Return the function that answers a view; it takes the addresses of view, mask and the network's arrays."""
    actions, size = game.actions(v), game.size(v)
    values, wide = net["rows"]
    read, sums, narrow = net["first"][0], net["sums"][0], net["middle"][0]

    def decide(
        view: Any, mask: Any, r: Any, first: Any, s: Any, start: Any, inner: Any, middle: Any, outer: Any, end: Any
    ) -> int:
        layers = Net(
            rows(r, values, wide),
            array(first, read),
            rows(s, sums, 2),
            array(start, wide),
            rows(inner, narrow, wide),
            array(middle, narrow),
            rows(outer, actions, narrow),
            array(end, actions),
        )
        return answer(layers, array(view, size), array(mask, actions))

    kinds = [_WHOLE if name in ("first", "sums") else _FLOAT for name in net]
    return Entry(decide, (game.view_dtype, _MASK, *kinds), gives=True)
