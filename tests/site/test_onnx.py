"""Networks in Node: the bundled ones answer as onnxruntime does, and so does each operator; the rest is refused."""

import json
import re
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from kozyr import agents, envs, training
from kozyr.agents.nets.policy import OnnxPolicy
from kozyr.agents.nets.trained import Trained
from kozyr.agents.play import site as web
from kozyr.agents.play.site import build, site
from kozyr.agents.play.site import policy as trained
from kozyr.envs.environments import install_hint
from tests.site import node
from tests.site.policies import answered as by_module
from tests.site.policies import positions
from tests.test_cli import run as kozyr

BUNDLED = [OnnxPolicy(path) for name in envs.games() for path in agents.policies(name)]
FEWEST, MOST = 300, 1_000
NEAR = 1e-4  # of what logits are: floats are added up in another order, and in 64 bits
SCRIPT = Path(build.__file__).parent / "static" / "onnx.js"
KINDS = {np.dtype(np.int8): "Int8Array", np.dtype(np.int16): "Int16Array", np.dtype(np.float32): "Float32Array"}


def answered(model: Path, views: Any) -> dict[str, Any]:
    """Return what Node makes of views, or why it makes nothing."""
    asked = model.with_suffix(".views.json")
    asked.write_text(json.dumps(views.tolist()))
    return json.loads(node.run(node.HERE / "onnx.mjs", SCRIPT, model, asked, KINDS[views.dtype]))


@pytest.mark.slow
@pytest.mark.parametrize("policy", BUNDLED, ids=lambda one: one.name)
def test_a_bundled_network_answers_the_same(policy: OnnxPolicy, tmp_path: Path) -> None:
    views, masks = (found[:MOST] for found in positions(policy, 60))
    assert len(views) >= FEWEST
    (tmp_path / "it.onnx").write_bytes(policy.path.read_bytes())
    found = np.array(answered(tmp_path / "it.onnx", views)["logits"], np.float32)
    wanted = policy._logits(views, masks)  # pyright: ignore[reportPrivateUsage]
    legal = masks != 0
    np.testing.assert_allclose(found[legal], wanted[legal], rtol=NEAR, atol=NEAR)
    chosen, theirs = np.where(legal, found, -np.inf).argmax(1), wanted.argmax(1)
    for row in np.flatnonzero(chosen != theirs):  # only actions that are as good as equal
        one, other = wanted[row, chosen[row]], wanted[row, theirs[row]]
        assert abs(one - other) <= NEAR * max(abs(one), abs(other))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "more"), [("war_52", {}), ("daifugo_5", {"history": True})])
def test_it_plays_in_a_module(name: str, more: dict[str, Any], tmp_path: Path) -> None:
    [policy] = [one for one in BUNDLED if one.name == name]
    game, v = policy.game, policy.variant._replace(**more)
    _, script, *files = web.write(game, v, tmp_path, policies=[policy])
    [file] = [one for one in files if one.suffix == ".onnx"]
    assert file.read_bytes() == policy.path.read_bytes()
    views, masks = positions(SimpleNamespace(game=game, variant=v, act=policy.act), 20)
    assert len(views) >= FEWEST
    found = by_module(script, views, masks)
    assert (found["name"], found["again"]) == (name, True)
    np.testing.assert_array_equal(found["actions"], policy.act_batch(views, masks))


def test_policies_beside_a_game_have_names_of_their_own(tmp_path: Path) -> None:
    path = next(one.path for one in BUNDLED if one.name == "war_52")
    game, options = envs.game("war"), {"pickup": "choice"}

    def named(*names: str) -> list[Trained]:
        copies = [shutil.copy(path, tmp_path / f"{name}.onnx") for name in names]
        return [web.load(Path(one)) for one in copies]

    assert [one.name for one in site.site_game(game, options, named("mine")).policies] == ["mine", "war_52"]
    assert site.site_game(game, {}, named("mine")).policies == []
    for names in (["war_52"], ["pimc"], [agents.names("war")[0]], ["mine", "mine"]):
        with pytest.raises(ValueError, match=f"another player is called '{names[0]}': give the file .* another name"):
            site.site_game(game, options, named(*names))
    with pytest.raises(ValueError, match="'my own' cannot name a policy there"):
        site.site_game(game, options, named("my own"))
    told = kozyr("web", "war", "--policy", str(tmp_path / "mine.onnx"), "--out", str(tmp_path / "site"), code=2).stderr
    assert "name its game too, as 'war pickup=choice'" in " ".join(told.split())
    assert not (tmp_path / "site").exists()


