"""Importing the registry registers the games and does nothing else."""

import json
import subprocess
import sys
from typing import Any

import gymnasium
import pettingzoo
import pytest
from gymnasium.envs.registration import EnvSpec

from kozyr import envs
from kozyr.envs import registry

_LOOK = """
import json, logging, os, random, sys, warnings
import gymnasium, numpy, pettingzoo

def around():
    return {
        "environment": dict(os.environ),
        "path": list(sys.path),
        "warnings": [repr(one) for one in warnings.filters],
        "handlers": [repr(one) for one in logging.root.handlers],
        "level": logging.root.level,
        "luck": repr(random.getstate()) + repr(numpy.random.get_state()),
        "gymnasium": sorted(gymnasium.registry),
        "numpy": repr(numpy.geterr()),
    }

before = around()
import kozyr.envs
after = around()
changed = [key for key in before if before[key] != after[key]]
print(json.dumps([changed, sorted(set(after["gymnasium"]) - set(before["gymnasium"]))]))
"""


def fresh(code: str) -> str:
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def ids() -> list[str]:
    return [registry.gymnasium_id(name) for name in envs.games()]


def test_importing_the_registry_changes_the_registry_only() -> None:
    changed, added = json.loads(fresh(_LOOK))
    assert changed == ["gymnasium"]
    assert added == sorted(ids())


def test_gymnasium_imports_the_registry_by_itself_where_the_name_says_so() -> None:
    said = fresh("import gymnasium; print(gymnasium.make('kozyr.envs:kozyr/Mnk-v0', m=3, n=3, k=3).action_space)")
    assert said.strip() == "Discrete(9)"


@pytest.mark.parametrize("library", ["gymnasium", "pettingzoo"])
def test_importing_the_package_is_enough_where_a_library_is_loaded(library: str) -> None:
    """As `--gym-packages kozyr` does in RL Baselines3 Zoo; Gymnasium reads no entry points of packages since 1.0."""
    code = (
        f"import {library}, kozyr, gymnasium; print(*[one for one in gymnasium.registry if one.startswith('kozyr/')])"
    )
    assert set(fresh(code).split()) == set(ids())
    loaded = fresh("import kozyr, sys; print('gymnasium' in sys.modules)")
    assert loaded.strip() == "False"


@pytest.mark.parametrize("name", ids())
def test_a_registered_environment_can_be_written_down_and_made_again(name: str) -> None:
    spec = gymnasium.make(name, seat=0).spec
    assert spec is not None
    again = gymnasium.make(EnvSpec.from_json(spec.to_json()))
    again.reset(seed=1)
    assert again.unwrapped.action_masks().any()  # pyright: ignore[reportAttributeAccessIssue]


@pytest.mark.skipif(not hasattr(pettingzoo, "make"), reason="PettingZoo has a registry from 1.27 on")
@pytest.mark.parametrize("name", envs.games())
def test_pettingzoo_makes_a_game_by_its_name(name: str) -> None:
    env: Any = pettingzoo.make("aec", registry.pettingzoo_id(name), render_mode="ansi")
    env.reset(seed=1)
    assert env.unwrapped.render() == env.unwrapped.game.text.write(env.unwrapped.variant, env.unwrapped.state_record())


@pytest.mark.skipif(not hasattr(pettingzoo, "make"), reason="PettingZoo has a registry from 1.27 on")
@pytest.mark.parametrize("name", envs.games())
def test_pettingzoo_makes_a_parallel_game_by_its_name(name: str) -> None:
    env: Any = pettingzoo.make("parallel", registry.pettingzoo_id(name), observation="flat")
    observations, _ = env.reset(seed=1)
    assert all(env.observation_space(agent).contains(seen) for agent, seen in observations.items())
