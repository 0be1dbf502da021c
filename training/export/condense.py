"""Condensed policy: a run's actor as a small compiled network, see `kozyr.agents.nets.condensed`."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kozyr import envs
from kozyr.agents.nets.condensed import ABOUT, GAME, OPTIONS, VIEW
from kozyr.agents.nets.condensed_loops import FOURS, MOST, NARROWEST, WIDEST
from kozyr.agents.nets.trained import entries
from kozyr.envs.core.quote import quote
from kozyr.envs.table import file_output
from kozyr.training import encoders
from kozyr.training.encoders.encoder import Condensed, nothing
from kozyr.training.export.onnx_export import require_unread
from kozyr.training.run import checkpoint

_PLACES = {  # of the layers among a policy's weights
    "layer": "pi_features_extractor.layers.0.weight",
    "start": "pi_features_extractor.layers.0.bias",
    "inner": "mlp_extractor.policy_net.0.weight",
    "middle": "mlp_extractor.policy_net.0.bias",
    "outer": "action_net.weight",
    "end": "action_net.bias",
}
_HEAD, _FEATURES = "action_net.", "action_net.layer."  # the last layer, and where it gives logits of features
_PRECISION = np.float16  # three digits are enough for the same action nearly always


class Inputs(NamedTuple):
    """Inputs of the first layer for one entry.

    Attributes:
        columns: [k] its columns of the layer's weights.
        shares: float32 [values, k] what each of them holds for every value of the entry, from 0 up.
    """

    columns: NDArray[np.int64]
    shares: NDArray[np.float32]


class _Blank(NamedTuple):
    """Entries of a view that are not read, and the highest value of each entry where the network is to play."""

    entries: list[int]
    high: NDArray[Any]


def condense(run: Path, path: Path, options: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Write the actor of a run's newest checkpoint and return the file's facts about it.

    Args:
        run: the run's folder; path: the file, which appears whole or not at all.
        options: fields of the variant that it is written for, where that is not the one of the training. The two may
            differ in parts of the view that the network does not read.

    Raises:
        ValueError: if there is no run, its network is not one that can be written so, or it does not fit the options.
    """
    saved = checkpoint.load(run)
    game = envs.game(saved["game"])
    mine, net = checkpoint.require(saved, run, game, {}), encoders.complete(saved["settings"]["net"])
    variant = game.altered(mine, **(options or {}))
    require_unread(game, mine, variant, net["unseen"], run)
    high = np.maximum(game.high(mine).astype(np.float32), 1.0)
    read = read_besides(f"the run in {run}", mine, net, high)
    blank = _Blank(entries(game, mine, net["unseen"]), game.high(variant))
    _require(run, len(high), net)
    if np.isin(read.sums, blank.entries).any():
        raise ValueError(f"the run in {run} has net.unseen={net['unseen']}: take out what net.levels adds up and train")
    width = len(high) + len(read.sums) + len(read.steps)
    sizes = (width, *net["trunk"], *net["heads"], game.actions(variant))
    weights = _weights(run, saved["policy"], sizes, read.actions)
    about = {GAME: game.id, OPTIONS: game.options(variant), VIEW: game.declaration(variant)}
    about |= {key: saved[key] for key in ("timesteps", "imitated", "seconds", "settings")}
    arrays: dict[str, Any] = _numbers(high, read, weights, blank)
    _require_finite(run, arrays)
    arrays[ABOUT] = np.array(json.dumps(about))
    with file_output.replacement(path) as part:
        np.savez_compressed(part, **arrays)
    return about


def _require(run: Path, entries: int, net: dict[str, Any]) -> None:
    """Raise ValueError, in words, unless a network is small."""
    (wide, *more), (narrow, *others) = net["trunk"] or [0], net["heads"] or [0]
    fits = 0 < wide <= WIDEST and 0 < narrow <= NARROWEST and narrow % FOURS == 0 and not more and not others
    if not fits or net["activation"] != "relu":
        raise ValueError(
            f"the run in {run} has net.trunk={net['trunk']}, net.heads={net['heads']}, "
            f"net.activation={quote(net['activation'])}: only one layer of up to {WIDEST} features, one of up to "
            f"{NARROWEST} by fours, and relu can be condensed"
        )
    if 2 * entries > MOST:
        raise ValueError(f"the run in {run} has a view of {entries} entries: up to {MOST // 2} can be condensed")


