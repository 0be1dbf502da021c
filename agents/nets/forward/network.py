"""Network of an ONNX file as a function of views, run by compiled code on one thread."""

import threading
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.agents.nets.forward import instructions, onnx_file
from kozyr.agents.nets.forward.operators import applied
from kozyr.agents.nets.forward.plan import Cells, Plan, Tensor
from kozyr.envs.core.quote import quote

FORMAT = 1  # of packed programs
_MOST_NODES = 10_000
_TOGETHER, _NEAR = 8, 1 << 17  # views at once, and cells that they may have in all


class Forward:
    """Forward pass of a network that reads views and gives logits.

    The same view has the same answer, alone or in a batch. Several threads may ask at once.

    Attributes:
        metadata: texts of the file by their keys.
        inputs, outputs: names and shapes of its ends, without the batch's axis.
        dtype: NumPy's type of its views; program: its instructions.
        work: steps, such as multiplications, that opening it and one answer take together.

    Args:
        content: the file.

    Raises:
        UnsupportedError: if it needs what only other runtimes know, such as an operator.
        ValueError: if it is damaged.
    """

    def __init__(self, content: bytes) -> None:
        network = onnx_file.read(content)
        self.metadata = network.metadata
        self.inputs, self.outputs = (ends(some) for some in (network.inputs, network.outputs))
        if len(network.inputs) != 1 or len(network.outputs) != 1:
            raise ValueError(f"it has {len(network.inputs)} inputs and {len(network.outputs)} outputs, not one each")
        (source,), (target,) = network.inputs, network.outputs
        self.dtype = source.dtype
        self._entries, self._actions = (_size(end) for end in (source, target))
        plan, view, answers = plan_of(network, source.name, target.name, self._entries, self._actions)
        self.work = plan.work
        self.program, self._constants = plan.finished(view, answers)
        self._own = threading.local()

    def __call__(self, views: NDArray[Any]) -> NDArray[np.float32]:
        """Return the logits [n, actions] of views [n, entries].

        Raises:
            ValueError: if a view asks for a place that is not there.
        """
        logits = np.empty((len(views), self._actions), np.float32)
        floats = np.ascontiguousarray(views, np.float32)
        if instructions.run_all(self.program, self._memory(), floats, logits) == instructions.FAILED:
            raise ValueError("it asks for a place that is not there")
        return logits

    def packed(self) -> bytes:
        """Return the program as a file for other machines: words of 32 bits, the lowest byte first.

        The first words are `FORMAT`, the numbers of instructions, of cells in lists, of weights, of constants that are
        not 0 and of cells in the memory, the first cell of the view and its entries, the first cell of the logits and
        the actions. Then come instructions, lists, weights, the cells of those constants, and the constants.
        """
        code, cells, weights, reads, answers = self.program
        fixed = np.flatnonzero(self._constants).astype(np.uint32)
        sizes = len(code), cells.size, weights.size, fixed.size, self._constants.size
        head = np.array([FORMAT, *sizes, reads, self._entries, answers, self._actions], np.uint32)
        parts = head, code, cells, weights, fixed, self._constants[fixed]
        return b"".join(one.astype(one.dtype.newbyteorder("<")).tobytes() for one in parts)

    def _memory(self) -> NDArray[np.float32]:
        """Return this thread's memory; constants in it are never overwritten."""
        memory = getattr(self._own, "memory", None)
        if memory is None:
            together = max(1, min(_TOGETHER, _NEAR // max(self._constants.size, 1)))
            memory = self._own.memory = np.tile(self._constants, (together, 1))
        return memory


def ends(some: Sequence[onnx_file.End]) -> list[tuple[str, list[int | str]]]:
    """Return the names and shapes of inputs or outputs, without the batch's axis."""
    return [(one.name, one.shape[1:]) for one in some]


def _size(end: onnx_file.End) -> int:
    """Return the numbers that an end has for a view.

    Raises:
        ValueError: unless it is a matrix of known width.
    """
    if len(end.shape) != 2 or not isinstance(end.shape[1], int) or end.shape[1] < 1:
        raise ValueError(f"its {quote(end.name)} has the shape {end.shape}")
    return end.shape[1]


def plan_of(
    network: onnx_file.Network, name: str, output: str, entries: int, actions: int
) -> tuple[Plan, Cells, Cells]:
    """Return the plan of a network, and the cells of its view and of its answer.

    Args:
        network: as read from a file; name: of its input; output: the name of its output.
        entries: of a view; actions: numbers of the output.

    Raises:
        UnsupportedError: naming an operator that is not known or cannot go on.
        ValueError: saying what is damaged.
    """
    if len(network.nodes) > _MOST_NODES:
        raise ValueError(f"it has more than {_MOST_NODES:,} operations")
    plan = Plan()
    view = plan.room(1, entries)
    known = {key: Tensor(numbers, None) for key, numbers in network.constants.items()} | {name: Tensor(None, view)}
    uses = Counter(name for node in network.nodes for name in node.inputs) + Counter([output])
    before = ""
    for node in network.nodes:
        plan.alone = node.inputs[:1] == [before] and uses[before] == 1
        before = node.outputs[0] if node.outputs else ""
        inputs = [None if key == "" else _known(known, key) for key in node.inputs]
        known.update(zip(node.outputs, applied(plan, node, inputs), strict=False))
    answers = plan.cells(_known(known, output))
    if answers.shape != (1, actions):
        raise ValueError(f"its answer has the shape {answers.shape}, not {(1, actions)}")
    return plan, view, answers


def _known(known: dict[str, Tensor], name: str) -> Tensor:
    if name not in known:
        raise ValueError(f"it reads {quote(name)}, which is not there")
    return known[name]
