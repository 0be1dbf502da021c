"""Export of a policy as an ONNX file that `kozyr.agents.nets.policy` loads without torch.

It needs the `onnx` package only: the layers tell their own nodes.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import nn

from kozyr.agents.nets.policy import ABOUT, GAME, INPUT, OPTIONS, OUTPUT, UNSEEN, VIEW, OnnxPolicy
from kozyr.agents.nets.trained import read_elsewhere
from kozyr.envs.core.game import Game
from kozyr.envs.table import file_output
from kozyr.training import encoders
from kozyr.training.export.onnx_graph import Graph
from kozyr.training.learners.monte_carlo.network import FORMS as PAIR_FORMS
from kozyr.training.learners.network import Logits

_OPSET, _IR = 17, 10  # what onnxruntime 1.20 understands


def about(timesteps: int, imitated: int, settings: dict[str, Any]) -> dict[str, Any]:
    """Return a file's facts about its training: decisions, a teacher's positions, the seed and unread parts."""
    facts, unseen = {"timesteps": timesteps, "imitated": imitated, "seed": settings["seed"]}, settings["net"]["unseen"]
    return {**facts, UNSEEN: unseen} if unseen else facts


def write(path: Path, logits: Logits, game: Game, variant: Any, about: dict[str, Any]) -> None:
    """Write the actor with all that `OnnxPolicy` needs to know; the file appears whole or not at all.

    Args:
        path: where to.
        logits: the actor.
        game: the game; variant: what it was trained for.
        about: what is known about its training; goes through JSON.

    Raises:
        ValueError: if a weight is NaN or infinite; nothing is written then.
    """
    actor = model(logits, game, variant, about)
    onnx.checker.check_model(actor, full_check=True)
    file_output.write(path, actor.SerializeToString())


def model(logits: Logits, game: Game, variant: Any, about: dict[str, Any]) -> onnx.ModelProto:
    """Return the actor as an ONNX model; the arguments are those of `write`."""
    layers = graph(logits)
    _require_finite(layers.constants)
    kind = helper.np_dtype_to_tensor_dtype(np.dtype(game.view_dtype))
    view = helper.make_tensor_value_info(INPUT, kind, ["n", game.size(variant)])
    answer = helper.make_tensor_value_info(OUTPUT, TensorProto.FLOAT, ["n", game.actions(variant)])
    result = helper.make_model(
        helper.make_graph(layers.nodes, game.id, [view], [answer], layers.constants),
        opset_imports=[helper.make_opsetid("", _OPSET)],
        ir_version=_IR,
        producer_name="kozyr",
    )
    facts = {OPTIONS: game.options(variant), VIEW: game.declaration(variant), ABOUT: about}
    helper.set_model_props(result, {GAME: game.id, **{key: json.dumps(value) for key, value in facts.items()}})
    return result


def graph(logits: Logits) -> Graph:
    """Return the actor's layers as nodes, whose weights have the names that they have in the actor's `state_dict`."""
    layers = {"features": logits.features, "actor": logits.actor, "head": logits.head}
    names = {id(x): f"{part}.{name}" for part, module in layers.items() for name, x in module.named_parameters()}
    chain = Graph(INPUT, {**encoders.forms(), **PAIR_FORMS}, names)
    chain.view = chain.add("Cast", to=TensorProto.FLOAT)
    for module in layers.values():
        chain.layer(module)
    chain.nodes[-1].output[0] = OUTPUT
    return chain


def _require_finite(constants: Sequence[onnx.TensorProto]) -> None:
    """Raise ValueError unless all weights of a graph are finite numbers."""
    arrays = map(numpy_helper.to_array, constants)
    if not all(np.isfinite(one).all() for one in arrays if one.dtype.kind == "f"):
        raise ValueError(
            "the policy cannot be exported: it has weights that are NaN or infinite, because its training has "
            "diverged. Train again with a lower learning_rate"
        )


def carried(content: bytes, policy: OnnxPolicy, variant: Any, unseen: Sequence[str]) -> bytes:
    """Return a policy's file as one for another variant, whose view differs only in parts that the network ignores.

    Args:
        content: the file; policy: what it holds; variant: the other one.
        unseen: parts of the view that the network does not read.

    Raises:
        ValueError: naming a part of the view that it reads and that is another there.
    """
    require_unread(policy.game, policy.variant, variant, unseen, policy.path)
    game = policy.game
    model = onnx.load_model_from_string(content)
    facts = {one.key: one.value for one in model.metadata_props}
    known = {**policy.about, UNSEEN: list(unseen)} if unseen else policy.about
    changes = {OPTIONS: game.options(variant), VIEW: game.declaration(variant), ABOUT: known}
    helper.set_model_props(model, {**facts, **{key: json.dumps(value) for key, value in changes.items()}})
    return model.SerializeToString()


def require_unread(game: Game, mine: Any, variant: Any, unseen: Sequence[str], path: Path) -> None:
    """Raise unless a policy for one variant can play another, whose view differs only in parts that it ignores.

    Raises:
        ValueError: naming the policy's path, and a part of the view that it reads and that is another there.
    """
    options = game.options(variant).items() - game.options(mine).items()
    if why := read_elsewhere(game, mine, variant, unseen):
        fields = ", ".join(f"{name}={value!r}" for name, value in sorted(options))
        raise ValueError(f"the policy {path} cannot play with {fields}: {why}")


def with_scale(trunk: nn.Sequential, head: nn.Linear, scale: torch.Tensor) -> SimpleNamespace:
    """Return layers as `write` takes them, for a trunk that sees views times `scale` [view]: the first takes it in."""
    first: Any
    first, *more = trunk
    scaled = nn.Linear(first.in_features, first.out_features)
    scaled.weight.data, scaled.bias.data = first.weight.data * scale, first.bias.data
    return SimpleNamespace(features=nn.Sequential(scaled, *more), actor=nn.Sequential(), head=head)