def read_besides(owner: str, variant: Any, net: dict[str, Any], high: NDArray[np.float32]) -> Condensed:
    """Return a network's inputs besides the entries.

    Args:
        owner: whose network it is, for the message.
        variant: what it plays; net: the settings' table `net` with every key; high: highest values of the entries.

    Raises:
        ValueError: if an encoder has no such form.
    """
    more = nothing()
    for encoder in encoders.used(net):
        if encoder.condensed is None:
            key, value = next(iter(encoder.used_keys(net).items()))
            raise ValueError(f"{owner} has net.{key}={quote(value)}, which has no small form: train without it")
        its = encoder.condensed(net, variant, high)
        more = more._replace(**{name: values for name, values in its._asdict().items() if len(values)})
    return more


def inputs(high: NDArray[np.float32], read: Condensed) -> list[Inputs]:
    """Return the first layer's inputs for each entry and each sum, given their highest values."""
    entries = list[Inputs]()
    for e, top in enumerate(high):
        its = np.flatnonzero(read.counts == e)
        shares = np.arange(int(top) + 1, dtype=np.float32)[:, None] / top
        entries.append(
            Inputs(np.array([e, *(len(high) + its)]), np.hstack([shares, shares > read.steps[its]], dtype=np.float32))
        )
    return entries


def _weights(
    run: Path, policy: dict[str, Any], sizes: tuple[int, ...], composed: NDArray[np.int8]
) -> dict[str, NDArray[Any]]:
    """Return the weights of a policy by name, or raise ValueError unless its layers have the sizes that they must.

    Args:
        run: for the message; policy: all weights; sizes: of the inputs, the layers, and how many actions there are.
        composed: [actions, features] what each action has, if the last layer gives the logits of features.
    """
    first, wide, narrow, actions = sizes
    last = composed.shape[1] if len(composed) else actions
    shapes = {"layer": (wide, first), "start": (wide,), "inner": (narrow, wide), "middle": (narrow,)}
    shapes |= {"outer": (last, narrow), "end": (last,)}
    places = {name: place.replace(_HEAD, _FEATURES) if len(composed) else place for name, place in _PLACES.items()}
    weights = {name: policy[place].numpy() for name, place in places.items() if place in policy}
    if {name: each.shape for name, each in weights.items()} != shapes:
        raise ValueError(f"the checkpoint in {run} does not fit its own settings: its layers have other sizes")
    if len(composed):
        weights |= {name: composed.astype(np.float32) @ weights[name] for name in ("outer", "end")}
    return weights


def _numbers(
    high: NDArray[np.float32], read: Condensed, weights: dict[str, NDArray[Any]], blank: _Blank
) -> dict[str, NDArray[Any]]:
    """Return the arrays of a network by name, from the weights of a policy."""
    sums = read.sums
    first, rows = _rows(weights["layer"], np.concatenate([high, high[sums[:, 0]]]), read, blank)
    arrays = {"rows": rows, **{name: each for name, each in weights.items() if name != "layer"}}
    with np.errstate(over="ignore"):  # `_require_finite` says it in words
        rounded = {name: each.astype(_PRECISION) for name, each in arrays.items()}
    return {**rounded, "first": first, "sums": sums.astype(np.int32)}


def _require_finite(run: Path, arrays: dict[str, NDArray[Any]]) -> None:
    """Raise ValueError unless all weights are finite in the few bits that they are kept in."""
    for name, each in arrays.items():
        if not np.isfinite(each).all():
            raise ValueError(
                f"the run in {run} cannot be condensed: {name} has weights beyond {np.finfo(_PRECISION).max:,.0f}, "
                "the most that a small policy can hold. Train again with a lower learning_rate"
            )


def _rows(
    layer: NDArray[Any], high: NDArray[Any], read: Condensed, blank: _Blank
) -> tuple[NDArray[np.int32], NDArray[Any]]:
    """Return the first row of each entry, and the first layer's addends for every value of every entry.

    Args:
        layer: [wide, inputs] weights of the scaled entries, and then of the steps that they have reached.
        high: highest values of the entries and sums; read: what is read besides them.
        blank: entries that are read as 0; they share rows of zeros.
    """
    first, rows = np.zeros(len(high), np.int32), list[NDArray[Any]]()
    if blank.entries:
        rows += [np.zeros(len(layer), layer.dtype)] * (1 + int(blank.high[blank.entries].max()))
    for e, one in enumerate(inputs(high, read)):
        if e not in blank.entries:
            first[e] = len(rows)
            rows += list(one.shares @ layer[:, one.columns].T)
    return first, np.array(rows)
