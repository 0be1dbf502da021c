"""Functions compiled by Numba for this machine's processor."""

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from functools import cached_property
from secrets import randbits
from typing import Any, cast

import numba
import numpy as np
from llvmlite import ir
from numba import extending, types
from numba.core import bytecode, dispatcher, imputils
from numba.core.registry import CPUDispatcher, cpu_target
from numba.extending import intrinsic, overload, register_jitable
from numba.np import arrayobj
from numpy.typing import NDArray

from kozyr.envs.compile import intrinsics as intrinsics  # before the first function is compiled
from kozyr.envs.compile.cache import Cache, PartCache
from kozyr.envs.compile.declarations import Choice, Rule
from kozyr.envs.compile.linking import Linking, Running
from kozyr.envs.compile.reports import explained, watch, watch_failures

_ir: Any = ir  # what follows has no types of its own, or too many
_types: Any = types
_bytecode: Any = bytecode
_arrays: Any = arrayobj
_target: Any = cpu_target
_overload: Any = overload
_register: Any = register_jitable
_extending: Any = extending
_imputils: Any = imputils
_dispatcher: Any = dispatcher
_UNCOUNTED: Any = {"_nrt": False, "pipeline_class": Linking}  # no reference counts, as in `jit`


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
        return base.get_call_template(tuple(_widened(one) for one in folded), {})


def _widened(kind: Any) -> Any:
    whole = (_types.Integer, _types.Boolean, _types.Omitted)
    return _types.int64 if isinstance(kind, whole) else kind


@contextmanager
def _plain_defaults() -> Generator[None]:
    """Let the functions that are made here take their defaults as they take other arguments.

    Numba wraps them, and of each type it knows the first default of a process only: calls without another one find
    their machine code by the compiler, which takes a hundred times as long (numba issue 6173, in 0.68 too).
    """
    wrapper = _dispatcher.OmittedArg
    _dispatcher.OmittedArg = lambda value: value  # pyright: ignore[reportUnknownLambdaType]
    try:
        yield
    finally:
        _dispatcher.OmittedArg = wrapper


class Compiled(_Locking):
    """A compiled function, whose machine code kozyr keeps; the user's own settings for Numba's cache stay untouched."""

    called: type[Called] = Called

    def __init__(self, py_func: Any, locals: Any = None, targetoptions: Any = None, **how: Any) -> None:  # noqa: A002
        base: Any = super()
        with _plain_defaults():
            base.__init__(py_func, locals, targetoptions, pipeline_class=Running, **how)
        self._cache: Any = Cache(self)

    @cached_property
    def _inner(self) -> Called:
        return self.called(self)

    @property
    def _numba_type_(self) -> Any:
        """Tell Numba what compiled code calls in place of this."""
        return _types.Dispatcher(self._inner)

    def _compile_for_args(self, *args: Any, **keywords: Any) -> Any:
        base: Any = super()
        try:
            return base._compile_for_args(*args, **keywords)
        except Exception as error:
            if (words := explained(error)) is error:
                raise
            raise words from error


class Once(Compiled):
    """A function that compiled code calls as one `CalledOnce`."""

    called = CalledOnce


def type_of(function: Any) -> Any:
    """Return the type that Numba gives a compiled function or an intrinsic."""
    kind = getattr(function, "_numba_type_", None)
    return _target.typing_context.resolve_value_type(function) if kind is None else kind


def overload_by_type(call: Rule, rule_for: Choice) -> None:
    """Let compiled code that calls `call` run what `rule_for` returns for the class of its first argument."""

    def choose(variant: Any, *args: Any) -> Rule | None:  # called by Numba with types
        return rule_for(getattr(variant, "instance_class", None))

    _overload(call, strict=False, jit_options=_UNCOUNTED)(choose)


def overload_class(kind: type, function: Rule) -> None:
    """Let compiled code that calls a class run a plain function in its place."""

    def choose(*args: Any) -> Rule:  # called by Numba with types
        return function

    _overload(kind, strict=False, jit_options=_UNCOUNTED)(choose)


def register_plain(function: Rule) -> None:
    """Let compiled code call a plain function."""
    _register(**_UNCOUNTED)(function)


class FixedTuple(_types.NamedTuple):
    """The type of a named tuple of whose fields some are constants.

    Args:
        kinds: types of the fields.
        named_tuple: the class.
        constants: names and values of the fields that are constants.
    """

    def __init__(self, kinds: Any, named_tuple: type, constants: tuple[tuple[str, Any], ...]) -> None:
        base: Any = super()
        base.__init__(kinds, named_tuple)
        self.constants = constants
        this: Any = self
        this.name += "".join(f" {name}={value}" for name, value in constants)

    @property
    def key(self) -> Any:
        """What tells this type from others."""
        base: Any = super()
        return *base.key, self.constants


_extending.register_model(FixedTuple)(_extending.models.TupleModel)


@_imputils.lower_getattr_generic(FixedTuple)
def _read_field(context: Any, builder: Any, kind: Any, value: Any, name: str) -> Any:
    """Return code that reads a field: a constant, or what the tuple holds."""
    place, constants = kind.fields.index(name), dict(kind.constants)
    if name in constants:
        return context.get_constant_generic(builder, kind[place], constants[name])
    return builder.extract_value(value, place)


def fix_fields(kind: type, values: Mapping[str, Any]) -> None:
    """Give the named tuples of a class a type of which some fields are constants."""

    def typeof(one: Any, purpose: Any) -> Any:
        kinds = [_extending.typeof_impl(field, purpose) for field in one]
        return None if None in kinds else FixedTuple(kinds, kind, tuple(values.items()))

    _extending.typeof_impl.register(kind)(typeof)


def unpacker(kind: Any, fields: tuple[type, ...]) -> Callable[[NDArray[np.int64]], Any]:
    """Return a function for compiled callers that makes a variant of type `kind` of words, given its fields' types."""

    @intrinsic
    def unpack(_: Any, words: Any) -> Any:
        result: Any = numba.typeof(kind(*(field() for field in fields)))

        def write(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            struct: Any = _arrays.make_array(signature.args[0])(context, builder, args[0])
            values = list[Any]()
            for i, kind in enumerate(result.types):
                word = builder.load(builder.gep(struct.data, [context.get_constant(_types.intp, i)]))
                if kind == _types.float64:
                    word = builder.bitcast(word, _ir.DoubleType())
                values.append(context.cast(builder, word, _types.int64, kind) if kind == _types.boolean else word)
            return context.make_tuple(builder, result, values)

        return result(words), write

    return cast(Any, unpack)


# Numba names machine code after a count that begins anew in each process, and after types that it numbers likewise.
# Code of two processes, loaded from our cache into a third, must not bear one name: the linker would keep one.
_bytecode.FunctionIdentity._unique_ids = iter(lambda: randbits(63), -1)
watch()
watch_failures()
