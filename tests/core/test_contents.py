"""The hash of what a compiled function is made of: what changes it, and what does not."""

import sys
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import pytest

from kozyr.envs.compile import INTERPRETED, twin
from kozyr.envs.compile.fingerprint import Unkeepable, digest

pytestmark = pytest.mark.skipif(INTERPRETED, reason="nothing is compiled")

SOURCE = """
from enum import IntEnum
from typing import NamedTuple
import numpy as np
from kozyr.envs.core import dispatch; from kozyr.envs.loops import tables
from kozyr.envs.compile import fast, jit
from kozyr.envs.core.layout import Layout, Part

LIMIT = 3
LATER = np.arange(4)
CELL = np.dtype([("a", np.int32)])

class Suit(IntEnum):
    CLUBS = 0

class Variant(NamedTuple):
    players: int = 2
    decks: int = 1

class Parts(Layout):
    hand = Part("my cards", size=5)
    known = Part("theirs", size=lambda v: 7 * v.players, high=9)

def made(n):
    @jit
    def inner(x):
        return x + n
    return inner

adds = made(1)

@jit
def helper(x):
    '''Do a thing.'''
    return x + LIMIT

@jit
def unused(x):
    return x

@dispatch.implements(dispatch.legal, Variant)
def legal(v, s, mask):
    mask[0] = helper(1)

@dispatch.implements(dispatch.play, Variant)
def play(v, s, a):
    s.turn = a

@jit
def main(v, s, mask):
    dispatch.legal(v, s, mask)
    tables.look_all(mask)
    k = Parts(v).size + LATER[0] + Suit.CLUBS + adds(1) + len(np.zeros(1, CELL))
    return [i for i in range(k)]
"""
SAME = {
    "a docstring": ("Do a thing.", "Do another thing."),
    "a comment": ("LIMIT = 3", "LIMIT = 3  # at most"),
    "lines that move": ("import numpy", "\n\n\nimport numpy"),
    "a function that is not called": ("def unused(x):\n    return x", "def unused(x):\n    return 2 * x"),
    "a rule that is not called": ("s.turn = a", "s.turn = 2 * a"),
    "what a part of a view means": ("my cards", "cards"),
    "how high it is": ("high=9", "high=8"),
    "an annotation": ("def helper(x):", "def helper(x: int) -> int:"),
}
OTHER = {
    "a constant of a function called": ("LIMIT = 3", "LIMIT = 4"),
    "a kind of number": ("LIMIT = 3", "LIMIT = 3.0"),
    "an operator": ("return x + LIMIT", "return x - LIMIT"),
    "a literal": ("helper(1)", "helper(2)"),
    "a rule that is called": ("mask[0] = helper", "mask[1] = helper"),
    "an array": ("np.arange(4)", "np.arange(1, 5)"),
    "a record": ('("a", np.int32)', '("a", np.int64)'),
    "a member": ("CLUBS = 0", "CLUBS = 1"),
    "what a closure holds": ("made(1)", "made(2)"),
    "how it is compiled": ("@jit\ndef helper", "@fast\ndef helper"),
    "how the function itself is compiled": ("@jit\ndef main", "@fast\ndef main"),
    "a function of another name": ("tables.look_all", "tables.legal_all"),
    "how long a part of a view is": ("size=5", "size=6"),
    "how its length is found": ("7 * v.players", "8 * v.players"),
    "what it is called": ("hand = Part", "mine = Part"),
    "the order of a variant's fields": (
        "    players: int = 2\n    decks: int = 1",
        "    decks: int = 1\n    players: int = 2",
    ),
    "code inside": ("[i for i", "[i + 1 for i"),
}


@pytest.fixture
def load() -> Iterator[Callable[[str], ModuleType]]:
    """Give what makes a module of a text, always of the same name."""

    def load(text: str) -> ModuleType:
        module = sys.modules["subject"] = ModuleType("subject")
        exec(compile(text, "subject.py", "exec"), vars(module))  # noqa: S102
        return module

    yield load
    sys.modules.pop("subject", None)


def contents(module: Any) -> str:
    return digest(module.main, [module.Variant])


@pytest.mark.parametrize(("old", "new"), SAME.values(), ids=SAME)
def test_what_the_machine_does_not_see_changes_nothing(load, old: str, new: str) -> None:
    assert SOURCE.count(old) == 1
    assert contents(load(SOURCE)) == contents(load(SOURCE.replace(old, new)))


@pytest.mark.parametrize(("old", "new"), OTHER.values(), ids=OTHER)
def test_everything_that_is_reached_counts(load, old: str, new: str) -> None:
    assert SOURCE.count(old) == 1
    assert contents(load(SOURCE)) != contents(load(SOURCE.replace(old, new)))


def test_a_twin_differs_by_what_it_calls(load) -> None:
    module = load(SOURCE)
    other = twin(module.main, {module.adds: module.unused})
    assert digest(other, [module.Variant]) != contents(module)


def test_the_rules_are_those_of_the_variant(load) -> None:
    module = load(SOURCE)
    first = contents(module)
    assert digest(module.main, []) != first
    module.dispatch.implements(module.dispatch.legal, module.Variant)(module.play)
    assert contents(module) != first


def test_code_of_a_script_is_not_kept(load) -> None:
    module = load(SOURCE)
    module.helper.py_func.__module__ = "__main__"
    with pytest.raises(Unkeepable):
        contents(module)
