"""Files that hold numbers: condensed policies, the metadata of ONNX policies, checkpoints."""

import io
import json
import random
from functools import cache
from importlib.util import find_spec
from typing import Any

import numpy as np

from kozyr.agents.nets.condensed import CondensedPolicy
from kozyr.agents.nets.condensed_loops import Net
from kozyr.agents.nets.trained import bundled
from kozyr.envs.core.game import Game
from kozyr.envs.table.table import Table
from tests.fuzz import mutate
from tests.fuzz.errors import require
from tests.fuzz.targets.target import Target, folder, written

_KEYS = ("kozyr.game", "kozyr.variant", "kozyr.view", "kozyr.training")


def _small() -> dict[str, Any]:
    """Return the arrays of a condensed policy for m,n,k on 3×3 with few features, which is quick to read."""
    from kozyr import envs

    game = envs.game("mnk")
    v, rng = game.make_variant(m=3, n=3, k=3), np.random.default_rng(5)
    high = game.high(v).astype(np.int64)
    first = np.concatenate([[0], np.cumsum(high + 1)]).astype(np.int32)
    about = {"game": game.id, "options": game.options(v), "view": game.declaration(v)}
    return {
        "rows": rng.normal(size=(int(first[-1]), 8)).astype(np.float16),
        "first": first[:-1],
        "sums": np.zeros((0, 2), np.int32),
        "start": rng.normal(size=8).astype(np.float32),
        "inner": rng.normal(size=(4, 8)).astype(np.float32),
        "middle": rng.normal(size=4).astype(np.float32),
        "outer": rng.normal(size=(9, 4)).astype(np.float32),
        "end": rng.normal(size=9).astype(np.float32),
        "about": np.array(json.dumps(about)),
    }


def _packed(arrays: dict[str, Any]) -> bytes:
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


@cache
def _condensed() -> tuple[bytes, ...]:
    """Return condensed policies: a small one, changed in its arrays in ways that keep it a file, and a bundled one."""
    whole, rng = _small(), random.Random(3)
    found = [_packed(whole)]
    for _ in range(60):
        arrays, name = dict(whole), rng.choice(Net._fields)
        arrays[name] = _spoilt(arrays[name], rng)
        found.append(_packed(arrays))
    found += [path.read_bytes() for path in bundled("daifugo", ".npz")[:1]]
    return tuple(found)


def _spoilt(array: Any, rng: random.Random) -> Any:
    """Return an array with another type, shape or number."""
    how = rng.randrange(6)
    if how == 0:
        return array.astype(rng.choice([np.float64, np.int8, np.uint64, np.complex128, bool, "S3"]))
    if how == 1 and array.ndim:
        return array[: rng.randrange(len(array) + 1)]
    if how == 2:
        return array.reshape(rng.choice([(-1,), (1, -1), (1, 1, -1)]))
    if how == 3:
        return np.zeros(rng.choice([(), (0,), (2, 2), (9, 0)]), array.dtype)
    again = array.copy()
    if again.size:
        some = [-1, 127, 2**31 - 1, -(2**31)] if again.dtype.kind == "i" else [np.nan, np.inf, -1.0, 6e4]
        again.flat[rng.randrange(again.size)] = rng.choice(some)
    return again


def read_condensed(data: bytes) -> None:
    """Load a condensed policy; one that loads answers with legal actions."""
    policy = CondensedPolicy(written("policy.npz", data))
    plays(policy)


def plays(policy: Any) -> None:
    """Let a policy play; its answers are legal, its chances are chances."""
    table = Table(policy.game, policy.variant, 1)
    for _ in range(4):
        if table.over:
            return
        action = policy.act(table.view(table.turn), table.mask)
        require(bool(table.mask[action]), f"action {action} is not legal")
        table.apply(action)


@cache
def _bare() -> bytes:
    """Return an ONNX model that rates the cells of a board of 3×3 equally, without metadata."""
    import onnx
    from onnx import TensorProto, helper

    game, v = _mnk()
    size, actions = game.size(v), game.actions(v)
    weights = helper.make_tensor("w", TensorProto.FLOAT, [size, actions], [0.0] * (size * actions))
    nodes = [
        helper.make_node("Cast", ["view"], ["x"], to=TensorProto.FLOAT),
        helper.make_node("MatMul", ["x", "w"], ["logits"]),
    ]
    given = helper.make_tensor_value_info("view", TensorProto.INT8, ["n", size])
    told = helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["n", actions])
    graph = helper.make_graph(nodes, "g", [given], [told], [weights])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    return model.SerializeToString()


