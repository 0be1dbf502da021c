"""Weights of a policy's file, for a network that begins as its copy.

An ONNX file has the constants of a graph and not the parameters of layers. So the network is written once with weights
that are all different whole numbers. Where such a number turns up among the constants of that graph, the file has the
weight. A small compiled network is `kozyr.training.export.expand`'s.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import TensorProto, numpy_helper

from kozyr.agents.nets import policy_files
from kozyr.agents.nets.condensed import CondensedPolicy
from kozyr.agents.nets.policy import MOST_BYTES, OnnxPolicy
from kozyr.agents.nets.trained import Trained
from kozyr.envs.core.game import Game
from kozyr.envs.table import files
from kozyr.training.export import onnx_export
from kozyr.training.export.expand import expand
from kozyr.training.learners.network import Logits
from kozyr.training.settings.run_settings import Settings

_START = "start.onnx"  # the policy's file, as one for the variant of the run in whose folder it lies
_FIRST = 1 << 20  # of the whole numbers, all of which float32 can tell apart; no other constant is as large
_LAST = 1 << 24
_LESSONS = 100_000  # positions that teach the critic


def opened(path: Path, game: Game, here: bool) -> Trained:
    """Return the policy with which a run begins.

    Args:
        path: the file; game: what the run is for; here: whether this process learns.

    Raises:
        ValueError: if there is none, it is for another game, or another engine learns.
    """
    if not path.is_file():
        raise ValueError(f"there is no {path}: a run begins with a policy.onnx, an .npz, or the folder of a run")
    if not here:
        raise ValueError(f"only the engine sb3 begins with a policy's file as {path}: leave --engine out")
    policy = policy_files.load(path)
    if policy.game is not game:
        raise ValueError(f"the policy {path} is for {policy.game.id}, not for {game.id}")
    return policy


def place(policy: Trained, variant: Any, folder: Path) -> Path:
    """Return where the policy for a run's variant lies: its own file, or one in the run's folder."""
    return policy.path if policy.plays(policy.game, variant) else folder / _START


def fitted(policy: Trained, variant: Any, unseen: Sequence[str], folder: Path) -> Trained:
    """Return the policy for a run's variant: itself, or its file with another variant in it, in the run's folder.

    Args:
        policy: with which the run begins; variant: that the run is for; folder: of the run.
        unseen: parts of the view that the network does not read; the two variants may differ in these.

    Raises:
        ValueError: if it cannot play that variant.
    """
    path = place(policy, variant, folder)
    if path == policy.path:
        return policy
    if not isinstance(policy, OnnxPolicy):
        raise ValueError(f"the small policy {policy.path} plays its own variant alone: leave the options out")
    path.write_bytes(onnx_export.carried(files.content(policy.path, MOST_BYTES), policy, variant, unseen))
    return OnnxPolicy(path)


def lessons(policy: Path) -> dict[str, Any]:
    """Return keys of the settings' table `imitation`: the critic learns alone what the policy wins."""
    return {"teacher": str(policy.resolve()), "decisions": _LESSONS, "critic_only": True}


def take(logits: Logits, policy: Trained, given: Settings) -> None:
    """Give an actor the weights of a policy's file; both rate all actions alike then.

    Args:
        logits: the actor; policy: the file, open; given: the settings.

    Raises:
        ValueError: if the file holds another network.
    """
    if not (expand(logits, policy, given["net"]) if isinstance(policy, CondensedPolicy) else _numbered(logits, policy)):
        raise ValueError(
            f"the network of {policy.path} is another than that of {given['preset']}: choose the --preset that it was "
            "trained with, and its --settings if it is in a file of yours; the policy's card or run.json names it"
        )


def _numbered(logits: Logits, policy: Trained) -> bool:
    """Take the weights of an ONNX file and tell whether it holds the actor's network."""
    theirs = _constants(onnx.load_model_from_string(files.content(policy.path, MOST_BYTES)))
    parameters, last = list(logits.parameters()), _FIRST
    with torch.no_grad():
        for parameter in parameters:
            first, last = last, last + parameter.numel()
            parameter.copy_(torch.arange(first, last).reshape(parameter.shape))
        mine = _constants(onnx_export.model(logits, policy.game, policy.variant, {}))
        shapes = [{name: one.shape for name, one in constants.items()} for constants in (mine, theirs)]
        if shapes[0] != shapes[1] or last > _LAST:
            return False
        found = np.full(last - _FIRST, np.nan, np.float32)
        for name, one in mine.items():
            is_weight = (one >= _FIRST) & (one < last)
            if not np.array_equal(one[~is_weight], theirs[name][~is_weight]):
                return False
            found[one[is_weight].astype(np.int64) - _FIRST] = theirs[name][is_weight]
        if np.isnan(found).any():
            return False
        for parameter, values in zip(parameters, np.split(found, _ends(parameters)), strict=False):
            parameter.copy_(torch.from_numpy(values).reshape(parameter.shape))
    return True


def _ends(parameters: list[torch.nn.Parameter]) -> NDArray[np.int64]:
    """Return where each parameter's numbers end, all of them in one row."""
    return np.cumsum([one.numel() for one in parameters])


def _constants(model: onnx.ModelProto) -> dict[str, NDArray[Any]]:
    """Return a graph's numbers by name; those that lie in other files do not count."""
    inside = [one for one in model.graph.initializer if one.data_location != TensorProto.EXTERNAL]
    arrays = {one.name: numpy_helper.to_array(one) for one in inside}
    return {name: one for name, one in arrays.items() if one.dtype == np.float32}
