"""SplitMix64 kept in a record's field `rng`: the only source of chance in a game.

Constants and steps: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.compile import jit

GENERATOR: np.dtype[Any] = np.dtype(
    (np.record, np.dtype([("seed", np.uint64), ("rng", np.uint64)], align=True))  # where it began, where it is
)

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_1, _11, _27, _30, _31, _32 = (np.uint64(n) for n in (1, 11, 27, 30, 31, 32))


def generators(seed: int, n: int) -> NDArray[Any]:
    """Return `n` generators that share a seed and nothing else."""
    rngs = np.zeros(n, GENERATOR)
    first: Any = _mixed(np.full(1, seed, np.uint64) + _GOLDEN)
    rngs["seed"] = rngs["rng"] = _mixed(first + np.arange(n, dtype=np.uint64) * _GOLDEN) >> _1  # `spread` of each
    return rngs


def _mixed(z: Any) -> Any:
    """Scramble 64 bits, one to one."""
    z = (z ^ (z >> _30)) * _MIX_1
    z = (z ^ (z >> _27)) * _MIX_2
    return z ^ (z >> _31)


mixed = jit(_mixed)


@jit
def bits(g: Any) -> np.uint64:
    """Draw 64 random bits from the record `g`."""
    g.rng = g.rng + _GOLDEN
    return mixed(g.rng)


@jit
def below(g: Any, n: int) -> Any:
    """Draw a whole number from 0 to n − 1, for n up to 2³¹ (its bias is under n / 2³²)."""
    return np.int64(((bits(g) >> _32) * np.uint64(n)) >> _32)


@jit
def unit(g: Any) -> float:
    """Draw a number from [0, 1)."""
    return np.float64(bits(g) >> _11) * 2.0**-53


@jit
def shuffle(g: Any, items: NDArray[Any], n: int) -> None:
    """Bring the first `n` items into a random order (Fisher–Yates)."""
    state = g.rng  # a store to the items could change it, says the compiler
    for i in range(n - 1, 0, -1):
        state += _GOLDEN
        j = np.int64(((mixed(state) >> _32) * np.uint64(i + 1)) >> _32)
        items[i], items[j] = items[j], items[i]
    g.rng = state


@jit
def spread(seed: int, i: int) -> Any:
    """Return the seed (63 bits) of part `i` of something that has a `seed` of its own."""
    return np.int64(mixed(mixed(np.uint64(seed) + _GOLDEN) + np.uint64(i) * _GOLDEN) >> _1)
