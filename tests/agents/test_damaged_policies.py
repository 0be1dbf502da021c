"""Policies in damaged files are refused in a sentence: nothing crashes, nothing is unpacked that is too big."""

import json
import os
import random
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kozyr import agents, envs
from kozyr.agents.nets.condensed import MOST_BYTES, CondensedPolicy
from kozyr.agents.nets.trained import bundled
from kozyr.envs.table.table import Table
from tests.test_cli import run

SMALL = bundled("daifugo", ".npz")[0]


def arrays() -> dict[str, Any]:
    with np.load(SMALL) as numbers:
        return {name: numbers[name] for name in numbers.files}


def written(folder: Path, **changed: Any) -> Path:
    """Return a file in which some arrays are others, or left out."""
    path = folder / "bad.npz"
    np.savez(path, **{name: array for name, array in {**arrays(), **changed}.items() if array is not None})
    return path


def about(**changed: Any) -> Any:
    return np.array(json.dumps({**json.loads(str(arrays()["about"])), **changed}))


def shrunk(name: str) -> Any:
    return arrays()[name][:-1]


BAD: dict[str, Any] = {
    "places before the rows": lambda: {"first": arrays()["first"] - 10},
    "places after the rows": lambda: {"first": arrays()["first"] + 300},
    "huge places": lambda: {"first": np.full_like(arrays()["first"], 2**31 - 1)},
    "sums of nothing": lambda: {"sums": arrays()["sums"] + 1000},
    "sums before": lambda: {"sums": arrays()["sums"] - 100},
    **{f"{name} too short": lambda name=name: {name: shrunk(name)} for name in ("first", "sums", "start")},
    **{f"{name} shorter": lambda name=name: {name: shrunk(name)} for name in ("inner", "middle", "outer", "end")},
    "too few rows": lambda: {"rows": arrays()["rows"][:-100]},
    "no rows": lambda: {"rows": np.zeros((0, 256), np.float16)},
    "flat": lambda: {"rows": arrays()["rows"].ravel()},
    "words": lambda: {"end": np.full(len(arrays()["end"]), "x")},
    "not a number": lambda: {"end": arrays()["end"] * np.nan},
    "too wide": lambda: {
        "rows": np.zeros((len(arrays()["rows"]), 4096)),
        "start": np.zeros(4096),
        "inner": np.zeros((len(arrays()["inner"]), 4096)),
    },
    "an array is missing": lambda: {"middle": None},
    "nothing is known": lambda: {"about": None},
    "no JSON": lambda: {"about": np.array("{")},
    "deep JSON": lambda: {"about": np.array("[" * 100_000)},
    "a list": lambda: {"about": np.array("[]")},
    "a number for the game": lambda: {"about": about(game=7)},
    "a text for options": lambda: {"about": about(options="players")},
    "a wrong option": lambda: {"about": about(options={"players": [1]})},
    "a view of numbers": lambda: {"about": about(view=[1, 2])},
    "a view of texts": lambda: {"about": about(view=[["hand", "0", "1", "2"]])},
    "an object": lambda: {"end": np.array([{}] * len(arrays()["end"]), object)},
}


@pytest.mark.parametrize("how", BAD)
def test_a_condensed_policy_that_is_damaged_is_refused(how: str, tmp_path: Path) -> None:
    path = written(tmp_path, **BAD[how]())
    with pytest.raises(ValueError, match=r"bad\.npz") as caught:
        agents.load(str(path))
    assert len(str(caught.value)) < 400


