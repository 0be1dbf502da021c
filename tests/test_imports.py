"""What importing the package loads, and which names are promised."""

import json
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def loaded_by(statement: str) -> list[str]:
    code = f"import json, sys; {statement}; print(json.dumps(sorted(sys.modules)))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return json.loads(ran.stdout)


def test_the_registry_loads_neither_compiler_nor_games_nor_torch() -> None:
    modules = loaded_by("import kozyr.envs; kozyr.envs.games()")
    assert not {"numba", "torch", "pygame", "stable_baselines3", "onnxruntime"} & set(modules)
    ours = [name for name in modules if name.startswith("kozyr.")]
    assert ours == ["kozyr.envs", "kozyr.envs.core", "kozyr.envs.core.quote", "kozyr.envs.registry"]


def test_playing_loads_no_torch() -> None:
    modules = loaded_by("from kozyr import agents, envs; agents.load('durak:low'); envs.make_vec('durak', 2)")
    assert not {"torch", "stable_baselines3", "onnxruntime", "kozyr.training"} & set(modules)


def test_what_the_reference_calls_stable_is_there() -> None:
    page = (ROOT / "docs" / "reference" / "index.md").read_text(encoding="utf-8")
    stable = page.partition("| Stable |")[2].partition("| Provisional |")[0]
    modules = set(re.findall(r"`(kozyr[\w.]*)`", stable))
    assert {"kozyr.envs", "kozyr.agents", "kozyr.agents.arena", "kozyr.contract"} < modules
    core = re.findall(r"`([a-z]+)`", stable.partition("`kozyr.envs.core.")[2].partition(";")[0])
    assert len(core) > 4
    for name in [*modules, *(f"kozyr.envs.core.{one}" for one in core)]:
        module = import_module(name)
        assert all(hasattr(module, one) for one in getattr(module, "__all__", []))


@pytest.mark.parametrize("name", ["openspiel", "structured"])
def test_a_deprecated_import_works_and_names_the_new_one(name: str) -> None:
    with pytest.warns(DeprecationWarning, match=r"from kozyr\.envs\.bridges"):
        assert getattr(import_module("kozyr.envs.api"), name) is import_module(f"kozyr.envs.bridges.{name}")
