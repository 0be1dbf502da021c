"""What is warmed is everything: commands compile nothing afterwards."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from kozyr import agents, envs
from kozyr.agents.arena import precompile
from kozyr.agents.search import Searcher, positions
from kozyr.contract import variants
from kozyr.envs.compile import INTERPRETED, folder
from kozyr.training.cli import app

COMMANDS = """
from kozyr.envs.compile import compiled
from kozyr.training.cli import app
for line in '''LINES'''.strip().splitlines():
    app(line.split(), standalone_mode=False)
print(compiled)
"""
LINES = """
match war high_first random --deals 2 --set pickup=choice
match war pimc@5 ismcts@5 --deals 2 --set pickup=choice
match war lookahead@5ms+high_first pimc@5++low_first --deals 2 --set pickup=choice
stats war --deals 20
"""


@pytest.mark.skipif(INTERPRETED, reason="nothing is compiled")
@pytest.mark.long
def test_after_warming_the_commands_compile_nothing() -> None:
    told = CliRunner().invoke(app, ["warm", "war"])
    assert told.exit_code == 0, told.output
    lines = told.output.splitlines()
    assert [line.split(": ")[1] for line in lines if line.startswith("war: ")] == [
        name for name, _ in precompile.steps("war")
    ]
    assert lines[-1] == f"The machine code lies in {folder()}"
    code = COMMANDS.replace("LINES", LINES)
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.splitlines()[-1] == "[]"


ENGINE = """
from kozyr.agents.programs.gomocup import RULES
from kozyr.agents.programs.gomocup_engine import Brain
from kozyr.envs.compile import compiled
brain = Brain("search")
def ask(*lines):
    answers = [answer for line in lines for answer in brain.answer(line)]
    assert not any(answer.startswith(("ERROR", "UNKNOWN")) for answer in answers), (lines, answers)
for size in (8, 15, 20):
    for rule in RULES:
        ask(f"INFO rule {rule}", "INFO timeout_turn 100", f"START {size}")
        brain._player.ready_to_open.wait()
        ask("TURN 3,3", "TURN 3,4", "BOARD", "4,4,1", "4,5,2", "DONE")
        if rule != 4:  # swap2 and renju do not go together
            ask("SWAP2BOARD", "DONE", "SWAP2BOARD", "3,3", "4,4", "4,5", "DONE")
print(compiled)
"""


@pytest.mark.skipif(INTERPRETED, reason="nothing is compiled")
@pytest.mark.long
@pytest.mark.slow
def test_after_warming_the_gomocup_engine_compiles_nothing_in_any_rule() -> None:
    told = CliRunner().invoke(app, ["warm", "mnk"])
    assert told.exit_code == 0, told.output
    ran = subprocess.run([sys.executable, "-c", ENGINE], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.splitlines()[-1] == "[]"


COLD = """
from kozyr.agents.programs.gomocup_engine import Brain
from kozyr.envs.compile import compiled
brain = Brain("search")
brain.answer("INFO timeout_turn 100")
brain.answer("START 9")
brain._player.ready.wait()
brain._player.ready_to_open.wait()
before = len(compiled)
for line in ("BEGIN", "TURN 0,0", "TURN 0,2", "TURN 8,8", "TURN 8,6", "TURN 4,8"):
    brain.answer(line)
print(compiled[before:])
"""


@pytest.mark.skipif(INTERPRETED, reason="nothing is compiled")
@pytest.mark.long
def test_the_gomocup_engine_is_ready_only_when_moves_compile_nothing_more(tmp_path: Path) -> None:
    cold = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    ran = subprocess.run([sys.executable, "-c", COLD], capture_output=True, text=True, env=cold)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize("game", envs.games())
def test_every_variant_is_of_a_form_that_is_warmed(game: str) -> None:
    it = envs.game(game)
    warmed = {precompile.form(it, it.make_variant(**options)) for options in precompile.forms(it)}
    assert {precompile.form(it, v) for v in variants.drawn(it, 400, seed=11)} <= warmed


@pytest.mark.skipif(not INTERPRETED, reason="something is compiled")
def test_where_nothing_is_compiled_there_is_nothing_to_warm() -> None:
    assert "NUMBA_DISABLE_JIT is set" in CliRunner().invoke(app, ["warm", "war"]).output


@pytest.mark.parametrize("game", envs.games())
def test_variants_are_all_different_and_the_smallest_is_small(game: str) -> None:
    it = envs.game(game)
    found = [it.make_variant(**options) for options in precompile.variants(it)]
    assert len(set(found)) == len(found) > 1
    small = it.make_variant(**precompile.smallest(it))
    assert it.bound(small) <= min(it.bound(one) for one in found)


@pytest.mark.parametrize(("game", "options"), [("war", {"pickup": "choice"}), ("mnk", {"m": 4, "n": 4, "k": 3})])
def test_positions_are_those_with_a_choice(game: str, options: dict) -> None:
    it = envs.game(game)
    seen = list(positions(it, it.make_variant(**options)))
    assert seen
    assert all(mask.sum() > 1 for _, mask in seen)
    assert len({view.tobytes() for view, _ in seen}) > len(seen) // 2


def test_a_player_that_was_warmed_plays_as_before() -> None:
    options: dict[str, Any] = {"m": 4, "n": 4, "k": 3}
    fresh, warmed = (agents.load("mnk:pimc@20", **options) for _ in range(2))
    assert isinstance(warmed, Searcher)
    warmed.warm()
    assert (warmed.budget, warmed.seconds) == (20, 0.0)
    it = envs.game("mnk")
    for agent in (fresh, warmed):
        agent.reset(-1, 5)
    for view, mask in positions(it, it.make_variant(**options), seed=3):
        assert fresh.act(view, mask) == warmed.act(view, mask)
