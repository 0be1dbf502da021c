"""Write a run's actor as a small compiled network: see `kozyr.agents.nets.condensed`."""

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr import envs
from kozyr.agents.nets.condensed import ABOUT, GAME, OPTIONS, VIEW
from kozyr.agents.nets.condensed_loops import FOURS, MOST, NARROWEST, WIDEST
from kozyr.training import checkpoint, readers
from kozyr.training.readers.reader import Condensed, nothing

_PLACES = {  # of the layers among a policy's weights
    "layer": "pi_features_extractor.layers.0.weight",
    "start": "pi_features_extractor.layers.0.bias",
    "inner": "mlp_extractor.policy_net.0.weight",
    "middle": "mlp_extractor.policy_net.0.bias",
    "outer": "action_net.weight",
    "end": "action_net.bias",
}
_KEPT = np.float16  # three digits are enough for the same action nearly always


def condense(run: Path, path: Path) -> dict[str, Any]:
    """Write the actor of a run's newest checkpoint and return what the file says about it.

    Args:
        run: the run's folder; path: the file, which appears whole or not at all.

    Raises:
        ValueError: if there is no run, or its network is not one that can be written so.
    """
    kept = checkpoint.load(run)
    game = envs.game(kept["game"])
    variant, net = checkpoint.require(kept, run, game, {}), readers.complete(kept["settings"]["net"])
    high = np.maximum(game.high(variant).astype(np.float32), 1.0)
    read = _read(run, variant, net, high)
    _require(run, len(high), net)
    inputs = len(high) + len(read.sums) + len(read.steps)
    weights = _weights(run, kept["policy"], (inputs, *net["trunk"], *net["heads"], game.actions(variant)))
    about = {GAME: game.id, OPTIONS: kept["options"], VIEW: kept["view"]}
    about |= {key: kept[key] for key in ("timesteps", "imitated", "seconds", "settings")}
    part = path.with_suffix(f".part{path.suffix}")
    arrays: dict[str, Any] = _numbers(high, read, weights)
    arrays[ABOUT] = np.array(json.dumps(about))
    np.savez_compressed(part, **arrays)
    part.replace(path)
    return about


def _require(run: Path, entries: int, net: dict[str, Any]) -> None:
    """Raise ValueError, in words, unless a network is small."""
    (wide, *more), (narrow, *others) = net["trunk"] or [0], net["heads"] or [0]
    fits = 0 < wide <= WIDEST and 0 < narrow <= NARROWEST and narrow % FOURS == 0 and not more and not others
    if not fits or net["activation"] != "relu":
        raise ValueError(
            f"the run in {run} has net.trunk={net['trunk']}, net.heads={net['heads']}, "
            f"net.activation={net['activation']!r}: only one layer of up to {WIDEST} features, one of up to "
            f"{NARROWEST} by fours, and relu can be condensed"
        )
    if 2 * entries > MOST:
        raise ValueError(f"the run in {run} has a view of {entries} entries: up to {MOST // 2} can be condensed")


def _read(run: Path, variant: Any, net: dict[str, Any], high: NDArray[np.float32]) -> Condensed:
    """Return what a network reads besides the entries, or raise ValueError if a reader has no such form."""
    more = nothing()
    for reader in readers.asked(net):
        if reader.condensed is None:
            key, value = next(iter(reader.asked(net).items()))
            raise ValueError(f"the run in {run} has net.{key}={value!r}: only a plain network can be condensed")
        its = reader.condensed(net, variant, high)
        more = its if len(its.sums) + len(its.counts) else more
    return more


def _weights(run: Path, policy: dict[str, Any], sizes: tuple[int, ...]) -> dict[str, NDArray[Any]]:
    """Return the weights of a policy by name, or raise ValueError unless its layers have the sizes that they must."""
    inputs, wide, narrow, actions = sizes
    shapes = {"layer": (wide, inputs), "start": (wide,), "inner": (narrow, wide), "middle": (narrow,)}
    shapes |= {"outer": (actions, narrow), "end": (actions,)}
    found = {name: policy[place].numpy() for name, place in _PLACES.items() if place in policy}
    if {name: each.shape for name, each in found.items()} != shapes:
        raise ValueError(f"the checkpoint in {run} does not fit its own settings: its layers have other sizes")
    return found


def _numbers(high: NDArray[np.float32], read: Condensed, weights: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Return the arrays of a network by name, from the weights of a policy."""
    sums = read.sums
    first, rows = _rows(weights["layer"], np.concatenate([high, high[sums[:, 0]]]), read)
    named = {"rows": rows, **{name: each for name, each in weights.items() if name != "layer"}}
    return {**{name: each.astype(_KEPT) for name, each in named.items()}, "first": first, "sums": sums.astype(np.int32)}


def _rows(layer: NDArray[Any], high: NDArray[Any], read: Condensed) -> tuple[NDArray[np.int32], NDArray[Any]]:
    """Return where each entry's rows begin, and what the first layer adds for every value of every entry.

    Args:
        layer: [wide, inputs] weights of the scaled entries, and then of the steps that they have reached.
        high: highest values of the entries and sums; read: what is read besides them.
    """
    first, rows, size = np.zeros(len(high), np.int32), list[NDArray[Any]](), len(high)
    for e, top in enumerate(high):
        first[e], its = len(rows), np.flatnonzero(read.counts == e)
        for n in range(int(top) + 1):
            reached = its[np.float32(n) * np.float32(1.0 / top) > read.steps[its]]
            rows.append(layer[:, e] * n / top + layer[:, size + reached].sum(1))
    return first, np.array(rows)
