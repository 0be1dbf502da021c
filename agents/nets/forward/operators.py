"""Operators of ONNX: each either moves a tensor's cells, which costs nothing later, or appends instructions."""

from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple
from numpy.typing import NDArray

from kozyr.agents.nets.forward import instructions as do
from kozyr.agents.nets.forward.onnx_file import Node, UnsupportedError, numpy_type
from kozyr.agents.nets.forward.plan import Cells, Plan, Tensor, require_small, whole

Inputs = Sequence[Any]  # tensors, or None where one is left out
Operator = Callable[..., Tensor | Sequence[Tensor]]
_MATRIX, _PLANES = 2, 4  # axes


def applied(plan: Plan, node: Node, inputs: Inputs) -> Sequence[Tensor]:
    """Return the outputs of an operation, whose instructions are appended to the plan.

    Raises:
        UnsupportedError: naming the operator if it is not known here, or cannot go on.
    """
    operator, *names = OPERATORS.get(node.kind, (None,))
    if operator is None:
        raise UnsupportedError(f"it needs the operator {node.kind}, which is not known here")
    if other := [name for name in node.attributes if name not in names]:
        raise UnsupportedError(f"it needs {other[0]} of the operator {node.kind}, which is not known here")
    try:
        outputs = operator(plan, *inputs, **node.attributes)
        several = [outputs] if isinstance(outputs, Tensor) else outputs
        plan.count(several)
    except (ValueError, IndexError, TypeError, OverflowError) as error:
        raise UnsupportedError(f"its operator {node.kind} cannot go on: {error}") from None
    return several


def _unary(function: int) -> Operator:
    """Return an operator that changes each number."""

    def operator(plan: Plan, one: Tensor) -> Tensor:
        cells = plan.cells(one)
        if function == do.RELU and plan.fuse_relu(cells):
            return one
        out = plan.room(*cells.shape)
        return plan.emit([cells], do.UNARY, out, cells.size, plan.together(cells), function)

    return operator


def _binary(function: int) -> Operator:
    """Return an operator of two tensors or more, whose shapes are brought together."""

    def operator(plan: Plan, first: Tensor, *others: Tensor) -> Tensor:
        for other in others:
            a, b = _common(plan.cells(first), plan.cells(other))
            words = a.size, plan.together(a), plan.together(b), function
            first = plan.emit([a, b], do.BINARY, plan.room(*a.shape), *words)
        return first

    return operator


def _common(*cells: Cells) -> list[Cells]:
    """Return tensors of one shape, in which numbers may be repeated."""
    require_small(*np.broadcast_shapes(*(one.shape for one in cells)))
    return list(np.broadcast_arrays(*cells))


def _where(plan: Plan, condition: Tensor, yes: Tensor, no: Tensor) -> Tensor:
    parts = _common(*map(plan.cells, (condition, yes, no)))
    return plan.emit(parts, do.CHOOSE, plan.room(*parts[0].shape), parts[0].size, *map(plan.together, parts))


def _cast(plan: Plan, one: Tensor, to: int) -> Tensor:
    dtype = np.dtype(numpy_type(to))
    if one.numbers is not None:
        return Tensor(one.numbers.astype(dtype), None)
    if dtype.kind == "f":
        return one
    cells = plan.cells(one)
    function = do.TRUTH if dtype.kind == "b" else do.TRUNCATE
    return plan.emit([cells], do.UNARY, plan.room(*cells.shape), cells.size, plan.together(cells), function)


def _gemm(
    plan: Plan,
    rows: Tensor,
    matrix: Tensor,
    bias: Tensor | None = None,
    transB: int = 0,  # noqa: N803
) -> Tensor:
    numbers = plan.fixed(matrix)
    _require(numbers.ndim == _MATRIX, f"its matrix has the shape {numbers.shape}")
    return _layer(plan, plan.cells(rows), numbers.T if transB else numbers, None if bias is None else plan.fixed(bias))


def _layer(plan: Plan, rows: Cells, matrix: NDArray[Any], bias: NDArray[Any] | None) -> Tensor:
    """Multiply rows by a constant matrix, whose layer reads numbers that are not 0 alone."""
    inner, wide = matrix.shape
    _require(wide > 0, "it multiplies by nothing")
    _require(rows.ndim == _MATRIX and rows.shape[1] == inner, f"it multiplies {rows.shape} by {matrix.shape}")
    weights = plan.weigh(matrix)
    bias_at = do.NO_BIAS if bias is None else plan.weigh(np.broadcast_to(bias, (1, wide)))
    words = len(rows), inner, wide, plan.together(rows), weights, bias_at
    return plan.emit([rows], do.LAYER, plan.room(len(rows), wide), *words, work=len(rows) * inner * wide)


