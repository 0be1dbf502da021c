"""Forward pass of networks: operators as ONNX's reference has them, bundled files as onnxruntime answers them."""

import random
import re
import threading
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from kozyr import agents, envs, training
from kozyr.agents.nets import policy
from kozyr.agents.nets.forward import network, operators
from kozyr.agents.nets.forward.network import Forward
from kozyr.agents.nets.forward.onnx_file import UnsupportedError
from kozyr.agents.nets.policy import OnnxPolicy
from kozyr.agents.nets.session import Session
from tests.site.policies import positions

BUNDLED = [OnnxPolicy(path) for name in envs.games() for path in agents.policies(name)]
FEWEST, MOST = 300, 1_000
NEAR = 1e-4  # of what logits are: floats are added up in another order


@pytest.mark.slow
@pytest.mark.parametrize("one", BUNDLED, ids=lambda one: one.name)
def test_a_bundled_network_answers_as_onnxruntime(one: OnnxPolicy) -> None:
    assert isinstance(one.network, Forward)
    views, masks = (found[:MOST] for found in positions(one, 60))
    assert len(views) >= FEWEST
    legal, theirs = masks != 0, Session(one.path.read_bytes())(views)
    logits = one.network(views)
    np.testing.assert_allclose(logits[legal], theirs[legal], rtol=NEAR, atol=NEAR)
    mine, wanted = (np.where(legal, found, -np.inf) for found in (logits, theirs))
    chosen, best = mine.argmax(1), wanted.argmax(1)
    for row in np.flatnonzero(chosen != best):  # only actions that are as good as equal
        assert abs(wanted[row, chosen[row]] - wanted[row, best[row]]) <= NEAR


@pytest.mark.parametrize("one", BUNDLED, ids=lambda one: one.name)
def test_a_view_has_one_answer_alone_or_in_a_batch(one: OnnxPolicy) -> None:
    views = positions(one, 1)[0][:21]
    together = one.network(views)
    alone = np.concatenate([one.network(view[None]) for view in views])
    np.testing.assert_array_equal(together, alone)


def test_threads_do_not_disturb_each_other() -> None:
    [one] = [one for one in BUNDLED if one.name == "durak_36"]
    views = positions(one, 3)[0][:60]
    wanted, found = one.network(views), dict[int, Any]()

    def ask(k: int) -> None:
        found[k] = [one.network(views) for _ in range(20)]

    threads = [threading.Thread(target=ask, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(answer, wanted) for answers in found.values() for answer in answers)


def test_every_operator_of_the_training_is_known() -> None:
    root = Path(training.__file__).parent
    sources = "".join(
        path.read_text(encoding="utf-8") for path in [root / "export" / "onnx_graph.py", *root.glob("encoders/**/*.py")]
    )
    written = set(re.findall(r'\b(?:add|of)\(\s*"([A-Z]\w+)"', sources)) | {"Relu", "Tanh"}
    assert len(written) > 25
    assert written <= set(operators.OPERATORS)


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
    ("Pad", [X, whole(0, 2, 1, 1), np.array(7, np.float32)], {}),
    ("Pad", [CUBE, whole(0, 0, 1, 0, 2, 0)], {"mode": "constant"}),
    ("Transpose", [CUBE], {"perm": [2, 0, 1]}),
    ("Transpose", [CUBE], {}),
    ("Reshape", [CUBE, whole(4, -1, 1)], {}),
    ("Reshape", [CUBE, whole(0, -1)], {}),
    ("Unsqueeze", [CUBE, whole(0, -1)], {}),
]


VIEW = np.array([[3, -2, 0, 5]], np.int8)


