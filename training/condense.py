"""Write a run's actor as a small compiled network: see `kozyr.agents.nets.condensed`."""

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr import envs
from kozyr.agents.nets.condensed import ABOUT, GAME, OPTIONS, VIEW
from kozyr.agents.nets.condensed_loops import FOURS, MOST, NARROWEST, WIDEST
from kozyr.envs.core.capabilities import counted_parts
from kozyr.envs.core.game import Game
from kozyr.training import checkpoint
from kozyr.training.network import count_steps
from kozyr.training.settings import PLAIN

_PLAIN_KEYS = ("patterns", "turned", "meeting")
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
    variant, net = checkpoint.require(kept, run, game, {}), PLAIN | kept["settings"]["net"]
    _require(run, game.size(variant), net)
    weights = {key: each.numpy() for key, each in kept["policy"].items()}
    about = {GAME: game.id, OPTIONS: kept["options"], VIEW: kept["view"]}
    about |= {key: kept[key] for key in ("timesteps", "imitated", "seconds", "settings")}
    part = path.with_suffix(f".part{path.suffix}")
    arrays: dict[str, Any] = _numbers(game, variant, weights, net["levels"])
    arrays[ABOUT] = np.array(json.dumps(about))
    np.savez_compressed(part, **arrays)
    part.replace(path)
    return about


def _require(run: Path, entries: int, net: dict[str, Any]) -> None:
    """Raise ValueError, in words, unless a network is small and plain."""
    (wide, *more), (narrow, *others) = net["trunk"] or [0], net["heads"] or [0]
    odd = [key for key in _PLAIN_KEYS if net[key]]
    if odd:
        raise ValueError(f"the run in {run} has net.{odd[0]}={net[odd[0]]!r}: only a plain network can be condensed")
    fits = 0 < wide <= WIDEST and 0 < narrow <= NARROWEST and narrow % FOURS == 0 and not more and not others
    if not fits or net["activation"] != "relu":
        raise ValueError(
            f"the run in {run} has net.trunk={net['trunk']}, net.heads={net['heads']}, "
            f"net.activation={net['activation']!r}: only one layer of up to {WIDEST} features, one of up to "
            f"{NARROWEST} by fours, and relu can be condensed"
        )
    if 2 * entries > MOST:
        raise ValueError(f"the run in {run} has a view of {entries} entries: up to {MOST // 2} can be condensed")


def _numbers(game: Game, variant: Any, weights: dict[str, NDArray[Any]], levels: int) -> dict[str, NDArray[Any]]:
    """Return the arrays of a network by name, from the weights of a policy."""
    sums = counted_parts(variant)[: None if levels else 0]
    high = np.maximum(game.high(variant).astype(np.float32), 1.0)
    layer = weights["pi_features_extractor.layers.0.weight"]
    first, rows = _rows(layer, np.concatenate([high, high[sums[:, 0]]]), levels)
    named = {
        "rows": rows,
        "start": weights["pi_features_extractor.layers.0.bias"],
        "inner": weights["mlp_extractor.policy_net.0.weight"],
        "middle": weights["mlp_extractor.policy_net.0.bias"],
        "outer": weights["action_net.weight"],
        "end": weights["action_net.bias"],
    }
    return {**{name: each.astype(_KEPT) for name, each in named.items()}, "first": first, "sums": sums.astype(np.int32)}


def _rows(layer: NDArray[Any], high: NDArray[Any], levels: int) -> tuple[NDArray[np.int32], NDArray[Any]]:
    """Return where each entry's rows begin, and what the first layer adds for every value of every entry.

    Args:
        layer: [wide, inputs] weights of the scaled entries, and then of the steps that they have reached.
        high: the entries' highest values; levels: as in the settings.
    """
    counts, steps = count_steps(high, levels)
    first, rows, size = np.zeros(len(high), np.int32), list[NDArray[Any]](), len(high)
    for e, top in enumerate(high):
        first[e], its = len(rows), np.flatnonzero(counts == e)
        for n in range(int(top) + 1):
            reached = its[np.float32(n) * np.float32(1.0 / top) > steps[its]]
            rows.append(layer[:, e] * n / top + layer[:, size + reached].sum(1))
    return first, np.array(rows)
