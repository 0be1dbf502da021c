"""The one place that imports Numba.

Numba keys its disk cache by the file that defines a function and misses edits to the files it
calls, so the cache folder is named after the text of every source of rules, bots, search, figures and networks.
"""

import dis
import hashlib
import sys
import tempfile
import warnings
from collections.abc import Callable, Container, Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import pairwise
from pathlib import Path
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import platformdirs
from numpy.typing import NDArray

F = TypeVar("F", bound=Callable[..., Any])

_ENVS = Path(__file__).parents[1]
_NETWORKS = _ENVS.parent.glob("training/board/*_loops.py")
_COMPILED = (*_ENVS.glob("*/*.py"), *_ENVS.parent.glob("agents/*/*.py"), *_NETWORKS)
DIGEST = hashlib.sha256(b"".join(path.read_bytes() for path in sorted(_COMPILED))).hexdigest()[:12]


def _writable_cache() -> Path:
    """Return the user's cache folder, or a temporary one (with one warning) if it cannot be written."""
    wanted = Path(platformdirs.user_cache_dir("kozyr")) / DIGEST
    try:
        wanted.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=wanted):
            return wanted
    except OSError as error:
        spare = Path(tempfile.mkdtemp(prefix="kozyr-"))
        warnings.warn(
            f"kozyr cannot write its cache of compiled games, {wanted} ({error.strerror}); this process "
            f"compiles into {spare}. Set XDG_CACHE_HOME to a writable folder to compile only once.",
            RuntimeWarning,
            stacklevel=2,
        )
        return spare


CACHE = _writable_cache()

if TYPE_CHECKING:
    INTERPRETED: bool

    def jit(f: F) -> F:
        """Compile `f`; to a type checker it stays the plain function."""
        ...

    def fast(f: F) -> F:
        """Compile `f` for a network's floats; to a type checker it stays the plain function."""
        ...

    def inlined(f: F) -> F:
        """Compile `f` into every function that calls it; to a type checker it stays the plain function."""
        ...

    def stack_array(size: int, dtype: type[np.generic]) -> NDArray[Any]:
        """Return an unfilled array of a constant size that lives as long as the compiled function that asked."""
        ...

    def lowest_bit(word: int) -> int:
        """Return the number of the lowest bit that is set in a whole number from 1 to 2⁶³ − 1; for compiled callers."""
        ...

    def highest_bit(word: int) -> int:
        """Return the number of the highest one."""
        ...

    def _jit_twin(f: F) -> F: ...

