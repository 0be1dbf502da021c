"""Compiled functions with defaults, as Python calls them."""

from typing import Any

import numpy as np
import pytest

from kozyr.envs.compile import INTERPRETED, jit, once

pytestmark = pytest.mark.skipif(INTERPRETED, reason="nothing is compiled")


@jit
def first(x: int, y: int = 0) -> int:
    """Add two numbers."""
    return x + y


@jit
def second(x: int, y: int = 3, z: float = 0.5) -> float:
    """Add three."""
    return x + y + z


@once
def third(row: Any, x: int = -1, y: bool = True) -> None:
    """Write two."""
    row[0], row[1] = x, y


@jit
def sums(x: int) -> float:
    """Call the others with their defaults and without."""
    return first(x) + second(x) + first(x, 10) + second(x, z=1.0)


def test_defaults_are_what_they_are() -> None:
    row = np.zeros(2, np.int32)
    third(row)
    assert row.tolist() == [-1, 1]
    third(row, 5)
    assert row.tolist() == [5, 1]
    assert (first(1), first(1, 2), first(1, y=5)) == (1, 3, 6)
    assert (second(1), second(1, 2), second(1, z=2.0)) == (4.5, 3.5, 6.0)
    assert sums(1) == 1 + 4.5 + 11 + 5.0


def test_calls_without_them_do_not_ask_the_compiler_again(monkeypatch: pytest.MonkeyPatch) -> None:
    functions: list[tuple[Any, Any]] = [(first, 1), (second, 1), (third, np.zeros(2, np.int32))]
    for function, argument in functions:
        function(argument)

    def ask(function: Any, *arguments: Any, **keywords: Any) -> Any:
        raise AssertionError(f"the compiler is asked for {function.__name__}")

    monkeypatch.setattr("kozyr.envs.compile.cpu.Compiled._compile_for_args", ask)
    for function, argument in functions:
        function(argument)
