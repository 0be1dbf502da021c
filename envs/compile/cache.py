"""Cache of machine code: a folder for each game, and in it a file for each function, its contents and its types.

Code that no file fits any more stays until nobody has loaded it for a month, so that going back to an earlier edit
compiles nothing. Of several processes one compiles a function, the others wait and load its code. Their lock is the
operating system's own (`filelock`): it ends with its process, however that ends. It saves work and guards nothing, for
a file of code is written at once, and two processes that compile one function do no harm. So where there is no lock,
as in a folder that cannot be written or on a file system without locks, each compiles for itself.
"""

import os
import pickle
import re
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from hashlib import blake2b
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from llvmlite import binding
from numba.core import event, serialize, sigutils
from numba.core.caching import CompileResultCacheImpl, NullCache

from kozyr.envs.compile import cache_files
from kozyr.envs.compile.cache_files import folder, inside, make, unkept, warn
from kozyr.envs.compile.declarations import owner
from kozyr.envs.compile.fingerprint import Unkeepable, digest, surroundings
from kozyr.envs.compile.linking import Part

WAITING = "kozyr:waiting"  # Numba's name of the event that another process compiles a function
_DAY = 24 * 3600.0
_KEPT = 30 * _DAY  # since it was last loaded
_MARK = "played-"
_NAME = 80  # characters of a function's name in the name of its file
_OURS = 0o600
_PATIENCE = 120.0  # seconds; a process that was stopped holds its locks on, and functions may call each other in a ring
_REMOVED = re.compile(rf"^{_MARK}|\.(nb[ic]|wasm|tmp)(\.|$)")  # also what other versions have left
_sigutils: Any = sigutils
_binding: Any = binding
_serialize: Any = serialize
_event: Any = event
_POLL = 0.02  # seconds
_own_locks = set[Path]()  # by this process


@cache
def clean() -> None:
    """Remove code that nobody has loaded for a month; at most once a day."""
    mark = folder() / "cleaned"
    with suppress(OSError):
        if _age(mark) < _DAY:
            return
    with suppress(OSError):  # a full disk is cleaned all the same
        mark.touch(_OURS)
    for where, _, names in os.walk(folder()):
        for path in (Path(where, name) for name in names if _REMOVED.search(name)):
            with suppress(OSError):
                if _age(path) > _KEPT:
                    path.unlink()


def _age(path: Path) -> float:
    return time.time() - path.lstat().st_mtime


class Mark:
    """The note that code was compiled and is kept, so that loading it takes no time to speak of.

    It lies beside the code and goes with it. Other versions of Numba, NumPy or Python, or another processor, have
    other marks.

    Args:
        home: the package that the code belongs to.
        contents: what the code was compiled from, as a hash.
    """

    def __init__(self, home: str, contents: str) -> None:
        digest = blake2b(repr((contents, surroundings(), _processor())).encode(), digest_size=8).hexdigest()
        self.path = inside(home) / f"{_MARK}{digest}"

    def stands(self) -> bool:
        """Return True if the code is there; `clean` may have removed code that was last loaded a month ago."""
        try:
            return _age(self.path) < _KEPT - 2 * _DAY  # files of code may be noted as used a day too early
        except OSError:
            return False

    def set(self) -> None:
        """Note that the code has been compiled or loaded."""
        try:
            make(self.path.parent)
            self.path.touch(_OURS)
        except OSError as error:
            unkept(self.path.parent, error)


@cache
def _processor() -> tuple[str, str]:
    """Return the processor that Numba compiles for."""
    return _binding.get_host_cpu_name(), _binding.get_host_cpu_features().flatten()


def classes(args: Any) -> Iterator[type]:
    """Give the classes of all named tuples among types of arguments, and in them."""
    for one in args:
        if hasattr(one, "instance_class"):
            yield one.instance_class
        yield from classes(getattr(one, "types", ()))


def package(module: str) -> str:
    """Return the package that a module is in; a module outside packages stands for itself."""
    return getattr(sys.modules.get(module), "__package__", None) or module


def game_of(compiled: Any, args: Any) -> str:
    """Return the name of the folder of a game, or of shared code, that a function belongs to."""
    return _home(compiled.py_func, args).rpartition(".")[2].replace("__main__", "this program")


def _home(function: Any, args: Any) -> str:
    """Return the package of the variant among types of arguments, or of the function."""
    variant_type = owner(classes(args))
    return package((variant_type or function).__module__)


class _Packing(CompileResultCacheImpl):
    """Turns machine code into what can be pickled, and back."""

    def __init__(self, function: Any) -> None:
        code = function.__code__
        self._locator: Any = SimpleNamespace(_py_file=code.co_filename)  # for warnings
        self._lineno = code.co_firstlineno