def test_without_onnxruntime_the_condensed_ones_are_left(monkeypatch: pytest.MonkeyPatch) -> None:
    game = envs.game("daifugo")
    assert [one.name for one in web.bundled(game, game.make_variant())] == ["daifugo_5_small", "daifugo_5"]
    assert web.lacks() == ""
    monkeypatch.setattr(trained, "find_spec", lambda name: None)
    trained._networks.cache_clear()  # pyright: ignore[reportPrivateUsage]
    try:
        assert [one.name for one in web.bundled(game, game.make_variant())] == ["daifugo_5_small"]
    finally:
        trained._networks.cache_clear()  # pyright: ignore[reportPrivateUsage]
    assert install_hint.command("policies") in web.lacks()


def test_every_operator_of_the_training_is_known() -> None:
    root = Path(training.__file__).parent
    sources = "".join(
        path.read_text(encoding="utf-8") for path in [root / "export" / "onnx_graph.py", *root.glob("encoders/**/*.py")]
    )
    written = set(re.findall(r'\b(?:add|of)\(\s*"([A-Z]\w+)"', sources)) | {"Relu", "Tanh"}
    known = {
        name for one in SCRIPT.parent.glob("onnx_*.js") for name in re.findall(r"^  (\w+): \[", one.read_text(), re.M)
    }
    assert len(written) > 25
    assert written <= known


Case = tuple[str, list[Any], dict[str, Any]]
X, INDEX, CUBE = "x", np.array([[2, 0, -1]], np.int64), np.arange(24, dtype=np.float32).reshape(2, 3, 4) - 11
SMALL = np.array([[0.5, -2.0, 3.0, 0.0]], np.float32)


def whole(*numbers: int) -> Any:
    return np.array(numbers, np.int64)


def floats(numbers: Any) -> Any:
    return np.array(numbers, np.float32)


CASES: list[Case] = [
    *[(name, [X, SMALL], {}) for name in ("Add", "Sub", "Mul", "Max", "Min", "Greater", "Less", "LessOrEqual")],
    *[(name, [X], {}) for name in ("Relu", "Tanh", "Sigmoid", "Sign")],
    ("Max", [X, SMALL, floats([1])], {}),
    ("Add", [CUBE, floats([[1], [2], [3]])], {}),
    ("Cast", [X], {"to": TensorProto.INT64}),
    ("Cast", [X], {"to": TensorProto.BOOL}),
    ("Where", [np.array([[True, False, True, False]]), X, SMALL], {}),
    ("Gemm", [X, floats([[1, 2, 3, 4], [5, 6, 7, 8], [-1, 0, 1, 0]]), floats([1, 2, 3])], {"transB": 1}),
    ("Gemm", [X, floats([[1, 2], [3, 4], [5, 6], [7, 8]])], {}),
    ("MatMul", [floats([[1, 2, 3], [0, -1, 2]]), CUBE], {}),
    ("Conv", [CUBE[None], np.ones((2, 2, 3, 3), np.float32), floats([0.5, 1])], {"pads": [1, 0, 2, 1]}),
    ("Conv", [CUBE[None], CUBE[:, :1, :3, None], floats([0.5, 1])], {"group": 2, "pads": [0, 1, 0, 0]}),
    ("CumSum", [CUBE, np.array(1)], {}),
    ("CumSum", [X, np.array(-1)], {}),
    ("TopK", [X, whole(3)], {"axis": 1, "largest": 1, "sorted": 1}),
    ("TopK", [CUBE, whole(2)], {"largest": 0}),
    ("ArgMax", [CUBE], {"axis": 1, "keepdims": 0}),
    ("ArgMax", [CUBE], {"axis": -1}),
    ("ReduceSum", [CUBE, whole(1)], {"keepdims": 0}),
    ("ReduceSum", [CUBE], {}),
    ("ReduceMax", [CUBE], {"axes": [-1, 0], "keepdims": 0}),
    ("Concat", [CUBE, CUBE[:, :1]], {"axis": -2}),
    ("Gather", [CUBE, INDEX], {"axis": 1}),
    ("Gather", [X, whole(0)], {}),
    ("GatherElements", [CUBE, np.broadcast_to(INDEX[:, :, None], (2, 3, 4))], {"axis": 1}),
    ("ScatterElements", [X, INDEX, floats([[1, 2, 3]])], {"axis": 1, "reduction": "add"}),
    ("ScatterElements", [X, INDEX, floats([[1, 2, 3]])], {"axis": -1}),
    ("Slice", [CUBE, whole(1, -3), whole(2**62, -1), whole(1, 2), whole(1, 1)], {}),
    ("Slice", [CUBE, whole(1), whole(2)], {}),
    ("Pad", [X, whole(0, 2, 1, 1), floats(7)], {}),
    ("Pad", [CUBE, whole(0, 0, 1, 0, 2, 0)], {"mode": "constant"}),
    ("Transpose", [CUBE], {"perm": [2, 0, 1]}),
    ("Transpose", [CUBE], {}),
    ("Reshape", [CUBE, whole(4, -1, 1)], {}),
    ("Reshape", [CUBE, whole(0, -1)], {}),
    ("Unsqueeze", [CUBE, whole(0, -1)], {}),
]


