"""What importing the package loads."""

import json
import subprocess
import sys


def loaded_by(statement: str) -> list[str]:
    code = f"import json, sys; {statement}; print(json.dumps(sorted(sys.modules)))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return json.loads(ran.stdout)


def test_the_registry_loads_neither_compiler_nor_games_nor_torch() -> None:
    modules = loaded_by("import kozyr.envs; kozyr.envs.games()")
    assert not {"numba", "torch", "pygame", "stable_baselines3", "onnxruntime"} & set(modules)
    ours = [name for name in modules if name.startswith("kozyr.")]
    assert ours == ["kozyr.envs", "kozyr.envs.registry"]


def test_playing_loads_no_torch() -> None:
    modules = loaded_by("from kozyr import agents, envs; agents.load('durak:low'); envs.make_vec('durak', 2)")
    assert not {"torch", "stable_baselines3", "onnxruntime", "kozyr.training"} & set(modules)