def test_a_small_file_that_unpacks_to_very_much_is_refused_before_that(tmp_path: Path) -> None:
    path = tmp_path / "bad.npz"
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("rows.npy", "w", force_zip64=True) as file,
    ):
        for _ in range(MOST_BYTES // (1 << 20) + 1):
            file.write(bytes(1 << 20))
    assert path.stat().st_size < 1 << 20
    with pytest.raises(ValueError, match="more than any such file has"):
        agents.load(str(path))


def test_bytes_that_are_wrong_crash_nothing(tmp_path: Path) -> None:
    whole, rng, path = SMALL.read_bytes(), random.Random(4), tmp_path / "bad.npz"
    game = envs.game("daifugo")
    played = 0
    for number in range(150):
        data = bytearray(whole)
        for _ in range(rng.randrange(1, 20)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        path.write_bytes(data if number % 3 else data[: rng.randrange(len(data))])
        try:
            policy = CondensedPolicy(path)
        except ValueError:
            continue
        table = Table(game, policy.variant, number)
        assert table.mask[policy.act(table.view(table.turn), table.mask)]
        played += 1
    assert played < 100


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("kozyr.variant", "[]"),
        ("kozyr.variant", "{"),
        ("kozyr.view", '{"a": 1}'),
        ("kozyr.view", "[[1]]"),
        ("kozyr.view", "[" * 100_000),
        ("kozyr.game", "chess_v0"),
        ("kozyr.training", "nan of it"),
        ("kozyr.training", '{"unseen": "mine"}'),
        ("kozyr.training", '{"unseen": ["nowhere"]}'),
        ("kozyr.training", f'{{"unseen": ["{"a" * 100_000}"]}}'),
        ("kozyr.training", '{"unseen": [["mine"]]}'),
        ("kozyr.training", '{"unseen": ["mine", "mine"]}'),
        ("kozyr.training", "[]"),
    ],
)
def test_an_onnx_policy_with_wrong_metadata_is_refused(key: str, text: str, tmp_path: Path) -> None:
    onnx = pytest.importorskip("onnx")
    model = onnx.load(bundled("war", ".onnx")[0])
    for fact in model.metadata_props:
        if fact.key == key:
            fact.value = text
    onnx.save(model, tmp_path / "bad.onnx")
    with pytest.raises(ValueError, match=r"bad\.onnx") as told:
        agents.load(str(tmp_path / "bad.onnx"))
    assert len(str(told.value)) < 1000


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="files of other kinds")
@pytest.mark.parametrize("suffix", [".npz", ".onnx"])
@pytest.mark.parametrize("how", ["a folder", "endless zeros", "a pipe", "nothing", "a text"])
def test_a_policy_that_is_no_file_of_its_kind_is_refused(
    how: str, suffix: str, tmp_path: Path, monkeypatch: Any
) -> None:
    pytest.importorskip("onnxruntime")
    monkeypatch.setattr("kozyr.agents.nets.policy.MOST_BYTES", 1 << 20)
    path = tmp_path / f"bad{suffix}"
    make: dict[str, Any] = {
        "a folder": path.mkdir,
        "endless zeros": lambda: path.symlink_to("/dev/zero"),
        "a pipe": lambda: os.mkfifo(path),
        "nothing": path.touch,
        "a text": lambda: path.write_text("no policy\n" * 100),
    }
    make[how]()
    told = run("evaluate", str(path), "--deals", "2", code=2).stderr
    assert f"bad{suffix}" in told
    assert told.count("\n") == 1
    assert len(told) < 600


