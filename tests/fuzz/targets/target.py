"""A parser with what the attack needs of it: valid inputs, which errors it may raise, and which code is watched."""

import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from tests.contract import variants
from tests.fuzz import errors

SLOW = 5.0  # seconds of the processor for one small input, above which it counts as a find


@dataclass(frozen=True)
class Target:
    """One parser.

    Attributes:
        name: also of its folder in the corpus.
        form: how inputs are changed, one of those in `mutate`.
        seeds: makes valid inputs; call: reads an input.
        allowed: the errors that it may raise.
        modules: pure Python whose coverage guides the search.
    """

    name: str
    form: str
    seeds: Callable[[], Sequence[bytes]]
    call: Callable[[bytes], Any]
    allowed: tuple[type[BaseException], ...] = (ValueError,)
    modules: tuple[str, ...] = ()


@dataclass(frozen=True)
class Find:
    """What is wrong with how a parser takes an input; finds of one key have one cause."""

    key: str
    said: str


def judge(target: Target, data: bytes) -> Find | None:
    """Let a parser read an input, and return what is wrong with that, or None."""
    began = time.process_time()
    try:
        target.call(data)
    except (KeyboardInterrupt, GeneratorExit):
        raise
    except BaseException as error:
        said = str(error) if isinstance(error, errors.Wrong) else errors.complaint(error, target.allowed, len(data))
        if said:
            return Find(f"{type(error).__name__} at {errors.place(error)}", said)
    used = time.process_time() - began
    return Find("slow", f"{used:.1f} s for {len(data):,} bytes") if used > SLOW else None


@cache
def folder() -> Path:
    """Return a folder of this process for files that parsers read."""
    held = tempfile.TemporaryDirectory(prefix="kozyr-fuzz-")
    _HELD.append(held)
    return Path(held.name)


_HELD: list[Any] = []
_lines = 0


def heard(count: int = 1) -> None:
    """Count lines, frames or messages that reach what is attacked; an input that counts none is one."""
    global _lines
    _lines += count


def lines() -> int:
    """Return how many were counted."""
    return _lines


def written(name: str, data: bytes) -> Path:
    """Return a file with these bytes."""
    path = folder() / name
    path.write_bytes(data)
    return path


def some_variants(game: Any, count: int = 12) -> list[Any]:
    """Return variants of a game: its default, presets, and others drawn at random; none with very many actions."""
    return variants.drawn(game, count, seed=7, most=3000)


def walk(game: Any, v: Any, seed: int, plies: int) -> Any:
    """Return a table of the contract after so many random plies."""
    from tests.contract.table import Table

    table = Table(game, v, seed)
    for _ in table.walk(seed, plies):
        pass
    return table


def random_legal(mask: Any, rng: np.random.Generator) -> int:
    """Return a legal action."""
    return int(rng.choice(np.flatnonzero(mask)))
