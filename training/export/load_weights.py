"""Weights of a policy's file, for a network that begins as its copy.

An ONNX file has the weights among the constants of its graph, in the order in which `kozyr.training.export.onnx_export`
writes them. A small compiled network has the first layer's sums for every value of an entry, which are solved for
weights: the inverse of `kozyr.training.export.condense`.
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
from kozyr.envs.table import file_output, files
from kozyr.training import encoders
from kozyr.training.export import onnx_export
from kozyr.training.export.condense import Inputs, inputs, read_besides
from kozyr.training.learners.network import Logits
from kozyr.training.settings.run_settings import Settings

_START = "start.onnx"  # the policy's file, as one for the variant of the run in whose folder it lies
_LESSONS = 100_000  # positions that teach the critic
_ROUNDING = 2e-3  # a small file keeps three digits of each number


class _OtherNetworkError(Exception):
    """The file holds another network than the actor's."""


def load(path: Path, game: Game, here: bool) -> Trained:
    """Return the policy with which a run begins.

    Args:
        path: the file; game: what the run is for; here: whether this process learns.

    Raises:
        ValueError: if there is none, it is for another game, or another engine learns.
    """
    if not path.is_file():
        raise ValueError(f"there is no {path}: a run begins with a policy.onnx, an .npz, or the folder of a run")
    if not here:
        raise ValueError(f"the engine rllib does not begin with a policy's file as {path}: leave --engine out")
    policy = policy_files.load(path)
    if policy.game is not game:
        raise ValueError(f"the policy {path} is for {policy.game.id}, not for {game.id}")
    return policy


def place(policy: Trained, variant: Any, folder: Path) -> Path:
    """Return the path of the policy for a run's variant: its own file, or one in the run's folder."""
    return policy.path if policy.plays(policy.game, variant) else folder / _START


def for_variant(policy: Trained, variant: Any, unseen: Sequence[str], folder: Path) -> Trained:
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
    file_output.write(path, onnx_export.carried(files.content(policy.path, MOST_BYTES), policy, variant, unseen))
    return OnnxPolicy(path)


def critic_lessons(policy: Path) -> dict[str, Any]:
    """Return keys of the settings' table `imitation`: the critic learns alone, from the policy's returns."""
    return {"teacher": str(policy.resolve()), "decisions": _LESSONS, "critic_only": True}


def take(logits: Logits, policy: Trained, settings: Settings) -> None:
    """Give an actor the weights of a policy's file; both rate all actions alike then.

    Args:
        logits: the actor; policy: the file, open; settings: of the run.

    Raises:
        ValueError: if the file holds another network.
    """
    try:
        if isinstance(policy, CondensedPolicy):
            _take_condensed(logits, policy, settings["net"])
        else:
            _take_constants(logits, policy)
    except (_OtherNetworkError, np.linalg.LinAlgError):  # the second, where arrays do not go together
        raise ValueError(
            f"the network of {policy.path} is another than that of {settings['preset']}: choose the --preset and, with "
            "--set, the options that it was trained with, and its --settings if they are in a file of yours; the "
            "policy's card or run.json names them"
        ) from None


def _take_constants(logits: Logits, policy: Trained) -> None:
    """Give an actor the weights of an ONNX file, whose other constants must be those of the actor's own graph."""
    theirs = _constants(onnx.load_model_from_string(files.content(policy.path, MOST_BYTES)).graph.initializer)
    graph = onnx_export.graph(logits)
    if [one.shape for one in _constants(graph.constants)] != [one.shape for one in theirs]:
        raise _OtherNetworkError
    by_name = dict(zip((one.name for one in graph.constants if _is_float(one)), theirs, strict=True))
    with torch.no_grad():
        for name, (parameter, index) in graph.weights.items():
            parameter[index] = torch.from_numpy(by_name[name].copy())
    if not all(map(np.array_equal, _constants(onnx_export.graph(logits).constants), theirs)):
        raise _OtherNetworkError


def _constants(constants: Sequence[TensorProto]) -> list[NDArray[np.float32]]:
    """Return the numbers of a graph in order; those that lie in other files do not count."""
    return [numpy_helper.to_array(one) for one in constants if _is_float(one)]


def _is_float(constant: TensorProto) -> bool:
    """Tell if a constant has float32 numbers in the file itself."""
    return constant.data_location != TensorProto.EXTERNAL and constant.data_type == TensorProto.FLOAT


def _take_condensed(logits: Logits, policy: CondensedPolicy, net: dict[str, Any]) -> None:
    """Give an actor weights with which it rates all actions as a small file does, but for rounding.

    The file has what the first layer makes of every value of an entry. Where several weights would make the same, the
    smallest are taken.
    """
    whole, theirs, parameters = encoders.complete(net), policy.net, dict(logits.named_parameters())
    high = np.maximum(policy.game.high(policy.variant).astype(np.float32), 1.0)
    try:
        read = read_besides(str(policy.path), policy.variant, whole, high)
    except ValueError:
        raise _OtherNetworkError from None
    if whole["activation"] != "relu" or not np.array_equal(read.sums, theirs.sums):
        raise _OtherNetworkError
    weights = {
        "features.layers.0.weight": _first_layer(
            inputs(np.concatenate([high, high[read.sums[:, 0]]]), read), theirs.first, theirs.rows
        ),
        "features.layers.0.bias": theirs.start,
        "actor.0.weight": theirs.inner,
        "actor.0.bias": theirs.middle,
        **_last_layer(read.actions, theirs.outer, theirs.end),
    }
    if {name: x.shape for name, x in weights.items()} != {name: tuple(x.shape) for name, x in parameters.items()}:
        raise _OtherNetworkError
    with torch.no_grad():
        for name, parameter in parameters.items():
            parameter.copy_(torch.from_numpy(weights[name]))


def _first_layer(entries: list[Inputs], first: NDArray[Any], rows: NDArray[Any]) -> NDArray[np.float32]:
    """Return weights [wide, inputs] that turn every entry's values into its rows."""
    layer = np.zeros((rows.shape[1], 1 + max(int(one.columns.max()) for one in entries)), np.float32)
    for one, begin in zip(entries, first, strict=True):
        layer[:, one.columns] = _solved(one.shares, rows[begin : begin + len(one.shares)]).T
    return layer


def _last_layer(actions: NDArray[np.int8], outer: NDArray[Any], end: NDArray[Any]) -> dict[str, NDArray[Any]]:
    """Return the weights of the logits, or of the features that the actions are composed of."""
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