@pytest.mark.parametrize("raw", [True, False], ids=["bytes", "fields"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0]}-{case[2]}")
def test_an_operator_does_what_onnx_says(case: Case, raw: bool, tmp_path: Path) -> None:
    model = written(tmp_path / "one.onnx", case, raw)
    evaluator: Any = ReferenceEvaluator(model)
    [wanted] = evaluator.run(None, {"view": VIEW})
    [found] = Forward((tmp_path / "one.onnx").read_bytes())(VIEW)
    np.testing.assert_allclose(found, wanted.flatten(), rtol=1e-6)


REFUSED: list[tuple[Case, str]] = [
    (("Softmax", [X], {}), "it needs the operator Softmax, which is not known here"),
    (("Gemm", [X, CUBE[0]], {"alpha": 2.0}), "it needs alpha of the operator Gemm, which is not known here"),
    (("Gemm", [X, CUBE[0]], {}), r"its operator Gemm cannot go on: it multiplies \(1, 4\) by \(3, 4\)"),
    (("Gemm", [CUBE[0], X], {}), "its operator Gemm cannot go on: it needs a constant where"),
    (("Gather", [X, whole(0, 1)], {}), r"its operator Gather cannot go on: it reads place \[1\] of 1"),
    (("Reshape", [X, whole(3, -1)], {}), "its operator Reshape cannot go on"),
    (("Add", [X, floats([1, 2])], {}), "its operator Add cannot go on"),
    (("Add", [X, np.ones(1, np.complex64)], {}), "its numbers of type 14 cannot be read here"),
    (("Pad", [X, whole(0, 0, 0, 2**40)], {}), "its operator Pad cannot go on: it has a tensor of the shape"),
    (("ScatterElements", [X, INDEX, SMALL[:, 1:]], {"axis": 1, "reduction": "mul"}), "it scatters with mul"),
]


@pytest.mark.parametrize(("case", "words"), REFUSED, ids=[f"{case[0]}-{words[-12:]}" for case, words in REFUSED])
def test_what_is_not_known_is_refused_in_words(case: Case, words: str, tmp_path: Path) -> None:
    written(tmp_path / "one.onnx", case, actions=4)
    with pytest.raises(UnsupportedError, match=words):
        Forward((tmp_path / "one.onnx").read_bytes())


@pytest.mark.parametrize("kind", ["Gather", "GatherElements", "ScatterElements"])
def test_a_place_that_is_not_there_is_never_read(kind: str, tmp_path: Path) -> None:
    index = helper.make_node("Cast", ["view"], ["index"], to=TensorProto.INT64)
    inputs = {"Gather": ["c0", "index"], "GatherElements": ["x", "index"], "ScatterElements": ["x", "index", "x"]}[kind]
    attributes: dict[str, Any] = {} if kind == "Gather" else {"axis": 1}
    last = [] if kind != "Gather" else [helper.make_node("Reshape", ["rows"], ["logits"])]
    out = "rows" if kind == "Gather" else "logits"
    nodes = [helper.make_node("Cast", ["view"], ["x"], to=TensorProto.FLOAT), index]
    nodes += [helper.make_node(kind, inputs, [out], **attributes)]
    constants = [numpy_helper.from_array(floats([1, 2, 3, 4]), "c0"), numpy_helper.from_array(whole(1, 4), "shape")]
    if last:
        last[0].input.append("shape")
    model = model_of([*nodes, *last], constants)
    answers = Forward(model.SerializeToString())
    answers(np.array([[0, 3, 1, -4]], np.int8))
    for place in (4, -5, 127):
        with pytest.raises(ValueError, match="a place that is not there"):
            answers(np.array([[0, place, 1, 2]], np.int8))


