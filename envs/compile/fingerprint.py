"""Fingerprint of a compiled function: the hash of its bytecode and of everything that it reaches.

Numba's own cache knows a function by its file, and misses edits to what it calls. This hash goes by content: an edit
changes the hashes of the functions that reach it and of no others, and a docstring, a comment or a line that moved
changes none. It covers functions and constants of all modules but Numba's, NumPy's and the standard library's, which
go by their versions. What Numba's own extensions do for a function elsewhere (`numba.extending.overload`) is not seen.
"""

import sys
from collections.abc import Iterable, Iterator
from enum import Enum
from functools import cache
from hashlib import blake2b
from types import CodeType, FunctionType, ModuleType
from typing import Any, cast

import llvmlite
import numba
import numpy as np
from numba import config
from numba.core import serialize
from numba.core.dispatcher import Dispatcher

from kozyr.envs.compile.declarations import choices, constructors, fixed, is_owner, target_of

_FOREIGN = {"llvmlite", "numba", "numpy"}
_MAIN = {"__main__", "__mp_main__"}  # of a script or a notebook: the next session's may be another
_SETTINGS = ("BOUNDSCHECK", "DEBUGINFO_DEFAULT", "LOOP_VECTORIZE", "OPT", "SLP_VECTORIZE")  # of Numba, in machine code
_PLAIN = (bool, int, float, complex, str, bytes, type(None), type(Ellipsis), range, slice)
_ARRAYS: tuple[type, ...] = (np.ndarray, np.generic)
_MANY: tuple[type, ...] = (tuple, list, frozenset)
_serialize: Any = serialize
_nodes: dict[FunctionType, "_Node"] = {}


class Unkeepable(Exception):  # noqa: N818 - nothing is wrong
    """A function that no later process can be sure to meet again."""


