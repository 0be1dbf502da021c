"""Intrinsics: arrays on the stack, single bits, and words of bits as many numbers 0 and 1 in wide registers."""

from collections.abc import Callable
from typing import Any, cast

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np import arrayobj
from numpy.typing import NDArray

from kozyr.envs.compile.declarations import inlined

_ir: Any = ir
_types: Any = types
_arrays: Any = arrayobj
_build: Any = cgutils
_ALIGNED = 32  # bytes, a wide register
REGISTERS = True  # as processors have them, but not WebAssembly


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


@intrinsic
def _count_bits(_: Any, word: Any) -> Any:
    def write(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return _types.int64(_types.int64), write


def _bits(width: int) -> Any:
    """Return the types of some bits: as one word and as a vector."""
    return _ir.IntType(width), _ir.VectorType(_ir.IntType(1), width)


def _place(context: Any, builder: Any, array: Any, value: Any, first: Any, width: int) -> Any:
    """Return a pointer to some numbers of an array as a vector, and the vector's type."""
    struct: Any = _arrays.make_array(array)(context, builder, value)
    cells = _ir.VectorType(context.get_data_type(array.dtype), width)
    return builder.bitcast(builder.gep(struct.data, [first]), cells.as_pointer()), cells


def _write_by_eights(builder: Any, place: Any, word: Any, width: int) -> None:
    """Write bits as numbers eight at a time: a product moves seven bits of a byte apart, and the eighth follows."""
    long = _ir.IntType(64)
    apart, lowest = (_ir.Constant(long, n) for n in (0x0002040810204081, 0x0101010101010101))
    eights = builder.bitcast(place, long.as_pointer())
    for i in range(width // 8):
        byte = builder.and_(builder.lshr(word, _ir.Constant(long, 8 * i)), _ir.Constant(long, 255))
        seven = builder.and_(byte, _ir.Constant(long, 127))
        last = builder.shl(builder.lshr(byte, _ir.Constant(long, 7)), _ir.Constant(long, 56))
        cells = builder.or_(builder.and_(builder.mul(seven, apart), lowest), last)
        builder.store(cells, builder.gep(eights, [_ir.Constant(long, i)]), align=1)


def _writer(width: int) -> Any:
    """Return the function that writes so many bits at once."""

    @intrinsic
    def write_wide(_: Any, cells: Any, first: Any, word: Any) -> Any:
        def write(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            low, ones = _bits(width)
            place, wide = _place(context, builder, signature.args[0], args[0], args[1], width)
            if not REGISTERS and wide.element == _ir.IntType(8):
                _write_by_eights(builder, place, args[2], width)
                return context.get_dummy_value()
            word = args[2] if width == 64 else builder.trunc(args[2], low)
            builder.store(builder.zext(builder.bitcast(word, ones), wide), place, align=1)
            return context.get_dummy_value()

        return _types.void(cells, _types.int64, _types.int64), write

    return write_wide


def _reader(width: int) -> Any:
    """Return the function that reads so many bits at once."""

    @intrinsic
    def read_wide(_: Any, cells: Any, first: Any) -> Any:
        def write(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            low, _ = _bits(width)
            place, wide = _place(context, builder, signature.args[0], args[0], args[1], width)
            marked = builder.icmp_unsigned("!=", builder.load(place, align=1), _ir.Constant(wide, None))
            return builder.zext(builder.bitcast(marked, low), _ir.IntType(64))

        return _types.int64(cells, _types.int64), write

    return read_wide


_write_64, _write_32, _write_16, _write_8 = _writer(64), _writer(32), _writer(16), _writer(8)
_read_32, _read_16, _read_8 = _reader(32), _reader(16), _reader(8)


@inlined
def write_bits(cells: NDArray[Any], first: int, n: int, word: int) -> None:
    """Write the lowest `n` bits of a word, at most 64, as numbers 0 and 1 from place `first` on.

    Two wide stores that may overlap do it; a loop would cost one for each number.
    """
    if n >= 32:
        _write_32(cells, first, word)
        _write_32(cells, first + n - 32, word >> (n - 32))
    elif n >= 16:
        _write_16(cells, first, word)
        _write_16(cells, first + n - 16, word >> (n - 16))
    elif n >= 8:
        _write_8(cells, first, word)
        _write_8(cells, first + n - 8, word >> (n - 8))
    else:
        for i in range(n):
            cells[first + i] = word >> i & 1


_counted: Any = _count_bits


@inlined
def count_bits(word: int) -> int:
    """Return the number of bits that are set in a word of 64."""
    return _counted(word)


@inlined
def write_word(cells: NDArray[Any], first: int, word: int) -> None:
    """Write all 64 bits of a word as numbers 0 and 1 from place `first` on."""
    _write_64(cells, first, word)


@inlined
def read_bits(cells: NDArray[Any], first: int, n: int) -> int:
    """Return a bit for each of `n` numbers, at most 64, from place `first` on: 1 where the number is not 0."""
    if n >= 32:
        return _read_32(cells, first) | _read_32(cells, first + n - 32) << (n - 32)
    if n >= 16:
        return _read_16(cells, first) | _read_16(cells, first + n - 16) << (n - 16)
    if n >= 8:
        return _read_8(cells, first) | _read_8(cells, first + n - 8) << (n - 8)
    word = 0
    for i in range(n):
        word |= int(cells[first + i] != 0) << i
    return word


stack_array: Callable[[int, type[np.generic]], NDArray[Any]] = cast(Any, _on_stack)
lowest_bit: Callable[[int], int] = cast(Any, _lowest_bit)
highest_bit: Callable[[int], int] = cast(Any, _highest_bit)