def written(path: Path, case: Case, raw: bool = True) -> Any:
    """Write a network of one operator, whose result does not matter to `view`, and return the model."""
    kind, given, attributes = case
    names = [X if isinstance(one, str) else f"c{i}" for i, one in enumerate(given)]
    constants = [numpy_helper.from_array(one, names[i]) for i, one in enumerate(given) if not isinstance(one, str)]
    if not raw:
        constants = [_unpacked(one) for one in constants]
    nodes = [helper.make_node("Cast", ["view"], [X], to=TensorProto.FLOAT)]
    nodes += [helper.make_node(kind, names, ["made", "other"][: 1 + (kind == "TopK")], **attributes)]
    nodes += [helper.make_node("Cast", ["made"], ["logits"], to=TensorProto.FLOAT)]
    shown = helper.make_tensor_value_info("view", TensorProto.INT8, ["n", 4])
    answer = helper.make_tensor_value_info("logits", TensorProto.FLOAT, None)
    graph = helper.make_graph(nodes, "one", [shown], [answer], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    path.write_bytes(model.SerializeToString())
    return model


def _unpacked(one: Any) -> Any:
    """Return a constant whose numbers are fields, and not bytes."""
    numbers = numpy_helper.to_array(one)
    return helper.make_tensor(one.name, one.data_type, numbers.shape, numbers.flatten().tolist())


VIEW = np.array([[3, -2, 0, 5]], np.int8)


@pytest.mark.parametrize("raw", [True, False], ids=["bytes", "fields"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0]}-{case[2]}")
def test_an_operator_does_what_onnx_says(case: Case, raw: bool, tmp_path: Path) -> None:
    model = written(tmp_path / "one.onnx", case, raw)
    evaluator: Any = ReferenceEvaluator(model)
    [wanted] = evaluator.run(None, {"view": VIEW})
    found = answered(tmp_path / "one.onnx", VIEW)
    np.testing.assert_allclose(found["logits"][0], wanted.flatten(), rtol=1e-6)


REFUSED: list[tuple[Case, str]] = [
    (("Softmax", [X], {}), "it needs the operator Softmax, which is not known here"),
    (("Gemm", [X, CUBE[0]], {"alpha": 2.0}), "it needs alpha of the operator Gemm, which is not known here"),
    (("Gemm", [X, CUBE[0]], {}), "its operator Gemm cannot go on: it multiplies rows of 4 by 3 numbers"),
    (("Gather", [X, whole(0, 1)], {}), "its operator Gather cannot go on: it reads place 1 of 1"),
    (("Reshape", [X, whole(3, -1)], {}), "its operator Reshape cannot go on: 1,4 has not the shape 3,-1"),
    (("Add", [X, floats([1, 2])], {}), "its operator Add cannot go on: shapes with 4 and 2 do not go together"),
    (("Add", [X, np.ones(1)], {}), "its numbers of type 11 cannot be read here"),
    (("ScatterElements", [X, INDEX, SMALL[:, 1:]], {"axis": 1, "reduction": "mul"}), "it scatters with mul"),
]


@pytest.mark.parametrize(("case", "words"), REFUSED, ids=[f"{case[0]}-{words[-12:]}" for case, words in REFUSED])
def test_what_is_not_known_is_refused_in_words(case: Case, words: str, tmp_path: Path) -> None:
    written(tmp_path / "one.onnx", case)
    assert words in answered(tmp_path / "one.onnx", VIEW)["why"]


def test_a_damaged_file_is_refused_in_words(tmp_path: Path) -> None:
    path, whole_file = tmp_path / "one.onnx", BUNDLED[-1].path.read_bytes()
    views = np.zeros((1, 4), np.int8)
    for content, words in (
        (whole_file[: len(whole_file) // 2], "it ends too early"),
        (b"", "it holds no network"),
        (b"nothing at all", "it "),
        (bytes(40), "it "),
    ):
        path.write_bytes(content)
        assert answered(path, views)["why"].startswith(words)
