"""Bits written and read by wide instructions are those of the plain loop."""

import numpy as np
import pytest

from kozyr.envs.compile import count_bits, interpreted, jit, read_bits, write_bits, write_word

EDGE = 7  # cells before and after that nobody may touch


@jit
def written(cells, first, n, word):
    write_bits(cells, first, n, word)


@jit
def found(cells, first, n):
    return read_bits(cells, first, n)


@jit
def counted(word):
    return count_bits(word)


def words(n: int) -> list[int]:
    """Return some words of 64 bits: none, all, one at each end, and random ones."""
    drawn = np.random.default_rng(n).integers(-(2**63), 2**63, 8)
    return [0, -1, 1, 1 << (n - 1) if n < 64 else -(2**63), *(int(word) for word in drawn)]


@pytest.mark.parametrize("dtype", [np.int8, np.int16])
@pytest.mark.parametrize("n", range(1, 65))
def test_as_many_bits_are_written_as_asked_for_and_read_back(n, dtype):
    for word in words(n):
        cells = np.full(n + 2 * EDGE, 5, dtype)
        plain = cells.copy()
        written(cells, EDGE, n, word)
        interpreted.write_bits(plain, EDGE, n, word)
        assert cells.tolist() == plain.tolist()
        assert cells[EDGE : EDGE + n].tolist() == [word >> i & 1 for i in range(n)]
        read = found(cells, EDGE, n) % (1 << 64)
        assert read == interpreted.read_bits(plain, EDGE, n) == word % (1 << n)
        assert counted(word) == interpreted.count_bits(word) == (word % (1 << 64)).bit_count()


@pytest.mark.parametrize("dtype", [np.int8, np.int16])
def test_a_whole_word_is_written(dtype):
    for word in words(64):
        cells = np.full(64 + 2 * EDGE, 5, dtype)
        plain = cells.copy()
        write_word(cells, EDGE, word)
        interpreted.write_word(plain, EDGE, word)
        assert cells.tolist() == plain.tolist()


def test_whatever_is_not_0_is_read_as_1():
    cells = np.array([0, 3, -1, 0, 7, 0, 0, 1, 100, 0], np.int8)
    assert found(cells, 1, 9) == interpreted.read_bits(cells, 1, 9) == 0b011001011