class _Kept:
    """The machine code of one signature of a function, in a file named after the function and its contents."""

    def __init__(self, packing: Any, function: Any, path: Path, made_of: Any, args: Any) -> None:
        name = re.sub(r"[^\w.]+", "", f"{function.__module__.rpartition('.')[2]}.{function.__qualname__}")
        called = blake2b(repr((made_of, args)).encode(), digest_size=8).hexdigest()
        self.path = path / f"{name[:_NAME]}-{called}.nbc"
        self._packing: Any = packing(function)
        self._args = args

    def load(self, target_context: Any) -> Any:
        """Return the machine code, and note that it is in use, or None if it is not there or damaged."""
        try:
            code = self._packing.rebuild(target_context, pickle.loads(cache_files.read(self.path)))
        except (OSError, MemoryError, RecursionError, ImportError):  # the last one: of a version with other modules
            return None
        except Exception as error:
            self._remove(error)
            return None
        with suppress(OSError):
            if _age(self.path) > _DAY:
                os.utime(self.path)
        return code if code.signature.args == self._args else None

    def _remove(self, error: Exception) -> None:
        with suppress(OSError):
            self.path.unlink()
        words = f"The compiled code in {self.path} cannot be used: {error}"
        warn(str(self.path.parent), f"{words}. kozyr deletes such files and compiles anew.")

    def save(self, code: Any) -> None:
        """Keep machine code for later processes, if there is room for it."""
        if not self._packing.check_cachable(code):
            return
        try:
            cache_files.write(self.path, _serialize.dumps(self._packing.reduce(code)))
        except OSError as error:
            unkept(self.path.parent, error)


class Cache(NullCache):
    """The cache of a function: every signature goes to the folder of the game whose variant is in it."""

    keeps = True  # unless this process compiles for something else than its processor
    locks = True  # while it compiles, until `finish`
    packing: Any = _Packing

    def __init__(self, compiled: Any) -> None:
        self._compiled, self._missing = compiled, dict[Any, _Kept]()
        self._locks = dict[Any, CompileLock]()

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return machine code that was kept, or None; if another process is compiling it, wait for that."""
        target_context.refresh()
        if not self.keeps:
            return None
        stored = self._stored(sig, self.processor(target_context))
        if stored is None:
            return None
        code = stored.load(target_context)
        if code is None and self.locks:
            self._lock(sig, stored.path)
            code = stored.load(target_context)
        if code is None:
            self._missing[sig] = stored
        return code

    def _lock(self, sig: Any, path: Path) -> None:
        """Keep other processes from compiling the same, or wait until the one that compiles it is done."""
        lock = self._locks[sig] = CompileLock(path)
        if not lock.acquire(patience=0.0):
            args, _ = _sigutils.normalize_signature(sig)
            with _event.trigger_event(WAITING, data={"dispatcher": self._compiled, "args": args}):
                lock.acquire(_PATIENCE)

    def finish(self, sig: Any) -> None:
        """Let other processes have what this one has compiled or loaded, or has failed to compile."""
        if (lock := self._locks.pop(sig, None)) is not None:
            lock.release()

    def save_overload(self, sig: Any, data: Any) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Keep machine code for later processes."""
        stored = self._missing.pop(sig, None)
        if stored is not None:
            clean()
            stored.save(data)

    def processor(self, target_context: Any) -> Any:
        """Return the target that a function is compiled for."""
        return target_context.codegen().magic_tuple()

    def made_of(self, classes: Iterator[type]) -> str:
        """Return the hash of all that the function is made of."""
        return digest(self._compiled, classes)

    def _stored(self, sig: Any, processor: Any) -> _Kept | None:
        args, _ = _sigutils.normalize_signature(sig)
        try:
            contents = self.made_of(classes(args))
        except Unkeepable:
            return None
        function = self._compiled.py_func
        return _Kept(self.packing, function, inside(_home(function, args)), (contents, processor), args)


class _Parts:
    """Stands for Numba's context where code is made of what was kept, and makes parts."""

    def __init__(self, context: Any) -> None:
        self.typing_context, self.get_executable = context.typing_context, context.get_executable
        self._context = context

    def codegen(self) -> Any:
        return self

    def unserialize_library(self, state: tuple[str, bytes]) -> Part:
        return Part(self._context.codegen(), *state)


class _PartPacking(_Packing):
    """The same for code that is linked into other code."""

    def rebuild(self, target_context: Any, payload: Any) -> Any:
        part: Any = super().rebuild(_Parts(target_context), payload)
        return part._replace(target_context=target_context)


class PartCache(Cache):
    """The cache of a function that compiled code calls."""

    packing = _PartPacking


class CompileLock:
    """The lock of one function for arguments of certain types; its file is removed when it is released.

    Args:
        path: the file that the machine code is kept in.
    """

    def __init__(self, path: Path) -> None:
        self._path = path.with_name(f"{path.name}.lock")
        self._lock: Any = None

    def acquire(self, patience: float) -> bool:
        """Take the lock, and return False if another process has it for so many seconds more."""
        from filelock import FileLock, Timeout, has_fcntl  # here, for nothing is locked when all is in the cache

        if self._path in _own_locks:
            return True
        if not (has_fcntl or sys.platform == "win32"):  # else filelock would only mark files
            return True
        lock = FileLock(self._path, patience, _OURS, poll_interval=_POLL, fallback_to_soft=False)
        try:
            make(self._path.parent)
            lock.acquire()
        except Timeout:
            return False
        except OSError:
            return True
        self._lock = lock
        _own_locks.add(self._path)
        return True

    def release(self) -> None:
        """Let the next process have the lock, if this one has it."""
        if self._lock is None:
            return
        with suppress(OSError):  # Windows keeps files that are open, and filelock removes them there
            self._path.unlink()
        with suppress(OSError):
            self._lock.release()
        self._lock = None
        _own_locks.discard(self._path)
