"""Policies in damaged files are refused in a sentence: nothing crashes, nothing is unpacked that is too big."""

import json
import random
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kozyr import agents, envs
from kozyr.agents.nets.condensed import MOST_BYTES, CondensedPolicy
from kozyr.agents.nets.trained import bundled
from kozyr.envs.api.table import Table

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
    with pytest.raises(ValueError, match="more than any such policy has"):
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
    ],
)
def test_an_onnx_policy_with_wrong_metadata_is_refused(key: str, text: str, tmp_path: Path) -> None:
    onnx = pytest.importorskip("onnx")
    model = onnx.load(bundled("war", ".onnx")[0])
    for fact in model.metadata_props:
        if fact.key == key:
            fact.value = text
    onnx.save(model, tmp_path / "bad.onnx")
    with pytest.raises(ValueError, match=r"bad\.onnx"):
        agents.load(str(tmp_path / "bad.onnx"))
