"""Declarations of compiled code, which need no compiler: Numba is loaded by the first call of a compiled function.

Importing Numba takes longer than importing Gymnasium, and most of a game's functions are compiled by others, or never.
A function can also be declared again, with other functions in place of some that it calls: see `twin`.
"""

import dis
import os
import sys
from collections.abc import Callable, Container, Iterable, Mapping
from functools import partial, update_wrapper
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from threading import RLock
from types import FunctionType, ModuleType
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

F = TypeVar("F", bound=Callable[..., Any])
Rule = Callable[..., Any]
Choice = Callable[[type | None], Rule | None]

_COMPILER = "kozyr.envs.compile.cpu"
_OPTIONS: dict[str, Any] = {"nopython": True, "boundscheck": None, "nogil": True}
_UNCOUNTED: dict[str, Any] = {"_nrt": False}  # compiled functions allocate nothing: this saves a tenth of a step

choices: dict[Rule, Choice] = {}
constructors: dict[type, Rule] = {}
fixed: dict[type, Mapping[str, Any]] = {}
_owners = set[type]()  # types of variants for which something was registered
_waiting = list[Callable[[Any], None]]()  # declarations that the compiler does not know yet
_lock = RLock()


class CompileError(RuntimeError):
    """Code of a game or of a player does not compile; Numba's own words are below the sentence and in `__cause__`."""


class Compilation(NamedTuple):
    """A function that this process has compiled, with all that it calls."""

    game: str
    function: str
    seconds: float


compiled: list[Compilation] = []  # by this process, in order: what the cache did not have


def _is_interpreted() -> bool:
    """Return True if the user has switched Numba off, read as Numba itself would."""
    if "numba" not in sys.modules and not Path(".numba_config.yaml").exists():
        setting = os.environ.get("NUMBA_DISABLE_JIT", "0")
        if setting in ("", "0", "1"):
            return setting == "1"
    return bool(cast(Any, import_module("numba")).config.DISABLE_JIT)


INTERPRETED = _is_interpreted()


class Deferred(partial[Any]):
    """A function that is made by the compiler when it is first called, compiled into another, or asked for details.

    Calls go through `partial`, which enters the compiled function from C.

    Attributes:
        target: the function itself, as the compiler has it.

    Args:
        make: returns the function, given the module that compiles.
    """

    make: Callable[[Any], Any]
    py_func: Any

    def __new__(cls, make: Callable[[Any], Any]) -> "Deferred":
        """Return the function, not yet made."""
        self = super().__new__(cls, make)
        self.make = make
        self._enter(self._call_first)
        return self

    def _enter(self, function: Callable[..., Any]) -> None:
        """Let later calls go to a function."""
        self.__setstate__((function, (), {}, self.__dict__))

    def _call_first(self, *args: Any, **keywords: Any) -> Any:
        if len(args) == 1 and isinstance(args[0], tuple) and "py_func" in self.__dict__:
            return self.py_func(*args)  # sizes and the like, of a variant alone: no compiler is as fast
        return self.target(*args, **keywords)

    @property
    def target(self) -> Any:
        """The function as the compiler has it."""
        if "_target" not in self.__dict__:
            with _lock:
                target = target_of(self.make(compiler()))
                self._target = self.__dict__.get("_target", target)
                self._enter(self._target)
        return self._target

    @property
    def _numba_type_(self) -> Any:
        """Tell Numba what compiled code calls in place of this."""
        return compiler().type_of(self.target)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.target, name)

    def __reduce__(self) -> Any:
        return target_of, (self.target,)

    def __deepcopy__(self, memo: Any) -> "Deferred":
        return self


def target_of(function: Any) -> Any:
    """Return a function as the compiler has it; any other object as it is."""
    return function.target if isinstance(function, Deferred) else function


def compiler() -> Any:
    """Return the module that compiles, which knows all declarations."""
    with _lock:
        module = import_module(_COMPILER)
        while _waiting:
            _waiting.pop(0)(module)
    return module


def _declare(declaration: Callable[[Any], None]) -> None:
    """Tell the compiler something once it is loaded."""
    _waiting.append(declaration)
    if _COMPILER in sys.modules:
        compiler()


def _deferred(f: Any, kind: str = "Compiled", **options: Any) -> Any:
    """Return a function that is compiled with some options of Numba's."""

    def make(compiler: Any) -> Any:
        return getattr(compiler, kind)(f, {}, options)

    function = Deferred(make)
    update_wrapper(cast(Any, function), f)
    function.py_func = f
    return function


def jit(f: F) -> F:
    """Compile `f` and keep the machine code in our cache; to a type checker it stays the plain function."""
    return _deferred(f, **_OPTIONS, **_UNCOUNTED)


def fast(f: F) -> F:
    """Compile `f` for a network's floats, which may be added in any order."""
    return _deferred(f, **_OPTIONS, **_UNCOUNTED, fastmath=True)


def once(f: F) -> F:
    """Compile `f`, which is called in many places, for whole numbers of one size and not for each constant anew."""
    return _deferred(f, "Once", **_OPTIONS, **_UNCOUNTED)


