"""Functions compiled by Numba for this machine's processor."""

from collections.abc import Callable
from functools import cached_property
from secrets import randbits
from typing import Any, TypeVar, cast

import numba
import numpy as np
from llvmlite import ir
from numba import config, types
from numba.core import bytecode, cgutils
from numba.core.registry import CPUDispatcher
from numba.extending import intrinsic
from numba.np import arrayobj
from numpy.typing import NDArray

from kozyr.envs.compile.cache import Cache, PartCache
from kozyr.envs.compile.errors import explained, watch_failures
from kozyr.envs.compile.linking import Linking, Running
from kozyr.envs.compile.progress import watch

F = TypeVar("F", bound=Callable[..., Any])

_ALIGNED = 32  # bytes, a wide register
_config: Any = config  # what follows has no types of its own, or too many
_ir: Any = ir
_types: Any = types
_build: Any = cgutils
_bytecode: Any = bytecode
_arrays: Any = arrayobj
INTERPRETED = bool(_config.DISABLE_JIT)


class _Locking(CPUDispatcher):
    """A function that is compiled by one process at a time."""

    def compile(self, sig: Any) -> Any:
        """Compile the function for arguments of some types, or load its code."""
        this: Any = self
        base: Any = super()
        try:
            return base.compile(sig)
        finally:
            this._cache.finish(sig)


class Called(_Locking):
    """A function as compiled code calls it; kozyr keeps its code from before the optimiser.

    Args:
        whole: the function as Python calls it.
    """

    def __init__(self, whole: Any) -> None:
        unwrapped = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
        base: Any = super()
        base.__init__(whole.py_func, {}, {**whole.targetoptions, **unwrapped}, pipeline_class=Linking)
        self._cache: Any = PartCache(self)
        self._compiling_counter: Any = whole._compiling_counter  # so that a function may call itself


class CalledOnce(Called):
    """A function of whole numbers and arrays that is compiled once: for numbers of 64 bits, whatever it is given."""

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Answer Numba, which asks how a call with arguments of these types is made."""
        this: Any = self
        base: Any = super()
        folded: tuple[Any, ...] = this._compiler.fold_argument_types(args, kws)[1]
        return base.get_call_template(tuple(_widened(given) for given in folded), {})


def _widened(given: Any) -> Any:
    whole = (_types.Integer, _types.Boolean, _types.Omitted)
    return _types.int64 if isinstance(given, whole) else given


class Compiled(_Locking):
    """A compiled function, whose machine code kozyr keeps; the user's own settings for Numba's cache stay untouched."""

    called: type[Called] = Called

    def __init__(self, py_func: Any, locals: Any = None, targetoptions: Any = None, **how: Any) -> None:  # noqa: A002
        base: Any = super()
        base.__init__(py_func, locals, targetoptions, pipeline_class=Running, **how)
        self._cache: Any = Cache(self)

    @cached_property
    def _inner(self) -> Called:
        return self.called(self)

    @property
    def _numba_type_(self) -> Any:
        """Tell Numba what compiled code calls in place of this."""
        return _types.Dispatcher(self._inner)

    def _compile_for_args(self, *args: Any, **named: Any) -> Any:
        base: Any = super()
        try:
            return base._compile_for_args(*args, **named)
        except Exception as error:
            if (words := explained(error)) is error:
                raise
            raise words from error


class Once(Compiled):
    """A function that compiled code calls as one `CalledOnce`."""

    called = CalledOnce


def _compiled(f: Any, **how: Any) -> Any:
    """Compile without counting references: compiled functions allocate nothing, which saves a tenth of a step."""
    return Compiled(f, {}, {"nopython": True, "boundscheck": None, "nogil": True, "_nrt": False, **how})


def jit(f: F) -> F:
    """Compile `f` and keep the machine code in our cache; to a type checker it stays the plain function."""
    return _compiled(f)


def fast(f: F) -> F:
    """Compile `f` for a network's floats, which may be added in any order."""
    return _compiled(f, fastmath=True)


def once(f: F) -> F:
    """Compile `f`, which is called in many places, for whole numbers of one size and not for each constant anew."""
    return cast(Any, Once(f, {}, {"nopython": True, "boundscheck": None, "nogil": True, "_nrt": False}))


