"""Where games come from: installed packages, and `register` in a running program."""

import subprocess
import sys
from importlib.metadata import PathDistribution
from pathlib import Path
from typing import Any

import pytest

from kozyr import agents, envs
from kozyr.agents import roster
from kozyr.agents.roster import Players
from kozyr.envs import registry
from kozyr.training.settings import run_settings

POINTS = """
[kozyr.games]
broken_v0 = nowhere_at_all:GAME
other_v3 = kozyr.envs.mnk:GAME
string_v0 = string:digits
war_v0 = nowhere_at_all:GAME
bare = nowhere_at_all:GAME
"""


def ran(code: str, path: Path | None = None) -> "subprocess.CompletedProcess[str]":
    code = f"import sys; sys.path.insert(0, {str(path)!r})\n{code}" if path else code
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


@pytest.fixture
def strange(tmp_path: Path) -> Path:
    """A folder of packages, in which one is installed whose entry points are wrong in every way."""
    info = tmp_path / "strange-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: strange\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(POINTS, encoding="utf-8")
    assert PathDistribution(info).metadata["Name"] == "strange"
    return tmp_path


def test_what_cannot_be_a_game_is_named_once_and_breaks_nobody(strange: Path) -> None:
    done = ran("from kozyr import envs; print(envs.games()); print(envs.game('mnk').title)", strange)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [str([*envs.games(), "broken", "other", "string"]), "m,n,k-game"]
    assert done.stderr.count("the package strange brings a game 'war', which is ignored: kozyr does") == 1
    assert done.stderr.count("the package strange names a game 'bare', which is ignored: write its version too") == 1


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("broken", "'nowhere_at_all:GAME', which the package strange names for 'broken' in 'kozyr.games', cannot be"),
        ("other", "the package strange calls 'mnk_v0' 'other_v3': mend its entry point"),
        ("string", "the package strange calls 'string:digits' a game, but it is a <class 'str'>"),
    ],
)
def test_a_broken_package_is_named_when_its_game_is_asked_for(strange: Path, name: str, message: str) -> None:
    code = f"from kozyr import envs\ntry: envs.game({name!r})\nexcept ImportError as error: print(error)"
    assert message in ran(code, strange).stdout


def test_a_broken_package_is_not_loaded_to_refuse_its_players_in_another_game(strange: Path) -> None:
    code = (
        "from kozyr import agents\ntry: agents.load('broken:random', 'mnk')\nexcept ValueError as error: print(error)"
    )
    done = ran(code, strange)
    assert "agent 'broken:random' does not play mnk: its players are random" in done.stdout, done.stderr


def test_the_command_lists_the_other_games_and_names_the_broken_ones(strange: Path) -> None:
    done = ran("from kozyr.training.cli import app; app(['games'])", strange)
    assert done.returncode == 0, done.stderr
    assert "durak" in done.stdout
    assert "'nowhere_at_all:GAME', which the package strange names for 'broken'" in done.stderr


def test_an_installation_without_entry_points_says_how_to_mend_it() -> None:
    code = "import importlib.metadata as m; m.entry_points = lambda **_: []\nimport kozyr.envs"
    assert ran(code).stderr.splitlines()[-1].endswith("reinstall it: pip install -e .")


def test_every_place_that_players_name_is_there() -> None:
    for name in envs.games():
        its = registry.players(name)
        for place in (its.bots, its.worlds, its.statistics, *its.search.values()):
            assert not place or roster.find(place) is not None
        assert set(its.rungs) <= set(agents.searchers(name))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"ladder": ("low", "random")}, "its first player is 'random'"),
        ({"ladder": ()}, "its first player is 'random'"),
        ({"ladder": ("random", "low")}, "is not allowed without bots: name the module"),
    ],
)
def test_players_that_cannot_be_are_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Players(**given)


def test_a_game_of_an_installed_package_cannot_be_replaced() -> None:
    with pytest.raises(ValueError, match="the package kozyr brings a game 'mnk' already"):
        envs.register(envs.game("mnk"))
    with pytest.raises(ValueError, match="'mnk' is no game"):
        envs.register("mnk")  # pyright: ignore[reportArgumentType]


def test_settings_and_policies_are_found_beside_their_game() -> None:
    assert run_settings.load(envs.game("mnk"))["preset"] == "mnk.toml [default]"
    assert all(path.name.startswith("mnk_") for path in agents.policies("mnk"))
    assert agents.policies("mnk")


QUIET = """
from dataclasses import replace
from kozyr import agents, envs
from kozyr.agents.arena import match
from kozyr.agents.arena.tournaments.ladder import names

tiny = dict(m=3, n=3, k=3)
for _ in range(2):  # a cell of a notebook may be run twice
    envs.register(replace(envs.game("mnk"), name="quiet"))
assert agents.names("quiet") == ["random"]
assert names("quiet") == ["random", "pimc"]
assert match("quiet", ["random", "random"], deals=3, **tiny).games == 6
assert match("quiet", ["pimc@4", "random"], deals=1, **tiny).games == 2
vec = envs.make_vec("quiet", 2, **tiny)
vec.step(vec.reset(seed=1)[0]["action_mask"].argmax(1))
import gymnasium, pettingzoo
gymnasium.make("kozyr/Quiet-v0", **tiny).reset(seed=1)
pettingzoo.make("aec", "kozyr/quiet-v0", **tiny).reset(seed=1)
try:
    match("quiet", ["random", "random"], deals=3, workers=2, **tiny)
except ValueError as error:
    print(error)
"""


def test_a_game_without_bots_that_a_notebook_registers_works_everywhere() -> None:
    done = ran(QUIET)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("the game 'quiet' cannot be sent to another process: put its rules into a package")