def inlined(f: F) -> F:
    """Compile `f` into every function that calls it: for short loops over arrays known not to overlap there."""
    return _deferred(f, **_OPTIONS, **_UNCOUNTED, forceinline=True)


def merged(f: F) -> F:
    """Compile `f` as lines of every function that calls it: a chain of thin calls is then optimised only once."""
    return _deferred(f, **_OPTIONS, **_UNCOUNTED, inline="always")


def entry(f: Any, *args: Any) -> Callable[..., Any]:
    """Compile `f` for arguments of these types and return what Python calls a third of a microsecond sooner than `f`.

    It does not look at the types any more: later arguments must have just the same ones.
    """
    return f._compile_for_args(*args)


def fixes(kind: type, values: Mapping[str, Any]) -> None:
    """Let compiled code take some fields of a class of named tuples as constants, which have these values in all."""
    fixed[kind] = values
    _declare(lambda compiler: compiler.fix_fields(kind, values))


def packed(variant: Any) -> NDArray[np.int64] | None:
    """Return a variant's fields as words, which compiled code takes sooner, or None if that cannot be."""
    if any(type(value) not in (int, bool, float) for value in variant):
        return None
    if any(type(value) is int and not -(2**63) <= value < 2**63 for value in variant):
        return None
    return np.array([np.float64(one).view(np.int64) if type(one) is float else one for one in variant], np.int64)


def unpacker(kind: Any, fields: tuple[type, ...]) -> Callable[[NDArray[np.int64]], Any]:
    """Return a function that makes a variant of type `kind` of words, given the types of its fields."""
    return compiler().unpacker(kind, fields)


def by_type(call: Rule, rule_for: Choice) -> None:
    """Let compiled code that calls `call` run what `rule_for` returns for the class of its first argument."""
    choices[call] = rule_for
    _declare(lambda compiler: compiler.overload_by_type(call, rule_for))


def constructs(kind: type, function: Rule) -> None:
    """Let compiled code that calls a class run a plain function in its place."""
    constructors[kind] = function
    _declare(lambda compiler: compiler.overload_class(kind, function))


def compilable(function: Any) -> Rule:
    """Let compiled code call a plain function, and return it; a compiled one stays as it is."""
    if not isinstance(function, Deferred) and not hasattr(function, "py_func"):
        _declare(lambda compiler: compiler.register_plain(function))
    return function


def owns(variant_type: type) -> None:
    """Note that rules are registered for the type of a game's variant, and give it a name of its own.

    Numba runs the machine code of one named tuple for another of the same name and fields: another game's, or that of
    a notebook's cell before it was edited.
    """
    if variant_type in _owners:
        return
    names = {(one.__name__, cast(Any, one)._fields) for one in _owners}
    name, n = variant_type.__name__, 1
    while (variant_type.__name__, cast(Any, variant_type)._fields) in names:
        n += 1
        variant_type.__name__ = f"{name}_{n}"
    _owners.add(variant_type)


def is_owner(kind: type) -> bool:
    """Return True if a class is the type of a game's variant."""
    return kind in _owners


def owner(classes: Iterable[type]) -> type | None:
    """Return the first of some classes that is the type of a game's variant."""
    return next((one for one in classes if one in _owners), None)


def source_name(name: str) -> str:
    """Return the name of a variant's type as its source has it."""
    kinds = (one for one in _owners if one.__name__ == name)
    declared = ([base.__qualname__ for base in one.__mro__ if issubclass(base, tuple)] for one in kinds)
    return next((names[-2].rpartition(".")[2] for names in declared), name)  # the last is tuple


def is_choice(name: str) -> bool:
    """Return True if compiled code chooses a function by type under a name."""
    return any(call.__name__ == name for call in choices)


def _intrinsic(module: str, name: str) -> Any:
    """Return a function that compiled code alone calls, from a module that needs Numba."""
    return Deferred(lambda compiler: getattr(import_module(module), name))


_BITS = "kozyr.envs.compile.intrinsics"
stack_array: Callable[[int, type[np.generic]], NDArray[Any]] = _intrinsic(_BITS, "stack_array")
"""Return an unfilled array of a constant size that lives as long as the compiled function that asked."""
lowest_bit: Callable[[int], int] = _intrinsic(_BITS, "lowest_bit")
"""Return the number of the lowest bit that is set in a whole number from 1 to 2⁶³ − 1; for compiled callers."""
highest_bit: Callable[[int], int] = _intrinsic(_BITS, "highest_bit")
"""Return the number of the highest one."""
count_bits: Callable[[int], int] = _intrinsic(_BITS, "count_bits")
"""Return the number of bits that are set in a word of 64."""
read_bits: Callable[[NDArray[Any], int, int], int] = _intrinsic(_BITS, "read_bits")
"""Return a bit for each of `n` numbers, at most 64, from place `first` on: 1 where the number is not 0."""
write_bits: Callable[[NDArray[Any], int, int, int], None] = _intrinsic(_BITS, "write_bits")
"""Write the lowest `n` bits of a word, at most 64, as numbers 0 and 1 from place `first` on."""
write_word: Callable[[NDArray[Any], int, int], None] = _intrinsic(_BITS, "write_word")
"""Write all 64 bits of a word as numbers 0 and 1 from place `first` on."""


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
