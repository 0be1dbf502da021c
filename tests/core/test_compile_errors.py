"""Code that does not compile is told in a sentence: one broken rule for each reason."""

import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from kozyr.envs.compile import INTERPRETED, CompileError
from kozyr.envs.core.rng import generators
from kozyr.envs.core.state import layout
from kozyr.envs.environments.aec import Env
from kozyr.envs.loops import episodes, tables

pytestmark = pytest.mark.skipif(INTERPRETED, reason="nothing is compiled")

HEAD = """
from typing import NamedTuple
import numpy as np
from kozyr.envs.core import dispatch
from kozyr.envs.compile import jit

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

GAME = """
from typing import NamedTuple
import numpy as np
from kozyr.envs.core import dispatch
from kozyr.envs.compile import jit
from kozyr.envs.core.actions import Action, ActionLayout
from kozyr.envs.core.game import Game
from kozyr.envs.core.layout import Layout, Part
from kozyr.envs.core.rng import below
from kozyr.envs.core.state import OVER, layout
from kozyr.envs.core.variant import Field

class Variant(NamedTuple):
    moves: int = 1

class Parts(Layout):
    turn = Part("the seat to move", size=1)

class Actions(ActionLayout):
    end = Action("end")

@jit
def helper(v, s):
    pass  # helper

@dispatch.implements(dispatch.start, Variant)
def start(v, s, seed, starter):
    pass  # start
    s.rng, s.turn, s.ply = np.uint64(seed), 0, 0

@dispatch.implements(dispatch.legal, Variant)
def legal(v, s, mask):
    pass  # legal
    mask[0] = s.turn != OVER

@dispatch.implements(dispatch.play, Variant)
def play(v, s, a):
    pass  # play
    helper(v, s)
    s.turn = OVER

@dispatch.implements(dispatch.observe, Variant)
def observe(v, s, seat, view):
    pass  # observe
    view[0] = 0

@dispatch.implements(dispatch.decide, Variant)
def decide(v, level, view, mask, g):
    pass  # decide
    return 0

GAME = Game(
    name="toy", version=0, title="Toy", variant=Variant, fields={"moves": Field("moves", 1, 2)}, state=layout(2),
    seats=lambda v: 2, action_layout=Actions, parts=Parts, bound=lambda v: 1,
)
"""
MISTAKES = {
    "a list": ("x = [1, 2][v.moves - 1]", "makes a list"),
    "an array": ("x = np.zeros(3)", "makes a new array"),
    "a name": ("x = missing", "'missing' is not defined"),
    "a call of kozyr's": ("x = below([1, 2], 3)", "list has no field 'rng'"),
}
Ask = Callable[[ModuleType], None]


def tables_ask(toy: ModuleType) -> None:
    states, ints, masks = np.zeros(1, toy.GAME.state), np.zeros(1, np.int64), np.zeros((1, 1), np.int8)
    payoffs, ends = np.zeros((1, 2), np.float32), np.zeros(1, np.int8)
    tables.step(
        toy.Variant(), states, ints, generators(0, 1), masks.copy(), masks, np.zeros(1, np.int32), payoffs, ends
    )


def env_asks(toy: ModuleType) -> None:
    env = Env(toy.GAME)
    env.reset(seed=1)
    env.step(0)


def match_asks(toy: ModuleType) -> None:
    states, ints, masks = np.zeros(1, toy.GAME.state), np.zeros(1, np.int64), np.zeros((1, 1), np.int8)
    occupants, rngs = np.ones((1, 2), np.int32), generators(0, 1)
    episodes.arrange(toy.Variant(), states, ints, ints, 0, occupants, rngs, masks.copy(), masks, ints.copy())


ASKED: list[tuple[Ask, str]] = [
    *((tables_ask, rule) for rule in ("start", "legal", "play", "observe", "helper")),
    *((env_asks, rule) for rule in ("start", "legal", "play", "observe", "helper")),
    *((match_asks, rule) for rule in ("start", "legal", "play", "observe", "decide", "helper")),
]
PUT = [  # each mistake in a quarter of the places; all of them in all places take long
    pytest.param(ask, rule, mistake, marks=[] if (i - j) % len(MISTAKES) == 0 else pytest.mark.long)
    for i, (ask, rule) in enumerate(ASKED)
    for j, mistake in enumerate(MISTAKES)
]


@pytest.fixture
def toy(tmp_path: Path) -> Iterator[Callable[..., ModuleType]]:
    """Give what makes a game that has a line put into one of its functions."""

    def toy(rule: str, line: str, name: str = "toy") -> ModuleType:
        path = tmp_path / "toy.py"
        path.write_text(GAME.replace(f"pass  # {rule}", line))
        module = sys.modules[name] = ModuleType(name)
        made.append(name)
        exec(compile(path.read_text(), path, "exec"), vars(module))  # noqa: S102
        return module

    made = list[str]()
    yield toy
    for name in made:
        sys.modules.pop(name, None)


def refusal(ask: Ask, toy: ModuleType) -> str:
    """Return the sentence with which a game that does not compile is refused."""
    with pytest.raises(CompileError) as raised:
        ask(toy)
    return str(raised.value).partition("\n\n")[0]


def place(rule: str, line: str, path: Path) -> str:
    """Return the words that name a rule, its file and the line that was put into it."""
    number = GAME.partition(f"pass  # {rule}")[0].count("\n") + 1
    return f"`{rule}` does not compile, {path / 'toy.py'}, line {number} (`{line}`): "


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


@pytest.mark.parametrize(("ask", "rule", "mistake"), PUT)
def test_the_games_own_line_is_named_whoever_asks(toy, ask: Ask, rule: str, mistake: str, tmp_path: Path) -> None:
    line, reason = MISTAKES[mistake]
    told = refusal(ask, toy(rule, line))
    assert told.startswith(f"toy: {place(rule, line, tmp_path)}")
    assert reason in told


@pytest.mark.parametrize("line", [line for line, _ in MISTAKES.values()], ids=MISTAKES)
def test_the_games_own_line_is_named_again_by_another_loop(toy, line: str, tmp_path: Path) -> None:
    broken = toy("play", line)
    for ask in (match_asks, match_asks, env_asks, tables_ask):
        assert place("play", line, tmp_path) in refusal(ask, broken)


def test_the_innermost_line_of_kozyrs_own_games_is_named(toy, tmp_path: Path) -> None:
    line = "x = np.zeros(3)"
    assert place("helper", line, tmp_path) in refusal(match_asks, toy("helper", line, "kozyr.toy"))
