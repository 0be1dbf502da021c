"""Code that does not compile is told in a sentence: one broken rule for each reason."""

import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from kozyr.envs.core.compile import INTERPRETED, CompileError
from kozyr.envs.core.state import layout

pytestmark = pytest.mark.skipif(INTERPRETED, reason="nothing is compiled")

HEAD = """
from typing import NamedTuple
import numpy as np
from kozyr.envs.core import dispatch
from kozyr.envs.core.compile import jit

TABLE = {1: 2}

class Variant(NamedTuple):
    moves: int = 1

@jit
def double(x):
    return 2 * x

def plain(x):
    return 2 * x

@jit
def step(v, states, action):
    dispatch.play(v, states[0], action)

@dispatch.implements(dispatch.play, Variant)
def play(v, s, a):
    """
LINE = HEAD.count("\n") + 1
BROKEN = {
    "an array": ("x = np.zeros(3)", "makes a new array.*stack_array"),
    "an array of a sum": ("x = s.payoff + s.payoff", "makes a new array.*stack_array"),
    "a list": ("x = [1, 2]", "makes a list.*stack_array"),
    "a comprehension": ("x = [i for i in range(3)]", "makes a list.*stack_array"),
    "a set": ("x = {1, 2}", "makes a list, a set.*stack_array"),
    "a text": ("x = f'{s.turn}'", "makes a text"),
    "a field of the state": ("s.trun = 1", r"no field 'trun' \(did you mean 'turn'\?\)"),
    "a field far from all": ("s.turn = s.zzzz", "no field 'zzzz', its fields are .*payoff"),
    "a field of the variant": ("s.turn = v.move", "Variant has no field 'move'"),
    "a name": ("s.turn = MISSING", "'MISSING' is not defined"),
    "a global": ("s.turn = TABLE[1]", "'TABLE' is a dict"),
    "a function": ("s.turn = plain(1)", "'plain', which is not compiled: write @jit"),
    "arguments": ("s.turn = double(1, 2)", r"too many positional arguments for a function of \(x\)"),
    "two types": ("x = 1 if s.turn > 1 else (1, 2)", r"1 on one way .* Tuple\(1, 2\) on another"),
    "a division": ("s.turn = s.payoff[s.turn / 2]", "a float stands where a whole number must"),
    "mixed signs": ("s.payoff[min(s.rng, s.turn)] = 1", "wrap .* np.uint64"),
    "a rule": ("dispatch.decide(v, 1, s, s, s)", r"nothing is registered as 'decide'.*@implements\(dispatch.decide"),
}


@pytest.fixture
def step(tmp_path: Path) -> Iterator[Callable[[str], None]]:
    """Give what plays a move of a game whose rule is a line of code."""

    def step(line: str) -> None:
        path = tmp_path / "broken.py"
        path.write_text(HEAD + line + "\n")
        module = sys.modules["broken"] = ModuleType("broken")
        exec(compile(path.read_text(), path, "exec"), vars(module))  # noqa: S102
        vars(module)["step"](vars(module)["Variant"](), np.zeros(1, layout(2)), 0)

    yield step
    sys.modules.pop("broken", None)


@pytest.mark.parametrize(("line", "reason"), BROKEN.values(), ids=BROKEN)
def test_the_reason_is_told(step, line: str, reason: str, tmp_path: Path) -> None:
    with pytest.raises(CompileError) as raised:
        step(line)
    sentence, _, numba = str(raised.value).partition("\n\n")
    assert sentence.startswith(f"broken: `play` does not compile, {tmp_path / 'broken.py'}, line {LINE} (`{line}`): ")
    assert "\n" not in sentence
    assert re.search(reason, sentence), sentence
    assert numba.startswith("Numba's own words:\n")
    assert raised.value.__cause__ is not None


def test_code_that_was_mended_compiles(step) -> None:
    with pytest.raises(CompileError):
        step("s.turn = [1][0]")
    step("s.turn = double(1)")
