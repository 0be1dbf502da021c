"""Rows of tables in a GPU's shared memory, where a thread may touch them byte by byte at no cost to its neighbours.

In the GPU's main memory every store of a thread is a transfer of 32 bytes. So a block of threads brings the rows of its
tables to the chip, all threads together and 16 bytes at a time, plays there, and sends them back in the same way.

Rows on the chip are indexed by the number of the table, as in the arrays that they belong to. A launch leaves room for
them (`staged` of `Kernel`). Arrays are a whole number of blocks long: the last block moves rows of no table, too.
"""

from typing import Any, cast

from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numba.np import arrayobj
from numpy.typing import NDArray

from kozyr.envs.compile.cuda import SIMULATED, cuda

_ir: Any = ir
_types: Any = types
_arrays: Any = arrayobj
_cuda: Any = cuda
_WHOLE = 16  # bytes that a thread moves at once
_SHARED = 3  # NVIDIA's number for the memory on the chip
_MEMORY = "kozyr_on_chip"
_BYTE, _LONG = _ir.IntType(8), _ir.IntType(64)


@intrinsic
def _rows_at(_: Any, rows: Any, first: Any) -> Any:
    """Give an array like `rows` whose row 0 would lie so many bytes behind the start of the memory on the chip."""

    def write(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        memory = builder.module.globals.get(_MEMORY)
        if memory is None:
            memory = _ir.GlobalVariable(builder.module, _ir.ArrayType(_BYTE, 0), _MEMORY, addrspace=_SHARED)
            memory.linkage, memory.align = "external", _WHOLE
        start = builder.addrspacecast(memory, _BYTE.as_pointer())
        struct: Any = _arrays.make_array(signature.args[0])(context, builder, args[0])
        struct.data = builder.bitcast(builder.gep(start, [args[1]]), struct.data.type)
        return struct._getvalue()

    return rows(rows, _types.int64), write


def _mover(count: int) -> Any:
    """Return the function that moves so many pieces of _WHOLE bytes which lie `apart`, the first one at byte `at`."""

    @intrinsic
    def move(_: Any, to: Any, source: Any, at: Any, apart: Any) -> Any:
        def write(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            piece = _ir.VectorType(_LONG, _WHOLE // 8)
            places = list[Any]()
            for kind, value in zip(signature.args[:2], args[:2], strict=True):
                struct: Any = _arrays.make_array(kind)(context, builder, value)
                base, at = builder.bitcast(struct.data, _BYTE.as_pointer()), args[2]
                ours = list[Any]()
                for _ in range(count):
                    ours.append(builder.bitcast(builder.gep(base, [at]), piece.as_pointer()))
                    at = builder.add(at, args[3])
                places.append(ours)
            pieces = [builder.load(place, align=_WHOLE) for place in places[1]]  # all on their way at once
            for one, place in zip(pieces, places[0], strict=True):
                builder.store(one, place, align=_WHOLE)
            return context.get_dummy_value()

        return _types.void(to, source, _types.int64, _types.int64), write

    return move


_row_0_at: Any = _rows_at
_move_1, _move_8 = _mover(1), _mover(8)


@_cuda.jit(device=True, inline="always")
def _on_chip(rows: Any, behind: Any) -> Any:
    return _row_0_at(rows, (behind - _cuda.blockIdx.x * rows.strides[0]) * _cuda.blockDim.x)


@_cuda.jit(device=True)
def _move(to: Any, source: Any) -> None:
    size = _cuda.blockDim.x * source.strides[0]
    first, apart = _cuda.blockIdx.x * size, _cuda.blockDim.x * _WHOLE
    at, last = first + _cuda.threadIdx.x * _WHOLE, first + size
    while at + 7 * apart < last:
        _move_8(to, source, at, apart)
        at += 8 * apart
    while at < last:
        _move_1(to, source, at, apart)
        at += apart


@_cuda.jit(device=True, inline="always")
def _bring(states: Any, views: Any, masks: Any) -> Any:
    here = _on_chip(states, 0)
    _move(here, states)
    _cuda.syncthreads()
    behind = states.strides[0] + views.strides[0]
    return here, _on_chip(views, states.strides[0]), _on_chip(masks, behind)


@_cuda.jit(device=True)
def _send(states: Any, views: Any, masks: Any, here: Any, view: Any, marks: Any) -> None:
    _cuda.syncthreads()
    _move(states, here)
    _move(views, view)
    _move(masks, marks)


def bring(states: Any, views: NDArray[Any], masks: NDArray[Any]) -> tuple[Any, NDArray[Any], NDArray[Any]]:
    """Return the block's rows of these arrays on the chip: states as they are, views and masks not filled.

    All threads of a block must call this, and `send` later, together.
    """
    return states, views, masks


def send(
    states: NDArray[Any],
    views: NDArray[Any],
    masks: NDArray[Any],
    here: NDArray[Any],
    view: NDArray[Any],
    marks: NDArray[Any],
) -> None:
    """Write what `bring` has returned back to the arrays."""


if not SIMULATED:
    bring, send = cast(Any, (_bring, _send))
