"""Specialised functions: a function compiled again, with other functions in place of some that it calls."""

import dis
from collections.abc import Container, Mapping
from itertools import pairwise
from types import FunctionType, ModuleType
from typing import Any

from kozyr.envs.compile.declarations import INTERPRETED, jit


def twin(function: Any, exchanged: Mapping[Any, Any]) -> Any:
    """Return `function` compiled anew, with other functions in place of some that it calls, always the same.

    Functions through which it reaches those are compiled anew as well, the others stay as they are.
    """
    copies: dict[Any, Any] = {}

    def again(old: Any) -> Any:
        new = exchanged.get(old, old)
        if new not in copies:
            plain = getattr(new, "py_func", new)
            its = dict(plain.__globals__)
            for path, called in _calls(new).items():
                if reaches(called, exchanged):
                    _put(its, path, again(called))
            copy = FunctionType(plain.__code__, its, plain.__name__, plain.__defaults__)
            copy.__qualname__ = f"{plain.__qualname__}_twin"  # names of machine code must differ
            copies[new] = copy if INTERPRETED else jit(copy)
        return copies[new]

    return again(function)


def _calls(function: Any) -> dict[tuple[str, ...], Any]:
    """Return the functions that a function calls, by name or by module and name."""
    plain = getattr(function, "py_func", function)
    calls: dict[tuple[str, ...], Any] = {}
    for one, after in pairwise(dis.get_instructions(plain)):
        if one.opname == "LOAD_GLOBAL":
            it: Any = plain.__globals__.get(one.argval)
            path: tuple[str, ...] = (one.argval,)
            if isinstance(it, ModuleType):
                it, path = getattr(it, str(after.argval), None), (*path, str(after.argval))
            if isinstance(getattr(it, "py_func", it), FunctionType):
                calls[path] = it
    return calls


def reaches(function: Any, some: Container[Any]) -> bool:
    """Return True if a function is one of some, or calls one, itself or through others."""
    return function in some or any(reaches(f, some) for f in _calls(function).values())


def _put(its: dict[str, Any], path: tuple[str, ...], function: Any) -> None:
    """Put a function among globals, into a copy of its module where it is reached through one."""
    if len(path) == 1:
        its[path[0]] = function
        return
    module = ModuleType(path[0])
    module.__dict__.update(its[path[0]].__dict__)
    setattr(module, path[1], function)
    its[path[0]] = module
