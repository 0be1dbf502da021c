"""Policies for tests: positions to answer, and networks of random numbers."""

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.agents.nets import policy as onnx_policy
from kozyr.agents.nets.condensed import ABOUT, GAME, OPTIONS, VIEW
from kozyr.envs.api.table import Table
from tests.web import node

OTHERWISE = 0.3  # of the moves are random


def positions(policy: Any, games: int) -> tuple[NDArray[Any], NDArray[np.int8]]:
    """Return views and masks with a choice, from games that the policy plays, with some random moves."""
    views, masks = list[Any](), list[Any]()
    for seed in range(games):
        table, rng = Table(policy.game, policy.variant, seed), np.random.default_rng(seed)
        while not table.over:
            view, mask = table.view(table.turn).copy(), table.mask.copy()
            if mask.sum() > 1:
                views.append(view)
                masks.append(mask)
            free = rng.random() < OTHERWISE
            table.play(int(rng.choice(np.flatnonzero(mask))) if free else policy.act(view, mask))
    return np.array(views), np.array(masks)


def answered(script: Path, views: NDArray[Any], masks: NDArray[np.int8], kind: str = "policy") -> dict[str, Any]:
    """Return what `answers.mjs` tells of positions; the seed of each is its number."""
    asked, together = script.with_suffix(".json"), enumerate(zip(views, masks, strict=True))
    asked.write_text(json.dumps([[view.tolist(), mask.tolist(), seed] for seed, (view, mask) in together]))
    return json.loads(node.run(node.HERE / "answers.mjs", script, asked, kind))


def write_random(path: Path, game: Any, v: Any) -> None:
    """Write a network of random numbers, some of which are no halves."""
    rng, high, wide, narrow = np.random.default_rng(1), game.high(v), 12, 8
    starts = np.cumsum([0, *(high + 1)])[:-1]
    arrays: dict[str, Any] = {
        "rows": rng.normal(size=(int((high + 1).sum()) + 3, wide)).astype(np.float32),
        "first": np.array([*starts, int((high + 1).sum())], np.int32),
        "sums": np.array([[0, 1]], np.int32),
        "start": rng.normal(size=wide).astype(np.float16),
        "inner": rng.normal(size=(narrow, wide)).astype(np.float16),
        "middle": rng.normal(size=narrow).astype(np.float16),
        "outer": rng.normal(size=(game.actions(v), narrow)).astype(np.float16),
        "end": np.full(game.actions(v), 2.0**-20, np.float16),  # too small for a usual half
    }
    about = {GAME: game.id, OPTIONS: game.options(v), VIEW: game.declaration(v)}
    arrays[ABOUT] = np.array(json.dumps(about))
    np.savez(path, **arrays)


def write_random_onnx(path: Path, game: Any, v: Any) -> None:
    """Write a layer of random numbers as an ONNX policy."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    size, actions = game.size(v), game.actions(v)
    weights = np.random.default_rng(1).normal(size=(actions, size)).astype(np.float32)
    nodes = [
        helper.make_node("Cast", [onnx_policy.INPUT], ["floats"], to=TensorProto.FLOAT),
        helper.make_node("Gemm", ["floats", "weights"], [onnx_policy.OUTPUT], transB=1),
    ]
    kind = helper.np_dtype_to_tensor_dtype(np.dtype(game.view_dtype))
    given = helper.make_tensor_value_info(onnx_policy.INPUT, kind, ["n", size])
    made = helper.make_tensor_value_info(onnx_policy.OUTPUT, TensorProto.FLOAT, ["n", actions])
    graph = helper.make_graph(nodes, game.id, [given], [made], [numpy_helper.from_array(weights, "weights")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=10)
    facts = {onnx_policy.OPTIONS: game.options(v), onnx_policy.VIEW: game.declaration(v), onnx_policy.ABOUT: {}}
    told = {onnx_policy.GAME: game.id, **{key: json.dumps(value) for key, value in facts.items()}}
    helper.set_model_props(model, told)
    onnx.save(model, path)
