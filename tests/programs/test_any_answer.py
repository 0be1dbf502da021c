"""Programs and managers that say anything at all: a legal move or a message comes of it, and nothing else."""

import json
import shlex
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kozyr import agents, envs
from kozyr.agents.programs.child import EngineError
from kozyr.agents.programs.gomocup_engine import Brain
from kozyr.envs.table.table import Table

SAYS = Path(__file__).parent / "bots" / "says.py"
NUMBERS = st.integers(-3, 30) | st.integers(0, 10**12)
CELLS = st.tuples(NUMBERS, NUMBERS).map(lambda cell: f"{cell[0]},{cell[1]}")
ARGUMENTS = st.just("") | NUMBERS.map(str) | CELLS | st.tuples(CELLS, NUMBERS).map(lambda two: f"{two[0]},{two[1]}")
WORDS = ("TURN", "BEGIN", "BOARD", "DONE", "TAKEBACK", "RESTART", "INFO", "INFO timeout_turn", "ABOUT", "START", "")
LINES = st.tuples(st.sampled_from(WORDS), ARGUMENTS).map(" ".join) | ARGUMENTS | st.text(max_size=30)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(("type", "id", "action")), inner),
    max_leaves=6,
)
MOVES = st.fixed_dictionaries({"type": st.just("move"), "id": st.integers(0, 40), "action": JSON})
ANSWERS = st.binary(max_size=60) | (JSON | MOVES).map(lambda value: json.dumps(value).encode())


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(lines=st.lists(LINES, max_size=12))
def test_our_engine_answers_any_manager_and_plays_on(lines: list[str]) -> None:
    brain = Brain("easy")
    assert brain.answer("START 5") == ["OK"]
    for line in lines:
        for said in brain.answer(line):
            assert said
            assert "\n" not in said
    brain.answer("DONE")  # of a board that may be open
    assert brain.answer("START 5") == ["OK"]
    (move,) = brain.answer("BEGIN")
    assert all(0 <= int(number) < 5 for number in move.split(","))


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(answer=ANSWERS)
def test_a_program_may_answer_anything(tmp_path_factory: Any, answer: bytes) -> None:
    file = tmp_path_factory.getbasetemp() / "answer"
    file.write_bytes(answer)
    game = envs.game("war")
    table = Table(game, game.make_variant(), 1)
    agent: Any = agents.load("process:" + shlex.join([sys.executable, str(SAYS), str(file)]), game="war")
    agent.reset(0, 1)
    try:
        action = agent.act(table.view(table.turn), table.mask, time.monotonic() + 0.5)
        assert action in np.flatnonzero(table.mask)
    except EngineError as error:
        said = str(error)
        assert said
    finally:
        agent.close()