def _matmul(plan: Plan, first: Tensor, second: Tensor) -> Tensor:
    if second.numbers is not None and second.numbers.ndim == _MATRIX and len(first.shape) == _MATRIX:
        return _layer(plan, plan.cells(first), second.numbers, None)
    rows, matrices = plan.cells(first), plan.cells(second)
    _require(rows.ndim >= _MATRIX and matrices.ndim >= _MATRIX, f"it multiplies {rows.shape} by {matrices.shape}")
    _require(rows.shape[-1] == matrices.shape[-2], f"it multiplies {rows.shape} by {matrices.shape}")
    many = np.broadcast_shapes(rows.shape[:-2], matrices.shape[:-2])
    (high, inner), wide = rows.shape[-2:], matrices.shape[-1]
    require_small(*many, high, wide)
    a, b = np.broadcast_to(rows, (*many, high, inner)), np.broadcast_to(matrices, (*many, inner, wide))
    out = plan.room(*many, high, wide)
    flat = [one.reshape(-1, *one.shape[-2:]) for one in (a, b, out)]
    for x, y, z in zip(*flat, strict=True):
        words = high, inner, wide, plan.together(x), plan.together(y)
        plan.emit([x, y], do.PRODUCT, z, *words, work=high * inner * wide)
    return plan.again(out)


