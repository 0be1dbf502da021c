"""Encoders of views: readers for a network, a file or folder each, see `kozyr.training.encoders.encoder`.

Another one is an entry of `READERS` more, which may be made before a training by whoever has written it.
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
from kozyr.training.encoders.encoder import Forms, Net, Parts, Reader

READERS: dict[str, Reader] = {  # in the order in which they read
    "view": view.READER,
    "turned": suit_symmetry.READER,
    "levels": count_levels.READER,
    "lines": two_lines_attention.READER,
    "composed": factored_actions.READER,
    "patterns": line_patterns.READER,
    "unseen": view.UNSEEN,
}


def usual() -> dict[str, Any]:
    """Return the usual values of the readers' keys."""
    return {key: value for reader in READERS.values() for key, (_, value) in reader.keys.items()}


def complete(net: Net) -> dict[str, Any]:
    """Return a table `net` with the keys that were left out."""
    return {**usual(), **net}


def used(net: Net) -> list[Reader]:
    """Return the readers whose keys are not left out."""
    return [reader for reader in READERS.values() if reader.used_keys(net)]


def policy_reader(net: Net) -> Reader:
    """Return the reader that gives the policy."""
    view_alone = READERS["view"]
    return next((reader for reader in used(net) if reader.policy and reader is not view_alone), view_alone)


def parts(variant: Any, net: Net) -> Parts:
    """Return the parts that readers add to the view, by their names."""
    return [(name, it.part(net, variant)) for name, it in READERS.items() if it.part and it.used_keys(net)]


def complaint(net: Net, game: Game, variant: Any) -> str:
    """Return the first error of a table `net` for a game in words, or ""."""
    alone, readers = policy_reader(net), used(net)
    if alone is READERS["view"]:
        return next((words for reader in readers if (words := reader.complaint(net, game, variant))), "")
    others = [(key, x) for reader in readers if reader is not alone for key, x in reader.used_keys(net).items()]
    if not others:
        return alone.complaint(net, game, variant)
    (mine, *_), (key, x) = alone.used_keys(net), others[0]
    return f"net.{key}={_toml(x)} is not allowed with net.{mine}: it is {_toml(usual()[key])}"


def _toml(value: Any) -> str:
    """Return a value as a settings file has it."""
    return str(value).lower() if isinstance(value, bool) else repr(value)


def forms() -> Forms:
    """Return the ONNX forms of the modules of all readers."""
    return {module: form for reader in READERS.values() for module, form in reader.forms.items()}
