"""Trained policies beside a module: files of their own, which are loaded on demand.

A condensed one's loop is compiled with the game, and its numbers are a file. Any other one's file is the program that
the forward pass makes of its network, and the code that runs programs is one module for all games.
"""

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from kozyr import agents
from kozyr.agents.agent_names import HubPolicy, parse
from kozyr.agents.nets.condensed import CondensedPolicy, policies
from kozyr.agents.nets.condensed_loops import Net, answer
from kozyr.agents.nets.forward import instructions
from kozyr.agents.nets.forward.network import Forward
from kozyr.agents.nets.policy import OnnxPolicy
from kozyr.agents.nets.trained import Trained, fitting
from kozyr.agents.play.site.search_module import PIMC
from kozyr.envs.compile.wasm import Entry, array, rows
from kozyr.envs.core.game import Game
from kozyr.envs.core.quote import quote

Shapes = dict[str, list[int]]
_FLOAT, _WHOLE, _HALF, _MASK = (np.dtype(kind) for kind in (np.float32, np.int32, np.float16, np.int8))
_WEIGHTS = ".weights"  # how the file of a condensed policy's numbers ends
_PROGRAM = ".net"  # how the file of another policy's program ends
FILES = (f"*{_WEIGHTS}", f"*{_PROGRAM}")
_LONGEST = 64  # characters of a name there
_NAME, _OTHER = re.compile(rf"[A-Za-z0-9_-]{{1,{_LONGEST}}}"), re.compile(r"[^A-Za-z0-9_-]")


def load(name: str | Path) -> Trained:
    """Return a policy by its name, as `kozyr.agents.trained` does; one on the Hub gets a name that a file can have."""
    policy, parts = agents.trained(str(name)), parse(str(name))
    if isinstance(parts, HubPolicy):
        policy.name = _OTHER.sub("-", "-".join(filter(None, (parts.repository, parts.revision))))[:_LONGEST]
    return policy


def bundled(game: Game, variant: Any) -> list[Trained]:
    """Return the policies that come with a game for a variant, the smallest first."""
    both = condensed(game, variant), fitting(_networks(game.name), game, variant)
    return [one for one in both if one is not None]


def for_variant(game: Game, variant: Any, extra: Sequence[Trained]) -> list[Trained]:
    """Return the policies for a variant: those of `extra` that fit, and the bundled ones that they do not displace.

    Raises:
        ValueError: if two have one name, or both are condensed.
    """
    mine = [one for one in extra if one.plays(game, variant)]
    full = find_condensed(mine) is not None
    fitting_policies = [
        *mine,
        *(one for one in bundled(game, variant) if not (full and isinstance(one, CondensedPolicy))),
    ]
    require_names(game, fitting_policies)
    return fitting_policies


def condensed(game: Game, variant: Any) -> CondensedPolicy | None:
    """Return the condensed policy that comes with a game for a variant, or None."""
    return fitting(policies(game.name), game, variant)


@cache
def _networks(game: str) -> list[OnnxPolicy]:
    return [OnnxPolicy(path) for path in agents.policies(game)]


def find_condensed(together: Sequence[Trained]) -> CondensedPolicy | None:
    """Return the condensed policy among some, or None; a module has room for one."""
    return next((one for one in together if isinstance(one, CondensedPolicy)), None)


def require_names(game: Game, together: Sequence[Trained]) -> None:
    """Raise ValueError, in words, unless policies of a game have names of their own, and its module room for them."""
    names = [one.name for one in together]
    reserved = [*agents.names(game.name), PIMC]
    for one in together:
        if not _NAME.fullmatch(one.name):
            raise ValueError(
                f"{quote(one.name)} cannot name a policy there: call {one.path} by letters, digits, - and _"
            )
        if one.name in reserved or names.count(one.name) > 1:
            raise ValueError(f"another player is called {quote(one.name)}: give the file {one.path} another name")
    if sum(isinstance(one, CondensedPolicy) for one in together) > 1:
        raise ValueError("a game has room for one condensed policy: name one file.npz")


def shapes(net: Net) -> Shapes:
    """Return the shape of each array, for which the loop is compiled."""
    return {name: list(numbers.shape) for name, numbers in net._asdict().items()}


def content(policy: Trained) -> bytes:
    """Return the file that is loaded for a policy.

    Raises:
        ValueError: if its network has an operator that only onnxruntime knows.
    """
    if isinstance(policy, CondensedPolicy):
        return pack(policy.net)[1]
    network = policy.network if isinstance(policy, OnnxPolicy) else None
    if not isinstance(network, Forward):
        raise ValueError(f"the policy {policy.path} cannot play there: only onnxruntime knows its operators")
    return network.packed()


def file(policy: Trained, game: str) -> str:
    """Return the name of that file beside the module that is called `game`."""
    return f"{game}{_WEIGHTS}" if isinstance(policy, CondensedPolicy) else f"{game}.{policy.name}{_PROGRAM}"


def size(policy: Trained) -> int:
    """Return the size of that file in bytes."""
    return len(content(policy))


def pack(net: Net) -> tuple[dict[str, str], bytes]:
    """Return the type of each array in the file, and the file: the arrays in a row, as halves if that is exact."""
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


def facts(policy: Trained, game: str) -> dict[str, Any]:
    """Return the facts of a policy for the ES module.

    Args:
        policy: the policy; game: the name of the module.
    """
    common = {"name": policy.name, "file": file(policy, game), "bytes": size(policy)}
    if not isinstance(policy, CondensedPolicy):
        return {**common, "reads": policy.game.size(policy.variant)}
    kinds, _ = pack(policy.net)
    sizes = {name: int(np.prod(shape)) for name, shape in shapes(policy.net).items()}
    return {**common, "arrays": [[name, kinds[name], count] for name, count in sizes.items()]}


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


def forward_entry() -> Entry:
    """Return the function that runs the program of any network for one view.

    It takes the address of the instructions, their number, and the addresses of lists, weights and memory; it returns
    0 if the view asks for a place that is not there.
    """
    every, words = 1 << 28, instructions.WORDS  # entries of arrays whose sizes stand elsewhere

    def forward(code: Any, count: int, cells: Any, weights: Any, memory: Any) -> int:
        program, lists = rows(code, every, words), array(cells, every)
        return instructions.run(program, count, lists, array(weights, every), rows(memory, 1, every), 1)

    return Entry(forward, (_WHOLE, "i32", np.dtype(np.uint32), _FLOAT, _FLOAT), gives=True)
