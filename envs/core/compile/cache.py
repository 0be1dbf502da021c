"""Where machine code is kept: a folder for each game, and in it a file for each function and its contents.

Code that no file fits any more stays until nobody has loaded it for a month, so that going back to an earlier edit
compiles nothing.
"""

import os
import re
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import suppress
from functools import cache, partial
from hashlib import blake2b
from pathlib import Path
from typing import Any, cast

import platformdirs
from llvmlite import binding
from numba.core import sigutils
from numba.core.caching import CompileResultCacheImpl, FunctionCache, NullCache
from numba.core.dispatcher import Dispatcher

from kozyr.envs.core.compile.contents import Unkeepable, digest, owner, surroundings

_DAY = 24 * 3600.0
_KEPT = 30 * _DAY  # since it was last loaded
_MARK = "played-"
_NAME = 80  # characters of a function's name in the name of its file
_sigutils: Any = sigutils
_binding: Any = binding


@cache
def folder() -> Path:
    """Return the folder of all compiled games, or a temporary one (with one warning) if it cannot be written."""
    wanted = Path(platformdirs.user_cache_dir("kozyr"))
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


@cache
def clean() -> None:
    """Remove code that nobody has loaded for a month; at most once a day."""
    mark = folder() / "cleaned"
    with suppress(OSError):
        if mark.exists() and _age(mark) < _DAY:
            return
        mark.touch()
        for path in (*folder().rglob("*.nb[ic]"), *folder().rglob(f"{_MARK}*")):
            if _age(path) > _KEPT:
                path.unlink(missing_ok=True)


def _age(path: Path) -> float:
    return time.time() - path.stat().st_mtime


class Mark:
    """The note that code was compiled and is kept, so that loading it takes no time to speak of.

    It lies beside the code and goes with it. Other versions of Numba, NumPy or Python, or another processor, have
    other marks.

    Args:
        home: the package that the code belongs to.
        contents: what the code was compiled from, as a hash.
    """

    def __init__(self, home: str, contents: str) -> None:
        told = blake2b(repr((contents, surroundings(), _processor())).encode(), digest_size=8).hexdigest()
        self.path = folder() / home / f"{_MARK}{told}"

    def stands(self) -> bool:
        """Tell whether the code is there; what was last loaded a month ago `clean` may have removed."""
        try:
            return _age(self.path) < _KEPT - 2 * _DAY  # files of code may be noted as used a day too early
        except OSError:
            return False

    def set(self) -> None:
        """Note that the code has been compiled or loaded."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.touch()


@cache
def _processor() -> tuple[str, str]:
    """Return what Numba compiles for."""
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


class _Place:
    """Where one signature of a function is kept, as Numba asks for it."""

    def __init__(self, path: Path, contents: str, source: str) -> None:
        self._path, self._contents, self._py_file = path, contents, source

    def ensure_cache_path(self) -> None:
        self._path.mkdir(parents=True, exist_ok=True)

    def get_cache_path(self) -> str:
        return str(self._path)

    def get_source_stamp(self) -> str:
        return self._contents


class _Kept(CompileResultCacheImpl):
    """Packs machine code for a file named after the function and its contents."""

    def __init__(self, function: Any, path: Path, contents: str, args: Any) -> None:
        self._locator: Any = _Place(path, contents, function.__code__.co_filename)
        self._lineno = function.__code__.co_firstlineno
        name = re.sub(r"[^\w.]+", "", f"{function.__module__.rpartition('.')[2]}.{function.__qualname__}")
        called = blake2b(repr((contents, args)).encode(), digest_size=8).hexdigest()
        self._filename_base = f"{name[:_NAME]}-{called}"


class _One(FunctionCache):
    """The cache of one signature of a function."""

    def __init__(self, function: Any, path: Path, contents: str, args: Any) -> None:
        self._impl_class: Any = partial(_Kept, path=path, contents=contents, args=args)
        super().__init__(function)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the machine code if it is there, and note that it is in use."""
        base: Any = super()
        found, file = base.load_overload(sig, target_context), cast(Any, self._cache_file)
        if found is not None and _age(index := Path(file._index_path)) > _DAY:
            for path in index.parent.glob(f"{index.stem}.*"):
                with suppress(OSError):
                    os.utime(path)
        return found


class Cache(NullCache):
    """The cache of a function: every signature goes to the folder of the game whose variant is in it."""

    def __init__(self, compiled: Dispatcher) -> None:
        self._compiled, self._caches = compiled, dict[Any, Any]()

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return machine code that was kept, or None."""
        self._caches[sig] = cache = self._cache(sig)
        return cache and cache.load_overload(sig, target_context)

    def save_overload(self, sig: Any, data: Any) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Keep machine code for later processes."""
        cache = self._caches.pop(sig, None)
        if cache is not None:
            clean()
            cache.save_overload(sig, data)

    def _cache(self, sig: Any) -> _One | None:
        args, _ = _sigutils.normalize_signature(sig)
        try:
            contents = digest(self._compiled, classes(args))
        except Unkeepable:
            return None
        function = self._compiled.py_func
        return _One(function, folder() / _home(function, args), contents, args)