else:
    from llvmlite import ir
    from numba import config, njit, types
    from numba.core import cgutils
    from numba.extending import intrinsic
    from numba.np import arrayobj

    _ALIGNED = 32  # bytes, a wide register
    INTERPRETED = bool(config.DISABLE_JIT)
    if INTERPRETED:  # the generator's arithmetic wraps round on purpose
        warnings.filterwarnings("ignore", "overflow encountered in scalar", RuntimeWarning)

    @contextmanager
    def _our_cache(folder=CACHE) -> Iterator[None]:
        """Point Numba at our folder while a function is decorated, and leave its setting as it was."""
        before, config.CACHE_DIR = config.CACHE_DIR, str(folder)
        try:
            yield
        finally:
            config.CACHE_DIR = before

    def jit(f):
        """Compile `f` and keep the machine code in our cache folder.

        Compiled functions allocate nothing, so that rows of arrays need no reference counts: a tenth of a step.
        """
        with _our_cache():
            return njit(cache=True, nogil=True, _nrt=False)(f)

    def fast(f):
        """Compile `f` for a network's floats, which may be added in any order."""
        with _our_cache():
            return njit(cache=True, nogil=True, fastmath=True, _nrt=False)(f)

    def inlined(f):
        """Compile `f` into every function that calls it: for short loops over arrays known not to overlap there."""
        with _our_cache():
            return njit(cache=True, nogil=True, forceinline=True, _nrt=False)(f)

    def _jit_twin(f):
        """Compile a twin; in a folder of its own, because nothing but what it calls tells it from the other."""
        with _our_cache(CACHE / "twins"):
            return njit(cache=True, nogil=True, _nrt=False)(f)

    @intrinsic
    def _on_stack(_, size, dtype):
        """Give memory of the running function's stack frame as an array."""
        if not isinstance(size, types.IntegerLiteral):
            return None  # Numba asks again with the literal
        array, count = types.Array(dtype.dtype, 1, "C"), size.literal_value

        def write(context, builder, signature, _):
            cell = context.get_data_type(array.dtype)
            with builder.goto_entry_block():  # Numba's own alloca_once would fill it with zeros at every call
                memory = builder.alloca(ir.ArrayType(cell, count))
            memory.align = _ALIGNED
            length, width = (context.get_constant(types.intp, n) for n in (count, context.get_abi_sizeof(cell)))
            struct = arrayobj.make_array(array)(context, builder)
            arrayobj.populate_array(
                struct,
                data=builder.bitcast(memory, cell.as_pointer()),
                shape=cgutils.pack_array(builder, [length]),
                strides=cgutils.pack_array(builder, [width]),
                itemsize=width,
                meminfo=None,
            )
            return struct._getvalue()

        return array(size, dtype), write

    @intrinsic
    def _lowest_bit(_, word):
        def write(context, builder, signature, args):
            return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

        return types.int64(types.int64), write

    @intrinsic
    def _highest_bit(_, word):
        def write(context, builder, signature, args):
            zeros = builder.ctlz(args[0], ir.Constant(ir.IntType(1), 1))
            return builder.sub(context.get_constant(types.int64, 63), zeros)

        return types.int64(types.int64), write

    def _lowest_bit_plain(word):
        return int(word & -word).bit_length() - 1

    def _highest_bit_plain(word):
        return int(word).bit_length() - 1

    stack_array = np.empty if INTERPRETED else _on_stack
    lowest_bit = _lowest_bit_plain if INTERPRETED else _lowest_bit
    highest_bit = _highest_bit_plain if INTERPRETED else _highest_bit


def twin(function: Any, exchanged: Mapping[Any, Any]) -> Any:
    """Return `function` compiled anew, with other functions in place of some that it calls, always the same.

    Functions through which it reaches those are compiled anew as well, the others stay as they are.
    """
    made: dict[Any, Any] = {}

    def again(old: Any) -> Any:
        new = exchanged.get(old, old)
        if new not in made:
            plain = getattr(new, "py_func", new)
            its = dict(plain.__globals__)
            for path, called in _calls(new).items():
                if reaches(called, exchanged):
                    _put(its, path, again(called))
            copy = FunctionType(plain.__code__, its, plain.__name__, plain.__defaults__)
            made[new] = copy if INTERPRETED else _jit_twin(copy)
        return made[new]

    return again(function)


def _calls(function: Any) -> dict[tuple[str, ...], Any]:
    """Return the functions that a function calls, by name or by module and name."""
    plain = getattr(function, "py_func", function)
    found: dict[tuple[str, ...], Any] = {}
    for one, after in pairwise(dis.get_instructions(plain)):
        if one.opname == "LOAD_GLOBAL":
            it: Any = plain.__globals__.get(one.argval)
            path: tuple[str, ...] = (one.argval,)
            if isinstance(it, ModuleType):
                it, path = getattr(it, str(after.argval), None), (*path, str(after.argval))
            if isinstance(getattr(it, "py_func", it), FunctionType):
                found[path] = it
    return found


def reaches(function: Any, some: Container[Any]) -> bool:
    """Tell whether a function is one of some, or calls one, itself or through others."""
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


def announce(what: str) -> None:
    """Tell the user on stderr, the first time only, that `what` is about to be compiled."""
    mark = CACHE / f"{what}.compiled"
    if not INTERPRETED and not mark.exists():
        print(f"kozyr: compiling {what} for this machine, once; this takes 10 to 20 seconds …", file=sys.stderr)
        with suppress(OSError):
            mark.touch()
