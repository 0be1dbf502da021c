"""Two tiny compiled functions, and where they are kept."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from kozyr.envs.compile import cache, cache_files, jit


def double(x: int) -> int:
    """Return twice a number."""
    return 2 * x


def halve(x: int) -> int:
    """Return half of a number."""
    return x // 2


def loaded(function: Callable[[int], int] = double) -> bool:
    """Tell whether a function runs rightly, and is loaded from the cache for that."""
    fresh: Any = jit(function)
    assert fresh(42) == function(42)
    return bool(fresh.stats.cache_hits)


def forget() -> None:
    """Let this process look for its folders again."""
    for module, names in ((cache_files, ("folder", "inside", "_spare")), (cache, ("clean",))):
        for name in names:
            getattr(module, name).cache_clear()


def code(home: Path) -> Path:
    """Return the only file of code."""
    [file] = home.rglob("*.nbc")
    return file


def spared(tmp_path: Path) -> list[str]:
    """Return the names of functions that lie in temporary folders."""
    return sorted(file.name.partition("-")[0] for file in (tmp_path / "tmp").rglob("*.nbc"))