class _Node:
    """A function: its own contents, and what else it reaches, in a fixed order."""

    def __init__(self, function: FunctionType) -> None:
        self.own, self.reached, self.classes = blake2b(digest_size=16), list[Any](), list[type]()
        code, values = function.__code__, function.__globals__
        self._tell(function.__module__, function.__qualname__)
        documented = function.__doc__ is not None and code.co_consts[:1] == (function.__doc__,)
        self._code(code, code.co_consts[1:] if documented else code.co_consts)
        self._names = list(dict.fromkeys(_names(code)))
        for name in self._names:
            if name in values:
                self._tell(name)
                self._value(values[name], ())
        cells = (cell.cell_contents for cell in function.__closure__ or ())
        for value in (*cells, *(function.__defaults__ or ())):
            self._value(value, ())

    def _tell(self, *words: Any) -> None:
        self.own.update(repr(words).encode())

    def _code(self, code: CodeType, constants: Iterable[Any]) -> None:
        """Add code to the hash, but not the numbers of its lines."""
        self._tell(code.co_code, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
        self._tell(code.co_argcount, code.co_kwonlyargcount, code.co_flags)
        for one in constants:
            if isinstance(one, CodeType):
                self._code(one, one.co_consts)
            else:
                self._value(one, ())

    def _value(self, value: Any, within: tuple[Any, ...]) -> None:
        """Add a constant to the hash, or note a function for later; `within` are the modules that hold it."""
        value = target_of(value)
        kind = value.__class__
        if issubclass(kind, _PLAIN):
            self._tell(kind.__name__, value)
        elif issubclass(kind, _ARRAYS):
            self._array(value)
        elif issubclass(kind, np.dtype):
            self._tell("dtype", repr(value), value.isalignedstruct)
        elif issubclass(kind, _MANY):
            self._many(value, within)
        elif issubclass(kind, Dispatcher):
            self.reached.append(value)
        elif isinstance(getattr(value, "_defn", None), FunctionType):  # an intrinsic
            self.reached.append(value._defn)
        elif isinstance(getattr(value, "py_func", None), FunctionType):  # a function for a GPU
            self.reached.append(value.py_func)
        elif issubclass(kind, type):
            self._class(value)
        elif issubclass(kind, ModuleType):
            self._module(value, within)
        elif _is_foreign(value):
            self._tell(getattr(value, "__module__", ""), _name(value))
        elif issubclass(kind, FunctionType):
            self.reached.append(value)
        elif issubclass(kind, Enum):
            self._class(kind)
            self._tell(value.name)
        else:
            self.own.update(_pickled(value))

    def _array(self, value: Any) -> None:
        """Add an array or one of NumPy's numbers to the hash."""
        self._tell(type(value).__name__, repr(value.dtype), value.shape, value.strides)
        self.own.update(np.ascontiguousarray(value).tobytes())

    def _many(self, value: Any, within: tuple[Any, ...]) -> None:
        """Add a tuple, a list or a set to the hash."""
        self._class(value.__class__)
        self._tell(len(value))
        if value.__class__ is frozenset:
            value = sorted(value, key=repr)
        for one in value:
            self._value(one, within)

    def _class(self, value: Any) -> None:
        """Add a class to the hash: its name, and all that compiled code can know of it."""
        self._tell("class", value.__module__, value.__qualname__)
        if value.__module__ in _MAIN:
            raise Unkeepable
        self.classes.append(value)
        if issubclass(value, Enum):
            self._tell([(one.name, one.value) for one in value])
        self._tell(getattr(value, "_fields", ()), getattr(value, "_field_defaults", ()))
        if value in fixed:
            self._tell("fixed", fixed[value])
        if value in constructors:
            self.reached.append(constructors[value])

    def _module(self, module: ModuleType, within: tuple[Any, ...]) -> None:
        """Add those things of a module that the function may ask it for."""
        self._tell("module", module.__name__)
        if module in within or is_outside(module.__name__):
            return
        for name in self._names:
            if name in vars(module):
                self._tell(name)
                self._value(vars(module)[name], (*within, module))


def _names(code: CodeType) -> Iterator[str]:
    """Give the names of globals and attributes in code and in the code inside it."""
    yield from code.co_names
    for one in code.co_consts:
        if isinstance(one, CodeType):
            yield from _names(one)


def is_outside(module: str) -> bool:
    """Return True if a module's version says all about its contents."""
    top = module.partition(".")[0]
    return top in _FOREIGN or top in sys.stdlib_module_names


def _is_foreign(value: Any) -> bool:
    return is_outside(getattr(value, "__module__", None) or type(value).__module__) and bool(_name(value))


def _name(value: Any) -> str:
    return getattr(value, "__qualname__", None) or getattr(value, "__name__", "")


def _pickled(value: Any) -> bytes:
    try:
        return _serialize.dumps(value)
    except Exception:
        raise Unkeepable from None


def digest(compiled: Any, classes: Iterable[type]) -> str:
    """Return the hash of all that a function is made of when it is called with tuples of some classes.

    Raises:
        Unkeepable: for code of a script or a notebook.
    """
    kinds = list(dict.fromkeys(classes))
    if any(one.__module__ in _MAIN for one in kinds):
        raise Unkeepable
    while True:
        text, met = _walk(compiled, kinds)
        more = [one for one in met if is_owner(one) and one not in kinds]
        if not more:
            return text
        kinds += more


def _walk(compiled: Any, classes: list[type]) -> tuple[str, list[type]]:
    """Return the hash, and the classes that were met on the way."""
    total, places, met = blake2b(surroundings(), digest_size=16), dict[Any, int](), list[type]()
    total.update(repr([(one.__qualname__, getattr(one, "_fields", ())) for one in classes]).encode())
    stack: list[Any] = [compiled]
    while stack:
        one = target_of(stack.pop())
        if isinstance(one, Dispatcher):
            total.update(repr(sorted(one.targetoptions.items())).encode())
            one = cast(Any, one).py_func
        new = one not in places
        total.update(b"%d;" % places.setdefault(one, len(places)))
        if not new or one is None:
            continue
        if one in choices:
            stack += [choices[one](variant_type) for variant_type in (*classes, None)]
            continue
        node = _node(one)
        total.update(node.own.digest())
        met += node.classes
        stack += node.reached
    return total.hexdigest(), met


def _node(function: FunctionType) -> _Node:
    """Return the node of a function; its constants do not change, for compiled code would not notice."""
    if function.__module__ in _MAIN or function.__module__ not in sys.modules:
        raise Unkeepable
    if function not in _nodes:
        _nodes[function] = _Node(function)
    return _nodes[function]


@cache
def surroundings() -> bytes:
    """Return the versions and settings that machine code depends on; the processor is in Numba's own index."""
    versions = (*sys.version_info[:3], numba.__version__, llvmlite.__version__, np.__version__)
    return repr(("unique names", "linked", versions, [getattr(config, name, None) for name in _SETTINGS])).encode()