def _mnk() -> tuple[Game, Any]:
    from kozyr import envs

    game = envs.game("mnk")
    return game, game.make_variant(m=3, n=3, k=3)


def _metadata() -> list[bytes]:
    """Return metadata as one JSON document: key → text."""
    game, v = _mnk()
    facts = [game.id, json.dumps(game.options(v)), json.dumps(game.declaration(v)), json.dumps({"timesteps": 100})]
    good = dict(zip(_KEYS, facts, strict=True))
    found = [good, *({key: text for key, text in good.items() if key != left} for left in _KEYS)]
    found += [{**good, key: text} for key in _KEYS for text in ("", "null", "[]", "{}", '""', "1", "NaN", "[[1]]")]
    from kozyr import envs

    for name in envs.games():
        other = envs.game(name)
        w = other.make_variant()
        texts = [other.id, json.dumps(other.options(w)), json.dumps(other.declaration(w)), "{}"]
        found.append(dict(zip(_KEYS, texts, strict=True)))
    return [json.dumps(one).encode() for one in found]


def read_metadata(data: bytes) -> None:
    """Load an ONNX policy with this metadata; one that loads answers with legal actions."""
    from kozyr.agents.nets.policy import OnnxPolicy

    try:
        facts = json.loads(data)
    except (ValueError, RecursionError):
        return
    if not isinstance(facts, dict):
        return
    extra = b"".join(_entry(key, text) for key, text in facts.items() if isinstance(text, str))
    plays(OnnxPolicy(written("policy.onnx", _bare() + extra)))


def _entry(key: str, text: str) -> bytes:
    """Return an entry of an ONNX model's metadata, field 14, as protobuf has it; models may be added up."""
    inner = b"".join(bytes([tag]) + _sized(mutate.bytes_of(word)) for tag, word in ((0x0A, key), (0x12, text)))
    return b"\x72" + _sized(inner)


def _sized(data: bytes) -> bytes:
    """Return bytes behind their number, seven bits a byte."""
    size, number = len(data), bytearray()
    while size > 127:
        number.append(size & 127 | 128)
        size >>= 7
    return bytes(number) + bytes([size]) + data


@cache
def _checkpoints() -> tuple[bytes, ...]:
    """Return checkpoints, small ones."""
    import torch

    from kozyr.training.run import checkpoint
    from kozyr.training.settings import run_settings

    game, v = _mnk()
    weights = {"w": torch.zeros(3)}
    moments = {"step": torch.tensor(1.0), "exp_avg": torch.zeros(3), "exp_avg_sq": torch.zeros(3)}
    begun: dict[str, Any] = {
        "settings": {**run_settings.load(game), "variant": game.options(v)},
        "timesteps": 0,
        "imitated": 0,
        "seconds": 0.0,
        "lessons_seconds": 0.0,
        "curve": [],
        "evaluations": [],
        "policy": weights,
        "optimizer": {"state": {}, "param_groups": []},
        "pool": {"taken": 0, "snapshots": []},
    }
    later = {"curve": [[1.0, 2.0, 3.0]], "optimizer": {"state": {0: moments}, "param_groups": [{"lr": 0.1}]}}
    found: list[bytes] = []
    for content in (begun, {**begun, **later, "pool": {"taken": 1, "snapshots": [weights]}}):
        checkpoint.save(folder(), game, v, content)
        found.append((folder() / checkpoint.NAME).read_bytes())
    return tuple(found)


def read_checkpoint(data: bytes) -> None:
    """Load a checkpoint and see that it fits its game."""
    from kozyr.training.run import checkpoint

    game, _ = _mnk()
    written(checkpoint.NAME, data)
    checkpoint.require(checkpoint.load(folder()), folder(), game, {})


def targets() -> list[Target]:
    """Return the targets that the libraries here allow."""
    nets = ("kozyr.agents.nets.condensed", "kozyr.agents.nets.trained", "kozyr.agents.nets.policy")
    made = [Target("condensed", mutate.BYTES, lambda: list(_condensed()), read_condensed, modules=nets)]
    if find_spec("onnx") and find_spec("onnxruntime"):
        made.append(Target("onnx-metadata", mutate.JSON, _metadata, read_metadata, modules=nets))
    if find_spec("torch"):
        seeds = lambda: list(_checkpoints())  # noqa: E731
        made.append(
            Target("checkpoint", mutate.BYTES, seeds, read_checkpoint, modules=("kozyr.training.run.checkpoint",))
        )
    return made