def test_a_damaged_file_is_refused_in_words() -> None:
    whole_file = BUNDLED[-1].path.read_bytes()
    for content, words in (
        (whole_file[: len(whole_file) // 2], "it ends too early"),
        (b"", "it holds no network"),
        (b"nothing at all", "it "),
        (bytes(40), "it "),
    ):
        with pytest.raises(ValueError, match=f"^{words}"):
            Forward(content)


def test_a_file_that_gets_too_large_is_refused() -> None:
    large = [helper.make_node("Cast", ["view"], ["x"], to=TensorProto.FLOAT)]
    pads = numpy_helper.from_array(whole(0, 0, 0, 3_000_000), "pads")
    large += [helper.make_node("Pad", ["x", "pads"], [f"p{k}"]) for k in range(8)]
    large += [helper.make_node("Relu", [f"p{k}"], [f"r{k}"]) for k in range(8)]
    with pytest.raises(ValueError, match=r"needs more than .* numbers at once"):
        Forward(model_of(large, [pads]).SerializeToString())
    many = [helper.make_node("Identity", ["view"], [f"i{k}"]) for k in range(network._MOST_NODES + 1)]  # pyright: ignore[reportPrivateUsage]
    with pytest.raises(ValueError, match="more than 10,000 operations"):
        Forward(model_of(many, []).SerializeToString())


def squares(times: int, from_view: bool) -> bytes:
    """Return a network that multiplies a matrix by itself so many times; the matrix depends on the view or does not."""
    side = 1000
    constants = [numpy_helper.from_array(whole(0, 0, side - 1, side - 4), "pads")]
    nodes = [helper.make_node("Cast", ["view"], [X], to=TensorProto.FLOAT)]
    if from_view:
        nodes += [helper.make_node("Pad", [X, "pads"], ["m0"])]
    else:
        constants.append(numpy_helper.from_array(np.eye(side, dtype=np.float32), "m0"))
    nodes += [helper.make_node("MatMul", [f"m{k}", f"m{k}"], [f"m{k + 1}"]) for k in range(times)]
    ends = {"starts": (0, 0), "ends": (1, 4)}
    constants += [numpy_helper.from_array(whole(*numbers), name) for name, numbers in ends.items()]
    nodes += [helper.make_node("Slice", [f"m{times}", "starts", "ends"], ["corner"])]
    nodes += [helper.make_node("Add", ["corner", X], ["logits"])]
    return model_of(nodes, constants).SerializeToString()


@pytest.mark.parametrize("from_view", [True, False])
def test_a_network_that_computes_for_seconds_is_refused(from_view: bool) -> None:
    with pytest.raises(UnsupportedError, match="computes too much"):
        Forward(squares(10, from_view))


def test_the_work_of_an_answer_is_told() -> None:
    assert 2 * 10**9 < Forward(squares(2, from_view=True)).work < 2.1 * 10**9
    assert all(0 < one.network.work < 10**6 for one in BUNDLED if isinstance(one.network, Forward))


def test_a_network_that_copies_without_end_is_refused() -> None:
    pads = numpy_helper.from_array(whole(0, 0, 0, 5_000_000), "pads")
    nodes = [helper.make_node("Pad", ["view", "pads"], ["p"])]
    nodes += [helper.make_node("Concat", ["p", "view"], [f"c{k}"], axis=1) for k in range(30)]
    with pytest.raises(UnsupportedError, match=r"makes more than .* numbers on its way"):
        Forward(model_of(nodes, [pads]).SerializeToString())


def test_what_only_onnxruntime_knows_is_answered_by_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, [small] = tmp_path / "elu.onnx", [one for one in BUNDLED if one.name == "war_52"]
    model = onnx.load(small.path)
    [last] = [node for node in model.graph.node if list(node.output) == ["logits"]]
    last.output[0] = "before"
    model.graph.node.append(helper.make_node("Elu", ["before"], ["logits"]))
    onnx.save(model, path)
    other = OnnxPolicy(path)
    assert isinstance(other.network, Session)
    views, masks = positions(small, 1)
    np.testing.assert_array_equal(other.act_batch(views, masks), small.act_batch(views, masks))
    monkeypatch.setattr(policy, "find_spec", lambda name: None)
    with pytest.raises(ValueError, match=r"it needs the operator Elu.*\[policies\]"):
        OnnxPolicy(path)


def written(path: Path, case: Case, raw: bool = True, actions: int = 0) -> Any:
    """Write a network of one operator, whose result does not matter to `view`, and return the model."""
    kind, inputs, attributes = case
    names = [X if isinstance(one, str) else f"c{i}" for i, one in enumerate(inputs)]
    constants = [numpy_helper.from_array(one, names[i]) for i, one in enumerate(inputs) if not isinstance(one, str)]
    if not raw:
        constants = [_unpacked(one) for one in constants]
    nodes = [helper.make_node("Cast", ["view"], [X], to=TensorProto.FLOAT)]
    nodes += [helper.make_node(kind, names, ["made", "other"][: 1 + (kind == "TopK")], **attributes)]
    nodes += [helper.make_node("Cast", ["made"], ["numbers"], to=TensorProto.FLOAT)]
    nodes += [helper.make_node("Reshape", ["numbers", "line"], ["logits"])]
    line = numpy_helper.from_array(whole(1, -1), "line")
    model = model_of(nodes, [*constants, line], actions)
    if not actions:
        evaluator: Any = ReferenceEvaluator(model)
        [answer] = evaluator.run(None, {"view": VIEW})
        model = model_of(nodes, [*constants, line], answer.size)
    path.write_bytes(model.SerializeToString())
    return model


def model_of(nodes: list[Any], constants: list[Any], actions: int = 4) -> Any:
    """Return a model that reads four numbers."""
    view = helper.make_tensor_value_info("view", TensorProto.INT8, ["n", 4])
    logits = helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["n", actions])
    graph = helper.make_graph(nodes, "one", [view], [logits], constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])