def test_onnx_bytes_that_are_wrong_crash_nothing(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    whole, rng, path = bundled("war", ".onnx")[0].read_bytes(), random.Random(5), tmp_path / "bad.onnx"
    refused = 0
    for number in range(60):
        data = bytearray(whole)
        for _ in range(rng.randrange(1, 20)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        path.write_bytes(data if number % 3 else data[: rng.randrange(len(data))])
        refused += bool(complaint(path))
    assert refused > 15


def complaint(path: Path) -> str:
    """Return why a policy cannot play, or nothing."""
    words = ""
    try:
        policy: Any = agents.load(str(path))
        table = Table(policy.game, policy.variant, 1)
        assert table.mask[policy.act(table.view(table.turn), table.mask)]
    except ValueError as error:
        words = str(error)
    assert not words or "bad.onnx" in words
    assert len(words) < 600
    return words


def rewritten(path: Path, change: Any) -> None:
    """Write a bundled policy whose model is another one."""
    onnx = pytest.importorskip("onnx")
    model = onnx.load(bundled("war", ".onnx")[0])
    change(model)
    path.write_bytes(model.SerializeToString())


def outside(model: Any, place: str) -> None:
    """Say that the weights stand in another file."""
    weights = model.graph.initializer[0]
    weights.ClearField("raw_data")
    weights.ClearField("float_data")
    weights.data_location = 1
    for key, value in (("location", place), ("offset", "0")):
        entry = weights.external_data.add()
        entry.key, entry.value = key, value


ONNX: dict[str, tuple[Any, str]] = {
    "weights of the system": (lambda model: outside(model, "/etc/passwd"), "cannot be read"),
    "weights above": (lambda model: outside(model, "../../../../../../../etc/passwd"), "cannot be read"),
    "weights beside": (lambda model: outside(model, "beside.bin"), "cannot be read"),
    "another output": (lambda model: setattr(model.graph.output[0], "name", "other"), "cannot be read|cannot answer"),
    "another input": (
        lambda model: setattr(model.graph.input[0].type.tensor_type, "elem_type", 11),
        "cannot be read|cannot answer",
    ),
    "fewer numbers": (lambda model: reduced(model), r"gives \[.*\[1\]\)\], and war_v0 needs"),
    "no nodes": (lambda model: model.graph.ClearField("node"), "cannot be read"),
}


def reduced(model: Any) -> None:
    """Let a model answer with one number for all actions."""
    onnx = pytest.importorskip("onnx")
    last = model.graph.node[-1]
    last.output[0] = "all"
    model.graph.node.append(onnx.helper.make_node("ReduceMax", ["all"], ["logits"], axes=[1], keepdims=1))
    model.graph.output[0].type.tensor_type.shape.dim[1].dim_value = 1


@pytest.mark.parametrize("how", ONNX)
def test_an_onnx_policy_that_is_another_model_is_refused(how: str, tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    change, words = ONNX[how]
    (tmp_path / "beside.bin").write_bytes(bytes(1 << 20))
    rewritten(tmp_path / "bad.onnx", change)
    assert re.search(words, complaint(tmp_path / "bad.onnx"))


def inside(model: Any, wrap: Callable[[Any, Any, Any], None]) -> None:
    """Let a model, which needs onnxruntime, keep a constant in another file, in a part that `wrap` makes of it."""
    onnx = pytest.importorskip("onnx")
    constant = onnx.helper.make_tensor("elsewhere", 1, [1], [0.0])
    constant.ClearField("float_data")
    constant.data_location = 1
    entry = constant.external_data.add()
    entry.key, entry.value = "location", "beside.bin"
    model.graph.node.append(onnx.helper.make_node("Celu", [model.graph.output[0].name], ["unused"]))
    wrap(onnx, model, constant)


def in_a_subgraph(onnx: Any, model: Any, constant: Any) -> None:
    out = onnx.helper.make_tensor_value_info("elsewhere", 1, [1])
    branch = onnx.helper.make_graph([], "branch", [], [out], [constant])
    node = onnx.helper.make_node("If", ["never"], ["branched"], then_branch=branch, else_branch=branch)
    model.graph.node.append(node)


def in_an_attribute(onnx: Any, model: Any, constant: Any) -> None:
    model.graph.node.append(onnx.helper.make_node("Constant", [], ["elsewhere"], value=constant))


def in_a_function(onnx: Any, model: Any, constant: Any) -> None:
    node = onnx.helper.make_node("Constant", [], ["elsewhere"], value=constant)
    opset = onnx.helper.make_opsetid("", 17)
    model.functions.append(onnx.helper.make_function("own", "f", [], ["elsewhere"], [node], [opset]))


@pytest.mark.parametrize("wrap", [in_a_subgraph, in_an_attribute, in_a_function])
def test_no_part_of_an_onnx_policy_may_read_another_file(
    wrap: Callable[[Any, Any, Any], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kozyr.agents.nets.policy.Session", lambda content: pytest.fail("a session was made"))
    rewritten(tmp_path / "bad.onnx", lambda model: inside(model, wrap))
    assert re.search("another file", complaint(tmp_path / "bad.onnx"))


@pytest.mark.parametrize("text", ['{"a": NaN}', '{"a": 1, "a": 2}'])
def test_metadata_is_json_that_anybody_would_write(text: str, tmp_path: Path) -> None:
    path = written(tmp_path, about=np.array(text))
    with pytest.raises(ValueError, match=r"bad\.npz is no condensed policy.*(NaN is no number|is there twice)"):
        agents.load(str(path))
