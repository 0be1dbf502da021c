"""Interpreted mode: the building blocks of compiled code as plain Python, slow, for a debugger."""

import warnings
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

F = TypeVar("F", bound=Callable[..., Any])

warnings.filterwarnings("ignore", "overflow encountered in scalar", RuntimeWarning)  # the generator wraps on purpose


def jit(f: F) -> F:
    """Leave `f` as it is."""
    return f


fast = inlined = merged = once = jit


def packed(variant: Any) -> None:
    """Say that plain Python takes a variant as it is."""


def entry(f: Any, *args: Any) -> Any:
    """Return `f`, which plain Python calls as soon as can be."""
    return f


def unpacker(kind: Any, fields: Any) -> Any:
    """Return nothing that is ever called."""


def stack_array(size: int, dtype: type[np.generic]) -> NDArray[Any]:
    """Return an unfilled array."""
    return np.empty(size, dtype)


def lowest_bit(word: int) -> int:
    """Return the number of the lowest bit that is set in a whole number from 1 to 2⁶³ − 1."""
    return int(word & -word).bit_length() - 1


def highest_bit(word: int) -> int:
    """Return the number of the highest one."""
    return int(word).bit_length() - 1


def count_bits(word: int) -> int:
    """Return the number of bits that are set in a word of 64."""
    return (int(word) & (1 << 64) - 1).bit_count()


def write_bits(cells: NDArray[Any], first: int, n: int, word: int) -> None:
    """Write the lowest `n` bits of a word, at most 64, as numbers 0 and 1 from place `first` on."""
    for i in range(n):
        cells[first + i] = int(word) >> i & 1


def write_word(cells: NDArray[Any], first: int, word: int) -> None:
    """Write all 64 bits of a word as numbers 0 and 1 from place `first` on."""
    write_bits(cells, first, 64, word)


def read_bits(cells: NDArray[Any], first: int, n: int) -> int:
    """Return a bit for each of `n` numbers, at most 64, from place `first` on: 1 where the number is not 0."""
    return sum(1 << i for i in range(n) if cells[first + i])