def _conv(
    plan: Plan,
    planes: Tensor,
    kernels: Tensor,
    bias: Tensor | None = None,
    group: int = 1,
    pads: Sequence[int] = (0, 0, 0, 0),
    kernel_shape: Sequence[int] = (),
) -> Tensor:
    """Add up shifted planes: whole planes are shifted at once, and what is between the rows is left."""
    images, weights = plan.cells(planes), plan.fixed(kernels)
    _require(images.ndim == weights.ndim == _PLANES, f"its planes have the shape {images.shape}")
    _require(len(pads) == _PLANES and min(pads) >= 0 and group > 0, f"it pads by {list(pads)} in {group} groups")
    after, read, high, wide = weights.shape
    _require(
        read * group == images.shape[1] and after % group == 0, f"it reads {read * group} of {images.shape[1]} planes"
    )
    padded = _padded(plan, images, pads)
    rows, columns = padded.shape[2:]
    _require(rows >= high > 0 and columns >= wide > 0, f"its kernel has the shape {(high, wide)}")
    span = (rows - high) * columns + columns - wide + 1
    shifts = _grid(high, wide, columns).ravel()
    ends, places, taps = [0], [np.zeros(0, np.int64)], [np.zeros(1)]  # never empty
    for o in range(after):
        own = weights[o].reshape(read, -1)
        plane, tap = np.nonzero(own)
        places.append((o // (after // group) * read + plane) * rows * columns + shifts[tap])
        taps.append(own[plane, tap])
        ends.append(ends[-1] + len(plane))
    bias_at = do.NO_BIAS if bias is None else plan.weigh(np.broadcast_to(plan.fixed(bias), after))
    weights_at, lists = plan.weigh(np.concatenate(taps)) + 1, plan.listed(np.array(ends), np.concatenate(places))
    out = plan.room(len(images), after, span)
    for image, own in zip(padded, out, strict=True):
        words = after, span, lists, weights_at, bias_at, plan.together(image)
        plan.emit([image], do.CONVOLVE, own, *words, work=span * ends[-1])
    return plan.again(out[:, :, _grid(rows - high + 1, columns - wide + 1, columns)])


def _grid(high: int, wide: int, columns: int) -> NDArray[Any]:
    """Return the places [high, wide] of a rectangle in rows of so many columns."""
    return np.add.outer(np.arange(high) * columns, np.arange(wide))


def _padded(plan: Plan, planes: Cells, pads: Sequence[int]) -> Cells:
    """Return planes with zeros around them."""
    many, deep, high, wide = planes.shape
    require_small(many, deep, high + pads[0] + pads[2], wide + pads[1] + pads[3])
    zero = plan.cells(Tensor(np.zeros(1), None))[0]
    return np.pad(planes, ((0, 0), (0, 0), (pads[0], pads[2]), (pads[1], pads[3])), constant_values=zero)


def _reduce(function: int) -> Operator:
    """Return an operator that sums up axes, or takes the highest number."""

    def operator(
        plan: Plan, one: Tensor, second: Tensor | None = None, axes: Sequence[int] | None = None, keepdims: int = 1
    ) -> Tensor:
        cells = plan.cells(one)
        numbers = axes if second is None else plan.whole(second)
        gone = sorted(normalize_axis_tuple(range(cells.ndim) if numbers is None else numbers, cells.ndim))
        out, size, inner, source = _lines(plan, cells, gone)
        result = plan.emit([cells], do.REDUCE, out, out.size // inner if inner else 0, size, inner, source, function)
        shape = [1 if axis in gone else n for axis, n in enumerate(cells.shape) if keepdims or axis not in gone]
        return result.moved(result.array.reshape(shape))

    return operator


def _lines(plan: Plan, cells: Cells, gone: Sequence[int]) -> tuple[Cells, int, int, int]:
    """Return cells for what is rest without some axes, the size of those and of what is inside, and the first cell."""
    rest = [axis for axis in range(cells.ndim) if axis not in gone]
    together = list(gone) == list(range(gone[0], gone[0] + len(gone))) if gone else False
    before = [axis for axis in rest if together and axis < gone[0]] if together else rest
    inside = [axis for axis in rest if axis not in before]
    turned = cells.transpose(*before, *gone, *inside)
    inner = int(np.prod([cells.shape[axis] for axis in inside], dtype=np.int64))
    size = int(np.prod([cells.shape[axis] for axis in gone], dtype=np.int64))
    out = plan.room(*(cells.shape[axis] for axis in rest))
    return out, size, inner, plan.together(turned)


def _argmax(plan: Plan, one: Tensor, axis: int = 0, keepdims: int = 1) -> Tensor:
    cells = plan.cells(one)
    axis = normalize_axis_index(axis, cells.ndim)
    _require(cells.shape[axis] > 0, "it seeks the highest of none")
    out, size, inner, source = _lines(plan, cells, [axis])
    result = plan.emit([cells], do.ARGMAX, out, out.size // max(inner, 1), size, inner, source)
    return result.moved(np.expand_dims(result.array, axis)) if keepdims else result


def _cumsum(plan: Plan, one: Tensor, axis: Tensor) -> Tensor:
    cells = plan.cells(one)
    [number] = plan.whole(axis)
    k = normalize_axis_index(number, cells.ndim)
    outer, inner = (int(np.prod(part, dtype=np.int64)) for part in (cells.shape[:k], cells.shape[k + 1 :]))
    out = plan.room(*cells.shape)
    return plan.emit([cells], do.CUMULATE, out, outer, cells.shape[k], inner, plan.together(cells))


def _topk(plan: Plan, one: Tensor, k: Tensor, axis: int = -1, largest: int = 1, sorted: int = 1) -> list[Tensor]:  # noqa: A002
    cells, [count] = plan.cells(one), plan.whole(k)
    size = cells.shape[axis]
    last = normalize_axis_index(axis, cells.ndim) == cells.ndim - 1
    _require(last and 0 < count <= size, f"it seeks {count} of the shape {cells.shape} along axis {axis}")
    both = plan.room(2, *cells.shape[:-1], count)
    words = cells.size // size, size, count, plan.together(cells), int(both[1].ravel()[0]), 1 if largest else -1
    plan.emit([cells], do.SORT, both, *words, work=cells.size * count)
    return [plan.again(one) for one in both]


def _gather(plan: Plan, one: Tensor, index: Tensor, axis: int = 0) -> Tensor:
    axis = normalize_axis_index(axis, len(one.shape))
    if index.numbers is not None:
        places = whole(index.numbers)
        require_small(*one.shape[:axis], *places.shape, *one.shape[axis + 1 :])
        _require_inside(places, one.shape[axis])
        return one.moved(np.take(one.array, places, axis))
    size = one.shape[axis]
    names = plan.cells(index)
    if axis == 0:
        return _rows(plan, one, names)
    cells = plan.cells(one)
    shape = (*one.shape[:axis], *names.shape, *one.shape[axis + 1 :])
    step = int(np.prod(one.shape[axis + 1 :], dtype=np.int64))
    require_small(*shape)
    wide = names.reshape(*(1,) * axis, *names.shape, *(1,) * (len(one.shape) - axis - 1))
    lines = np.arange(cells.size).reshape(cells.shape).take(0, axis)
    lines = lines.reshape(*one.shape[:axis], *(1,) * names.ndim, *one.shape[axis + 1 :])
    return _pick(plan, cells, np.broadcast_to(wide, shape), np.broadcast_to(lines, shape), step, size)


def _rows(plan: Plan, one: Tensor, names: Cells) -> Tensor:
    """Copy rows of a table, a constant one or not."""
    size, shape = one.shape[0], one.shape[1:]
    wide = int(np.prod(shape, dtype=np.int64))
    out = plan.room(*names.shape, *shape)
    listed = plan.listed(names)
    if one.numbers is not None:
        words = names.size, listed, size, wide, plan.weigh(one.numbers)
        return plan.emit([names], do.WEIGHT_ROWS, out, *words)
    cells = plan.cells(one)
    return plan.emit([names, cells], do.ROWS, out, names.size, listed, size, wide, plan.together(cells))


def _pick(plan: Plan, cells: Cells, names: Cells, lines: NDArray[Any], step: int, size: int) -> Tensor:
    words = names.size, plan.listed(names, lines), step, size, plan.listed(cells)
    return plan.emit([names, cells], do.PICK, plan.room(*names.shape), *words)


def _lines_along(shape: Sequence[int], index: Sequence[int], axis: int) -> tuple[NDArray[Any], int]:
    """Return the beginnings of the lines along an axis for each entry of an index, and the step along them."""
    ok = len(index) == len(shape) and all(
        i <= n for k, (i, n) in enumerate(zip(index, shape, strict=True)) if k != axis
    )
    _require(ok, f"an index of the shape {tuple(index)} does not go with {tuple(shape)}")
    places = np.arange(int(np.prod(shape, dtype=np.int64))).reshape(shape).take([0], axis)
    places = places[tuple(slice(n if k != axis else 1) for k, n in enumerate(index))]
    return np.broadcast_to(places, index), int(np.prod(shape[axis + 1 :], dtype=np.int64))


def _gather_elements(plan: Plan, one: Tensor, index: Tensor, axis: int = 0) -> Tensor:
    axis = normalize_axis_index(axis, len(one.shape))
    lines, step = _lines_along(one.shape, index.shape, axis)
    size = one.shape[axis]
    if index.numbers is not None:
        places = whole(index.numbers)
        _require_inside(places, size)
        return one.moved(one.array.ravel()[lines + np.where(places < 0, places + size, places) * step])
    return _pick(plan, plan.cells(one), plan.cells(index), lines, step, size)


def _scatter_elements(
    plan: Plan, one: Tensor, index: Tensor, updates: Tensor, axis: int = 0, reduction: str = "none"
) -> Tensor:
    _require(reduction in ("none", "add"), f"it scatters with {reduction}")
    axis = normalize_axis_index(axis, len(one.shape))
    lines, step = _lines_along(one.shape, index.shape, axis)
    cells, names, numbers = map(plan.cells, (one, index, updates))
    _require(names.shape == numbers.shape, f"it scatters {numbers.shape} by {names.shape}")
    out = plan.room(*cells.shape)
    reads = [cells, names, numbers]
    plan.emit(reads, do.MOVE, out, cells.size, plan.listed(cells))
    listed = plan.listed(names, lines, numbers)
    return plan.emit(reads, do.SCATTER, out, names.size, listed, step, one.shape[axis], 1 if reduction == "add" else 0)


def _slice(
    plan: Plan, one: Tensor, starts: Tensor, ends: Tensor, axes: Tensor | None = None, steps: Tensor | None = None
) -> Tensor:
    first, last = plan.whole(starts), plan.whole(ends)
    along = range(len(first)) if axes is None else plan.whole(axes)
    _require(steps is None or set(plan.whole(steps)) <= {1}, "it takes other steps than 1")
    cut = [slice(None)] * len(one.shape)
    for begin, end, axis in zip(first, last, along, strict=True):
        cut[normalize_axis_index(axis, len(cut))] = slice(begin, end)
    return one.moved(one.array[tuple(cut)])


def _pad(plan: Plan, one: Tensor, pads: Tensor, value: Tensor | None = None, mode: str = "constant") -> Tensor:
    sizes, rank = plan.whole(pads), len(one.shape)
    fine = mode == "constant" and len(sizes) == 2 * rank and min(sizes, default=0) >= 0
    _require(fine, f"it pads with {mode} by {sizes}")
    both = list(zip(sizes[:rank], sizes[rank:], strict=True))
    require_small(*(n + before + after for n, (before, after) in zip(one.shape, both, strict=True)))
    filling = plan.fixed(value).ravel()[:1] if value is not None else np.zeros(1)
    if one.numbers is not None:
        return Tensor(np.pad(one.numbers, both, constant_values=filling[0]), None)
    return one.moved(np.pad(one.array, both, constant_values=plan.cells(Tensor(filling, None))[0]))


def _concat(plan: Plan, *tensors: Tensor, axis: int) -> Tensor:
    if all(one.numbers is not None for one in tensors):
        return Tensor(np.concatenate([cast(Any, one.numbers) for one in tensors], axis), None)
    return Tensor(None, np.concatenate([plan.cells(one) for one in tensors], axis))


def _reshape(plan: Plan, one: Tensor, shape: Tensor) -> Tensor:
    sizes = [one.shape[i] if n == 0 else n for i, n in enumerate(plan.whole(shape))]
    require_small(*(abs(n) for n in sizes))
    return one.moved(one.array.reshape(sizes))


def _transpose(_: Plan, one: Tensor, perm: Sequence[int] | None = None) -> Tensor:
    return one.moved(one.array.transpose(perm))


def _unsqueeze(plan: Plan, one: Tensor, axes: Tensor) -> Tensor:
    return one.moved(np.expand_dims(one.array, tuple(plan.whole(axes))))


def _squeeze(plan: Plan, one: Tensor, axes: Tensor | None = None) -> Tensor:
    return one.moved(np.squeeze(one.array, None if axes is None else tuple(plan.whole(axes))))


def _flatten(_: Plan, one: Tensor, axis: int = 1) -> Tensor:
    return one.moved(one.array.reshape(int(np.prod(one.shape[:axis], dtype=np.int64)), -1))


def _identity(_: Plan, one: Tensor) -> Tensor:
    return one


def _constant(_: Plan, value: NDArray[Any]) -> Tensor:
    return Tensor(value, None)


def _require(fine: bool, why: str) -> None:
    if not fine:
        raise ValueError(why)


def _require_inside(places: NDArray[Any], size: int) -> None:
    """Raise ValueError unless places lie in an axis of a size."""
    outside = places[(places < -size) | (places >= size)]
    _require(not outside.size, f"it reads place {outside.ravel()[:1]} of {size}")


OPERATORS: dict[str, tuple[Any, ...]] = {
    "Add": (_binary(do.ADD),),
    "ArgMax": (_argmax, "axis", "keepdims"),
    "Cast": (_cast, "to"),
    "Concat": (_concat, "axis"),
    "Constant": (_constant, "value"),
    "Conv": (_conv, "group", "pads", "kernel_shape"),
    "CumSum": (_cumsum,),
    "Flatten": (_flatten, "axis"),
    "Gather": (_gather, "axis"),
    "GatherElements": (_gather_elements, "axis"),
    "Gemm": (_gemm, "transB"),
    "Greater": (_binary(do.ABOVE),),
    "Identity": (_identity,),
    "Less": (_binary(do.BELOW),),
    "LessOrEqual": (_binary(do.AT_MOST),),
    "MatMul": (_matmul,),
    "Max": (_binary(do.LARGER),),
    "Min": (_binary(do.SMALLER),),
    "Mul": (_binary(do.MULTIPLY),),
    "Pad": (_pad, "mode"),
    "ReduceMax": (_reduce(do.MOST), "axes", "keepdims"),
    "ReduceSum": (_reduce(do.SUM), "axes", "keepdims"),
    "Relu": (_unary(do.RELU),),
    "Reshape": (_reshape,),
    "ScatterElements": (_scatter_elements, "axis", "reduction"),
    "Sigmoid": (_unary(do.SIGMOID),),
    "Sign": (_unary(do.SIGN),),
    "Slice": (_slice,),
    "Squeeze": (_squeeze,),
    "Sub": (_binary(do.SUBTRACT),),
    "Tanh": (_unary(do.TANH),),
    "TopK": (_topk, "axis", "largest", "sorted"),
    "Transpose": (_transpose, "perm"),
    "Unsqueeze": (_unsqueeze,),
    "Where": (_where,),
}
"""Operators by name, each with the attributes that it knows: a file with others is refused."""
