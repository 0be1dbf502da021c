"""Plan of a forward pass: the instructions for a network, and the cells that each tensor has."""

from collections.abc import Sequence
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from kozyr.agents.nets.forward import instructions
from kozyr.agents.nets.forward.instructions import FUSED, LAYER, MOVE, PRODUCT, WORDS, Program

_MOST_CELLS = 1 << 24  # of the memory, and of all lists of cells together
_MOST_WEIGHTS = 1 << 26
_MOST_NUMBERS = 1 << 27  # of all tensors on the way
_MOST_CODE = 1 << 16  # instructions
_MOST_WORK = 1 << 33  # steps of all instructions together: seconds
_MOST_AXES = 16

Cells = NDArray[np.uint32]  # of a tensor, in its shape


class Tensor(NamedTuple):
    """Tensor of a network: constant numbers, or cells of the memory in its shape."""

    numbers: NDArray[Any] | None
    cells: Cells | None

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes of its axes."""
        return self._array.shape

    @property
    def _array(self) -> NDArray[Any]:
        return self.cells if self.numbers is None else self.numbers  # pyright: ignore[reportReturnType]

    def moved(self, numbers: NDArray[Any]) -> "Tensor":
        """Return the array that a movement has made of `array`."""
        return Tensor(None, numbers.astype(np.uint32)) if self.numbers is None else Tensor(numbers, None)

    @property
    def array(self) -> NDArray[Any]:
        """Its numbers, or its cells: what only moves treats both alike."""
        return self._array


class Plan:
    """Memory and instructions under construction.

    What depends on constants alone is computed here, once.

    Attributes:
        code: instructions.
        work: steps, such as multiplications, that opening the file and one answer take together.
        alone: whether the operation in hand is the only one that reads the output of the last one.
    """

    def __init__(self) -> None:
        self.code: list[list[int]] = []
        self.work = 0
        self.alone = False
        self._numbers = 0
        self._memory: NDArray[np.float32] = np.zeros(1 << 12, np.float32)
        self._used = 0
        self._fixed: NDArray[np.bool_] = np.zeros(1 << 12, np.bool_)  # cells that hold constants
        self._lists: list[Cells] = []
        self._listed = 0
        self._weights: list[NDArray[np.float32]] = []
        self._weighed = 0

    def room(self, *shape: int) -> Cells:
        """Set cells apart for a tensor of a shape.

        Raises:
            ValueError: if it is too large.
        """
        require_small(*shape)
        count = int(np.prod(shape, dtype=np.int64))
        first, self._used = self._used, self._used + count
        if self._used > _MOST_CELLS:
            raise ValueError(f"it needs more than {_MOST_CELLS:,} numbers at once")
        while self._used > len(self._memory):
            self._memory = np.concatenate([self._memory, np.zeros_like(self._memory)])
            self._fixed = np.concatenate([self._fixed, np.zeros_like(self._fixed)])
        return np.arange(first, self._used, dtype=np.uint32).reshape(shape)

    def cells(self, tensor: Tensor) -> Cells:
        """Return the cells of a tensor; constants get some."""
        if tensor.cells is not None:
            return tensor.cells
        numbers = cast(NDArray[Any], tensor.numbers)
        cells = self.room(*numbers.shape)
        self._memory[cells] = numbers
        self._fixed[cells] = True
        return cells

    def fixed(self, tensor: Tensor) -> NDArray[Any]:
        """Return the numbers of a constant.

        Raises:
            ValueError: if it is none.
        """
        if tensor.numbers is None:
            raise ValueError("it needs a constant where a number depends on the view")
        return tensor.numbers

    def whole(self, tensor: Tensor) -> list[int]:
        """Return the whole numbers of a constant."""
        return [int(one) for one in whole(self.fixed(tensor)).ravel()]

    def together(self, cells: Cells) -> int:
        """Return the first of cells that follow each other and hold what these hold, in their order."""
        flat = cells.ravel()
        if not len(flat):
            return 0
        if int(flat[-1]) - int(flat[0]) == len(flat) - 1 and (np.diff(flat.astype(np.int64)) == 1).all():
            return int(flat[0])
        out = self.room(len(flat))
        self.emit([flat], MOVE, out, len(flat), self.listed(flat))
        return int(out[0])

    def listed(self, *lists: NDArray[Any]) -> int:
        """Keep lists of cells, and return where they begin."""
        first = self._listed
        for one in lists:
            self._lists.append(one.astype(np.uint32).ravel())
            self._listed += one.size
        if self._listed > _MOST_CELLS:
            raise ValueError(f"it moves more than {_MOST_CELLS:,} numbers")
        return first

    def weigh(self, numbers: NDArray[Any]) -> int:
        """Keep weights, and return where they begin."""
        first, self._weighed = self._weighed, self._weighed + numbers.size
        if self._weighed > _MOST_WEIGHTS:
            raise ValueError(f"it has more than {_MOST_WEIGHTS:,} weights")
        self._weights.append(np.ascontiguousarray(numbers, np.float32).ravel())
        return first

    def count(self, tensors: Sequence[Tensor]) -> None:
        """Add the numbers of tensors that an operation has made to those of all.

        Raises:
            ValueError: if that takes too much memory.
        """
        self._numbers += sum(one.array.size for one in tensors)
        if self._numbers > _MOST_NUMBERS:
            raise ValueError(f"it makes more than {_MOST_NUMBERS:,} numbers on its way")

    def emit(self, reads: Sequence[Cells], kind: int, out: Cells, *words: int, work: int = 0) -> Tensor:
        """Append an instruction, or run it now if all that it reads is constant, and return its output.

        Args:
            reads: cells that it depends on; kind: of `instructions`; out: cells that it writes; words: the others.
            work: its steps, if they are more than the numbers that it reads and writes.

        Raises:
            ValueError: if the network takes too many steps, or a constant names a place that is not there.
        """
        self.work += max(work, out.size + sum(one.size for one in reads))
        if self.work > _MOST_WORK or len(self.code) >= _MOST_CODE:
            raise ValueError("it computes too much: it takes seconds for an answer")
        row = [kind, int(out.ravel()[0]) if out.size else 0, *words]
        row += [0] * (WORDS - len(row))
        if not all(self._fixed[one].all() for one in reads):
            self.code.append(row)
            return Tensor(None, out)
        if not self._run(row):
            raise ValueError("it asks for a place that is not there")
        self._fixed[out] = True
        return Tensor(self._memory[out], out)

    def again(self, cells: Cells) -> Tensor:
        """Return the tensor that has these cells."""
        return Tensor(self._memory[cells] if self._fixed[cells].all() else None, cells)

    def fuse_relu(self, cells: Cells) -> bool:
        """Let the layer that was appended last end with a ReLU; return False unless it wrote these cells for that."""
        last = self.code[-1] if self.code and self.alone else [MOVE]
        fits = last[0] in (LAYER, PRODUCT) and last[1] == int(cells.ravel()[0]) and last[2] * last[4] == cells.size
        if fits:
            last[FUSED] = 1
        return fits

    def _run(self, row: list[int]) -> int:
        self.work += self._listed + self._weighed  # which are put together first
        alone = Program(np.array([row], np.int32), self._cells(), self._all_weights(), 0, 0)
        return instructions.run_all(
            alone, self._memory[None], np.zeros((1, 0), np.float32), np.zeros((1, 0), np.float32)
        )

    def _cells(self) -> Cells:
        """Return all lists of cells as one."""
        self._lists = [np.concatenate(self._lists)] if self._lists else [np.zeros(0, np.uint32)]
        return self._lists[0]

    def _all_weights(self) -> NDArray[np.float32]:
        """Return all weights as one array."""
        self._weights = [np.concatenate(self._weights)] if self._weights else [np.zeros(0, np.float32)]
        return self._weights[0]

    def finished(self, reads: Cells, answers: Cells) -> tuple[Program, NDArray[np.float32]]:
        """Return the program and its memory, in which constants lie.

        Args:
            reads: cells of the view; answers: cells of the logits.
        """
        last = self.together(answers)
        code = np.array(self.code, np.int32).reshape(-1, WORDS)
        memory = self._memory[: self._used].copy()
        return Program(code, self._cells(), self._all_weights(), int(reads.ravel()[0]), last), memory


def whole(numbers: NDArray[Any]) -> NDArray[np.int64]:
    """Return constants that name sizes or places.

    Raises:
        ValueError: if they are not finite.
    """
    if not np.isfinite(numbers).all():
        raise ValueError("it needs whole numbers where it has others")
    return numbers.astype(np.int64)


def require_small(*shape: int) -> None:
    """Raise ValueError unless a tensor of a shape has a size that networks have."""
    if any(size < 0 for size in shape) or len(shape) > _MOST_AXES:
        raise ValueError(f"it has a tensor of the shape {list(shape)}")
    total = 1
    for size in shape:
        total *= size
    if total > _MOST_CELLS:
        raise ValueError(f"it has a tensor of the shape {list(shape)}, which is too large")