def inlined(f: F) -> F:
    """Compile `f` into every function that calls it: for short loops over arrays known not to overlap there."""
    return _compiled(f, forceinline=True)


def merged(f: F) -> F:
    """Compile `f` as lines of every function that calls it: a chain of thin calls is then optimised only once."""
    return _compiled(f, inline="always")


def entry(f: Any, *args: Any) -> Callable[..., Any]:
    """Compile `f` for arguments of these types and return what Python calls a third of a microsecond sooner than `f`.

    It does not look at the types any more: later arguments must have just the same ones.
    """
    return f._compile_for_args(*args)


@intrinsic
def _on_stack(_: Any, size: Any, dtype: Any) -> Any:
    """Give memory of the running function's stack frame as an array."""
    if not isinstance(size, _types.IntegerLiteral):
        return None  # Numba asks again with the literal
    array, count = _types.Array(dtype.dtype, 1, "C"), size.literal_value

    def write(context: Any, builder: Any, signature: Any, _: Any) -> Any:
        cell = context.get_data_type(array.dtype)
        with builder.goto_entry_block():  # Numba's own alloca_once would fill it with zeros at every call
            memory = builder.alloca(_ir.ArrayType(cell, count))
        memory.align = _ALIGNED
        length, width = (context.get_constant(_types.intp, n) for n in (count, context.get_abi_sizeof(cell)))
        struct: Any = _arrays.make_array(array)(context, builder)
        _arrays.populate_array(
            struct,
            data=builder.bitcast(memory, cell.as_pointer()),
            shape=_build.pack_array(builder, [length]),
            strides=_build.pack_array(builder, [width]),
            itemsize=width,
            meminfo=None,
        )
        return struct._getvalue()

    return array(size, dtype), write


@intrinsic
def _lowest_bit(_: Any, word: Any) -> Any:
    def write(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], _ir.Constant(_ir.IntType(1), 1))

    return _types.int64(_types.int64), write


@intrinsic
def _highest_bit(_: Any, word: Any) -> Any:
    def write(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        zeros = builder.ctlz(args[0], _ir.Constant(_ir.IntType(1), 1))
        return builder.sub(context.get_constant(_types.int64, 63), zeros)

    return _types.int64(_types.int64), write


def packed(variant: Any) -> NDArray[np.int64] | None:
    """Return a variant's fields as words, which compiled code takes sooner, or None if that cannot be."""
    if any(type(value) not in (int, bool, float) for value in variant):
        return None
    if any(type(value) is int and not -(2**63) <= value < 2**63 for value in variant):
        return None
    return np.array([np.float64(one).view(np.int64) if type(one) is float else one for one in variant], np.int64)


def unpacker(kind: Any, fields: tuple[type, ...]) -> Callable[[NDArray[np.int64]], Any]:
    """Return what makes a variant of type `kind` of words, given the types of its fields; for compiled callers."""

    @intrinsic
    def unpack(_: Any, words: Any) -> Any:
        made: Any = numba.typeof(kind(*(field() for field in fields)))

        def write(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            struct: Any = _arrays.make_array(signature.args[0])(context, builder, args[0])
            values = list[Any]()
            for i, kind in enumerate(made.types):
                word = builder.load(builder.gep(struct.data, [context.get_constant(_types.intp, i)]))
                if kind == _types.float64:
                    word = builder.bitcast(word, _ir.DoubleType())
                values.append(context.cast(builder, word, _types.int64, kind) if kind == _types.boolean else word)
            return context.make_tuple(builder, made, values)

        return made(words), write

    return cast(Any, unpack)


stack_array: Callable[[int, type[np.generic]], NDArray[Any]] = cast(Any, _on_stack)
"""Return an unfilled array of a constant size that lives as long as the compiled function that asked."""
lowest_bit: Callable[[int], int] = cast(Any, _lowest_bit)
"""Return the number of the lowest bit that is set in a whole number from 1 to 2⁶³ − 1; for compiled callers."""
highest_bit: Callable[[int], int] = cast(Any, _highest_bit)
"""Return the number of the highest one."""

if not INTERPRETED:
    # Numba names machine code after a count that begins anew in each process, and after types that it numbers likewise.
    # Code of two processes, loaded from our cache into a third, must not bear one name: the linker would keep one.
    _bytecode.FunctionIdentity._unique_ids = iter(lambda: randbits(63), -1)
    watch()
    watch_failures()
