"""Encoders of views, a file or folder each: see `kozyr.training.encoders.encoder`.

A further one is an entry of `ENCODERS`, which others may add before a training.
"""

from typing import Any

from kozyr.envs.core.game import Game
from kozyr.training.encoders import (
    count_levels,
    factored_actions,
    line_patterns,
    suit_symmetry,
    two_lines_attention,
    view,
)
from kozyr.training.encoders.encoder import Encoder, Forms, Net, Parts

ENCODERS: dict[str, Encoder] = {  # in the order in which they read
    "view": view.ENCODER,
    "turned": suit_symmetry.ENCODER,
    "levels": count_levels.ENCODER,
    "lines": two_lines_attention.ENCODER,
    "composed": factored_actions.ENCODER,
    "patterns": line_patterns.ENCODER,
    "unseen": view.UNSEEN,
}


def usual() -> dict[str, Any]:
    """Return the usual values of the encoders' keys."""
    return {key: value for encoder in ENCODERS.values() for key, (_, value) in encoder.keys.items()}


def complete(net: Net) -> dict[str, Any]:
    """Return a table `net` with the keys that were left out."""
    return {**usual(), **net}


def used(net: Net) -> list[Encoder]:
    """Return the encoders whose keys are not left out."""
    return [encoder for encoder in ENCODERS.values() if encoder.used_keys(net)]


def policy_encoder(net: Net) -> Encoder:
    """Return the encoder that gives the policy."""
    view_alone = ENCODERS["view"]
    return next((encoder for encoder in used(net) if encoder.policy and encoder is not view_alone), view_alone)


def parts(variant: Any, net: Net) -> Parts:
    """Return the parts that encoders add to the view, by their names."""
    return [(name, it.part(net, variant)) for name, it in ENCODERS.items() if it.part and it.used_keys(net)]


def complaint(net: Net, game: Game, variant: Any) -> str:
    """Return the first error of a table `net` for a game in words, or ""."""
    alone, encoders = policy_encoder(net), used(net)
    if alone is ENCODERS["view"]:
        return next((words for encoder in encoders if (words := encoder.complaint(net, game, variant))), "")
    others = [(key, x) for encoder in encoders if encoder is not alone for key, x in encoder.used_keys(net).items()]
    if not others:
        return alone.complaint(net, game, variant)
    (mine, *_), (key, x) = alone.used_keys(net), others[0]
    return f"net.{key}={_toml(x)} is not allowed with net.{mine}: it is {_toml(usual()[key])}"


def _toml(value: Any) -> str:
    """Return a value as a settings file has it."""
    return str(value).lower() if isinstance(value, bool) else repr(value)


def forms() -> Forms:
    """Return the ONNX forms of the modules of all encoders."""
    return {module: form for encoder in ENCODERS.values() for module, form in encoder.forms.items()}