def _unpacked(one: Any) -> Any:
    """Return a constant whose numbers are fields, and not bytes."""
    numbers = numpy_helper.to_array(one)
    return helper.make_tensor(one.name, one.data_type, numbers.shape, numbers.flatten().tolist())


STRANGE = [-3, -1, 0, 1, 2, 7, 270, 2**31 - 1, 2**40, 2**62, -(2**62)]
FLOATS = [np.nan, np.inf, -np.inf, 3e38, -3e38]


def shaken(model: Any, rng: random.Random) -> None:
    """Change a number, a shape, an attribute, an operator or an input of a model at random."""
    node, constant = rng.choice(model.graph.node), rng.choice(model.graph.initializer)
    what = rng.randrange(5)
    if what == 0:
        numbers = numpy_helper.to_array(constant).copy()
        pool = STRANGE if numbers.dtype == np.int64 else FLOATS if numbers.dtype == np.float32 else [0]
        numbers.flat[rng.randrange(numbers.size)] = rng.choice(pool)
        constant.CopyFrom(numpy_helper.from_array(numbers, constant.name))
    elif what == 1 and constant.dims:
        constant.dims[rng.randrange(len(constant.dims))] = rng.choice(STRANGE)
    elif what == 2:
        for attribute in node.attribute:
            attribute.i = rng.choice(STRANGE) if attribute.ints == [] else attribute.i
            attribute.ints[:] = [rng.choice(STRANGE) for _ in attribute.ints]
    elif what == 3:
        node.op_type = rng.choice(model.graph.node).op_type
    elif node.input:
        node.input[rng.randrange(len(node.input))] = rng.choice([rng.choice(model.graph.node).output[0], constant.name])


def test_shaken_networks_are_refused_or_answer() -> None:
    rng, refused, contents = random.Random(3), 0, [one.path.read_bytes() for one in BUNDLED]
    for _ in range(400):
        model = onnx.load_from_string(rng.choice(contents))
        shaken(model, rng)
        try:
            answers = Forward(model.SerializeToString())
            [(_, [entries])] = answers.inputs
            answers(np.array([[rng.choice([-128, -1, 0, 1, 3, 127]) for _ in range(int(entries))]], np.int8))
        except ValueError:
            refused += 1
    assert 100 < refused < 400
